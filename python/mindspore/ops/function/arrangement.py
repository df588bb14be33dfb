# SPDX-License-Identifier: Apache-2.0
"""Reshaping, splitting and joining."""

from __future__ import annotations

import itertools
import math

from mindspore._c_expression import Tensor
from mindspore._later import defined_names as _defined_names
from mindspore.ops._registry import op
from mindspore.ops.function._checks import checked_axis, flat_widths, require_tensor, takes

_MOST_CHOSEN = 1 << 28  # elements of the result of `combinations`


def flatten(input, order="C", *, start_dim=1, end_dim=-1) -> Tensor:
    """Neighbouring axes made one.

    Args:
        input (Tensor): Any tensor.
        order (str): 'C' for row-major, 'F' for column-major order. Default: ``'C'``.
        start_dim (int): First of the axes. Default: ``1``.
        end_dim (int): Last of the axes. Default: ``-1``.
    """
    if not isinstance(order, str):
        raise TypeError(f"For 'flatten', the 'order' must be a str, but got {type(order).__name__}.")
    if order not in ("C", "F"):
        raise ValueError(f"For 'flatten', the 'order' must be 'C' or 'F', but got '{order}'.")
    for name, value in (("start_dim", start_dim), ("end_dim", end_dim)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"For 'flatten', the '{name}' must be an int, but got {type(value).__name__}.")
    if order == "F" and input.ndim > 1:
        input = op.transpose(input, tuple(range(input.ndim))[::-1])
    if input.ndim < 2 and start_dim == 1 and end_dim == -1:
        return op.reshape(input, (-1,))
    return op.flatten_axes(input, start_dim, end_dim)


def reshape_(input, shape) -> Tensor:
    """The elements in another shape."""
    return op.reshape(input, shape)


def ravel(input) -> Tensor:
    """All elements along one axis."""
    return op.reshape(input, (-1,))


def t(input) -> Tensor:
    """Rows and columns exchanged; a vector stays as it is."""
    if input.ndim > 2:
        raise ValueError(f"For 't', the 'input' must have at most 2 axes, but got {input.ndim}.")
    return op.transpose(input, (1, 0)) if input.ndim == 2 else input


def adjoint(x) -> Tensor:
    """The last two axes exchanged and the elements conjugated."""
    return op.conj(op.swapaxes(x, -1, -2))


def _each(function, inputs):
    if isinstance(inputs, (tuple, list)):
        return type(inputs)(function(item) for item in inputs)
    return function(inputs)


def atleast_1d(inputs):
    """Tensors with at least one axis."""
    return _each(lambda x: op.reshape(x, (1,)) if x.ndim == 0 else x, inputs)


def atleast_2d(inputs):
    """Tensors with at least two axes, new ones in front."""
    return _each(lambda x: op.reshape(x, (1, -1)) if x.ndim < 2 else x, inputs)


def _three_axes(x) -> Tensor:
    if x.ndim < 2:
        return op.reshape(x, (1, -1, 1))
    return op.expand_dims(x, -1) if x.ndim == 2 else x


def atleast_3d(inputs):
    """Tensors with at least three axes."""
    return _each(_three_axes, inputs)


def hstack(tensors) -> Tensor:
    """Tensors joined along the second axis, vectors along the first."""
    tensors = [atleast_1d(x) for x in tensors]
    if not tensors:
        raise ValueError("For 'hstack', the 'tensors' must not be empty.")
    return op.concat(tensors, 0 if tensors[0].ndim == 1 else 1)


def vstack(inputs) -> Tensor:
    """Tensors joined along the first axis, vectors as rows."""
    return op.concat([atleast_2d(x) for x in inputs], 0)


def row_stack(tensors) -> Tensor:
    """The same as `vstack`."""
    return vstack(tensors)


def dstack(inputs) -> Tensor:
    """Tensors joined along the third axis."""
    return op.concat([atleast_3d(x) for x in inputs], 2)


def column_stack(tensors) -> Tensor:
    """Vectors as columns and matrices side by side."""
    return op.concat([op.reshape(x, (-1, 1)) if x.ndim < 2 else x for x in tensors], 1)


