# SPDX-License-Identifier: Apache-2.0
"""Whole numbers that stand for real ones."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.train._onnx.functions.table import Attributes, function

_LIMITS = {
    mstype.int8: (-128, 127),
    mstype.uint8: (0, 255),
    mstype.int16: (-32768, 32767),
    mstype.uint16: (0, 65535),
}


def _fitting(attributes: Attributes, part, x):
    """A scale or zero point, one per tensor or per position of an axis."""
    if attributes.get("block_size", 0):
        attributes.refuse("quantising by blocks")
    if part.ndim == 0 or part.size == 1:
        return op.reshape(part, shape=())
    shape = [1] * x.ndim
    shape[attributes.get("axis", 1)] = -1
    return op.reshape(part, shape=tuple(shape))


@function("DequantizeLinear")
def _dequantize(attributes: Attributes, x, scale, zero=None):
    wide = op.cast(x, mstype.int32)
    if zero is not None:
        wide = op.sub(wide, op.cast(_fitting(attributes, zero, x), mstype.int32))
    return op.mul(op.cast(wide, scale.dtype), _fitting(attributes, scale, x))


@function("QuantizeLinear")
def _quantize(attributes: Attributes, x, scale, zero=None):
    dtype = mstype.uint8 if zero is None else zero.dtype
    if dtype not in _LIMITS:
        attributes.refuse(f"quantising to {dtype}")
    low, high = _LIMITS[dtype]
    steps = op.round(op.div(x, _fitting(attributes, scale, x)))
    if zero is not None:
        steps = op.add(steps, op.cast(_fitting(attributes, zero, x), x.dtype))
    return op.cast(op.cast(op.hardtanh(steps, min_val=float(low), max_val=float(high)), mstype.int32), dtype)
