# SPDX-License-Identifier: Apache-2.0
"""Remainders and whole quotients of floating-point numbers."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, ops

TYPES = {ms.float32: np.float32, ms.float64: np.float64}


def test_remainder_of_a_huge_number(both_modes):
    x = Tensor([1e30, -1e30], ms.float64)
    for remainder in (ops.floor_mod, ops.remainder, lambda a, b: a % b, lambda a, b: a.floor_mod(b)):
        assert both_modes(lambda x, f=remainder: f(x, -3), x).tolist() == [-2.0, -1.0]
        assert both_modes(lambda x, f=remainder: f(x, 3.0), x).tolist() == [1.0, 2.0]
    assert both_modes(lambda x: ops.fmod(x, -3), x).tolist() == [1.0, -1.0]


def test_a_quotient_that_rounds_up(both_modes):
    x = Tensor([1.0, -1.0, 0.3], ms.float64)
    assert both_modes(lambda x: x % 0.1, x).tolist() == [1.0 % 0.1, -1.0 % 0.1, 0.3 % 0.1]
    assert both_modes(lambda x: x // 0.1, x).tolist() == [1.0 // 0.1, -1.0 // 0.1, 0.3 // 0.1]


def operands(dtype, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of all sizes and both signs."""
    random = np.random.default_rng(7)
    limit = 30 if dtype is np.float32 else 280
    size = 10.0 ** random.uniform(-limit, limit, (2, count // 2))
    near = random.integers(-9, 9, (2, count - count // 2)) / 8 + 1e-3
    a, b = np.concatenate([size * random.choice([-1, 1], size.shape), near], 1).astype(dtype)
    return a, np.where(b == 0, dtype(1), b)


@pytest.mark.parametrize("dtype", TYPES)
def test_remainders_are_those_of_numpy(both_modes, dtype):
    a, b = operands(TYPES[dtype], 4000)
    found = both_modes(lambda x, y: x % y, Tensor(a), Tensor(b)).asnumpy()
    np.testing.assert_array_equal(found, np.mod(a, b))


@pytest.mark.parametrize("dtype", TYPES)
def test_whole_quotients_are_those_of_numpy(both_modes, dtype):
    a, b = operands(TYPES[dtype], 4000)
    with np.errstate(over="ignore"):
        near = np.abs(a / b) < (2**22 if dtype is ms.float32 else 2**51)
    found = both_modes(lambda x, y: x // y, Tensor(a[near]), Tensor(b[near])).asnumpy()
    np.testing.assert_array_equal(found, np.floor_divide(a[near], b[near]))


@pytest.mark.parametrize("dtype", TYPES)
def test_what_has_no_remainder(both_modes, dtype):
    a, b = (
        Tensor([5.0, -5.0, np.inf, 1.0, np.nan, 2.0], dtype),
        Tensor([np.inf, np.inf, 2, 0, 1, np.nan], dtype),
    )
    assert np.isnan(both_modes(lambda x, y: x % y, a, b).asnumpy()).all()


def test_half_precision(both_modes):
    a = np.array([5.5, -5.5, 300.0, 0.1], np.float16)
    found = both_modes(lambda x: x % 0.7, Tensor(a))
    assert found.dtype == ms.float16
    wanted = np.mod(a.astype(np.float32), np.float32(0.7))
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=2e-3)
