# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms beside NumPy."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, ops


def values(*shape):
    generator = np.random.default_rng(5)
    return generator.standard_normal(shape) + 1j * generator.standard_normal(shape)


@pytest.mark.parametrize("length", [1, 2, 7, 8, 12, 97])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_one_axis(length, norm):
    x = values(3, length)
    np.testing.assert_allclose(ops.fft(Tensor(x), norm=norm).asnumpy(), np.fft.fft(x, norm=norm), 1e-9, 1e-11)
    np.testing.assert_allclose(
        ops.ifft(Tensor(x), norm=norm).asnumpy(), np.fft.ifft(x, norm=norm), 1e-9, 1e-11
    )
    half = ops.rfft(Tensor(x.real.copy()), norm=norm)
    np.testing.assert_allclose(half.asnumpy(), np.fft.rfft(x.real, norm=norm), 1e-9, 1e-11)
    back = ops.irfft(half, length, norm=norm)
    np.testing.assert_allclose(back.asnumpy(), x.real, 1e-9, 1e-11)


def test_lengths_and_axes():
    x = values(4, 5, 6)
    np.testing.assert_allclose(ops.fft(Tensor(x), 3, 1).asnumpy(), np.fft.fft(x, 3, 1), 1e-9, 1e-11)
    np.testing.assert_allclose(ops.fft(Tensor(x), 9, 0).asnumpy(), np.fft.fft(x, 9, 0), 1e-9, 1e-11)
    np.testing.assert_allclose(ops.fft2(Tensor(x)).asnumpy(), np.fft.fft2(x), 1e-9, 1e-10)
    np.testing.assert_allclose(ops.fftn(Tensor(x)).asnumpy(), np.fft.fftn(x), 1e-9, 1e-10)
    np.testing.assert_allclose(ops.ifft2(Tensor(x)).asnumpy(), np.fft.ifft2(x), 1e-9, 1e-10)
    np.testing.assert_allclose(
        ops.ifftn(Tensor(x), (2, 3), (0, 2)).asnumpy(), np.fft.ifftn(x, (2, 3), (0, 2))
    )
    np.testing.assert_array_equal(ops.fftshift(Tensor(x)).asnumpy(), np.fft.fftshift(x))
    np.testing.assert_array_equal(ops.ifftshift(Tensor(x), 1).asnumpy(), np.fft.ifftshift(x, 1))
    assert ops.fft(Tensor([1.0, 2.0])).dtype == ms.complex64


def test_primitive():
    x = values(3, 4)
    real = Tensor(x.real.copy())
    np.testing.assert_allclose(ops.FFTWithSize(2, False, False)(Tensor(x)).asnumpy(), np.fft.fft2(x))
    half = ops.FFTWithSize(2, False, True)(real)
    np.testing.assert_allclose(half.asnumpy(), np.fft.rfft2(x.real), 1e-9, 1e-11)
    np.testing.assert_allclose(ops.FFTWithSize(2, True, True)(half).asnumpy(), x.real, 1e-9, 1e-11)
    whole = ops.FFTWithSize(2, False, True, onesided=False)(real)
    np.testing.assert_allclose(whole.asnumpy(), np.fft.fft2(x.real), 1e-9, 1e-11)


def test_gradient():
    x = values(6).real.copy()

    def loss(t):
        power = ops.rfft(t)
        return (ops.real(power) ** 3).sum() + (ops.imag(power) ** 3).sum()

    gradient = ms.grad(loss)(Tensor(x)).asnumpy()
    for i in range(6):
        moved = np.zeros(6)
        moved[i] = 1e-6
        difference = (loss(Tensor(x + moved)) - loss(Tensor(x - moved))).asnumpy() / 2e-6
        np.testing.assert_allclose(gradient[i], difference, 1e-5, 1e-5)


def test_refusals():
    x = Tensor(values(3, 4))
    with pytest.raises(ValueError, match="dim"):
        ops.fft(x, dim=2)
    with pytest.raises(ValueError, match="norm"):
        ops.fft(x, norm="half")
    with pytest.raises(ValueError, match="positive"):
        ops.fft(x, 0)
    with pytest.raises(TypeError, match="real"):
        ops.rfft(x)
    with pytest.raises(ValueError, match="signal_ndim"):
        ops.FFTWithSize(4, False, False)


def test_gradients_of_parts_and_constants():
    x, y = Tensor([1.0, 2.0]), Tensor([0.5, -1.0])

    def loss(a, b):
        number = ops.Complex()(a, b)
        return (ops.real(number) * 3 + ops.imag(number) * 4).sum() + (ops.zeros_like(a) * b).sum()

    of_real, of_imaginary = ms.grad(loss, (0, 1))(x, y)
    assert of_real.asnumpy().tolist() == [3, 3]
    assert of_imaginary.asnumpy().tolist() == [4, 4]
    assert ms.grad(lambda a: ops.ones_like(a).sum())(x).asnumpy().tolist() == [0, 0]
