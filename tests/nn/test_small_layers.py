# SPDX-License-Identifier: Apache-2.0
"""Layers over single functions, images, tables of vectors and steps, in both modes."""

import math

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops

rng = np.random.default_rng(0)
X = rng.uniform(0.2, 3.0, (3, 4)).astype(np.float32)
X64 = X.astype(np.float64)
Y = rng.uniform(0.2, 30.0, (3, 4)).astype(np.float32)
MATRICES = (rng.random((2, 3, 3)) + 3 * np.eye(3)).astype(np.float32)
WIDE = rng.random((2, 2, 3)).astype(np.float32)
VALUES = np.arange(20, dtype=np.float32).reshape(10, 2)

_gamma = np.vectorize(math.lgamma)


def _set_diagonal(x, diagonal):
    y = x.copy()
    for k in range(min(x.shape[-2:])):
        y[..., k, k] = diagonal[..., k]
    return y


CASES = {
    "LGamma": (nn.LGamma(), (X,), _gamma(X)),
    "DiGamma": (nn.DiGamma(), (X,), (_gamma(X64 + 1e-5) - _gamma(X64 - 1e-5)) / 2e-5),
    "LBeta": (nn.LBeta(), (X, Y), _gamma(X) + _gamma(Y) - _gamma(X.astype(float) + Y)),
    "LBeta large": (nn.LBeta(), (Y + 8, Y), _gamma(Y + 8.0) + _gamma(Y) - _gamma(2 * Y.astype(float) + 8)),
    "ReduceLogSumExp": (nn.ReduceLogSumExp(1), (X,), np.log(np.exp(X).sum(1))),
    "ReduceLogSumExp all": (nn.ReduceLogSumExp((), True), (X,), np.log(np.exp(X).sum(keepdims=True))),
    "Norm": (nn.Norm(1, True), (X,), np.linalg.norm(X, axis=1, keepdims=True)),
    "L1Regularizer": (nn.L1Regularizer(0.5), (X - 1,), 0.5 * np.abs(X - 1).sum()),
    "Roll": (nn.Roll((1, 2), (0, 1)), (X,), np.roll(X, (1, 2), (0, 1))),
    "MatDet": (nn.MatDet(), (MATRICES,), np.linalg.det(MATRICES)),
    "MatInverse": (nn.MatInverse(), (MATRICES,), np.linalg.inv(MATRICES)),
    "MatrixDiag": (nn.MatrixDiag(), (X,), np.stack([np.diag(row) for row in X])),
    "MatrixDiagPart": (nn.MatrixDiagPart(), (WIDE,), np.diagonal(WIDE, axis1=-2, axis2=-1)),
    "MatrixSetDiag": (nn.MatrixSetDiag(), (WIDE, X[:2, :2]), _set_diagonal(WIDE, X[:2, :2])),
    "MatrixSetDiag high": (
        nn.MatrixSetDiag(),
        (WIDE.swapaxes(1, 2).copy(), X[:2, :2]),
        _set_diagonal(WIDE.swapaxes(1, 2).copy(), X[:2, :2]),
    ),
    "PSNR": (
        nn.PSNR(),
        (WIDE.reshape(1, 1, 3, 4), X.reshape(1, 1, 3, 4)),
        [10 * np.log10(1 / np.square(WIDE.reshape(3, 4) - X).mean())],
    ),
}


def _run(cell, inputs):
    return cell(*[Tensor(a) for a in inputs])


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("name", CASES)
def test_value(name, mode):
    cell, inputs, wanted = CASES[name]
    ms.set_context(mode=mode)
    try:
        np.testing.assert_allclose(_run(cell, inputs).asnumpy(), wanted, rtol=3e-4, atol=2e-5)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_incomplete_gamma():
    # P(1, x) = 1 - exp(-x), P(2, x) = 1 - (1 + x) exp(-x)
    ones = np.ones_like(X)
    np.testing.assert_allclose(_run(nn.IGamma(), (ones, Y)).asnumpy(), 1 - np.exp(-Y), rtol=1e-6)
    found = _run(nn.IGamma(), (2 * ones, X)).asnumpy()
    np.testing.assert_allclose(found, 1 - (1 + X) * np.exp(-X), rtol=2e-5)
    upper = ops.igammac(Tensor(ones), Tensor(Y)).asnumpy()
    np.testing.assert_allclose(upper, np.exp(-Y), rtol=1e-5)


