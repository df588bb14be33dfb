# SPDX-License-Identifier: Apache-2.0
"""Measures a run as a whole: when it began and ended, in which mode. Single operators are not measured."""

from __future__ import annotations

import json
import os
import time
from enum import Enum

from mindspore import context
from mindspore import log as logger
from mindspore._settings.argument_keys import PROFILER
from mindspore.version import __version__

_OPTIONS = {
    "output_path": (str, "./data"),
    "op_time": (bool, True),
    "profile_communication": (bool, False),
    "profile_memory": (bool, False),
    "parallel_strategy": (bool, True),
    "start_profile": (bool, True),
    "sync_enable": (bool, True),
    "data_process": (bool, True),
    "timeline_limit": (int, 500),
    "profile_framework": (str, "all"),
    "aicore_metrics": (int, 0),
    "l2_cache": (bool, False),
    "hbm_ddr": (bool, False),
    "pcie": (bool, False),
    "with_stack": (bool, False),
    "data_simplification": (bool, True),
    "host_stack": (bool, True),
}


class ProfilerLevel(Enum):
    """How much is measured on devices that offer levels."""

    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class Profiler:
    """Measures the time between `start` and `stop` and writes it to a file.

    Single operators are not measured in this release; `op_analyse` therefore finds none.

    Args:
        kwargs (dict): `output_path` (str), the folder; `start_profile` (bool), whether to begin at once.
            Other options have no effect, and a warning says so.

    Raises:
        RuntimeError: There is a profiler already.
    """

    _has_instance = False

    def __init__(self, **kwargs):
        if Profiler._has_instance:
            raise RuntimeError("Do not init twice in the profiler.")
        options = {
            name: self._option(name, kwargs.pop(name, default)) for name, (_, default) in _OPTIONS.items()
        }
        for name in kwargs:
            if name != "profiler_level":
                logger.warning("%s is an invalid param which doesn't work.", name)
        for name, value in options.items():
            PROFILER.tell(name, value)
        self._folder = os.path.join(os.path.realpath(options["output_path"]), "profiler")
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        self._spans: list[list[float]] = []
        self._is_running = False
        Profiler._has_instance = True
        if options["start_profile"]:
            self.start()

    @staticmethod
    def _option(name: str, value):
        kind, default = _OPTIONS[name]
        if value is not None and not isinstance(value, kind):
            logger.warning(
                "the parameter %s must be %s, but got type %s, it will be set to %s.",
                *(name, kind.__name__, type(value), default),
            )
            return default
        return value

    def start(self):
        """Begins to measure.

        Raises:
            RuntimeError: It has begun already.
        """
        if self._is_running:
            raise RuntimeError("The profiler has already started. Do not turn on again in the open state.")
        self._is_running = True
        self._spans.append([time.time(), 0.0])

    def stop(self):
        """Ends measuring.

        Raises:
            RuntimeError: It has not begun.
        """
        if not self._is_running:
            raise RuntimeError(
                "The profiler has not started, so can not stop. Please call the start() method first."
            )
        self._is_running = False
        self._spans[-1][1] = time.time()

    def analyse(self, offline_path=None, pretty=False, step_list=None, mode="sync"):
        """Ends measuring and writes the file ``profiler_info_<device>.json``.

        Args:
            offline_path (str): Accepted for compatibility. Default: ``None``.
            pretty (bool): Whether the file is written with indentation. Default: ``False``.
            step_list (list): Accepted for compatibility. Default: ``None``.
            mode (str): Accepted for compatibility. Default: ``"sync"``.
        """
        if self._is_running:
            self.stop()
        Profiler._has_instance = False
        device = context.get_context("device_id")
        facts = {
            "profiling_start_time": self._spans[0][0] if self._spans else None,
            "analyse_start_time": time.time(),
            "measured_seconds": sum(end - begin for begin, end in self._spans),
            "context_mode": "graph" if context.get_context("mode") == context.GRAPH_MODE else "pynative",
            "rank_id": 0,
            "rank_size": 1,
            "ms_version": __version__,
            "is_heterogeneous": False,
        }
        path = os.path.join(self._folder, f"profiler_info_{device}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(facts, file, indent=4 if pretty else None)

    def op_analyse(self, op_name, device_id=None):
        """What was measured of an operator.

        Args:
            op_name (Union[str, list[str]]): The operator, or several.
            device_id (int): Accepted for compatibility. Default: ``None``.

        Raises:
            TypeError: The name is no string.
            RuntimeError: Nothing was measured of it.
        """
        if not isinstance(op_name, (str, list)):
            raise TypeError(f"The parameter 'op_name' must be str or list, but got type {type(op_name)}.")
        raise RuntimeError(f"The information of <{op_name}> is not found. Single operators are not measured.")

    @classmethod
    def offline_analyse(cls, path, pretty=False, step_list=None):
        """Reads what `analyse` wrote.

        Args:
            path (str): Folder of the profiler.
            pretty (bool): Accepted for compatibility. Default: ``False``.
            step_list (list): Accepted for compatibility. Default: ``None``.

        Raises:
            RuntimeError: The folder holds nothing of the kind.
        """
        folder = os.path.join(os.path.realpath(path), "profiler")
        if not os.path.isdir(folder) or not any(
            name.startswith("profiler_info_") for name in os.listdir(folder)
        ):
            raise RuntimeError(f"{path} holds no data of a profiler.")


class EnvProfiler:
    """A profiler that ``MS_PROFILER_OPTIONS`` switches on, with options in JSON."""

    def __init__(self):
        options = os.getenv("MS_PROFILER_OPTIONS")
        self._profiler = None
        if options:
            options = json.loads(options)
            if options.pop("start", False):
                self._profiler = Profiler(**options)

    def analyse(self):
        """Ends measuring and writes the file, if there is a profiler."""
        if self._profiler is not None:
            self._profiler.analyse()
            self._profiler = None

    def need_analyse(self):
        """Whether there is a profiler.

        Returns:
            bool.
        """
        return self._profiler is not None
