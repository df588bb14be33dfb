# SPDX-License-Identifier: Apache-2.0
"""Primitives on images and boxes."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore._later import defined_classes
from mindspore.common import dtype as mstype
from mindspore.ops._primitives.composition import REQUIRED, composed
from mindspore.ops._registry import op
from mindspore.ops.function import boxes, neural, random, regions
from mindspore.ops.primitive import Primitive, prim_attr_register


def _places(name: str, length: int, wanted: int, align: bool, centred: bool, nearest: bool) -> Tensor:
    """Place in the old axis of every element of the new one, by TensorFlow's rules."""
    if align and centred:
        raise ValueError(f"For '{name}', 'align_corners' and 'half_pixel_centers' must not both be True.")
    start = op.arange(0, wanted, 1, mstype.float32)
    if align:
        place = op.mul(start, (length - 1) / (wanted - 1) if wanted > 1 else 0.0)
        return op.floor(op.add(place, 0.5)) if nearest else place
    if centred:
        place = op.mul(op.add(start, 0.5), length / wanted)
        return place if nearest else op.maximum(op.sub(place, 0.5), 0.0)
    return op.mul(start, length / wanted)


def resize(name: str, x, size, align: bool, centred: bool, nearest: bool) -> Tensor:
    """Images in another size; `name` is what the user called."""
    if isinstance(size, Tensor):
        size = size.tolist()
    if x.ndim != 4:
        raise ValueError(f"For '{name}', the input must have 4 axes, but got {x.ndim}.")
    step = neural.resize_nearest if nearest else neural.resize_linear
    for axis, wanted in ((2, size[0]), (3, size[1])):
        place = _places(name, x.shape[axis], wanted, align, centred, nearest)
        x = step(x, axis, wanted, place)
    return x


class ResizeNearestNeighbor(Primitive):
    """Images (N, C, H, W) resampled by the nearest element."""

    @prim_attr_register
    def __init__(self, size, align_corners=False, half_pixel_centers=False):
        if not isinstance(size, (tuple, list)):
            raise TypeError(f"For 'ResizeNearestNeighbor', the 'size' must be tuple or list, but got {size}.")

    def __call__(self, input_x):
        return resize(self.name, input_x, self.size, self.align_corners, self.half_pixel_centers, True)


@composed(align_corners=False, half_pixel_centers=False)
def ResizeNearestNeighborV2(self, image, size):
    """Images (N, C, H, W) resampled by the nearest element."""
    return resize(self.name, image, size, self.align_corners, self.half_pixel_centers, True)


@composed(size=REQUIRED, align_corners=False, half_pixel_centers=False)
def ResizeBilinear(self, x):
    """Images (N, C, H, W) resampled linearly in both directions."""
    return resize(self.name, x, self.size, self.align_corners, self.half_pixel_centers, False)


@composed(align_corners=False, half_pixel_centers=False)
def ResizeBilinearV2(self, image, size):
    """Images (N, C, H, W) resampled linearly in both directions."""
    return resize(self.name, image, size, self.align_corners, self.half_pixel_centers, False)


class IOU(Primitive):
    """Overlap of every ground truth box with every anchor box."""

    @prim_attr_register
    def __init__(self, mode="iou"):
        if mode not in ("iou", "iof"):
            raise KeyError(f"For 'IOU', the 'mode' must be 'iou' or 'iof', but got '{mode}'.")

    def __call__(self, anchor_boxes, gt_boxes):
        return boxes.iou(anchor_boxes, gt_boxes, self.mode)


@composed(iou_threshold=0.5)
def NMSWithMask(self, bboxes) -> tuple:
    """Boxes with scores, best first, and which of them survive non-maximum suppression."""
    return boxes.nms_with_mask(bboxes, self.iou_threshold)


@composed(means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0))
def BoundingBoxEncode(self, anchor_box, groundtruth_box):
    """Offsets and scales that lead from anchors to ground truth boxes."""
    return boxes.bounding_box_encode(anchor_box, groundtruth_box, self.means, self.stds)


