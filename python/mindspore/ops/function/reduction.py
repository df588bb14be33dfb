# SPDX-License-Identifier: Apache-2.0
"""Reductions whose results or arguments differ from the plain operators."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore._later import defined_names as _defined_names
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.ops.function._checks import checked_axis, require_tensor, takes


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
    if axis is None:  # then nothing is kept, as in the reference
        value = reduce(input, (), False)
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
        keepdims (bool): Keep the axis with length 1; means nothing without an axis. Default: ``False``.
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


def _sorted_along(name: str, input, axis) -> tuple:
    """The axis, counted from the front, the elements sorted along it, and where they were."""
    axis = checked_axis(name, axis, input.ndim)
    if input.shape[axis] == 0:
        raise ValueError(f"For '{name}', the axis must not be empty, but got the shape {input.shape}.")
    return axis, *op.sort(input, axis, False)


def median(input, axis=-1, keepdims=False) -> tuple:
    """The lower median along an axis and where it is.

    Args:
        input (Tensor): Any real tensor.
        axis (int): The axis. Default: ``-1``.
        keepdims (bool): Keep the axis with length 1. Default: ``False``.

    Returns:
        Tensor of values and int64 Tensor of indices.
    """
    require_tensor("median", "input", input)
    if input.ndim == 0:
        return input, Tensor(0, mstype.int64)
    axis, values, indices = _sorted_along("median", input, axis)
    middle = (input.shape[axis] - 1) // 2
    value = op.narrow(values, axis, middle, 1)
    index = op.cast(op.narrow(indices, axis, middle, 1), mstype.int64)
    if input.dtype in mstype.float_type:
        poisoned = op.reduce_any(op.isnan(input), axis, True)
        value = op.where(poisoned, op.full_like(value, float("nan")), value)
    return (value, index) if keepdims else (op.squeeze(value, axis), op.squeeze(index, axis))


def nanmedian(input, axis=-1, keepdims=False) -> tuple:
    """The lower median of the elements that are numbers, along an axis, and where it is."""
    require_tensor("nanmedian", "input", input)
    if input.ndim == 0:
        return input, Tensor(0, mstype.int64)
    axis, values, indices = _sorted_along("nanmedian", input, axis)
    known = op.reduce_sum(op.cast(op.logical_not(op.isnan(input)), mstype.int64), axis, True)
    middle = op.maximum(op.floor_div(op.sub(known, 1), 2), 0)
    value = op.gather_elements(values, axis, middle)
    index = op.cast(op.gather_elements(indices, axis, middle), mstype.int64)
    return (value, index) if keepdims else (op.squeeze(value, axis), op.squeeze(index, axis))


def histc(input, bins=100, min=0.0, max=0.0) -> Tensor:
    """How many elements fall into each of `bins` equal intervals; equal bounds mean those of the data."""
    require_tensor("histc", "input", input)
    if input.dtype in mstype.complex_type:
        raise TypeError(f"For 'histc', the 'input' must be real, but got {input.dtype}.")
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
    require_tensor("cov", "input", input)
    if input.ndim not in (1, 2):
        raise ValueError(f"For 'cov', the 'input' must have one or two axes, but got {input.ndim}.")
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
    require_tensor("unique_consecutive", "input", input)
    flat = op.reshape(input, (-1,)) if axis is None else input
    along = 0 if axis is None else checked_axis("unique_consecutive", axis, input.ndim)
    length = flat.shape[along]
    first = 1 if length else 0
    rest = length - first
    before, after = op.narrow(flat, along, 0, rest), op.narrow(flat, along, first, rest)
    others = tuple(i for i in range(flat.ndim) if i != along)
    changed = op.not_equal(before, after)
    changed = op.reduce_any(changed, others) if others else changed
    is_new = op.concat([op.ones((first,), mstype.bool_), changed])
    places = op.reshape(op.nonzero(is_new), (-1,))
    results = [op.gather(flat, places, along)]
    if return_idx:
        number = op.sub(op.cumsum(op.cast(is_new, mstype.int64), 0), 1)
        results.append(op.reshape(number, input.shape) if axis is None else number)
    if return_counts:
        ends = op.concat([places[1:], Tensor([length] * first, mstype.int64)])
        results.append(op.sub(ends, places))
    return results[0] if len(results) == 1 else tuple(results)


@takes(x=(1, 1))
def unique_with_pad(x, pad_num) -> tuple:
    """The different elements, padded with `pad_num` to the length of `x`, and the number of each element."""
    values, indices = op.unique(x)
    return op.pad_constant(values, (0, x.shape[0] - values.shape[0]), pad_num), indices


def vector_norm(x, ord=2, axis=None, keepdims=False, *, dtype=None) -> Tensor:
    """Norm of the elements along axes, all of them without `axis`.

    Args:
        x (Tensor): Any tensor.
        ord (Union[int, float, inf, -inf]): Order of the norm. Default: ``2``.
        axis (Union[int, tuple(int)]): The axes. Default: ``None``.
        keepdims (bool): Keep the axes with length 1. Default: ``False``.
        dtype (mindspore.dtype): Type to compute in. Default: ``None``.
    """
    return op.vector_norm(x, ord, axis, keepdims, dtype)


_MATRIX_ORDERS = ("fro", "nuc", float("inf"), float("-inf"), 1, -1, 2, -2)


def matrix_norm(A, ord="fro", axis=(-2, -1), keepdims=False, *, dtype=None) -> Tensor:  # noqa: N803
    """Norm of matrices.

    Args:
        A (Tensor): At least two axes.
        ord (Union[int, inf, -inf, 'fro', 'nuc']): 'fro', by elements; 1, -1, inf or -inf, by sums of columns
            or rows; 2, -2 or 'nuc', by singular values. Default: ``'fro'``.
        axis (tuple(int, int)): The axes of rows and columns. Default: ``(-2, -1)``.
        keepdims (bool): Keep the axes with length 1. Default: ``False``.
        dtype (mindspore.dtype): Type to compute in. Default: ``None``.

    Raises:
        ValueError: There is no such norm, or there are no such axes.
    """
    if isinstance(ord, bool) or ord not in _MATRIX_ORDERS:
        raise ValueError(f"For 'matrix_norm', the 'ord' must be one of {_MATRIX_ORDERS}, but got {ord!r}.")
    text = ord if isinstance(ord, str) else f"{ord:g}"
    return op.matrix_norm(A, text, axis, keepdims, dtype)


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None) -> Tensor:  # noqa: N803
    """Norm of a vector or of matrices.

    Args:
        A (Tensor): Any tensor.
        ord (Union[int, float, inf, -inf, 'fro', 'nuc']): Kind of norm; None is the 2-norm of all elements
            chosen. Default: ``None``.
        dim (Union[int, Tuple(int)]): One axis for vectors, two for matrices. Default: ``None``, all axes.
        keepdim (bool): Keep the axes with length 1. Default: ``False``.
        dtype (mindspore.dtype): Type to compute in. Default: ``None``.

    Raises:
        TypeError: A vector has no norm of this name.
        ValueError: There is no such norm, or there are no such axes.
    """
    if ord is None:
        return vector_norm(A, 2, dim, keepdim, dtype=dtype)
    require_tensor("norm", "A", A)
    given = range(A.ndim) if dim is None else ((dim,) if isinstance(dim, int) else dim)
    axes = tuple(checked_axis("norm", axis, A.ndim, "dim") for axis in given)
    if len(axes) == 2:
        return matrix_norm(A, ord, axes, keepdim, dtype=dtype)
    if len(axes) > 2:
        raise ValueError(f"For 'norm', the 'dim' must have one or two axes with 'ord', but got {axes}.")
    if isinstance(ord, str):
        raise TypeError(f"For 'norm', a vector has no norm '{ord}'.")
    return vector_norm(A, ord, dim, keepdim, dtype=dtype)


__all__ = _defined_names(globals())
