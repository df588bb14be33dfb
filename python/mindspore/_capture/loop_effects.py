# SPDX-License-Identifier: Apache-2.0
"""What functions change besides tensors: a loop whose turns do so cannot be recorded by one turn."""

from __future__ import annotations

import collections
import contextlib
import dis
import types
from collections.abc import Callable

from mindspore import _c_expression as _c
from mindspore._capture.code import codes_inside
from mindspore.common.tensor import Tensor

_CONTAINERS = (list, dict, set, collections.deque)
_OUTSIDE = frozenset(("STORE_GLOBAL", "STORE_ATTR", "DELETE_GLOBAL", "DELETE_ATTR"))


def require_no_assignments(functions: tuple[Callable, ...]) -> None:
    """`Declined` if code of the functions assigns attributes or globals."""
    for function in functions:
        for code in (function.__code__, *codes_inside(function.__code__)):
            found = next((step for step in dis.get_instructions(code) if step.opname in _OUTSIDE), None)
            if found is not None:
                raise _c.Declined(f"assigns '{found.argval}'")


@contextlib.contextmanager
def unchanged(functions: tuple[Callable, ...]):
    """`Declined`, after everything is as it was, if the functions change a variable around them, or a list or
    the like that they name."""
    before = [_Held(*place) for function in functions for place in _places(function)]
    try:
        yield
    finally:
        changed = [held for held in before if held.is_changed()]
        for held in changed:
            held.restore()
    if changed:
        raise _c.Declined(f"changes '{changed[0].name}'")


@contextlib.contextmanager
def unwritten(tensors: list[Tensor]):
    """`Declined` if something is written into tensors: that would have to reach those they stand for."""
    before = [_c.memory_state(tensor) for tensor in tensors]
    yield
    if [_c.memory_state(tensor) for tensor in tensors] != before:
        raise _c.Declined("writes into a value that it is given")


def _places(function: Callable):
    """(name, variable around the function or None, what it holds)."""
    code = function.__code__
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # it has no value yet
            yield name, cell, cell.cell_contents
    for name in code.co_names:
        value = function.__globals__.get(name)
        if isinstance(value, _CONTAINERS):
            yield name, None, value


class _Held:
    """A variable, and the content of a list or the like that it holds."""

    def __init__(self, name: str, cell: types.CellType | None, value):
        self.name, self._cell, self._value = name, cell, value
        self._content = value.copy() if type(value) in _CONTAINERS else None

    def is_changed(self) -> bool:
        if self._cell is not None and self._cell.cell_contents is not self._value:
            return True
        return self._content is not None and _members(self._value) != _members(self._content)

    def restore(self) -> None:
        if self._cell is not None:
            self._cell.cell_contents = self._value
        if isinstance(self._value, (dict, set)):
            self._value.clear()
            self._value.update(self._content)
        elif self._content is not None:
            self._value.clear()
            self._value.extend(self._content)


def _members(container) -> list[int]:
    """What a container holds, object by object."""
    parts = [*container.items()] if isinstance(container, dict) else [*container]
    return [id(part) for one in parts for part in (one if isinstance(container, dict) else (one,))]
