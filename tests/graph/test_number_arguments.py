# SPDX-License-Identifier: Apache-2.0
"""Numbers as arguments: after a few values they are inputs, where Python only computes with them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from comparison import same

import mindspore as ms
from mindspore import Parameter, Tensor, jit, nn, ops

X = [1.0, -2.0, 3.5]
VALUES = (0.5, 2.0, -1.5, 3.0, 0.1, 7.25, 1e-3, -4.0)


def both(function, *values, x=X, dtype=ms.float32, keyword: bool = False) -> int:
    """Calls a function with many numbers, compiled and not; it gives the same. How often it was captured."""
    compiled = jit(function)
    for value in values or VALUES:
        given = Tensor(x, dtype)
        call = (lambda f, g=given, v=value: f(g, k=v)) if keyword else (lambda f, g=given, v=value: f(g, v))
        same(call(compiled), call(function), f"{value}")
    assert not compiled._captured.given_up
    return compiled._captured.captures


@pytest.mark.parametrize("keyword", [False, True])
def test_one_graph_for_all_values(keyword):
    assert both(lambda x, k: x * k + k, keyword=keyword) == 3


@pytest.mark.parametrize("dtype", [ms.float32, ms.float64, ms.int32, ms.int64])
@pytest.mark.parametrize("values", [VALUES, (1, 2, 3, -4, 5, 6, 7, 8)])
def test_types_are_those_of_python_numbers(dtype, values):
    assert both(lambda x, k: (x + k, k - x, x * k, x / k, x < k, x == k, k >= x), *values, dtype=dtype) == 3


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.bool_, ms.uint8])
def test_other_types_are_specialized_by_value(dtype):
    both(lambda x, k: x * k, dtype=dtype)


def test_numbers_computed_from_numbers():
    assert both(lambda x, k: x * (1 - k) + (k * k + 2) * x - (k + k)) == 3


@pytest.mark.parametrize(
    "function",
    [
        lambda x, k: x if k > 1 else x * 2,
        lambda x, k: x * math.sin(k),
        lambda x, k: x * int(k),
        lambda x, k: x * abs(k),
        lambda x, k: x**k,
        lambda x, k: x * (1 / k),
        lambda x, k: (x, f"{k}"),
        lambda x, k: (x * k, k),
        lambda x, k: {"x": x * k, "all": [k]},
        lambda x, k: x * np.float32(k),
        lambda x, k: x + Tensor(np.array([1.0, 2.0, 3.0], np.float32) * k),
        lambda x, k: ops.full((3,), k, dtype=ms.float32) + x,
        lambda x, k: ops.clamp(x, -abs(k), abs(k)),
        lambda x, k: ops.leaky_relu(x, k),
        lambda x, k: x * max(k, 1),
        lambda x, k: x * {0.5: 1.0}.get(k, 2.0),
        lambda x, k: x * k.is_integer(),
        lambda x, k: x * (2.0 if isinstance(k, float) else 3.0) * round(k),
        lambda x, k: ops.mul(x, k),
        lambda x, k: x * (2.0 if type(k) is float else 3.0),
    ],
)
def test_other_uses_make_it_a_number(function):
    both(function)


def test_integers_as_sizes_and_places():
    both(lambda x, k: ops.zeros((k,)) + x[k % 3], *range(1, 9))
    both(lambda x, k: x.sum() + sum(range(k)), *range(1, 9))
    both(lambda x, k: ops.stack([x] * k).sum(0), *range(1, 9))


def test_one_is_a_number_the_other_is_not():
    compiled, plain = (
        jit(lambda x, a, b: x * a if b > 2 else x + a),
        lambda x, a, b: x * a if b > 2 else x + a,
    )
    for i in range(12):
        same(compiled(Tensor(X), i / 3, i % 4), plain(Tensor(X), i / 3, i % 4), str(i))
    assert not compiled._captured.given_up


def test_a_tensor_in_place_of_the_number():
    function = lambda x, k: x * k  # noqa: E731
    compiled = jit(function)
    for value in (*VALUES, Tensor(2.0, ms.float64), 5.0, Tensor(2.0, ms.float32), True, 6.0, None):
        if value is None:
            with pytest.raises(TypeError):
                compiled(Tensor(X), value)
        else:
            same(compiled(Tensor(X), value), function(Tensor(X), value), f"{value}")


def test_gradients_with_numbers():
    def step(x, k):
        return ms.value_and_grad(lambda x: (x * x * k).sum())(x)

    both(step)


def test_parameters_are_updated_once_per_call():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.total = Parameter(Tensor(0.0), "total")

        def construct(self, x, k):
            self.total += 1.0
            return ops.leaky_relu(x, k) * self.total

    def totals(mode):
        ms.set_context(mode=mode)
        try:
            net = Net()
            return [(net(Tensor(X), k), float(net.total)) for k in VALUES]
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)

    same(totals(ms.GRAPH_MODE), totals(ms.PYNATIVE_MODE), "totals")


def test_errors_are_those_of_the_function():
    @jit
    def root(x, k):
        if k < 0:
            raise ValueError(f"negative: {k}")
        return x * k

    for k in (1.0, 2.0, 3.0, 4.0, -5.0, 6.0, -7.0):
        if k < 0:
            with pytest.raises(ValueError, match=f"negative: {k}"):
                root(Tensor(X), k)
        else:
            same(root(Tensor(X), k), Tensor(X) * k, str(k))


def test_kept_numbers_are_numbers():
    kept = []

    @jit
    def keeps(x, k):
        kept.append(k)
        return x * k

    for k in VALUES:
        same(keeps(Tensor(X), k), Tensor(X) * k, str(k))
    assert [float(k) for k in kept] == list(VALUES)
