# SPDX-License-Identifier: Apache-2.0
"""What a captured function uses besides its arguments: cells, globals, closures, containers, objects.

Found by watching which code runs and following what it can reach. Each find becomes a guard of the trace, and
what has changed by the time the function returns is an effect that a replay has to repeat.
"""

from __future__ import annotations

import builtins
import gc
import importlib
import os
import sys
import threading
import types
import weakref
from collections.abc import Iterator
from typing import NamedTuple

from mindspore._capture import code as codes
from mindspore._capture import flow
from mindspore._capture.cell_path import CellPaths
from mindspore._capture.cell_state import TABLES, VOLATILE, CellState, Standing, change_since, is_cell
from mindspore._capture.kept import MISSING, Place, can_be_kept
from mindspore._capture.loops.trial import check as check_in_trial
from mindspore._capture.numbers import NumberStandIn
from mindspore._capture.outside_numbers import Found, OutsideRun, is_number
from mindspore._capture.questions import (
    CELL,
    ENTRY,
    MAPPING,
    NOTED,
    QUESTION,
    changed_keys,
    has_order_of,
    is_unchanged,
    numpy_random,
    settings,
)
from mindspore._capture.values import UNSTEADY_TYPES, Opaque, Values

_UNSTEADY_MODULES = frozenset(
    ("time", "_random", "random", "secrets", "uuid", "_io", "io", "posix", "datetime", "_warnings")
)
_IMPORT = importlib._bootstrap._find_and_load.__code__
_READ_ENVIRONMENT = type(os.environ).__getitem__.__code__


_watching = threading.local()


def current() -> Surroundings | None:
    """Those of the run that is being watched on this thread."""
    return getattr(_watching, "surroundings", None)


def _is_unsteady(function) -> bool:
    """Whether a function written in C has effects, or does not depend on its arguments alone."""
    module = getattr(function, "__module__", None)
    if isinstance(module, str) and module in _UNSTEADY_MODULES:
        return True
    owner = getattr(function, "__self__", None)
    if owner is None or isinstance(owner, types.ModuleType):
        return False
    cls = owner if isinstance(owner, type) else type(owner)
    return cls.__module__ in _UNSTEADY_MODULES or isinstance(owner, UNSTEADY_TYPES)


class Effects(NamedTuple):
    """What a run has done outside the function."""

    written: list  # places that a replay has to write too
    problem: str | None  # why a replay could not do the same
    passing: str | None  # the same, but another run may find things as this one left them


