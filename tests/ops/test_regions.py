# SPDX-License-Identifier: Apache-2.0
"""The gradient of position-sensitive pooling beside a forward pass written as loops."""

import itertools
import math

import numpy as np
import pytest

from mindspore import Tensor
from mindspore.ops.operations import _grad_ops


def whole(value):
    """The nearest whole number, halves away from zero."""
    return math.floor(value + 0.5) if value >= 0 else math.ceil(value - 0.5)


def cells(begin, end, part, parts, length):
    """Cells of one part of [begin, end) that exist; a region without cells counts as one cell."""
    size = max(end - begin, 1) / parts
    first = math.floor(begin + part * size)
    last = math.ceil(begin + (part + 1) * size)
    return range(min(max(first, 0), length), min(max(last, 0), length))


def pooled(features, rois, scale, side, depth):
    """(items * regions, depth, side, side): part (i, j) is a mean over channel (c * side + i) * side + j."""
    items, _, regions = rois.shape
    output = np.zeros((items * regions, depth, side, side))
    for item, region in itertools.product(range(items), range(regions)):
        source, left, top, right, bottom = rois[item, :, region].astype(np.float64)
        left, top, right, bottom = (whole(corner * scale) for corner in (left, top, right, bottom))
        for c, i, j in np.ndindex(depth, side, side):
            plane = features[int(source), (c * side + i) * side + j]
            rows = cells(top, bottom, i, side, plane.shape[0])
            columns = cells(left, right, j, side, plane.shape[1])
            values = [plane[y, x] for y in rows for x in columns]
            output[item * regions + region, c, i, j] = np.mean(values) if values else 0
    return output


def random_regions(rng, items, regions, reach):
    """Regions inside, across the border, outside, turned around, and at half cells."""
    rois = rng.uniform(-0.3 * reach, 1.3 * reach, (items, 5, regions)).astype(np.float32)
    rois[:, 1:, ::2] = np.sort(rois[:, 1:, ::2].reshape(items, 2, 2, -1), 1).reshape(items, 4, -1)
    rois[:, 1:, 1] = np.rint(rois[:, 1:, 1] / 4) * 4
    rois[:, 3:, 2] = rois[:, 1:3, 2]
    rois[:, 0] = rng.integers(0, items, (items, regions))
    return rois


@pytest.mark.parametrize(
    ("height", "width", "scale", "side", "depth"),
    [(5, 4, 1 / 16, 2, 2), (7, 9, 1 / 8, 3, 1), (6, 6, 1.0, 1, 3), (3, 8, 1 / 8, 4, 2)],
)
def test_gradient_is_the_adjoint_of_the_means(height, width, scale, side, depth):
    rng = np.random.default_rng(side)
    rois = random_regions(rng, 2, 12, max(height, width) / scale)
    features = rng.standard_normal((2, depth * side * side, height, width))
    dy = rng.standard_normal((2 * 12, depth, side, side)).astype(np.float32)
    primitive = _grad_ops.PSROIPoolingGrad((height, width), scale, side, depth)
    gradient = primitive(Tensor(dy), Tensor(rois)).asnumpy().astype(np.float64)
    assert gradient.shape == features.shape
    forward = np.vdot(dy.astype(np.float64), pooled(features, rois, scale, side, depth))
    np.testing.assert_allclose(np.vdot(gradient, features), forward, 1e-5, 1e-5)


def test_each_cell_alone():
    """The forward pass is linear: fed with one cell at a time it gives the whole matrix of the gradient."""
    rng = np.random.default_rng(3)
    height, width, scale, side, depth = 4, 5, 1 / 4, 2, 1
    rois = random_regions(rng, 1, 6, 20)
    dy = rng.standard_normal((6, depth, side, side)).astype(np.float32)
    found = _grad_ops.PSROIPoolingGrad((height, width), scale, side, depth)(
        Tensor(dy), Tensor(rois)
    ).asnumpy()
    for place in np.ndindex(found.shape):
        unit = np.zeros(found.shape)
        unit[place] = 1
        slope = np.vdot(dy, pooled(unit, rois, scale, side, depth))
        np.testing.assert_allclose(found[place], slope, 1e-5, 1e-6, err_msg=str(place))
