# SPDX-License-Identifier: Apache-2.0
"""Reading and writing parts of tensors."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore._later import defined_names as _defined_names
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.ops.function._checks import checked_axis, require_tensor, takes


def nonzero(input, as_tuple=False):
    """Where the elements are not zero.

    Args:
        input (Tensor): Any tensor.
        as_tuple (bool): One vector per axis instead of one matrix. Default: ``False``.

    Returns:
        int64 Tensor of shape (count, rank), or a tuple of vectors.
    """
    places = op.nonzero(input)
    return tuple(places[:, i] for i in range(input.ndim)) if as_tuple else places


def one_hot(indices, depth, on_value=1, off_value=0, axis=-1) -> Tensor:
    """Rows with `on_value` at the index and `off_value` elsewhere.

    Args:
        indices (Tensor): Integers.
        depth (int): Length of the new axis.
        on_value (Union[Tensor, int, float]): Default: ``1``.
        off_value (Union[Tensor, int, float]): Default: ``0``.
        axis (int): Where the new axis goes. Default: ``-1``.
    """
    if not isinstance(on_value, Tensor):
        on_value = Tensor(on_value)
    if not isinstance(off_value, Tensor):
        off_value = Tensor(off_value, on_value.dtype)
    return op.one_hot(indices, depth, on_value, off_value, axis)


def _scatter(name: str, text: str):
    def scatter(input_x, indices, updates) -> Tensor:
        return getattr(op, name)(input_x, indices, updates)

    scatter.__name__ = scatter.__qualname__ = name
    scatter.__doc__ = f"{text} `updates` at the rows `indices` of `input_x`, in place."
    return scatter


scatter_add = _scatter("scatter_add", "Adds")
scatter_sub = _scatter("scatter_sub", "Subtracts")
scatter_mul = _scatter("scatter_mul", "Multiplies by")
scatter_div = _scatter("scatter_div", "Divides by")
scatter_max = _scatter("scatter_max", "Takes the larger of the element and")
scatter_min = _scatter("scatter_min", "Takes the smaller of the element and")
scatter_update = _scatter("scatter_update", "Writes")
scatter_nd_update = _scatter("scatter_nd_update", "Writes")


def _row_index(indices) -> Tensor:
    if isinstance(indices, int):
        indices = (indices,)
    return indices if isinstance(indices, Tensor) else Tensor(list(indices), mstype.int64)


def inplace_add(x, v, indices) -> Tensor:
    """`x` with `v` added to the rows `indices`; returns a new tensor."""
    return op.index_put(x, v, [_row_index(indices)], axes=(0,), accumulate=True)


def inplace_sub(x, v, indices) -> Tensor:
    """`x` with `v` subtracted from the rows `indices`; returns a new tensor."""
    return op.index_put(x, op.neg(v), [_row_index(indices)], axes=(0,), accumulate=True)


def inplace_update(x, v, indices) -> Tensor:
    """`x` with the rows `indices` replaced by `v`; returns a new tensor."""
    return op.index_put(x, v, [_row_index(indices)], axes=(0,))


def index_add(x, indices, y, axis, use_lock=True, check_index_bound=True) -> Tensor:
    """Adds slices of `y` to `x` at positions of one axis, in place.

    Args:
        x (Union[Parameter, Tensor]): What is added to.
        indices (Tensor): Positions on the axis, one axis; a position may come several times.
        y (Tensor): The slices.
        axis (int): The axis.
        use_lock (bool): Accepted for compatibility; writes are always ordered. Default: ``True``.
        check_index_bound (bool): Accepted for compatibility; positions are always checked. Default: ``True``.

    Returns:
        Tensor, the new content of `x`, with gradients for both.

    Raises:
        IndexError: A position is not on the axis.
    """
    require_tensor("index_add", "x", x)
    result = op.index_add(x, indices, y, axis)
    x[...] = result
    return result


def inplace_index_add(var, indices, updates, axis) -> Tensor:
    """Adds `updates` at the positions `indices` of one axis of `var`, in place; see `index_add`."""
    return index_add(var, indices, updates, axis)


def select_scatter(input, src, axis, index) -> Tensor:
    """`input` with one slice along an axis replaced by `src`."""
    require_tensor("select_scatter", "input", input)
    axis = checked_axis("select_scatter", axis, input.ndim)
    place = Tensor([checked_axis("select_scatter", index, input.shape[axis], "index")], mstype.int64)
    return op.index_put(input, op.expand_dims(src, axis), [place], axes=(axis,))


def slice_scatter(input, src, axis=0, start=None, end=None, step=1) -> Tensor:
    """`input` with the part `start:end:step` of an axis replaced by `src`."""
    require_tensor("slice_scatter", "input", input)
    axis = checked_axis("slice_scatter", axis, input.ndim)
    places = Tensor(list(range(*slice(start, end, step).indices(input.shape[axis]))), mstype.int64)
    return op.index_put(input, src, [places], axes=(axis,))


def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1) -> Tensor:
    """`input` with a diagonal replaced by `src`."""
    require_tensor("diagonal_scatter", "input", input)
    first = checked_axis("diagonal_scatter", dim1, input.ndim, "dim1")
    second = checked_axis("diagonal_scatter", dim2, input.ndim, "dim2")
    length = op.diagonal(input, offset, first, second).shape[-1]
    row = op.arange(max(-offset, 0), max(-offset, 0) + length, 1, mstype.int64)
    column = op.arange(max(offset, 0), max(offset, 0) + length, 1, mstype.int64)
    order = [i for i in range(input.ndim) if i not in (first, second)]
    moved = op.transpose(input, (*order, first, second))
    filled = op.index_put(moved, src, [row, column], axes=(len(order), len(order) + 1))
    back = [0] * input.ndim
    for place, axis in enumerate((*order, first, second)):
        back[axis] = place
    return op.transpose(filled, tuple(back))


@takes(x=2)
def matrix_band_part(x, lower, upper) -> Tensor:
    """Matrices with zeros outside of a band; a negative width keeps everything on that side."""
    rows = op.expand_dims(op.arange(0, x.shape[-2], 1, mstype.int64), 1)
    off = op.sub(op.arange(0, x.shape[-1], 1, mstype.int64), rows)
    below = op.logical_or(op.less(lower, 0), op.less_equal(op.neg(off), lower))
    above = op.logical_or(op.less(upper, 0), op.less_equal(off, upper))
    return op.where(op.logical_and(below, above), x, op.zeros_like(x))


def sparse_segment_mean(x, indices, segment_ids) -> Tensor:
    """Means of the rows `indices` of `x`, grouped by sorted segment numbers."""
    count = int(segment_ids[-1]) + 1 if segment_ids.size else 0
    rows = op.gather(x, indices, 0)
    total = op.unsorted_segment_sum(rows, segment_ids, count)
    ones = op.ones((segment_ids.shape[0],), x.dtype)
    number = op.maximum(op.unsorted_segment_sum(ones, segment_ids, count), 1)
    return op.div(total, op.reshape(number, (-1, *(1,) * (x.ndim - 1))))


def coalesce(x_indices, x_values, x_shape) -> tuple:
    """A sparse tensor with its indices sorted and values at equal indices added."""
    scale = [1]
    for length in reversed(x_shape.tolist()[1:]):
        scale.insert(0, scale[0] * length)
    factors = op.expand_dims(Tensor(scale, mstype.int64), 1)
    flat = op.reduce_sum(op.mul(op.cast(x_indices, mstype.int64), factors), 0)
    from mindspore.ops.function.reduction import unique_consecutive

    ordered, order = op.sort(flat)
    keys, number = unique_consecutive(ordered, True)
    values = op.unsorted_segment_sum(op.gather(x_values, order, 0), number, keys.shape[0])
    lengths = op.expand_dims(x_shape, 1)
    indices = op.floor_mod(op.floor_div(op.expand_dims(keys, 0), factors), lengths)
    return indices, values, x_shape


__all__ = _defined_names(globals())
