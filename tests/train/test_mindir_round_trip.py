# SPDX-License-Identifier: Apache-2.0
"""Networks written as MindIR files and read again give the same results, in both modes."""

from __future__ import annotations

import numpy as np
import pytest
from test_onnx_round_trip import BINARY, LAYERS, OTHERS, REDUCTIONS, UNARY, others, positive, real

import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore.common._structure import tensors_in


def check(net, inputs, folder, exact=False):
    if isinstance(net, nn.Cell):
        net.set_train(False)
    expected = tensors_in(net(*inputs))
    path = str(folder / "net.mindir")
    ms.export(net, *inputs, file_name=path, file_format="MINDIR")
    read = nn.GraphCell(ms.load(path))
    found = tensors_in(read(*tensors_in(inputs)))
    assert len(found) == len(expected)
    for got, wanted in zip(found, expected, strict=True):
        assert got.dtype == wanted.dtype
        if exact:
            np.testing.assert_array_equal(got.asnumpy(), wanted.asnumpy())
        else:
            np.testing.assert_allclose(got.asnumpy(), wanted.asnumpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", LAYERS)
def test_layers(name, tmp_path, each_mode):
    net, *inputs = LAYERS[name]()
    check(net, tuple(inputs), tmp_path)


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_tensor(name, tmp_path):
    x = positive(3, 4) + 1 if name == "acosh" else positive(3, 4)
    check(getattr(ops, name), (x,), tmp_path)


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_tensors(name, tmp_path):
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


def test_slice_that_leaves_nothing(tmp_path):
    check(lambda x: ops.strided_slice(x, (2, 0), (2, 3), (1, 1)), (real(3, 4),), tmp_path)


class SumOfConvolutions(nn.Cell):
    """One bias belongs to a convolution whose result somebody else reads as well."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(8, 16, 3, has_bias=True, bias_init="normal")
        self.bare = nn.Conv2d(8, 16, 3)
        self.bias = ms.Parameter(positive(16), name="bias")

    def construct(self, x):
        bare = self.bare(x)
        return self.first(x), bare, ops.bias_add(bare, self.bias)


CONVOLUTIONS = {
    "depthwise": lambda: nn.Conv2d(96, 96, 7, group=96, has_bias=True, bias_init="normal"),
    "pointwise": lambda: nn.Conv2d(96, 128, 1, has_bias=True, bias_init="normal"),
    "window": lambda: nn.Conv2d(96, 64, 3, stride=2, has_bias=True, bias_init="normal"),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions_with_a_bias_keep_their_bits(name, tmp_path, each_mode):
    net = CONVOLUTIONS[name]()
    check(net, (real(2, net.in_channels, 14, 14),), tmp_path, exact=True)


def test_a_result_that_others_read_is_not_joined_with_its_bias(tmp_path, each_mode):
    check(SumOfConvolutions(), (real(2, 8, 14, 14),), tmp_path)


@pytest.mark.parametrize("rows", [1, 3, 200])
@pytest.mark.parametrize("outputs", [40, 1000])
def test_deep_products_with_a_bias_keep_their_bits(rows, outputs, tmp_path, each_mode):
    check(nn.Dense(600, outputs, bias_init="normal"), (real(rows, 600),), tmp_path, exact=True)


def test_mistakes_in_a_joined_convolution_have_its_name(tmp_path):
    path = str(tmp_path / "net.mindir")
    net = nn.Conv2d(8, 4, 3, pad_mode="valid", has_bias=True)
    ms.export(net, Tensor(shape=[1, 8, None, None], dtype=ms.float32), file_name=path, file_format="MINDIR")
    with pytest.raises(ValueError, match=r"^For 'Conv2D', .*\n?.*In the node"):
        nn.GraphCell(ms.load(path))(real(1, 8, 2, 2))


class SharedDistances(nn.Cell):
    """Somebody else reads the distances that a variance is made of."""

    def construct(self, x):
        distance = x - x.mean((1, 2), keep_dims=True)
        return ops.square(distance).sum((1, 2)) / 41, distance


TAKEN_APART = {
    "variance": lambda x: x.var((1, 2), keepdims=True),
    "unbiased variance": lambda x: x.var(1, ddof=1),
    "variance of a row": lambda x: ops.var(x[0], -1),
    "deviation": lambda x: ops.std(x, (0, 2), 1),
    "standardised": lambda x: (x - x.mean(1, keep_dims=True)) / ops.sqrt(x.var(1, keepdims=True) + 1e-6),
    "one window": nn.AdaptiveAvgPool2d(1),
    "even windows": nn.AdaptiveAvgPool2d((3, 7)),
    "uneven windows": nn.AdaptiveAvgPool2d((2, 4)),
}


@pytest.mark.parametrize("dtype", [ms.float32, ms.float16])
@pytest.mark.parametrize("name", TAKEN_APART)
def test_what_files_hold_in_parts_keeps_its_bits(name, dtype, tmp_path, each_mode):
    check(TAKEN_APART[name], (real(8, 6, 14).astype(dtype),), tmp_path, exact=True)


def test_parts_of_a_variance_that_others_read_stay(tmp_path, each_mode):
    check(SharedDistances(), (real(8, 6, 14),), tmp_path, exact=True)
