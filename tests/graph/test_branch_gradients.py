# SPDX-License-Identifier: Apache-2.0
"""Gradients through decisions that are one node of a compiled function, alone and in turns of loops."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore import _c_expression as _c


def whole(value):
    return Tensor(value, ms.int64)


def decided(condition, first, other):
    """What one of two functions gives; both are recorded while a function is."""
    if not _c.is_capturing():
        return (first if bool(condition) else other)()
    _c.begin_branch(condition)
    _c.begin_other_branch([first()])
    return _c.end_branch([other()])[0]


def looped(turn, n, y):
    """``turn`` made n times on a value, with the number of the turn."""
    return ops.WhileLoop()(
        lambda state: state[0] < n, lambda state: (state[0] + 1, turn(*state)), (whole(0), y)
    )[1]


def alone(x, w, n):
    """A side that computes and one that hands on."""
    y = decided(n > 2, lambda: ops.tanh(x @ w) * w, lambda: x)
    return (y * y).sum()


def twice(x, w, n):
    """One goes on with what another gives."""
    y = decided(n > 2, lambda: ops.sin(x) * w, lambda: ops.cos(w) + x)
    return decided(y.sum() > 1, lambda: y * y, lambda: y - x).sum()


def in_each_other(x, w, n):
    """A decision on one side of another."""

    def first():
        y = ops.exp(-x * x)
        return decided(n > 3, lambda: y * w, lambda: y @ w)

    return (decided(n > 0, first, lambda: w * 2) * x).sum()


def in_turns(x, w, n):
    """Each turn takes the side that its number says."""
    return looped(
        lambda i, y: decided(i % 3 == 0, lambda: ops.tanh(y @ w), lambda: y * 0.9 + ops.sin(w)), n, x
    ).sum()


def by_values(x, w, n):
    """The values decide, and a turn may do nothing."""
    return looped(lambda i, y: decided(y.sum() < 2, lambda: y * y + w * w + 0.1, lambda: y), n, x).sum()


def with_a_loop_inside(x, w, n):
    """A side is a loop; turns of it decide, too."""

    def inner(y):
        return looped(lambda k, z: decided(k > 0, lambda: ops.sin(z @ w), lambda: z + y), n % 4, y)

    return looped(lambda i, y: decided(i % 2 == 0, lambda: inner(y), lambda: ops.cos(y) * x), n, x).sum()


def read_before(x, w, n):
    """What only one side reads is computed before."""

    def turn(i, y):
        scale = ops.exp(y * w)
        return decided(i % 2 == 0, lambda: y + scale * 0.01, lambda: y * 0.5)

    return looped(turn, n, x).sum()


FUNCTIONS = [alone, twice, in_each_other, in_turns, by_values, with_a_loop_inside, read_before]


def arguments(seed):
    generator = np.random.default_rng(seed)
    return [Tensor(generator.standard_normal((3, 3)).astype(np.float32) * 0.5) for _ in range(2)]


def assert_equal(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_gradients_in_a_compiled_function(function):
    """They are those of the ways taken bit by bit (a zero may have another sign), in one program."""
    step = ms.grad(function, (0, 1))
    compiled = ms.jit(lambda x, w, n: ms.grad(function, (0, 1))(x, w, n))
    graphs = []
    _c.set_graph_watcher(lambda name, *_: graphs.append(name))
    try:
        for seed, n in enumerate((3, 0, 1, 2, 7, 40)):
            x, w = arguments(seed)
            assert_equal(compiled(x, w, whole(n)), step(x, w, whole(n)))
    finally:
        _c.set_graph_watcher(None)
    assert graphs.count("final") == 1


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_compiled_functions_in_a_gradient(function):
    inside, wanted = ms.grad(ms.jit(function), (0, 1)), ms.grad(function, (0, 1))
    for seed, n in enumerate((3, 3, 1, 7, 0, 40)):
        x, w = arguments(seed)
        assert_equal(inside(x, w, whole(n)), wanted(x, w, whole(n)))


def test_a_backward_of_ones_own_is_taken_way_by_way():
    """A region cannot hold it; whoever opens one is told so."""

    class Doubling(nn.Cell):
        """Says it doubles."""

        def construct(self, y):
            return y + 0

        def bprop(self, y, out, dout):
            return (dout * 2,)

    net = Doubling()
    reasons = []

    def function(x):
        try:
            return decided(x.sum() > 0, lambda: net(x), lambda: x).sum()
        except _c.Declined as declined:
            reasons.append(str(declined))
            _c.drop_regions(0)
            return net(x).sum()

    x = Tensor([1.0, 2.0], ms.float32)
    assert ms.jit(ms.grad(function))(x).asnumpy().tolist() == [2, 2]
    assert "gradient function" in reasons[0]


def test_an_error_on_a_side_names_the_line_and_the_turn():
    def function(x, n):
        read = lambda i: ops.gather(x, i, 0)  # noqa: E731
        return looped(lambda i, y: decided(i % 2 == 0, lambda: y + read(i), lambda: y * 0.5), n, x[0])

    x = Tensor([1.0, 2.0, 3.0])
    assert float(ms.jit(function)(x, whole(4))) == float(function(x, whole(4)))
    with pytest.raises((ValueError, IndexError), match=r"(?s)test_branch_gradients.py:\d+.*turn 5 of"):
        ms.jit(function)(x, whole(6))
