# SPDX-License-Identifier: Apache-2.0
"""Layers over sequences, planes and volumes against plain loops, in both modes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops

RANDOM = np.random.RandomState(7)
MODES = [ms.PYNATIVE_MODE, ms.GRAPH_MODE]


@pytest.fixture(params=MODES, ids=["eager", "graph"], autouse=True)
def mode(request):
    """Runs every test in both modes."""
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=before)


def _numbers(*shape) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32)


def _equal(result, expected, tolerance: float = 1e-4) -> None:
    np.testing.assert_allclose(result.asnumpy(), expected, tolerance, tolerance)


# ---- convolution -------------------------------------------------------------------------------


def _same(length, kernel, stride, dilation):
    total = max(0, (-(-length // stride) - 1) * stride + dilation * (kernel - 1) + 1 - length)
    return total // 2, total - total // 2


def _convolved(x, w, pads, stride, dilation, groups):
    """Convolution over any number of axes."""
    axes = x.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0), *pads])
    reach = [d * (k - 1) + 1 for k, d in zip(w.shape[2:], dilation, strict=True)]
    size = [(n - r) // s + 1 for n, r, s in zip(x.shape[2:], reach, stride, strict=True)]
    y = np.zeros((x.shape[0], w.shape[0], *size), x.dtype)
    for channel in range(w.shape[0]):
        first = channel // (w.shape[0] // groups) * w.shape[1]
        for place in itertools.product(*(range(n) for n in size)):
            window = tuple(
                slice(p * s, p * s + r, d) for p, s, r, d in zip(place, stride, reach, dilation, strict=True)
            )
            part = x[(slice(None), slice(first, first + w.shape[1]), *window)]
            y[(slice(None), channel, *place)] = (part * w[channel]).sum(tuple(range(1, axes + 2)))
    return y


CONVOLUTIONS = [
    # pad_mode, padding, stride, dilation, group
    ("same", 0, (2, 1, 2), (1, 1, 1), 1),
    ("same", 0, (1, 1, 1), (2, 1, 2), 2),
    ("valid", 0, (1, 2, 1), (1, 2, 1), 1),
    ("pad", (1, 0, 2, 1, 0, 1), (2, 1, 1), (1, 1, 1), 2),
]


def _sides(pad_mode, padding, lengths, kernel, stride, dilation):
    if pad_mode == "same":
        return [_same(*numbers) for numbers in zip(lengths, kernel, stride, dilation, strict=True)]
    flat = (padding,) * 6 if isinstance(padding, int) else padding
    return [flat[i : i + 2] for i in range(0, 6, 2)]


@pytest.mark.parametrize(("pad_mode", "padding", "stride", "dilation", "group"), CONVOLUTIONS)
def test_convolution_of_volumes(pad_mode, padding, stride, dilation, group):
    kernel, x = (2, 3, 2), _numbers(2, 4, 5, 6, 5)
    net = nn.Conv3d(4, 6, kernel, stride, pad_mode, padding, dilation, group, has_bias=True)
    pads = _sides(pad_mode, padding, x.shape[2:], kernel, stride, dilation)
    expected = _convolved(x, net.weight.asnumpy(), pads, stride, dilation, group)
    _equal(net(Tensor(x)), expected + net.bias.asnumpy().reshape(1, -1, 1, 1, 1))


@pytest.mark.parametrize(("pad_mode", "padding", "stride", "dilation", "group"), CONVOLUTIONS)
def test_transposed_convolution_is_the_adjoint(pad_mode, padding, stride, dilation, group):
    kernel = (2, 3, 3)
    net = nn.Conv3dTranspose(4, 6, kernel, stride, pad_mode, padding, dilation, group)
    y = _numbers(2, 4, 3, 3, 4)
    x = net(Tensor(y)).asnumpy()
    other = _numbers(*x.shape)
    pads = _sides(pad_mode, padding, x.shape[2:], kernel, stride, dilation)
    back = _convolved(other, net.weight.asnumpy(), pads, stride, dilation, group)
    assert back.shape == y.shape
    np.testing.assert_allclose((x * other).sum(), (back * y).sum(), 1e-3, 1e-3)


@pytest.mark.parametrize(("pad_mode", "padding"), [("same", 0), ("valid", 0), ("pad", (1, 2))])
def test_transposed_convolution_of_sequences(pad_mode, padding):
    net = nn.Conv1dTranspose(4, 6, 3, 2, pad_mode, padding, group=2, has_bias=True, bias_init="zeros")
    assert net.weight.shape == (4, 3, 1, 3)
    y = _numbers(2, 4, 5)
    x = net(Tensor(y)).asnumpy()
    other = _numbers(*x.shape)
    pads = [_same(x.shape[2], 3, 2, 1)] if pad_mode == "same" else [padding if padding else (0, 0)]
    back = _convolved(other, net.weight.asnumpy()[:, :, 0], pads, (2,), (1,), 2)
    np.testing.assert_allclose((x * other).sum(), (back * y).sum(), 1e-3, 1e-3)


def test_gradients_of_a_convolution_of_volumes():
    net = nn.Conv3d(2, 3, 2, 1, "valid", has_bias=True)
    x = _numbers(1, 2, 3, 3, 3)
    gradients = ms.grad(lambda a: net(a).sum(), None, net.trainable_params())(Tensor(x))
    ones = np.ones((1, 3, 2, 2, 2), np.float32)
    expected = np.zeros_like(net.weight.asnumpy())
    for c, d, h, w in itertools.product(range(2), repeat=4):
        expected[:, c, d, h, w] = x[0, c, d : d + 2, h : h + 2, w : w + 2].sum()
    _equal(gradients[0], expected)
    _equal(gradients[1], ones.sum((0, 2, 3, 4)))


# ---- pooling -----------------------------------------------------------------------------------


def _pooled(x, kernel, stride, pads, ceil_mode, reduce):
    axes = len(kernel)
    lead = x.reshape(-1, *x.shape[-axes:])
    counts = []
    for n, k, s, (before, after) in zip(x.shape[-axes:], kernel, stride, pads, strict=True):
        room = n + before + after - k
        count = -(-room // s) + 1 if ceil_mode else room // s + 1
        counts.append(count - 1 if ceil_mode and (count - 1) * s >= n + before else count)
    y = np.zeros((lead.shape[0], *counts))
    for place in itertools.product(*(range(n) for n in counts)):
        window = tuple(
            slice(max(p * s - before, 0), min(p * s - before + k, n))
            for p, k, s, n, (before, _) in zip(place, kernel, stride, x.shape[-axes:], pads, strict=True)
        )
        y[(slice(None), *place)] = reduce(lead[(slice(None), *window)].reshape(lead.shape[0], -1))
    return y.reshape(*x.shape[:-axes], *counts)


@pytest.mark.parametrize("ceil_mode", [False, True])
def test_pooling_of_volumes(ceil_mode):
    x, kernel, stride = _numbers(2, 3, 5, 7, 6), (2, 3, 2), (2, 2, 3)
    options = (kernel, stride, "pad", (1, 1, 0))
    pads = ((1, 1), (1, 1), (0, 0))
    values, where = nn.MaxPool3d(*options, return_indices=True, ceil_mode=ceil_mode)(Tensor(x))
    _equal(values, _pooled(x, kernel, stride, pads, ceil_mode, lambda w: w.max(1)))
    picked = np.take_along_axis(x.reshape(2, 3, -1), where.asnumpy().reshape(2, 3, -1), 2)
    np.testing.assert_array_equal(picked.reshape(values.shape), values.asnumpy())
    assert where.dtype == ms.int64
    means = nn.AvgPool3d(*options, ceil_mode=ceil_mode, count_include_pad=False)(Tensor(x))
    _equal(means, _pooled(x, kernel, stride, pads, ceil_mode, lambda w: w.mean(1)))
    divided = nn.AvgPool3d(*options, ceil_mode=ceil_mode, divisor_override=5)(Tensor(x))
    _equal(divided, _pooled(x, kernel, stride, pads, ceil_mode, lambda w: w.sum(1) / 5))
    assert nn.MaxPool3d(2)(Tensor(x[0])).shape == (3, 4, 6, 5)
    assert nn.AvgPool3d(2, 2, "same")(Tensor(x)).shape == (2, 3, 3, 4, 3)


def _adaptive(x, sizes, reduce):
    axes = len(sizes)
    y = np.zeros((*x.shape[:-axes], *sizes), x.dtype)
    for place in itertools.product(*(range(n) for n in sizes)):
        window = tuple(
            slice(p * n // m, -(-(p + 1) * n // m))
            for p, n, m in zip(place, x.shape[-axes:], sizes, strict=True)
        )
        y[(..., *place)] = reduce(x[(..., *window)], tuple(range(-axes, 0)))
    return y


@pytest.mark.parametrize("sizes", [(4,), (3, 5), (6, 3), (2, 3, 4), (5, 2, 3)])
def test_pooling_to_a_size(sizes):
    x = _numbers(2, 3, *(5, 6, 9)[-len(sizes) :])
    kind = f"{len(sizes)}d"
    size = sizes[0] if len(sizes) == 1 else sizes
    _equal(getattr(nn, f"AdaptiveAvgPool{kind}")(size)(Tensor(x)), _adaptive(x, sizes, np.mean))
    expected = _adaptive(x, sizes, np.max)
    layer = getattr(nn, f"AdaptiveMaxPool{kind}")
    _equal(layer(size)(Tensor(x)), expected)
    _equal(layer(size)(Tensor(x[0])), expected[0])
    if len(sizes) == 1:
        return
    values, where = layer(size, True)(Tensor(x))
    picked = np.take_along_axis(x.reshape(2, 3, -1), where.asnumpy().reshape(2, 3, -1).astype(int), 2)
    np.testing.assert_array_equal(picked.reshape(values.shape), expected)
    kept = layer((None, *sizes[1:]))(Tensor(x))
    _equal(kept, _adaptive(x, (x.shape[2], *sizes[1:]), np.max))


def _spread(sample, length, kernel, parts):
    step = (length - kernel) / (parts - 1)
    begins = [int((i + sample) * step) - int(sample * step) for i in range(parts - 1)]
    return [*begins, length - kernel]


def test_pooling_of_random_windows():
    x, samples = _numbers(2, 3, 8, 9), RANDOM.rand(2, 3, 2).astype(np.float32)
    net = nn.FractionalMaxPool2d((3, 2), (4, 5), return_indices=True, _random_samples=Tensor(samples))
    values, where = net(Tensor(x))
    for n, c in itertools.product(range(2), range(3)):
        tops = _spread(float(samples[n, c, 1]), 8, 3, 4)
        lefts = _spread(float(samples[n, c, 0]), 9, 2, 5)
        for i, j in itertools.product(range(4), range(5)):
            window = x[n, c, tops[i] : tops[i] + 3, lefts[j] : lefts[j] + 2]
            assert values.asnumpy()[n, c, i, j] == window.max()
            assert x[n, c].reshape(-1)[where.asnumpy()[n, c, i, j]] == window.max()
    assert nn.FractionalMaxPool2d(2, output_ratio=(0.5, 0.5))(Tensor(x)).shape == (2, 3, 4, 4)
    volumes = Tensor(_numbers(1, 2, 5, 6, 7))
    assert nn.FractionalMaxPool3d(2, (3, 4, 5))(volumes).shape == (1, 2, 3, 4, 5)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_unpooling_undoes_pooling(axes):
    x = Tensor(_numbers(2, 3, *(4, 6, 8)[-axes:]))
    pooled, where = getattr(nn, f"MaxPool{axes}d")(2, 2, "pad", return_indices=True)(x)
    back = getattr(nn, f"MaxUnpool{axes}d")(2)(pooled, where).asnumpy()
    kept = back != 0
    np.testing.assert_array_equal(back[kept], x.asnumpy()[kept])
    assert kept.sum() == pooled.size and back.shape == x.shape
    gradient = ms.grad(lambda a: (getattr(nn, f"MaxUnpool{axes}d")(2)(a, where) * 3).sum())(pooled)
    assert (gradient.asnumpy() == 3).all()


def test_power_pooling():
    x = np.abs(_numbers(2, 3, 6, 7))
    expected = _pooled(x, (2, 3), (2, 2), ((0, 0), (0, 0)), False, lambda w: (w**3).sum(1) ** (1 / 3))
    _equal(nn.LPPool2d(3, (2, 3), (2, 2))(Tensor(x)), expected)
    expected = _pooled(x[0], (3,), (3,), ((0, 0),), False, lambda w: (w**2).sum(1) ** 0.5)
    _equal(nn.LPPool1d(2.0, 3)(Tensor(x[0])), expected)


# ---- borders and arrangement -------------------------------------------------------------------

BORDERS = [
    (nn.ConstantPad1d, (1, 2), {"mode": "constant", "constant_values": 3}, (3,)),
    (nn.ConstantPad2d, 1, {"mode": "constant", "constant_values": 3}, (3,)),
    (nn.ConstantPad3d, (1, 0, 2, 1, 0, 1), {"mode": "constant", "constant_values": 3}, (3,)),
    (nn.ZeroPad2d, (0, 1, 2, 1), {"mode": "constant"}, ()),
    (nn.ReflectionPad1d, (2, 1), {"mode": "reflect"}, ()),
    (nn.ReflectionPad2d, (2, 1, 0, 2), {"mode": "reflect"}, ()),
    (nn.ReflectionPad3d, 1, {"mode": "reflect"}, ()),
    (nn.ReplicationPad1d, (2, 1), {"mode": "edge"}, ()),
    (nn.ReplicationPad2d, (2, 1, 0, 2), {"mode": "edge"}, ()),
    (nn.ReplicationPad3d, (1, 2, 0, 1, 2, 1), {"mode": "edge"}, ()),
]


@pytest.mark.parametrize(("layer", "padding", "options", "extra"), BORDERS)
def test_borders(layer, padding, options, extra):
    axes = int(layer.__name__[-2])
    x = _numbers(2, 3, *(4, 5, 6)[-axes:])
    flat = (padding,) * (2 * axes) if isinstance(padding, int) else padding
    widths = [(flat[2 * i], flat[2 * i + 1]) for i in reversed(range(axes))]
    _equal(layer(padding, *extra)(Tensor(x)), np.pad(x, [(0, 0), (0, 0), *widths], **options))


def test_negative_borders_cut():
    x = _numbers(1, 2, 4, 5)
    cut = nn.ConstantPad2d((-1, 1, 0, -2), 9)(Tensor(x)).asnumpy()
    assert cut.shape == (1, 2, 2, 5) and (cut[..., -1] == 9).all()
    np.testing.assert_array_equal(cut[..., :-1], x[:, :, :2, 1:])


def test_windows_as_channels():
    x = _numbers(2, 3, 6, 7)
    y = nn.Unfold([1, 2, 3, 1], [1, 2, 2, 1], [1, 2, 1, 1])(Tensor(x)).asnumpy()
    assert y.shape == (2, 18, 2, 3)
    for i, j, r, c in itertools.product(range(2), range(3), range(2), range(3)):
        place = (r * 3 + c) * 3
        np.testing.assert_array_equal(y[:, place : place + 3, i, j], x[:, :, 2 * i + 2 * r, 2 * j + c])
    assert nn.Unfold([1, 3, 3, 1], [1, 2, 2, 1], [1, 1, 1, 1], "same")(Tensor(x)).shape == (2, 27, 3, 4)


def test_arrangements():
    x = Tensor(_numbers(2, 8, 3, 4))
    large = nn.PixelShuffle(2)(x)
    assert large.shape == (2, 2, 6, 8)
    _equal(nn.PixelUnshuffle(2)(large), x.asnumpy())
    mixed = nn.ChannelShuffle(2)(x).asnumpy()
    np.testing.assert_array_equal(mixed, x.asnumpy()[:, [0, 4, 1, 5, 2, 6, 3, 7]])
    np.testing.assert_array_equal(nn.CentralCrop(0.5)(x).asnumpy(), x.asnumpy()[..., 0:3, 1:3])
    assert nn.Upsample(scale_factor=2.0)(x).shape == (2, 8, 6, 8)
    assert nn.Upsample(size=(4, 5), mode="bilinear")(x).shape == (2, 8, 4, 5)


@pytest.mark.parametrize(
    ("aligned", "centred", "expected"),
    [
        (
            False,
            False,
            [[0, 0.8, 2.8, 6, 9], [32 / 3, 236 / 15, 22, 442 / 15, 107 / 3], [16, 23.2, 31.6, 41.2, 49]],
        ),
        (True, False, [[0, 0.75, 2.5, 5.25, 9], [8, 11.75, 16.5, 22.25, 29], [16, 22.75, 30.5, 39.25, 49]]),
        (False, True, [[0, 0.7, 2.5, 5.5, 9], [8, 11.5, 16.5, 22.7, 29], [16, 22.3, 30.5, 39.9, 49]]),
    ],
)
def test_bilinear_resizing(aligned, centred, expected):
    squares = Tensor(np.arange(8, dtype=np.float32).reshape(1, 1, 2, 4) ** 2)
    layer = nn.ResizeBilinear(half_pixel_centers=centred)
    _equal(layer(squares, size=(3, 5), align_corners=aligned)[0, 0], np.array(expected))


def test_bilinear_resizing_by_a_factor():
    squares = Tensor(np.arange(8, dtype=np.float32).reshape(1, 1, 2, 4) ** 2)
    doubled = nn.ResizeBilinear()(squares, scale_factor=2)
    _equal(doubled, nn.ResizeBilinear()(squares, size=[4, 8]).asnumpy())
    with pytest.raises(ValueError, match="one of 'size' and 'scale_factor' must be given"):
        nn.ResizeBilinear()(squares)
    with pytest.raises(ValueError, match="one of 'size' and 'scale_factor' must be given"):
        nn.ResizeBilinear()(squares, (4, 8), 2)
    with pytest.raises(ValueError, match="must be \\(height, width\\)"):
        nn.ResizeBilinear()(squares, size=4)
    with pytest.raises(TypeError, match="align_corners"):
        nn.ResizeBilinear()(squares, size=(4, 8), align_corners=1)


def test_local_response():
    x = _numbers(2, 7, 3, 2)
    squares = np.stack([(x[:, max(i - 2, 0) : i + 3] ** 2).sum(1) for i in range(7)], 1)
    _equal(nn.LRN(2, 1.5, 0.3, 0.75)(Tensor(x)), x / (1.5 + 0.3 * squares) ** 0.75)


def test_combined_layers():
    net = nn.Conv2dBnAct(2, 3, 3, has_bn=True, activation="leakyrelu", alpha=0.1)
    assert [p.name for p in net.get_parameters()] == [
        "conv.weight",
        "batchnorm.moving_mean",
        "batchnorm.moving_variance",
        "batchnorm.gamma",
        "batchnorm.beta",
    ]
    x = Tensor(_numbers(1, 2, 4, 4))
    y = net.conv(x).asnumpy() / np.sqrt(1 + 1e-5)
    _equal(net(x), np.where(y > 0, y, 0.1 * y))
    dense = nn.DenseBnAct(4, 3, activation="relu")
    _equal(dense(x), np.maximum(dense.dense(x).asnumpy(), 0))


def test_product_of_two_inputs():
    net = nn.BiDense(3, 4, 5)
    a, b = _numbers(2, 6, 3), _numbers(2, 6, 4)
    expected = np.einsum("...i,kij,...j->...k", a, net.weight.asnumpy(), b) + net.bias.asnumpy()
    _equal(net(Tensor(a), Tensor(b)), expected)


# ---- arguments ---------------------------------------------------------------------------------

BAD = [
    (lambda: nn.Conv3d(2, 3, 3, pad_mode="same", padding=1), ValueError, "pad_mode"),
    (lambda: nn.Conv3d(3, 4, 3, group=2), ValueError, "group"),
    (lambda: nn.Conv3dTranspose(2, 3, (3, 3)), ValueError, "kernel_size"),
    (lambda: nn.MaxPool3d(2, pad_mode="valid", return_indices=True), ValueError, "return_indices"),
    (lambda: nn.AvgPool3d(2, divisor_override=0), ValueError, "divisor_override"),
    (lambda: nn.AdaptiveMaxPool2d(-1), ValueError, "output_size"),
    (lambda: nn.AdaptiveAvgPool3d((1, 2)), ValueError, "output_size"),
    (lambda: nn.LPPool1d(0, 2), ValueError, "norm_type"),
    (lambda: nn.ConstantPad1d("1", 2), TypeError, "padding"),
    (lambda: nn.ConstantPad1d((1, 2, 3, 4), 2), ValueError, "padding"),
    (lambda: nn.ReflectionPad2d(-1), ValueError, "padding"),
    (lambda: nn.Unfold([2, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1]), ValueError, "ksize"),
    (lambda: nn.ChannelShuffle(0), ValueError, "groups"),
    (lambda: nn.CentralCrop(1.5), ValueError, "central_fraction"),
    (lambda: nn.LRN(norm_region="WITHIN"), ValueError, "norm_region"),
    (lambda: nn.FractionalMaxPool2d(2)(ops.ones((1, 1, 4, 4), ms.float32)), ValueError, "output_size"),
    (lambda: nn.MaxPool3d(2)(ops.ones((2, 2), ms.float32)), ValueError, "axes"),
    (
        lambda: nn.MaxUnpool2d(2)(ops.ones((1, 1, 2, 2), ms.float32), ops.ones((1, 1, 2, 3), ms.int64)),
        ValueError,
        "shape",
    ),
]


@pytest.mark.parametrize(("make", "error", "word"), BAD)
def test_wrong_arguments(make, error, word):
    with pytest.raises(error, match=word):
        make()
