# SPDX-License-Identifier: Apache-2.0
"""Boxes that survive one another, and parts of images; the numbers are what MindSpore 2.7 gives."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, ops

FEATURES = (np.arange(64).reshape(1, 1, 8, 8) ** 2 % 17).astype(np.float32)
IMAGES = (np.arange(80).reshape(2, 5, 4, 2) ** 2 % 19).astype(np.float32)


def test_suppression_measures_sides_as_differences():
    """With one added to the sides, as 'iou' does, the second box would overlap the first by 0.5385."""
    boxes = Tensor([[0, 0, 6, 6, 0.9], [2, 0, 8, 6, 0.8], [0, 0, 5, 6, 0.7]], ms.float32)
    _, index, kept = ops.NMSWithMask(0.52)(boxes)
    assert index.tolist() == [0, 1, 2]
    assert kept.tolist() == [True, True, False]


def test_suppression_of_normalised_boxes():
    boxes = Tensor([[0.1, 0.1, 0.3, 0.3, 0.5], [0.6, 0.6, 0.8, 0.8, 0.9]], ms.float32)
    ordered, index, kept = ops.NMSWithMask(0.5)(boxes)
    np.testing.assert_array_equal(ordered.asnumpy(), boxes.asnumpy()[::-1])
    assert index.tolist() == [0, 1], "positions in what is returned, not in what was given"
    assert kept.tolist() == [True, True]


def test_boxes_are_cut_at_the_size_of_the_image():
    anchors = Tensor([[0, 0, 4, 4], [2, 2, 9, 8]], ms.float32)
    deltas = Tensor([[0.5, 0.5, 2.5, 2.5], [1.5, 1.0, 4.0, 4.5]], ms.float32)
    found = ops.BoundingBoxDecode((10, 12))(anchors, deltas)
    np.testing.assert_array_equal(found.asnumpy(), [[0, 0, 12, 10], [0, 0, 12, 10]])


@pytest.mark.parametrize(
    "roi, end, samples, wanted",
    [
        ([0, 0.2, 0.3, 0.6, 0.6], 0, 2, [5.41, 5.71, 11.4225, 11.4725]),
        ([0, 0.2, 0.3, 0.6, 0.6], 1, 1, [4.25156, 4.49219, 8.38719, 8.51406]),
        ([0, 4, 2, 4, 2], 1, 2, [11.875, 9.125, 8.875, 7.125]),
        ([0, 1, 1, 9, 7], 0, 0, [10.625, 5.375, 9.875, 8.0]),
        ([0, 1, 1, 9, 7], 1, -1, [8.33203, 8.10938, 11.60938, 7.31641]),
    ],
)
def test_samples_of_a_region(roi, end, samples, wanted):
    found = ops.ROIAlign(2, 2, 0.5, samples, end)(Tensor(FEATURES), Tensor([roi], ms.float32))
    np.testing.assert_allclose(found.asnumpy().ravel(), wanted, rtol=1e-5)


def test_regions_say_what_they_are_made_of():
    with pytest.raises(ValueError, match="x0, y0, x1, y1"):
        ops.ROIAlign(2, 2, 0.5)(Tensor(FEATURES), Tensor([[1.0, 1, 9, 7]]))
    with pytest.raises(ValueError, match="roi_end_mode"):
        ops.ROIAlign(2, 2, 0.5, roi_end_mode=2)


@pytest.mark.parametrize(
    "method, box, size, wanted",
    [
        ("bilinear_v2", [0.1, 0.1, 0.7, 0.9], (2, 2), [9, 9.75, 9.75, 9, 4.5, 4, 9.75, 12.5]),
        ("bilinear_v2", [0.1, 0.1, 0.7, 0.9], (1, 3), [3.5, 4.66667, 6.75, 13.25, 7.5, 11.41667]),
        ("bilinear_v2", [-0.2, 0, 0.5, 0.5], (2, 2), [7, 8.25, 16.75, 9.75, 3.75, 5.25, 7.125, 14.625]),
        ("bilinear", [0.1, 0.1, 0.7, 0.9], (2, 2), [7.28, 8.86, 9.24, 7.12, 7.56, 5.36, 12.58, 9.34]),
    ],
)
def test_crops(method, box, size, wanted):
    arguments = (Tensor(IMAGES), Tensor([box], ms.float32), Tensor([1], ms.int32), size)
    for found in (ops.crop_and_resize(*arguments, method, 7.0), ops.CropAndResize(method, 7.0)(*arguments)):
        assert found.shape == (1, *size, 2)
        np.testing.assert_allclose(found.asnumpy().ravel(), wanted, rtol=1e-5)


def test_nearest_element_of_a_half_is_the_upper():
    image = Tensor(np.array([[[[0.0]], [[1.0]]]], np.float32))
    found = ops.crop_and_resize(image, Tensor([[0.0, 0, 1, 0]]), Tensor([0], ms.int32), (3, 1), "nearest")
    assert found.reshape(3).tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    "box, index, size, method, error",
    [
        ([0.0, 0, 1, 1], 2, (2, 2), "bilinear", ValueError),
        ([0.0, 0, 1, 1], -1, (2, 2), "bilinear", ValueError),
        ([0.0, 0, 1], 0, (2, 2), "bilinear", ValueError),
        ([0.0, 0, 1, 1], 0, (2, 0), "bilinear", ValueError),
        ([0.0, 0, 1, 1], 0, 2, "bilinear", TypeError),
        ([0.0, 0, 1, 1], 0, (2, 2), "cubic", ValueError),
    ],
)
def test_crops_that_cannot_be(box, index, size, method, error):
    with pytest.raises(error, match="crop_and_resize"):
        ops.crop_and_resize(Tensor(IMAGES), Tensor([box]), Tensor([index], ms.int32), size, method)
