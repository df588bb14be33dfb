# SPDX-License-Identifier: Apache-2.0
"""Loops of rewritten functions: how turns are made, and what they leave."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from mindspore import _c_expression as _c
from mindspore.common.tensor import Tensor

NEXT, BREAK, RETURN = range(3)  # how a turn ends
UNSET = object()  # stands for a variable that has no value


@dataclass
class Outcome:
    """What a loop has left."""

    values: dict
    broken: object = False
    returned: object = False
    value: object = None

    def has(self, name: str) -> bool:
        """Whether a variable has a value."""
        return name in self.values

    def __getitem__(self, name: str):
        return self.values[name]


@dataclass
class Span:
    """A range one of whose ends is a tensor."""

    first: object
    end: object
    step: int


def is_recorded(value) -> bool:
    """Whether a value is not known before the network runs."""
    return isinstance(value, Tensor) and _c.is_recorded(value)


@dataclass
class Turns:
    """A loop: where it stands, its variables, and how a turn is made.

    Attributes:
        place (str): The user's line.
        names (tuple): Names of its variables.
        written (tuple): Those of which it assigns items.
        attributes (tuple): Attributes it assigns.
        test (Callable): Tells from the variables whether another turn is made.
        body (Callable): Makes a turn; gives how it ends, with what, and its variables then.
        own (tuple): What the loop keeps besides the user's variables: the number of a range.
        advance (Callable): What that is after a turn.
        around (dict): All variables of the function that the loop stands in.
        reads (tuple): Names of those that a turn reads and that are no variables of the loop.
    """

    place: str
    names: tuple[str, ...]
    written: tuple[str, ...]
    attributes: tuple[str, ...]
    test: Callable
    body: Callable
    own: tuple = ()
    advance: Callable = field(default=lambda own: own)
    around: dict = field(default_factory=dict)
    reads: tuple[str, ...] = ()

    def stands_in(self, found: dict, *parts: Callable) -> dict:
        """The variables among all of the function; its parts are functions inside that."""
        self.around = found
        self.reads = tuple(name for part in parts for name in _free_names(part) if name not in self.names)
        return self.picked(found)

    def picked(self, found: dict) -> dict:
        """The variables that have values."""
        return {name: found[name] for name in self.names if found.get(name, UNSET) is not UNSET}

    def given(self, values: dict) -> list:
        """The variables in order."""
        return [values.get(name, UNSET) for name in self.names]


def _free_names(function: Callable) -> tuple[str, ...]:
    code = getattr(function, "__code__", None)
    return code.co_freevars if code is not None else ()


def written_back(original, changed):
    """Writes what a copy has become into the original, which others may know too."""
    if isinstance(original, Tensor):
        original[...] = changed
    elif isinstance(original, list):
        original[:] = changed
    elif isinstance(original, dict):
        original.update(changed)
    else:
        return changed
    return original
