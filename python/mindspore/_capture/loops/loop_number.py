# SPDX-License-Identifier: Apache-2.0
"""Python's numbers in a loop that is one node of a graph: what they are differs from turn to turn.

The graph computes with them in int64 and float64, which is what Python does as long as whole numbers have
room. How many bits they can need is known for each of them, and what could need more is left to Python. So is
every other use of such a number: in a turn the loop then cannot be recorded, outside of one it is looked at.
"""

from __future__ import annotations

import operator

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor
from mindspore._capture.numbers import NumberStandIn, operand_type
from mindspore.ops._registry import op

MOST_BITS = 62
_BITS_OF_A_FLOAT = 53  # whole numbers up to that are floats too
BITS_OF_TURNS = 40  # more turns than any loop makes

_DTYPES = {bool: _c.bool_, int: _c.int64, float: _c.float64}
_KINDS = {_c.bool_: bool, _c.float64: float, _c.float32: float, _c.float16: float}
_BITS = {_c.int8: 8, _c.uint8: 8, _c.int16: 16, _c.uint16: 16, _c.int32: 32, _c.uint32: 32}
_COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)
_BESIDE_TENSORS = frozenset((operator.add, operator.sub, operator.mul, operator.truediv, *_COMPARISONS))


class LoopNumber(NumberStandIn):
    """A number that a graph computes.

    Args:
        tensor (Tensor): It, of type bool, int64 or float64 and without axes.
        kind (type): What it is to Python: bool, int or float.
        bits (int): That it can need, of a whole number.
        base (Any): The variable of a loop that it is but for a step.
        step (int): Bits that the step can need.
    """

    __slots__ = ("base", "bits", "kind", "per_turn", "step")

    def __init__(self, tensor: Tensor, kind: type, bits: int = MOST_BITS, base=None, step: int = 0):
        self._tensor, self._value, self._uses, self.source = tensor, kind(), None, None
        self.kind, self.bits, self.base, self.step = kind, bits, base, step
        self.per_turn = bits  # that it needs for each turn of a loop that has counted it

    def in_graph(self) -> Tensor:
        """The tensor that it is."""
        return self._tensor

    as_index = in_graph

    def as_new_tensor(self, dtype) -> Tensor:
        """What ``Tensor(number)`` is, or is made of if it is to be of a type."""
        if self.kind is float and dtype is None:
            return op.cast(self._tensor, _c.float32)
        return op.copy(self._tensor)

    def number(self):
        """The number itself, which Python looks at."""
        return self.kind(self._tensor.item())


def bits_of(value: float) -> int:
    """That a number needs; those of a float are no concern."""
    return value.bit_length() if isinstance(value, int) else 0


def is_plain(value) -> bool:
    """Whether something is a number of Python's own."""
    return type(value) in (bool, int, float)


def constant(value, kind: type) -> Tensor:
    """A number as a tensor."""
    return Tensor(value, _DTYPES[kind])


def read(tensor: Tensor, kind: type) -> LoopNumber:
    """``int(tensor)``, ``float(tensor)`` or ``tensor.item()`` of a tensor that is recorded."""
    bits = _BITS.get(tensor.dtype, MOST_BITS + 1)
    return LoopNumber(op.cast(tensor.reshape(()), _DTYPES[kind]), kind, bits)


def kind_read(tensor: Tensor) -> type:
    """What ``tensor.item()`` is to Python."""
    return _KINDS.get(tensor.dtype, int)


def _part(other) -> LoopNumber | None:
    """The other operand; None: it is no number that a graph can compute with."""
    if type(other) is LoopNumber:
        return other if other.kind is not bool else None
    if type(other) is NumberStandIn:
        tensor, kind = other.in_graph(), type(other.value_now())
        return None if tensor is None or other.source is not None else LoopNumber(tensor, kind)
    if type(other) in (int, float) and bits_of(other) <= MOST_BITS:
        return LoopNumber(constant(other, type(other)), type(other), bits_of(other))
    return None


def _as_float(number: LoopNumber) -> Tensor | None:
    """It as float64, if that is exactly it."""
    if number.kind is float:
        return number.in_graph()
    return op.cast(number.in_graph(), _c.float64) if number.bits <= _BITS_OF_A_FLOAT else None


