# SPDX-License-Identifier: Apache-2.0
"""Entries of dicts among the arguments: what is not read does not matter, numbers become inputs."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor

X = np.array([[1.0, -2.0, 3.5], [0.25, 4.0, -1.0]], np.float32)
COUNT = 24


def _batch(i: int) -> dict:
    return {"x": Tensor(X), "w": i / 7, "file": "f" * (i % 5) + str(i), "n": i}


def _captures(function) -> int:
    """Calls a function, compiled and not, with batches that differ; how often it was captured."""
    compiled = ms.jit(function)
    for i in range(COUNT):
        given, other = _batch(i), _batch(i)
        expected, found = function(given), compiled(other)
        assert np.array_equal(found.asnumpy(), expected.asnumpy())
        assert list(other) == list(given)
        assert np.array_equal(other["x"].asnumpy(), given["x"].asnumpy())
        assert type(other["w"]) is type(given["w"])
    assert not compiled._captured.given_up
    return compiled._captured.captures


@pytest.mark.parametrize(
    "function",
    [
        lambda d: d["x"] * 2,
        lambda d: d["x"] * d["w"],
        lambda d: d["x"] * d.get("w", 1) + d.get("nothing", 3),
        lambda d: d["x"] * ("w" in d) * len(d),
        lambda d: d["x"] * isinstance(d, dict),
    ],
)
def test_one_graph_for_all(function):
    assert _captures(function) == 3


def _write(d):
    d["x"] = d["x"] * 2
    return d["x"]


def _add(d):
    d.update(y=1)
    return d["x"] * 2


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
        _write,
        _add,
    ],
)
def test_what_is_read_is_a_value(function):
    _captures(function)


def test_entries_that_come_and_go():
    compiled = ms.jit(lambda d: d["x"] * d.get("w", 5.0))
    for i in range(COUNT):
        batch = _batch(i)
        if i % 3 == 0:
            del batch["w"]
        assert np.array_equal(compiled(batch).asnumpy(), (Tensor(X) * batch.get("w", 5.0)).asnumpy())
