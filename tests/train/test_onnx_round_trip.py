# SPDX-License-Identifier: Apache-2.0
"""Networks written as ONNX files and read again give the same results, in both modes."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore.common._structure import tensors_in
from mindspore.train._onnx.importer import load_onnx


def real(*shape):
    return Tensor(np.random.default_rng(5).standard_normal(shape).astype(np.float32))


def positive(*shape):
    return Tensor(np.random.default_rng(5).uniform(0.1, 0.9, shape).astype(np.float32))


def whole(*shape, high=3, dtype=np.int32):
    return Tensor(np.random.default_rng(5).integers(0, high, shape).astype(dtype))


LAYERS = {
    "Conv1d": lambda: (nn.Conv1d(3, 4, 3, has_bias=True), real(2, 3, 9)),
    "Conv2d same": lambda: (nn.Conv2d(4, 4, (3, 2), stride=2, group=2), real(1, 4, 7, 8)),
    "Conv2d dilated": lambda: (nn.Conv2d(2, 3, 3, pad_mode="valid", dilation=2), real(1, 2, 7, 8)),
    "Conv3d": lambda: (nn.Conv3d(2, 3, 3, stride=2, has_bias=True), real(1, 2, 5, 6, 7)),
    "Conv3d pad": lambda: (nn.Conv3d(2, 4, (2, 3, 3), pad_mode="pad", padding=1), real(1, 2, 4, 4, 5)),
    "Conv1dTranspose": lambda: (nn.Conv1dTranspose(3, 4, 3, stride=2), real(2, 3, 5)),
    "Conv2dTranspose": lambda: (
        nn.Conv2dTranspose(3, 4, 3, stride=2, pad_mode="pad", padding=1, output_padding=1, has_bias=True),
        real(1, 3, 5, 4),
    ),
    "Conv2dTranspose same": lambda: (nn.Conv2dTranspose(2, 4, 5, stride=2, group=2), real(1, 2, 4, 3)),
    "Conv3dTranspose": lambda: (nn.Conv3dTranspose(2, 3, 3, stride=2), real(1, 2, 3, 2, 3)),
    "Dense": lambda: (nn.Dense(4, 3), real(2, 4)),
    "Dense of three axes": lambda: (nn.Dense(4, 3, has_bias=False), real(2, 5, 4)),
    "Embedding": lambda: (nn.Embedding(7, 4), whole(2, 3)),
    "BatchNorm1d": lambda: (nn.BatchNorm1d(4), real(3, 4)),
    "BatchNorm2d": lambda: (nn.BatchNorm2d(3), real(2, 3, 4, 4)),
    "BatchNorm3d": lambda: (nn.BatchNorm3d(3), real(2, 3, 2, 4, 4)),
    "LayerNorm": lambda: (nn.LayerNorm((4, 5), 2, 2), real(2, 3, 4, 5)),
    "GroupNorm": lambda: (nn.GroupNorm(2, 4), real(2, 4, 3, 3)),
    "InstanceNorm2d": lambda: (nn.InstanceNorm2d(3), real(2, 3, 4, 4)),
    "LRN": lambda: (nn.LRN(), real(1, 5, 3, 3)),
    "MaxPool1d": lambda: (nn.MaxPool1d(3, 2), real(2, 3, 9)),
    "MaxPool2d": lambda: (nn.MaxPool2d(3, 2, pad_mode="same"), real(2, 3, 8, 7)),
    "MaxPool3d": lambda: (nn.MaxPool3d(2, 2), real(1, 2, 4, 6, 4)),
    "AvgPool1d": lambda: (nn.AvgPool1d(3, 2), real(2, 3, 9)),
    "AvgPool2d": lambda: (nn.AvgPool2d(3, 2, pad_mode="same"), real(2, 3, 8, 7)),
    "AvgPool2d pad": lambda: (
        nn.AvgPool2d(3, 2, pad_mode="pad", padding=1, ceil_mode=True, count_include_pad=False),
        real(1, 3, 8, 8),
    ),
    "AvgPool3d": lambda: (nn.AvgPool3d(2, 2), real(1, 2, 4, 6, 4)),
    "AdaptiveAvgPool1d": lambda: (nn.AdaptiveAvgPool1d(3), real(2, 3, 9)),
    "AdaptiveAvgPool2d one": lambda: (nn.AdaptiveAvgPool2d(1), real(2, 3, 5, 6)),
    "AdaptiveAvgPool2d uneven": lambda: (nn.AdaptiveAvgPool2d((3, 4)), real(2, 3, 8, 9)),
    "AdaptiveAvgPool3d": lambda: (nn.AdaptiveAvgPool3d(2), real(1, 2, 4, 6, 4)),
    "AdaptiveMaxPool2d": lambda: (nn.AdaptiveMaxPool2d((2, 2)), real(1, 3, 6, 6)),
    "LPPool2d": lambda: (nn.LPPool2d(2, 2), real(1, 3, 6, 6)),
    "LSTM": lambda: (nn.LSTM(4, 3, 2, bidirectional=True), real(3, 2, 4)),
    "LSTM rows first": lambda: (nn.LSTM(4, 3, has_bias=False, batch_first=True), real(2, 3, 4)),
    "LSTM lengths": lambda: (
        Lengths(nn.LSTM(4, 3, bidirectional=True)),
        real(5, 3, 4),
        Tensor(np.array([5, 2, 3], np.int32)),
    ),
    "GRU": lambda: (nn.GRU(4, 3, 2, bidirectional=True), real(3, 2, 4)),
    "GRU lengths": lambda: (Lengths(nn.GRU(4, 3)), real(5, 3, 4), Tensor(np.array([5, 2, 3], np.int32))),
    "RNN": lambda: (nn.RNN(4, 3, nonlinearity="relu"), real(3, 2, 4)),
    "LSTMCell": lambda: (nn.LSTMCell(4, 3), real(2, 4), (real(2, 3), real(2, 3))),
    "MultiheadAttention": lambda: (nn.MultiheadAttention(8, 2), real(3, 2, 8), real(4, 2, 8), real(4, 2, 8)),
    "TransformerEncoderLayer": lambda: (nn.TransformerEncoderLayer(8, 2, 16), real(3, 2, 8)),
    "PReLU": lambda: (nn.PReLU(3), real(2, 3, 4, 4)),
    "PixelShuffle": lambda: (nn.PixelShuffle(2), real(1, 8, 3, 3)),
    "ReflectionPad2d": lambda: (nn.ReflectionPad2d(1), real(1, 2, 4, 4)),
    "Softmax": lambda: (nn.Softmax(axis=1), real(2, 3, 4)),
    "LogSoftmax": lambda: (nn.LogSoftmax(), real(2, 3)),
    "OneHot": lambda: (nn.OneHot(depth=4), whole(3)),
    "CrossEntropyLoss": lambda: (nn.CrossEntropyLoss(ignore_index=1), real(4, 3), whole(4)),
    "CrossEntropyLoss of images": lambda: (
        nn.CrossEntropyLoss(weight=positive(3)),
        real(2, 3, 4),
        whole(2, 4),
    ),
}


class Lengths(nn.Cell):
    """A recurrent layer over rows of different lengths."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def construct(self, x, lengths):
        """All states, and the last ones."""
        return self.layer(x, seq_length=lengths)


