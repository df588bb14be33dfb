# SPDX-License-Identifier: Apache-2.0
"""Graphs as files: what `save_graphs` asks for."""

from __future__ import annotations

import linecache
import os
import threading
import traceback

from mindspore import _c_expression as _c
from mindspore import log as logger

_PHASES = {"captured": "00_bootstrap", "final": "17_execute"}


class GraphFiles:
    """Writes the graphs of every compilation into a folder.

    Args:
        folder (str): Where; made when it is missing.
        level (int): 1 writes a graph as captured and as executed, 2 and 3 also what each pass made of it.
    """

    def __init__(self, folder: str, level: int):
        self._folder, self._level = folder, level
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
            path = os.path.join(self._folder, f"{name}_{self._serial:04d}.ir")
            self._serial += 1
            try:
                os.makedirs(self._folder, exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"# {graph}: {phase}\n{text}")
            except OSError as error:  # a look at the graph must not stop the program that is looked at
                logger.warning("The graph cannot be written to '%s': %s.", path, error)

    def write_failure(self, name: str, text: str, error: BaseException) -> None:
        """Writes `analyze_fail.ir`: the error, the user's lines around it, and the graph up to there."""
        file, line = _users_line(error)
        marked = f"# {file}:{line}"
        lines = [
            f"# '{name}' could not be compiled: {type(error).__name__}: {error}".replace("\n", "\n# "),
            f"# at {file}:{line}",
        ]
        for number in range(max(1, line - 3), line + 4):
            source = linecache.getline(file, number).rstrip()
            if source:
                lines.append(f"# {'>>>' if number == line else '   '} {number:5d} {source}")
        lines.append("# What was recorded until then:")
        for row in text.splitlines():
            lines.append(row + ("  <<< this line" if row.endswith(marked) else ""))
        path = os.path.join(self._folder, "analyze_fail.ir")
        try:
            os.makedirs(self._folder, exist_ok=True)
            with open(path, "w", encoding="utf-8") as file_:
                file_.write("\n".join(lines) + "\n")
        except OSError as problem:
            logger.warning("The graph cannot be written to '%s': %s.", path, problem)


def _users_line(error: BaseException) -> tuple[str, int]:
    """The innermost line outside the package that an error went through."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found = ("unknown", 0)
    for frame, line in traceback.walk_tb(error.__traceback__):
        if not frame.f_code.co_filename.startswith(package):
            found = (frame.f_code.co_filename, line)
    return found


def write_failure(name: str, session, error: BaseException) -> None:
    """Tells of a compilation that failed, if graphs are written at all."""
    if _active is not None:
        _active.write_failure(name, session.text(), error)


_active: GraphFiles | None = None


def set_save_graphs(level: int, folder: str) -> None:
    """Starts or, with level 0, stops writing graphs."""
    level = int(os.environ.get("MS_DEV_SAVE_GRAPHS", level))
    folder = os.environ.get("MS_DEV_SAVE_GRAPHS_PATH", folder)
    global _active
    _active = GraphFiles(folder, level) if level > 0 else None
    _c.set_graph_watcher(_active)
