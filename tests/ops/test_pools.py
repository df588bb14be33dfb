# SPDX-License-Identifier: Apache-2.0
"""Pooling: forms that must agree, sizes that are kept, cells that count."""

from __future__ import annotations

import numpy as np
import pytest

from mindspore import Tensor, nn, ops

LINE = Tensor(np.arange(12, dtype=np.float32).reshape(1, 2, 6))


def test_means_of_lines_with_zeros_at_the_ends(both_modes):
    wanted = both_modes(nn.AvgPool1d(3, 2, "pad", 1), LINE)
    np.testing.assert_allclose(wanted.asnumpy(), [[[1 / 3, 2, 4], [13 / 3, 8, 10]]], rtol=1e-6)
    found = both_modes(lambda x: ops.avg_pool1d(x, 3, 2, 1), LINE)
    np.testing.assert_array_equal(found.asnumpy(), wanted.asnumpy())
    assert both_modes(lambda x: ops.avg_pool1d(x, (3,), (2,), (1,)), LINE).tolist() == wanted.tolist()
    one = both_modes(lambda x: ops.avg_pool1d(x, 3, 2, 1), LINE[0])
    np.testing.assert_array_equal(one.asnumpy(), wanted[0].asnumpy())


def test_options_of_means_of_lines(both_modes):
    bare = both_modes(lambda x: ops.avg_pool1d(x, 3, 2, 1, count_include_pad=False), LINE)
    np.testing.assert_allclose(bare.asnumpy()[..., 0], [[0.5, 6.5]], rtol=1e-6)
    assert both_modes(lambda x: ops.avg_pool1d(x, 3, 2, 0, True), LINE).shape == (1, 2, 3)
    gradient = both_modes.gradient(lambda x: ops.avg_pool1d(x, 3, 2, 1).sum(), LINE)
    np.testing.assert_allclose(gradient.asnumpy()[0, 0] * 3, [1, 2, 1, 2, 1, 1], rtol=1e-6)


@pytest.mark.parametrize(
    "run",
    [
        lambda x: ops.avg_pool1d(x, 3, 2, 2),
        lambda x: ops.avg_pool1d(x, 0),
        lambda x: ops.avg_pool1d(x, (1, 3)),
        lambda x: ops.avg_pool1d(x[0, 0], 3),
    ],
)
def test_means_of_lines_refuse_under_their_own_name(both_modes, run):
    both_modes.refuse(ValueError, run, LINE, match="avg_pool1d")


@pytest.mark.parametrize("size", [(None, 2), (2, None), (None, None), None])
def test_none_keeps_a_length(both_modes, size):
    x = Tensor(np.arange(40, dtype=np.float32).reshape(1, 2, 4, 5))
    forms = (
        lambda x: ops.adaptive_avg_pool2d(x, size),
        lambda x: ops.AdaptiveAvgPool2D(size)(x),
        lambda x: nn.AdaptiveAvgPool2d(size)(x),
    )
    pair = size if isinstance(size, tuple) else (size, size)
    wanted = tuple(length if one is None else one for one, length in zip(pair, (4, 5), strict=True))
    plain = ops.adaptive_avg_pool2d(x, wanted)
    for form in forms[: 3 if isinstance(size, tuple) else 0]:
        found = both_modes(form, x)
        assert found.shape == (1, 2, *wanted)
        np.testing.assert_array_equal(found.asnumpy(), plain.asnumpy())


def test_other_elements_than_none_are_refused(both_modes):
    x = Tensor(np.ones((1, 2, 4, 5), np.float32))
    both_modes.refuse(TypeError, lambda x: ops.adaptive_avg_pool2d(x, (1.5, 2)), x, match="output_size")
    both_modes.refuse(TypeError, lambda x: ops.avg_pool2d(x, (None, 2)), x, match="kernel_size")


VOLUME = Tensor(np.arange(64, dtype=np.float32).reshape(1, 1, 4, 4, 4))


def same_mean(x: np.ndarray, counts_padding: bool) -> np.ndarray:
    """Windows of 3 at every second place, an odd zero after."""
    padded = np.pad(x[0, 0], (0, 1))
    inside = np.pad(np.ones_like(x[0, 0]), (0, 1))
    result = np.zeros((2, 2, 2))
    for place in np.ndindex(2, 2, 2):
        window = tuple(slice(2 * i, 2 * i + 3) for i in place)
        cells = 27 if counts_padding else inside[window].sum()
        result[place] = padded[window].sum() / cells
    return result[None, None]


@pytest.mark.parametrize("counted", [True, False])
def test_volumes_count_what_same_adds(both_modes, counted):
    wanted = same_mean(VOLUME.asnumpy(), counted)
    forms = (
        nn.AvgPool3d(3, 2, "same", count_include_pad=counted),
        ops.AvgPool3D(3, 2, "same", count_include_pad=counted),
    )
    for form in forms:
        np.testing.assert_allclose(both_modes(form, VOLUME).asnumpy(), wanted, rtol=1e-6)


def test_planes_do_not(both_modes):
    plane = Tensor(np.ones((1, 1, 3, 3), np.float32))
    for form in (nn.AvgPool2d(3, 2, "same"), ops.AvgPool(3, 2, "same")):
        np.testing.assert_allclose(both_modes(form, plane).asnumpy(), np.ones((1, 1, 2, 2)))


def test_cells_beyond_the_volume_never_count(both_modes):
    x = Tensor(np.ones((1, 1, 3, 3, 3), np.float32))
    assert (
        both_modes(nn.AvgPool3d(2, 2, "valid", ceil_mode=True), x).tolist()
        == np.ones((1, 1, 2, 2, 2)).tolist()
    )
    override = both_modes(nn.AvgPool3d(3, 2, "same", divisor_override=2), VOLUME)
    np.testing.assert_allclose(override.asnumpy(), same_mean(VOLUME.asnumpy(), True) * 27 / 2, rtol=1e-6)
