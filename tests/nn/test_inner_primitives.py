# SPDX-License-Identifier: Apache-2.0
"""Primitives that layers have as attributes."""

from __future__ import annotations

import copy
import pickle

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


@pytest.mark.parametrize("name", sorted(_inner_primitives._OF_ONE_PRIMITIVE))
def test_replaced_primitive_is_the_one_that_computes(name, both_modes):
    layer = _layer(name)
    (attribute,) = _inner_primitives._TABLE[name]
    before = both_modes(layer, Tensor(np.ones((1, 2, 4, 4), np.float32)))
    setattr(layer, attribute, P.Neg())
    assert before.shape[:2] == (1, 2)
    x = Tensor(np.full((1, 2, 4, 4), 3.0, np.float32))
    assert both_modes(layer, x).asnumpy().tolist() == np.full((1, 2, 4, 4), -3.0).tolist()
    for copied in (copy.deepcopy(layer), copy.copy(layer), pickle.loads(pickle.dumps(layer))):
        assert both_modes(copied, x).asnumpy().max() == -3.0
        setattr(copied, attribute, P.Square())
        assert both_modes(copied, x).asnumpy().max() == 9.0
    assert both_modes(layer, x).asnumpy().max() == -3.0


def test_replaced_primitive_may_be_anything_that_is_called(both_modes):
    x = Tensor([1.0, -2.0])
    layer = nn.ReLU()
    layer.relu = lambda value: value * 2
    assert both_modes(layer, x).tolist() == [2.0, -4.0]
    layer.relu = P.ReLU()
    assert both_modes(layer, x).tolist() == [1.0, 0.0]
    layer.relu = nn.Tanh()
    assert np.allclose(both_modes(layer, x).asnumpy(), np.tanh([1.0, -2.0]))
    assert nn.ReLU()(x).tolist() == [1.0, 0.0]
    soft = nn.Softmax()
    soft.softmax = P.Softmax(0)
    assert soft(Tensor([[1.0], [1.0]])).tolist() == [[0.5], [0.5]]


def test_replaced_primitive_takes_part_in_gradients(both_modes):
    layer = nn.Sigmoid()
    layer.sigmoid = P.Square()
    assert both_modes(ms.grad(layer), Tensor([1.0, 3.0])).tolist() == [2.0, 6.0]


def test_replaced_primitives_of_layers_with_parameters(both_modes):
    x = Tensor(np.arange(6, dtype=np.float32).reshape(1, 2, 3))
    dense = nn.Dense(3, 3, weight_init="ones", bias_init="ones", activation="relu")
    plain = both_modes(dense, x).asnumpy()
    dense.bias_add = P.Sub()
    assert np.array_equal(both_modes(dense, x).asnumpy(), plain - 2)
    dense.matmul = P.MatMul()
    assert np.array_equal(both_modes(dense, x).asnumpy(), plain - 2)
    conv = nn.Conv2d(1, 1, 1, weight_init="ones", has_bias=True, bias_init="ones")
    conv.conv2d = P.Mul()
    assert both_modes(conv, Tensor(np.full((1, 1, 2, 2), 3.0, np.float32))).asnumpy().max() == 4.0
    prelu = nn.PReLU(w=0.5)
    prelu.prelu = P.Mul()
    assert both_modes(prelu, Tensor([[4.0]])).tolist() == [[2.0]]
    norm = nn.LayerNorm((2,), gamma_init=3.0)
    norm.layer_norm = lambda x, gamma, beta: (x * gamma + beta, None, None)
    assert both_modes(norm, Tensor([[1.0, 2.0]])).tolist() == [[3.0, 6.0]]
    dropout = nn.Dropout(p=0.5).set_train()
    dropout.dropout = lambda x: (x + 1, None)
    assert both_modes(dropout, Tensor([1.0])).tolist() == [2.0]
    assert both_modes(dropout.set_train(False), Tensor([1.0])).tolist() == [1.0]


def test_layer_that_cannot_use_a_replaced_primitive_says_so():
    x = Tensor(np.ones((1, 1, 4, 4), np.float32))
    pool = nn.MaxPool2d(2, 2)
    pool.max_pool = P.MaxPool((2, 2), 2, "VALID")  # the same, written otherwise
    assert pool(x).shape == (1, 1, 2, 2)
    optimizer = nn.Momentum(nn.Dense(2, 1).trainable_params(), 0.1, 0.9)
    optimizer.hyper_map, optimizer.map_, optimizer.opt = ops.HyperMap(), ops.Map(), P.ApplyMomentum()
    assert all(optimizer((ops.ones((1, 2)), ops.ones(1))))
    pool.max_pool = P.AvgPool(2, 2)
    with pytest.raises(
        NotImplementedError, match="For 'MaxPool2d', another object was assigned to 'max_pool'"
    ):
        pool(x)
    pool.max_pool = P.MaxPool(2, 2)
    assert pool(x).shape == (1, 1, 2, 2)
    recurrent, norm = nn.LSTM(2, 3), nn.BatchNorm2d(1)
    recurrent.reverse, norm.bn_infer = P.ReverseV2([0]), P.BatchNorm(False, norm.eps)
    assert recurrent(ops.ones((2, 1, 2)))[0].shape == (2, 1, 3) and norm(x).shape == x.shape
    recurrent.reverse, norm.bn_infer = P.ReverseV2([1]), P.BatchNorm(False, 0.5)
    with pytest.raises(NotImplementedError, match="For 'LSTM', another object was assigned to 'reverse'"):
        recurrent(ops.ones((2, 1, 2)))
    with pytest.raises(NotImplementedError, match="For 'BatchNorm2d', .* 'bn_infer'"):
        norm(x)
    loss = nn.L1Loss()
    loss.abs = P.Neg()
    with pytest.raises(NotImplementedError, match="'abs'"):
        loss(x, x)


def test_construct_of_the_user_reads_what_it_likes(both_modes):
    class Twice(nn.Dense):
        """A dense layer with another product."""

        def __init__(self):
            super().__init__(2, 2, weight_init="ones", has_bias=False)
            self.matmul = P.MatMul(transpose_a=True)

        def construct(self, x):
            return self.matmul(x, self.weight)

    assert both_modes(Twice(), Tensor([[1.0, 2.0], [3.0, 4.0]])).tolist() == [[4.0, 4.0], [6.0, 6.0]]


def test_what_all_cells_have_is_free_to_be_used(both_modes):
    chain = nn.SequentialCell(nn.ReLU())
    chain.cast = ops.cast
    assert both_modes(chain, Tensor([1.0, -1.0])).tolist() == [1.0, 0.0]


def test_a_construct_that_calls_the_base_is_told(capfd):
    class Calling(nn.Softmax):
        def construct(self, x):
            return super().construct(x)

    class Using(nn.Softmax):
        def construct(self, x):
            return self.softmax(x)

    for kind, is_told in ((Calling, True), (Using, False)):
        kind().softmax = ops.Neg()
        assert ("computes without the 'softmax' that was assigned" in capfd.readouterr().err) == is_told
