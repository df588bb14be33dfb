# SPDX-License-Identifier: Apache-2.0
"""Pooling of volumes."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, ops


def volume(*shape):
    return np.random.default_rng(3).standard_normal(shape).astype(np.float32)


def windows(x, kernel, stride):
    """(N, C, D', H', W', cells)."""
    view = np.lib.stride_tricks.sliding_window_view(x, kernel, (2, 3, 4))
    view = view[:, :, :: stride[0], :: stride[1], :: stride[2]]
    return view.reshape(*view.shape[:5], -1)


@pytest.mark.parametrize(("kernel", "stride"), [((2, 2, 2), (2, 2, 2)), ((3, 2, 1), (1, 2, 3))])
def test_against_windows(kernel, stride):
    x = volume(2, 3, 6, 5, 7)
    expected = windows(x, kernel, stride)
    values, places = ops.max_pool3d(Tensor(x), kernel, stride, return_indices=True)
    np.testing.assert_array_equal(values.asnumpy(), expected.max(-1))
    picked = np.take_along_axis(x.reshape(2, 3, -1), places.asnumpy().reshape(2, 3, -1), 2)
    np.testing.assert_array_equal(picked.reshape(values.shape), values.asnumpy())
    means = ops.avg_pool3d(Tensor(x), kernel, stride)
    np.testing.assert_allclose(means.asnumpy(), expected.mean(-1), 1e-4, 1e-6)
    np.testing.assert_allclose(ops.AvgPool3D(kernel, stride)(Tensor(x)).asnumpy(), means.asnumpy())
    np.testing.assert_array_equal(ops.MaxPool3D(kernel, stride)(Tensor(x)).asnumpy(), values.asnumpy())


def test_padding():
    x = volume(1, 1, 4, 4, 4)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1), (1, 1)))
    expected = windows(padded, (3, 3, 3), (2, 2, 2))
    means = ops.avg_pool3d(Tensor(x), 3, 2, 1)
    np.testing.assert_allclose(means.asnumpy(), expected.mean(-1), 1e-4, 1e-6)
    counted = windows(np.pad(np.ones_like(x), ((0, 0), (0, 0), (1, 1), (1, 1), (1, 1))), (3, 3, 3), (2, 2, 2))
    means = ops.avg_pool3d(Tensor(x), 3, 2, 1, count_include_pad=False)
    np.testing.assert_allclose(means.asnumpy(), expected.sum(-1) / counted.sum(-1), 1e-4, 1e-6)
    assert ops.MaxPool3D(3, 2, "same")(Tensor(x)).shape == (1, 1, 2, 2, 2)
    assert ops.max_pool3d(Tensor(x[0]), 2).shape == (1, 2, 2, 2)
    assert ops.avg_pool3d(Tensor(x[0]), 2, 2).shape == (1, 2, 2, 2)


def test_gradient_reaches_the_largest():
    x = volume(1, 2, 4, 4, 4)
    gradient = ms.grad(lambda t: ops.max_pool3d(t, 2).sum())(Tensor(x)).asnumpy()
    assert gradient.sum() == 16
    assert set(np.unique(gradient)) == {0, 1}


def test_refusals():
    x = Tensor(volume(1, 1, 4, 4, 4))
    with pytest.raises(TypeError, match="kernel_size"):
        ops.max_pool3d(x, 2.0)
    with pytest.raises(ValueError, match="stride"):
        ops.avg_pool3d(x, 2, 0)
    with pytest.raises(ValueError, match="padding"):
        ops.max_pool3d(x, 2, padding=2)
    with pytest.raises(ValueError, match="axes"):
        ops.max_pool3d(Tensor(volume(4, 4)), 2)
    with pytest.raises(ValueError, match="pad_mode"):
        ops.MaxPool3D(2, pad_mode="all")