@composed(max_shape=REQUIRED, means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0), wh_ratio_clip=0.016)
def BoundingBoxDecode(self, anchor_box, deltas):
    """Boxes from anchors and the offsets of BoundingBoxEncode, cut to the image."""
    return boxes.bounding_box_decode(
        anchor_box, deltas, self.max_shape, self.means, self.stds, self.wh_ratio_clip
    )


@composed()
def CheckValid(self, bboxes, img_metas):
    """Whether each box lies inside of the image."""
    return boxes.check_valid(bboxes, img_metas)


@composed(count=256, seed=0, seed2=0)
def RandomChoiceWithMask(self, input_x) -> tuple:
    """Positions of random True elements, padded with zeros, and which of them are real."""
    return random.choice_with_mask(input_x, self.count, self.seed or self.seed2 or None)


class CropAndResize(Primitive):
    """Parts of images (N, H, W, C), given as boxes of normalised corners, resampled to one size."""

    @prim_attr_register
    def __init__(self, method="bilinear", extrapolation_value=0.0):
        if method not in ("bilinear", "nearest", "bilinear_v2"):
            raise ValueError(f"For 'CropAndResize', there is no 'method' '{method}'.")

    def __call__(self, x, boxes, box_index, crop_size):
        return regions.crop_and_resize(x, boxes, box_index, crop_size, self.method, self.extrapolation_value)


class ROIAlign(Primitive):
    """Means of bilinear samples in the cells of regions of feature maps (N, C, H, W)."""

    @prim_attr_register
    def __init__(self, pooled_height, pooled_width, spatial_scale, sample_num=2, roi_end_mode=1):
        if roi_end_mode not in (0, 1):
            raise ValueError(f"For 'ROIAlign', the 'roi_end_mode' must be 0 or 1, but got {roi_end_mode}.")

    def _count(self, size, cells: int) -> int:
        """Samples of a cell along an axis: without a number, one for each element that it holds whole."""
        return self.sample_num if self.sample_num > 0 else max(int(float(size) / cells), 0)

    def _samples(self, start, size, cells: int, count: int) -> Tensor:
        cell = op.div(size, cells)
        inner = op.div(op.add(op.arange(0, count, 1, mstype.float32), 0.5), count)
        places = op.add(op.expand_dims(op.arange(0, cells, 1, mstype.float32), 1), inner)
        return op.reshape(op.add(op.mul(places, cell), start), (-1,))

    def __call__(self, features, rois):
        if rois.shape[-1] != 5:
            raise ValueError(
                "For 'ROIAlign', the rows of 'rois' must be 5 numbers: the image, x0, y0, x1, y1; "
                f"but got the shape {rois.shape}."
            )
        height, width = self.pooled_height, self.pooled_width
        results = []
        for roi in op.unbind(op.cast(rois, mstype.float32), 0):
            which, x0, y0, x1, y1 = op.unbind(roi, 0)
            x0, y0 = op.mul(x0, self.spatial_scale), op.mul(y0, self.spatial_scale)
            x1 = op.mul(op.add(x1, self.roi_end_mode), self.spatial_scale)
            y1 = op.mul(op.add(y1, self.roi_end_mode), self.spatial_scale)
            roi_w, roi_h = op.sub(x1, x0), op.sub(y1, y0)
            if self.roi_end_mode == 0:
                roi_w, roi_h = op.maximum(roi_w, 1.0), op.maximum(roi_h, 1.0)
            ny = self._count(roi_h, height)
            nx = self._count(roi_w, width)
            ys = op.expand_dims(self._samples(y0, roi_h, height, ny), 1)
            xs = op.expand_dims(self._samples(x0, roi_w, width, nx), 0)
            shape = (height * ny, width * nx)
            image = op.cast(features[int(which)], mstype.float32)
            ys, xs = op.broadcast_to(ys, shape), op.broadcast_to(xs, shape)
            grid = regions.bilinear_at(image, ys, xs, (0.0, -1, 0))
            cells = op.reshape(grid, (grid.shape[0], height, ny, width, nx))
            results.append(op.reduce_mean(cells, (2, 4)))
        return op.cast(op.stack(results), features.dtype)


__all__ = defined_classes(globals())
