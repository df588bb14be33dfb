# SPDX-License-Identifier: Apache-2.0
"""Gradients of which only some rows are there."""

from __future__ import annotations

from mindspore import ops
from mindspore.common.sparse_tensor import RowTensor
from mindspore.ops._registry import op


def dense_gradient(gradient):
    """The whole gradient; rows that are not there are zero.

    Args:
        gradient (Union[Tensor, RowTensor]): The gradient.

    Returns:
        Tensor.
    """
    if not isinstance(gradient, RowTensor):
        return gradient
    whole = op.fill(shape=gradient.dense_shape, value=0, dtype=gradient.values.dtype)
    return op.tensor_scatter_add(whole, op.expand_dims(gradient.indices, 1), gradient.values)


def _summed(gradient: RowTensor) -> tuple:
    """(rows, values): every row once, with the sum of what was given for it."""
    rows, place = ops.unique(gradient.indices)
    shape = (rows.shape[0], *gradient.values.shape[1:])
    zeros = op.fill(shape=shape, value=0, dtype=gradient.values.dtype)
    return rows, op.tensor_scatter_add(zeros, op.expand_dims(place, 1), gradient.values)


def update_rows(optimizer, operator, numbers: tuple, written: tuple, gradients, rates, options) -> None:
    """Updates every parameter by itself; of those with a RowTensor, only the rows it has.

    Args:
        optimizer (Optimizer): Whose parameters they are.
        operator (Callable): The operator on lists.
        numbers (tuple): Its own inputs.
        written (tuple): Parameters and states, one ParameterTuple per kind.
        gradients (tuple): One per parameter.
        rates (tuple): Learning rates.
        options (dict): Attributes of the operator.
    """
    options = {key: value for key, value in options.items() if key not in ("decay_of", "rate_of")}
    for i, gradient in enumerate(gradients):
        targets = [kind[i] for kind in written]
        rate = rates[optimizer._rate_of[i]]
        if not isinstance(gradient, RowTensor):
            place = optimizer._decay_places[i]
            decay = optimizer._decay_now(optimizer._decay_of[i])
            extra = {} if place < 0 else {"decay_of": (1,)}
            more = [] if place < 0 else [op.reshape(decay, ()) if hasattr(decay, "shape") else decay]
            operator(*numbers, [*targets, gradient, rate, *more], rate_of=(0,), **options, **extra)
            continue
        rows, values = _summed(gradient)
        parts = [op.gather(target, rows, 0) for target in targets]
        operator(*numbers, [*parts, values, rate], rate_of=(0,), **options)
        for target, part in zip(targets, parts, strict=True):
            ops.scatter_update(target, rows, part)
