# SPDX-License-Identifier: Apache-2.0
"""Mixed precision levels and loss scales."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, amp, nn


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.bn = nn.BatchNorm2d(2)
        self.relu = nn.ReLU()
        self.types = []
        for cell in (self.conv, self.bn, self.relu):
            cell.register_forward_hook(lambda cell, inputs, output: self.types.append(str(output.dtype)))

    def construct(self, x):
        return self.relu(self.bn(self.conv(x)))


@pytest.mark.parametrize(
    "level, types",
    [
        ("O0", ["Float32", "Float32", "Float32"]),
        ("O1", ["Float32", "Float32", "Float32"]),
        ("O2", ["Float16", "Float16", "Float16"]),
        ("O3", ["Float16", "Float16", "Float16"]),
    ],
)
def test_levels(level, types):
    net = Net()
    names = [p.name for p in net.get_parameters()]
    lowered = amp.auto_mixed_precision(net, level)
    x = Tensor(np.ones((1, 1, 4, 4), np.float32))
    assert lowered(x).dtype == ms.float32
    assert net.types == types
    assert [p.name for p in lowered.get_parameters()] == names
    assert all(p.dtype == ms.float32 for p in lowered.get_parameters())
    net.set_train()
    gradients = ms.grad(lambda x: lowered(x).sum(), None, lowered.trainable_params())(x)
    assert all(g.dtype == ms.float32 for g in gradients)


def test_level_errors():
    with pytest.raises(ValueError, match="The amp level O4 is not supported"):
        amp.auto_mixed_precision(Net(), "O4")
    with pytest.raises(ValueError):
        amp.auto_mixed_precision(Net(), "O2", ms.float64)
    with pytest.raises(ValueError):
        amp.custom_mixed_precision(Net())


def test_scalers():
    scaler = amp.DynamicLossScaler(16, 2, 3)
    assert float(scaler.scale(Tensor(2.0))) == 32.0
    assert [float(t) for t in scaler.unscale((Tensor(16.0), Tensor(32.0)))] == [1.0, 2.0]
    scales = []
    for overflow in map(int, "0000100011"):
        assert scaler.adjust(Tensor(not overflow))
        scales.append(float(scaler.scale_value))
    assert scales == [16, 16, 32, 32, 16, 16, 16, 32, 16, 8]
    assert not amp.StaticLossScaler(4).adjust(Tensor(False))
    with pytest.raises(ValueError, match="must be > 1"):
        amp.StaticLossScaler(0)
    with pytest.raises(TypeError):
        amp.DynamicLossScaler(4, 2.0, 3)


def test_managers():
    manager = ms.DynamicLossScaleManager(16, 2, 3)
    scales = []
    for overflow in map(int, "0000100011"):
        manager.update_loss_scale(bool(overflow))
        scales.append(manager.get_loss_scale())
    assert scales == [16, 16, 32, 32, 16, 16, 16, 32, 16, 8]
    assert ms.FixedLossScaleManager().get_loss_scale() == 128.0
    assert ms.FixedLossScaleManager(2.0, False).get_update_cell() is None
    with pytest.raises(ValueError):
        ms.FixedLossScaleManager(0.5)


def test_all_finite():
    assert bool(amp.all_finite((Tensor([1.0, 2.0]), (Tensor([3.0]), None))))
    assert not bool(amp.all_finite([Tensor([1.0, np.inf], ms.float32)]))
    with pytest.raises(TypeError):
        amp.all_finite(Tensor([1.0]))
