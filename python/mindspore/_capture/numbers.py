# SPDX-License-Identifier: Apache-2.0
"""Numbers among the arguments that differ from call to call.

A captured function is specialized for the values of its numbers. One that has come with several values is
given to the next capture as a stand-in: beside tensors it is an input of the graph, for any other use it is
the number itself, and then the argument goes back to being specialized by value.
"""

from __future__ import annotations

import operator
import sys

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor
from mindspore._capture import flow
from mindspore.common.mutable import is_variable_number
from mindspore.ops._registry import op

_VALUES_BEFORE = 3  # of one argument, until it becomes an input
_MOST_VALUES = 64  # that are remembered
_INT64 = 1 << 63
_EXACT = (operator.add, operator.sub, operator.mul)  # the same for floats in Python and in a graph


class Uses:
    """What a run has used a number for.

    Args:
        run (Union[OutsideRun, None]): Takes what Python relies on, for a number that stands outside.
    """

    __slots__ = ("as_number", "run", "stand_ins")

    def __init__(self, run=None):
        self.as_number, self.run = False, run
        self.stand_ins: list = []

    def end(self) -> bool:
        """The run is over; whether it is good for this number only."""
        stand_ins, self.stand_ins = self.stand_ins, []
        for i in range(len(stand_ins)):
            # Kept somewhere, it would be what it is now: two references are the list's and the call's.
            self.as_number = self.as_number or sys.getrefcount(stand_ins[i]) > 2
            stand_ins[i].leave_graph()
        return self.as_number


def operand_type(is_float: bool, dtype):
    """In which type a Python number is computed beside a tensor; None: that depends on more than types."""
    if is_float:
        known = {_c.float64: _c.float64, _c.float32: _c.float32, _c.int32: _c.float32, _c.int64: _c.float32}
    else:
        known = {each: each for each in (_c.float64, _c.float32, _c.int32, _c.int64)}
    return known.get(dtype)


class NumberStandIn:
    """Stands for a number while a function is captured.

    Args:
        value (Union[int, float]): The number in this call.
        tensor (Tensor): The input of the graph, float64 or int64.
        uses (Uses): Notes what becomes of it.
        source (Union[Source, None]): Where it comes from, for a number that stands outside.
    """

    __slots__ = ("_tensor", "_uses", "_value", "source")
    __array_ufunc__ = None  # NumPy leaves arithmetic to us
    __hash__ = None

    def __init__(self, value, tensor: Tensor, uses: Uses, source=None):
        self._value, self._tensor, self._uses, self.source = value, tensor, uses, source
        uses.stand_ins.append(self)

    def leave_graph(self) -> None:
        """The run is over."""
        self._tensor = None

    def value_now(self):
        """The number in this run, which thereby does not depend on it."""
        return self._value

    def in_graph(self) -> Tensor | None:
        """The input of the graph that stands for it, where there is one."""
        run = self._uses.run
        if run is None or self._tensor is not None:
            return self._tensor if run is None or run.is_here() else None
        return run.input_for(self.source) if run.is_here() else None

    def computed_with(self, calculate, other, is_swapped: bool, frame):
        """What Python computes, or decides, from a number outside; NotImplemented: in another way."""
        run = self._uses.run
        if run is None or not run.is_here() or (type(other) is NumberStandIn and other.source is None):
            return NotImplemented
        text, evaluate, value = _as_source(other)
        if type(value) not in (int, float) or not _is_cheap(calculate, value if is_swapped else self._value):
            return NotImplemented
        own = self.source
        pair = (value, self._value) if is_swapped else (self._value, value)
        texts = (text, own.text) if is_swapped else (own.text, text)
        sources = (evaluate, own.evaluate) if is_swapped else (own.evaluate, evaluate)
        try:
            result = calculate(*pair)
        except ArithmeticError:
            return NotImplemented  # it is raised again where both are numbers
        text = f"{calculate.__name__}({', '.join(texts)})"
        return self._made(result, text, lambda: calculate(*(one() for one in sources)), frame)

    def negated(self, frame):
        """The same for the number with the other sign."""
        run = self._uses.run
        if run is None or not run.is_here():
            return NotImplemented
        evaluate = self.source.evaluate
        return self._made(-self._value, f"neg({self.source.text})", lambda: -evaluate(), frame)

    def _made(self, result, text: str, evaluate, frame):
        run = self._uses.run
        if type(result) is bool or not run.may_flow_from(frame):
            run.require(evaluate, result)  # it decides something, or goes where only the number may
            return result
        source = type(self.source)(text, evaluate)
        return NumberStandIn(result, run.inputs.get(text), self._uses, source)

    def beside_number(self, calculate, other, is_swapped: bool):
        """A number computed from this one and another one in the graph; None: it has to be a number here."""
        if self._uses.run is not None or type(self._value) is not float or self._tensor is None:
            return None
        if type(other) is NumberStandIn:
            value, operand = other._value, other._tensor
        else:
            value, operand = other, other
        if type(value) not in (int, float) or operand is None:
            return None
        pair = (value, self._value) if is_swapped else (self._value, value)
        operands = (operand, self._tensor) if is_swapped else (self._tensor, operand)
        return NumberStandIn(calculate(*pair), calculate(*operands), self._uses)

    def number(self):
        """The number itself; the run is good for this one only."""
        run = self._uses.run
        if run is None:
            self._uses.as_number = True
        elif run.is_here():
            run.require(self.source.evaluate, self._value)
            self._uses.as_number = self._uses.as_number or self.source.text.startswith("number ")
        return self._value

    @property
    def __class__(self):
        return type(self._value)

    def __getattr__(self, name: str):
        return getattr(self.number(), name)


