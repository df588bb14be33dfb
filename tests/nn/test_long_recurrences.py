# SPDX-License-Identifier: Apache-2.0
"""Gradients that fade on their way back through many steps."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn

STEPS, ROWS, UNITS = 400, 16, 64
SMALLEST = np.finfo(np.float32).tiny


@pytest.mark.parametrize("layer_class", [nn.LSTM, nn.GRU, nn.RNN])
def test_what_is_too_small_for_full_precision_is_zero(layer_class):
    """Such numbers would stay for dozens of steps, and cost a processor a hundred times others."""
    layer = layer_class(UNITS, UNITS)
    weight = next(each for each in layer.get_parameters() if each.name == "weight_ih_l0")
    weight.set_data(Tensor(np.tile(np.eye(UNITS, dtype=np.float32), (weight.shape[0] // UNITS, 1))))
    x = Tensor(np.random.default_rng(0).standard_normal((STEPS, ROWS, UNITS)).astype(np.float32))
    gradient = np.abs(ms.grad(lambda x: layer(x)[0][-1].sum())(x).asnumpy())
    per_step = gradient.max(axis=(1, 2))
    assert per_step[-1] > 1e-3 and per_step[0] == 0  # it has faded entirely
    tiny = ((gradient > 0) & (gradient < SMALLEST)).sum()
    assert tiny < 3 * ROWS * UNITS  # sums of numbers that are just large enough


def test_elementwise_operators_keep_them():
    small = Tensor(np.array([1e-30, 1.0], np.float32))
    product = (small * 1e-10).asnumpy()
    assert 0 < product[0] < SMALLEST
