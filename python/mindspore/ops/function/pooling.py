# SPDX-License-Identifier: Apache-2.0
"""Pooling in one and three dimensions, adaptive and by powers, from the two-dimensional operators."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.ops._registry import op
from mindspore.ops.function._checks import takes

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool3d",
    "avg_pool2d",
    "lp_pool1d",
    "lp_pool2d",
    "max_pool2d",
]

_MOST_PARTS = 1 << 16  # of one axis in adaptive pooling


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


def adaptive_avg_pool(x, sizes) -> Tensor:
    """Means over as many equal parts of the last axes as asked; None and -1 keep a length."""
    lengths = x.shape[x.ndim - len(sizes) :]
    sizes = [
        length if size is None or size == -1 else size for size, length in zip(sizes, lengths, strict=True)
    ]
    if any(not 0 <= size <= _MOST_PARTS for size in sizes):
        raise ValueError(
            f"For adaptive pooling, an output size must be in [0, {_MOST_PARTS}], but got {tuple(sizes)}."
        )
    leading = tuple(x.shape[: x.ndim - len(sizes)])
    lengths, sizes = [1] * (3 - len(lengths)) + list(lengths), [1] * (3 - len(sizes)) + sizes
    kept = tuple(sizes[3 - (x.ndim - len(leading)) :])
    planes = op.adaptive_avg_pool2d(op.reshape(x, (1, -1, *lengths[1:])), tuple(sizes[1:]))
    if sizes[0] != lengths[0]:
        layers = op.reshape(planes, (1, -1, lengths[0], sizes[1] * sizes[2]))
        planes = op.adaptive_avg_pool2d(layers, (sizes[0], sizes[1] * sizes[2]))
    return op.reshape(planes, (*leading, *kept))


@takes(input=(2, 3))
def adaptive_avg_pool1d(input, output_size) -> Tensor:
    """Means over `output_size` equal parts of the last axis."""
    return adaptive_avg_pool(input, [output_size])


@takes(input=(4, 5))
def adaptive_avg_pool3d(input, output_size) -> Tensor:
    """Means over equal parts of the last three axes."""
    sizes = [output_size] * 3 if isinstance(output_size, int) else list(output_size)
    return adaptive_avg_pool(input, sizes)


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
