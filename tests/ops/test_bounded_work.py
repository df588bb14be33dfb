# SPDX-License-Identifier: Apache-2.0
"""Numbers of the user's that decide how much is done: what would never end is refused at once."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mindspore import Tensor, nn, ops

HUGE = (2**31, 2**62, 2**63 - 1)


@pytest.mark.parametrize("p", [*HUGE, 0, -1])
def test_mvlgamma_of_no_dimension(both_modes, p):
    x = Tensor([3.0, 4.0])
    for form in (lambda x: ops.mvlgamma(x, p), lambda x: x.mvlgamma(p), lambda x: ops.Mvlgamma(p)(x)):
        both_modes.refuse(ValueError, form, x, match="'p'")


@pytest.mark.parametrize("p", [1, 2, 3, 8])
def test_mvlgamma(both_modes, p):
    x = np.array([[3.6, 4.0], [7.5, 20.0]])
    wanted = p * (p - 1) / 4 * math.log(math.pi) + sum(np.vectorize(math.lgamma)(x - i / 2) for i in range(p))
    for form in (lambda x: ops.mvlgamma(x, p), lambda x: x.mvlgamma(p), lambda x: ops.Mvlgamma(p)(x)):
        np.testing.assert_allclose(both_modes(form, Tensor(x)).asnumpy(), wanted, rtol=1e-10)
    gradient = both_modes.gradient(lambda x: ops.mvlgamma(x, p).sum(), Tensor(x)).asnumpy()
    slope = sum(ops.digamma(Tensor(x - i / 2)).asnumpy() for i in range(p))
    np.testing.assert_allclose(gradient, slope, rtol=1e-10)


def test_mvlgamma_outside_of_its_domain(both_modes):
    both_modes.refuse(ValueError, lambda x: ops.mvlgamma(x, 3), Tensor([2.0, 1.0]), match="greater than")
    assert np.isnan(both_modes(lambda x: ops.mvlgamma(x, 3), Tensor([float("nan")])).asnumpy()).all()


@pytest.mark.parametrize("power", HUGE)
def test_powers_with_too_many_digits(power):
    with pytest.raises(OverflowError, match="bits"):
        ops.scalar_pow(-100, power)
    assert ops.scalar_pow(-1, power) == (-1) ** power and ops.scalar_pow(1, power) == 1
    assert ops.scalar_pow(0, power) == 0 and ops.scalar_pow(2, -2) == 0.25
    assert ops.scalar_pow(3, 100) == 3**100 and ops.scalar_pow(2.0, 3) == 8


@pytest.mark.parametrize("stop", HUGE)
def test_ranges_with_too_many_numbers(stop):
    with pytest.raises(ValueError, match="make_range"):
        ops.make_range(stop)
    assert ops.make_range(3) == (0, 1, 2) and ops.make_range(5, 0, -2) == (5, 3, 1)
    assert ops.make_range(stop, stop + 2) == (stop, stop + 1) and ops.make_range(3, 0) == ()


@pytest.mark.parametrize("radius", HUGE)
def test_neighbours_beyond_all_channels(both_modes, radius):
    x = Tensor(np.random.default_rng(0).normal(size=(1, 3, 2, 2)).astype(np.float32))
    for form in (lambda x: ops.lrn(x, radius), lambda x: ops.LRN(radius)(x)):
        np.testing.assert_allclose(both_modes(form, x).asnumpy(), ops.lrn(x, 2).asnumpy(), rtol=1e-6)


@pytest.mark.parametrize("n", HUGE)
def test_many_differences_are_none(both_modes, n):
    assert both_modes(lambda x: ops.diff(x, n), Tensor([1.0, 2.0, 4.0])).shape == (0,)


@pytest.mark.parametrize("n", HUGE)
def test_powers_of_matrices_take_few_products(both_modes, n):
    quarter = Tensor([[0.0, -1.0], [1.0, 0.0]])
    turned = both_modes(lambda x: ops.matrix_power(x, n), quarter).asnumpy()
    np.testing.assert_array_equal(turned, np.linalg.matrix_power(np.array([[0, -1], [1, 0]]), n % 4))
    assert both_modes(lambda x: x**n, Tensor([1, -1])).tolist() == [1, (-1) ** n]


@pytest.mark.parametrize("steps", HUGE)
def test_lists_of_rates_have_an_end(steps):
    makers = (
        lambda: nn.exponential_decay_lr(0.1, 0.9, steps, 2, 1),
        lambda: nn.cosine_decay_lr(0.01, 0.1, steps, 2, 2),
        lambda: nn.polynomial_decay_lr(0.1, 0.01, steps, 2, 2, 0.5),
        lambda: nn.warmup_lr(0.1, steps, 2, 2),
    )
    for make in makers:
        with pytest.raises(ValueError, match="total_step"):
            make()
