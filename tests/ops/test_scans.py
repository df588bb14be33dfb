# SPDX-License-Identifier: Apache-2.0
"""Running sums, products and logarithms of sums."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, ops

INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([-200.0, 0.0], [-200.0, 0.0]),
        ([0.0, -200.0], [0.0, 0.0]),
        ([2.0, INF], [2.0, INF]),
        ([INF, 2.0, INF], [INF, INF, INF]),
        ([-INF, -INF, 3.0], [-INF, -INF, 3.0]),
        ([1.0, NAN, 3.0], [1.0, NAN, NAN]),
        ([3e38, 3e38], [3e38, 3e38]),
        ([-104.0, -104.0], [-104.0, -104.0 + np.log(2)]),
    ],
)
def test_logcumsumexp_is_exact_far_apart(both_modes, values, expected):
    x = Tensor(values, ms.float32)
    forms = (lambda x: ops.logcumsumexp(x, 0), lambda x: x.logcumsumexp(-1), ops.CumulativeLogsumexp())
    for form in forms:
        arguments = (x, 0) if form is forms[2] else (x,)
        np.testing.assert_allclose(both_modes(form, *arguments).asnumpy(), np.float32(expected), rtol=1e-6)


def test_logcumsumexp_of_nothing_and_of_one_number(both_modes):
    empty = both_modes(lambda x: ops.logcumsumexp(x, 0), Tensor(np.zeros((0, 3), np.float32)))
    assert empty.shape == (0, 3) and empty.dtype == ms.float32
    assert both_modes(lambda x: ops.logcumsumexp(x, 0), Tensor(2.5)).shape == ()
    assert both_modes(lambda x: ops.logcumsumexp(x, 0), Tensor([1, 2])).dtype == ms.float32


def test_logcumsumexp_refuses_an_axis_that_is_not_there(both_modes):
    both_modes.refuse(ValueError, lambda x: ops.logcumsumexp(x, 2), Tensor([1.0]), match="axis")
    both_modes.refuse(TypeError, lambda x: ops.logcumsumexp(x, 0), Tensor([1j]))


def test_logcumsumexp_gradient_reaches_what_is_far_below(both_modes):
    x = np.array([-200.0, 0.0, 1.0, 300.0], np.float32)
    wanted = np.zeros(4)
    for k in range(4):
        share = np.exp(x[: k + 1].astype(np.float64) - np.logaddexp.accumulate(x.astype(np.float64))[k])
        wanted[: k + 1] += share
    gradient = both_modes.gradient(lambda x: ops.logcumsumexp(x, 0).sum(), Tensor(x))
    np.testing.assert_allclose(gradient.asnumpy(), wanted, rtol=1e-6)


def test_logcumsumexp_gradient_of_infinities(both_modes):
    x = Tensor([-INF, 0.0, INF, 1.0], ms.float32)
    gradient = both_modes.gradient(lambda x: ops.logcumsumexp(x, 0).sum(), x)
    np.testing.assert_array_equal(gradient.asnumpy(), [1.0, 1.0, 2.0, 0.0])


@pytest.mark.parametrize("reverse", [False, True])
def test_cumulative_logsumexp_leaves_the_element_out(both_modes, reverse):
    x = np.array([0.5, 1.0, -2.0, 3.0], np.float32)
    order = slice(None, None, -1 if reverse else 1)
    running = np.logaddexp.accumulate(x[order])
    wanted = np.concatenate([[np.finfo(np.float32).min], running[:-1]])[order]
    primitive = ops.CumulativeLogsumexp(exclusive=True, reverse=reverse)
    np.testing.assert_allclose(both_modes(primitive, Tensor(x), 0).asnumpy(), wanted, rtol=1e-6)


@pytest.mark.parametrize("scan", [ops.cumsum, ops.cumprod])
def test_a_type_that_is_asked_for_is_taken_first(both_modes, scan):
    counted = both_modes(lambda x: scan(x, 0, ms.int32), Tensor([True, True, False]))
    assert counted.dtype == ms.int32
    wanted = np.cumsum([1, 1, 0]) if scan is ops.cumsum else np.cumprod([1, 1, 0])
    np.testing.assert_array_equal(counted.asnumpy(), wanted)
    whole = both_modes(lambda x: scan(x, 0, ms.int32), Tensor([1.7, 2.7]))
    np.testing.assert_array_equal(whole.asnumpy(), [1, 3] if scan is ops.cumsum else [1, 2])


def test_tensor_cumsum_takes_the_type_first(both_modes):
    whole = both_modes(lambda x: x.cumsum(dtype=ms.int32), Tensor([1.7, 1.7]))
    assert whole.dtype == ms.int32 and whole.tolist() == [1, 2]
    assert both_modes(lambda x: x.cumsum(0, ms.int32), Tensor([True, True])).tolist() == [1, 2]


def test_bool_without_a_type_has_no_running_sum(both_modes):
    both_modes.refuse(TypeError, lambda x: ops.cumsum(x, 0), Tensor([True]))
    both_modes.refuse(TypeError, lambda x: ops.cumprod(x, 0), Tensor([True]))
