# SPDX-License-Identifier: Apache-2.0
"""Names of releases 1.2 to 1.10: they work, or the error says what replaces them."""

from __future__ import annotations

import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore.ops import composite as C
from mindspore.ops import operations as P


def test_names_that_still_work():
    from mindspore.nn.layer.activation import get_activation
    from mindspore.nn.loss.loss import LossBase, _Loss

    x = Tensor([[1.0, -2.0]])
    assert issubclass(nn.MSELoss, _Loss)
    assert issubclass(nn.MSELoss, LossBase)
    assert P.TensorAdd()(x, x).tolist() == [[2.0, -4.0]]
    assert P.Dropout(keep_prob=1.0)(x)[0].tolist() == x.tolist()
    assert get_activation("relu")(x).tolist() == [[1.0, 0.0]]
    assert C.clip_by_global_norm((x,), 1.0)[0].shape == (1, 2)
    assert nn.Norm()(Tensor([3.0, 4.0])).tolist() == 5.0
    assert P.ResizeNearestNeighbor((2, 2))(ops.ones((1, 1, 4, 4))).shape == (1, 1, 2, 2)


def test_every_cell_casts(both_modes):
    class Net(nn.Cell):
        """Casts as cells did."""

        def construct(self, x):
            return self.cast(x, ms.float16)

    net = Net()
    assert both_modes(net, Tensor([1.0])).dtype is ms.float16
    assert net.cast is net.cast


@pytest.mark.parametrize(
    ("module", "name", "instead"),
    [
        (P, "FusedBatchNorm", "ops.BatchNorm"),
        (P, "ControlDepend", "ops.depend"),
        (P, "DepthwiseConv2dNative", "ops.Conv2D"),
        (P, "BasicLSTMCell", "nn.LSTMCell"),
        (ops, "pack", "ops.stack"),
        (ops.functional, "zeros_like_tensor", "ops.zeros_like"),
        (nn, "DepthwiseConv2d", "group=in_channels"),
        (nn, "GlobalBatchNorm", "nn.SyncBatchNorm"),
        (nn, "Conv2dBnFoldQuant", "mindspore_gs"),
        (nn, "AdamWeightDecayForBert", "nn.AdamWeightDecay"),
    ],
)
def test_names_that_are_gone_say_what_replaces_them(module, name, instead):
    with pytest.raises(AttributeError) as error:
        getattr(module, name)
    assert instead in str(error.value)