class Surroundings(Values):
    """Watches one run of a function; a context manager.

    Args:
        session (CaptureSession): Takes the guards.
        places (list[Place]): What the function is known to write; no guards are made for these.
        numbers (Union[OutsideRun, None]): Numbers that are inputs of the graph; likewise.
        paths (CellPaths): Hears which cells run.
    """

    def __init__(self, session, places: list[Place], numbers: OutsideRun | None, paths: CellPaths):
        from mindspore.nn.cell import Cell

        self._session = session
        self._places = places
        self._numbers = numbers
        self._paths = paths
        self._inputs = [] if numbers is None else numbers.places
        self._holders: set = set()  # ids of dicts with the attributes of objects of users' classes
        self._run: set = set()  # code that has run
        self._made_inside: set = set()  # code of functions that it makes
        self._functions: dict = {}  # code -> functions that can be reached from outside
        # id -> object, kept alive so that ids stay theirs
        self._seen: dict = {id(vars(builtins)): vars(builtins)}
        self._cells: list[CellState] = []
        self._parameters: list = []
        self.is_trial = False  # nothing may be changed meanwhile
        self.contents: list = []  # (kind, holder, key, expected, what)
        self._modules: list = []  # met as values, or imported by the function
        self._imports = 0  # that go on
        self._to_import: list = []  # (module's name, code): it is imported while the function runs
        self._settings: tuple | None = None  # those of the process, if it asks for any
        self._opaque: list[Opaque] = []  # what can change unseen
        self._problem: str | None = None
        self._before = None
        self._started = Cell()._create_time
        self._numpy_random = numpy_random()
        self._has_drawn = False  # this thread, from NumPy
        self._cell_class = Cell

    def __enter__(self) -> Surroundings:
        self._before = sys.getprofile()
        # What a collection calls back is not part of the function.
        self._collects = gc.isenabled()
        gc.disable()
        _watching.surroundings = self
        sys.setprofile(self.event)
        return self

    def __exit__(self, *exception) -> None:
        self._paths.close()
        _watching.surroundings = None
        if self._collects:
            gc.enable()
        if self._before is None or callable(self._before):
            sys.setprofile(self._before)
        else:  # a cProfile.Profile, which sets itself
            sys.setprofile(None)
            self._before.enable()

    # ---- while it runs ------------------------------------------------------------------------

    def event(self, frame, event: str, function) -> None:
        """A function is called or left."""
        if frame.f_code is _IMPORT:  # what a module does when it is first imported is no part of the function
            self._imports += (event == "call") - (event == "return")
        if self._imports:
            return
        if self.is_trial:
            check_in_trial(event, frame, function, self.was_there)
        if event == "call":
            code = frame.f_code
            kind = codes.kind_of(code)
            if code is _READ_ENVIRONMENT:
                self.reach(os.environ, "the environment")
            if kind == codes.LIBRARY:
                return
            if kind == codes.CONSTRUCT or code.co_name in ("construct", "__call__"):
                owner = codes.owner_of(frame)
                if isinstance(owner, self._cell_class):
                    self._watch_cell(owner)
                    self._paths.enter(frame, owner)
            if kind == codes.USER and code.co_name.startswith("__"):
                self._look_for_stand_ins(frame)
            if kind == codes.USER and code not in self._run:
                self._enter_code(code, frame.f_globals)
            elif kind == codes.SETTING:
                self._settings = self._settings or settings()
            elif kind == codes.EFFECT:
                where = codes.position_of(frame)
                self._problem = self._problem or f"it calls {code.co_name} ({where})"
        elif event == "c_call" and self._problem is None:
            if isinstance(getattr(function, "__self__", None), UNSTEADY_TYPES):
                self._has_drawn = True
            if _is_unsteady(function) and self._is_users(frame):
                name = getattr(function, "__qualname__", str(function))
                where = codes.position_of(frame)
                self._problem = f"it calls {name}, whose result differs from call to call ({where})"
        elif event == "return" and frame is self._paths.frame:
            self._paths.leave()

    def _look_for_stand_ins(self, frame) -> None:
        """An operator of a class of the user's, beside a number that is an input of the graph."""
        if any(type(value) is NumberStandIn for value in frame.f_locals.values()):
            where = codes.position_of(frame)
            self._problem = self._problem or f"a number goes to an operator of a class of its own ({where})"

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
        if self._numbers is not None:
            self._numbers.show_to(code)
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

    def _watch_cell(self, cell) -> None:
        if ("cell", id(cell)) in self._seen or not is_cell(cell) or cell._create_time > self._started:
            return
        self._seen["cell", id(cell)] = cell
        fields = cell.__dict__
        for name in (None, "_cells", "_params"):
            self._session.add_guard(NOTED, weakref.ref(cell), name, None)
        kept = {place.key for place in (*self._places, *self._inputs) if place.holder is fields}
        self._cells.append(CellState(cell, kept))
        self._reach_class(type(cell))
        for parameter in fields.get("_params", {}).values():
            if parameter is not None and parameter._has_data():
                self._session.watch(parameter, parameter.name)
        for name, value in list(fields.items()):
            if name not in TABLES and name not in VOLATILE and name not in kept:
                self.reach(value, f"'self.{name}'")

    def _guard(self, kind: int, holder, key, value, what: str) -> None:
        if any(place.is_at(holder, key) for place in (*self._places, *self._inputs)):
            return
        if value is MISSING:
            self._session.add_guard(QUESTION, lambda: key not in holder, holder, key)
        else:
            self._session.add_guard(kind, holder, key, value)
        self.contents.append((kind, holder, key, value, what))

    def _ask(self, question, what: str, subject) -> None:
        self._session.add_guard(QUESTION, question, subject, None)
        self.contents.append((QUESTION, question, None, None, what))

    def numbers(self) -> Iterator[Found]:
        """Numbers that the run could get at, before it could change them."""
        for kind, holder, key, value, what in self.contents:
            if kind == ENTRY and type(key) is str and is_number(value):
                yield Found(holder, key, what, value)
            elif kind == MAPPING and key is None and id(holder) in self._holders:
                for name, part in value.items():
                    if is_number(part):
                        yield Found(holder, name, what, part)
        for state in self._cells:
            if state.cell is not None and codes.is_users_class(type(state.cell)):
                for name, part in state.fields():
                    if is_number(part):
                        yield Found(state.cell.__dict__, name, f"'self.{name}'", part)

    def was_there(self, value) -> bool:
        """Whether an object stood outside, where the function could get at it."""
        return self._seen.get(id(value)) is value

    def computes_with(self, name: str, names: frozenset) -> bool:
        """Whether code that has run does nothing with what has this name but compute and compare."""
        return all(flow.only_computes_with(code, name, names) for code in self._run)

    # ---- when it is over ----------------------------------------------------------------------

    def settle(self) -> Effects:
        """Hands the guards over; what the run has done that a replay must do too."""
        cells, parameters, asked = self._cells, self._parameters, self._settings
        for name, code in self._to_import:
            if name in sys.modules:
                self._watch_module(sys.modules[name], code)
        written: list[Place] = []
        problem, passing = self._problem or self._unguarded(), None
        if problem is None and numpy_random() != self._numpy_random and self._may_have_drawn():
            problem = "it draws random numbers from NumPy, which differ from call to call"
        for content in self.contents:
            if not is_unchanged(*content[:4]):
                problem = self._note_written(content, written) or problem
        for state in cells:
            kind = type(state.cell).__name__
            for name in state.changed_fields():
                written.append(Place(state.cell.__dict__, name, f"the attribute '{name}' of {kind}"))
            part = state.changed_part()
            passing = passing or (f"it changes {part} of {kind}" if part is not None else None)
        for parameter, before in parameters:
            change = change_since(parameter, before)
            passing = passing or (f"it changes {change}" if change is not None else None)
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

    def _may_have_drawn(self) -> bool:
        """Whether it was this run that drew from NumPy, whose state is one for all threads, loaders too."""
        are_others = threading.active_count() > 1 or "mindspore.dataset" in sys.modules
        return self._has_drawn or not are_others or any(codes.mentions(code, "random") for code in self._run)

    def _unguarded(self) -> str | None:
        for one in self._opaque:
            if any(codes.mentions(code, one.name) for code in self._run):
                return one.reason
        return None

    def _line_of(self, what: str) -> str:
        """Where the code that has run assigns, or at least names, something."""
        name = what.rstrip("'").rpartition("'")[2].rpartition(".")[2]
        return codes.line_of(self._run, name, stores=True) or codes.line_of(self._run, name)

    def _is_counter(self, place: Place) -> bool:
        if type(place.get()) is not int or type(place.key) is not str:
            return False
        counts = any(place.key in code.co_names for code in self._run)
        return counts and all(codes.only_counts(code, place.key) for code in self._run)

    def may_write(self) -> bool:
        """Whether code that has run may write into tensors."""
        return any(codes.may_write(code) for code in [*self._run])

    def assigns(self, key) -> bool:
        """Whether code that has run assigns something of this name."""
        return any(codes.stores(code, key) for code in self._run)

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
        elif kind == MAPPING and key is None and has_order_of(holder, expected):
            written += [Place(holder, each, what) for each in changed_keys(holder, expected)]
        else:
            return f"it changes {what}, which a compiled function would not repeat{self._line_of(what)}"
        return None


def watch(session, function, roots: tuple, places: list[Place], numbers, arguments) -> Surroundings:
    """Surroundings of one run of a function.

    Args:
        session (CaptureSession): The run.
        function (Callable): What will be called.
        roots (tuple): Further objects it is known to use, or weak references to them.
        places (list[Place]): What it is known to write.
        numbers (Union[OutsideRun, None]): Numbers outside that are inputs of the graph.
        arguments (Any): What it is called with.
    """
    found = Surroundings(session, places, numbers, CellPaths(roots))
    for root in roots:
        found.reach(root() if isinstance(root, weakref.ref) else root, "the function")
    found.reach(function, "the function")
    found.reach_argument(arguments)
    return found
