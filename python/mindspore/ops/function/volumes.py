# SPDX-License-Identifier: Apache-2.0
"""Pooling of volumes: first in every plane, then along the depth."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.ops._registry import op

__all__ = ["avg_pool3d", "max_pool3d"]


def triple(name: str, label: str, value, least: int) -> tuple[int, int, int]:
    """One number for all three axes, or three numbers."""
    numbers = (value,) * 3 if isinstance(value, int) else value
    if not isinstance(numbers, (tuple, list)) or any(
        isinstance(n, bool) or not isinstance(n, int) for n in numbers
    ):
        raise TypeError(f"For '{name}', the '{label}' must be an int or a tuple of 3 ints, but got {value}.")
    if len(numbers) == 1:
        numbers = tuple(numbers) * 3
    if len(numbers) != 3 or min(numbers) < least:
        raise ValueError(
            f"For '{name}', the '{label}' must be an int or 3 ints not less than {least}, but got {value}."
        )
    return tuple(numbers)


def six(name: str, label: str, value) -> tuple:
    """Padding before and after each of three axes, from one, three or six numbers."""
    if isinstance(value, (tuple, list)) and len(value) == 6:
        if any(isinstance(n, bool) or not isinstance(n, int) for n in value):
            raise TypeError(f"For '{name}', the '{label}' must hold ints, but got {value}.")
        if min(value) < 0:
            raise ValueError(f"For '{name}', the '{label}' must not be negative, but got {value}.")
        return tuple(value)
    depth, height, width = triple(name, label, value, 0)
    return depth, depth, height, height, width, width


def _check(name: str, x) -> None:
    if not isinstance(x, Tensor):
        raise TypeError(f"For '{name}', the input must be a Tensor, but got {type(x)}.")
    if x.ndim not in (4, 5):
        raise ValueError(f"For '{name}', the input must have 5 axes (N, C, D, H, W), but got {x.shape}.")


def _planes(x: Tensor) -> Tensor:
    """(N, C, D, H, W) as (N, C * D, H, W)."""
    n, c, d, h, w = x.shape
    return op.reshape(x, (n, c * d, h, w))


def _columns(planes: Tensor, channels: int, depth: int) -> Tensor:
    """(N, C * D, H, W) as (N, C, D, H * W)."""
    n, _, h, w = planes.shape
    return op.reshape(planes, (n, channels, depth, h * w))


def pooled_means(x, kernel, stride, pads, ceil_mode, include, divisor) -> Tensor:
    """Means of windows of (N, C, D, H, W); `pads` has six numbers."""
    one = 1 if divisor else 0  # sums instead of means
    first = op.avg_pool2d(_planes(x), kernel[1:], stride[1:], pads[2:], ceil_mode, include, one)
    second = op.avg_pool2d(
        _columns(first, *x.shape[1:3]),
        (kernel[0], 1),
        (stride[0], 1),
        (*pads[:2], 0, 0),
        ceil_mode,
        include,
        one,
    )
    result = op.reshape(second, (*second.shape[:3], *first.shape[2:]))
    return op.div(result, divisor) if divisor else result


def pooled_maxima(x, kernel, stride, pads, dilation, ceil_mode, with_places: bool = True) -> tuple:
    """Largest elements of windows of (N, C, D, H, W), and their places in the volume or None."""
    n, channels, layers, height, width = x.shape
    first, inside = op.max_pool2d(_planes(x), kernel[1:], stride[1:], pads[2:], dilation[1:], ceil_mode)
    second, where = op.max_pool2d(
        _columns(first, channels, layers),
        (kernel[0], 1),
        (stride[0], 1),
        (*pads[:2], 0, 0),
        (dilation[0], 1),
        ceil_mode,
    )
    shape = (*second.shape[:3], *first.shape[2:])
    if not with_places:
        return op.reshape(second, shape), None
    plane = first.shape[2] * first.shape[3]
    flat_where = op.reshape(where, (n, channels, where.shape[2] * plane))
    flat_inside = op.reshape(op.cast(inside, where.dtype), (n, channels, layers * plane))
    depth = op.floor_div(flat_where, max(plane, 1))
    places = op.add(op.mul(depth, height * width), op.gather_elements(flat_inside, 2, flat_where))
    return op.reshape(second, shape), op.reshape(places, shape)


def avg_pool3d(
    input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=0
) -> Tensor:
    """Means of windows of (N, C, D, H, W).

    Args:
        input_x (Tensor): The volumes.
        kernel_size (Union[int, tuple[int]]): Depth, height and width of a window. Default: ``1``.
        stride (Union[int, tuple[int]]): Steps. Default: ``1``.
        padding (Union[int, tuple[int]]): Zeros around: one, three or six numbers. Default: ``0``.
        ceil_mode (bool): Also count windows that reach over the end. Default: ``False``.
        count_include_pad (bool): Whether padded cells count in the divisor. Default: ``True``.
        divisor_override (int): Divisor; 0: the number of cells. Default: ``0``.

    Returns:
        Tensor.
    """
    name = "avg_pool3d"
    _check(name, input_x)
    kernel, step = triple(name, "kernel_size", kernel_size, 1), triple(name, "stride", stride, 1)
    single = input_x.ndim == 4
    volumes = op.expand_dims(input_x, 0) if single else input_x
    pads = six(name, "padding", padding)
    result = pooled_means(volumes, kernel, step, pads, ceil_mode, count_include_pad, divisor_override)
    return op.squeeze(result, 0) if single else result


def max_pool3d(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """Largest elements of windows of (N, C, D, H, W), with their places in the volume if asked.

    Args:
        x (Tensor): The volumes.
        kernel_size (Union[int, tuple[int]]): Depth, height and width of a window.
        stride (Union[int, tuple[int]]): Steps; None: the size of a window. Default: ``None``.
        padding (Union[int, tuple[int]]): Cells around that never win, at most half a window. Default: ``0``.
        dilation (Union[int, tuple[int]]): Distance of a window's cells. Default: ``1``.
        ceil_mode (bool): Also count windows that reach over the end. Default: ``False``.
        return_indices (bool): Whether places are returned as well. Default: ``False``.

    Returns:
        Tensor, or a tuple of two.
    """
    name = "max_pool3d"
    _check(name, x)
    kernel = triple(name, "kernel_size", kernel_size, 1)
    step = kernel if stride is None else triple(name, "stride", stride, 1)
    edges = triple(name, "padding", padding, 0)
    if any(2 * edge > size for edge, size in zip(edges, kernel, strict=True)):
        raise ValueError(
            f"For 'max_pool3d', the 'padding' must be at most half of 'kernel_size', but got {padding} and "
            f"{kernel_size}."
        )
    single = x.ndim == 4
    results = pooled_maxima(
        op.expand_dims(x, 0) if single else x,
        kernel,
        step,
        six(name, "padding", padding),
        triple(name, "dilation", dilation, 1),
        ceil_mode,
        return_indices,
    )
    values, places = (None if r is None else op.squeeze(r, 0) for r in results) if single else results
    return (values, places) if return_indices else values
