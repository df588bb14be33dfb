# SPDX-License-Identifier: Apache-2.0
"""Variables of a loop that is one node: tensors and numbers that turns hand on, and what they are made of."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mindspore import _c_expression as _c
from mindspore._capture.loops.loop_number import (
    BITS_OF_TURNS,
    MOST_BITS,
    LoopNumber,
    bits_of,
    constant,
    is_plain,
)
from mindspore.common.tensor import Tensor
from mindspore.ops._registry import op

_LEAF = object()


class Mismatch(Exception):  # noqa: N818
    """A variable is something else after a turn; after that, perhaps, it stays what it is."""


@dataclass(eq=False)
class Leaf:
    """A tensor or number of a variable.

    Attributes:
        first (Union[Tensor, int, float, bool, LoopNumber]): What it is before the loop.
        kind (Union[type, None]): Of a number: what it is to Python.
        bits (int): That a whole number may need.
        step (int): That what a turn adds to it may need.
        is_fixed (bool): No turn changes it.
        is_written (bool): Turns write into it.
        is_copied (bool): Each way of a turn writes into a copy of its own.
    """

    first: object
    kind: type | None
    bits: int = 0
    step: int = 0
    is_fixed: bool = False
    is_written: bool = False
    is_copied: bool = False

    def start(self) -> Tensor:
        """What the loop begins with."""
        if isinstance(self.first, LoopNumber):
            return self.first.in_graph()
        return self.first if self.kind is None else constant(self.first, self.kind)

    def given(self, tensor: Tensor, is_copied: bool):
        """What a turn is given."""
        if self.kind is None:
            return op.copy(tensor) if is_copied else tensor
        return LoopNumber(tensor, self.kind, self.bits, self if self.kind is int else None)

    def next(self, value) -> Tensor:
        """What the next turn is given, after one has left a value."""
        if self.kind is None:
            return value
        return value.in_graph() if isinstance(value, LoopNumber) else constant(value, self.kind)

    def left(self, tensor: Tensor):
        """What there is after the loop."""
        if self.kind is None:
            return tensor
        number = LoopNumber(tensor, self.kind, self.bits)
        if self.kind is int and is_plain(self.first):
            number.per_turn = max(bits_of(self.first), self.step) + 1
        return number

    def settle(self, afters: list, givens: list, written: bool, name: str) -> bool:
        """Notes what turns on all ways do with it; whether that was known.

        Raises:
            Mismatch: It is something else after a turn.
        """
        before = (self.is_fixed, self.is_written, self.bits)
        self.is_written = self.is_written or written
        is_same = all(after is given for after, given in zip(afters, givens, strict=True))
        if self.kind is None:
            self.is_fixed = is_same and not self.is_written
            if not self.is_fixed and any(_type_of(after) != _type_of(self.first) for after in afters):
                raise Mismatch(f"has a variable '{name}' that is something else after a turn")
            return before == (self.is_fixed, self.is_written, self.bits)
        is_fixed = is_plain(self.first) and all(_is_number(after, self.first) for after in afters)
        self.is_fixed = is_same or is_fixed
        if not self.is_fixed:
            if any(_kind_of(after) is not self.kind for after in afters):
                raise Mismatch(f"has a variable '{name}' that is something else after a turn")
            if self.kind is int:
                self._widen(afters, name)
        return before == (self.is_fixed, self.is_written, self.bits)

    def _widen(self, afters: list, name: str) -> None:
        """Makes room for what a whole number can become in any number of turns."""
        for after in afters:
            if isinstance(after, LoopNumber) and after.base is self:
                needed = after.step + BITS_OF_TURNS + 1
                self.step = max(self.step, after.step)
            else:
                needed = after.bits if isinstance(after, LoopNumber) else bits_of(after)
                self.step = max(self.step, needed)
            self.bits = max(self.bits, needed)
        if self.bits > MOST_BITS:
            raise _c.Declined(f"computes '{name}', which may need more than 64 bits")


def _kind_of(value) -> type | None:
    return value.kind if isinstance(value, LoopNumber) else type(value) if is_plain(value) else None


def _is_number(value, number) -> bool:
    return type(value) is type(number) and value == number


def _type_of(value) -> tuple | None:
    return (value.dtype, tuple(value.shape)) if type(value) is Tensor else None


def _flat(value, leaves: list):
    """What a value is made of besides tensors and numbers, which are added to the leaves."""
    if isinstance(value, (Tensor, LoopNumber)) or is_plain(value):
        leaves.append(value)
        return _LEAF
    if type(value) in (tuple, list):
        return type(value), [_flat(part, leaves) for part in value]
    if type(value) is dict:
        return dict, [_flat(part, leaves) for part in value.values()], list(value)
    return "is", _Same(value)


class _Same:
    """Something that has to be the same object, or the same text."""

    def __init__(self, value):
        self._value = value

    def __eq__(self, other) -> bool:
        return self._value is other._value or (type(self._value) is str and self._value == other._value)

    __hash__ = None


@dataclass
class Variable:
    """A variable of a loop; `value` is what it is before."""

    name: str
    value: object
    leaves: list[Leaf] = field(default_factory=list)
    form: object = None

    def __post_init__(self):
        leaves: list = []
        self.form = _flat(self.value, leaves)
        for leaf in leaves:
            kind = _kind_of(leaf)
            if kind is None and not isinstance(leaf, Tensor):
                raise _c.Declined(f"has a variable '{self.name}' of a type of its own")
            bits = 0
            if kind is int:
                bits = (
                    max(leaf.bits if isinstance(leaf, LoopNumber) else bits_of(leaf), BITS_OF_TURNS + 1) + 1
                )
            self.leaves.append(Leaf(leaf, kind, bits))

    def of(self, leaves) -> object:
        """The variable, made of leaves from an iterator."""
        return _rebuilt(self.value, leaves)

    def leaves_of(self, value) -> list:
        """The leaves of what it is now.

        Raises:
            Mismatch: That is made up in another way.
        """
        leaves: list = []
        if _flat(value, leaves) != self.form:
            raise Mismatch(f"has a variable '{self.name}' that is something else after a turn")
        return leaves


def _rebuilt(value, leaves):
    if isinstance(value, (Tensor, LoopNumber)) or is_plain(value):
        return next(leaves)
    if type(value) in (tuple, list):
        parts = [_rebuilt(part, leaves) for part in value]
        is_same = all(a is b for a, b in zip(parts, value, strict=True))
        return value if is_same else type(value)(parts)
    if type(value) is dict:
        parts = {key: _rebuilt(part, leaves) for key, part in value.items()}
        return value if all(parts[key] is value[key] for key in parts) else parts
    return value


def emptied(value):
    """The same with zeros, which are nobody's result."""
    leaves: list = []
    _flat(value, leaves)
    zeros = [
        Tensor(np.zeros(leaf.shape), leaf.dtype) if isinstance(leaf, Tensor) else _kind_of(leaf)()
        for leaf in leaves
    ]
    return _rebuilt(value, iter(zeros))
