# SPDX-License-Identifier: Apache-2.0
"""Gradient of pooling over regions where every part of a region has its own channel (R-FCN, 2016).

A corner is scaled and then rounded to a whole cell, half away from zero, as torchvision's `ps_roi_pool` does.
The layer published with R-FCN rounds before it scales and adds one to the end; MindSpore's operator gives
the values of the former. Parts reach from the floor of their beginning to the ceiling of their end and
are cut off at the border of the features, as in R-FCN.
"""

from __future__ import annotations

import numpy as np

from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.ops.primitive import Primitive, prim_attr_register


def _rounded(values: np.ndarray) -> np.ndarray:
    """To whole numbers, halves away from zero."""
    return np.trunc(values + np.copysign(0.5, values))


def _parts(first: np.ndarray, last: np.ndarray, parts: int, length: int) -> np.ndarray:
    """(regions, parts, length): 1 / count on the cells of a part, 0 elsewhere."""
    step = np.maximum(last - first, 0.1) / parts
    number = np.arange(parts)
    begin = np.floor(first[:, None] + number * step[:, None]).clip(0, length)[..., None]
    end = np.ceil(first[:, None] + (number + 1) * step[:, None]).clip(0, length)[..., None]
    cells = np.arange(length)
    return ((cells >= begin) & (cells < end)) / np.maximum(end - begin, 1)


class PSROIPoolingGrad(Primitive):
    """Gradient of the position-sensitive means over regions.

    Args:
        input_size (Union[int, tuple[int]]): Height and width of the features.
        spatial_scale (float): Cells per unit of the regions' coordinates.
        group_size (int): Parts of a region along each side.
        output_dim (int): Channels of the result.

    Inputs:
        - **dy** (Tensor) - (regions of all items, output_dim, group_size, group_size).
        - **rois** (Tensor) - (N, 5, regions): item, left, top, right, bottom.

    Outputs:
        Tensor of shape (N, output_dim * group_size**2, height, width).

    Raises:
        RuntimeError: `dy` does not have the shape of the pooled regions.
    """

    @prim_attr_register
    def __init__(self, input_size, spatial_scale, group_size, output_dim):
        sizes = (input_size, input_size) if isinstance(input_size, int) else input_size
        if not isinstance(sizes, tuple) or len(sizes) != 2:
            raise TypeError(
                f"For '{self.name}', the 'input_size' must be an int or a pair, got {input_size}."
            )
        if isinstance(spatial_scale, bool) or not isinstance(spatial_scale, (int, float)):
            raise TypeError(f"For '{self.name}', the 'spatial_scale' must be a float, got {spatial_scale}.")
        for name, value in (("input_size", sizes[0]), ("input_size", sizes[1]), ("output_dim", output_dim)):
            self._positive(name, value)
        self._positive("group_size", group_size)
        if spatial_scale <= 0:
            raise ValueError(f"For '{self.name}', the 'spatial_scale' must be positive, got {spatial_scale}.")
        self.sizes = sizes

    def _positive(self, name: str, value) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"For '{self.name}', the '{name}' must be an int, but got {type(value)}.")
        if value <= 0:
            raise ValueError(f"For '{self.name}', the '{name}' must be positive, but got {value}.")

    def __call__(self, dy: Tensor, rois: Tensor) -> Tensor:
        for name, value in (("dy", dy), ("rois", rois)):
            if not isinstance(value, Tensor) or value.dtype not in (mstype.float16, mstype.float32):
                raise TypeError(f"For '{self.name}', the '{name}' must be a float16 or float32 Tensor.")
        if rois.ndim != 3 or rois.shape[1] != 5:
            raise ValueError(f"For '{self.name}', 'rois' must have shape (N, 5, regions), got {rois.shape}.")
        items, _, regions = rois.shape
        side, depth = self.group_size, self.output_dim
        if tuple(dy.shape) != (items * regions, depth, side, side):
            raise RuntimeError(
                f"For '{self.name}', 'dy' must have shape {(items * regions, depth, side, side)}, but got "
                f"{dy.shape}."
            )
        boxes = rois.asnumpy().astype(np.float64).transpose(0, 2, 1).reshape(-1, 5)
        corners = _rounded(boxes[:, 1:] * self.spatial_scale)
        item = boxes[:, 0].astype(np.int64)
        if ((item < 0) | (item >= items)).any():
            raise ValueError(f"For '{self.name}', 'rois' must name items below {items}, but got {item}.")
        rows = _parts(corners[:, 1], corners[:, 3], side, self.sizes[0])
        columns = _parts(corners[:, 0], corners[:, 2], side, self.sizes[1])
        weights = rows[:, :, None, :, None] * columns[:, None, :, None, :]
        spread = op.mul(
            op.reshape(op.cast(dy, mstype.float32), (items * regions, depth, side, side, 1, 1)),
            Tensor(weights[:, None].astype(np.float32)),
        )
        flat = op.reshape(spread, (items * regions, depth * side * side, *self.sizes))
        zeros = op.fill(mstype.float32, (items, depth * side * side, *self.sizes), 0)
        return op.cast(op.scatter_add_axis(zeros, Tensor(item), flat, 0), dy.dtype)
