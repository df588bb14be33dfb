# SPDX-License-Identifier: Apache-2.0
"""Layers and losses against NumPy."""

import math

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops

rng = np.random.default_rng(3)


def array(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def close(tensor, expected, rtol=1e-5, atol=1e-6):
    np.testing.assert_allclose(tensor.asnumpy(), expected, rtol=rtol, atol=atol)


def test_dense():
    net = nn.Dense(3, 4, activation="relu")
    x = array(2, 5, 3)
    expected = np.maximum(x @ net.weight.asnumpy().T + net.bias.asnumpy(), 0)
    close(net(Tensor(x)), expected)
    bound = 1 / math.sqrt(3)
    assert abs(net.weight.asnumpy()).max() <= bound and abs(net.bias.asnumpy()).max() <= bound
    assert nn.Dense(3, 4, has_bias=False).bias is None
    with pytest.raises(ValueError):
        nn.Dense(3, 4, weight_init=Tensor(array(3, 4)))
    with pytest.raises(TypeError):
        nn.Dense(3.0, 4)
    with pytest.raises(ValueError):
        nn.Dense(0, 4)
    with pytest.raises(TypeError):
        nn.Dense(3, 4, has_bias=1)


def convolved(x, w, stride, pads, dilation=1):
    x = np.pad(x, ((0, 0), (0, 0), pads[:2], pads[2:]))
    reach = dilation * (w.shape[2] - 1) + 1
    height, width = (x.shape[2] - reach) // stride + 1, (x.shape[3] - reach) // stride + 1
    y = np.zeros((x.shape[0], w.shape[0], height, width))
    for i in range(height):
        for j in range(width):
            window = x[
                :, :, i * stride : i * stride + reach : dilation, j * stride : j * stride + reach : dilation
            ]
            y[:, :, i, j] = np.tensordot(window, w, ([1, 2, 3], [1, 2, 3]))
    return y


@pytest.mark.parametrize(
    "options, pads",
    [
        ({}, (1, 1, 1, 1)),
        ({"stride": 2}, (0, 1, 1, 1)),
        ({"pad_mode": "valid"}, (0, 0, 0, 0)),
        ({"pad_mode": "pad", "padding": (0, 1, 2, 1), "stride": 2}, (0, 1, 2, 1)),
        ({"dilation": 2}, (2, 2, 2, 2)),
    ],
)
def test_conv2d_padding(options, pads):
    net = nn.Conv2d(2, 3, 3, has_bias=True, **options)
    x = array(2, 2, 6, 7)
    stride, dilation = options.get("stride", 1), options.get("dilation", 1)
    expected = convolved(x, net.weight.asnumpy(), stride, pads, dilation)
    close(net(Tensor(x)), expected + net.bias.asnumpy().reshape(1, 3, 1, 1), rtol=1e-4, atol=1e-5)


def test_conv2d_other_forms():
    assert nn.Conv2d(4, 6, 3, group=2)(Tensor(array(1, 4, 5, 5))).shape == (1, 6, 5, 5)
    assert not nn.Conv2d(4, 6, 3).has_bias
    last = nn.Conv2d(2, 3, 3, data_format="NHWC")
    first = nn.Conv2d(2, 3, 3, weight_init=Tensor(last.weight.asnumpy().transpose(0, 3, 1, 2).copy()))
    x = array(1, 5, 6, 2)
    close(
        last(Tensor(x)),
        first(Tensor(x.transpose(0, 3, 1, 2).copy())).asnumpy().transpose(0, 2, 3, 1),
        1e-4,
        1e-5,
    )
    line = nn.Conv1d(2, 3, 4, stride=2)
    assert line(Tensor(array(2, 2, 9))).shape == (2, 3, 5) and line.weight.shape == (3, 2, 1, 4)
    with pytest.raises(ValueError, match="the 'pad' must be zero when 'pad_mode' is not 'pad'"):
        nn.Conv2d(1, 1, 3, padding=1)
    with pytest.raises(ValueError, match="'group' should be divisible"):
        nn.Conv2d(3, 4, 3, group=2)
    with pytest.raises(ValueError):
        nn.Conv2d(2, 3, 3)(Tensor(array(2, 5, 5)))


@pytest.mark.parametrize(
    "options, length",
    [
        ({"pad_mode": "same", "stride": 2}, 10),
        ({"pad_mode": "valid", "stride": 2}, 11),
        ({"pad_mode": "pad", "padding": 1, "stride": 2}, 9),
        ({"pad_mode": "pad", "padding": 1, "stride": 2, "output_padding": 1}, 10),
    ],
)
def test_conv2d_transpose(options, length):
    net = nn.Conv2dTranspose(2, 3, 3, **options)
    x = array(1, 2, 5, 5)
    y = net(Tensor(x))
    assert y.shape == (1, 3, length, length) and net.weight.shape == (2, 3, 3, 3)
    if options["pad_mode"] == "valid":
        expected = np.zeros((1, 3, 11, 11))
        for i in range(5):
            for j in range(5):
                patch = np.tensordot(x[:, :, i, j], net.weight.asnumpy(), ([1], [0]))
                expected[:, :, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3] += patch
        close(y, expected, 1e-4, 1e-5)


def test_conv2d_transpose_puts_zeros_behind_its_output():
    """The numbers are MindSpore 2.7's; the layer of volumes computes values there instead."""
    options = {"pad_mode": "pad", "padding": 1, "weight_init": "ones", "has_bias": True, "bias_init": "ones"}
    net = nn.Conv2dTranspose(1, 1, 3, 2, output_padding=(1, 0), **options)
    close(net(ops.ones((1, 1, 2, 2))), [[[[2, 3, 2], [3, 5, 3], [2, 3, 2], [0, 0, 0]]]])
    volumes = nn.Conv3dTranspose(1, 1, 3, 2, output_padding=1, **options)
    close(
        volumes(ops.ones((1, 1, 2, 2, 2)))[0, 0, 0], [[2, 3, 2, 2], [3, 5, 3, 3], [2, 3, 2, 2], [2, 3, 2, 2]]
    )


def test_pooling():
    x = array(2, 3, 6, 6)
    windows = x.reshape(2, 3, 3, 2, 3, 2)
    close(nn.MaxPool2d(2, 2)(Tensor(x)), windows.max((3, 5)))
    close(nn.AvgPool2d(2, 2)(Tensor(x)), windows.mean((3, 5)))
    close(nn.MaxPool2d(2, 2)(Tensor(x[0])), windows.max((3, 5))[0])
    close(nn.AdaptiveAvgPool2d(3)(Tensor(x)), windows.mean((3, 5)))
    assert nn.MaxPool2d()(Tensor(x)).shape == x.shape
    assert nn.MaxPool2d(3, 2, "same")(Tensor(x)).shape == (2, 3, 3, 3)
    ones = ops.ones((1, 1, 4, 4), ms.float32)
    close(nn.AvgPool2d(3, 1, "same")(ones), np.ones((1, 1, 4, 4)))
    assert float(nn.AvgPool2d(3, 1, "pad", 1)(ones)[0, 0, 0, 0]) == pytest.approx(4 / 9)
    values, indices = nn.MaxPool2d(2, 2, "pad", return_indices=True)(Tensor(x))
    close(values, windows.max((3, 5)))
    assert indices.dtype == ms.int64
    np.testing.assert_array_equal(
        np.take_along_axis(x.reshape(2, 3, 36), indices.asnumpy().reshape(2, 3, 9), 2),
        values.asnumpy().reshape(2, 3, 9),
    )
    close(nn.MaxPool1d(2, 2)(Tensor(x[:, :, 0])), x[:, :, 0].reshape(2, 3, 3, 2).max(-1))
    close(nn.AvgPool1d(2, 2)(Tensor(x[:, :, 0])), x[:, :, 0].reshape(2, 3, 3, 2).mean(-1))
    with pytest.raises(ValueError, match="can not be set to non-default value when pad_mode is not 'pad'"):
        nn.MaxPool2d(2, return_indices=True)


def test_batch_norm():
    net, x = nn.BatchNorm2d(3), array(4, 3, 5, 5) * 2 + 1
    close(net(Tensor(x)), x / np.sqrt(1 + 1e-5), 1e-4, 1e-4)
    net.set_train()
    mean, variance = x.mean((0, 2, 3)), x.var((0, 2, 3))
    expected = (x - mean.reshape(1, 3, 1, 1)) / np.sqrt(variance.reshape(1, 3, 1, 1) + 1e-5)
    close(net(Tensor(x)), expected, 1e-4, 1e-4)
    close(net.moving_mean, 0.1 * mean, 1e-4, 1e-5)
    close(net.moving_variance, 0.9 + 0.1 * variance * 100 / 99, 1e-4)
    before = net.moving_mean.asnumpy().copy()
    net.set_train(False)
    net(Tensor(x))
    np.testing.assert_array_equal(net.moving_mean.asnumpy(), before)
    close(nn.BatchNorm1d(3).set_train()(Tensor(x[:, :, 0, 0])).mean(0), np.zeros(3), atol=1e-5)
    with pytest.raises(ValueError, match="the in_shape must have 4 dims, but got 3"):
        net(Tensor(x[0]))
    with pytest.raises(ValueError, match=r"the 'momentum' must be a number in range \[0, 1\], but got 1.5"):
        nn.BatchNorm2d(3, momentum=1.5)
    with pytest.raises(ValueError, match="the 'num_features' must be at least 1"):
        nn.BatchNorm2d(0)


def test_batch_norm_of_no_images():
    """Nothing can be learnt from an empty batch: no result, no gradient, and the moving values stay."""
    net = nn.BatchNorm2d(3).set_train()
    empty = Tensor(np.zeros((0, 3, 5, 5), np.float32))
    assert net(empty).shape == (0, 3, 5, 5)
    np.testing.assert_array_equal(net.moving_mean.asnumpy(), np.zeros(3))
    np.testing.assert_array_equal(net.moving_variance.asnumpy(), np.ones(3))
    of_scale, of_shift = ms.grad(lambda x: net(x).sum(), None, net.trainable_params())(empty)
    np.testing.assert_array_equal(of_scale.asnumpy(), np.zeros(3))
    np.testing.assert_array_equal(of_shift.asnumpy(), np.zeros(3))


def test_other_norms():
    x = array(4, 6, 5)
    net = nn.LayerNorm((5,))
    close(
        net(Tensor(x)), (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-7), 1e-4, 1e-5
    )
    both = nn.LayerNorm((6, 5), 1, 1)
    close(both(Tensor(x)).mean((1, 2)), np.zeros(4), atol=1e-5)
    grouped = x.reshape(4, 2, 15)
    expected = (grouped - grouped.mean(-1, keepdims=True)) / np.sqrt(grouped.var(-1, keepdims=True) + 1e-5)
    close(nn.GroupNorm(2, 6)(Tensor(x)), expected.reshape(4, 6, 5), 1e-4, 1e-5)
    with pytest.raises(TypeError, match="normalized_shape"):
        nn.LayerNorm(5)
    with pytest.raises(ValueError, match="must be divided by 'num_groups'"):
        nn.GroupNorm(4, 6)


def test_dropout():
    x = ops.ones((400, 50), ms.float32)
    net = nn.Dropout(p=0.3)
    assert net(x) is x
    y = net.set_train()(x).asnumpy()
    assert set(np.unique(y)) <= {np.float32(0), np.float32(1 / 0.7)}
    assert abs((y == 0).mean() - 0.3) < 0.02
    old = nn.Dropout(0.9).set_train()
    assert abs((old(x).asnumpy() == 0).mean() - 0.1) < 0.02
    value, gradient = ms.value_and_grad(net)(x)
    np.testing.assert_array_equal(gradient.asnumpy(), value.asnumpy())
    channels = nn.Dropout2d(0.5).set_train()(ops.ones((8, 16, 3, 3), ms.float32)).asnumpy()
    assert all(len(np.unique(plane)) == 1 for plane in channels.reshape(-1, 9))
    with pytest.raises(ValueError, match=r"the 'p' must be a number in range \[0, 1\), but got 1.0"):
        nn.Dropout(p=1.0)
    with pytest.raises(TypeError):
        nn.Dropout(keep_prob=1)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize(
    "name, formula",
    [
        ("relu", lambda x: np.maximum(x, 0)),
        ("relu6", lambda x: np.clip(x, 0, 6)),
        ("sigmoid", sigmoid),
        ("tanh", np.tanh),
        ("silu", lambda x: x * sigmoid(x)),
        ("gelu", lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))),
        ("leakyrelu", lambda x: np.where(x > 0, x, 0.2 * x)),
        ("elu", lambda x: np.where(x > 0, x, np.exp(x) - 1)),
        ("hswish", lambda x: x * np.clip(x + 3, 0, 6) / 6),
        ("hsigmoid", lambda x: np.clip(x + 3, 0, 6) / 6),
        ("softsign", lambda x: x / (1 + abs(x))),
        ("mish", lambda x: x * np.tanh(np.log1p(np.exp(x)))),
        ("logsigmoid", lambda x: np.log(sigmoid(x))),
        ("prelu", lambda x: np.where(x > 0, x, 0.25 * x)),
        ("softmax", lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True)),
        ("logsoftmax", lambda x: x - np.log(np.exp(x).sum(-1, keepdims=True))),
        ("softmin", lambda x: np.exp(-x) / np.exp(-x).sum(-1, keepdims=True)),
        ("hshrink", lambda x: np.where(abs(x) > 0.5, x, 0)),
        ("softshrink", lambda x: np.sign(x) * np.maximum(abs(x) - 0.5, 0)),
        ("tanhshrink", lambda x: x - np.tanh(x)),
        ("hardtanh", lambda x: np.clip(x, -1, 1)),
    ],
)
def test_activation(name, formula):
    x = array(4, 6) * 2
    close(nn.get_activation(name)(Tensor(x)), formula(x), 1e-5, 2e-6)


