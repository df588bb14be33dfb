# SPDX-License-Identifier: Apache-2.0
"""Convolution whose windows look where the data says."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.ops.function._checks import takes
from mindspore.ops.function.neural import blended

__all__ = ["deformable_conv2d"]

_NAME = "deformable_conv2d"


def _whole_numbers(label: str, value, count: int) -> tuple[int, ...]:
    if not isinstance(value, tuple) or any(isinstance(n, bool) or not isinstance(n, int) for n in value):
        raise TypeError(f"For '{_NAME}', the '{label}' must be a tuple of {count} ints, but got {value}.")
    if len(value) != count:
        raise ValueError(f"For '{_NAME}', the '{label}' must have {count} numbers, but got {value}.")
    return value


def _of_image(label: str, value) -> tuple[int, int]:
    n, c, height, width = _whole_numbers(label, value, 4)
    if n != 1 or c != 1:
        raise ValueError(f"For '{_NAME}', the first two numbers of '{label}' must be 1, but got {value}.")
    return height, width


def _grid_places(count: int, kernel: int, stride: int, dilation: int, before: int) -> Tensor:
    """Where windows look along one axis if nothing moves them: (kernel, count)."""
    starts = op.sub(op.mul(op.arange(0, count, 1, mstype.float32), stride), before)
    taps = op.mul(op.arange(0, kernel, 1, mstype.float32), dilation)
    return op.add(op.expand_dims(taps, 1), op.expand_dims(starts, 0))


def _sampled(x, offsets, kernel, strides, padding, dilations, groups: int) -> Tensor:
    """What every tap of every window sees: (N, C, H_out * KH, W_out * KW)."""
    (n, c, height, width), (kh, kw) = x.shape, kernel
    rows, columns = (
        (length + before + after - dilation * (taps - 1) - 1) // stride + 1
        for length, before, after, dilation, taps, stride in (
            (height, *padding[:2], dilations[0], kh, strides[0]),
            (width, *padding[2:], dilations[1], kw, strides[1]),
        )
    )
    wanted = (n, 3 * groups * kh * kw, rows, columns)
    if c % groups or tuple(offsets.shape) != wanted:
        raise ValueError(
            f"For '{_NAME}', the 'offsets' of an image of shape {tuple(x.shape)} must have the shape "
            f"{wanted}, and its channels be divisible by 'deformable_groups' {groups}, but got "
            f"{tuple(offsets.shape)}."
        )
    parts = op.reshape(offsets, (n, 3, groups, kh, kw, rows, columns))
    right, down, mask = (
        op.reshape(part, (n * groups, kh, kw, rows, columns)) for part in op.unbind(parts, 1)
    )
    still_down = op.reshape(_grid_places(rows, kh, strides[0], dilations[0], padding[0]), (kh, 1, rows, 1))
    still_right = op.reshape(
        _grid_places(columns, kw, strides[1], dilations[1], padding[2]), (1, kw, 1, columns)
    )
    places = [op.add(down, still_down), op.add(right, still_right)]
    seen = blended(op.reshape(x, (n * groups, c // groups, height, width)), places, "zeros")
    seen = op.reshape(op.mul(seen, op.expand_dims(mask, 1)), (n, c, kh, kw, rows, columns))
    return op.reshape(op.transpose(seen, (0, 1, 4, 2, 5, 3)), (n, c, rows * kh, columns * kw))


@takes(x=(4, 4), weight=(4, 4), offsets=(4, 4))
def deformable_conv2d(
    x,
    weight,
    offsets,
    kernel_size,
    strides,
    padding,
    bias=None,
    dilations=(1, 1, 1, 1),
    groups=1,
    deformable_groups=1,
    modulated=True,
) -> Tensor:
    """Convolution of (N, C, H, W) whose taps are moved and weighted by `offsets`.

    Half precision is computed in float32.

    Args:
        x (Tensor): The image, (N, C, H, W).
        weight (Tensor): (C_out, C / groups, KH, KW).
        offsets (Tensor): (N, 3 * deformable_groups * KH * KW, H_out, W_out): how far every tap is moved
            to the right, then how far down, then its weight.
        kernel_size (tuple[int]): KH and KW.
        strides (tuple[int]): Steps of the windows along the four axes of `x`; the first two are 1.
        padding (tuple[int]): Rows of zeros at the top and the bottom, columns at the left and the right.
        bias (Tensor): (C_out,). Default: ``None``.
        dilations (tuple[int]): Distances of taps along the four axes; the first two are 1.
            Default: ``(1, 1, 1, 1)``.
        groups (int): Groups of channels that do not see each other. Default: ``1``.
        deformable_groups (int): Groups of channels with offsets of their own. Default: ``1``.
        modulated (bool): Only ``True``: taps have weights. Default: ``True``.

    Returns:
        Tensor of shape (N, C_out, H_out, W_out).

    Raises:
        TypeError: A tuple holds something else than ints, or `modulated` is no bool.
        ValueError: A tuple has another length, or the shape of `offsets` does not fit.

    Examples:
        >>> from mindspore import ops
        >>> x, weight = ops.ones((1, 2, 4, 4)), ops.ones((3, 2, 3, 3))
        >>> offsets = ops.concat((ops.zeros((1, 18, 2, 2)), ops.ones((1, 9, 2, 2))), 1)
        >>> print(ops.deformable_conv2d(x, weight, offsets, (3, 3), (1, 1, 1, 1), (0, 0, 0, 0))[0, 0])
        [[18. 18.]
         [18. 18.]]
    """
    if not isinstance(modulated, bool):
        raise TypeError(f"For '{_NAME}', the 'modulated' must be a bool, but got {type(modulated).__name__}.")
    if not modulated:
        raise ValueError(
            f"For '{_NAME}', the 'modulated' must be True: offsets without weights are not known."
        )
    kernel = _whole_numbers("kernel_size", kernel_size, 2)
    wide = [op.cast(one, mstype.float32) if one.dtype == mstype.float16 else one for one in (x, offsets)]
    edges = _whole_numbers("padding", padding, 4)
    seen = _sampled(
        *wide,
        kernel,
        _of_image("strides", strides),
        edges,
        _of_image("dilations", dilations),
        deformable_groups,
    )
    return op.conv2d_function(op.cast(seen, x.dtype), weight, bias, kernel, "valid", 0, 1, groups)
