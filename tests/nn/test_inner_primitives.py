# SPDX-License-Identifier: Apache-2.0
"""Primitives that layers have as attributes."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore.nn import _inner_primitives
from mindspore.ops import operations as P

ARGUMENTS = {
    **dict.fromkeys(("Conv1d", "Conv2d", "Conv3d"), (3, 4, 3)),
    **dict.fromkeys(("Conv1dTranspose", "Conv2dTranspose", "Conv3dTranspose"), (3, 4, 3)),
    **dict.fromkeys(("BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"), (3,)),
    **dict.fromkeys(("MaxPool1d", "MaxPool2d", "MaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d"), (2,)),
    **dict.fromkeys(("AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d"), (2,)),
    **dict.fromkeys(("AdaptiveMaxPool1d", "AdaptiveMaxPool3d", "ChannelShuffle"), (2,)),
    **dict.fromkeys(("RNN", "GRU", "LSTM", "Dense"), (3, 4)),
    **dict.fromkeys(("Embedding", "EmbeddingLookup"), (5, 3)),
    "MultiFieldEmbeddingLookup": (5, 3, 2),
    "BiDense": (3, 4, 5),
    "Unflatten": (0, (1, 2)),
    "CentralCrop": (0.5,),
    "ReduceLogSumExp": (0,),
    "Moments": (0,),
    "DynamicLossScaleUpdateCell": (2.0, 2, 2),
}


def _layer(name: str) -> nn.Cell:
    network = nn.Dense(3, 4)
    if name == "TrainOneStepWithLossScaleCell":
        optimizer = nn.SGD(network.trainable_params(), 0.1)
        return nn.TrainOneStepWithLossScaleCell(
            nn.WithLossCell(network, nn.MSELoss()), optimizer, Tensor(1.0)
        )
    if name == "PipelineCell":
        return nn.PipelineCell(network, 1)
    if name == "MicroBatchInterleaved":
        return nn.MicroBatchInterleaved(network)
    if name == "TimeDistributed":
        return nn.TimeDistributed(network, time_axis=1, reshape_with_axis=0)
    return getattr(nn, name)(*ARGUMENTS.get(name, ()))


@pytest.mark.parametrize("name", _inner_primitives._TABLE)
def test_every_attribute_is_there(name):
    layer = _layer(name)
    for attribute in _inner_primitives._TABLE[name]:
        value = getattr(layer, attribute)
        assert value is getattr(layer, attribute)
        if isinstance(value, ops.Primitive):
            assert value.shard() is value


@pytest.mark.parametrize(
    ("layer", "attribute", "shape"),
    [
        (nn.Softmax(), "softmax", (2, 3)),
        (nn.LogSoftmax(), "log_softmax", (2, 3)),
        (nn.ReLU6(), "relu6", (2, 3)),
        (nn.ELU(0.5), "elu", (2, 3)),
        (nn.HShrink(0.2), "hshrink", (2, 3)),
        (nn.MaxPool2d(2, 2), "max_pool", (1, 2, 4, 4)),
        (nn.AvgPool2d(3, 1, "same"), "avg_pool", (1, 2, 4, 4)),
        (nn.MaxPool3d(2), "max_pool", (1, 2, 4, 4, 4)),
        (nn.AdaptiveAvgPool2d(2), "adaptive_avgpool2d", (1, 2, 5, 5)),
        (nn.LRN(), "lrn_op", (1, 2, 4, 4)),
    ],
)
def test_primitive_computes_what_the_layer_does(layer, attribute, shape):
    x = Tensor(np.random.default_rng(3).normal(size=shape).astype(np.float32))
    assert np.array_equal(getattr(layer, attribute)(x).asnumpy(), layer(x).asnumpy())


def test_convolutions_as_primitives():
    x = Tensor(np.random.default_rng(3).normal(size=(1, 3, 6)).astype(np.float32))
    layer = nn.Conv1d(3, 4, 3, pad_mode="pad", padding=1, dilation=2, weight_init="normal")
    by_hand = layer.squeeze(layer.conv2d(layer.expand_dims(x, 2), layer.weight))
    assert np.allclose(by_hand.asnumpy(), layer(x).asnumpy())
    volume = nn.Conv3d(3, 4, 2, weight_init="normal")
    x = Tensor(np.random.default_rng(3).normal(size=(1, 3, 4, 4, 4)).astype(np.float32))
    assert np.allclose(volume.conv3d(x, volume.weight).asnumpy(), volume(x).asnumpy(), atol=1e-5)


def test_softmax_cross_entropy_as_a_primitive():
    loss = nn.SoftmaxCrossEntropyWithLogits()
    logits, labels = Tensor([[1.0, 2.0], [0.0, 1.0]]), Tensor([[0.0, 1.0], [1.0, 0.0]])
    assert np.allclose(
        loss.softmax_cross_entropy(logits, labels)[0].asnumpy(), loss(logits, labels).asnumpy()
    )
    one_hot = loss.one_hot(Tensor([1, 0], ms.int32), 2, loss.on_value, loss.off_value)
    assert one_hot.tolist() == labels.tolist()


class _Weighted(nn.LossBase):
    """A loss of a library, with the primitives of its base."""

    def construct(self, logits, labels):
        difference = self.cast(self.mul(logits - labels, logits - labels), ms.float32)
        return self.reduce_sum(difference, 0) + self.reduce_mean(difference)


def test_derived_losses_use_the_primitives(both_modes):
    loss = _Weighted()
    assert both_modes(loss, Tensor([1.0, 2.0]), Tensor([0.0, 0.0])).tolist() == 7.5


def test_attribute_may_be_assigned():
    class Own(nn.LossBase):
        """A loss with a sum of its own."""

        def __init__(self):
            super().__init__()
            self.reduce_sum = P.ReduceSum(keep_dims=True)

        def construct(self, x, y):
            return self.reduce_sum(x - y, 0)

    assert Own()(Tensor([1.0, 2.0]), Tensor([0.0, 0.0])).shape == (1,)


def test_layer_with_a_primitive_is_copied():
    layer = nn.Dropout(p=0.25)
    assert layer.dropout.keep_prob == 0.75
    layer.dropout.add_prim_attr("mark", 1)
    assert copy.deepcopy(layer).dropout.mark == 1
    assert nn.Dropout(p=0.5).dropout.keep_prob == 0.5
