# SPDX-License-Identifier: Apache-2.0
"""What a captured function uses besides its arguments: cells, globals, closures, containers, objects.

Found by watching which code runs. Each find becomes a guard of the trace, and something that has changed by the
time the function returns means that the function has effects a replay would not repeat.
"""

from __future__ import annotations

import gc
import os
import random
import sys
import sysconfig
import types

import numpy as np

from mindspore._c_expression import Tensor

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_FOREIGN = tuple({sysconfig.get_paths()["stdlib"] + os.sep, os.path.dirname(np.__file__) + os.sep, "<frozen"})
_ENTRY, _CELL, _SEQUENCE, _MAPPING, _SET = range(5)
_ATOMS = (int, float, complex, str, bytes, bool, type(None), type(Ellipsis), range, slice)
_OPAQUE = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    type,
    types.ModuleType,
    types.CodeType,
    Tensor,
    np.ndarray,
    np.generic,
)
_DEPTH = 4
_MOST_OBJECTS = 4000
_UNSTEADY_MODULES = ("time", "_random", "random", "secrets", "uuid", "_io", "io", "posix", "_datetime")
_UNSTEADY_TYPES = (random.Random, np.random.RandomState, np.random.Generator)
# Of a Cell's fields: what a call itself may set, and what is compared by content.
_VOLATILE = {"_ready", "_checked", "_captured", "_create_time"}
_TABLES = ("_params", "_cells", "_hooks", "_flags", "_jit_config_dict", "_params_of_lists")


class _Code:
    """Kinds of code objects, decided once."""

    LIBRARY, CONSTRUCT, USER = range(3)
    known: dict = {}

    @classmethod
    def kind(cls, code) -> int:
        found = cls.known.get(code)
        if found is None:
            file = code.co_filename
            if file.startswith(_PACKAGE):
                found = cls.CONSTRUCT if code.co_name == "construct" else cls.LIBRARY
            else:
                found = cls.LIBRARY if file.startswith(_FOREIGN) and "site-packages" not in file else cls.USER
            cls.known[code] = found
        return found


def _same(now, before) -> bool:
    return now is before or (type(now) is type(before) and isinstance(now, _ATOMS) and now == before)


class _CellState:
    """A Cell's fields as they were."""

    __slots__ = ("cell", "fields", "tables", "trainable")

    def __init__(self, cell):
        self.cell = cell
        self.fields, self.tables, self.trainable = self._now()

    def _now(self):
        fields = self.cell.__dict__
        plain = {k: v for k, v in fields.items() if k not in _VOLATILE and k not in _TABLES}
        tables = [list(fields.get(name, {}).items()) for name in _TABLES]
        trainable = [p.requires_grad for p in fields.get("_params", {}).values() if p is not None]
        return plain, tables, trainable

    def difference(self) -> str | None:
        """Name of a field that is not what it was."""
        fields, tables, trainable = self._now()
        if trainable != self.trainable:
            return "requires_grad"
        for name, value in fields.items():
            if name not in self.fields or not _same(value, self.fields[name]):
                return name
        if len(fields) != len(self.fields):
            return next(name for name in self.fields if name not in fields)
        for name, now, before in zip(_TABLES, tables, self.tables, strict=True):
            if len(now) != len(before):
                return name
            for (key, value), (old_key, old) in zip(now, before, strict=True):
                if key != old_key or not _same(value, old):
                    return key if isinstance(key, str) else name
        return None


