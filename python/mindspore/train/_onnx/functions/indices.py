# SPDX-License-Identifier: Apache-2.0
"""Functions that find or write elements by index."""

from __future__ import annotations

from mindspore import ops
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.train._onnx.functions.table import (
    Attributes,
    function,
    function_of_values,
    numbers_of,
    tensor_of,
)


@function("Gather")
def _gather(attributes: Attributes, x, places):
    return op.gather(x, places, axis=attributes.get("axis", 0))


@function("GatherElements")
def _gather_elements(attributes: Attributes, x, places):
    return op.gather_elements(x, index=places, dim=attributes.get("axis", 0))


@function("GatherND")
def _gather_nd(attributes: Attributes, x, places):
    batch = attributes.get("batch_dims", 0)
    if batch == 0:
        return op.gather_nd(x, places)
    # The axes both share are indexed by their own positions.
    shape = places.shape[:-1]
    own = []
    for axis in range(batch):
        line = ops.arange(shape[axis]).reshape([-1 if i == axis else 1 for i in range(len(shape))])
        own.append(op.broadcast_to(op.cast(line, places.dtype), shape=shape).expand_dims(-1))
    return op.gather_nd(x, op.concat([*own, places], axis=-1))


@function("ScatterElements", "Scatter")
def _scatter_elements(attributes: Attributes, x, places, updates):
    axis, reduction = attributes.get("axis", 0) % x.ndim, attributes.get("reduction", "none")
    if reduction in ("none", "add"):
        return op.tensor_scatter_elements(x, places, updates, axis=axis, reduction=reduction)
    lines = [
        ops.arange(size).reshape([-1 if i == j else 1 for j in range(x.ndim)])
        for i, size in enumerate(places.shape)
    ]
    lines = [op.cast(op.broadcast_to(line, shape=places.shape), mstype.int64) for line in lines]
    lines[axis] = op.cast(op.where(op.less(places, 0), op.add(places, x.shape[axis]), places), mstype.int64)
    return _scatter_nd(attributes, x, op.stack(lines, axis=-1), updates)


@function("ScatterND")
def _scatter_nd(attributes: Attributes, x, places, updates):
    kind = {"none": "update", "add": "add", "mul": "mul", "max": "max", "min": "min"}
    return getattr(op, f"tensor_scatter_{kind[attributes.get('reduction', 'none')]}")(x, places, updates)


@function_of_values("OneHot")
def _one_hot(attributes: Attributes, places, depth, values):
    places, depth = op.cast(tensor_of(places), mstype.int64), int(numbers_of(depth)[0])
    places = op.where(op.less(places, 0), op.add(places, depth), places)
    off, on = op.split_sizes(tensor_of(values), sizes=(1, 1), axis=0)
    axis = attributes.get("axis", -1)
    return op.one_hot(places, on_value=on.reshape(()), off_value=off.reshape(()), depth=depth, axis=axis)


@function("NonZero")
def _non_zero(attributes: Attributes, x):
    return op.transpose(op.cast(op.nonzero(x), mstype.int64), perm=(1, 0))


@function("Compress")
def _compress(attributes: Attributes, x, chosen):
    axis = attributes.get("axis")
    x, axis = (x.reshape((-1,)), 0) if axis is None else (x, axis)
    places = op.nonzero(chosen).reshape((-1,))
    return op.gather(x, places, axis=axis)
