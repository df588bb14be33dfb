# SPDX-License-Identifier: Apache-2.0
"""Functions that move elements without computing."""

from __future__ import annotations

import math

import numpy as np

from mindspore import ops
from mindspore.common.tensor import Tensor
from mindspore.ops._registry import op
from mindspore.train._onnx.element_types import DTYPES
from mindspore.train._onnx.functions.table import (
    Attributes,
    axes_from,
    function,
    function_of_values,
    numbers_of,
    tensor_of,
)


@function_of_values("Reshape")
def _reshape(attributes: Attributes, x, shape):
    x = tensor_of(x)
    wanted = [int(size) for size in numbers_of(shape)]
    if not attributes.get("allowzero", 0):
        if any(size == 0 and i >= x.ndim for i, size in enumerate(wanted)):
            raise ValueError("it keeps a length that is not there.")
        wanted = [x.shape[i] if size == 0 else size for i, size in enumerate(wanted)]
    return op.reshape(x, shape=tuple(wanted))


@function("Flatten")
def _flatten(attributes: Attributes, x):
    axis = attributes.get("axis", 1)
    axis = axis + x.ndim if axis < 0 else axis
    return op.reshape(x, shape=(math.prod(x.shape[:axis]), math.prod(x.shape[axis:])))


@function("Transpose")
def _transpose(attributes: Attributes, x):
    return op.transpose(x, perm=tuple(attributes.get("perm") or range(x.ndim)[::-1]))


@function_of_values("Squeeze")
def _squeeze(attributes: Attributes, x, axes=None):
    x = tensor_of(x)
    axes = axes_from(attributes, axes)
    if axes is None:
        axes = [i for i, size in enumerate(x.shape) if size == 1]
    return op.squeeze(x, axis=tuple(axis % x.ndim for axis in axes)) if axes else x


@function_of_values("Unsqueeze")
def _unsqueeze(attributes: Attributes, x, axes=None):
    x = tensor_of(x)
    axes = axes_from(attributes, axes) or []
    rank = x.ndim + len(axes)
    for axis in sorted(axis % rank for axis in axes):
        x = op.expand_dims(x, axis=axis)
    return x


@function_of_values("Expand")
def _expand(attributes: Attributes, x, shape):
    x = tensor_of(x)
    wanted = [int(size) for size in numbers_of(shape)]
    here = [1] * (len(wanted) - x.ndim) + list(x.shape)
    wanted = [1] * (x.ndim - len(wanted)) + wanted
    joint = [b if a == 1 else a for a, b in zip(here, wanted, strict=True)]
    return op.broadcast_to(x, shape=tuple(joint))


@function_of_values("Tile")
def _tile(attributes: Attributes, x, times):
    return op.tile(tensor_of(x), dims=tuple(int(count) for count in numbers_of(times)))


@function("Concat")
def _concat(attributes: Attributes, *parts):
    return op.concat(list(parts), axis=attributes.need("axis"))


