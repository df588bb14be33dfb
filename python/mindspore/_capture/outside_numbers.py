# SPDX-License-Identifier: Apache-2.0
"""Numbers outside of a function that differ from call to call: `net.beta = step / 1000` before every step.

A captured function relies on the values of what it finds outside. A number that has come with several values
is given to the next capture as a stand-in, put where the number stands. What Python computes from it is
computed again in every call and is an input of the graph; what it decides by it is a condition of the trace.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor
from mindspore._capture import flow
from mindspore._capture.cell_state import same
from mindspore._capture.kept import Place
from mindspore._capture.numbers import NumberStandIn, Uses, without_stand_ins
from mindspore._capture.questions import QUESTION

_VALUES_BEFORE = 3  # of one number, until it becomes an input
_MOST_INPUTS = 64
_INT64 = 1 << 63
_GOES_ON = object()
_laid_out = threading.Lock()  # held by the thread whose stand-ins stand where numbers were


def is_number(value) -> bool:
    """Whether something can be an input of a graph."""
    return type(value) is float or (type(value) is int and -_INT64 <= value < _INT64)


def _number_at(place: Place):
    """What stands in a place, for a thread that must not see the stand-ins of another one."""
    value = place.get()
    return value.value_now() if type(value) is NumberStandIn else value


class Found(NamedTuple):
    """A number that a run could get at."""

    holder: Any
    key: Any
    what: str
    value: int | float


class Source(NamedTuple):
    """Where a number comes from."""

    text: str  # the same for the same computation from the same places
    evaluate: Callable[[], int | float]


class _Left:
    """What a run has left in the place of a number; a replay leaves the same."""

    __slots__ = ("_evaluate",)

    def __init__(self, evaluate: Callable):
        self._evaluate = evaluate

    def __call__(self):
        return self._evaluate()


class OutsideNumbers:
    """Which numbers outside of one function are inputs of its graphs."""

    __slots__ = ("_by_value", "_computed", "_seen", "_version", "places")

    def __init__(self):
        self._seen: dict = {}  # (id of the holder, key) -> the value, or a set of several
        self._by_value: set = set()  # those that Python uses in another way
        self.places: list[Place] = []  # where stand-ins are put
        self._version = 0  # of what the graph is given
        self._computed: dict[str, Source] = {}  # what is computed from them and used beside tensors

    def note(self, found: Iterable[Found], computes_with: Callable[[str, frozenset], bool]) -> bool:
        """A run had to be captured, and could get at these; whether any becomes an input.

        `computes_with(name, names)`: whether code only computes and compares with numbers of that name.
        """
        count = len(self.places)
        for holder, key, what, value in found:
            spot = (id(holder), key)
            before = self._seen.setdefault(spot, value)
            if type(before) is not set:
                if same(before, value):
                    continue
                before = self._seen[spot] = {before}
            before.add(value)
            if len(before) >= _VALUES_BEFORE and spot not in self._by_value:
                if computes_with(key, self.names | {key}):
                    self._add(Place(holder, key, what))
                else:
                    self._by_value.add(spot)
        return len(self.places) > count

    @property
    def names(self) -> frozenset:
        """Of the numbers that are inputs."""
        return frozenset(place.key for place in self.places)

    def add_restless(self, place: Place) -> bool:
        """A number that the function itself changes in every call becomes an input; whether it does."""
        return type(place.key) is str and type(place.holder) is dict and self._add(place)

    def _add(self, place: Place) -> bool:
        spot = (id(place.holder), place.key)
        is_known = any(each.is_at(place.holder, place.key) for each in self.places)
        if (
            is_known
            or spot in self._by_value
            or len(self.places) >= _MOST_INPUTS
            or not is_number(place.get())
        ):
            return False
        self.places.append(place)
        return True

    def given(self) -> tuple | None:
        """What the graph is given: the numbers, then what is computed from them; None: others stand there."""
        numbers = [_number_at(place) for place in self.places]
        if not all(map(is_number, numbers)):
            kept = [is_number(number) for number in numbers]
            self._drop([place for place, keep in zip(self.places, kept, strict=True) if not keep])
            return None
        inputs = [_c.number_input(number) for number in numbers]
        return (self._version, *inputs, *(self._input(source) for source in self._computed.values()))

    def _drop(self, places: list[Place]) -> None:
        """These are specialized by value from now on."""
        self._by_value.update((id(place.holder), place.key) for place in places)
        self.places = [place for place in self.places if place not in places]
        self._computed = {}  # texts count the places
        self._version += 1

    @staticmethod
    def _input(source: Source):
        try:
            number = source.evaluate()
        except Exception:
            return None  # as Python fails, or as it goes another way before
        return _c.number_input(number) if is_number(number) else number

    def begin(self, session, given: tuple) -> OutsideRun:
        """Makes stand-ins, for one run."""
        return OutsideRun(self, session, given)

    @staticmethod
    def may_begin() -> bool:
        """Whether no other thread has stand-ins laid out; whoever may has to `end`."""
        return _laid_out.acquire(blocking=False)

    @staticmethod
    def end() -> None:
        """Other threads may begin."""
        _laid_out.release()

    def conclude(self, run: OutsideRun) -> bool:
        """A run has come to its end; whether later ones are given something else."""
        ends = [(place, uses.end()) for place, uses in zip(run.places, run.uses, strict=True)]
        by_value = [place for place, is_used in ends if is_used or run.is_disturbed]
        if by_value:
            self._drop(by_value)
        elif run.wanted and len(self._computed) < _MOST_INPUTS:
            self._computed.update(run.wanted)
            self._version += 1
        else:
            return False
        return True


class OutsideRun:
    """One run of a function with stand-ins in the places of numbers.

    Args:
        owner (OutsideNumbers): Whose run it is.
        session (CaptureSession): Takes the conditions.
        given (tuple): The inputs of the graph, as tensors of the run.
    """

    __slots__ = (
        "_names",
        "_numbers",
        "_session",
        "assigned",
        "inputs",
        "is_disturbed",
        "left",
        "places",
        "stand_ins",
        "thread",
        "uses",
        "wanted",
    )

    def __init__(self, owner: OutsideNumbers, session, given: tuple):
        self._session, self.thread = session, threading.get_ident()
        self.places = list(owner.places)
        self._numbers = [_number_at(place) for place in self.places]
        self.assigned: list = []  # keys of places where another value was put
        self.is_disturbed = False  # by another thread, and what was read is not known
        self._names = owner.names
        count = len(self.places) + 1
        self.inputs = dict(zip(owner._computed, given[count:], strict=True))
        self.wanted: dict[str, Source] = {}
        self.left: Any = _GOES_ON  # what each place was left with, or None
        self.uses: list[Uses] = []
        self.stand_ins: list = []
        for i, place in enumerate(self.places):
            uses = Uses(self)
            source = Source(f"number {i}", place.get)
            self.inputs[source.text] = given[i + 1]
            self.uses.append(uses)
            self.stand_ins.append(NumberStandIn(self._numbers[i], given[i + 1], uses, source))

    def show_to(self, code) -> None:
        """Code is about to run; what it may do more with than compute becomes the number again."""
        for i, place in enumerate(self.places):
            if place.get() is self.stand_ins[i] and not flow.only_computes_with(code, place.key, self._names):
                self.uses[i].as_number = True
                self.require(place.get, self._numbers[i])
                place.lay(self._numbers[i])
                self.stand_ins[i] = self._numbers[i]

    def may_flow_from(self, frame) -> bool:
        """Whether what an instruction gives is only computed and compared with."""
        return flow.result_is_computed_with(frame, self._names)

    def run(self, function, args: tuple, kwargs: dict) -> tuple:
        """The function's result, and what it has left in the places."""
        for place, stand_in in zip(self.places, self.stand_ins, strict=True):
            place.lay(stand_in)
        del place, stand_in
        try:
            value = without_stand_ins(function(*args, **kwargs))
        finally:
            self._end()
        if self.left is not None:
            _c.note_change()
        return value, self.left

    def undo(self) -> None:
        """Nothing of the run has happened, or it has not even begun."""
        self.left = None
        for place, number in zip(self.places, self._numbers, strict=True):
            place.lay(number)

    def _end(self) -> None:
        left, is_changed = [], False
        for place, put in zip(self.places, self.stand_ins, strict=True):
            now = place.get()
            if now is put:
                if type(put) is NumberStandIn:
                    place.lay(put.value_now())
                left.append(None)
                continue
            is_changed = True
            if type(now) is NumberStandIn:
                left.append(_Left(now.source.evaluate))
                place.lay(now.value_now())
            else:
                left.append(_Left(lambda now=now: now))
                self.assigned.append(place.key)
        self.left = tuple(left) if is_changed else None
        self.stand_ins = []  # who else holds one has kept it

    def has_ended(self) -> bool:
        """Whether numbers stand where they stood."""
        return self.left is not _GOES_ON

    def is_here(self) -> bool:
        """Whether it goes on, and the caller belongs to it: other threads see numbers."""
        return self.left is _GOES_ON and self.thread == threading.get_ident()

    def require(self, evaluate: Callable[[], Any], outcome) -> None:
        """Python relies on something."""

        def holds() -> bool:
            try:
                return same(evaluate(), outcome)
            except (ArithmeticError, TypeError, ValueError):
                return False

        self._session.add_guard(QUESTION, holds, None, None)

    def input_for(self, source: Source) -> Tensor | None:
        """The input of the graph that stands for a number; None: there will be one in later captures."""
        found = self.inputs.get(source.text)
        if not isinstance(found, Tensor):
            self.wanted[source.text] = source
            return None
        return found


def repeat(places: list[Place], left: tuple | None) -> None:
    """Leaves in the places what a run has left there."""
    if left is None:
        return
    values = [one if one is None else one() for one in left]
    for place, one, value in zip(places, left, values, strict=True):
        if one is not None:
            place.put(value)