def test_incomplete_beta():
    # I_x(1, b) = 1 - (1 - x)^b, I_x(a, 1) = x^a
    x = np.linspace(0.05, 0.95, 7)
    shape = np.array([[0.5], [2.0], [9.0]])
    betainc = ops.Betainc()
    one = Tensor(np.ones((1, 1)))
    low = betainc(one, Tensor(shape), Tensor(x)).asnumpy()
    np.testing.assert_allclose(low, 1 - (1 - x) ** shape, rtol=1e-9)
    high = betainc(Tensor(shape), one, Tensor(x)).asnumpy()
    np.testing.assert_allclose(high, x**shape, rtol=1e-9)


def test_moments():
    mean, variance = nn.Moments(0, True)(Tensor(X))
    np.testing.assert_allclose(mean.asnumpy(), X.mean(0, keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(variance.asnumpy(), X.var(0, keepdims=True), rtol=1e-5)
    half, _ = nn.Moments()(Tensor(X, ms.float16))
    assert half.dtype == ms.float16 and half.shape == ()


def test_image_gradients():
    image = rng.random((2, 3, 4, 5)).astype(np.float32)
    down, right = nn.ImageGradients()(Tensor(image))
    np.testing.assert_allclose(down.asnumpy()[:, :, :-1], np.diff(image, axis=2), rtol=1e-6)
    np.testing.assert_allclose(right.asnumpy()[..., :-1], np.diff(image, axis=3), rtol=1e-6)
    assert not down.asnumpy()[:, :, -1].any() and not right.asnumpy()[..., -1].any()


def _window(size, sigma):
    one = np.exp(-((np.arange(size) - (size - 1) / 2) ** 2) / (2 * sigma**2))
    return np.outer(one, one) / one.sum() ** 2


def _similarity(a, b, size=5, sigma=1.5):
    """(luminance * contrast, contrast) of (N, C, H, W), averaged over positions."""
    window = _window(size, sigma)

    def blur(x):
        views = np.lib.stride_tricks.sliding_window_view(x, (size, size), (2, 3))
        return (views * window).sum((-2, -1))

    c1, c2 = 0.01**2, 0.03**2
    m1, m2 = blur(a), blur(b)
    light = (2 * m1 * m2 + c1) / (m1**2 + m2**2 + c1)
    contrast = (2 * (blur(a * b) - m1 * m2) + c2) / (blur(a * a + b * b) - m1**2 - m2**2 + c2)
    return (light * contrast).mean((-2, -1)), contrast.mean((-2, -1))


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_structural_similarity(mode):
    a = rng.random((2, 3, 16, 16))
    b = 0.7 * a + 0.3 * rng.random(a.shape)
    images = [Tensor(v, ms.float32) for v in (a, b)]
    ms.set_context(mode=mode)
    try:
        found = nn.SSIM(filter_size=5)(*images).asnumpy()
        np.testing.assert_allclose(found, _similarity(a, b)[0].mean(1), rtol=1e-4)
        found = nn.MSSSIM(power_factors=(0.4, 0.6), filter_size=5)(*images).asnumpy()
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    halved = [v.reshape(2, 3, 8, 2, 8, 2).mean((3, 5)) for v in (a, b)]
    wanted = _similarity(a, b)[1] ** 0.4 * _similarity(*halved)[0] ** 0.6
    np.testing.assert_allclose(found, wanted.mean(1), rtol=1e-4)


def test_similarity_of_bytes():
    image = Tensor(rng.integers(0, 256, (1, 1, 12, 12)), ms.uint8)
    np.testing.assert_allclose(nn.SSIM(max_val=255)(image, image).asnumpy(), [1], rtol=1e-5)


@pytest.mark.parametrize("joined", [None, 0])
def test_time_distributed(joined):
    layer = nn.Dense(3, 4)
    x = rng.random((2, 5, 3)).astype(np.float32)
    found = nn.TimeDistributed(layer, 1, joined)(Tensor(x)).asnumpy()
    np.testing.assert_allclose(found, layer(Tensor(x)).asnumpy(), rtol=1e-5, atol=1e-6)


def test_tensor_array():
    array = nn.TensorArray(ms.float32, (2,))
    assert array.write(2, Tensor([1.0, 2.0])) and array.write(0, Tensor([3.0, 4.0]))
    np.testing.assert_array_equal(array.stack().asnumpy(), [[3, 4], [0, 0], [1, 2]])
    np.testing.assert_array_equal(array.read(2).asnumpy(), [1, 2])
    assert int(array.size()) == 3 and array.clear() and int(array.size()) == 0 and array.close()
    with pytest.raises(IndexError):
        nn.TensorArray(ms.float32, (), dynamic_size=False, size=1).write(1, 0.5)


@pytest.mark.parametrize(
    ("operator", "wanted"),
    [
        ("SUM", [[[4, 5], [32, 35]], [[5, 6.5], [0, 0]]]),
        ("MAX", [[[4, 5], [24, 26]], [[3, 3.5], [0, 0]]]),
        ("MEAN", [[[4, 5], [32 / 3, 35 / 3]], [[10 / 3, 13 / 3], [0, 0]]]),
    ],
)
def test_fields(operator, wanted):
    layer = nn.MultiFieldEmbeddingLookup(10, 2, 2, Tensor(VALUES), operator=operator)
    found = layer(
        Tensor([[2, 4, 6, 0], [1, 3, 5, 0]]),
        Tensor([[1, 1, 2, 0], [1, 0.5, 0, 0]], ms.float32),
        Tensor([[0, 1, 1, 0], [0, 0, 1, 0]]),
    )
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-6)


def test_lookup_limits_length():
    found = nn.EmbeddingLookup(10, 2, Tensor(VALUES), max_norm=1.0)(Tensor([0, 3])).asnumpy()
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), [1, 1], rtol=1e-5)


