# SPDX-License-Identifier: Apache-2.0
"""Bounding boxes."""

from __future__ import annotations

import math

from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.ops.function._checks import takes

__all__ = ["bounding_box_decode", "bounding_box_encode", "check_valid", "iou", "nms_with_mask"]


def _sides(boxes) -> tuple:
    if boxes.shape[-1] != 4:
        raise ValueError(f"A box is 4 numbers along the last axis, but got the shape {boxes.shape}.")
    return op.unbind(boxes, -1)


@takes(anchor_boxes=(2, 2), gt_boxes=(2, 2))
def iou(anchor_boxes, gt_boxes, mode="iou") -> Tensor:
    """Overlap of every ground truth box with every anchor box.

    Args:
        anchor_boxes (Tensor): Shape (N, 4), rows (x0, y0, x1, y1).
        gt_boxes (Tensor): Shape (M, 4).
        mode (str): 'iou' divides by the union, 'iof' by the ground truth. Default: ``'iou'``.

    Returns:
        Tensor of shape (M, N).
    """
    if mode not in ("iou", "iof"):
        raise ValueError(f"For 'iou', the 'mode' must be 'iou' or 'iof', but got '{mode}'.")
    kind = anchor_boxes.dtype
    shared, area_a, area_b = _shared_and_areas(anchor_boxes, gt_boxes, 1)
    whole = op.sub(op.add(area_a, area_b), shared) if mode == "iou" else area_b
    return op.cast(op.div(shared, whole), kind)


def _shared_and_areas(anchor_boxes, gt_boxes, last: int) -> tuple:
    """What every two boxes share, and their areas; `last` is 1 where the last pixel belongs to a box."""
    a = [op.expand_dims(x, 0) for x in _sides(op.cast(anchor_boxes, mstype.float32))]
    b = [op.expand_dims(x, 1) for x in _sides(op.cast(gt_boxes, mstype.float32))]

    def length(start, stop):
        return op.add(op.sub(stop, start), last)

    width = op.maximum(length(op.maximum(a[0], b[0]), op.minimum(a[2], b[2])), 0)
    height = op.maximum(length(op.maximum(a[1], b[1]), op.minimum(a[3], b[3])), 0)
    area_a, area_b = (op.mul(length(x[0], x[2]), length(x[1], x[3])) for x in (a, b))
    return op.mul(width, height), area_a, area_b


def _centres(boxes) -> tuple:
    x0, y0, x1, y1 = _sides(op.cast(boxes, mstype.float32))
    width, height = op.add(op.sub(x1, x0), 1), op.add(op.sub(y1, y0), 1)
    return op.mul(op.add(x0, x1), 0.5), op.mul(op.add(y0, y1), 0.5), width, height


@takes(anchor_box=1, groundtruth_box=1)
def bounding_box_encode(
    anchor_box, groundtruth_box, means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0)
) -> Tensor:
    """Offsets and scales that lead from anchors to ground truth boxes."""
    ax, ay, aw, ah = _centres(anchor_box)
    gx, gy, gw, gh = _centres(groundtruth_box)
    deltas = op.stack(
        [
            op.div(op.sub(gx, ax), aw),
            op.div(op.sub(gy, ay), ah),
            op.log(op.div(gw, aw)),
            op.log(op.div(gh, ah)),
        ],
        -1,
    )
    shift, scale = Tensor(list(means), mstype.float32), Tensor(list(stds), mstype.float32)
    return op.cast(op.div(op.sub(deltas, shift), scale), anchor_box.dtype)


@takes(anchor_box=1, deltas=1)
def bounding_box_decode(
    anchor_box,
    deltas,
    max_shape,
    means=(0.0, 0.0, 0.0, 0.0),
    stds=(1.0, 1.0, 1.0, 1.0),
    wh_ratio_clip=0.016,
) -> Tensor:
    """Boxes from anchors and the offsets of `bounding_box_encode`, cut to the image."""
    shift, scale = Tensor(list(means), mstype.float32), Tensor(list(stds), mstype.float32)
    dx, dy, dw, dh = _sides(op.add(op.mul(op.cast(deltas, mstype.float32), scale), shift))
    limit = abs(math.log(wh_ratio_clip))
    ax, ay, aw, ah = _centres(anchor_box)
    width = op.mul(aw, op.exp(op.clamp(dw, -limit, limit)))
    height = op.mul(ah, op.exp(op.clamp(dh, -limit, limit)))
    x, y = op.add(op.mul(dx, aw), ax), op.add(op.mul(dy, ah), ay)
    half_w, half_h = op.sub(op.mul(width, 0.5), 0.5), op.sub(op.mul(height, 0.5), 0.5)
    bottom, right = max_shape[:2]
    sides = [
        op.clamp(op.sub(x, half_w), 0, right),
        op.clamp(op.sub(y, half_h), 0, bottom),
        op.clamp(op.add(x, half_w), 0, right),
        op.clamp(op.add(y, half_h), 0, bottom),
    ]
    return op.cast(op.stack(sides, -1), anchor_box.dtype)


def check_valid(bboxes, img_metas) -> Tensor:
    """Whether each box lies inside of the image; `img_metas` holds height, width and ratio."""
    metas = op.cast(img_metas, mstype.float32)
    height, width = op.mul(metas[0], metas[2]), op.mul(metas[1], metas[2])
    x0, y0, x1, y1 = _sides(op.cast(bboxes, mstype.float32))
    low = op.logical_and(op.greater_equal(x0, 0), op.greater_equal(y0, 0))
    high = op.logical_and(op.less_equal(x1, op.sub(width, 1)), op.less_equal(y1, op.sub(height, 1)))
    return op.logical_and(low, high)


def nms_with_mask(bboxes, iou_threshold=0.5) -> tuple:
    """Boxes with scores, best first, and which of them survive non-maximum suppression.

    Args:
        bboxes (Tensor): Shape (N, 5), rows (x0, y0, x1, y1, score).
        iou_threshold (float): Overlap from which the weaker box is dropped. Default: ``0.5``.

    Returns:
        Sorted boxes (N, 5), their positions among these, which are 0 to N - 1 and int32, and a bool mask.
    """
    import numpy as np

    order = op.argsort(bboxes[:, 4], 0, True)
    ordered = op.gather(bboxes, order, 0)
    # Unlike in 'iou', sides are differences of coordinates here, whatever these are measured in.
    shared, area, other = _shared_and_areas(ordered[:, :4], ordered[:, :4], 0)
    overlap = op.div(shared, op.sub(op.add(area, other), shared)).asnumpy()
    kept = np.ones(len(overlap), dtype=bool)
    for i in range(len(overlap)):
        if kept[i]:
            kept[i + 1 :] &= overlap[i, i + 1 :] <= iou_threshold
    return ordered, op.arange(0, len(kept), 1, mstype.int32), Tensor(kept)
