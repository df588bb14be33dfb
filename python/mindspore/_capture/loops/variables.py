# SPDX-License-Identifier: Apache-2.0
"""Variables of a loop as tensors that keep their types and shapes."""

from __future__ import annotations

import numbers
from dataclasses import dataclass

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor

_LEAF = object()


def is_number(value) -> bool:
    """Whether a value is a number that a tensor can stand for."""
    return isinstance(value, (bool, numbers.Real)) and not isinstance(value, Tensor)


@dataclass(frozen=True)
class _Part:
    """A tuple, list or dict of parts, or something that is no tensor."""

    kind: type | None
    parts: tuple
    keys: tuple = ()


def flatten(value, leaves: list):
    """A template of a value; its tensors and numbers are added to the leaves."""
    if isinstance(value, Tensor) or is_number(value):
        leaves.append(value)
        return _LEAF
    if isinstance(value, (tuple, list)):
        return _Part(type(value), tuple(flatten(one, leaves) for one in value))
    if isinstance(value, dict):
        return _Part(dict, tuple(flatten(one, leaves) for one in value.values()), tuple(value))
    return _Part(None, (value,))


def rebuilt(template, leaves):
    """The value of a template, with leaves taken from an iterator."""
    if template is _LEAF:
        return next(leaves)
    if template.kind is None:
        return template.parts[0]
    parts = [rebuilt(one, leaves) for one in template.parts]
    if template.kind is dict:
        return dict(zip(template.keys, parts, strict=True))
    return template.kind(*parts) if hasattr(template.kind, "_fields") else template.kind(parts)


def type_of_number(value):
    """The type of a tensor that stands for a number."""
    if isinstance(value, np.generic):
        return Tensor(value).dtype
    if isinstance(value, bool):
        return mstype.bool_
    return mstype.int64 if isinstance(value, numbers.Integral) else mstype.float32


def kind_of(leaf) -> tuple:
    """(dtype, shape) of a tensor or of what stands for a number."""
    return (leaf.dtype, tuple(leaf.shape)) if isinstance(leaf, Tensor) else (type_of_number(leaf), ())


def described(leaf) -> str:
    """A leaf in words."""
    if isinstance(leaf, Tensor):
        return f"a tensor of type {leaf.dtype} and shape {tuple(leaf.shape)}"
    return f"the number {leaf}" if is_number(leaf) else f"{type(leaf).__name__}"


@dataclass
class Variable:
    """A variable of a loop: how it is made up, and what it is before the first turn.

    Attributes:
        name (str): Its name, or what it is for.
        template (object): How its value is made up.
        firsts (list): Tensors and numbers before the first turn.
        kinds (list): (dtype, shape) of each.
    """

    name: str
    template: object
    firsts: list
    kinds: list[tuple]

    @classmethod
    def of(cls, name: str, value) -> Variable:
        """With a value before the first turn."""
        firsts: list = []
        template = flatten(value, firsts)
        return cls(name, template, firsts, [kind_of(one) for one in firsts])

    @classmethod
    def empty(cls, name: str, value) -> Variable:
        """Without one, which has zeros then; it will be like the value given."""
        made = cls.of(name, value)
        made.firsts = [0] * len(made.firsts)
        return made

    def tensors(self) -> list[Tensor]:
        """What it is before the first turn."""
        return [as_tensor(first, kind) for first, kind in zip(self.firsts, self.kinds, strict=True)]

    def tensors_of(self, values: dict) -> list[Tensor]:
        """The tensors of its value among others; zeros where it has none."""
        if self.name in values:
            return self.as_tensors(values[self.name])
        return [as_tensor(0, kind) for kind in self.kinds]

    def takes(self, value, place: str) -> bool:
        """Whether it can be a value; where only the type of a number is in the way, that is changed.

        Raises:
            TypeError: It cannot.
        """
        leaves: list = []
        template = flatten(value, leaves)
        if template != self.template:
            raise TypeError(
                f"in the loop at {place}, the variable '{self.name}' is something else after a turn than "
                "before it, and no tensor or number both times"
            )
        fits = True
        for i, leaf in enumerate(leaves):
            if is_number(leaf) and is_number(self.firsts[i]):
                wider = _wider(kind_of(leaf), self.kinds[i])
            elif is_number(leaf) or kind_of(leaf) == self.kinds[i]:
                continue
            elif is_number(self.firsts[i]):
                wider = kind_of(leaf)
            else:
                raise TypeError(
                    f"in the loop at {place}, the variable '{self.name}' is {described(self.firsts[i])} "
                    f"before a turn and {described(leaf)} after it: variables of a loop must keep "
                    "type and shape"
                )
            fits = fits and wider == self.kinds[i]
            self.kinds[i] = wider
        return fits

    def narrow(self) -> bool:
        """Makes whole numbers smaller; whether there were any."""
        found = False
        for i, (first, (dtype, shape)) in enumerate(zip(self.firsts, self.kinds, strict=True)):
            if is_number(first) and dtype == mstype.int64 and -(2**31) <= first < 2**31:
                self.kinds[i] = (mstype.int32, shape)
                found = True
        return found

    def as_tensors(self, value) -> list[Tensor]:
        """The tensors of a value it can be."""
        leaves: list = []
        flatten(value, leaves)
        return [as_tensor(leaf, kind) for leaf, kind in zip(leaves, self.kinds, strict=True)]


_RANKS = (mstype.bool_, mstype.int32, mstype.int64, mstype.float32)


def _wider(one: tuple, other: tuple) -> tuple:
    """Of the kinds of two numbers, of which the second may be that of a tensor."""
    if one[0] in _RANKS and other[0] in _RANKS and _RANKS.index(one[0]) > _RANKS.index(other[0]):
        return one[0], other[1]
    return other


def as_tensor(value, kind: tuple) -> Tensor:
    """A tensor, or a number as a tensor of a kind."""
    if isinstance(value, Tensor):
        return value
    return Tensor(np.full(kind[1], value), kind[0])
