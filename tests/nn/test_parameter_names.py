# SPDX-License-Identifier: Apache-2.0
"""Names of parameters, by which checkpoints find them."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn

VOLUMES = ["bn2d.moving_mean", "bn2d.moving_variance", "bn2d.gamma", "bn2d.beta"]


def names(net: nn.Cell) -> list[str]:
    return [parameter.name for parameter in net.get_parameters()]


def test_batch_norm_of_volumes_is_one_of_planes():
    assert names(nn.BatchNorm3d(2)) == VOLUMES
    assert names(nn.SequentialCell([nn.BatchNorm3d(2)])) == [f"0.{name}" for name in VOLUMES]
    assert names(nn.BatchNorm2d(2)) == ["mean", "variance", "gamma", "beta"]
    assert list(nn.BatchNorm3d(2).parameters_dict()) == VOLUMES


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_batch_norm_of_volumes_computes(mode):
    x = np.random.default_rng(0).normal(2, 3, (4, 2, 3, 4, 5)).astype(np.float32)
    ms.set_context(mode=mode)
    try:
        net = nn.BatchNorm3d(2, momentum=0.5).set_train()
        y = net(Tensor(x)).asnumpy()
        np.testing.assert_allclose(y.mean((0, 2, 3, 4)), 0, atol=1e-5)
        np.testing.assert_allclose(y.std((0, 2, 3, 4)), 1, atol=1e-4)
        wanted = 0.5 * x.mean((0, 2, 3, 4))
        np.testing.assert_allclose(net.bn2d.moving_mean.asnumpy(), wanted, rtol=1e-5)
        with pytest.raises(ValueError, match="5 dims"):
            net(Tensor(x[0]))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_windows_of_image_comparisons_are_layers():
    one, scales = nn.SSIM(filter_size=5), nn.MSSSIM(power_factors=(0.4, 0.6), filter_size=3)
    assert names(one) == ["conv.weight"] and names(nn.SequentialCell([one])) == ["0.conv.weight"]
    assert names(scales) == ["multi_convs_list.0.weight", "multi_convs_list.1.weight"]
    assert one.conv.weight.shape == (1, 1, 5, 5)
    assert not one.trainable_params() and not scales.trainable_params()
    np.testing.assert_allclose(one.conv.weight.asnumpy().sum(), 1, rtol=1e-6)


def test_old_names_do_not_fit_unnoticed():
    left, _ = ms.load_param_into_net(nn.BatchNorm3d(2), {"gamma": ms.Parameter(Tensor([1.0, 2.0]), "gamma")})
    assert "bn2d.gamma" in left
