# SPDX-License-Identifier: Apache-2.0
"""Dicts as arguments: entries that a function does not read do not matter."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor

X = np.array([[1.0, -2.0, 3.5], [0.25, 4.0, -1.0]], np.float32)


def _batch(i: int) -> dict:
    return {"x": Tensor(X), "file": "f" * (i % 5) + str(i), "n": i, "w": i / 7}


def _captures(function) -> int:
    """Calls a function, compiled and not, with batches that differ; how often it was captured."""
    compiled = ms.jit(function)
    for i in range(24):
        given, other = _batch(i), _batch(i)
        expected, found = function(given), compiled(other)
        assert np.array_equal(found.asnumpy(), expected.asnumpy())
        assert list(other) == list(given)
        assert np.array_equal(other["x"].asnumpy(), given["x"].asnumpy())
        assert all(other[key] == given[key] for key in given if key != "x")
    return compiled._captured.captures


def test_what_is_not_read_does_not_matter():
    def function(d):
        y = d["x"] * 2
        return y + d["x"]

    assert _captures(function) == 1


def _write(d):
    d["x"] = d["x"] * 2
    return d["x"]


def _add(d):
    d.update(y=1)
    return d["x"] * 2


def _by_a_name(d, key="n"):
    return d["x"] * d[key]


def _in_a_comprehension(d):
    return sum([d["x"] * len(d) for _ in range(2)])


@pytest.mark.parametrize(
    "function",
    [
        lambda d: d["x"] * len(d["file"]),
        lambda d: sum(part for key, part in d.items() if key == "x"),
        lambda d: d["x"] * len(list(d)),
        lambda d: (lambda x, w, file, n: x * w)(**d),
        lambda d: d["x"] if d["n"] > 5 else d["x"] * 2,
        lambda d: dict(d)["x"] * dict(d)["w"],
        lambda d: {**d, "k": 1}["x"] * 3,
        lambda d: d["x"] * (d == {}),
        lambda d: d["x"] * (type(d) is dict),
        lambda d: d["x"] * len(repr(d["n"])),
        lambda d: d["x"] * d.get("n"),
        lambda d: d["x"] * ("w" in d) * len(d),
        _write,
        _add,
        _by_a_name,
        _in_a_comprehension,
    ],
)
def test_what_is_read_matters(function):
    _captures(function)


def test_a_key_that_is_missing():
    @ms.jit
    def function(d):
        return d["x"] * d["w"]

    function(_batch(1))
    with pytest.raises(KeyError, match="w"):
        function({"x": Tensor(X), "other": 3})


def test_which_dicts_are_one():
    @ms.jit
    def function(d, e, x):
        return x * 2 if d is e else x * 3

    d = {"a": 1}
    for _ in range(3):
        assert function(d, dict(d), Tensor(X)).asnumpy()[0, 0] == 3
        assert function(d, d, Tensor(X)).asnumpy()[0, 0] == 2


@pytest.mark.parametrize("kind", [lambda: {"a": 1, "x": Tensor(X)}, lambda: [Tensor(X), 2]])
def test_a_container_that_is_given_back(kind):
    given = kind()
    alone, beside = ms.jit(lambda x, d: d), ms.jit(lambda x, d: (x * 2, d))
    for _ in range(3):
        assert alone(Tensor(X), given) is given
        doubled, same = beside(Tensor(X), given)
        assert same is given
        assert np.array_equal(doubled.asnumpy(), X * 2)
