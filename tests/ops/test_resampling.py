# SPDX-License-Identifier: Apache-2.0
"""Images resampled at other sizes and at given places."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops

IMAGE = np.random.default_rng(0).normal(size=(2, 3, 7, 5)).astype(np.float32)


def keys(distance: np.ndarray, a: float) -> np.ndarray:
    """Keys' cubic kernel."""
    d = np.abs(distance)
    near = (a + 2) * d**3 - (a + 3) * d**2 + 1
    far = a * (d**3 - 5 * d**2 + 8 * d - 4)
    return np.where(d <= 1, near, np.where(d < 2, far, 0.0))


def cubic(x: np.ndarray, axis: int, wanted: int, align: bool, scale=None) -> np.ndarray:
    """With aligned corners a = -0.75 and edges repeated; else a = -0.5 over what is inside."""
    length = x.shape[axis]
    i = np.arange(wanted)
    if align:
        place = i * ((length - 1) / (wanted - 1) if wanted > 1 else 0)
    else:
        place = (i + 0.5) * (length / wanted if scale is None else 1 / scale) - 0.5
    matrix = np.zeros((wanted, length))
    for offset in (-1, 0, 1, 2):
        index = np.floor(place) + offset
        weight = keys(place - index, -0.75 if align else -0.5)
        if not align:
            weight = np.where((index >= 0) & (index < length), weight, 0)
        np.add.at(matrix, (i, np.clip(index, 0, length - 1).astype(int)), weight)
    if not align:
        matrix /= matrix.sum(1, keepdims=True)
    return np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("size", [(14, 10), (3, 3), (4, 9), (1, 1), (7, 5)])
def test_cubic_interpolation(both_modes, size, align):
    wanted = cubic(cubic(IMAGE.astype(np.float64), 2, size[0], align), 3, size[1], align)
    for form in (
        lambda x: ops.interpolate(x, size, mode="bicubic", align_corners=align),
        nn.Upsample(size, mode="bicubic", align_corners=align),
    ):
        np.testing.assert_allclose(both_modes(form, Tensor(IMAGE)).asnumpy(), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("again", [None, True])
@pytest.mark.parametrize("factor", [2.0, 0.5, 1.7])
def test_cubic_interpolation_by_a_factor(both_modes, factor, again):
    sizes = [int(length * factor) for length in (7, 5)]
    scale = None if again else factor
    wanted = cubic(cubic(IMAGE.astype(np.float64), 2, sizes[0], False, scale), 3, sizes[1], False, scale)
    found = both_modes(
        lambda x: ops.interpolate(x, None, factor, "bicubic", recompute_scale_factor=again), Tensor(IMAGE)
    )
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-4, atol=1e-5)


MODES = {"linear": (2, 3, 7), "bilinear": (2, 3, 7, 5), "trilinear": (1, 2, 4, 5, 6), "bicubic": (2, 3, 7, 5)}


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize("mode", MODES)
def test_precision_follows_the_input(both_modes, mode, align):
    x = np.random.default_rng(1).normal(size=MODES[mode])
    size = tuple(2 * length - 1 for length in x.shape[2:])

    def run(x):
        return ops.interpolate(x, size, mode=mode, align_corners=align)

    exact = both_modes(run, Tensor(x)).asnumpy()
    assert exact.dtype == np.float64
    for dtype, tolerance in ((np.float32, 1e-5), (np.float16, 1e-3)):
        narrow = x.astype(dtype)
        found = both_modes(run, Tensor(narrow)).asnumpy()
        assert found.dtype == dtype
        wanted = run(Tensor(narrow.astype(np.float64))).asnumpy()
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def sampled(x: np.ndarray, grid: np.ndarray, align: bool) -> np.ndarray:
    """Bilinear sampling with zeros outside, in double precision."""
    n, c, h, w = x.shape
    result = np.zeros((n, c, *grid.shape[1:3]))
    for b, i, j in np.ndindex(n, *grid.shape[1:3]):
        px, py = grid[b, i, j]
        px, py = ((p + 1) / 2 * (s - 1) if align else ((p + 1) * s - 1) / 2 for p, s in ((px, w), (py, h)))
        for dy in (0, 1):
            for dx in (0, 1):
                y, z = int(np.floor(py)) + dy, int(np.floor(px)) + dx
                if 0 <= y < h and 0 <= z < w:
                    result[b, :, i, j] += x[b, :, y, z] * (1 - abs(py - y)) * (1 - abs(px - z))
    return result


@pytest.mark.parametrize("align", [False, True])
@pytest.mark.parametrize(
    ("dtype", "tolerance"), [(np.float16, 1e-3), (np.float32, 1e-5), (np.float64, 1e-12)]
)
def test_sampling_at_places(both_modes, dtype, tolerance, align):
    random = np.random.default_rng(2)
    x = random.normal(size=(2, 3, 16, 16)).astype(dtype)
    grid = random.uniform(-1.2, 1.2, (2, 5, 6, 2)).astype(dtype)
    found = both_modes(lambda x, g: ops.grid_sample(x, g, align_corners=align), Tensor(x), Tensor(grid))
    assert found.dtype == Tensor(x).dtype
    wanted = sampled(x.astype(np.float64), grid.astype(np.float64), align)
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
def test_half_precision_samples_like_single(both_modes, mode, padding):
    random = np.random.default_rng(3)
    x, grid = random.normal(size=(1, 2, 33, 33)), random.uniform(-1.5, 1.5, (1, 9, 9, 2))
    x, grid = x.astype(np.float16), grid.astype(np.float16)
    run = lambda x, g: ops.grid_sample(x, g, mode, padding)  # noqa: E731
    half = both_modes(run, Tensor(x), Tensor(grid))
    single = run(Tensor(x.astype(np.float32)), Tensor(grid.astype(np.float32)))
    assert half.dtype == ms.float16
    np.testing.assert_allclose(half.asnumpy(), single.asnumpy(), rtol=1e-3, atol=1e-3)


def test_half_precision_grids(both_modes):
    theta = np.array([[[0.7, 0.1, 0.3], [-0.2, 0.9, 0.1]]], np.float16)
    half = both_modes(lambda t: ops.affine_grid(t, (1, 1, 33, 33)), Tensor(theta))
    single = ops.affine_grid(Tensor(theta.astype(np.float32)), (1, 1, 33, 33))
    assert half.dtype == ms.float16
    np.testing.assert_allclose(half.asnumpy(), single.asnumpy(), rtol=1e-3, atol=5e-4)


@pytest.mark.parametrize("mode", ["bilinear", "bicubic", "area"])
def test_whole_numbers_are_not_mixed(both_modes, mode):
    x = Tensor(np.ones((1, 1, 2, 2), np.int32))
    both_modes.refuse(TypeError, lambda x: ops.interpolate(x, (3, 3), mode=mode), x, match="float type")
    assert both_modes(lambda x: ops.interpolate(x, (3, 3)), x).dtype == ms.int32
