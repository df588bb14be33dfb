# SPDX-License-Identifier: Apache-2.0
"""Limits on values and on norms."""

from __future__ import annotations

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op

__all__ = ["clip_by_global_norm", "clip_by_norm", "clip_by_value"]


def clip_by_value(x, clip_value_min=None, clip_value_max=None):
    """Elements limited to an interval.

    Args:
        x (Union(Tensor, list[Tensor], tuple[Tensor])): One tensor or several.
        clip_value_min (Union(Tensor, float, int)): Smallest value. Default: ``None``.
        clip_value_max (Union(Tensor, float, int)): Largest value. Default: ``None``.
    """
    if isinstance(x, (list, tuple)):
        return type(x)(clip_by_value(item, clip_value_min, clip_value_max) for item in x)
    return op.clip_by_value(x, clip_value_min, clip_value_max)


def _is_sequence(x) -> bool:
    return isinstance(x, (list, tuple))


def _real(x: Tensor) -> Tensor:
    """Whole numbers as float32: what scaling leaves of them would be cut off."""
    return op.cast(x, mstype.float32) if x.dtype in (*mstype.int_type, *mstype.uint_type) else x


def clip_by_norm(x, max_norm, norm_type=2.0, error_if_nonfinite=False):
    """Tensors scaled so that their joint norm is at most `max_norm`.

    Args:
        x (Union(Tensor, list[Tensor], tuple[Tensor])): One tensor or several.
        max_norm (Union(float, int)): The limit.
        norm_type (Union(float, int)): Kind of norm. Default: ``2.0``.
        error_if_nonfinite (bool): Fail when the norm is infinite or not a number. Default: ``False``.
    """
    from mindspore.ops.function.reduction import vector_norm

    tensors = [_real(item) for item in (x if _is_sequence(x) else [x])]
    norms = op.stack([op.cast(vector_norm(item, norm_type), mstype.float32) for item in tensors])
    total = vector_norm(norms, norm_type)
    if error_if_nonfinite and not bool(op.isfinite(total)):
        raise RuntimeError(f"For 'clip_by_norm', the total norm of order {norm_type} is {total}.")
    factor = op.minimum(op.div(max_norm, op.add(total, 1e-6)), 1.0)
    if _in_one_walk(tensors):
        clipped = op.scale_all(factor, tensors)
    else:
        clipped = [op.mul(item, op.cast(factor, item.dtype)) for item in tensors]
    return type(x)(clipped) if _is_sequence(x) else clipped[0]


def clip_by_global_norm(x, clip_norm=1.0, use_norm=None) -> tuple:
    """Tensors scaled so that the 2-norm of all their elements is at most `clip_norm`.

    Args:
        x (Union(tuple[Tensor], list[Tensor])): The tensors, usually gradients.
        clip_norm (Union(float, int)): The limit, greater than 0. Default: ``1.0``.
        use_norm (None): Accepted for compatibility. Default: ``None``.

    Returns:
        tuple of Tensors.
    """
    if use_norm is not None:
        raise ValueError(f"For 'clip_by_global_norm', the 'use_norm' must be None, but got {use_norm}.")
    if not _is_sequence(x):
        raise TypeError(
            f"For 'clip_by_global_norm', the 'x' must be tuple or list, but got {type(x).__name__}."
        )
    if isinstance(clip_norm, (int, float)) and clip_norm <= 0:
        raise ValueError(f"For 'clip_by_global_norm', the 'clip_norm' must be > 0, but got {clip_norm}.")
    x = [_real(item) for item in x]
    total = _global_norm(x)
    limit = clip_norm if isinstance(clip_norm, Tensor) else float(clip_norm)
    factor = op.div(limit, op.maximum(total, limit))
    if _in_one_walk(x):
        return tuple(op.scale_all(factor, x))
    return tuple(op.mul(item, op.cast(factor, item.dtype)) for item in x)


def _in_one_walk(tensors) -> bool:
    """Whether the operators on lists, which have no gradients, may be used."""
    floating = all(isinstance(item, Tensor) and item.dtype in mstype.float_type for item in tensors)
    return floating and len(tensors) > 0 and not _c.is_recording()


def _global_norm(tensors) -> Tensor:
    if _in_one_walk(tensors):
        return op.sqrt(op.sum_of_all_squares(tensors))
    squares = [op.reduce_sum(op.square(op.cast(item, mstype.float32))) for item in tensors]
    return op.sqrt(op.addn(squares))
