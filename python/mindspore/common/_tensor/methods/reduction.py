# SPDX-License-Identifier: Apache-2.0
"""Reductions."""

from __future__ import annotations

from typing import Any

from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.common._tensor.methods._named import named_methods
from mindspore.ops._registry import op
from mindspore.ops.function import reduction

_SMALL = (mstype.bool_, mstype.int8, mstype.int16, mstype.uint8)


def sum_(self, axis=None, dtype=None, keepdims=False, initial=None) -> Tensor:
    """Sum along axes; small integer types and bool are added as int64.

    Args:
        axis (Union[None, int, tuple(int), list(int)]): The axes; None means all. Default: ``None``.
        dtype (mindspore.dtype): Type of the result. Default: ``None``.
        keepdims (bool): Keep the axes with length 1. Default: ``False``.
        initial (scalar): Added to the sum; a fraction makes a float32 of a whole number. Default: ``None``.
    """
    if initial is not None and not isinstance(initial, (int, float, bool)):
        raise TypeError(
            f"For 'Tensor.sum', the 'initial' must be a number, but got {type(initial).__name__}."
        )
    wanted = None if dtype is None else mstype.from_any(dtype)
    result = op.sum(self, axis, keepdims, wanted)
    return result if initial is None else op.add(result, initial)


def prod(self, axis=None, keep_dims=False, dtype=None) -> Tensor:
    """Product along axes."""
    return op.prod(self, axis, keep_dims, dtype)


def _extreme(self, name, axis, keepdims, initial, where, return_indices):
    if axis is not None and isinstance(axis, (tuple, list)) and return_indices:
        raise TypeError(f"For 'Tensor.{name}', indices need a single axis, but got {axis}.")
    find = getattr(reduction, name)
    mask = None if where is True else where
    if return_indices:
        return find(self, axis, keepdims, initial=initial, where=mask)
    values = reduction.amax if name == "max" else reduction.amin
    return values(self, axis, keepdims and axis is not None, initial=initial, where=mask)


def max_(self, axis=None, keepdims=False, *, initial=None, where=True, return_indices=False) -> Any:
    """The largest elements along axes, with their indices if asked.

    Args:
        axis (Union[None, int, list, tuple of ints]): The axes; None means all. Default: ``None``.
        keepdims (bool): Keep the axes with length 1, if any are named. Default: ``False``.
        initial (scalar): The smallest result. Default: ``None``.
        where (Tensor): Which elements count; needs `initial`. Default: ``True``.
        return_indices (bool): Also return where the elements are. Default: ``False``.
    """
    return _extreme(self, "max", axis, keepdims, initial, where, return_indices)


def min_(self, axis=None, keepdims=False, *, initial=None, where=True, return_indices=False) -> Any:
    """The smallest elements along axes, with their indices if asked; see `max`."""
    return _extreme(self, "min", axis, keepdims, initial, where, return_indices)


def argmax(self, axis=None, keepdims=False) -> Tensor:
    """Index of the largest element along an axis; without an axis in the flattened tensor."""
    return op.argmax_over(self, axis, keepdims)


def argmin(self, axis=None, keepdims=False) -> Tensor:
    """Index of the smallest element along an axis; without an axis in the flattened tensor."""
    return reduction.argmin(self, axis, keepdims)


def argmax_with_value(self, axis=0, keep_dims=False) -> tuple:
    """Values of the largest elements along an axis, and their indices; the primitive gives these first."""
    return reduction.max(self, axis, keep_dims)


def argmin_with_value(self, axis=0, keep_dims=False) -> tuple:
    """Values of the smallest elements along an axis, and their indices; the primitive gives these first."""
    return reduction.min(self, axis, keep_dims)


def _floating(self) -> Tensor:
    floating = (*mstype.float_type, *mstype.complex_type)
    return self if self.dtype in floating else op.cast(self, mstype.float32)


def var(self, axis=None, ddof=0, keepdims=False) -> Tensor:
    """Variance along axes, divided by the count less `ddof`; integers count as float32."""
    return op.var(_floating(self), axis, int(ddof), keepdims)


def std(self, axis=None, ddof=0, keepdims=False) -> Tensor:
    """Standard deviation along axes, divided by the count less `ddof`; integers count as float32."""
    return op.std(_floating(self), axis, int(ddof), keepdims)


def cumsum(self, axis=None, dtype=None) -> Tensor:
    """Running sum along an axis; without an axis of the flattened tensor."""
    values, along = (op.reshape(self, (-1,)), 0) if axis is None else (self, axis)
    if dtype is not None:
        values = op.cast(values, mstype.from_any(dtype))
    elif self.dtype in _SMALL:
        values = op.cast(values, mstype.int32)
    return op.cumsum(values, along)


def ptp(self, axis=None, keepdims=False) -> Tensor:
    """Difference of the largest and the smallest element along axes."""
    axes = () if axis is None else axis
    return op.sub(op.reduce_max(self, axes, keepdims), op.reduce_min(self, axes, keepdims))


def mean(self, axis=None, keep_dims=False) -> Tensor:
    """Mean along axes."""
    return op.reduce_mean(self, axis, keep_dims)


def logsumexp(self, axis, keepdims=False) -> Tensor:
    """Logarithm of the sum of exponentials along axes."""
    return op.logsumexp(self, axis, keepdims)


METHODS = {
    **named_methods(globals()),
    "max": max_,
    "min": min_,
    "sum": sum_,
}
