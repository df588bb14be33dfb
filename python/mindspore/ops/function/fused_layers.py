# SPDX-License-Identifier: Apache-2.0
"""Pieces of networks that devices compute in one go, from operators."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op

__all__ = ["deformable_conv2d", "pows", "rotary_position_embedding", "swiglu"]


def pows(input, exponent) -> Tensor:
    """``input ** exponent``; the same as `mindspore.ops.pow`.

    Args:
        input (Union[Tensor, Number]): The bases.
        exponent (Union[Tensor, Number]): The exponents.

    Returns:
        Tensor.

    Examples:
        >>> from mindspore import Tensor, ops
        >>> ops.pows(Tensor([1.0, 2.0]), 2).tolist()
        [1.0, 4.0]
    """
    from mindspore.ops import pow as power

    return power(input, exponent)


def swiglu(input, dim=-1) -> Tensor:
    """One half of the input, times the other half after SiLU: ``silu(a) * b``.

    Args:
        input (Tensor): An even length along `dim`.
        dim (int): Axis that is halved. Default: ``-1``.

    Returns:
        Tensor, half as long along `dim`.

    Examples:
        >>> from mindspore import Tensor, ops
        >>> ops.swiglu(Tensor([[0.0, 1.0, 3.0, 0.0]])).tolist()
        [[0.0, 0.0]]
    """
    if input.shape[dim] % 2:
        raise ValueError(f"For 'swiglu', the length of axis {dim} must be even, but got shape {input.shape}.")
    half = input.shape[dim] // 2
    gate, value = op.split_sizes(input, (half, half), dim % input.ndim)
    return op.mul(op.silu(gate), value)


def rotary_position_embedding(x, cos, sin, mode=0) -> Tensor:
    """Turns pairs of features by angles: ``x * cos + turned(x) * sin``.

    Args:
        x (Tensor): The features in the last axis, an even number of them.
        cos (Tensor): Cosines, stretched to the shape of `x`.
        sin (Tensor): Sines.
        mode (int): 0: a feature of the first half is paired with one of the second; 1: neighbours are pairs.
            Default: ``0``.

    Returns:
        Tensor, shape and type of `x`.

    Raises:
        ValueError: `mode` is something else, or the number of features is odd.

    Examples:
        >>> from mindspore import Tensor, ops
        >>> x, cos, sin = Tensor([[1.0, 2.0]]), Tensor([[0.0, 0.0]]), Tensor([[1.0, 1.0]])
        >>> ops.rotary_position_embedding(x, cos, sin).tolist()
        [[-2.0, 1.0]]
    """
    if mode not in (0, 1) or x.shape[-1] % 2:
        raise ValueError(
            f"For 'rotary_position_embedding', 'mode' must be 0 or 1 and the number of features even, but "
            f"got "
            f"{mode} and shape {x.shape}."
        )
    half = x.shape[-1] // 2
    if mode == 0:
        first, second = op.split_sizes(x, (half, half), x.ndim - 1)
        turned = op.concat((op.neg(second), first), -1)
    else:
        pairs = op.reshape(x, (*x.shape[:-1], half, 2))
        turned = op.reshape(op.stack((op.neg(pairs[..., 1]), pairs[..., 0]), -1), x.shape)
    return op.add(op.mul(x, cos), op.mul(turned, sin))


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
    """Convolution whose kernels look at shifted places, between pixels too.

    Args:
        x (Tensor): (N, C_in, H_in, W_in).
        weight (Tensor): (C_out, C_in / groups, H_k, W_k).
        offsets (Tensor): (N, 3 * deformable_groups * H_k * W_k, H_out, W_out): shifts along the width, along
            the height, and factors.
        kernel_size (tuple[int]): Height and width of the kernels.
        strides (tuple[int]): Four steps, the first two 1.
        padding (tuple[int]): Top, bottom, left, right.
        bias (Tensor): One per output channel. Default: ``None``.
        dilations (tuple[int]): Four distances, the first two 1. Default: ``(1, 1, 1, 1)``.
        groups (int): Groups of channels that do not mix. Default: ``1``.
        deformable_groups (int): Groups of channels with shifts of their own. Default: ``1``.
        modulated (bool): Whether there are factors; it must be. Default: ``True``.

    Returns:
        Tensor, (N, C_out, H_out, W_out).

    Examples:
        >>> from mindspore import ops
        >>> x, weight, offsets = ops.ones((1, 1, 4, 4)), ops.ones((1, 1, 3, 3)), ops.ones((1, 27, 2, 2))
        >>> ops.deformable_conv2d(x, weight, offsets, (3, 3), (1, 1, 1, 1), (0, 0, 0, 0)).shape
        (1, 1, 2, 2)
    """
    if not modulated:
        raise ValueError("For 'deformable_conv2d', 'modulated' must be True, but got False.")
    _check_groups(x, offsets, kernel_size, deformable_groups)
    spread = _shifted_pixels(x, offsets, kernel_size, strides[2:], padding, dilations[2:], deformable_groups)
    return op.conv2d(spread, weight, bias, (0, 0, 0, 0), tuple(kernel_size), (1, 1), groups)


def _check_groups(x, offsets, kernel_size, groups: int) -> None:
    wanted = 3 * groups * kernel_size[0] * kernel_size[1]
    if x.shape[1] % groups or offsets.shape[1] != wanted:
        raise ValueError(
            f"For 'deformable_conv2d', the channels of 'x' must be a multiple of 'deformable_groups' "
            f"{groups} and "
            f"'offsets' must have {wanted} channels, but got shapes {x.shape} and {offsets.shape}."
        )


def _shifted_pixels(x, offsets, kernel_size, strides, padding, dilations, groups: int) -> Tensor:
    """What every kernel looks at, side by side: (N, C, H_out * H_k, W_out * W_k)."""
    batch, channels, height, width = x.shape
    rows, columns = offsets.shape[2:]
    window = (batch, groups, *kernel_size, rows, columns)
    right, down, factor = (op.reshape(part, window) for part in op.split_sizes(
        offsets, (offsets.shape[1] // 3,) * 3, 1))  # fmt: skip
    y = op.add(
        down, _places(rows, strides[0], padding[0], kernel_size[0], dilations[0], (1, 1, -1, 1, rows, 1))
    )
    x_place = _places(
        columns, strides[1], padding[2], kernel_size[1], dilations[1], (1, 1, 1, -1, 1, columns)
    )
    at = op.add(right, x_place)
    pixels = op.reshape(x, (batch, groups, channels // groups, height * width))
    total = None
    top, left = op.floor(y), op.floor(at)
    for row, part_y in ((top, op.sub(op.add(top, 1.0), y)), (op.add(top, 1.0), op.sub(y, top))):
        for column, part_x in ((left, op.sub(op.add(left, 1.0), at)), (op.add(left, 1.0), op.sub(at, left))):
            share = op.mul(op.mul(part_y, part_x), factor)
            one = _weighted_pixels(pixels, row, column, share, height, width)
            total = one if total is None else op.add(total, one)
    spread = op.reshape(total, (batch, channels, *kernel_size, rows, columns))
    spread = op.transpose(spread, (0, 1, 4, 2, 5, 3))
    return op.reshape(spread, (batch, channels, rows * kernel_size[0], columns * kernel_size[1]))


def _places(count: int, stride: int, before: int, kernel: int, dilation: int, shape: tuple) -> Tensor:
    """Where along one axis the elements of the kernel look without a shift; `shape` has -1 for the kernel."""
    outputs = op.mul(op.arange(0, count, 1, mstype.float32), float(stride))
    inner = op.mul(op.arange(0, kernel, 1, mstype.float32), float(dilation))
    grid = op.add(op.reshape(inner, (kernel, 1)), op.sub(op.reshape(outputs, (1, count)), float(before)))
    return op.reshape(grid, tuple(kernel if length == -1 else length for length in shape))


def _weighted_pixels(pixels, row, column, share, height: int, width: int) -> Tensor:
    """Pixels at whole places times their shares; zero outside of the image."""
    batch, groups, channels, _ = pixels.shape
    inside = op.logical_and(
        op.logical_and(op.greater_equal(row, 0.0), op.less(row, float(height))),
        op.logical_and(op.greater_equal(column, 0.0), op.less(column, float(width))),
    )
    place = op.add(op.mul(op.minimum(op.maximum(row, 0.0), height - 1.0), float(width)),
                   op.minimum(op.maximum(column, 0.0), width - 1.0))  # fmt: skip
    flat = (batch, groups, 1, place.size // (batch * groups))
    place = op.broadcast_to(op.reshape(op.cast(place, mstype.int64), flat), (*flat[:2], channels, flat[3]))
    share = op.where(inside, share, op.zeros_like(share))
    return op.mul(op.gather_elements(pixels, 3, place), op.cast(op.reshape(share, flat), pixels.dtype))