UNARY = [
    *[
        "abs",
        "acosh",
        "asinh",
        "atan",
        "ceil",
        "cos",
        "cosh",
        "erf",
        "erfc",
        "exp",
        "expm1",
        "floor",
        "log",
        "log1p",
        "log2",
        "log10",
        "neg",
        "reciprocal",
    ],
    *[
        "relu",
        "relu6",
        "round",
        "rsqrt",
        "sigmoid",
        "sign",
        "sin",
        "sinh",
        "sqrt",
        "square",
        "tan",
        "tanh",
        "trunc",
        "silu",
        "selu",
        "elu",
        "mish",
    ],
    *["hardswish", "hardsigmoid", "softsign", "isnan", "isinf", "isfinite", "logsigmoid", "exp2"],
    *["deg2rad", "rad2deg", "leaky_relu", "celu", "hardshrink", "softshrink", "gelu", "softplus", "logit"],
]
BINARY = [
    *[
        "add",
        "sub",
        "mul",
        "div",
        "maximum",
        "minimum",
        "pow",
        "floor_div",
        "floor_mod",
        "equal",
        "not_equal",
        "less",
        "less_equal",
        "greater",
    ],
    *["greater_equal", "atan2", "hypot", "xlogy", "logaddexp", "fmod", "truncate_div"],
]
REDUCTIONS = ["ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd"]


