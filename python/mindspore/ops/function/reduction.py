# SPDX-License-Identifier: Apache-2.0
"""Reductions whose results or arguments differ from the plain operators."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op

__all__ = [
    "amax",
    "amin",
    "aminmax",
    "argmin",
    "cov",
    "histc",
    "max",
    "median",
    "min",
    "nanmean",
    "nanmedian",
    "nanquantile",
    "norm",
    "quantile",
    "searchsorted",
    "bucketize",
    "unique_consecutive",
    "unique_with_pad",
    "var",
    "var_mean",
    "std",
    "std_mean",
    "vector_norm",
    "matrix_norm",
    "renorm",
    "sum",
]


def _masked(name: str, input, initial, where, reduce) -> Tensor:
    """`input` where the mask holds, `initial` elsewhere."""
    if where is None or where is True:
        return input
    if initial is None:
        raise ValueError(f"For '{name}', 'initial' must be given together with 'where'.")
    return op.where(where, input, op.full_like(input, initial))


def _check_axis(name: str, axis) -> None:
    if axis is not None and (isinstance(axis, bool) or not isinstance(axis, int)):
        raise TypeError(f"For '{name}', the 'axis' must be an int or None, but got {type(axis).__name__}.")


def _extreme(name, input, axis, keepdims, initial, where, reduce, with_index, combine) -> tuple:
    _check_axis(name, axis)
    input = _masked(name, input, initial, where, reduce)
    if axis is None:
        value = reduce(input, (), keepdims)
        index = Tensor(0, mstype.int64)
    else:
        index, value = with_index(input, axis, keepdims)
        index = op.cast(index, mstype.int64)
    if initial is not None:
        value = combine(value, op.full_like(value, initial))
    return value, index


def max(input, axis=None, keepdims=False, *, initial=None, where=None) -> tuple:
    """The largest elements along an axis and where they are.

    Args:
        input (Tensor): Any real tensor.
        axis (int): The axis; None reduces all and gives the index 0. Default: ``None``.
        keepdims (bool): Keep the axis with length 1. Default: ``False``.
        initial (number): The smallest result. Default: ``None``.
        where (Tensor): Which elements count; needs `initial`. Default: ``None``.

    Returns:
        Tensor of values and int64 Tensor of indices.
    """
    return _extreme(
        "max", input, axis, keepdims, initial, where, op.reduce_max, op.argmax_with_value, op.maximum
    )


def min(input, axis=None, keepdims=False, *, initial=None, where=None) -> tuple:
    """The smallest elements along an axis and where they are; see `max`."""
    return _extreme(
        "min", input, axis, keepdims, initial, where, op.reduce_min, op.argmin_with_value, op.minimum
    )


def _axes(axis) -> tuple:
    return () if axis is None else axis


def amax(input, axis=None, keepdims=False, *, initial=None, where=None) -> Tensor:
    """The largest elements along axes.

    Args:
        input (Tensor): Any real tensor.
        axis (Union[None, int, tuple(int), list(int), Tensor]): The axes; None means all. Default: ``None``.
        keepdims (bool): Keep the axes with length 1. Default: ``False``.
        initial (number): The smallest result. Default: ``None``.
        where (Tensor): Which elements count; needs `initial`. Default: ``None``.
    """
    value = op.reduce_max(_masked("amax", input, initial, where, None), _axes(axis), keepdims)
    return value if initial is None else op.maximum(value, op.full_like(value, initial))


def amin(input, axis=None, keepdims=False, *, initial=None, where=None) -> Tensor:
    """The smallest elements along axes; see `amax`."""
    value = op.reduce_min(_masked("amin", input, initial, where, None), _axes(axis), keepdims)
    return value if initial is None else op.minimum(value, op.full_like(value, initial))


def aminmax(input, *, axis=0, keepdims=False) -> tuple:
    """The smallest and the largest elements along an axis."""
    return op.reduce_min(input, _axes(axis), keepdims), op.reduce_max(input, _axes(axis), keepdims)


def argmin(input, axis=None, keepdims=False) -> Tensor:
    """Index of the smallest element along an axis, int32; without an axis in the flattened tensor."""
    return op.cast(op.argmin_over(input, axis, keepdims), mstype.int32)


def _typed(input, dtype):
    if dtype is not None:
        return op.cast(input, dtype)
    return (
        input if input.dtype in (*mstype.float_type, *mstype.complex_type) else op.cast(input, mstype.float32)
    )


def sum(input, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    """Sum along axes; small integer types and bool are added as int64.

    Args:
        input (Tensor): Any tensor.
        dim (Union[None, int, tuple(int), list(int)]): The axes; None means all. Default: ``None``.
        keepdim (bool): Keep the axes with length 1. Default: ``False``.
        dtype (mindspore.dtype): Type of the result. Default: ``None``.
    """
    return op.sum(input, dim, keepdim, dtype)


def _check_moment(name: str, input) -> None:
    if input.dtype not in (*mstype.float_type, *mstype.complex_type):
        raise TypeError(f"For '{name}', the type of 'input' must be a float type, but got {input.dtype}.")


def var(input, axis=None, ddof=0, keepdims=False) -> Tensor:
    """Variance along axes, divided by the count less `ddof`."""
    _check_moment("var", input)
    return op.var(input, axis, int(ddof), keepdims)


def std(input, axis=None, ddof=0, keepdims=False) -> Tensor:
    """Standard deviation along axes; see `var`."""
    _check_moment("std", input)
    return op.std(input, axis, int(ddof), keepdims)


def var_mean(input, axis=None, ddof=0, keepdims=False) -> tuple:
    """Variance and mean along axes."""
    _check_moment("var_mean", input)
    return op.var_mean(input, axis, int(ddof), keepdims)


def std_mean(input, axis=None, ddof=0, keepdims=False) -> tuple:
    """Standard deviation and mean along axes."""
    _check_moment("std_mean", input)
    return op.std_mean(input, axis, int(ddof), keepdims)


def nanmean(input, axis=None, keepdims=False, *, dtype=None) -> Tensor:
    """Mean of the elements that are numbers."""
    input = _typed(input, dtype)
    known = op.cast(op.logical_not(op.isnan(input)), input.dtype)
    total = op.nansum(input, axis, keepdims)
    return op.div(total, op.reduce_sum(known, _axes(axis), keepdims))


def median(input, axis=-1, keepdims=False) -> tuple:
    """The lower median along an axis and where it is.

    Args:
        input (Tensor): Any real tensor.
        axis (int): The axis. Default: ``-1``.
        keepdims (bool): Keep the axis with length 1. Default: ``False``.

    Returns:
        Tensor of values and int64 Tensor of indices.
    """
    if input.ndim == 0:
        return input, Tensor(0, mstype.int64)
    values, indices = op.sort(input, axis, False)
    middle = (input.shape[axis] - 1) // 2
    value = op.narrow(values, axis, middle, 1)
    index = op.cast(op.narrow(indices, axis, middle, 1), mstype.int64)
    if input.dtype in mstype.float_type:
        poisoned = op.reduce_any(op.isnan(input), axis, True)
        value = op.where(poisoned, op.full_like(value, float("nan")), value)
    return (value, index) if keepdims else (op.squeeze(value, axis), op.squeeze(index, axis))


def nanmedian(input, axis=-1, keepdims=False) -> tuple:
    """The lower median of the elements that are numbers, along an axis, and where it is."""
    values, indices = op.sort(input, axis, False)
    known = op.reduce_sum(op.cast(op.logical_not(op.isnan(input)), mstype.int64), axis, True)
    middle = op.maximum(op.floor_div(op.sub(known, 1), 2), 0)
    value = op.gather_elements(values, axis, middle)
    index = op.cast(op.gather_elements(indices, axis, middle), mstype.int64)
    return (value, index) if keepdims else (op.squeeze(value, axis), op.squeeze(index, axis))


def _quantile(input, q, axis, keepdims, ignore_nan: bool) -> Tensor:
    rank = input.ndim
    if axis is None:
        axis, flat = 0, op.reshape(input, (-1,))
    else:
        axis, flat = axis % rank, input
    levels = q if isinstance(q, Tensor) else Tensor(q, input.dtype)
    values, _ = op.sort(flat, axis, False)
    known = op.cast(op.logical_not(op.isnan(flat)), input.dtype)
    last = op.sub(op.reduce_sum(known, axis, True), 1)
    pieces = []
    for level in op.unbind(op.reshape(levels, (-1,))):
        place = op.mul(op.maximum(last, 0), level)
        below = op.cast(op.floor(place), mstype.int64)
        above = op.cast(op.ceil(place), mstype.int64)
        low, high = (op.gather_elements(values, axis, index) for index in (below, above))
        pieces.append(op.lerp(low, high, op.sub(place, op.floor(place))))
    result = op.stack(pieces)
    if not ignore_nan:
        poisoned = op.reduce_any(op.isnan(flat), axis, True)
        result = op.where(poisoned, op.full_like(result, float("nan")), result)
    if not keepdims:
        result = op.squeeze(result, axis + 1)
    elif flat is not input:
        result = op.reshape(result, (levels.size, *(1,) * rank))
    return op.squeeze(result, 0) if levels.ndim == 0 else result


def quantile(input, q, axis=None, keepdims=False) -> Tensor:
    """Values below which the shares `q` of the elements lie, linear between neighbours."""
    return _quantile(input, q, axis, keepdims, False)


def nanquantile(input, q, axis=None, keepdims=False) -> Tensor:
    """Like `quantile`, of the elements that are numbers."""
    return _quantile(input, q, axis, keepdims, True)


def histc(input, bins=100, min=0.0, max=0.0) -> Tensor:
    """How many elements fall into each of `bins` equal intervals; equal bounds mean those of the data."""
    if min > max:
        raise ValueError(f"For 'histc', 'min' must be <= 'max', but got {min} and {max}.")
    flat = op.cast(op.reshape(input, (-1,)), mstype.float32)
    if min == max and flat.size:
        min, max = float(op.reduce_min(flat)), float(op.reduce_max(flat))
    if min == max:
        min, max = min - 1, max + 1
    inside = op.masked_select(flat, op.logical_and(op.greater_equal(flat, min), op.less_equal(flat, max)))
    place = op.floor(op.mul(op.sub(inside, min), bins / (max - min)))
    place = op.minimum(op.cast(place, mstype.int64), bins - 1)
    counts = op.unsorted_segment_sum(op.ones_like(inside), place, bins)
    return op.cast(counts, mstype.int32 if input.dtype in mstype.int_type else mstype.float32)


def cov(input, *, correction=1, fweights=None, aweights=None) -> Tensor:
    """Covariance of the rows of a matrix, with frequency and importance weights."""
    values = op.expand_dims(input, 0) if input.ndim < 2 else input
    values = _typed(values, None)
    weights = op.ones((values.shape[1],), values.dtype)
    for extra in (fweights, aweights):
        if extra is not None:
            weights = op.mul(weights, op.cast(extra, values.dtype))
    total = op.reduce_sum(weights)
    centre = op.div(op.reduce_sum(op.mul(values, weights), 1, True), total)
    off = op.sub(values, centre)
    product = op.matmul(op.mul(off, weights), op.transpose(off, (1, 0)))
    if aweights is None:
        norm_factor = op.sub(total, correction)
    else:
        share = op.reduce_sum(op.mul(weights, op.cast(aweights, values.dtype)))
        norm_factor = op.sub(total, op.div(op.mul(share, correction), total))
    result = op.div(product, op.maximum(norm_factor, 0))
    return op.reshape(result, ()) if input.ndim < 2 else result


def searchsorted(sorted_sequence, values, *, out_int32=False, right=False, side=None, sorter=None) -> Tensor:
    """Where to insert `values` so that the sequences stay sorted."""
    if side not in (None, "left", "right"):
        raise ValueError(f"For 'searchsorted', the 'side' must be 'left' or 'right', but got '{side}'.")
    if right and side == "left":
        raise ValueError("For 'searchsorted', 'side' is 'left' although 'right' is True.")
    dtype = mstype.int32 if out_int32 else mstype.int64
    return op.searchsorted(sorted_sequence, values, sorter, dtype, right or side == "right")


def bucketize(input, boundaries, *, right=False) -> Tensor:
    """Number of the interval between `boundaries` that every element belongs to, int32."""
    edges = Tensor(list(map(float, boundaries)), mstype.float64)
    return op.searchsorted(edges, op.cast(input, mstype.float64), None, mstype.int32, right)


def unique_consecutive(input, return_idx=False, return_counts=False, axis=None):
    """The elements, or slices along an axis, that differ from the one before."""
    flat = op.reshape(input, (-1,)) if axis is None else input
    along = 0 if axis is None else axis % input.ndim
    length = flat.shape[along]
    before, after = op.narrow(flat, along, 0, length - 1), op.narrow(flat, along, 1, length - 1)
    others = tuple(i for i in range(flat.ndim) if i != along)
    changed = op.not_equal(before, after)
    changed = op.reduce_any(changed, others) if others else changed
    is_new = op.concat([op.ones((1,), mstype.bool_), changed])
    places = op.reshape(op.nonzero(is_new), (-1,))
    results = [op.gather(flat, places, along)]
    if return_idx:
        number = op.sub(op.cumsum(op.cast(is_new, mstype.int64), 0), 1)
        results.append(op.reshape(number, input.shape) if axis is None else number)
    if return_counts:
        ends = op.concat([places[1:], Tensor([length], mstype.int64)])
        results.append(op.sub(ends, places))
    return results[0] if len(results) == 1 else tuple(results)


def unique_with_pad(x, pad_num) -> tuple:
    """The different elements, padded with `pad_num` to the length of `x`, and the number of each element."""
    values, indices = op.unique(x)
    return op.pad_constant(values, (0, x.shape[0] - values.shape[0]), pad_num), indices


def _power_norm(x, ord, axis, keepdims) -> Tensor:
    size = op.abs(x)
    if ord == float("inf"):
        return op.reduce_max(size, axis, keepdims)
    if ord == float("-inf"):
        return op.reduce_min(size, axis, keepdims)
    if ord == 0:
        return op.reduce_sum(op.cast(op.not_equal(x, 0), size.dtype), axis, keepdims)
    if ord == 1:
        return op.reduce_sum(size, axis, keepdims)
    if ord == 2:
        return op.sqrt(op.reduce_sum(op.square(size), axis, keepdims))
    return op.pow(op.reduce_sum(op.pow(size, ord), axis, keepdims), 1.0 / ord)


def vector_norm(x, ord=2, axis=None, keepdims=False, *, dtype=None) -> Tensor:
    """Norm of the elements along axes, all of them without `axis`."""
    return _power_norm(_typed(x, dtype), ord, _axes(axis), keepdims)


def matrix_norm(A, ord="fro", axis=(-2, -1), keepdims=False, *, dtype=None) -> Tensor:
    """Norm of matrices: 'fro', 1, -1, inf or -inf."""
    x = _typed(A, dtype)
    row, column = (one % x.ndim for one in axis)
    if ord in ("fro", "f"):
        return _power_norm(x, 2, (row, column), keepdims)
    if ord not in (1, -1, float("inf"), float("-inf")):
        raise ValueError(f"For 'matrix_norm', the 'ord' must be 'fro', 1, -1, inf or -inf, but got {ord}.")
    summed, kept = (row, column) if abs(ord) == 1 else (column, row)
    sums = op.reduce_sum(op.abs(x), summed, True)
    best = op.reduce_max(sums, kept, True) if ord > 0 else op.reduce_min(sums, kept, True)
    return best if keepdims else op.squeeze(best, (row, column))


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    """Norm of a vector or of matrices.

    Args:
        A (Tensor): Any tensor.
        ord (Union[int, float, inf, -inf, 'fro']): Kind of norm; None is the 2-norm of all elements chosen.
            Default: ``None``.
        dim (Union[int, Tuple(int)]): One axis for vectors, two for matrices. Default: ``None``.
        keepdim (bool): Keep the axes with length 1. Default: ``False``.
        dtype (mindspore.dtype): Type to compute in. Default: ``None``.
    """
    x = _typed(A, dtype)
    if dim is None and ord is None:
        result = _power_norm(op.reshape(x, (-1,)), 2, (), False)
        return op.reshape(result, (1,) * A.ndim) if keepdim else result
    axes = tuple(range(x.ndim)) if dim is None else ((dim,) if isinstance(dim, int) else tuple(dim))
    if ord is None:
        return _power_norm(x, 2, axes, keepdim)
    if len(axes) == 1:
        if isinstance(ord, str):
            raise ValueError(f"For 'norm', a vector has no norm '{ord}'.")
        return _power_norm(x, ord, axes, keepdim)
    if len(axes) != 2:
        raise ValueError(f"For 'norm', the 'dim' must have one or two axes with 'ord', but got {axes}.")
    return matrix_norm(x, ord, axes, keepdim)


def renorm(input, p, axis, maxnorm) -> Tensor:
    """Slices along an axis, shrunk so that their `p`-norm is at most `maxnorm`."""
    axis %= input.ndim
    others = tuple(i for i in range(input.ndim) if i != axis)
    length = _power_norm(input, p, others, True)
    factor = op.where(
        op.greater(length, maxnorm), op.div(maxnorm, op.add(length, 1e-7)), op.ones_like(length)
    )
    return op.mul(input, factor)
