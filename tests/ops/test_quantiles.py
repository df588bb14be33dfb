# SPDX-License-Identifier: Apache-2.0
"""Quantiles and medians."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, ops

X = np.random.default_rng(3).normal(size=(3, 4, 5)).astype(np.float32)
WITH_GAPS = np.where(np.random.default_rng(4).random(X.shape) < 0.2, np.nan, X).astype(np.float32)
FUNCTIONS = {ops.quantile: np.quantile, ops.nanquantile: np.nanquantile}


@pytest.mark.parametrize("q", [-0.5, 1.5, float("nan"), [0.5, 2.0], [[0.5]]])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_shares_outside_are_refused(both_modes, function, q):
    both_modes.refuse(ValueError, lambda x: function(x, q), Tensor(X), match="'q'")
    both_modes.refuse(ValueError, function, Tensor(X), Tensor(q), match="'q'")


@pytest.mark.parametrize("function", FUNCTIONS)
def test_axes_outside_are_refused(both_modes, function):
    both_modes.refuse(ValueError, lambda x: function(x, 0.3, axis=3), Tensor(X), match="axis")
    both_modes.refuse(ValueError, lambda x: function(x, 0.3, axis=-4), Tensor(X), match="axis")
    both_modes.refuse(ValueError, lambda x: function(x, 0.3, axis=0), Tensor(2.0), match="axes")
    both_modes.refuse(ValueError, lambda x: function(x, 0.3), Tensor(np.zeros((0, 2), np.float32)))
    both_modes.refuse(TypeError, lambda x: function(x, 0.3), Tensor([1, 2, 3]))
    assert both_modes(lambda x: function(x, 0.5), Tensor(3.0)).shape == ()


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("q", [0, 0.3, 1.0, [0.1, 0.5, 0.9]])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_quantiles_are_those_of_numpy(both_modes, function, q, axis, keep):
    for x in (X, WITH_GAPS):
        wanted = FUNCTIONS[function](x, q, axis, keepdims=keep)
        found = both_modes(lambda x: function(x, q, axis, keep), Tensor(x))
        assert found.dtype == ms.float32 and found.shape == wanted.shape
        np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5, atol=1e-6)


def test_forms(both_modes):
    wanted = np.quantile(X, 0.3, 1)
    for form in (lambda x: x.quantile(0.3, 1), lambda x: ops.Quantile(dim=1)(x, Tensor(0.3))):
        np.testing.assert_allclose(both_modes(form, Tensor(X)).asnumpy(), wanted, rtol=1e-5)
    nan = both_modes(lambda x: ops.Quantile(1, False, True)(x, Tensor(0.3)), Tensor(WITH_GAPS))
    np.testing.assert_allclose(nan.asnumpy(), np.nanquantile(WITH_GAPS, 0.3, 1), rtol=1e-5)


def test_many_halves_are_counted(both_modes):
    x = np.arange(5000, dtype=np.float16)
    found = both_modes(lambda x: ops.quantile(x, 0.5), Tensor(x))
    assert found.dtype == ms.float16
    assert float(found) == pytest.approx(float(np.quantile(x.astype(np.float64), 0.5)), rel=1e-3)


def test_gradients(both_modes):
    x = Tensor([1.0, 5.0, 2.0])
    assert both_modes.gradient(lambda x: ops.quantile(x, 0.75), x).tolist() == [0, 0.5, 0.5]
    share = both_modes.gradient(lambda q: ops.quantile(x, q), Tensor(0.75))
    assert float(share) == pytest.approx(6.0)


@pytest.mark.parametrize("function", [ops.median, ops.nanmedian])
def test_medians(both_modes, function):
    both_modes.refuse(ValueError, lambda x: function(x, 4), Tensor([1.0]), match="axis")
    both_modes.refuse(ValueError, function, Tensor(np.zeros((2, 0), np.float32)), match="empty")
    value, index = both_modes(function, Tensor(3.0))
    assert float(value) == 3 and index.dtype == ms.int64
    value, index = both_modes(function, Tensor([[3.0, 1.0, 2.0, 4.0]]))
    assert value.tolist() == [2] and index.tolist() == [2]
