# SPDX-License-Identifier: Apache-2.0
"""Records values of a training in event files."""

from __future__ import annotations

import os
import platform
import re
import threading
import time
from urllib.parse import quote

import numpy as np

from mindspore import context
from mindspore import log as logger
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.ops._primitives.effects import collect_summaries, pending_summaries
from mindspore.train._graph_message import graph_message
from mindspore.train.summary import _summary_adapter as adapter
from mindspore.train.summary._event_file import EventFile
from mindspore.train.summary.enums import ModeEnum, PluginEnum

_DEFAULT_EXPORT_OPTIONS = {"tensor_format": {"npy", None}}
_LINEAGE = ("train_lineage", "eval_lineage", "custom_lineage_data", "dataset_graph")
_TENSORS = ("tensor", "scalar", "image", "histogram")
_only_one = threading.Lock()
_extra_tensors: dict[str, Tensor] = {}


def check_value_type(arg_name, arg_value, valid_types) -> None:
    """TypeError when a value is of none of the types; a bool is no number.

    Args:
        arg_name (str): Its name.
        arg_value (Any): The value.
        valid_types (Union[type, list, tuple]): The types.
    """
    kinds = tuple(valid_types) if isinstance(valid_types, (list, tuple)) else (valid_types,)
    if not isinstance(arg_value, kinds) or (isinstance(arg_value, bool) and bool not in kinds):
        names = [kind.__name__ for kind in kinds]
        raise TypeError(
            f"For `{arg_name}` the type should be a valid type of {names}, but got "
            f"{type(arg_value).__name__}."
        )


def made_folder(path, name: str) -> str:
    """The absolute path of a folder, which is made if it is not there.

    Raises:
        TypeError: It is not a string.
        ValueError: It is blank.
        NotADirectoryError: There is a file of the name.
    """
    if not isinstance(path, str):
        raise TypeError(f"The {name} is invalid, the type should be string.")
    if not path.strip():
        raise ValueError(f"The {name} is invalid, it should be non-blank.")
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isdir(path):
        raise NotADirectoryError(f"The {name} {path} is not a directory.")
    os.makedirs(path, mode=0o700, exist_ok=True)
    return path


def process_export_options(export_options):
    """Checks what values are exported to.

    Args:
        export_options (dict): ``{"tensor_format": "npy"}``, or None.

    Returns:
        dict, or None.
    """
    if export_options is None:
        return None
    check_value_type("export_options", export_options, [dict, type(None)])
    unknown = set(export_options) - set(_DEFAULT_EXPORT_OPTIONS)
    if unknown:
        raise ValueError(
            f'For "SummaryRecord", the keys {unknown} of "export_options" are unsupported, expect the follow '
            f"keys: {list(_DEFAULT_EXPORT_OPTIONS)}"
        )
    for key, value in export_options.items():
        if value not in _DEFAULT_EXPORT_OPTIONS[key]:
            raise ValueError(
                f'For "SummaryRecord", the export_format { ({value}) } of "export_options" are unsupported '
                f"for {key}, expect the follow values: {list(_DEFAULT_EXPORT_OPTIONS[key])}"
            )
    return export_options


def _cache_summary_tensor_data(summary):
    """Takes values as summary operators deliver them.

    Args:
        summary (list): Dicts with "name", for instance "loss[:Scalar]", and "data".

    Returns:
        bool, whether they were taken.
    """
    for entry in summary:
        _extra_tensors[entry["name"]] = entry["data"]
    return True


def _record_summary_tensor_data() -> None:
    """Waits for values of operators; they are there when their operator has run."""


def _get_summary_tensor_data():
    """Takes the values that operators have delivered since the last time.

    Returns:
        dict of Tensors, by "<name>[:<Kind>]".
    """
    values = {f"{name}[:{kind.capitalize()}]": value for kind, name, value in pending_summaries}
    values.update(_extra_tensors)
    pending_summaries.clear()
    _extra_tensors.clear()
    return values


