# SPDX-License-Identifier: Apache-2.0
"""Resizing: along every axis a choice of positions, or a product with a table of weights."""

from __future__ import annotations

import math

import numpy as np

from mindspore import ops
from mindspore.common.tensor import Tensor
from mindspore.ops._registry import op
from mindspore.train._onnx.functions.table import (
    Attributes,
    function,
    function_of_values,
    numbers_of,
    tensor_of,
)


def _positions(attributes: Attributes, size: int, count: int, scale: float) -> np.ndarray:
    """Where the results lie among the inputs."""
    mode = attributes.get("coordinate_transformation_mode", "half_pixel")
    x = np.arange(count, dtype=np.float64)
    if mode == "asymmetric":
        return x / scale
    if mode == "align_corners":
        return x * (size - 1) / (size * scale - 1) if count > 1 else x * 0
    if mode == "pytorch_half_pixel":
        return (x + 0.5) / scale - 0.5 if count > 1 else x * 0
    if mode == "half_pixel_symmetric":
        adjusted = count / (scale * size)
        return size / 2 * (1 - adjusted) + (x + 0.5) / scale - 0.5
    if mode != "half_pixel":
        attributes.refuse(f"the coordinate mode '{mode}'")
    return (x + 0.5) / scale - 0.5


def _nearest(attributes: Attributes, where: np.ndarray, size: int) -> np.ndarray:
    mode = attributes.get("nearest_mode", "round_prefer_floor")
    rounding = {
        "round_prefer_floor": lambda x: np.ceil(x - 0.5),
        "round_prefer_ceil": lambda x: np.floor(x + 0.5),
        "floor": np.floor,
        "ceil": np.ceil,
    }
    if mode not in rounding:
        attributes.refuse(f"the rounding '{mode}'")
    return rounding[mode](where).clip(0, size - 1).astype(np.int64)


def _cubic(distance: np.ndarray, a: float) -> np.ndarray:
    d = np.abs(distance)
    near = (a + 2) * d**3 - (a + 3) * d**2 + 1
    far = a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


def _weights(attributes: Attributes, where: np.ndarray, size: int) -> np.ndarray:
    """(results, inputs): the share of every input in every result."""
    is_cubic = attributes.get("mode") == "cubic"
    table = np.zeros((len(where), size))
    first = np.floor(where).astype(np.int64)
    for offset in (-1, 0, 1, 2) if is_cubic else (0, 1):
        places = first + offset
        if is_cubic:
            share = _cubic(where - places, attributes.get("cubic_coeff_a", -0.75))
        else:
            share = 1 - np.abs(where - places)
        if attributes.get("exclude_outside", 0):
            share = np.where((places >= 0) & (places < size), share, 0)
        np.add.at(table, (np.arange(len(where)), places.clip(0, size - 1)), share)
    return table / table.sum(1, keepdims=True) if attributes.get("exclude_outside", 0) else table


def _wanted(attributes: Attributes, x, scales, sizes) -> tuple[list[int], list[float]]:
    """New length and scale of every axis."""
    axes = [axis % x.ndim for axis in attributes.get("axes") or range(x.ndim)]
    lengths, factors = list(x.shape), [1.0] * x.ndim
    given = numbers_of(sizes) or numbers_of(scales)
    if len(given) != len(axes):
        raise ValueError("it gives no size for every axis.")
    policy = attributes.get("keep_aspect_ratio_policy", "stretch")
    if numbers_of(sizes) and policy != "stretch":
        shares = [value / x.shape[axis] for axis, value in zip(axes, given, strict=True)]
        scale = min(shares) if policy == "not_larger" else max(shares)
        given = [math.floor(x.shape[axis] * scale + 0.5) for axis in axes]
    for axis, value in zip(axes, given, strict=True):
        if numbers_of(sizes):
            lengths[axis], factors[axis] = int(value), value / x.shape[axis]
        else:
            lengths[axis], factors[axis] = math.floor(x.shape[axis] * value), value
    return lengths, factors


@function_of_values("Resize")
def _resize(attributes: Attributes, x, region=None, scales=None, sizes=None):
    x = tensor_of(x)
    if attributes.get("antialias", 0):
        attributes.refuse("smoothing")
    lengths, factors = _wanted(attributes, x, scales, sizes)
    for axis in range(x.ndim):
        size, count = x.shape[axis], lengths[axis]
        if size == count and factors[axis] == 1:
            continue
        where = _positions(attributes, size, count, factors[axis])
        if attributes.get("mode", "nearest") == "nearest":
            x = op.gather(x, Tensor(_nearest(attributes, where, size)), axis=axis)
        else:
            table = op.cast(Tensor(_weights(attributes, where, size).astype(np.float32)), x.dtype)
            turned = op.matmul(op.swapaxes(x, axis0=axis, axis1=x.ndim - 1), table, transpose_b=True)
            x = op.swapaxes(turned, axis0=axis, axis1=x.ndim - 1)
    return x


@function_of_values("Upsample")
def _upsample(attributes: Attributes, x, scales):
    values = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor", **attributes.values}
    plain = Attributes(attributes.kind, attributes.node, attributes.opset, values, attributes.outputs)
    return _resize(plain, x, None, scales)


@function("GridSample")
def _grid_sample(attributes: Attributes, x, grid):
    mode = attributes.get("mode", "linear" if attributes.opset >= 20 else "bilinear")
    if mode not in ("linear", "bilinear", "nearest"):
        attributes.refuse(f"the mode '{mode}'")
    return ops.grid_sample(
        x,
        grid,
        mode="nearest" if mode == "nearest" else "bilinear",
        padding_mode=attributes.get("padding_mode", "zeros"),
        align_corners=bool(attributes.get("align_corners", 0)),
    )
