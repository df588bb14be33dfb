# SPDX-License-Identifier: Apache-2.0
"""Lists and tuples that are searched for a tensor: graph mode compares tensors as wholes."""

import operator
import sys

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, jit

needs_positions = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="Python tells what a call is since 3.11"
)


def three(*values, dtype=np.float32):
    return Tensor(np.array(values, dtype))


def test_ambiguous_in_pynative_mode():
    with pytest.raises(ValueError, match="truth value"):
        three(1, 2, 3) in [three(1, 2, 3)]  # noqa: B015


@pytest.mark.parametrize("kind", [tuple, list])
def test_in(kind):
    @jit
    def is_among(x, y):
        values = kind((1, "one", (2, 3), y, Tensor([1, 1])))
        return x in values, x not in values

    for _ in range(3):
        assert is_among(three(1, 2, 3), three(1, 2, 3)) == (True, False)
        assert is_among(three(1, 2, 3), three(1, 2, 4)) == (False, True)


def test_shape_and_type_belong_to_it():
    @jit
    def is_among(x, y):
        return x in (y,)

    x = three(1, 1, 1)
    assert is_among(x, three(1, 1, 1))
    assert not is_among(x, three(1, 1))
    assert not is_among(x, three(1))
    assert not is_among(x, Tensor(np.ones((1, 3), np.float32)))
    assert not is_among(x, three(1, 1, 1, dtype=np.int32))
    assert is_among(three(1), Tensor(1.0))  # single ones as ever


def test_decisions_and_gradients():
    @jit
    def doubled_if_known(x, known):
        if x in [known, known + 1]:
            return (x * 2).sum()
        return x.sum()

    gradient = ms.grad(doubled_if_known)
    known = three(1, 2, 3)
    for _ in range(3):
        assert gradient(three(1, 2, 3), known).asnumpy().tolist() == [2, 2, 2]
        assert gradient(three(2, 3, 4), known).asnumpy().tolist() == [2, 2, 2]
        assert gradient(three(2, 3, 5), known).asnumpy().tolist() == [1, 1, 1]


def test_first_gradients_of_several_functions():
    for factor in (2, 3):

        @jit
        def scaled_if_known(x, known, factor=factor):
            return (x * factor).sum() if x in [known] else x.sum()

        assert ms.grad(scaled_if_known)(three(1, 2, 3), three(1, 2, 3)).asnumpy().tolist() == [factor] * 3


def test_in_a_loop():
    @jit
    def count(x, limit):
        seen, i = 0, 0
        while i < limit:
            if x + i in (three(2, 3, 4), three(4, 5, 6)):
                seen += 1
            i += 1
        return seen

    for limit in range(70):
        assert count(three(1, 2, 3), Tensor(limit)) == (limit > 1) + (limit > 3)


@needs_positions
def test_methods():
    @jit
    def searched(x, y):
        values = [1, y, x, y]
        places = values.count(y), values.index(y), (2, y).index(y), operator.countOf(values, y)
        values.remove(y)
        return places, len(values), operator.contains(values, y)

    for _ in range(3):
        assert searched(three(1, 2), three(3, 4)) == ((2, 1, 1, 2), 3, True)
        assert searched(three(1, 2), three(1, 2)) == ((3, 1, 1, 3), 3, True)


@needs_positions
def test_nothing_found():
    @jit
    def place(x, y):
        return [x, x + 1].index(y)

    with pytest.raises(ValueError, match="is not in list"):
        place(three(1, 2), three(3, 4))


def test_other_questions_stay_as_they_are():
    @jit
    def compared(x, y):
        return x == y, operator.eq(x, y), list(map(operator.eq, [x], [y]))[0]

    for result in compared(three(1, 2), three(1, 3)):
        assert result.asnumpy().tolist() == [True, False]

    @jit
    def decided(x, y):
        return x if x == y else y

    with pytest.raises(ValueError, match="truth value"):
        decided(three(1, 2), three(1, 2))