def assigned(x):
    """Writes to a copy of its input and to a tensor of its own."""
    y, z = x.copy(), ops.zeros((3, 4))
    y[0] = 5.0
    y[:, 1] = x[:, 0]
    y[Tensor([0, 2])] = -1.0
    z[1:, 2] = x[1:, 0]
    return y, z


def written_through_views(x):
    """Writes that reach a tensor through views of views, and views of what was written."""
    y, turned = x * 2, (x * 3).T
    y[0][1] = 7.0
    flat = y.reshape(-1)
    flat[3] = x[1, 1]
    turned[0] = 1.0
    return y, flat + 1, turned[1:], ops.swapaxes(y[1:], 0, 1) * 2


def others():
    """Operators that need arguments of their own."""
    mask = Tensor(np.array([[True, False, True, False], [False, True, True, False], [True] * 4]))
    places = Tensor(np.array([2, 0], np.int32))
    return {
        "gelu by tanh": (lambda x: ops.gelu(x, "tanh"), real(3, 4)),
        "clamp": (lambda x: ops.clamp(x, -0.5, 0.5), real(3, 4)),
        "lerp": (lambda x, y: ops.lerp(x, y, 0.25), real(3, 4), positive(3, 4)),
        "logic": (lambda m: (m & ~m, m | m, ops.logical_xor(m, ~m)), mask),
        "where": (lambda m, x: (ops.where(m, x, -x), ops.masked_fill(x, m, 0.5)), mask, real(3, 4)),
        "all and any": (lambda m: (m.all(), m.any(axis=1), m.all(axis=0, keep_dims=True)), mask),
        "cast": (lambda x: (x.astype(ms.int32), x.astype(ms.float16), x > 0), real(3, 4)),
        "mixed types": (lambda x, n: (x * n + 2, n / 2, n * 1.5, n > 1.5, -n), real(3), whole(3)),
        "whole numbers": (lambda n: (n // 2, n % 3, n - 7, n * n), whole(6, high=9)),
        "statistics": (lambda x: (x.std(), x.var(axis=0), ops.norm(x), x.mean(1)), real(3, 4)),
        "argmax": (lambda x: (x.argmax(axis=1), ops.argmin(x, 0), ops.max(x, 1)), real(3, 4)),
        "order": (lambda x: (ops.topk(x, 2), ops.sort(x, descending=True)), real(3, 4)),
        "logsumexp": (lambda x: ops.logsumexp(x, 1), real(3, 4)),
        "cumsum": (lambda x: ops.cumsum(x, 1), real(3, 4)),
        "logcumsumexp": (lambda x: (ops.logcumsumexp(x, 1), ops.logcumsumexp(x, 0)), real(3, 4)),
        "exclusive logcumsumexp": (lambda x: ops.CumulativeLogsumexp(True, True)(x, 0), real(3, 4)),
        "scaled difference": (lambda x: ops.subtract(x, 2.0, alpha=3), real(3, 4)),
        "quantile": (lambda x: ops.quantile(x, 0.3, 1), real(3, 4)),
        "products": (lambda x, y: (x @ y, ops.matmul(y, x), ops.bmm(x, y)), real(2, 3, 4), real(2, 4, 3)),
        "transposed product": (lambda x, y: ops.BatchMatMul(False, True)(x, y), real(2, 3, 4), real(2, 5, 4)),
        "einsum": (lambda x, y: ops.einsum("bij,bkj->bik", x, y), real(2, 3, 4), real(2, 5, 4)),
        "reshape": (lambda x: (x.reshape(4, -1), ops.flatten(x), x.expand_dims(1).squeeze(1)), real(2, 3, 4)),
        "broadcast": (lambda x: (ops.broadcast_to(x, (2, 3, 4)), ops.tile(x, (2, 1, 2))), real(3, 4)),
        "swap": (lambda x: (x.transpose(2, 0, 1), x.swapaxes(0, 1)), real(2, 3, 4)),
        "join": (lambda x, y: (ops.concat((x, y), 1), ops.stack((x, y), 1)), real(3, 4), real(3, 4)),
        "split": (lambda x: (ops.split(x, 2, 1), ops.unstack(x, 0), ops.chunk(x, 3, 1)), real(2, 6)),
        "slices": (lambda x: (x[:, 0], x[..., None], x[::2, 1:], x[-1], x[:, -3:-1]), real(3, 4)),
        "index tensors": (lambda x, i: (x[i], x[:, i], x[i, i]), real(3, 4), places),
        "gather": (
            lambda x, i: (ops.gather(x, i, 1), ops.gather_nd(x, i.expand_dims(1))),
            real(3, 4),
            places,
        ),
        "gather in rows": (
            lambda x, i: (ops.gather(x, i, 1, 1), ops.gather(x, i.expand_dims(1), 1, 1)),
            real(2, 4),
            whole(2),
        ),
        "whole numbers are finite": (lambda i: ops.nan_to_num(i, 5.0), whole(3)),
        "gather elements": (lambda x: ops.gather_elements(x, 0, Tensor([[0, 1], [1, 0]])), real(2, 2)),
        "scatter": (
            lambda x: ops.tensor_scatter_elements(x, Tensor([[0, 1]]), Tensor([[5.0, 6.0]]), 0, "add"),
            real(2, 2),
        ),
        "pad": (lambda x: ops.pad(x, (1, 2, 0, 1), value=3.0), real(2, 3)),
        "flip and roll": (lambda x: (ops.flip(x, (0, 1)), ops.roll(x, 2, 1)), real(3, 4)),
        "triangles": (lambda x: (ops.tril(x, -1), ops.triu(x, 1), ops.diagonal(x)), real(3, 4)),
        "one hot": (lambda i: ops.one_hot(i, 4, 2.0, -1.0), whole(2, 3)),
        "assignment": (assigned, real(3, 4)),
        "views": (written_through_views, real(3, 4)),
        "made": (lambda x: (ops.ones_like(x), ops.full_like(x, 7), x + ops.arange(4)), real(3, 4)),
        "unpool": (
            lambda x: ops.max_unpool2d(*ops.max_pool2d(x, 2, 2, return_indices=True), 2),
            real(1, 2, 4, 4),
        ),
        "bilinear": (lambda x: ops.interpolate(x, size=(7, 5), mode="bilinear"), real(1, 2, 3, 3)),
        "nearest": (lambda x: ops.interpolate(x, size=(6, 6), mode="nearest"), real(1, 2, 3, 3)),
        "unfold": (lambda x: ops.unfold(x, 2), real(1, 2, 4, 4)),
        "sum over no axis": (lambda x: ops.ReduceSum(skip_mode=True)(x, ()), real(3, 4)),
    }


OTHERS = list(others())


def check(net, inputs, folder):
    if isinstance(net, nn.Cell):
        net.set_train(False)
    expected = tensors_in(net(*inputs))
    path = str(folder / "net.onnx")
    ms.export(net, *inputs, file_name=path, file_format="ONNX")
    read = load_onnx(path)
    for _ in range(2):  # the second time runs what the first captured
        found = tensors_in(read(*tensors_in(inputs)))
        assert len(found) == len(expected)
        for got, wanted in zip(found, expected, strict=True):
            assert got.dtype == wanted.dtype
            np.testing.assert_allclose(got.asnumpy(), wanted.asnumpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", LAYERS)
def test_layers(name, tmp_path, each_mode):
    net, *inputs = LAYERS[name]()
    check(net, tuple(inputs), tmp_path)


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_tensor(name, tmp_path, each_mode):
    x = positive(3, 4) + 1 if name == "acosh" else positive(3, 4)
    check(getattr(ops, name), (x,), tmp_path)


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_tensors(name, tmp_path, each_mode):
    check(getattr(ops, name), (positive(2, 3, 4), positive(3, 1) * 2), tmp_path)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("axis", [(), 1, (0, -1)], ids=str)
@pytest.mark.parametrize("keep", [False, True])
def test_reductions(name, axis, keep, tmp_path):
    operator = getattr(ops, name)(keep_dims=keep)
    check(lambda x: operator(x, axis), (real(2, 3, 4),), tmp_path)


@pytest.mark.parametrize("name", OTHERS)
def test_other_operators(name, tmp_path, each_mode):
    net, *inputs = others()[name]
    check(net, tuple(inputs), tmp_path)
