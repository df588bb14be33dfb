# SPDX-License-Identifier: Apache-2.0
"""NaN is handed on, not turned into a number."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops

NAN = float("nan")
SAMPLE = [NAN, 1.0, -1.0, 0.2]

ACTIVATIONS = {
    "relu": ops.relu,
    "Tensor.relu": lambda x: x.relu(),
    "ReLU": ops.ReLU(),
    "nn.ReLU": nn.ReLU(),
    "relu6": ops.relu6,
    "ReLU6": ops.ReLU6(),
    "nn.ReLU6": nn.ReLU6(),
    "hardsigmoid": ops.hardsigmoid,
    "nn.HSigmoid": nn.HSigmoid(),
    "hardswish": ops.hardswish,
    "nn.HSwish": nn.HSwish(),
    "hardshrink": ops.hardshrink,
    "nn.HShrink": nn.HShrink(),
    "softshrink": ops.softshrink,
    "nn.SoftShrink": nn.SoftShrink(),
    "hardtanh": ops.hardtanh,
    "threshold": lambda x: ops.threshold(x, 0.1, 0.5),
    "nn.Threshold": nn.Threshold(0.1, 0.5),
    "leaky_relu": ops.leaky_relu,
    "prelu": lambda x: ops.prelu(x, Tensor([0.25])),
    "rrelu": nn.RReLU(),
    "elu": ops.elu,
    "celu": ops.celu,
    "selu": ops.selu,
    "gelu": ops.gelu,
    "fast_gelu": ops.fast_gelu,
    "silu": ops.silu,
    "mish": ops.mish,
    "softplus": ops.softplus,
    "logsigmoid": ops.logsigmoid,
    "clamp": lambda x: ops.clamp(x, -0.5, 0.5),
    "clip_by_value": lambda x: ops.clip_by_value(x, -0.5, 0.5),
}


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.float64])
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_keep_it(both_modes, name, dtype):
    run = ACTIVATIONS[name]
    if name == "rrelu":
        assert np.isnan(run(Tensor(SAMPLE, dtype)).asnumpy()).tolist() == [True, False, False, False]
        return
    found = both_modes(run, Tensor(SAMPLE, dtype))
    assert np.isnan(found.asnumpy()).tolist() == [True, False, False, False]


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (ops.relu, [0.0, 0.0, 0.5, 7.0]),
        (ops.relu6, [0.0, 0.0, 0.5, 6.0]),
        (lambda x: ops.hardshrink(x, 0.5), [-2.0, 0.0, 0.0, 7.0]),
        (lambda x: ops.softshrink(x, 0.5), [-1.5, 0.0, 0.0, 6.5]),
        (lambda x: ops.threshold(x, 0.5, 9.0), [9.0, 9.0, 9.0, 7.0]),
    ],
)
def test_numbers_are_as_before(both_modes, run, expected):
    assert both_modes(run, Tensor([-2.0, -0.0, 0.5, 7.0])).tolist() == expected


def test_slopes_at_the_corners(both_modes):
    corners = Tensor([-1.0, 0.0, 3.0, 6.0, 7.0])
    assert both_modes.gradient(lambda x: ops.relu(x).sum(), corners).tolist() == [0, 0, 1, 1, 1]
    assert both_modes.gradient(lambda x: ops.relu6(x).sum(), corners).tolist() == [0, 0, 1, 0, 0]


class Block(nn.Cell):
    """Convolution, maybe normalisation, activation, and the same again with a residual."""

    def __init__(self, activation, norm: bool):
        super().__init__()
        self.first, self.second = nn.Conv2d(16, 32, 3), nn.Conv2d(32, 32, 3)
        self.norm = nn.BatchNorm2d(32) if norm else None
        self.activation = activation

    def construct(self, x):
        y = self.first(x)
        y = self.activation(y if self.norm is None else self.norm(y))
        return self.activation(self.second(y) + y)


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("activation", [nn.ReLU, nn.ReLU6])
def test_compiled_convolutions_keep_it(activation, norm, training):
    images = np.random.default_rng(0).normal(size=(2, 16, 8, 8)).astype(np.float32)
    images[0, 3, 4, 4] = NAN
    net = Block(activation(), norm).set_train(training)
    wanted = np.isnan(net(Tensor(images)).asnumpy())
    compiled = ms.jit(lambda x: net(x))
    for _ in range(2):
        np.testing.assert_array_equal(np.isnan(compiled(Tensor(images)).asnumpy()), wanted)
    assert wanted.any()


def test_pools_and_extremes_keep_it(both_modes):
    plane = Tensor([[[[1.0, NAN], [3.0, 4.0]]]])
    assert np.isnan(both_modes(lambda x: ops.max_pool2d(x, 2), plane).asnumpy()).all()
    assert np.isnan(both_modes(lambda x: ops.adaptive_max_pool2d(x, 1), plane).asnumpy()).all()
    rows, ids = Tensor([1.0, NAN, 3.0]), Tensor([0, 0, 1])
    found = both_modes(lambda x, i: ops.unsorted_segment_max(x, i, 2), rows, ids).asnumpy()
    np.testing.assert_array_equal(found, [NAN, 3.0])


def test_divergence_from_an_unknown_label_is_unknown(both_modes):
    labels = Tensor([NAN, 0.5, 0.0, -1.0])
    loss = both_modes(lambda x, t: ops.kl_div(x, t, "none"), Tensor([-1.0, -2.0, -3.0, -4.0]), labels)
    np.testing.assert_allclose(loss.asnumpy(), [NAN, 0.5 * (np.log(0.5) + 2), 0, 0], rtol=1e-6)


def test_a_recurrent_relu_keeps_it():
    net = nn.RNN(2, 3, nonlinearity="relu")
    x = np.zeros((2, 1, 2), np.float32)
    x[0, 0, 0] = NAN
    assert np.isnan(net(Tensor(x))[0].asnumpy()).all()
