# SPDX-License-Identifier: Apache-2.0
"""Which Cell is running while a function is recorded: nodes of the graph bear its path."""

from __future__ import annotations

import sys
import weakref

from mindspore import _c_expression as _c
from mindspore import context
from mindspore._capture.code import owner_of

_ROOT = "Default"


class CellPaths:
    """Tells this thread's recorder which Cell is running, e.g. ``Default/network-LeNet5/conv1-Conv2d``.

    A context manager, for runs that nobody else watches.

    Args:
        roots (tuple): Objects the recorded function is known to use. The Cell among them, by weak reference,
            is the one whose path is ``Default``.
    """

    def __init__(self, roots: tuple):
        from mindspore.nn.cell import Cell

        self._cell_class = Cell
        self._root = next((root() for root in roots if isinstance(root, weakref.ref)), None)
        self._has_classes = context._values["reserve_class_name_in_scope"]
        self._paths: dict[int, tuple[Cell, str]] = {}  # by id
        self._running: list[tuple] = []  # (frame, cell, path, number to leave it with)
        self.frame = None  # the innermost of these

    def enter(self, frame, cell) -> None:
        """A method of a Cell begins to run.

        Args:
            frame (FrameType): Its frame.
            cell (Cell): The cell.
        """
        running = self._running
        if running and running[-1][1] is cell:
            return
        known = self._paths.get(id(cell))
        path = known[1] if known is not None and known[0] is cell else self._new_path(cell)
        running.append((frame, cell, path, _c.enter_cell(path, cell._recorded_phase)))
        self.frame = frame

    def leave(self) -> None:
        """The method in `frame` has ended."""
        running = self._running
        _c.leave_cell(running.pop()[3])
        self.frame = running[-1][0] if running else None

    def close(self) -> None:
        """The run is over, whatever it has left open."""
        if self._running:
            _c.leave_cell(self._running[0][3])
        self._running, self.frame = [], None

    def _new_path(self, cell) -> str:
        if isinstance(self._root, self._cell_class):
            self._note(self._root, _ROOT)
            self._root = None
            return self._paths[id(cell)][1] if id(cell) in self._paths else self._new_path(cell)
        # Of no cell that is known: it belongs where it is called.
        around = self._running[-1][2] if self._running else _ROOT
        self._note(cell, f"{around}/{type(cell).__name__}")
        return self._paths[id(cell)][1]

    def _note(self, cell, path: str) -> None:
        """Gives a cell and those inside it, unless they have one already, their paths."""
        self._paths[id(cell)] = (cell, path)
        for name, child in cell.__dict__.get("_cells", {}).items():
            if child is not None and id(child) not in self._paths:
                last = f"{name}-{type(child).__name__}" if self._has_classes else name
                self._note(child, f"{path}/{last}")

    def __enter__(self) -> CellPaths:
        self._profiles = sys.getprofile() is None  # else somebody does, who is not to be disturbed
        if self._profiles:
            sys.setprofile(self._event)
        return self

    def __exit__(self, *exception) -> None:
        if self._profiles:
            sys.setprofile(None)
        self.close()

    def _event(self, frame, event: str, _) -> None:
        if event == "return":
            if frame is self.frame:
                self.leave()
        elif event == "call" and frame.f_code.co_name == "construct":
            owner = owner_of(frame)
            if isinstance(owner, self._cell_class):
                self.enter(frame, owner)
