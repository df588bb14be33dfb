# SPDX-License-Identifier: Apache-2.0
"""Functions that look along axes: sums, extremes, order."""

from __future__ import annotations

from collections.abc import Callable

from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.train._onnx.functions.table import (
    Attributes,
    array_of,
    axes_from,
    function,
    function_of_values,
    numbers_of,
    tensor_of,
)


def _reduction(kind: str, run: Callable) -> None:
    def reduce(attributes: Attributes, x, axes=None):
        x = tensor_of(x)
        axes = axes_from(attributes, axes)
        if axes is not None and not axes and attributes.get("noop_with_empty_axes", 0):
            return x
        if x.ndim == 0:
            return run(x.reshape((1,)), (0,), False)
        return run(x, tuple(axes) if axes else tuple(range(x.ndim)), bool(attributes.get("keepdims", 1)))

    function_of_values(kind)(reduce)


def _sum(x, axes, keep):
    return op.cast(op.reduce_sum(x, axis=axes, keep_dims=keep), x.dtype)


def _extreme(run: Callable, of_masks: Callable) -> Callable:
    def reduce(x, axes, keep):
        chosen = of_masks if x.dtype == mstype.bool_ else run
        return chosen(x, axis=axes, keep_dims=keep)

    return reduce


for _kind, _run in {
    "ReduceSum": _sum,
    "ReduceMean": lambda x, axes, keep: op.reduce_mean(x, axis=axes, keep_dims=keep),
    "ReduceMax": _extreme(op.reduce_max, op.reduce_any),
    "ReduceMin": _extreme(op.reduce_min, op.reduce_all),
    "ReduceProd": lambda x, axes, keep: op.cast(op.reduce_prod(x, axis=axes, keep_dims=keep), x.dtype),
    "ReduceL1": lambda x, axes, keep: _sum(op.abs(x), axes, keep),
    "ReduceL2": lambda x, axes, keep: op.cast(op.sqrt(_sum(op.square(x), axes, keep)), x.dtype),
    "ReduceSumSquare": lambda x, axes, keep: _sum(op.square(x), axes, keep),
    "ReduceLogSum": lambda x, axes, keep: op.log(_sum(x, axes, keep)),
    "ReduceLogSumExp": lambda x, axes, keep: op.logsumexp(x, axis=axes, keep_dims=keep),
}.items():
    _reduction(_kind, _run)


def _position(run: Callable) -> Callable:
    def find(attributes: Attributes, x):
        axis, keep = attributes.get("axis", 0), bool(attributes.get("keepdims", 1))
        axis %= max(x.ndim, 1)
        if not attributes.get("select_last_index", 0):
            return run(x, axis=axis, output_type=mstype.int64, keep_dims=keep)
        found = run(op.flip(x, dims=(axis,)), axis=axis, output_type=mstype.int64, keep_dims=keep)
        return op.sub(x.shape[axis] - 1, found)

    return find


function("ArgMax")(_position(op.argmax))
function("ArgMin")(_position(op.argmin))


@function_of_values("TopK")
def _topk(attributes: Attributes, x, count):
    values, places = op.topk(
        tensor_of(x),
        k=int(numbers_of(count)[0]),
        dim=attributes.get("axis", -1),
        largest=bool(attributes.get("largest", 1)),
    )
    return values, op.cast(places, mstype.int64)


@function_of_values("CumSum")
def _cumsum(attributes: Attributes, x, axis):
    x = tensor_of(x)
    found = op.cumsum(
        x,
        axis=int(array_of(axis).reshape(-1)[0]),
        exclusive=bool(attributes.get("exclusive", 0)),
        reverse=bool(attributes.get("reverse", 0)),
    )
    return op.cast(found, x.dtype)
