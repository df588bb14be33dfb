# SPDX-License-Identifier: Apache-2.0
"""Graphs that are made for ever new sizes say how sizes of values follow from those of the arguments."""

from __future__ import annotations

import numpy as np

import mindspore as ms
from mindspore import Tensor, nn, ops

SIZES = (3, 4, 6, 9, 13)


def floats(*shape: int) -> Tensor:
    return Tensor(np.ones(shape, np.float32))


def last_text(function, *calls: tuple) -> str:
    """The graph of the last call, made of what earlier ones have taught."""
    for call in calls:
        function(*call)
    recipes = function._captured.recipes()
    assert any(recipe["made"] for recipe in recipes), recipes
    return function._captured.texts()[0]


def test_rows_of_a_batch():
    weight = floats(4, 2)

    @ms.jit
    def scaled(x, y):
        z = ops.matmul(x, weight)
        return ops.concat((z, y)).reshape(-1)

    text = last_text(scaled, *((floats(n, 4), floats(n + n // 3, 2)) for n in SIZES))
    assert "Float32(13, 4)[n, 4]" in text
    assert "Float32(17, 2)[m, 2]" in text
    assert "Float32(13, 2)[n, 2]" in text
    assert "Float32(30, 2)[n+m, 2]" in text


def test_axes_that_go_together_have_one_name():
    @ms.jit
    def masked(x, y):
        return ops.exp(x) * y

    text = last_text(masked, *((floats(n, 4), floats(n, 1)) for n in SIZES))
    assert text.count("[n, ") >= 3 and "[m" not in text


def test_what_python_decided_is_a_relation():
    @ms.jit
    def halves(x):
        if x.shape[0] > 2:
            return x.reshape(2 * x.shape[0], -1) + 1
        return x

    text = last_text(halves, *((floats(n, 6),) for n in SIZES))
    assert "where n > 2" in text.splitlines()[0]
    assert "[2*n, 3]" in text


def test_steps_of_windows():
    pool = nn.MaxPool2d(2, 2)

    @ms.jit
    def pooled(x):
        return pool(ops.exp(x))

    text = last_text(pooled, *((floats(1, 2, n + 2, 8),) for n in SIZES))
    assert "[1, 2, n//2, 4]" in text


def test_gradients_have_sizes_too():
    @ms.jit
    def slope(x):
        return ms.grad(lambda v: ops.tanh(v).sum())(x)

    text = last_text(slope, *((floats(n, 4),) for n in SIZES))
    line = next(line for line in text.splitlines() if "@ backward" in line)
    assert "[n, 4]" in line
