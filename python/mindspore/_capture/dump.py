# SPDX-License-Identifier: Apache-2.0
"""Graphs as files: what `save_graphs` asks for."""

from __future__ import annotations

import os
import threading

from mindspore import _c_expression as _c
from mindspore import log as logger
from mindspore._capture import failure

_PHASES = {"captured": "00_bootstrap", "final": "17_execute"}


class GraphFiles:
    """Writes the graphs of every compilation into a folder.

    Args:
        folder (str): Where; made when it is missing.
        level (int): 1 writes a graph as captured and as executed, 2 and 3 also what each pass made of it.
    """

    def __init__(self, folder: str, level: int):
        self.folder, self._level = folder, level
        self._serial = self._pass_number = 0
        self._lock = threading.Lock()

    def __call__(self, phase: str, graph: str, text: str) -> None:
        if phase not in _PHASES and self._level < 2:
            return
        with self._lock:
            if phase == "captured":
                self._pass_number = 0
            if phase in _PHASES:
                name = _PHASES[phase]
            else:
                name = f"opt_pass_{self._pass_number}_{phase}"
                self._pass_number += 1
            path = os.path.join(self.folder, f"{name}_{self._serial:04d}.ir")
            self._serial += 1
            try:
                os.makedirs(self.folder, exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"# {graph}: {phase}\n{text}")
            except OSError as error:  # a look at the graph must not stop the program that is looked at
                logger.warning("The graph cannot be written to '%s': %s.", path, error)


def write_failure(name: str, session, error: BaseException) -> None:
    """Tells of a compilation that failed."""
    failure.write_failure(name, session.text(), error, _active.folder if _active else None)


_active: GraphFiles | None = None


def set_save_graphs(level: int, folder: str) -> None:
    """Starts or, with level 0, stops writing graphs."""
    level = int(os.environ.get("MS_DEV_SAVE_GRAPHS", level))
    folder = os.environ.get("MS_DEV_SAVE_GRAPHS_PATH", folder)
    global _active
    _active = GraphFiles(folder, level) if level > 0 else None
    _c.set_graph_watcher(_active)
