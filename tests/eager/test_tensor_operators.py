# SPDX-License-Identifier: Apache-2.0
"""Python's operators on tensors beside the same on arrays."""

import operator

import numpy as np
import pytest

from mindspore import Tensor

ARRAYS = {
    "int": (np.array([3, -5, 2]), np.array([1, 2, 3])),
    "float": (np.array([3.0, -5.0, 2.0], np.float32), np.array([1.5, 2.0, 3.0], np.float32)),
    "bool": (np.array([True, False, True]), np.array([True, True, False])),
}
ARITHMETIC = ["add", "sub", "mul", "truediv", "floordiv", "mod", "matmul"]
BITS = ["and_", "or_", "xor"]
COMPARISONS = ["lt", "le", "eq", "ne", "gt", "ge"]


@pytest.mark.parametrize("name", [*ARITHMETIC, *COMPARISONS])
@pytest.mark.parametrize("kind", ["int", "float"])
def test_two_numbers(name, kind):
    a, b = ARRAYS[kind]
    apply = getattr(operator, name)
    np.testing.assert_allclose(apply(Tensor(a), Tensor(b)).asnumpy(), apply(a, b), rtol=1e-6)
    if name != "matmul":
        np.testing.assert_allclose(apply(Tensor(a), 2).asnumpy(), apply(a, 2), rtol=1e-6)


@pytest.mark.parametrize("name", BITS)
@pytest.mark.parametrize("kind", ["int", "bool"])
def test_bits(name, kind):
    a, b = ARRAYS[kind]
    apply = getattr(operator, name)
    result = apply(Tensor(a), Tensor(b)).asnumpy()
    assert result.dtype == a.dtype
    np.testing.assert_array_equal(result, apply(a, b))


@pytest.mark.parametrize("kind", ["int", "float", "bool"])
def test_complement(kind):
    a, _ = ARRAYS[kind]
    np.testing.assert_array_equal((~Tensor(a)).asnumpy(), a == 0)


@pytest.mark.parametrize("name", ["neg", "pos", "abs"])
def test_one_number(name):
    for a, _ in (ARRAYS["int"], ARRAYS["float"]):
        np.testing.assert_array_equal(
            getattr(operator, name)(Tensor(a)).asnumpy(), getattr(operator, name)(a)
        )


@pytest.mark.parametrize("other", [None, "text", object()])
def test_operands_that_do_not_fit_are_named_with_the_operator(other):
    x = Tensor([1.0])
    with pytest.raises(
        TypeError, match=rf"unsupported operand type\(s\) for -=: 'Tensor' and '{type(other).__name__}'"
    ):
        x -= other


def test_the_other_operand_may_know_better():
    class Knows:
        def __rmul__(self, tensor):
            return "known"

    x = Tensor([1.0])
    x *= Knows()
    assert x == "known"