def _split_sizes(name: str, length: int, indices_or_sections) -> tuple:
    if isinstance(indices_or_sections, int) and not isinstance(indices_or_sections, bool):
        count = indices_or_sections
        if count <= 0:
            raise ValueError(f"For '{name}', the number of parts must be positive, but got {count}.")
        if count > max(length, 1 << 20):
            raise ValueError(f"For '{name}', an axis of length {length} has no {count} parts.")
        return tuple(length // count + (i < length % count) for i in range(count))
    if not isinstance(indices_or_sections, (tuple, list)):
        raise TypeError(
            f"For '{name}', the 'indices_or_sections' must be an int, tuple or list, "
            f"but got {type(indices_or_sections).__name__}."
        )
    edges = [min(max(i + length if i < 0 else i, 0), length) for i in indices_or_sections]
    bounds = list(itertools.pairwise([0, *edges, length]))
    return tuple(max(stop - start, 0) for start, stop in bounds), [start for start, _ in bounds]


def tensor_split(input, indices_or_sections, axis=0) -> tuple:
    """Parts of a tensor: a number of nearly equal ones, or cut at the given positions."""
    require_tensor("tensor_split", "input", input)
    axis = checked_axis("tensor_split", axis, input.ndim)
    sizes = _split_sizes("tensor_split", input.shape[axis], indices_or_sections)
    if isinstance(indices_or_sections, int):
        return op.split_sizes(input, sizes, axis)
    lengths, starts = sizes
    parts = zip(starts, lengths, strict=True)
    return tuple(op.narrow(input, axis, start, length) for start, length in parts)


def _even_split(name: str, input, indices_or_sections, axis: int, rank: int) -> tuple:
    if input.ndim < rank:
        raise ValueError(f"For '{name}', the 'input' must have at least {rank} axes, but got {input.ndim}.")
    return tensor_split(input, indices_or_sections, axis)


def hsplit(input, indices_or_sections) -> tuple:
    """Parts along the second axis, or along the only one."""
    return _even_split("hsplit", input, indices_or_sections, 0 if input.ndim == 1 else 1, 1)


def vsplit(input, indices_or_sections) -> tuple:
    """Parts along the first axis."""
    return _even_split("vsplit", input, indices_or_sections, 0, 2)


def dsplit(input, indices_or_sections) -> tuple:
    """Parts along the third axis."""
    return _even_split("dsplit", input, indices_or_sections, 2, 3)


def fliplr(input) -> Tensor:
    """The second axis backwards."""
    return op.flip(input, (1,))


def flipud(input) -> Tensor:
    """The first axis backwards."""
    return op.flip(input, (0,))


def rot90(input, k, dims) -> Tensor:
    """Turned by `k` quarter circles in the plane of two axes."""
    require_tensor("rot90", "input", input)
    if len(dims) != 2:
        raise ValueError(f"For 'rot90', the 'dims' must be two axes, but got {dims}.")
    first, second = (checked_axis("rot90", dim, input.ndim, "dims") for dim in dims)
    if first == second:
        raise ValueError(f"For 'rot90', the 'dims' must be two different axes, but got {dims}.")
    turns = k % 4
    if turns == 0:
        return input
    if turns == 2:
        return op.flip(input, (first, second))
    flipped = (second,) if turns == 1 else (first,)
    return op.swapaxes(op.flip(input, flipped), first, second)


def diagflat(input, offset=0) -> Tensor:
    """A matrix with the elements of `input` on a diagonal."""
    return diag_embed(op.reshape(input, (-1,)), offset)


def diag_embed(input, offset=0, dim1=-2, dim2=-1) -> Tensor:
    """Matrices in the plane of two new axes, with the last axis of `input` on a diagonal."""
    require_tensor("diag_embed", "input", input)
    if input.ndim == 0:
        raise ValueError("For 'diag_embed', the 'input' must have at least one axis, but got none.")
    side = input.shape[-1] + abs(offset)
    rank = input.ndim + 1
    first = checked_axis("diag_embed", dim1, rank, "dim1")
    second = checked_axis("diag_embed", dim2, rank, "dim2")
    if first == second:
        raise ValueError(f"For 'diag_embed', 'dim1' and 'dim2' must differ, but got {dim1} and {dim2}.")
    shape = [*input.shape[:-1]]
    for place in sorted((first, second)):
        shape.insert(place, side)
    return op.diagonal_fill(input, tuple(shape), offset, first, second)


def block_diag(*inputs) -> Tensor:
    """Matrices along the diagonal of a larger one."""
    matrices = [atleast_2d(x) for x in inputs]
    width = sum(x.shape[1] for x in matrices)
    rows, left = [], 0
    for x in matrices:
        right = width - left - x.shape[1]
        rows.append(op.pad_constant(x, (0, 0, left, right), 0))
        left += x.shape[1]
    return op.concat(rows, 0)


def cartesian_prod(*inputs) -> Tensor:
    """All combinations of one element from each vector, one per row."""
    if len(inputs) == 1:
        return inputs[0]
    grids = op.meshgrid(list(inputs), "ij")
    return op.stack([op.reshape(grid, (-1,)) for grid in grids], 1)


def combinations(input, r=2, with_replacement=False) -> Tensor:
    """All choices of `r` elements of a vector, one per row."""
    if input.ndim != 1:
        raise ValueError(f"For 'combinations', the 'input' must have one axis, but got shape {input.shape}.")
    if isinstance(r, bool) or not isinstance(r, int):
        raise TypeError(f"For 'combinations', the 'r' must be int, but got {type(r).__name__}.")
    if r < 0:
        raise ValueError(f"For 'combinations', the 'r' must not be negative, but got {r}.")
    length = input.shape[0]
    if r > length and (not with_replacement or length == 0):
        return op.reshape(input[:0], (0, r))
    if r > _MOST_CHOSEN or math.comb(length + r - 1 if with_replacement else length, r) * r > _MOST_CHOSEN:
        raise ValueError(f"For 'combinations', there are too many choices of {r} out of {length} elements.")
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = list(choose(range(length), r))
    if r == 0:
        return op.reshape(input[:0], (1, 0))
    return op.gather(input, Tensor(rows), 0)


def accumulate_n(x) -> Tensor:
    """Sum of several tensors."""
    return op.addn(list(x))


@takes(x=2)
def channel_shuffle(x, groups) -> Tensor:
    """Channels of all groups interleaved."""
    n, c, *rest = x.shape
    grouped = op.reshape(x, (n, groups, c // groups, -1))
    return op.reshape(op.transpose(grouped, (0, 2, 1, 3)), (n, c, *rest))


@takes(input=3)
def pixel_shuffle(input, upscale_factor) -> Tensor:
    """Channels moved into the plane: (.., C r r, H, W) becomes (.., C, H r, W r)."""
    *lead, c, h, w = input.shape
    r = upscale_factor
    if c % (r * r) != 0:
        raise ValueError(f"For 'pixel_shuffle', the channels must divide by {r * r}, but got {c}.")
    parts = op.reshape(input, (-1, c // (r * r), r, r, h, w))
    moved = op.transpose(parts, (0, 1, 4, 2, 5, 3))
    return op.reshape(moved, (*lead, c // (r * r), h * r, w * r))


@takes(input=3)
def pixel_unshuffle(input, downscale_factor) -> Tensor:
    """The plane moved into channels: (.., C, H r, W r) becomes (.., C r r, H, W)."""
    *lead, c, h, w = input.shape
    r = downscale_factor
    if h % r != 0 or w % r != 0:
        raise ValueError(f"For 'pixel_unshuffle', height and width must divide by {r}, but got {h} and {w}.")
    parts = op.reshape(input, (-1, c, h // r, r, w // r, r))
    moved = op.transpose(parts, (0, 1, 3, 5, 2, 4))
    return op.reshape(moved, (*lead, c * r * r, h // r, w // r))


@takes(input_x=2)
def space_to_batch_nd(input_x, block_size, paddings) -> Tensor:
    """Blocks of the plane moved into the batch, after padding with zeros."""
    blocks = [block_size] * 2 if isinstance(block_size, int) else list(block_size)
    if min(blocks) < 1:
        raise ValueError(f"For 'space_to_batch_nd', the blocks must be positive, but got {block_size}.")
    lead = input_x.ndim - len(blocks)
    flat = (0, 0) * lead + tuple(n for pair in paddings for n in pair)
    padded = op.pad_constant(input_x, flat, 0)
    shape, order = list(padded.shape[:lead]), []
    for i, block in enumerate(blocks):
        shape += [padded.shape[lead + i] // block, block]
        order.append(lead + 2 * i + 1)
    rest = [axis for axis in range(len(shape)) if axis not in order]
    moved = op.transpose(op.reshape(padded, tuple(shape)), (*order, *rest))
    sizes = [moved.shape[len(blocks) + axis] for axis in range(len(rest))]
    batch = moved.size // max(1, _product(sizes[1:])) if sizes[1:] else moved.size
    return op.reshape(moved, (batch, *sizes[1:]))


@takes(input_x=2)
def batch_to_space_nd(input_x, block_shape, crops) -> Tensor:
    """Blocks of the batch moved into the plane, then cropped; undoes `space_to_batch_nd`."""
    blocks = [block_shape] * 2 if isinstance(block_shape, int) else list(block_shape)
    if min(blocks) < 1:
        raise ValueError(f"For 'batch_to_space_nd', the blocks must be positive, but got {block_shape}.")
    lead = input_x.ndim - len(blocks)
    batch = input_x.shape[0] // _product(blocks)
    parts = op.reshape(input_x, (*blocks, batch, *input_x.shape[1:]))
    order = [len(blocks) + i for i in range(lead)]
    for i in range(len(blocks)):
        order += [len(blocks) + lead + i, i]
    moved = op.transpose(parts, tuple(order))
    plane = [input_x.shape[lead + i] * block for i, block in enumerate(blocks)]
    result = op.reshape(moved, (batch, *input_x.shape[1:lead], *plane))
    for i, (before, after) in enumerate(crops):
        result = op.narrow(result, lead + i, before, plane[i] - before - after)
    return result


def _product(numbers) -> int:
    result = 1
    for number in numbers:
        result *= number
    return result


def mirror_pad(input_x, paddings, mode) -> Tensor:
    """Padding with reflected elements.

    Args:
        input_x (Tensor): Any tensor.
        paddings (Union[Tensor, tuple, list]): One pair per axis: width before and after it.
        mode (str): ``"REFLECT"`` leaves the edge out, ``"SYMMETRIC"`` repeats it.

    Raises:
        TypeError: `paddings` holds something else than ints.
        ValueError: There is not a pair for every axis, or a width is too large.
    """
    return op.mirror_pad(input_x, flat_widths("mirror_pad", paddings, input_x.ndim), mode)


def padding(x, pad_dim_size=8) -> Tensor:
    """The last axis, of length 1, padded with zeros."""
    if x.ndim < 2 or x.shape[-1] != 1:
        raise ValueError(f"For 'padding', the last axis of 'x' must have length 1, but got shape {x.shape}.")
    return op.pad_constant(x, (0, 0) * (x.ndim - 1) + (0, pad_dim_size - 1), 0)


def reverse_sequence(x, seq_lengths, seq_dim, batch_dim=0) -> Tensor:
    """The first `seq_lengths[b]` elements of every sequence backwards."""
    require_tensor("reverse_sequence", "x", x)
    seq_dim = checked_axis("reverse_sequence", seq_dim, x.ndim, "seq_dim")
    batch_dim = checked_axis("reverse_sequence", batch_dim, x.ndim, "batch_dim")
    place = op.expand_dims(op.arange(0, x.shape[seq_dim], 1, seq_lengths.dtype), 0)
    lengths = op.expand_dims(seq_lengths, 1)
    turned = op.where(op.less(place, lengths), op.sub(op.sub(lengths, 1), place), place)
    shape = [1] * x.ndim
    shape[batch_dim], shape[seq_dim] = x.shape[batch_dim], x.shape[seq_dim]
    if batch_dim > seq_dim:
        turned = op.transpose(turned, (1, 0))
    index = op.broadcast_to(op.reshape(turned, tuple(shape)), x.shape)
    return op.gather_elements(x, seq_dim, index)


def strided_slice(
    input_x,
    begin,
    end,
    strides,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
) -> Tensor:
    """Elements from `begin` to `end` in steps of `strides`; masks are bit fields over the axes."""
    return op.strided_slice(
        input_x, begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    )


def view_as_real(input) -> Tensor:
    """Complex numbers as pairs of real ones along a new last axis."""
    return op.stack([op.real(input), op.imag(input)], -1)


__all__ = _defined_names(globals())