def _in_floats(calculate, a: LoopNumber, b: LoopNumber, kind: type) -> LoopNumber | None:
    left, right = _as_float(a), _as_float(b)
    return None if left is None or right is None else LoopNumber(calculate(left, right), kind, 0)


def _computed(calculate, a: LoopNumber, b: LoopNumber, divisor) -> LoopNumber | None:
    """What Python computes from two numbers; None: it has to do that itself."""
    if calculate in (operator.truediv, operator.floordiv, operator.mod) and not is_plain(divisor):
        return None  # it may be zero
    if calculate is operator.truediv:
        return _in_floats(calculate, a, b, float) if divisor else None
    if calculate in (operator.floordiv, operator.mod):
        if float in (a.kind, b.kind) or divisor <= 0:
            return None
        return LoopNumber(calculate(a.in_graph(), b.in_graph()), int, max(a.bits, b.bits))
    if float in (a.kind, b.kind):
        return _in_floats(calculate, a, b, float)
    bits = a.bits + b.bits if calculate is operator.mul else max(a.bits, b.bits) + 1
    if bits > MOST_BITS:
        return None
    base, step = None, 0
    if calculate is not operator.mul and a.base is not None and b.base is None:
        base, step = a.base, max(a.step, b.per_turn) + bool(a.step)
    elif calculate is operator.add and b.base is not None and a.base is None:
        base, step = b.base, max(b.step, a.per_turn) + bool(b.step)
    return LoopNumber(calculate(a.in_graph(), b.in_graph()), int, bits, base, step)


def _compared(calculate, a: LoopNumber, b: LoopNumber) -> LoopNumber | None:
    if float in (a.kind, b.kind):
        return _in_floats(calculate, a, b, bool)
    return LoopNumber(calculate(a.in_graph(), b.in_graph()), bool)


def _method(calculate, is_swapped: bool, form):
    """For `number (+) other`, or the other way round."""

    def method(self, other):
        if isinstance(other, Tensor):
            dtype = operand_type(self.kind is float, other.dtype) if self.kind is not bool else None
            if dtype is not None and calculate in _BESIDE_TENSORS:
                operand = op.cast(self.in_graph(), dtype)
                return calculate(other, operand) if is_swapped else calculate(operand, other)
        elif form is not None and self.kind is not bool:
            part = _part(other)
            if part is not None:
                found = form(calculate, *((part, self) if is_swapped else (self, part)), other, is_swapped)
                if found is not None:
                    return found
        if isinstance(other, NumberStandIn):
            other = other.number()
        number = self.number()
        return calculate(other, number) if is_swapped else calculate(number, other)

    return method


def _arithmetic(calculate, a, b, other, is_swapped: bool):
    return _computed(calculate, a, b, None if is_swapped else other)


def _comparison(calculate, a, b, other, is_swapped: bool):
    return _compared(calculate, a, b)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod"):
    setattr(LoopNumber, f"__{_name}__", _method(getattr(operator, _name), False, _arithmetic))
    setattr(LoopNumber, f"__r{_name}__", _method(getattr(operator, _name), True, _arithmetic))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(LoopNumber, f"__{_name}__", _method(getattr(operator, _name), False, _comparison))
for _name in ("pow", "matmul", "and_", "or_", "xor", "lshift", "rshift"):
    _plain_name = _name.rstrip("_")
    setattr(LoopNumber, f"__{_plain_name}__", _method(getattr(operator, _name), False, None))
    setattr(LoopNumber, f"__r{_plain_name}__", _method(getattr(operator, _name), True, None))


def _negative(self):
    if self.kind is bool:
        return -self.number()
    return LoopNumber(-self.in_graph(), self.kind, self.bits)


LoopNumber.__neg__ = _negative
LoopNumber.__bool__ = lambda self: bool(self.in_graph() if self.kind is bool else self.in_graph() != 0)


def without_loop_numbers(value):
    """The value with numbers that Python knows."""
    if type(value) is LoopNumber:
        return value.number()
    if type(value) in (tuple, list):
        parts = [without_loop_numbers(part) for part in value]
        return value if all(map(operator.is_, parts, value)) else type(value)(parts)
    if type(value) is dict:
        return {key: without_loop_numbers(part) for key, part in value.items()}
    return value
