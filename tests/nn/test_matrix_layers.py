# SPDX-License-Identifier: Apache-2.0
"""Layers over single operations on matrices and borders."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops

SQUARE = np.arange(9, dtype=np.float32).reshape(3, 3)


def test_products_and_triangles():
    x = Tensor(SQUARE)
    np.testing.assert_array_equal(nn.MatMul(transpose_x2=True)(x, x).asnumpy(), SQUARE @ SQUARE.T)
    np.testing.assert_array_equal(nn.Tril()(x, -1).asnumpy(), np.tril(SQUARE, -1))
    np.testing.assert_array_equal(nn.Triu()(x).asnumpy(), np.triu(SQUARE))
    np.testing.assert_array_equal(nn.Range(1, 8, 2)().asnumpy(), [1, 3, 5, 7])


@pytest.mark.parametrize("mode", ["CONSTANT", "REFLECT", "SYMMETRIC"])
def test_borders(mode):
    widths = ((1, 2), (0, 1))
    expected = np.pad(SQUARE, widths, mode.lower())
    np.testing.assert_array_equal(nn.Pad(widths, mode)(Tensor(SQUARE)).asnumpy(), expected)
    if mode == "CONSTANT":
        np.testing.assert_array_equal(ops.Pad(widths)(Tensor(SQUARE)).asnumpy(), expected)
    else:
        padded = ops.MirrorPad(mode)(Tensor(SQUARE), Tensor(np.array(widths)))
        np.testing.assert_array_equal(padded.asnumpy(), expected)


def test_bad_borders():
    with pytest.raises(TypeError, match="tuple"):
        nn.Pad([[1, 1]])
    with pytest.raises(ValueError, match="negative"):
        ops.Pad(((-1, 1),))
    with pytest.raises(ValueError, match="pairs"):
        ops.Pad(((1, 1),))(Tensor(SQUARE))
    with pytest.raises(ValueError, match="mode"):
        nn.Pad(((1, 1),), "WRAP")


def test_tensor_as_a_shape_for_numpy():
    assert np.zeros(Tensor([2, 3])).shape == (2, 3)
    assert list(Tensor([2, 3])) == [2, 3]
    assert ops.zeros(Tensor([2, 3]), ms.int32).shape == (2, 3)


def test_placeholder_of_unknown_rank():
    assert Tensor(shape=None, dtype=ms.float32).shape == (-2,)


def test_next_after():
    x = np.array([1.0, -2.0, 0.0], np.float32)
    got = Tensor(x).nextafter(Tensor([2.0])).asnumpy()
    np.testing.assert_array_equal(got, np.nextafter(x, np.float32(2)))


def test_square_factor_of_a_method():
    x = Tensor(np.random.default_rng(0).standard_normal((4, 2)))
    assert x.qr()[0].shape == (4, 2)
    assert x.qr(False)[0].shape == (4, 4)
