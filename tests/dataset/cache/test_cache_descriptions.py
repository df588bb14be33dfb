# SPDX-License-Identifier: Apache-2.0
"""Descriptions of functions differ when what the functions compute does, and only then."""

import enum
import functools
import subprocess
import sys
import types

import numpy as np
import pytest

import mindspore
from mindspore.dataset import vision
from mindspore.dataset.engine._describe import CannotDescribeError, describe

FACTOR = 3
TABLE = np.arange(4)
settings = types.SimpleNamespace(scale=2)


def uses_global(x):
    return x * FACTOR


def uses_array(x):
    return TABLE[x]


def uses_object(x):
    return x * settings.scale


def calls(x):
    return uses_global(x)


def inner(x):
    return [value * FACTOR for value in x]


class Adder:
    step = 1

    def __init__(self, start):
        self.start = start

    def __call__(self, x):
        return x + self.start + self.step


def made(constant, default=1):
    def function(x, y=default):
        return x + y + constant

    return function


def test_functions_differ_by_what_they_hold():
    texts = [
        describe(made(1)),
        describe(made(2)),
        describe(made(1, default=2)),
        describe(lambda x: x + 1),
        describe(lambda x: x + 2),
        describe(lambda x: x - 1),
        describe(functools.partial(made(1), y=4)),
        describe(Adder(1)),
        describe(Adder(2)),
        describe(Adder(1).__call__),
        describe(vision.Resize((3, 4))),
        describe(vision.Resize((3, 5))),
        describe(vision.Resize((3, 4), vision.Inter.NEAREST)),
        describe(np.sin),
        describe(np.cos),
    ]
    assert len(set(texts)) == len(texts)
    assert describe(made(1)) == describe(made(1)) and describe(Adder(1)) == describe(Adder(1))


@pytest.mark.parametrize("function", [uses_global, calls, inner])
def test_globals_count(function, monkeypatch):
    before = describe(function)
    monkeypatch.setitem(globals(), "FACTOR", 4)
    assert describe(function) != before


def test_contents_of_globals_count(monkeypatch):
    array, thing, adder = describe(uses_array), describe(uses_object), describe(Adder(1))
    monkeypatch.setitem(globals(), "TABLE", np.arange(4) + 1)
    monkeypatch.setattr(settings, "scale", 5)
    monkeypatch.setattr(Adder, "step", 7)
    assert describe(uses_array) != array
    assert describe(uses_object) != thing
    assert describe(Adder(1)) != adder


def test_modules_of_the_user_count(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    texts = []
    for factor in (1, 2):
        name = f"own_module_{factor}"
        (tmp_path / f"{name}.py").write_text(f"scale = {factor}\ndef run(x):\n    return x * scale\n")
        module = __import__(name)

        def function(x, module=None):
            return own.run(x)  # noqa: F821

        monkeypatch.setitem(globals(), "own", module)
        first = describe(function)
        module.scale = 9
        texts += [first, describe(function)]
    assert len(set(texts)) == 3  # the two that scale by nine are alike


def uses_inside(x):
    import imported_inside

    return imported_inside.run(x)


def takes_inside(x):
    from imported_inside import run

    return run(x)


def uses_by_another_name(x):
    here = own  # noqa: F821
    return here.run(x)


@pytest.mark.parametrize("function", [uses_inside, takes_inside])
def test_imports_inside_of_functions_count(function, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    texts = []
    for factor in (1, 22):
        (tmp_path / "imported_inside.py").write_text(f"scale = {factor}\ndef run(x):\n    return x * scale\n")
        monkeypatch.delitem(sys.modules, "imported_inside", raising=False)
        texts += [describe(function), describe(function)]
    monkeypatch.delitem(sys.modules, "imported_inside")
    assert texts[0] == texts[1] != texts[2] == texts[3]


def test_imports_that_fail_are_left_to_the_call():
    def function(x):
        import there_is_no_such_module

        return there_is_no_such_module.run(x)

    assert describe(function) == describe(function)


def test_what_was_set_in_a_module_counts(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "module_with_settings.py").write_text("scale = 1\ndef run(x):\n    return x * scale\n")
    module = __import__("module_with_settings")
    monkeypatch.setitem(globals(), "own", module)
    before = describe(uses_by_another_name)
    module.scale = 2
    assert describe(uses_by_another_name) != before


class Level(enum.Enum):
    HIGH = 1


def test_values_of_enumerations_count():
    low, high = (enum.Enum("Level", {"HIGH": value}, module=__name__).HIGH for value in (1, 2))
    assert describe([low]) != describe([high])
    assert describe(Level.HIGH) == describe(Level.HIGH)


def test_attributes_of_users_count_whatever_their_names():
    def holder(**attributes):
        made = Adder(1)
        vars(made).update(attributes)
        return made

    for name in ("implementation", "_made"):
        assert describe(holder(**{name: 1})) != describe(holder(**{name: 2}))
    resize = vision.Resize((3, 4))
    before = describe(resize)
    resize.implementation = None  # as the map that runs it sets it
    assert describe(resize) == before


def test_tensors_and_cells_count_by_their_content():
    texts = [describe(mindspore.Tensor([1, number])) for number in (2, 3, 3)]
    assert texts[0] != texts[1] == texts[2]
    assert describe(mindspore.int32) != describe(mindspore.int64)
    assert describe(mindspore.nn.Dense(2, 2)) != describe(mindspore.nn.Dense(2, 2))


def test_names_of_fields_count():
    pairs = np.array([(1, 2)], [("a", "i4"), ("b", "i4")])
    assert describe(pairs) != describe(pairs.view([("b", "i4"), ("a", "i4")]))


def test_functions_of_libraries_without_a_name_differ_by_their_code():
    texts = {describe(eval(f"lambda x: x + {number}", {"__name__": "json"})) for number in (1, 2)}
    assert len(texts) == 2


def test_numbers_of_many_digits():
    assert describe(1 << 20000) != describe(1 << 20001)


def test_what_goes_too_deep():
    deep = []
    for _ in range(5000):
        deep = [deep]
    ring = Adder(1)
    ring.others = {ring}
    for value in (deep, ring):
        with pytest.raises(CannotDescribeError, match="too deep"):
            describe(value)


def test_order_of_dicts_counts_and_that_of_sets_does_not():
    assert describe({"a": 1, "b": 2}) != describe({"b": 2, "a": 1})
    assert describe({3, 1, 2}) == describe({1, 2, 3})


def test_cycles_come_to_an_end():
    ring = [1]
    ring.append(ring)
    assert describe(ring) == describe(ring)


@pytest.mark.parametrize("value", [open, (number for number in range(3))])
def test_what_nothing_describes(value, tmp_path):
    if value is open:
        value = open(tmp_path / "file", "w")  # noqa: SIM115
    with pytest.raises(CannotDescribeError, match="a value of type"):
        describe(lambda: value)


PRINTS = """
import numpy as np
from mindspore.dataset import vision
from mindspore.dataset.engine._describe import describe

class Table:
    def __init__(self):
        self.words = {"b", "a", "c"}
        self.numbers = np.arange(5)
    def __call__(self, x):
        return x if str(x) in self.words and x in {"x", "y", "z"} else vision.Resize(3)

print(describe(Table()))
"""


def test_processes_agree():
    texts = {subprocess.check_output([sys.executable, "-c", PRINTS], text=True) for _ in range(3)}
    assert len(texts) == 1
