# SPDX-License-Identifier: Apache-2.0
"""What a captured function uses besides its arguments: cells, globals, closures, containers, objects.

Found by watching which code runs and following what it can reach. Each find becomes a guard of the trace, and
what has changed by the time the function returns is an effect that a replay has to repeat.
"""

from __future__ import annotations

import array
import builtins
import collections
import collections.abc
import contextvars
import functools
import gc
import random
import sys
import threading
import types
import weakref
from typing import NamedTuple

import numpy as np

from mindspore._c_expression import Tensor
from mindspore._capture import code as codes
from mindspore._capture.cell_state import ATOMS, TABLES, VOLATILE, CellState, Standing, is_cell, state_of
from mindspore._capture.kept import MISSING, Place, can_be_kept
from mindspore._capture.names import Names
from mindspore._capture.questions import (
    CELL,
    CLASS,
    ENTRY,
    MAPPING,
    NOTED,
    QUESTION,
    SEQUENCE,
    SET,
    TYPE,
    array_question,
    changed_keys,
    fields_question,
    is_unchanged,
    names_of_slots,
    numpy_random,
    queue_question,
    settings,
    slots_question,
    variable_question,
)

_MOST_OBJECTS = 200_000
_MOST_BYTES_READ = 256  # of a tensor; Python cannot read more without ending the capture
_UNSTEADY_MODULES = frozenset(
    ("time", "_random", "random", "secrets", "uuid", "_io", "io", "posix", "datetime", "_warnings")
)
_UNSTEADY_TYPES = (random.Random, np.random.RandomState, np.random.Generator)
_MADE_IN_PYTHON = 1 << 9  # flag of classes that can be changed
_STEADY = (*ATOMS, types.BuiltinFunctionType, types.CodeType, np.generic)


def _is_unsteady(function) -> bool:
    """Whether a function written in C has effects, or does not depend on its arguments alone."""
    module = getattr(function, "__module__", None)
    if isinstance(module, str) and module in _UNSTEADY_MODULES:
        return True
    owner = getattr(function, "__self__", None)
    if owner is None or isinstance(owner, types.ModuleType):
        return False
    cls = owner if isinstance(owner, type) else type(owner)
    return cls.__module__ in _UNSTEADY_MODULES or isinstance(owner, _UNSTEADY_TYPES)


class Effects(NamedTuple):
    """What a run has done outside the function."""

    written: list  # places that a replay has to write too
    problem: str | None  # why a replay could not do the same
    passing: str | None  # the same, but another run may find things as this one left them


