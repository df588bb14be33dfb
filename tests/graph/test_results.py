# SPDX-License-Identifier: Apache-2.0
"""Results that hold tensors in unusual places: every call gives out its own tensors."""

from __future__ import annotations

import collections
import functools
import types

import pytest

from mindspore import Tensor, jit


class Plain:
    pass


class Slotted:
    __slots__ = ("part",)


def in_attributes(x):
    outer = Plain()
    outer.value, outer.parts = x + 1, [x + 1]
    return outer


def in_attributes_of_attributes(x):
    outer = Plain()
    outer.inner = Plain()
    outer.inner.value = x + 1
    return outer


def in_slots(x):
    outer = Slotted()
    outer.part = x + 1
    return outer


KINDS = {
    "set": (lambda x: {x + 1}, lambda found: next(iter(found))),
    "deque": (lambda x: collections.deque([x + 1]), lambda found: found[0]),
    "slice": (lambda x: slice(x + 1), lambda found: found.stop),
    "mapping": (lambda x: types.MappingProxyType({"a": x + 1}), lambda found: found["a"]),
    "partial": (lambda x: functools.partial(max, x + 1), lambda found: found.args[0]),
    "nested": (lambda x: [1, {"a": (x.shape, {x + 1})}], lambda found: next(iter(found[1]["a"][1]))),
    "attributes": (in_attributes_of_attributes, lambda found: found.inner.value),
    "slots": (in_slots, lambda found: found.part),
}


@pytest.mark.parametrize("name", KINDS)
def test_tensors_are_those_of_the_call(name):
    function, part = KINDS[name]
    compiled = jit(function)
    for value in (1, 5, 7):
        assert int(part(compiled(Tensor(value)))) == value + 1
    (reason,) = compiled._captured.reasons
    assert "it returns an object that holds tensors" in reason


def test_attributes_of_a_new_object_are_replayed():
    compiled = jit(in_attributes)
    for value in (1, 5, 7):
        found = compiled(Tensor(value))
        assert int(found.value) == int(found.parts[0]) == value + 1
    assert not compiled._captured.reasons


def test_views_of_a_dict_are_tuples_and_a_list():
    @jit
    def viewed(x):
        table = {"a": x + 1, "b": 2}
        return table.keys(), table.values(), table.items()

    for value in (1, 5, 7):
        keys, values, items = viewed(Tensor(value))
        assert keys == ("a", "b")
        assert type(values) is tuple and (int(values[0]), values[1]) == (value + 1, 2)
        assert type(items) is list and int(items[0][1]) == value + 1
        assert items[1] == ("b", 2)
    assert not viewed._captured.reasons


def test_objects_without_tensors_stay_compiled():
    @jit
    def named(x):
        return {"a"}, collections.deque([1, 2]), slice(1, 2), x * 2

    for value in (1, 5, 7):
        assert named(Tensor(value))[:3] == ({"a"}, collections.deque([1, 2]), slice(1, 2))
    assert not named._captured.reasons
