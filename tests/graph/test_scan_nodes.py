# SPDX-License-Identifier: Apache-2.0
"""Loops over elements that are one node of a compiled function: what turns make are rows of one tensor."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, ops
from mindspore import _c_expression as _c


def scanned(turn, first, elements, length=None):
    return ops.Scan()(turn, first, elements, length, False)


def summing(x, w, xs):
    """The elements are read, and what was carried is made."""
    last, all_of_them = scanned(lambda total, x: (total + x, total), x, xs)
    return (last * w).sum() + sum((one * one).sum() for one in all_of_them)


def recurrent(x, w, xs):
    """The same value is carried and made."""

    def turn(state, x):
        state = ops.tanh(state @ w + x)
        return state, state

    last, states = scanned(turn, x, xs)
    return last.sum() + sum((state * x).sum() for state in states)


def gated(x, w, xs):
    """The same, and a turn reads it more than once."""

    def turn(state, x):
        gate = ops.sigmoid(state @ w + x)
        state = gate * state + (1 - gate) * ops.tanh(state * x)
        return state, state

    last, states = scanned(turn, x, xs)
    return ops.sin(last).sum() + sum((state * w).sum() for state in states)


def only_made(x, w, xs):
    """What is carried has no part in the result; one of the results has none either."""

    def turn(state, x):
        state = ops.sin(state * x)
        return state, (state @ w, {"spare": x * 2})

    _, made = scanned(turn, x, xs)
    return sum(ops.cos(one[0]).sum() for one in made)


def of_pairs(x, w, xs):
    """Elements are tuples, and values of one turn are saved."""

    def turn(state, pair):
        a, b = pair
        return ops.tanh(state * a) + b, ops.exp(-a * state)

    last, made = scanned(turn, x, [(one, one * w) for one in xs])
    return (last * last).sum() + (made[0] * made[-1]).sum()


def without_elements(x, w, xs):
    """Turns are only counted."""
    last, made = scanned(lambda state, _: (ops.sin(state @ w), state.sum()), x, None, len(xs))
    return last.sum() + sum(made)


def in_each_other(x, w, xs):
    """A turn goes through elements itself."""
    others = [one * 0.5 for one in xs]

    def turn(state, x):
        state, made = scanned(lambda s, y: (ops.tanh(s * y + x), s @ w), state, others)
        return state, made[-1] + made[0]

    last, made = scanned(turn, x, xs)
    return last.sum() + sum((one * one).sum() for one in made)


FUNCTIONS = [summing, recurrent, gated, only_made, of_pairs, without_elements, in_each_other]


def arguments(count=5, seed=0):
    generator = np.random.default_rng(seed)
    draw = lambda: Tensor(generator.standard_normal((3, 3)).astype(np.float32) * 0.5)  # noqa: E731
    return draw(), draw(), [draw() for _ in range(count)]


def assert_equal(found, expected):
    found, expected = (v if isinstance(v, tuple) else (v,) for v in (found, expected))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


class Graphs:
    """What is compiled."""

    def __init__(self):
        self.texts = []

    def __enter__(self):
        _c.set_graph_watcher(self._note)
        return self

    def __exit__(self, *_):
        _c.set_graph_watcher(None)

    def _note(self, stage, name, text):
        if stage == "final":
            self.texts.append(text)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_modes_agree_bit_by_bit(function):
    compiled = ms.jit(function)
    with Graphs() as graphs:
        for seed in range(3):
            given = arguments(seed=seed)
            assert_equal(compiled(*given), function(*given))
    assert len(graphs.texts) == 1
    assert "while(" in graphs.texts[0]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_gradients_agree_bit_by_bit(function):
    """A list of elements made of one tensor, so that these have gradients too."""

    def whole(x, w, rows):
        return function(x, w, list(ops.unstack(rows)))

    compiled = ms.jit(lambda x, w, rows: ms.grad(whole, (0, 1, 2))(x, w, rows))
    with Graphs() as graphs:
        for seed in range(3):
            x, w, xs = arguments(seed=seed)
            given = x, w, ops.stack(xs)
            assert_equal(compiled(*given), ms.grad(whole, (0, 1, 2))(*given))
    # Forward and backward; in turns, twice that.
    assert graphs.texts[0].count("while(") == (4 if function is in_each_other else 2)
    assert len(graphs.texts) == 1


def test_results_are_memory_of_their_own():
    @ms.jit
    def function(x, xs):
        return scanned(lambda s, x: (s + x, s * x), x, xs)

    x, _, xs = arguments()
    last, made = function(x, xs)
    expected, rows = ops.Scan()(lambda s, x: (s + x, s * x), x, xs)
    made[0][:] = 7
    last[:] = 7
    assert made[0].asnumpy().min() == 7
    for one, other in zip(made[1:], rows[1:], strict=True):
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())
    np.testing.assert_array_equal(x.asnumpy(), arguments()[0].asnumpy())
    assert expected.shape == last.shape


@pytest.mark.parametrize(
    "elements",
    [[1, 2, 3], [Tensor([1.0]), Tensor([1.0, 2.0])], [(Tensor([1.0]), "a"), (Tensor([1.0]), "b")], []],
    ids=["numbers", "shapes", "texts", "none"],
)
def test_other_elements_are_taken_one_by_one(elements):
    def plain(x):
        def turn(state, element):
            element = element[0] if isinstance(element, tuple) else element
            return state + (element * ops.ones_like(state)).sum(), state

        return scanned(turn, x, elements)

    x = Tensor([0.5])
    last, made = ms.jit(plain)(x)
    expected, rows = plain(x)
    np.testing.assert_array_equal(last.asnumpy(), expected.asnumpy())
    assert len(made) == len(rows) == len(elements)