@function_of_values("Split")
def _split(attributes: Attributes, x, sizes=None):
    x, axis = tensor_of(x), attributes.get("axis", 0)
    wanted = attributes.get("split") if sizes is None else [int(size) for size in numbers_of(sizes)]
    if not wanted:
        count, length = attributes.get("num_outputs", attributes.outputs), x.shape[axis]
        size = -(-length // count)
        wanted = [min(size, length - i * size) for i in range(count)]
    return op.split_sizes(x, sizes=tuple(wanted), axis=axis)


@function_of_values("Slice")
def _slice(attributes: Attributes, x, starts, ends, axes=None, steps=None):
    x = tensor_of(x)
    starts, ends = numbers_of(starts), numbers_of(ends)
    axes = range(len(starts)) if axes is None else numbers_of(axes)
    steps = [1] * len(starts) if steps is None else numbers_of(steps)
    begin, length, step = [0] * x.ndim, list(x.shape), [1] * x.ndim
    for start, end, axis, distance in zip(starts, ends, axes, steps, strict=True):
        axis, size = int(axis) % x.ndim, x.shape[int(axis)]
        end = None if distance < 0 and end < -size else int(end)
        places = range(*slice(int(start), end, int(distance)).indices(size))
        begin[axis], length[axis], step[axis] = (places.start if len(places) else 0), len(places), places.step
    return op.index_view(x, begin=begin, length=length, step=step, axes=list(range(x.ndim)))


@function_of_values("Pad")
def _pad(attributes: Attributes, x, widths=None, value=None, axes=None):
    x, mode = tensor_of(x), attributes.get("mode", "constant")
    given = attributes.get("pads") if widths is None else [int(width) for width in numbers_of(widths)]
    axes = range(x.ndim) if axes is None else [int(axis) % x.ndim for axis in numbers_of(axes)]
    before, after = [0] * x.ndim, [0] * x.ndim
    for i, axis in enumerate(axes):
        before[axis], after[axis] = given[i], given[i + len(axes)]
    if mode == "constant":
        pairs = [width for pair in zip(before, after, strict=True) for width in pair]
        fill = numbers_of(value)[0] if value is not None else 0
        return op.pad_constant(x, paddings=tuple(pairs), value=fill)
    if mode not in ("reflect", "edge", "wrap"):
        attributes.refuse(f"the mode '{mode}'")
    for axis in range(x.ndim):
        if before[axis] or after[axis]:
            x = _padded(x, axis, before[axis], after[axis], mode)
    return x


def _padded(x, axis: int, before: int, after: int, mode: str):
    """Elements at the places which positions of the longer axis repeat."""
    size = x.shape[axis]
    places = np.arange(-before, size + after)
    if mode == "edge":
        places = places.clip(0, size - 1)
    elif mode == "wrap":
        places = places % size
    else:
        period = max(2 * (size - 1), 1)
        places = places % period
        places = np.where(places < size, places, period - places)
    return op.gather(x, Tensor(places.astype(np.int64)), axis=axis)


@function_of_values("Trilu")
def _trilu(attributes: Attributes, x, diagonal=None):
    keep = op.triu if attributes.get("upper", 1) else op.tril
    return keep(tensor_of(x), diagonal=int(numbers_of(diagonal)[0]) if diagonal is not None else 0)


@function("DepthToSpace")
def _depth_to_space(attributes: Attributes, x):
    rows, channels, height, width = x.shape
    size = attributes.need("blocksize")
    kept = channels // (size * size)
    if attributes.get("mode", "DCR") == "DCR":
        x = op.reshape(x, shape=(rows, size, size, kept, height, width))
        x = op.transpose(x, perm=(0, 3, 4, 1, 5, 2))
    else:
        x = op.reshape(x, shape=(rows, kept, size, size, height, width))
        x = op.transpose(x, perm=(0, 1, 4, 2, 5, 3))
    return op.reshape(x, shape=(rows, kept, height * size, width * size))


@function("SpaceToDepth")
def _space_to_depth(attributes: Attributes, x):
    rows, channels, height, width = x.shape
    size = attributes.need("blocksize")
    x = op.reshape(x, shape=(rows, channels, height // size, size, width // size, size))
    by_channel = attributes.get("mode", "DCR") == "CRD"
    x = op.transpose(x, perm=(0, 1, 3, 5, 2, 4) if by_channel else (0, 3, 5, 1, 2, 4))
    return op.reshape(x, shape=(rows, channels * size * size, height // size, width // size))


@function_of_values("EyeLike")
def _eye_like(attributes: Attributes, x):
    x = tensor_of(x)
    dtype = DTYPES.get(attributes.get("dtype", 0), x.dtype)
    rows, columns, shift = *x.shape, attributes.get("k", 0)
    return op.cast(op.equal(ops.arange(rows).reshape(rows, 1) + shift, ops.arange(columns)), dtype)