def plain(value):
    """A number for its stand-in; anything else as it is."""
    return value.number() if type(value) is NumberStandIn else value


_CHEAP = frozenset(
    (
        *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod),
        *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
    )
)
_NOWHERE: frozenset = frozenset()  # names of places in which results may be kept


def _is_cheap(calculate, base) -> bool:
    """Whether it can be computed before it is known that it is needed."""
    return calculate in _CHEAP or (calculate is operator.pow and type(base) is float)


def _as_source(other) -> tuple:
    """(text, function that gives it, value) of the other operand."""
    if type(other) is NumberStandIn:
        return other.source.text, other.source.evaluate, other._value
    return repr(other), lambda: other, other


def _beside(calculate, is_swapped: bool, in_graph: bool):
    """A method for `stand-in (+) other`, or the other way round."""

    def method(self, other):
        frame = sys._getframe(1)
        tensor = self.in_graph() if in_graph and isinstance(other, Tensor) else None
        if tensor is not None:
            dtype = operand_type(type(self._value) is float, other.dtype)
            if dtype is not None:
                operand = op.cast(tensor, dtype)
                return calculate(other, operand) if is_swapped else calculate(operand, other)
        found = self.computed_with(calculate, other, is_swapped, frame)
        if found is not NotImplemented:
            return found
        if calculate in _EXACT and flow.result_is_computed_with(frame, _NOWHERE):
            found = self.beside_number(calculate, other, is_swapped)
            if found is not None:
                return found
        a, b = self.number(), plain(other)
        return calculate(b, a) if is_swapped else calculate(a, b)

    return method


def _alone(calculate):
    return lambda self, *args: calculate(self.number(), *map(plain, args))


for _name in ("add", "sub", "mul", "truediv"):
    setattr(NumberStandIn, f"__{_name}__", _beside(getattr(operator, _name), False, True))
    setattr(NumberStandIn, f"__r{_name}__", _beside(getattr(operator, _name), True, True))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(NumberStandIn, f"__{_name}__", _beside(getattr(operator, _name), False, True))
