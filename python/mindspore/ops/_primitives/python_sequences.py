# SPDX-License-Identifier: Apache-2.0
"""Tuples and lists of Python in the form of primitives, for scripts that reach `operations._sequence_ops`."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from mindspore._c_expression import Tensor
from mindspore.common.tensor import Tensor as make_tensor
from mindspore.ops._registry import op
from mindspore.ops.function import arrangement
from mindspore.ops.primitive import Primitive, prim_attr_register


def _checked(name: str, value: Any, kinds: type | tuple) -> Any:
    if not isinstance(value, kinds):
        wanted = " or ".join(one.__name__ for one in (kinds if isinstance(kinds, tuple) else (kinds,)))
        raise TypeError(f"For '{name}', the input must be a {wanted}, but got {type(value).__name__}.")
    return value


def _primitive(name: str, about: str, calculate: Callable, kinds: type | tuple = (tuple, list)) -> type:
    """A primitive without attributes whose first input, a sequence, decides what it does."""

    def initialize(self) -> None:
        Primitive.__init__(self, name)

    def call(self, sequence, *args) -> Any:
        return calculate(_checked(name, sequence, kinds), *args)

    body = {"__init__": initialize, "__call__": call, "__doc__": about, "__module__": __name__}
    return type(name, (Primitive,), body)


def _same_kind(sequence, parts):
    return tuple(parts) if isinstance(sequence, tuple) else list(parts)


def _zeros_like(value):
    if isinstance(value, (tuple, list)):
        return _same_kind(value, map(_zeros_like, value))
    return op.zeros_like(value) if isinstance(value, Tensor) else type(value)(0)


def _index(sequence, target, start=0, end=None) -> int:
    return sequence.index(target, start, len(sequence) if end is None else end)


def _inserted(sequence: list, index: int, value) -> list:
    longer = list(sequence)
    longer.insert(index, value)
    return longer


def _numbers(tensor: Tensor) -> list:
    if tensor.ndim > 1:
        raise ValueError(f"The tensor must have at most one axis, but got the shape {tensor.shape}.")
    return tensor.reshape((-1,)).asnumpy().tolist()


class InSequence(Primitive):
    """Whether an element is in a sequence."""

    @prim_attr_register
    def __init__(self):
        """Initialize InSequence."""

    def __call__(self, element: Any, sequence: tuple | list) -> bool:
        return element in _checked("InSequence", sequence, (tuple, list))


class SequenceStack(Primitive):
    """The tensors of a sequence as one, along a new axis.

    Args:
        axis (int): The new axis. Default: ``0``.
    """

    @prim_attr_register
    def __init__(self, axis=0):
        """Initialize SequenceStack."""
        self.axis = _checked("SequenceStack", axis, int)

    def __call__(self, sequence: tuple | list) -> Tensor:
        return op.stack(list(_checked("SequenceStack", sequence, (tuple, list))), self.axis)


class SequenceUnstack(Primitive):
    """The parts of a tensor along an axis, as a tuple.

    Args:
        axis (int): The axis. Default: ``0``.
        num (Union[int, None]): How many there are, which the tensor tells. Default: ``None``.
    """

    @prim_attr_register
    def __init__(self, axis=0, num=None):
        """Initialize SequenceUnstack."""
        self.axis = _checked("SequenceUnstack", axis, int)

    def __call__(self, x: Tensor) -> tuple:
        return tuple(op.unstack(x, self.axis))


class make_range(Primitive):  # noqa: N801  (the name of the primitive)
    """The integers of a range, as a tuple."""

    @prim_attr_register
    def __init__(self):
        """Initialize make_range."""

    def __call__(self, start: int, limit: int, delta: int = 1) -> tuple:
        return tuple(range(start, limit, delta))


_TABLE = [
    ("SequenceAdd", "Two sequences, one after the other.", operator.add),
    ("SequenceAddOffset", "Where each of two sequences begins in their sum.", lambda x, y: (0, len(x))),
    ("SequenceAddN", "The sum of the tensors of a sequence.", arrangement.accumulate_n),
    ("SequenceMul", "A sequence, so many times.", operator.mul),
    ("SequenceSlice", "A part of a sequence.", lambda x, start, stop, step: x[start:stop:step]),
    ("SequenceCount", "How often something is in a sequence.", lambda x, target: x.count(target)),
    ("SequenceIndex", "Where something is first in a sequence.", _index),
    ("SequenceMax", "The greatest number of a sequence.", max),
    ("SequenceMin", "The least number of a sequence.", min),
    ("SequenceZerosLike", "A sequence like this one, of zeros.", _zeros_like),
    ("sequence_len", "The length of a sequence.", len),
    ("ListAppend", "A list with another element at its end.", lambda x, value: [*x, value], list),
    ("ListInsert", "A list with another element at a place.", _inserted, list),
    ("TupleToTensor", "A tensor of the numbers in a tuple.", make_tensor, tuple),
    ("ListToTensor", "A tensor of the numbers in a list.", make_tensor, list),
    ("TensorToTuple", "The numbers of a tensor, as a tuple.", lambda x: tuple(_numbers(x)), Tensor),
    ("TensorToList", "The numbers of a tensor, as a list.", _numbers, Tensor),
    ("shape_mul", "The product of the numbers in a tuple.", math.prod, tuple),
    *(
        (f"{kind.__name__}_{name}", f"Whether one {kind.__name__} is {words} another.", compare, kind)
        for kind in (tuple, list)
        for name, words, compare in (
            ("equal", "equal to", operator.eq),
            ("greater_than", "greater than", operator.gt),
            ("greater_equal", "greater than or equal to", operator.ge),
            ("lt", "less than", operator.lt),
            ("le", "less than or equal to", operator.le),
        )
    ),
]


globals().update({name: _primitive(name, *rest) for name, *rest in _TABLE})
__all__ = ["InSequence", "SequenceStack", "SequenceUnstack", "make_range", *(name for name, *_ in _TABLE)]
