# SPDX-License-Identifier: Apache-2.0
"""Functions of neural networks that combine operators."""

from __future__ import annotations

import math

from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.ops.function._checks import checked_axis, require_tensor, takes

__all__ = [
    "affine_grid",
    "conv1d",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "embedding",
    "fold",
    "glu",
    "grid_sample",
    "interpolate",
    "lrn",
    "rms_norm",
    "softmax",
    "softmin",
    "soft_shrink",
    "unfold",
    "upsample",
]


def softmax(input, axis=-1, *, dtype=None) -> Tensor:
    """Exponentials along an axis, divided by their sum.

    Args:
        input (Tensor): Scores.
        axis (int): The axis. Default: ``-1``.
        dtype (mindspore.dtype): Type to compute in. Default: ``None``.
    """
    return op.softmax(input if dtype is None else op.cast(input, dtype), axis)


def softmin(x, axis=-1, *, dtype=None) -> Tensor:
    """Softmax of the negated input."""
    return softmax(op.neg(x), axis, dtype=dtype)


def soft_shrink(input, lambd=0.5) -> Tensor:
    """Elements moved towards zero by `lambd`, at most to zero."""
    return op.soft_shrink(input, lambd)


def glu(x, axis=-1) -> Tensor:
    """First half of an axis times the sigmoid of the second half."""
    require_tensor("glu", "x", x)
    axis = checked_axis("glu", axis, x.ndim)
    if x.shape[axis] % 2 != 0:
        raise ValueError(f"For 'glu', the length of axis {axis} must be even, but got {x.shape[axis]}.")
    first, second = op.split_sizes(x, (x.shape[axis] // 2,) * 2, axis)
    return op.mul(first, op.sigmoid(second))


def rms_norm(x, gamma, epsilon=1e-06) -> tuple:
    """`x` divided by its root mean square along the last axis, times `gamma`; and the factor."""
    wide = op.cast(x, mstype.float32) if x.dtype in (mstype.float16, mstype.bfloat16) else x
    factor = op.rsqrt(op.add(op.reduce_mean(op.square(wide), -1, True), epsilon))
    return op.mul(op.cast(op.mul(wide, factor), x.dtype), gamma), factor


def lrn(x, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS") -> Tensor:
    """Elements divided by a power of the squares of their neighbours in other channels."""
    return normalize_across_channels("lrn", x, depth_radius, bias, alpha, beta, norm_region)


def normalize_across_channels(name: str, x, depth_radius, bias, alpha, beta, norm_region) -> Tensor:
    """What `lrn` gives, for whoever calls it by another name."""
    if norm_region != "ACROSS_CHANNELS":
        raise ValueError(
            f"For '{name}', the 'norm_region' must be 'ACROSS_CHANNELS', but got '{norm_region}'."
        )
    require_tensor(name, "x", x)
    if x.ndim != 4:
        raise ValueError(f"For '{name}', the 'x' must have 4 axes, but got {x.ndim}.")
    channels = x.shape[1]
    depth_radius = min(depth_radius, max(channels - 1, 0))  # beyond there is nothing
    squares = op.pad_constant(op.square(x), (0, 0, depth_radius, depth_radius, 0, 0, 0, 0), 0)
    windows = [op.narrow(squares, 1, i, channels) for i in range(2 * depth_radius + 1)]
    return op.div(x, op.pow(op.add(op.mul(op.addn(windows), alpha), bias), beta))


def _drop_channels(name: str, input, p, training, ranks: tuple) -> Tensor:
    if isinstance(p, bool) or not isinstance(p, (int, float)):
        raise TypeError(f"For '{name}', the 'p' must be a float, but got {type(p).__name__}.")
    if not 0 <= p <= 1:
        raise ValueError(f"For '{name}', the 'p' must be in range [0, 1], but got {p}.")
    if input.ndim not in ranks:
        raise ValueError(f"For '{name}', the 'input' must have {ranks} axes, but got {input.ndim}.")
    if not training or p == 0:
        return input
    if p == 1:
        return op.zeros_like(input)
    lead = input.ndim - max(ranks) + 2
    drawn = op.random_uniform(input.shape[:lead], 0.0, 1.0, mstype.float32, None)
    mask = op.cast(op.greater_equal(drawn, p), input.dtype)
    mask = op.reshape(op.div(mask, 1.0 - p), (*input.shape[:lead], *(1,) * (input.ndim - lead)))
    return op.mul(input, mask)


def dropout1d(input, p=0.5, training=True) -> Tensor:
    """Whole channels of (N, C, L) or (C, L) set to zero with probability `p`."""
    return _drop_channels("dropout1d", input, p, training, (2, 3))


def dropout2d(input, p=0.5, training=True) -> Tensor:
    """Whole channels of (N, C, H, W) set to zero with probability `p`."""
    return _drop_channels("dropout2d", input, p, training, (4,))


def dropout3d(input, p=0.5, training=True) -> Tensor:
    """Whole channels of (N, C, D, H, W) set to zero with probability `p`."""
    return _drop_channels("dropout3d", input, p, training, (5,))


def embedding(
    input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False
) -> Tensor:
    """Rows of a table.

    Args:
        input (Tensor): Row numbers.
        weight (Union[Parameter, Tensor]): The table.
        padding_idx (int): Row that receives no gradient. Default: ``None``.
        max_norm (float): Rows that are read are first shrunk to this norm. Default: ``None``.
        norm_type (float): Kind of that norm. Default: ``2.0``.
        scale_grad_by_freq (bool): Divide gradients by the number of uses. Default: ``False``.
    """
    from mindspore.ops.function.values import stop_gradient

    if max_norm is not None:
        rows, _ = op.unique(op.reshape(input, (-1,)))
        shrunk = op.renorm(op.gather(stop_gradient(weight), rows, 0), float(norm_type), 0, max_norm)
        op.scatter_update(weight, rows, shrunk)
    result = op.gather(weight, input, 0)
    if scale_grad_by_freq:
        counts = op.unsorted_segment_sum(op.ones_like(input), input, weight.shape[0])
        share = op.reciprocal(op.cast(op.gather(counts, input, 0), result.dtype))
        share = op.expand_dims(share, -1)
        result = op.add(op.mul(result, share), stop_gradient(op.mul(result, op.sub(1, share))))
    if padding_idx is None:
        return result
    is_padding = op.expand_dims(op.equal(input, padding_idx % weight.shape[0]), -1)
    return op.where(is_padding, stop_gradient(result), result)


@takes(input=(3, 3), weight=(3, 3))
def conv1d(input, weight, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1) -> Tensor:
    """Convolution over (N, C, L) with weights (C_out, C_in / groups, K)."""
    if input.ndim != 3:
        raise ValueError(f"For 'conv1d', the 'input' must have 3 axes, but got {input.ndim}.")
    first = stride[0] if isinstance(stride, (tuple, list)) else stride
    spread = dilation[0] if isinstance(dilation, (tuple, list)) else dilation
    edge = padding[0] if isinstance(padding, (tuple, list)) else padding
    result = op.conv2d_function(
        op.expand_dims(input, 2),
        op.expand_dims(weight, 2),
        bias,
        (1, first),
        pad_mode,
        (0, edge),
        (1, spread),
        groups,
    )
    return op.squeeze(result, 2)


def _wide(x: Tensor) -> Tensor:
    """Half precision as float32, in which places and shares are computed."""
    return op.cast(x, mstype.float32) if x.dtype in (mstype.float16, mstype.bfloat16) else x


def _source(length: int, wanted: int, align: bool, scale: float | None, dtype) -> Tensor:
    """Place in the old axis of every element of the new one."""
    place = op.arange(0, wanted, 1, dtype)
    if align:
        return op.mul(place, (length - 1) / (wanted - 1) if wanted > 1 else 0.0)
    ratio = length / wanted if scale is None else 1.0 / scale
    return op.maximum(op.sub(op.mul(op.add(place, 0.5), ratio), 0.5), 0.0)


def resize_linear(x, axis: int, wanted: int, place: Tensor) -> Tensor:
    """One axis resampled linearly at the given places of the old axis."""
    last = x.shape[axis] - 1
    low = op.minimum(op.floor(place), float(last))
    share = op.cast(op.minimum(op.sub(place, low), 1.0), x.dtype)
    below = op.cast(low, mstype.int64)
    above = op.minimum(op.add(below, 1), last)
    shape = [1] * x.ndim
    shape[axis] = wanted
    share = op.reshape(share, tuple(shape))
    first, second = op.gather(x, below, axis), op.gather(x, above, axis)
    return op.add(first, op.mul(op.sub(second, first), share))


def resize_nearest(x, axis: int, wanted: int, place: Tensor) -> Tensor:
    """One axis resampled at the given places of the old axis, rounded down."""
    index = op.minimum(op.cast(op.floor(place), mstype.int64), x.shape[axis] - 1)
    return op.gather(x, index, axis)


def _keys_weights(distance: Tensor, a: float) -> Tensor:
    """Keys' cubic kernel."""
    d = op.abs(distance)
    near = op.add(op.mul(op.mul(op.sub(op.mul(d, a + 2), a + 3), d), d), 1)
    far = op.sub(op.mul(op.add(op.mul(op.sub(op.mul(d, a), 5 * a), d), 8 * a), d), 4 * a)
    return op.where(op.less_equal(d, 1), near, op.where(op.less(d, 2), far, op.zeros_like(d)))


def _resize_cubic(x, axis: int, wanted: int, place: Tensor, align: bool) -> Tensor:
    """Cubic weights; without aligned corners those outside of the axis are dropped and the rest rescaled."""
    length = x.shape[axis]
    low = op.floor(place)
    shape = [1] * x.ndim
    shape[axis] = wanted
    total, weights = None, None
    for offset in (-1, 0, 1, 2):
        index = op.add(low, float(offset))
        weight = _keys_weights(op.sub(place, index), -0.75 if align else -0.5)
        if not align:
            inside = op.logical_and(op.greater_equal(index, 0), op.less_equal(index, length - 1))
            weight = op.mul(weight, op.cast(inside, weight.dtype))
        safe = op.cast(op.clamp(index, 0, length - 1), mstype.int64)
        part = op.mul(op.gather(x, safe, axis), op.reshape(op.cast(weight, x.dtype), tuple(shape)))
        total = part if total is None else op.add(total, part)
        weights = weight if weights is None else op.add(weights, weight)
    return total if align else op.div(total, op.reshape(op.cast(weights, x.dtype), tuple(shape)))


_SPATIAL = {"linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2}


def _target_sizes(input, size, scale_factor, recompute) -> tuple[list, list]:
    spatial = input.shape[2:]
    if size is not None and scale_factor is not None:
        raise ValueError("For 'interpolate', 'size' and 'scale_factor' cannot be set simultaneously")
    if size is None and scale_factor is None:
        raise ValueError("For 'interpolate', 'size' and 'scale_factor' cannot be both empty")
    if size is not None:
        sizes = [size] * len(spatial) if isinstance(size, int) else list(size)
        factors = [None] * len(spatial)
    else:
        factors = (
            [scale_factor] * len(spatial) if isinstance(scale_factor, (int, float)) else list(scale_factor)
        )
        sizes = [int(length * factor) for length, factor in zip(spatial, factors, strict=True)]
        factors = [None] * len(spatial) if recompute else factors
    if len(sizes) != len(spatial):
        raise ValueError(f"For 'interpolate', the new size {sizes} must fit the shape {input.shape}.")
    return sizes, factors


def _cubic_source(length: int, wanted: int, align: bool, scale, dtype) -> Tensor:
    if align:
        return _source(length, wanted, True, scale, dtype)
    ratio = length / wanted if scale is None else 1.0 / scale
    return op.sub(op.mul(op.add(op.arange(0, wanted, 1, dtype), 0.5), ratio), 0.5)


def interpolate(
    input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None
) -> Tensor:
    """The spatial axes of (N, C, ...) resampled to another size.

    Args:
        input (Tensor): 3 to 5 axes.
        size (Union[int, tuple[int], list[int]]): The new lengths. Default: ``None``.
        scale_factor (Union[float, tuple[float], list[float]]): Or by how much to scale. Default: ``None``.
        mode (str): 'nearest', 'nearest-exact', 'linear', 'bilinear', 'trilinear', 'bicubic' or 'area'.
            'bicubic' is MindSpore's: with aligned corners Keys' kernel with a = -0.75 and edges repeated,
            without them a = -0.5 and weights outside of the image left out; PyTorch has the former in both.
            Default: ``'nearest'``.
        align_corners (bool): Whether corner elements stay corner elements; for the linear and cubic modes.
            Default: ``None``.
        recompute_scale_factor (bool): Compute the scale again from the rounded size. Default: ``None``.
    """
    require_tensor("interpolate", "input", input)
    modes = ("nearest", "nearest-exact", "area", *_SPATIAL)
    if mode not in modes:
        raise ValueError(f"For 'interpolate', the 'mode' must be one of {modes}, but got '{mode}'.")
    if align_corners is not None and mode not in _SPATIAL:
        raise ValueError(f"For 'interpolate', 'align_corners' has no meaning in mode '{mode}'.")
    if _SPATIAL.get(mode, input.ndim - 2) != input.ndim - 2:
        raise ValueError(f"For 'interpolate', the mode '{mode}' does not fit an input of {input.ndim} axes.")
    if mode not in ("nearest", "nearest-exact") and input.dtype not in mstype.float_type:
        raise TypeError(f"For 'interpolate', the mode '{mode}' needs a float type, but got {input.dtype}.")
    sizes, factors = _target_sizes(input, size, scale_factor, recompute_scale_factor)
    if mode == "area":
        from mindspore.ops.function.pooling import adaptive_avg_pool

        return adaptive_avg_pool(input, sizes)
    result = input if mode in ("nearest", "nearest-exact") else _wide(input)
    for i, (wanted, factor) in enumerate(zip(sizes, factors, strict=True)):
        axis, length = i + 2, input.shape[i + 2]
        if mode in ("nearest", "nearest-exact"):
            ratio = length / wanted if factor is None else 1.0 / factor
            start = op.arange(0, wanted, 1, mstype.float32)
            place = op.mul(op.add(start, 0.5) if mode == "nearest-exact" else start, ratio)
            result = resize_nearest(result, axis, wanted, place)
        elif mode == "bicubic":
            place = _cubic_source(length, wanted, bool(align_corners), factor, result.dtype)
            result = _resize_cubic(result, axis, wanted, place, bool(align_corners))
        else:
            place = _source(length, wanted, bool(align_corners), factor, result.dtype)
            result = resize_linear(result, axis, wanted, place)
    return op.cast(result, input.dtype)


def upsample(
    input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None
) -> Tensor:
    """The same as `interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)


@takes(theta=(3, 3))
def affine_grid(theta, size, align_corners=False) -> Tensor:
    """Sampling places of an affine map, for `grid_sample`."""
    axes, dtype, theta = [], theta.dtype, _wide(theta)
    for length in reversed(size[2:]):
        step = op.arange(0, length, 1, theta.dtype)
        if align_corners:
            axes.append(op.sub(op.mul(step, 2.0 / max(length - 1, 1)), 1.0))
        else:
            axes.append(op.sub(op.mul(op.add(step, 0.5), 2.0 / length), 1.0))
    grids = op.meshgrid(axes[::-1], "ij")[::-1]
    base = op.stack([*(op.reshape(g, (-1,)) for g in grids), op.ones((grids[0].size,), theta.dtype)], -1)
    result = op.matmul(op.expand_dims(base, 0), op.swapaxes(theta, 1, 2))
    return op.cast(op.reshape(result, (size[0], *size[2:], len(size) - 2)), dtype)


def _unnormalised(coordinate, length: int, align: bool) -> Tensor:
    if align:
        return op.mul(op.add(coordinate, 1.0), (length - 1) / 2)
    return op.sub(op.mul(op.add(coordinate, 1.0), length / 2), 0.5)


def _bounced(place, length: int, align: bool) -> Tensor:
    """Places outside of the axis reflected at its ends."""
    low, span = (0.0, length - 1) if align else (-0.5, length)
    if span == 0:
        return op.zeros_like(place)
    off = op.abs(op.sub(place, low))
    turns, rest = op.floor(op.div(off, span)), op.floor_mod(off, span)
    odd = op.equal(op.floor_mod(turns, 2), 1)
    return op.clamp(op.add(op.where(odd, op.sub(span, rest), rest), low), 0, length - 1)


def _sample_at(x, places: list, padding_mode: str) -> Tensor:
    """Elements of (N, C, ...) at integer places (N, ...), zero outside."""
    inside, index = None, None
    for place, length in zip(places, x.shape[2:], strict=True):
        valid = op.logical_and(op.greater_equal(place, 0), op.less_equal(place, length - 1))
        inside = valid if inside is None else op.logical_and(inside, valid)
        safe = op.cast(op.clamp(place, 0, length - 1), mstype.int64)
        index = safe if index is None else op.add(op.mul(index, length), safe)
    n, c = x.shape[:2]
    count = math.prod(index.shape[1:])  # also of no rows
    flat = op.broadcast_to(op.reshape(index, (n, 1, count)), (n, c, count))
    picked = op.gather_elements(op.reshape(x, (n, c, math.prod(x.shape[2:]))), 2, flat)
    picked = op.reshape(picked, (n, c, *index.shape[1:]))
    if padding_mode != "zeros":
        return picked
    return op.mul(picked, op.cast(op.expand_dims(inside, 1), x.dtype))


def blended(x, places: list, padding_mode: str) -> Tensor:
    """Elements of (N, C, ...) between which the places (N, ...) lie, by their shares; zero outside."""
    low = [op.floor(place) for place in places]
    shares = [op.sub(place, floor) for place, floor in zip(places, low, strict=True)]
    total = None
    for corner in range(2 ** len(places)):
        bits = [corner >> axis & 1 for axis in range(len(places))]
        corner_places = [op.add(floor, float(bit)) for floor, bit in zip(low, bits, strict=True)]
        weight = None
        for share, bit in zip(shares, bits, strict=True):
            factor = share if bit else op.sub(1.0, share)
            weight = factor if weight is None else op.mul(weight, factor)
        part = op.mul(_sample_at(x, corner_places, padding_mode), op.expand_dims(weight, 1))
        total = part if total is None else op.add(total, part)
    return total


@takes(input=(4, 5), grid=(4, 5))
def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=False) -> Tensor:
    """Elements of (N, C, H, W) or (N, C, D, H, W) at the places of `grid`, where -1 and 1 are the edges.

    Half precision is computed in float32.
    """
    if mode not in ("bilinear", "nearest"):
        raise ValueError(f"For 'grid_sample', the 'mode' must be 'bilinear' or 'nearest', but got '{mode}'.")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError(f"For 'grid_sample', there is no 'padding_mode' '{padding_mode}'.")
    dtype = input.dtype
    input, grid = _wide(input), _wide(grid)
    places = []
    for coordinate, length in zip(op.unbind(grid, -1)[::-1], input.shape[2:], strict=True):
        place = _unnormalised(coordinate, length, align_corners)
        if padding_mode == "border":
            place = op.clamp(place, 0, length - 1)
        elif padding_mode == "reflection":
            place = _bounced(place, length, align_corners)
        places.append(place)
    if mode == "nearest":
        return op.cast(_sample_at(input, [op.round(place) for place in places], padding_mode), dtype)
    return op.cast(blended(input, places, padding_mode), dtype)


def _pair(value) -> tuple[int, int]:
    return (value, value) if isinstance(value, int) else tuple(value)


def _patch_index(length: int, kernel: int, dilation: int, stride: int) -> Tensor:
    """Place of every element of every patch along one padded axis: (kernel, patches)."""
    count = (length - dilation * (kernel - 1) - 1) // stride + 1
    if count <= 0:
        raise ValueError(f"a kernel of {kernel} with dilation {dilation} does not fit an axis of {length}.")
    starts = op.expand_dims(op.mul(op.arange(0, count, 1, mstype.int64), stride), 0)
    return op.add(starts, op.expand_dims(op.mul(op.arange(0, kernel, 1, mstype.int64), dilation), 1))


def _patches(shape: tuple, kernel_size, dilation, padding, stride) -> tuple:
    (kh, kw), (dh, dw) = _pair(kernel_size), _pair(dilation)
    (ph, pw), (sh, sw) = _pair(padding), _pair(stride)
    h, w = shape[-2] + 2 * ph, shape[-1] + 2 * pw
    rows, columns = _patch_index(h, kh, dh, sh), _patch_index(w, kw, dw, sw)
    rows = op.reshape(rows, (kh, 1, -1, 1))
    columns = op.reshape(columns, (1, kw, 1, columns.shape[1]))
    return rows, columns, (ph, pw)


@takes(input=(4, 4))
def unfold(input, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """All patches of (N, C, H, W) as columns: (N, C * kernel, patches)."""
    rows, columns, (ph, pw) = _patches(input.shape, kernel_size, dilation, padding, stride)
    padded = op.pad_constant(input, (0, 0, 0, 0, ph, ph, pw, pw), 0)
    picked = op.index_gather(padded, [rows, columns], axes=(2, 3))
    n, c = input.shape[:2]
    kh, kw = _pair(kernel_size)
    return op.reshape(picked, (n, c * kh * kw, -1))


@takes(input=(3, 4))
def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """Patches added into an image: undoes `unfold` up to the number of times a place is covered."""
    height, width = (
        int(v) for v in (output_size.tolist() if isinstance(output_size, Tensor) else _pair(output_size))
    )
    rows, columns, (ph, pw) = _patches((height, width), kernel_size, dilation, padding, stride)
    kh, kw = _pair(kernel_size)
    n, c = input.shape[0], input.shape[1] // (kh * kw)
    values = op.reshape(input, (n, c, kh, kw, rows.shape[2], columns.shape[3]))
    shape = (n, c, height + 2 * ph, width + 2 * pw)
    image = op.index_scatter_add(values, [rows, columns], shape=shape, axes=(2, 3))
    return image[:, :, ph : ph + height, pw : pw + width]


def _interploate_ext_make_tuple(input, value) -> tuple | list:
    """One number for every axis of an image or volume behind its channels."""
    return value if isinstance(value, (list, tuple)) else (value,) * (input.ndim - 2)


def _interpolate_ext_scale_factor_convert_size(input, scale_factor: tuple) -> tuple:
    """Lengths behind the channels, times their factors, as whole numbers."""
    return tuple(math.floor(n * factor) for n, factor in zip(input.shape[2:], scale_factor, strict=False))
