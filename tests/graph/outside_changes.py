# SPDX-License-Identifier: Apache-2.0
"""Pairs of calls between which something outside of the function changes.

A program is a kind of value, a way to change it, and a place where the function finds it.
"""

from __future__ import annotations

import functools
import itertools
import types
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import outside_memory
import outside_values
from outside_values import Kind, Slotted

from mindspore import Tensor, nn

_GLOBAL = None


def in_a_global(value, use):
    """A global variable."""
    global _GLOBAL
    _GLOBAL = value

    def function(t):
        return use(_GLOBAL, t)

    def put(new):
        global _GLOBAL
        _GLOBAL = new

    return function, put


def in_a_variable(value, use):
    """A variable of the function around."""

    def function(t):
        return use(value, t)

    def put(new):
        nonlocal value
        value = new

    return function, put


def in_a_default(value, use):
    """A default argument."""

    def function(t, held=value):
        return use(held, t)

    return function, lambda new: setattr(function, "__defaults__", (new,))


def in_a_keyword_default(value, use):
    """A default of a keyword."""

    def function(t, *, held=value):
        return use(held, t)

    return function, lambda new: function.__kwdefaults__.update(held=new)


def in_a_list(value, use):
    """An item of a list."""
    holder = [value]

    def function(t):
        return use(holder[0], t)

    return function, lambda new: holder.__setitem__(0, new)


def in_a_dict(value, use):
    """An entry of a dict."""
    holder = {"held": value}

    def function(t):
        return use(holder["held"], t)

    return function, lambda new: holder.update(held=new)


def in_an_object(value, use):
    """An attribute of an object."""
    holder = types.SimpleNamespace(held=value)

    def function(t):
        return use(holder.held, t)

    return function, lambda new: setattr(holder, "held", new)


def in_slots(value, use):
    """An attribute of an object with slots."""
    holder = Slotted(value)

    def function(t):
        return use(holder.x, t)

    return function, lambda new: setattr(holder, "x", new)


def in_a_class(value, use):
    """An attribute of a class."""
    holder = type(
        "Holder", (), {"held": value if not isinstance(value, types.FunctionType) else staticmethod(value)}
    )

    def function(t):
        return use(holder.held, t)

    def put(new):
        holder.held = staticmethod(new) if isinstance(new, types.FunctionType) else new

    return function, put


def in_a_module(value, use):
    """A name in a module."""
    holder = types.ModuleType("holder")
    holder.held = value

    def function(t):
        return use(holder.held, t)

    return function, lambda new: setattr(holder, "held", new)


def in_a_method(value, use):
    """An attribute of the object whose method is called."""

    class Owner:
        def __init__(self):
            self.held = value

        def function(self, t):
            return use(self.held, t)

    owner = Owner()
    return owner.function, lambda new: setattr(owner, "held", new)


def in_a_cell(value, use):
    """An attribute of a Cell."""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.held = value

        def construct(self, t):
            return use(self.held, t)

    net = Net()
    return net, lambda new: setattr(net, "held", new)


def in_a_partial(value, use):
    """An argument that is already given."""
    holder = functools.partial(use, value)

    def function(t):
        return holder(t)

    return function, lambda new: holder.__setstate__((use, (new,), {}, {}))


KINDS = [*outside_values.KINDS, *outside_memory.KINDS]
PLACES = [
    in_a_global,
    in_a_variable,
    in_a_default,
    in_a_keyword_default,
    in_a_list,
    in_a_dict,
    in_an_object,
    in_slots,
    in_a_class,
    in_a_module,
    in_a_method,
    in_a_cell,
    in_a_partial,
]


class Program(NamedTuple):
    """A kind of value, a change and a place."""

    kind: Kind
    change: str
    place: Callable

    def __str__(self) -> str:
        return f"{self.kind.name}, {self.change}, {self.place.__name__}"

    def results(self, compiled: Callable | None) -> list:
        """What calls before and after the change give: arrays, or the class of the error.

        Args:
            compiled (Union[Callable, None]): Makes a compiled function of one; None: it runs as it is.
        """
        value = self.kind.make()
        function, put = self.place(value, self.kind.use)
        call = function if compiled is None else compiled(function)
        inputs = Tensor(np.array([[1.0, -2.0], [0.5, 3.0]], np.float32))

        def outcome():
            try:
                return np.array(call(inputs).asnumpy())
            except Exception as error:
                return type(error)

        before = [outcome() for _ in range(3)]
        new = self.kind.changes[self.change](value)
        if new is not None:
            put(new)
        return [*before, outcome(), outcome()]


def programs() -> Iterator[Program]:
    """All of them."""
    for kind, place in itertools.product(KINDS, PLACES):
        for change in kind.changes:
            yield Program(kind, change, place)