def test_get_activation_errors():
    assert nn.get_activation(None) is None
    for name in ("foo", "ReLU", ""):
        with pytest.raises(KeyError, match="The 'name' must be in"):
            nn.get_activation(name)


def test_embedding_and_flatten():
    net = nn.Embedding(5, 3, padding_idx=2)
    ids = np.array([[0, 2], [4, 4]], np.int32)
    close(net(Tensor(ids)), net.embedding_table.asnumpy()[ids])
    assert not net.embedding_table.asnumpy()[2].any()
    hot = nn.Embedding(5, 3, True, embedding_table=Tensor(net.embedding_table.asnumpy()))
    close(hot(Tensor(ids)), net.embedding_table.asnumpy()[ids])
    with pytest.raises(ValueError):
        nn.Embedding(5, 3, padding_idx=5)
    with pytest.raises(TypeError):
        net(Tensor([1.0]))
    x = Tensor(array(2, 3, 4))
    assert nn.Flatten()(x).shape == (2, 12) and nn.Flatten(0, 1)(x).shape == (6, 4)
    assert nn.Identity()(x) is x


def reduced(losses, reduction):
    return {"mean": np.mean, "sum": np.sum, "none": lambda x: x}[reduction](losses)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_elementwise_losses(reduction):
    a, b = array(3, 4), array(3, 4)
    d = a - b
    p, t = sigmoid(a), (b > 0).astype(np.float32)
    for loss, x, y, expected in (
        (nn.MSELoss(reduction), a, b, d**2),
        (nn.L1Loss(reduction), a, b, abs(d)),
        (nn.MAELoss(reduction), a, b, abs(d)),
        (nn.SmoothL1Loss(0.5, reduction), a, b, np.where(abs(d) < 0.5, d**2, abs(d) - 0.25)),
        (nn.HuberLoss(reduction, 0.5), a, b, np.where(abs(d) < 0.5, d**2 / 2, 0.5 * (abs(d) - 0.25))),
        (nn.BCELoss(reduction=reduction), p, t, -(t * np.log(p) + (1 - t) * np.log(1 - p))),
        (nn.BCEWithLogitsLoss(reduction), a, t, -(t * np.log(p) + (1 - t) * np.log(1 - p))),
    ):
        close(loss(Tensor(x), Tensor(y)), reduced(expected, reduction), 1e-4, 1e-5)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_class_losses(reduction):
    logits, labels = array(5, 4), np.array([0, 3, 1, 1, 2], np.int32)
    logs = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    expected = reduced(-logs[np.arange(5), labels], reduction)
    one_hot = np.eye(4, dtype=np.float32)[labels]
    close(nn.CrossEntropyLoss(reduction=reduction)(Tensor(logits), Tensor(labels)), expected)
    close(nn.NLLLoss(reduction=reduction)(Tensor(logs), Tensor(labels)), expected)
    close(nn.SoftmaxCrossEntropyWithLogits(True, reduction)(Tensor(logits), Tensor(labels)), expected)
    close(nn.SoftmaxCrossEntropyWithLogits(False, reduction)(Tensor(logits), Tensor(one_hot)), expected)


def test_loss_errors():
    with pytest.raises(ValueError, match=r"the 'reduction' must be in \['mean', 'sum', 'none'\], but got x"):
        nn.MSELoss("x")
    with pytest.raises(TypeError, match="For 'MSELoss', the 'labels' must be"):
        nn.MSELoss()(Tensor([1.0]), 1.0)
    bad = Tensor(np.array([4], np.int32))
    with pytest.raises((ValueError, IndexError)):
        nn.SoftmaxCrossEntropyWithLogits(True)(Tensor(array(1, 4)), bad)


def test_loss_base():
    class Weighted(nn.LossBase):
        def construct(self, logits, labels):
            return self.get_loss(ops.abs(logits - labels), 2.0)

    assert float(Weighted()(Tensor([1.0, 2.0]), Tensor([0.0, 0.0]))) == 3.0
    assert Weighted("none")(Tensor([1.0, 2.0]), Tensor([0.0, 0.0])).shape == (2,)