class SummaryRecord:
    """Records values of a training in an event file, and facts about it in a second one.

    Args:
        log_dir (str): Folder of the files.
        file_prefix (str): Start of their names. Default: ``"events"``.
        file_suffix (str): End of their names. Default: ``"_MS"``.
        num_process (int): Accepted for compatibility; values are written at once. Default: ``32``.
        network (Cell): Its graph is recorded. Default: ``None``.
        max_file_size (int): Bytes beyond which nothing more is written. Default: ``None``, no limit.
        raise_exception (bool): Whether a full disk is an exception. Default: ``False``.
        export_options (dict): ``{"tensor_format": "npy"}`` writes tensors to files too. Default: ``None``.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument has a value that is not allowed.
        RuntimeError: There is another record that is not closed.
    """

    _instance = None

    def __init__(
        self,
        log_dir,
        file_prefix="events",
        file_suffix="_MS",
        num_process=32,
        network=None,
        max_file_size=None,
        raise_exception=False,
        export_options=None,
    ):
        folder = made_folder(log_dir, "log_dir")
        for name, value in (("file_prefix", file_prefix), ("file_suffix", file_suffix)):
            check_value_type(name, value, str)
            if not re.fullmatch(r"\w+[0-9a-zA-Z_.]*", value, re.ASCII):
                raise ValueError(
                    f'For "SummaryRecord", the {name} has characters that are not allowed: {value}'
                )
        check_value_type("num_process", num_process, int)
        check_value_type("network", network, [Cell, type(None)])
        check_value_type("max_file_size", max_file_size, [int, type(None)])
        check_value_type("raise_exception", raise_exception, bool)
        if max_file_size is not None and max_file_size < 0:
            logger.warning(
                "The 'max_file_size' of 'SummaryRecord' should be greater than 0; there is no limit."
            )
            max_file_size = None
        self._export = process_export_options(export_options)
        self._network = network
        self._mode = ModeEnum.TRAIN.value
        self._values: list[tuple[str, str, object]] = []
        self._is_closed = True  # until it is complete
        self._claim()
        seconds = int(time.time())
        name = (
            f"{file_prefix}.out.events.summary.{seconds}.{context.get_context('device_id')}.{platform.node()}"
        )
        self._export_folder = os.path.join(folder, f"export_{seconds}", "tensor")
        self._events = EventFile(
            os.path.join(folder, name + file_suffix), adapter.version_event, max_file_size, raise_exception
        )
        self._lineage = EventFile(
            os.path.join(folder, name + "_lineage"), None, max_file_size, raise_exception
        )
        self._is_closed = False

    def _claim(self) -> None:
        with _only_one:
            if SummaryRecord._instance is not None:
                raise RuntimeError(
                    "For 'SummaryRecord', only one instance is supported in a training process: close the "
                    "other one first."
                )
            SummaryRecord._instance = self
        collect_summaries(True)

    def __enter__(self):
        if self._is_closed:
            raise ValueError("The SummaryRecord has been closed.")
        return self

    def __exit__(self, *err):
        self.close()

    @property
    def log_dir(self):
        """Path of the event file."""
        return self._events.path

    def set_mode(self, mode):
        """Tells what the network does; values of operators are recorded while it is trained.

        Args:
            mode (str): ``"train"`` or ``"eval"``.

        Raises:
            ValueError: It is another one.
        """
        if mode not in ModeEnum.to_list():
            raise ValueError(
                f"For 'SummaryRecord.set_mode', 'mode' must be in {ModeEnum.to_list()}, but got {mode}."
            )
        self._mode = mode

    def add_value(self, plugin, name, value):
        """Adds a value to the next record.

        Args:
            plugin (str): What it is: ``"tensor"``, ``"scalar"``, ``"image"``, ``"histogram"``, ``"graph"``,
                ``"train_lineage"``, ``"eval_lineage"``, ``"dataset_graph"``, ``"custom_lineage_data"`` or
                ``"landscape"``.
            name (str): Its name.
            value (Union[Tensor, bytes]): A Tensor for the first four; of the others the message.

        Raises:
            ValueError: The kind is unknown, the name is empty, or the value does not suit the kind.
            TypeError: The value is not a Tensor.
        """
        if plugin not in PluginEnum.to_list():
            raise ValueError(
                f"For 'SummaryRecord.add_value', 'plugin' must be in {PluginEnum.to_list()}, but got "
                f"{plugin}."
            )
        if not isinstance(name, str) or not name:
            raise ValueError(f"For 'SummaryRecord.add_value', the name is not valid str: {name!r}")
        if plugin in _TENSORS:
            self._check_tensor(plugin, name, value)
        self._values.append((plugin, name, value))

    @staticmethod
    def _check_tensor(plugin: str, name: str, value) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(
                f"For 'SummaryRecord.add_value', the value of {plugin} '{name}' must be Tensor, but got "
                f"{type(value).__name__}."
            )
        fits = {"scalar": value.size == 1, "image": value.ndim == 4}.get(plugin, value.ndim > 0)
        if not fits:
            raise ValueError(
                f"For 'SummaryRecord.add_value', a value of the shape {value.shape} cannot be {plugin} "
                f"'{name}'."
            )

    def record(self, step, train_network=None, plugin_filter=None):
        """Writes the values that were added, and those of operators.

        Args:
            step (int): The step they belong to.
            train_network (Cell): Its graph is recorded if none has been yet. Default: ``None``.
            plugin_filter (Callable): Told of each kind; those for which it returns False are left out.
                Default: ``None``.

        Returns:
            bool, whether they were written.

        Raises:
            TypeError: An argument has the wrong type.
        """
        check_value_type("step", step, int)
        check_value_type("train_network", train_network, [Cell, type(None)])
        if self._is_closed:
            logger.error("The SummaryRecord has been closed, nothing is recorded.")
            return False
        network = self._network or train_network
        if network is not None:
            self._events.write(adapter.graph_event(graph_message(network)))
            self._network = None
        values = self._take_values(plugin_filter)
        self._export_tensors(step, values)
        messages = [adapter.value_message(*value) for value in values]
        messages = [message for message in messages if message is not None]
        if messages:
            return self._events.write(adapter.summary_event(step, messages))
        return True

    def _take_values(self, plugin_filter) -> list[tuple]:
        taken, self._values = self._values, []
        if self._mode == ModeEnum.TRAIN.value:
            for tag, value in _get_summary_tensor_data().items():
                name, _, kind = tag.rpartition("[:")
                taken.append((kind.rstrip("]").lower(), name, value))
        values = []
        for plugin, name, value in taken:
            if plugin_filter is not None and not plugin_filter(plugin):
                continue
            if plugin in _LINEAGE:
                self._lineage.write(value)
            elif plugin == PluginEnum.GRAPH.value:
                self._events.write(adapter.graph_event(value))
            elif isinstance(value, Tensor):
                values.append((plugin, name, value.asnumpy(), value.dtype))
            else:
                values.append((plugin, name, value, None))
        return values

    def _export_tensors(self, step: int, values: list[tuple]) -> None:
        if not self._export or self._export.get("tensor_format") != "npy":
            return
        for plugin, name, array, _ in values:
            if plugin == PluginEnum.TENSOR.value:
                os.makedirs(self._export_folder, mode=0o700, exist_ok=True)
                path = os.path.join(self._export_folder, f"{quote(name, safe='')}_{step}.npy")
                np.save(path, array)
                os.chmod(path, 0o400)

    def flush(self):
        """Hands what was recorded to the system."""
        if self._is_closed:
            logger.error("The SummaryRecord has been closed, nothing is flushed.")
            return
        self._events.flush()
        self._lineage.flush()

    def close(self):
        """Writes what is left and closes the files."""
        if self._is_closed:
            return
        self._is_closed = True
        self._events.close()
        self._lineage.close()
        collect_summaries(False)
        with _only_one:
            if SummaryRecord._instance is self:
                SummaryRecord._instance = None

    def __del__(self):
        if not getattr(self, "_is_closed", True):
            self.close()
