# SPDX-License-Identifier: Apache-2.0
"""Pooling in one and three dimensions, adaptive and by powers, from the two-dimensional operators."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.ops._registry import op

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "avg_pool1d",
    "avg_pool2d",
    "lp_pool1d",
    "lp_pool2d",
    "max_pool2d",
]

_MOST_PARTS = 1 << 16  # of one axis in adaptive pooling


def _single(value) -> int:
    return value[0] if isinstance(value, (tuple, list)) else value


def avg_pool1d(
    input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True
) -> Tensor:
    """Means of windows of (N, C, L)."""
    edge = _single(padding)
    result = op.avg_pool2d_function(
        op.expand_dims(input_x, -2),
        (1, _single(kernel_size)),
        (1, _single(stride)),
        (0, 0, edge, edge),
        ceil_mode,
        count_include_pad,
        0,
    )
    return op.squeeze(result, -2)


def avg_pool2d(
    input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=0
) -> Tensor:
    """Means of windows of (N, C, H, W) or (C, H, W)."""
    return op.avg_pool2d_function(
        input_x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


def max_pool2d(x, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
    """Largest elements of windows of (N, C, H, W) or (C, H, W), with their places in the plane if asked."""
    results = op.max_pool2d_function(x, kernel_size, stride, padding, dilation, return_indices, ceil_mode)
    if isinstance(results, tuple) and not return_indices:
        return results[0]
    return results


def _ranges(length: int, parts: int) -> list[tuple[int, int]]:
    if not 0 <= parts <= _MOST_PARTS:
        raise ValueError(
            f"For adaptive pooling, an output size must be in [0, {_MOST_PARTS}], but got {parts}."
        )
    return [(i * length // parts, -(-(i + 1) * length // parts)) for i in range(parts)]


def _along(x, axis: int, parts: int, reduce) -> Tensor:
    pieces = [
        reduce(op.narrow(x, axis, start, stop - start), axis, True)
        for start, stop in _ranges(x.shape[axis], parts)
    ]
    return op.concat(pieces, axis)


def adaptive_avg_pool(x, sizes) -> Tensor:
    """Means over as many equal parts of the last axes as asked."""
    first = x.ndim - len(sizes)
    for i, parts in enumerate(sizes):
        if parts is not None and parts != x.shape[first + i]:
            x = _along(x, first + i, parts, op.reduce_mean)
    return x


def adaptive_avg_pool1d(input, output_size) -> Tensor:
    """Means over `output_size` equal parts of the last axis."""
    return adaptive_avg_pool(input, [output_size])


def adaptive_avg_pool3d(input, output_size) -> Tensor:
    """Means over equal parts of the last three axes."""
    sizes = [output_size] * 3 if isinstance(output_size, int) else list(output_size)
    return adaptive_avg_pool(input, sizes)


def adaptive_max_pool1d(input, output_size) -> Tensor:
    """Largest elements of `output_size` equal parts of the last axis."""
    return _along(input, input.ndim - 1, output_size, op.reduce_max)


def adaptive_max_pool2d(input, output_size, return_indices=False):
    """Largest elements of equal parts of the plane, with their places in it if asked."""
    if input.ndim not in (3, 4):
        raise ValueError(
            f"For 'adaptive_max_pool2d', the 'input' must have 3 or 4 axes, but got shape {input.shape}."
        )
    sizes = [output_size] * 2 if isinstance(output_size, int) else list(output_size)
    rows, columns = (size or input.shape[i - 2] for i, size in enumerate(sizes))
    if not return_indices:
        return _along(
            _along(input, input.ndim - 2, rows, op.reduce_max), input.ndim - 1, columns, op.reduce_max
        )
    height, width = input.shape[-2:]
    values, indices = [], []
    for top, bottom in _ranges(height, rows):
        for left, right in _ranges(width, columns):
            window = input[..., top:bottom, left:right]
            flat = op.reshape(window, (*input.shape[:-2], -1))
            place, value = op.argmax_with_value(flat, -1, False)
            row = op.add(op.floor_div(place, right - left), top)
            indices.append(op.add(op.mul(row, width), op.add(op.floor_mod(place, right - left), left)))
            values.append(value)
    shape = (*input.shape[:-2], rows, columns)
    return op.reshape(op.stack(values, -1), shape), op.reshape(op.stack(indices, -1), shape)


def _power_pool(x, norm_type, kernel, stride, ceil_mode) -> Tensor:
    count = kernel[0] * kernel[1]
    mean = op.avg_pool2d_function(op.pow(x, norm_type), kernel, stride, (0,), ceil_mode, True, 0)
    return op.pow(op.mul(mean, float(count)), 1.0 / norm_type)


def lp_pool1d(x, norm_type, kernel_size, stride=None, ceil_mode=False) -> Tensor:
    """Power means, not divided by the count, of windows of (N, C, L)."""
    step = kernel_size if stride is None else stride
    result = _power_pool(op.expand_dims(x, -2), norm_type, (1, kernel_size), (1, step), ceil_mode)
    return op.squeeze(result, -2)


def lp_pool2d(x, norm_type, kernel_size, stride=None, ceil_mode=False) -> Tensor:
    """Power means, not divided by the count, of windows of (N, C, H, W)."""
    kernel = (kernel_size, kernel_size) if isinstance(kernel_size, int) else tuple(kernel_size)
    step = kernel if stride is None else ((stride, stride) if isinstance(stride, int) else tuple(stride))
    return _power_pool(x, norm_type, kernel, step, ceil_mode)
