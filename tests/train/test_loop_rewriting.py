# SPDX-License-Identifier: Apache-2.0
"""Functions whose loops are calls do what they did."""

from __future__ import annotations

import ast
import inspect
import textwrap
import traceback

import pytest

from mindspore._capture.decisions import Decisions
from mindspore._capture.loops.names import variables_of
from mindspore._capture.loops.running import LoopRunner

BASE = 10


def run(function, *arguments):
    """Calls the rewritten function."""
    decisions = Decisions()
    runner = LoopRunner("net", decisions, lambda tensor: tensor)
    made = runner.callee(function)
    assert made.__code__ is not function.__code__
    outcomes = []
    decisions.explore(lambda: made(*arguments), lambda outcome: outcomes.append(outcome) or [])
    return outcomes[0]


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def first_square(n):
    for i in range(n):
        if i * i > n:
            return i, "found"
        if i == 7:
            continue
        last = i
    else:
        return last, "ended"


def pairs(n):
    found = []
    for i in range(n):
        for j in range(i, n):
            if (i + j) % 3:
                continue
            if i * j > 6:
                break
            found.append((i, j))
        else:
            found.append("row")
    return found


def leaving_all(n):
    for i in range(n):
        k = 0
        while True:
            k += 1
            if k > i:
                break
            if k * i == 6:
                return i, k
    return None


def with_cleaning(n):
    log = []
    for i in range(n):
        try:
            if i == 2:
                continue
            if i == 4:
                break
            log.append(1 // (i - 1))
        except ZeroDivisionError as error:
            log.append(type(error).__name__)
        finally:
            log.append("done")
    return log, i


def outside(n):
    total = BASE
    step = [1]

    def grow(value):
        while value < n * BASE:
            value += step[0]
        return value

    table = {"x": 1}
    while total < n:
        table["x"] += total
        total, n = total + 3, n - 1
    return grow(total), table, [k + 1 for k in range(3)]


def conditions(n, *more, limit=4, **named):
    while (half := n // 2) > limit and not named.get("stop"):
        n -= 3
        while n % 2:
            n += 1
    return n, half, more


def unrelated_names(n):
    i = "before"
    for _ in range(n):
        i = 0
        while i < 3:
            i += 1
    value = i
    del i
    return value


def generator(n):
    for i in range(n):
        yield i * 2


class Counter:
    """Private names, and a method of the class above."""

    def __init__(self):
        self.__count = 0

    def count(self, n):
        """Counts."""
        while self.__count < n:
            self.__count += 2
        return self.__count


class Doubled(Counter):
    """Calls the method above."""

    def count(self, n):
        """Counts twice."""
        found = 0
        while found < n:
            found += 1
        return super().count(n) + found


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (collatz, (27,)),
        (first_square, (30,)),
        (first_square, (2,)),
        (pairs, (6,)),
        (leaving_all, (5,)),
        (leaving_all, (2,)),
        (with_cleaning, (7,)),
        (outside, (30,)),
        (conditions, (31,)),
        (conditions, (31, 1, 2)),
        (unrelated_names, (2,)),
    ],
)
def test_results_are_the_same(function, arguments):
    assert run(function, *arguments) == function(*arguments)


@pytest.mark.parametrize("kind", [Counter, Doubled])
def test_methods(kind):
    assert run(kind().count, 5) == kind().count(5)


def test_generators_stay_as_they_are():
    runner = LoopRunner("net", Decisions(), None)
    assert runner.callee(generator) is generator
    assert runner.callee(len) is len
    assert runner.callee(inspect.getsource) is inspect.getsource


def failing(n):
    while n > 0:
        n -= 1
        if n == 2:
            raise ValueError("here")
    return n


def test_errors_name_the_line():
    with pytest.raises(ValueError, match="here") as failure:
        run(failing, 5)
    lines, first = inspect.getsourcelines(failing)
    wanted = first + next(i for i, line in enumerate(lines) if "raise" in line)
    frames = traceback.extract_tb(failure.value.__traceback__)
    assert (frames[-1].filename, frames[-1].lineno) == (__file__, wanted)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("while x < n:\n    y = x * 2\n    x = y + 1\nreturn x", ["x"]),
        ("while x < n:\n    y = x * 2\n    x = y + 1\nreturn y", ["x", "y"]),
        ("while x < n:\n    x = x + y\n    y = 3\nreturn x", ["x", "y"]),
        ("while x < n:\n    if x:\n        y = 1\n    x += y\nreturn x", ["x", "y"]),
        ("while x < n:\n    if x:\n        y = 1\n    else:\n        y = 2\n    x += y\nreturn x", ["x"]),
        ("while n:\n    for i in range(3):\n        n -= i\nreturn n", ["n"]),
        ("for i in range(n):\n    x[i] = i\nreturn x", ["x"]),
        ("for i in range(n):\n    x.y[i] = i\nreturn i", ["i"]),
        ("f = lambda: y\nwhile x < n:\n    y = x\n    x = x + 1\nreturn f()", ["x", "y"]),
        ("while x < n:\n    with n as y:\n        x = y\n    z = [y for y in x]\nreturn z", ["x", "z"]),
    ],
)
def test_variables_of_a_loop(text, wanted):
    tree = ast.parse("def f(x, n):\n" + textwrap.indent(text, "    ")).body[0]
    loop = next(each for each in ast.walk(tree) if isinstance(each, (ast.While, ast.For)))
    assert variables_of(loop, tree, loop) == wanted