def _thor_layers():
    image = Tensor(rng.random((2, 3, 6, 6)), ms.float32)
    numbers = Tensor([[0, 2], [2, 1]], ms.int32)
    return [
        (nn.DenseThor(4, 3), Tensor(X), (4, 4), 3),
        (nn.Conv2dThor(3, 5, 3), image, (27, 27), 5),
        (nn.EmbeddingThor(4, 3), numbers, (4,), 3),
        (nn.EmbeddingLookupThor(4, 3), numbers, (4,), 3),
    ]


@pytest.mark.parametrize("index", range(4))
def test_second_moments_are_kept(index):
    layer, x, of_inputs, outputs = _thor_layers()[index]
    weights = layer.trainable_params()
    ms.grad(lambda v: layer(v).mean(), None, weights)(x)
    assert layer.matrix_a.shape == of_inputs and layer.matrix_g.shape == (outputs, outputs)
    assert layer.matrix_a.asnumpy().any() and layer.matrix_g.asnumpy().any()
    if index == 0:
        np.testing.assert_allclose(layer.matrix_a.asnumpy(), X.T @ X / 3, rtol=1e-5)
        np.testing.assert_allclose(layer.matrix_g.asnumpy(), np.full((3, 3), 3 * 3 / 9**2), rtol=1e-5)


def test_products_with_the_jacobian():
    value, product = nn.Jvp(nn.Norm())(Tensor(X), Tensor(np.ones_like(X)))
    np.testing.assert_allclose(product.asnumpy(), X.sum() / np.linalg.norm(X), rtol=1e-5)
    back = nn.Vjp(nn.Norm())(Tensor(X), Tensor(2.0, ms.float32))[1]
    np.testing.assert_allclose(back.asnumpy(), 2 * X / float(value), rtol=1e-5)


@pytest.mark.parametrize(
    ("action", "error"),
    [
        (lambda: nn.LGamma()(Tensor([1, 2])), TypeError),
        (lambda: nn.LBeta()(Tensor(X), Tensor(X, ms.float16)), TypeError),
        (lambda: nn.Moments(axis="x"), TypeError),
        (lambda: nn.L1Regularizer(True), TypeError),
        (lambda: nn.L1Regularizer(math.nan), ValueError),
        (lambda: nn.Roll(1.0, 0), TypeError),
        (lambda: nn.SSIM(max_val=0), ValueError),
        (lambda: nn.MSSSIM(power_factors={0.1}), TypeError),
        (lambda: nn.PSNR()(Tensor(np.ones((1, 1, 2, 2))), Tensor(np.ones((1, 1, 3, 2)))), ValueError),
        (lambda: nn.ImageGradients()(Tensor(X)), ValueError),
        (lambda: nn.TimeDistributed(1, 1), TypeError),
        (lambda: nn.EmbeddingLookup(10, 2, sparse=False), ValueError),
        (lambda: nn.EmbeddingLookup(10, 2, max_norm=1), TypeError),
        (lambda: nn.MultiFieldEmbeddingLookup(10, 2, 2, operator="X"), ValueError),
        (lambda: nn.MatrixSetDiag()(Tensor(WIDE), Tensor(X)), ValueError),
    ],
)
def test_errors(action, error):
    with pytest.raises(error, match="For '"):
        action()