for _name in ("floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "lshift", "rshift"):
    _plain_name = _name.rstrip("_")
    setattr(NumberStandIn, f"__{_plain_name}__", _beside(getattr(operator, _name), False, False))
    setattr(NumberStandIn, f"__r{_plain_name}__", _beside(getattr(operator, _name), True, False))


def _negative(self):
    found = self.negated(sys._getframe(1))
    return -self.number() if found is NotImplemented else found


def _truth(self) -> bool:
    found = self.computed_with(operator.ne, 0, False, sys._getframe(1))
    return bool(self.number()) if found is NotImplemented else found


NumberStandIn.__bool__ = _truth
NumberStandIn.__neg__ = _negative
for _name, _calculate in (
    ("pos", operator.pos),
    ("abs", abs),
    ("invert", operator.invert),
    ("round", round),
    ("int", int),
    ("float", float),
    ("complex", complex),
    ("index", operator.index),
    ("trunc", int),
    ("divmod", divmod),
    ("rdivmod", lambda a, b: divmod(b, a)),
    ("str", str),
    ("repr", repr),
    ("format", format),
    ("hash", hash),
):
    setattr(NumberStandIn, f"__{_name}__", _alone(_calculate))
_c.set_number_stand_in(NumberStandIn)


def is_number(value: object) -> bool:
    """Whether an argument is a number that can be an input: of Python's types, or called mutable."""
    return type(value) in (int, float) or is_variable_number(value)


def _as_plain(number):
    return float(number) if isinstance(number, float) else int(number)


class NumberArguments:
    """Which numbers among the arguments of one function are inputs of its graphs.

    Args:
        code (tuple): Its code, and how many parameters of that come before the arguments.
    """

    __slots__ = ("_by_value", "_code", "_marked", "_seen", "places")

    def __init__(self, code: tuple):
        self._code = code  # what is given them, and how many parameters come before
        self._marked: set = set()  # places of numbers that the user has called mutable
        self._seen: dict = {}  # position or keyword -> values
        self._by_value: set = set()  # places where Python uses the number itself
        self.places: frozenset = frozenset()  # those that are inputs

    def note(self, args: tuple, kwargs: dict) -> None:
        """A call that had to be captured."""
        for place, value in (*enumerate(args), *kwargs.items()):
            if not is_number(value) or place in self._by_value:
                continue
            if is_variable_number(value):
                self._marked.add(place)
            values = self._seen.setdefault(place, set())
            if len(values) < _MOST_VALUES:
                values.add(value)

    def choose(self) -> None:
        """Numbers that have had several values, or are called mutable, become inputs."""
        found = {place for place, values in self._seen.items() if len(values) >= _VALUES_BEFORE}
        found |= self._marked
        self._by_value |= {place for place in found if not self._is_computed_with(place)}
        self.places = frozenset(found - self._by_value)

    def _is_computed_with(self, place) -> bool:
        """Whether the function only computes and compares with what it is given there."""
        code, before = self._code
        if code is None:
            return False
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if not isinstance(place, str):
            if place + before >= code.co_argcount:
                return False
            place = names[place + before]
        return place in names and flow.parameter_is_computed_with(code, place)

    def keep_by_value(self, places) -> None:
        """These are specialized by value from now on."""
        self._by_value |= set(places)
        self.places = self.places - self._by_value

    def given(self, args: tuple, kwargs: dict) -> tuple[tuple, dict] | None:
        """The arguments with tensors for the numbers; None: there is nothing to replace."""
        replaced, keywords, count = list(args), dict(kwargs), 0
        for place in self.places:
            holder = keywords if isinstance(place, str) else replaced
            known = place in holder if isinstance(place, str) else place < len(holder)
            value = holder[place] if known else None
            if is_number(value) and (isinstance(value, float) or -_INT64 <= value < _INT64):
                holder[place] = _c.number_input(_as_plain(value))
                count += 1
        return (tuple(replaced), keywords) if count else None


class NumberTrial:
    """One run of a function with stand-ins for numbers.

    Args:
        function (Callable): The function.
        places (frozenset): Where the numbers stand, by position or keyword.
        args (tuple): Its arguments, with the numbers.
        kwargs (dict): Likewise.
    """

    __slots__ = ("_args", "_function", "_kwargs", "_places", "_uses")

    def __init__(self, function, places: frozenset, args: tuple, kwargs: dict):
        self._function, self._places, self._args, self._kwargs = function, places, args, kwargs
        self._uses: dict = {}

    def run(self, key: tuple, *args, **kwargs):
        """The function, given stand-ins where tensors came for numbers."""
        stand_ins = [self._stand_in(i, self._args, part) for i, part in enumerate(args)]
        keywords = {name: self._stand_in(name, self._kwargs, part) for name, part in kwargs.items()}
        return without_stand_ins(self._function(*stand_ins, **keywords))

    def _stand_in(self, place, given, part):
        if place not in self._places or not is_number(given[place]) or not isinstance(part, Tensor):
            return part
        self._uses[place] = Uses()
        return NumberStandIn(_as_plain(given[place]), part, self._uses[place])

    def places_used_as_numbers(self) -> set:
        """Places whose number Python has used as such."""
        return {place for place, uses in self._uses.items() if uses.end()}


def without_stand_ins(result):
    if type(result) is NumberStandIn:
        return result.number()
    if type(result) in (tuple, list):
        parts = [without_stand_ins(part) for part in result]
        return result if all(map(operator.is_, parts, result)) else type(result)(parts)
    if type(result) is dict:
        return {key: without_stand_ins(part) for key, part in result.items()}
    return result