class Surroundings:
    """Watches one run of a function; a context manager."""

    def __init__(self, session, function, roots: tuple, arguments):
        self._session = session
        self._codes: set = set()
        self._seen: dict = {}  # id -> object, kept alive so that ids stay theirs
        self._cells: list[_CellState] = []
        self._contents: list = []  # (kind, holder, copy, what)
        self._problem: str | None = None
        self._before = None
        for root in roots:
            self._watch(root() if isinstance(root, type(_weak(self))) else root, _DEPTH, "the cell")
        self._watch_function(function)
        self._watch(list(arguments[0]), _DEPTH, "an argument", guard=False)
        self._watch(list(arguments[1].values()), _DEPTH, "an argument", guard=False)

    def __enter__(self) -> Surroundings:
        self._before = sys.getprofile()
        sys.setprofile(self._event)
        return self

    def __exit__(self, *exception) -> None:
        sys.setprofile(self._before)

    # ---- while it runs ------------------------------------------------------------------------

    def _event(self, frame, event: str, function) -> None:
        if event == "call":
            code = frame.f_code
            kind = _Code.kind(code)
            if kind == _Code.LIBRARY:
                return
            if kind == _Code.CONSTRUCT or code.co_name in ("construct", "__call__"):
                owner = frame.f_locals.get("self")
                if hasattr(owner, "_cells"):
                    self._watch_cell(owner, 1)
            if kind == _Code.USER and code not in self._codes:
                self._codes.add(code)
                self._watch_code(code, frame.f_globals)
        elif event == "c_call" and self._problem is None:
            owner = getattr(function, "__self__", None)
            unsteady = getattr(function, "__module__", None) in _UNSTEADY_MODULES or isinstance(
                owner, _UNSTEADY_TYPES
            )
            if unsteady and self._is_users(frame):
                name = getattr(function, "__qualname__", str(function))
                self._problem = (
                    f"it calls {name}, whose result differs from call to call ({_position(frame)})"
                )

    @staticmethod
    def _is_users(frame) -> bool:
        """Whether the call was made by the user's code, directly or through a library other than ours."""
        while frame is not None:
            if frame.f_code.co_filename.startswith(_PACKAGE):
                return "initializer" in frame.f_code.co_filename
            if _Code.kind(frame.f_code) == _Code.USER:
                return True
            frame = frame.f_back
        return False

    # ---- what there is ------------------------------------------------------------------------

    def _watch_function(self, function) -> None:
        function = getattr(function, "__wrapped__", function)
        if isinstance(function, types.MethodType):
            self._watch(function.__self__, _DEPTH, "the object")
            function = function.__func__
        if isinstance(function, types.FunctionType) and _Code.kind(function.__code__) == _Code.USER:
            self._codes.add(function.__code__)
            self._watch_names(function.__code__, function.__globals__)
            self._watch_closure(function)

    def _watch_code(self, code, namespace: dict) -> None:
        self._watch_names(code, namespace)
        if code.co_freevars:
            for function in gc.get_referrers(code):
                if isinstance(function, types.FunctionType) and function.__code__ is code:
                    self._watch_closure(function)

    def _watch_names(self, code, namespace: dict) -> None:
        for name in code.co_names:
            if name not in namespace:
                continue
            value = namespace[name]
            self._guard(_ENTRY, namespace, name, value)
            if isinstance(value, types.ModuleType):
                self._watch_module(value, code)
            else:
                self._watch(value, _DEPTH, f"the global '{name}'")

    def _watch_module(self, module, code) -> None:
        file = getattr(module, "__file__", None) or ""
        if not file or file.startswith(_PACKAGE) or file.startswith(_FOREIGN):
            return
        fields = vars(module)
        for name in code.co_names:
            if name in fields and not isinstance(fields[name], types.ModuleType):
                self._guard(_ENTRY, fields, name, fields[name])
                self._watch(fields[name], 1, f"'{module.__name__}.{name}'")

    def _watch_closure(self, function) -> None:
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
            if id(cell) in self._seen:
                continue
            self._seen[id(cell)] = cell
            try:
                value = cell.cell_contents
            except ValueError:
                continue  # not assigned yet
            if id(value) in self._local_ids():
                continue
            self._guard(_CELL, cell, None, value)
            self._watch(value, _DEPTH, f"the variable '{name}'")

    def _local_ids(self) -> tuple:
        return ()

    def _watch(self, value, depth: int, what: str, guard: bool = True) -> None:
        if isinstance(value, _ATOMS) or id(value) in self._seen:
            return
        if isinstance(value, Tensor):
            if hasattr(value, "requires_grad"):
                self._session.watch(value)
            return
        if isinstance(value, (types.FunctionType, types.MethodType)):
            if depth > 0:
                self._seen[id(value)] = value
                self._watch_function(value)
            return
        if isinstance(value, _OPAQUE) or depth <= 0:
            return
        if len(self._seen) > _MOST_OBJECTS:
            return
        self._seen[id(value)] = value
        if hasattr(value, "_cells") and hasattr(value, "construct"):
            self._watch_tree(value, depth)
        elif type(value) is tuple or type(value) is list:
            if type(value) is list and guard:
                self._content(_SEQUENCE, value, tuple(value), what)
            for part in value:
                self._watch(part, depth - 1, what)
        elif isinstance(value, dict):
            if guard:
                self._content(_MAPPING, value, dict(value), what)
            for part in list(value.values()):
                self._watch(part, depth - 1, what)
        elif isinstance(value, (set, frozenset)):
            if type(value) is set and guard:
                self._content(_SET, value, frozenset(value), what)
        else:
            self._watch_object(value, depth, what)

    def _watch_object(self, value, depth: int, what: str) -> None:
        fields = getattr(value, "__dict__", None)
        module = getattr(type(value), "__module__", "")
        if type(fields) is not dict or module.split(".")[0] in (
            "mindspore",
            "numpy",
            "builtins",
            "threading",
        ):
            return
        self._content(_MAPPING, fields, dict(fields), what)
        for part in list(fields.values()):
            self._watch(part, depth - 1, what)

    def _watch_tree(self, cell, depth: int) -> None:
        for _, each in cell.cells_and_names():
            self._watch_cell(each, depth)

    def _watch_cell(self, cell, depth: int) -> None:
        if any(state.cell is cell for state in self._cells[-1:]) or ("cell", id(cell)) in self._seen:
            return
        self._seen["cell", id(cell)] = cell
        self._cells.append(_CellState(cell))
        fields = cell.__dict__
        for parameter in fields.get("_params", {}).values():
            if parameter is not None and parameter._has_data():
                self._session.watch(parameter)
        for name, value in list(fields.items()):
            if name not in _TABLES and name not in _VOLATILE:
                self._watch(value, depth - 1, f"'self.{name}'")

    def _guard(self, kind: int, holder, key, value) -> None:
        self._session.add_guard(kind, holder, key, value)
        self._contents.append((kind, holder, key, value, f"'{key}'" if key else "a variable"))

    def _content(self, kind: int, holder, copy, what: str) -> None:
        self._session.add_guard(kind, holder, None, copy)
        self._contents.append((kind, holder, None, copy, what))

    # ---- when it is over ----------------------------------------------------------------------

    def _changed(self) -> str | None:
        for kind, holder, key, expected, what in self._contents:
            if kind == _ENTRY:
                same = _same(holder.get(key), expected)
            elif kind == _CELL:
                same = _same(holder.cell_contents, expected)
            elif kind == _SEQUENCE:
                same = len(holder) == len(expected) and all(map(_same, holder, expected))
            elif kind == _MAPPING:
                same = len(holder) == len(expected) and all(
                    key in holder and _same(holder[key], value) for key, value in expected.items()
                )
            else:
                same = holder == expected
            if not same:
                return what
        for state in self._cells:
            name = state.difference()
            if name is not None:
                return f"the attribute '{name}' of {type(state.cell).__name__}"
        return None

    def settle(self) -> None:
        """Hands the guards over; refuses the trace when a replay would not do what this run did."""
        problem = self._problem
        if problem is None:
            changed = self._changed()
            problem = f"it changes {changed}, which a compiled function would not repeat" if changed else None
        if problem is not None:
            self._session.refuse(problem)
        states = self._cells
        self._session.set_verify(lambda: all(state.difference() is None for state in states))


def _weak(target):
    import weakref

    return weakref.ref(target)


def _position(frame) -> str:
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else "?"