class Surroundings(Names):
    """Watches one run of a function; a context manager.

    Args:
        session (CaptureSession): Takes the guards.
        places (list[Place]): What the function is known to write; no guards are made for these.
    """

    def __init__(self, session, places: list[Place]):
        from mindspore.nn.cell import Cell

        self._session = session
        self._places = places
        self._run: set = set()  # code that has run
        self._made_inside: set = set()  # code of functions that it makes
        self._functions: dict = {}  # code -> functions that can be reached from outside
        # id -> object, kept alive so that ids stay theirs
        self._seen: dict = {id(vars(builtins)): vars(builtins)}
        self._cells: list[CellState] = []
        self._parameters: list = []
        self._contents: list = []  # (kind, holder, key, expected, what)
        self._modules: list = []  # met as values, or imported by the function
        self._to_import: list = []  # (module's name, code): it is imported while the function runs
        self._settings: tuple | None = None  # those of the process, if it asks for any
        self._problem: str | None = None
        self._before = None
        self._started = Cell()._create_time
        self._numpy_random = numpy_random()
        self._cell_class = Cell

    def __enter__(self) -> Surroundings:
        self._before = sys.getprofile()
        # What a collection calls back is not part of the function.
        self._collects = gc.isenabled()
        gc.disable()
        sys.setprofile(self._event)
        return self

    def __exit__(self, *exception) -> None:
        if self._collects:
            gc.enable()
        if self._before is None or callable(self._before):
            sys.setprofile(self._before)
        else:  # a cProfile.Profile, which sets itself
            sys.setprofile(None)
            self._before.enable()

    # ---- while it runs ------------------------------------------------------------------------

    def _event(self, frame, event: str, function) -> None:
        if event == "call":
            code = frame.f_code
            kind = codes.kind_of(code)
            if kind == codes.LIBRARY:
                return
            if kind == codes.CONSTRUCT or code.co_name in ("construct", "__call__"):
                owner = frame.f_locals.get("self")
                if isinstance(owner, self._cell_class):
                    self._watch_cell(owner)
            if kind == codes.USER and code not in self._run:
                self._enter_code(code, frame.f_globals)
            elif kind == codes.SETTING:
                self._settings = self._settings or settings()
            elif kind == codes.EFFECT:
                where = codes.position_of(frame)
                self._problem = self._problem or f"it calls {code.co_name} ({where})"
        elif event == "c_call" and self._problem is None:
            if _is_unsteady(function) and self._is_users(frame):
                name = getattr(function, "__qualname__", str(function))
                where = codes.position_of(frame)
                self._problem = f"it calls {name}, whose result differs from call to call ({where})"

    @staticmethod
    def _is_users(frame) -> bool:
        """Whether the call was made by the user's code, directly or through a library other than ours."""
        while frame is not None:
            if frame.f_code.co_filename.startswith(codes.PACKAGE):
                return "initializer" in frame.f_code.co_filename
            if codes.kind_of(frame.f_code) == codes.USER:
                return True
            frame = frame.f_back
        return False

    def _enter_code(self, code, namespace: dict) -> None:
        self._run.add(code)
        self._made_inside |= codes.codes_inside(code)
        self._watch_names(code, namespace)
        for module in tuple(self._modules):
            self._watch_module(module, code)
        self._watch_imports(code, namespace)
        known = self._functions.get(code)
        if known is None and code.co_freevars and code not in self._made_inside:
            known = [
                each
                for each in gc.get_referrers(code)
                if isinstance(each, types.FunctionType) and each.__code__ is code
            ]
        for function in known or ():
            self._watch_function(function)

    # ---- values -------------------------------------------------------------------------------

    def reach_argument(self, value) -> None:
        """An argument; the containers among them are compared with every call anyway."""
        if isinstance(value, (tuple, list)):
            for part in value:
                self.reach_argument(part)
        elif isinstance(value, dict):
            for part in value.values():
                self.reach_argument(part)
        elif not isinstance(value, Tensor) or hasattr(value, "param_info"):
            self.reach(value, "an argument")

    def reach(self, value, what: str) -> None:
        """Something that the function can get at."""
        if value is MISSING or id(value) in self._seen:
            return
        if isinstance(value, _STEADY):
            if type(value) not in _STEADY:
                self._reach_fields(value, what)
            return
        if isinstance(value, Tensor):
            self._reach_tensor(value)
            return
        if len(self._seen) > _MOST_OBJECTS:
            self._problem = self._problem or f"it can reach more than {_MOST_OBJECTS} objects"
            return
        self._seen[id(value)] = value
        if isinstance(value, types.FunctionType):
            self._reach_function(value, what)
        elif isinstance(value, types.MethodType):
            self.reach(value.__self__, what)
            self.reach(value.__func__, what)
        elif isinstance(value, type):
            self._reach_class(value)
        elif isinstance(value, functools._lru_cache_wrapper):
            self._reach_cached(value, what)
        elif isinstance(value, functools.partial):
            self.reach(value.func, what)
            self._reach_parts(value.args, what)
            self.reach(value.keywords, what)
        elif isinstance(value, self._cell_class):
            for _, each in value.cells_and_names():
                self._watch_cell(each)
        elif isinstance(value, types.ModuleType):
            self._meet_module(value)
        else:
            self._reach_other(value, what)

    def _reach_tensor(self, value: Tensor) -> None:
        for name, part in value.__dict__.items() if ("fields", id(value)) not in self._seen else ():
            self._seen["fields", id(value)] = value
            if not name.startswith("_"):
                self._guard(ENTRY, value.__dict__, name, part, f"the attribute '{name}' of a tensor")
                self.reach(part, f"the attribute '{name}' of a tensor")
        if hasattr(value, "param_info"):
            if value._has_data():
                self._session.watch(value, value.name)
            self._parameters.append((value, state_of(value)))
        elif value._has_data() and value.nbytes <= _MOST_BYTES_READ and value.is_contiguous():
            self._session.watch(value)

    def _reach_parts(self, parts, what: str) -> None:
        for part in parts:
            self.reach(part, what)

    def _reach_fields(self, value, what: str) -> None:
        """Attributes that an object of a class derived from a number, a text or a container may have."""
        fields = getattr(value, "__dict__", None)
        if type(fields) is dict and fields is not value and fields:
            self._seen[id(value)] = value
            self._watch_mapping(fields, f"an attribute of {what}")

    def _reach_other(self, value, what: str) -> None:
        if isinstance(value, (tuple, list, dict, set, frozenset)):
            self._reach_fields(value, what)
        if isinstance(value, tuple):
            self._reach_parts(value, what)
        elif isinstance(value, list):
            self._guard(SEQUENCE, value, None, tuple(value), what)
            self._reach_parts(value, what)
        elif isinstance(value, dict):
            self._watch_mapping(value, what)
        elif isinstance(value, (set, frozenset)):
            if type(value) is set:
                self._guard(SET, value, None, frozenset(value), what)
            self._reach_parts(value, what)
        elif isinstance(value, np.ndarray):
            self._ask(array_question(value), what, value)
        elif isinstance(value, (bytearray, array.array)):
            self._ask(array_question(np.frombuffer(value, np.uint8)), what, value)
        elif isinstance(value, weakref.ref):
            self.reach(value(), what)
        elif isinstance(value, collections.deque):
            self._ask(queue_question(value), what, value)
            self._reach_parts(value, what)
        elif isinstance(value, threading.local):
            self._ask(fields_question(value), f"an attribute of {what}", value)
            self._reach_parts(list(vars(value).values()), what)
        elif isinstance(value, threading.Event):
            self._ask(value.is_set if value.is_set() else lambda: not value.is_set(), what, value)
        elif isinstance(value, contextvars.ContextVar):
            self._ask(variable_question(value), what, value)
            self.reach(value.get(MISSING), what)
        elif hasattr(type(value), "__next__"):
            self._problem = self._problem or f"it uses {what}, an iterator that can be used up only once"
        elif isinstance(value, _UNSTEADY_TYPES):
            self._problem = self._problem or f"it uses {what}, which gives other numbers in every call"
        else:
            self._reach_object(value, what)

    def _watch_mapping(self, value: dict, what: str) -> None:
        kept = [place for place in self._places if place.holder is value]
        if kept:
            for key, part in list(value.items()):
                if not any(place.key == key for place in kept):
                    self._guard(ENTRY, value, key, part, what)
        else:
            self._guard(MAPPING, value, None, dict(value), what)
        self._reach_parts(list(value.values()), what)

    def _reach_object(self, value, what: str) -> None:
        cls = type(value)
        if not codes.holds_state(cls):
            return
        self._reach_class(cls)
        self._session.add_guard(TYPE, value, None, cls)
        fields = getattr(value, "__dict__", None)
        if type(fields) is dict:
            self._watch_mapping(fields, f"an attribute of {what}")
        names = [name for each in cls.__mro__ for name in names_of_slots(each) if not name.startswith("__")]
        if names:
            self._ask(slots_question(value, names), f"an attribute of {what}", value)
            self._reach_parts([getattr(value, name, None) for name in names], what)

    def _reach_class(self, cls: type) -> None:
        if type(cls) is not type and codes.is_users_class(type(cls)):
            self._reach_class(type(cls))
        for each in cls.__mro__:
            if ("class", each) in self._seen or not each.__flags__ & _MADE_IN_PYTHON:
                continue
            self._seen["class", each] = each
            file = getattr(sys.modules.get(each.__module__), "__file__", None) or ""
            is_ours = file.startswith(codes.PACKAGE)
            if file.startswith(codes.FOREIGN) and not is_ours and "site-packages" not in file:
                continue
            fields = gc.get_referents(each.__dict__)[0]  # the dict itself: what the class shows is a stand-in
            what, content = f"the class '{each.__name__}'", dict(fields)
            self._session.add_guard(CLASS, each, fields, content)
            if is_ours:
                continue
            self._contents.append((MAPPING, fields, each, content, what))
            for value in list(fields.values()):
                if isinstance(value, property):
                    self._reach_parts((value.fget, value.fset), what)
                elif isinstance(value, (staticmethod, classmethod)):
                    self.reach(value.__func__, what)
                elif not isinstance(value, (types.GetSetDescriptorType, types.MemberDescriptorType)):
                    self.reach(value, what)

    def _watch_cell(self, cell) -> None:
        if ("cell", id(cell)) in self._seen or not is_cell(cell) or cell._create_time > self._started:
            return
        self._seen["cell", id(cell)] = cell
        fields = cell.__dict__
        for name in (None, "_cells", "_params"):
            self._session.add_guard(NOTED, weakref.ref(cell), name, None)
        kept = {place.key for place in self._places if place.holder is fields}
        self._cells.append(CellState(cell, kept))
        self._reach_class(type(cell))
        for parameter in fields.get("_params", {}).values():
            if parameter is not None and parameter._has_data():
                self._session.watch(parameter, parameter.name)
        for name, value in list(fields.items()):
            if name not in TABLES and name not in VOLATILE and name not in kept:
                self.reach(value, f"'self.{name}'")

    def _guard(self, kind: int, holder, key, value, what: str) -> None:
        if any(place.is_at(holder, key) for place in self._places):
            return
        if value is MISSING:
            self._session.add_guard(QUESTION, lambda: key not in holder, holder, key)
        else:
            self._session.add_guard(kind, holder, key, value)
        self._contents.append((kind, holder, key, value, what))

    def _ask(self, question, what: str, subject) -> None:
        self._session.add_guard(QUESTION, question, subject, None)
        self._contents.append((QUESTION, question, None, None, what))

    # ---- when it is over ----------------------------------------------------------------------

    def settle(self) -> Effects:
        """Hands the guards over; what the run has done that a replay must do too."""
        cells, parameters, asked = self._cells, self._parameters, self._settings
        for name, code in self._to_import:
            if name in sys.modules:
                self._watch_module(sys.modules[name], code)
        written: list[Place] = []
        problem, passing = self._problem, None
        if problem is None and numpy_random() != self._numpy_random:
            problem = "it draws random numbers from NumPy, which differ from call to call"
        for content in self._contents:
            if not is_unchanged(*content[:4]):
                problem = self._note_written(content, written) or problem
        for state in cells:
            kind = type(state.cell).__name__
            for name in state.changed_fields():
                written.append(Place(state.cell.__dict__, name, f"the attribute '{name}' of {kind}"))
            part = state.changed_part()
            passing = passing or (f"it changes {part} of {kind}" if part is not None else None)
        for parameter, before in parameters:
            if state_of(parameter) != before:
                passing = passing or f"it changes requires_grad or the shape of {parameter.name}"
        for place in written:
            place.is_counter = self._is_counter(place)
            place.where = self._line_of(place.key if isinstance(place.key, str) else place.what)
            if not can_be_kept(place.get()):
                problem = problem or (
                    f"it changes {place.what}, which a compiled function would not repeat{place.where}"
                )
        if not self._session.has_left:
            verify = self._session.verify or Standing(settings)
            verify.add(cells, parameters, asked)
            self._session.set_verify(verify)
        return Effects(written, problem, passing)

    def _line_of(self, what: str) -> str:
        """Where the code that has run assigns, or at least names, something."""
        name = what.rstrip("'").rpartition("'")[2].rpartition(".")[2]
        return codes.line_of(self._run, name, stores=True) or codes.line_of(self._run, name)

    def _is_counter(self, place: Place) -> bool:
        is_number = type(place.get()) in (int, float) and type(place.key) is str
        return is_number and all(codes.only_counts(code, place.key) for code in self._run)

    def has_named(self, name: str) -> bool:
        """Whether code of the user's that has run names something built in, `type` for instance."""
        return any(name in code.co_names for code in self._run)

    def looked_at_a_counter(self) -> bool:
        """Whether this run has done more with a counter than the runs before."""
        counters = [place for place in self._places if place.is_counter and not self._is_counter(place)]
        for place in counters:
            place.is_counter = False
        return bool(counters)

    def _note_written(self, content: tuple, written: list[Place]) -> str | None:
        kind, holder, key, expected, what = content
        if kind in (ENTRY, CELL):
            written.append(Place(holder, key, what))
        elif kind == MAPPING and key is None:
            written += [Place(holder, each, what) for each in changed_keys(holder, expected)]
        else:
            return f"it changes {what}, which a compiled function would not repeat{self._line_of(what)}"
        return None


def watch(session, function, roots: tuple, places: list[Place], arguments) -> Surroundings:
    """Surroundings of one run of a function.

    Args:
        session (CaptureSession): The run.
        function (Callable): What will be called.
        roots (tuple): Further objects it is known to use, or weak references to them.
        places (list[Place]): What it is known to write.
        arguments (Any): What it is called with.
    """
    found = Surroundings(session, places)
    for root in roots:
        found.reach(root() if isinstance(root, weakref.ref) else root, "the function")
    found.reach(function, "the function")
    found.reach_argument(arguments)
    return found
