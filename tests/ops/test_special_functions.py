# SPDX-License-Identifier: Apache-2.0
"""Bessel, zeta, incomplete gamma and beta functions against identities and integrals."""

import math

import numpy as np
import pytest

from mindspore import Tensor, ops

X = np.array([0.1, 0.7, 2.0, 5.0, 11.0, 29.0, 31.0, 120.0])


def _integral(function, low, high, count=200_001):
    t = np.linspace(low, high, count)
    y = function(t)
    return ((y[1:] + y[:-1]) / 2).sum(0) * (t[1] - t[0])


def _run(name, *values):
    return getattr(ops, name)(*[Tensor(v) for v in values]).asnumpy()


# Each as an integral over [0, pi] (first kind) or a decaying one (K).
@pytest.mark.parametrize("order", [0, 1])
def test_bessel_first_kind(order):
    wanted = (
        _integral(lambda t: np.cos(order * t[:, None] - X * np.sin(t[:, None])), 0, math.pi, 4001) / math.pi
    )
    np.testing.assert_allclose(_run(f"bessel_j{order}", X), wanted, atol=1e-10)
    scaled = _integral(
        lambda t: np.exp(X * (np.cos(t[:, None]) - 1)) * np.cos(order * t[:, None]), 0, math.pi, 20001
    )
    np.testing.assert_allclose(_run(f"bessel_i{order}e", X), scaled / math.pi, rtol=1e-8)
    np.testing.assert_allclose(_run(f"bessel_i{order}", X), scaled / math.pi * np.exp(X), rtol=1e-8)


@pytest.mark.parametrize("order", [0, 1])
def test_bessel_second_kind(order):
    scaled = _integral(
        lambda t: np.exp(X * (1 - np.cosh(t[:, None]))) * np.cosh(order * t[:, None]), 0, 8, 20001
    )
    np.testing.assert_allclose(_run(f"bessel_k{order}e", X), scaled, rtol=1e-8)
    np.testing.assert_allclose(_run(f"bessel_k{order}", X), scaled * np.exp(-X), rtol=1e-8)


def test_bessel_wronskians():
    j0, j1, y0, y1 = (_run(f"bessel_{name}", X) for name in ("j0", "j1", "y0", "y1"))
    np.testing.assert_allclose(j1 * y0 - j0 * y1, 2 / (math.pi * X), rtol=1e-9)


def test_bessel_outside():
    edge = np.array([0.0, -1.0])
    for name in ("y0", "k0", "k1", "k0e", "k1e"):
        assert not np.isfinite(_run(f"bessel_{name}", edge)).any()


def test_zeta_and_polygamma():
    np.testing.assert_allclose(
        _run("zeta", np.array([2.0, 4.0]), np.ones(2)), [math.pi**2 / 6, math.pi**4 / 90]
    )
    q = np.array([0.3, 1.5, 8.0, 40.0])
    for s in (1.5, 3.0, 20.0):
        ladder = _run("zeta", np.full(4, s), q) - _run("zeta", np.full(4, s), q + 1)
        np.testing.assert_allclose(ladder, q**-s, rtol=1e-6, atol=1e-40)
    trigamma = _run("polygamma", np.array(1), np.array([1.0, 0.5]))
    np.testing.assert_allclose(trigamma, [math.pi**2 / 6, math.pi**2 / 2], rtol=1e-12)
    reflected = _run("polygamma", np.array(1), np.array([-0.25, 1.25])).sum()
    np.testing.assert_allclose(reflected, math.pi**2 / math.sin(math.pi * 0.25) ** 2, rtol=1e-10)


def test_incomplete_gamma_and_beta_are_integrals():
    a, b, x = 2.5, 1.7, 0.6
    lower = _integral(lambda t: t ** (a - 1) * np.exp(-t), 0, 3.0) / math.gamma(a)
    np.testing.assert_allclose(_run("igamma", np.array(a), np.array(3.0)), lower, rtol=1e-8)
    np.testing.assert_allclose(_run("igammac", np.array(a), np.array(3.0)), 1 - lower, rtol=1e-8)
    whole = math.gamma(a) * math.gamma(b) / math.gamma(a + b)
    part = _integral(lambda t: t ** (a - 1) * (1 - t) ** (b - 1), 0, x) / whole
    found = ops.Betainc()(*[Tensor(np.array(v)) for v in (a, b, x)]).asnumpy()
    np.testing.assert_allclose(found, part, rtol=1e-8)


def test_draws():
    numbers = ops.Gamma(seed=3)((4000,), Tensor([2.0, 6.0]), Tensor([1.0, 2.0])).asnumpy()
    np.testing.assert_allclose(numbers.mean(0), [2, 3], rtol=0.08)
    counts = ops.Poisson(seed=3)((4000,), Tensor([2.0, 30.0])).asnumpy()
    np.testing.assert_allclose(counts.mean(0), [2, 30], rtol=0.08)
