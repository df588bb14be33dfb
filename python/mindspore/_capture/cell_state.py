# SPDX-License-Identifier: Apache-2.0
"""A Cell's fields as they were when a function that uses it was captured."""

from __future__ import annotations

import operator
import weakref

from mindspore._c_expression import is_same_value as same

ATOMS = (int, float, complex, str, bytes, bool, type(None), type(Ellipsis), range, slice)
# What a call itself may set, and what is compared by content.
VOLATILE = ("_cell_ready", "_names_checked", "_captured", "_create_time")
TABLES = ("_params", "_cells", "_flags", "_jit_config_dict", "_params_of_lists")
_OWN = frozenset((*VOLATILE, *TABLES, "_cell_hooks"))
_MISSING = object()


def same_parts(now, before) -> bool:
    """Whether values are still what they were."""
    return len(now) == len(before) and all(map(same, now, before))


def state_of(tensor) -> dict:
    """What a compiled function relies on of a Parameter, or of another tensor, besides its value."""
    return dict(tensor.__dict__)


_SHOWN = {"_requires_grad": "requires_grad", "_memory": "the shape", "_name": "the name"}


def change_since(tensor, before: dict) -> str | None:
    """What of a tensor is not what it was, for people; None: everything is."""
    now = tensor.__dict__
    if len(now) == len(before) and all(map(operator.is_, now.values(), before.values())):
        return None
    for name in (*before, *now):
        if not same(now.get(name, _MISSING), before.get(name, _MISSING)):
            what = _SHOWN.get(name, f"the attribute '{name}'")
            return f"{what} of {now.get('_name', 'a tensor')}"
    return None


def is_cell(value) -> bool:
    """Whether something is a Cell, or will be one when its constructor has run."""
    return hasattr(value, "_cells") and hasattr(value, "construct")


class CellState:
    """What a Cell consists of.

    Args:
        cell (Cell): The cell.
        skipped (set): Names of fields that may change.
    """

    __slots__ = ("_fields", "_flat", "_hooks", "_cell", "_parameters", "_skipped", "_tables")

    def __init__(self, cell, skipped):
        # The cell holds what is compiled for it, and that must not hold the cell.
        self._cell, self._skipped = weakref.ref(cell), _OWN.union(skipped)
        fields = cell.__dict__
        self._fields = {name: value for name, value in fields.items() if name not in self._skipped}
        self._tables = [(name, tuple(fields.get(name, {}).items())) for name in TABLES]
        self._parameters = [(p, state_of(p)) for p in fields.get("_params", {}).values() if p is not None]
        self._hooks = self._hooks_now()
        self._flat = self._flat_now()

    @property
    def cell(self):
        """The cell, or None when nobody uses it any more."""
        return self._cell()

    def fields(self):
        """Names and values of ordinary fields, as they were."""
        return self._fields.items()

    def _flat_now(self) -> list:
        """Everything in one list, to see quickly that nothing has changed."""
        fields = self.cell.__dict__
        flat = [*fields, *fields.values()]
        if "_captured" in fields:
            flat[len(fields) + flat.index("_captured")] = None  # it holds us
        for name in TABLES:
            flat += fields.get(name, {}).values()
        for table in fields.get("_cell_hooks", {}).values():
            flat += table.values()
        for parameter, _ in self._parameters:
            flat += parameter.__dict__.values()
        return flat

    def _hooks_now(self) -> list:
        return [(kind, *table.values()) for kind, table in self.cell.__dict__.get("_cell_hooks", {}).items()]

    def changed_fields(self) -> list[str]:
        """Names of ordinary fields that are not what they were."""
        fields = self.cell.__dict__
        changed = [
            name for name, before in self._fields.items() if not same(fields.get(name, _MISSING), before)
        ]
        if len(fields) - sum(name in fields for name in self._skipped) != len(self._fields):
            changed += [name for name in fields if name not in self._fields and name not in self._skipped]
        return changed

    def changed_part(self) -> str | None:
        """What else is not what it was: parameters, cells, flags, hooks."""
        fields = self.cell.__dict__
        for parameter, before in self._parameters:
            change = change_since(parameter, before)
            if change is not None:
                return change
        for name, before in self._tables:
            table = fields.get(name, {})
            if len(table) != len(before):
                return name
            for (key, value), (old_key, old) in zip(table.items(), before, strict=True):
                if key != old_key or not same(value, old):
                    return str(key)
        return "the hooks" if self._hooks_now() != self._hooks else None

    def holds(self) -> bool:
        """Whether everything is as it was."""
        if self.cell is None:
            return False
        flat = self._flat_now()
        if len(flat) == len(self._flat) and all(map(operator.is_, flat, self._flat)):
            return True
        if self.changed_fields() or self.changed_part() is not None:
            return False
        self._flat = flat
        return True


class Standing:
    """Cells, Parameters and settings that the ways of one kind of call rely on.

    Args:
        settings (Callable): Gives all settings of the process.
    """

    __slots__ = ("_asked", "_cells", "_parameters", "_settings")

    def __init__(self, settings):
        self._settings, self._asked = settings, None
        self._cells: dict[int, CellState] = {}
        self._parameters: dict[int, tuple] = {}  # and what was compared of them

    def add(self, cells: list, parameters: list, asked: tuple | None) -> None:
        """Another way relies on these too; what is known already is as it was."""
        for state in cells:
            known = self._cells.get(id(state.cell))
            if known is None or known.cell is not state.cell:
                self._cells[id(state.cell)] = state
        for parameter, before in parameters:
            self._parameters.setdefault(id(parameter), (parameter, before))
        self._asked = self._asked or asked

    def __call__(self) -> bool:
        return (
            all(state.holds() for state in self._cells.values())
            and (self._asked is None or self._asked == self._settings())
            and all(change_since(tensor, before) is None for tensor, before in self._parameters.values())
        )
