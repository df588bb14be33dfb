# SPDX-License-Identifier: Apache-2.0
"""Base classes and helpers of layers that libraries derive theirs from."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore.nn.layer.conv import _check_input_3d, _Conv, _deconv_output_length
from mindspore.nn.layer.rnn_cells import RNNCellBase
from mindspore.nn.wrap.cell_wrapper import _MicroBatch
from mindspore.nn.wrap.loss_scale import _grad_overflow, grad_scale, shard_grad_scale

CONVOLUTIONS = (
    nn.Conv1d,
    nn.Conv2d,
    nn.Conv3d,
    nn.Conv1dTranspose,
    nn.Conv2dTranspose,
    nn.Conv3dTranspose,
)


@pytest.mark.parametrize("kind", CONVOLUTIONS)
def test_convolutions_have_one_base(kind):
    assert isinstance(kind(3, 4, 3), _Conv)


@pytest.mark.parametrize("kind", [nn.RNNCell, nn.GRUCell, nn.LSTMCell])
def test_single_steps_have_one_base(kind):
    assert isinstance(kind(3, 4), RNNCellBase)


class _Doubled(_Conv):
    """A convolution of a library: with the sum of its weights doubled."""

    def __init__(self, transposed=False, data_format="NCHW"):
        super().__init__(
            2, 4, (3, 1), (1, 1), "valid", 0, (1, 1), 2, True, None, None, data_format, transposed
        )

    def construct(self, x):
        return ops.conv2d(x, self.weight * 2, self.bias, groups=self.group)


def test_derived_convolution_has_weights_and_computes():
    layer = _Doubled()
    assert layer.weight.shape == (4, 1, 3, 1)
    assert layer.bias.shape == (4,)
    assert abs(layer.bias.asnumpy()).max() <= 1 / np.sqrt(3)
    assert _Doubled(transposed=True).weight.shape == (2, 2, 3, 1)
    assert _Doubled(data_format="NHWC").weight.shape == (4, 3, 1, 1)
    assert layer(ops.ones((1, 2, 5, 5))).shape == (1, 4, 3, 5)


def test_base_of_convolutions_computes_nothing():
    layer = _Conv(2, 4, (3,), (1,), "valid", 0, (1,), 1, False, "ones", "zeros")
    with pytest.raises(NotImplementedError, match="construct"):
        layer(ops.ones((1, 2, 5)))


def test_base_of_single_steps_makes_and_resets_parameters():
    class Step(RNNCellBase):
        """A step with two gates."""

        def construct(self, x, hx):
            return ops.matmul(x, self.weight_ih.T) + ops.matmul(hx, self.weight_hh.T)

    step = Step(3, 4, False, num_chunks=2)
    assert (step.weight_ih.shape, step.weight_hh.shape, step.bias_ih) == ((8, 3), (8, 4), None)
    before = step.weight_ih.asnumpy().copy()
    step.reset_parameters()
    assert not np.array_equal(step.weight_ih.asnumpy(), before)
    assert abs(step.weight_ih.asnumpy()).max() <= 0.5
    assert step(ops.ones((1, 3)), ops.ones((1, 4))).shape == (1, 8)


@pytest.mark.parametrize(
    ("modes", "length"),
    # of 5 with a kernel of 3, stride 2, dilation 2 and padding 1; what the reference gives
    [((True, False, False), 13), ((False, True, False), 10), ((False, False, True), 12)],
)
def test_length_after_a_transposed_convolution(modes, length):
    assert _deconv_output_length(*modes, 5, 3, 2, 2, 1) == length


def test_input_with_three_axes():
    _check_input_3d((1, 2, 3), "Conv1d")
    with pytest.raises(ValueError, match="For 'Conv1d', the dimension of input must be 3d, but got 2"):
        _check_input_3d((1, 2), "Conv1d")


def test_micro_batch_is_a_part_of_every_input():
    a, b = _MicroBatch(2)(1, Tensor(np.arange(8).reshape(4, 2)), Tensor([0, 1, 2, 3]))
    assert a.tolist() == [[4, 5], [6, 7]]
    assert b.tolist() == [2, 3]
    with pytest.raises(ValueError, match="divisible"):
        _MicroBatch(3)(0, Tensor([0, 1]))


def test_overflow_of_gradients():
    flags = ops.HyperMap()(_grad_overflow, (Tensor([1.0, np.inf]), Tensor([1.0])))
    assert [flag.tolist() for flag in flags] == [[1.0], [0.0]]


@pytest.mark.parametrize(("function", "unscaled"), [(grad_scale, 4.0), (shard_grad_scale, 1.0)])
def test_gathered_gradients_are_unscaled_and_begin_anew(function, unscaled):
    gathered = ms.Parameter(Tensor([8.0]))
    assert function(Tensor([2.0]), Tensor([2.0]), gathered).tolist() == [unscaled]
    assert gathered.asnumpy().tolist() == [0.0]
