# SPDX-License-Identifier: Apache-2.0
"""Descriptions of functions differ when what the functions compute does, and only then."""

import functools
import subprocess
import sys
import types

import numpy as np
import pytest

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
