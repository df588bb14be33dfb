# SPDX-License-Identifier: Apache-2.0
"""Functions that look at one element of each input."""

from __future__ import annotations

from functools import reduce

from mindspore import ops
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.train._onnx.element_types import DTYPES
from mindspore.train._onnx.functions.table import Attributes, elementwise, elementwise_with, function

_WHOLE = (
    mstype.int8,
    mstype.int16,
    mstype.int32,
    mstype.int64,
    mstype.uint8,
    mstype.uint16,
    mstype.uint32,
    mstype.uint64,
)

elementwise(
    Abs=op.abs,
    Acos=op.acos,
    Acosh=op.acosh,
    Add=op.add,
    And=op.logical_and,
    Asin=op.asin,
    Asinh=op.asinh,
    Atan=op.atan,
    Atanh=op.atanh,
    BitwiseAnd=op.bitwise_and,
    BitwiseNot=op.invert,
    BitwiseOr=op.bitwise_or,
    BitwiseXor=op.bitwise_xor,
    Ceil=op.ceil,
    Cos=op.cos,
    Cosh=op.cosh,
    Det=op.matrix_determinant,
    Equal=op.equal,
    Erf=op.erf,
    Exp=op.exp,
    Floor=op.floor,
    Greater=op.greater,
    GreaterOrEqual=op.greater_equal,
    HardSwish=op.hswish,
    Identity=op.identity,
    IsNaN=op.isnan,
    Less=op.less,
    LessOrEqual=op.less_equal,
    Log=op.log,
    MatMul=op.matmul,
    Max=lambda *parts: reduce(op.maximum, parts),
    Mean=lambda *parts: op.div(reduce(op.add, parts), len(parts)),
    Min=lambda *parts: reduce(op.minimum, parts),
    Mish=op.mish,
    Mul=op.mul,
    Neg=op.neg,
    Not=op.logical_not,
    Or=op.logical_or,
    PRelu=op.prelu_slope,
    Reciprocal=op.reciprocal,
    Relu=op.relu,
    Round=op.round,
    Sigmoid=op.sigmoid,
    Sign=op.sign,
    Sin=op.sin,
    Sinh=op.sinh,
    Softplus=op.softplus_exact,
    Softsign=op.softsign,
    Sqrt=op.sqrt,
    Sub=op.sub,
    Sum=lambda *parts: reduce(op.add, parts),
    Tan=op.tan,
    Tanh=op.tanh,
    Where=op.where,
    Xor=op.logical_xor,
)


def _along_axis(attributes: Attributes, x, run):
    """Along one axis; before version 13 along this and all later ones together."""
    if attributes.opset >= 13:
        return run(x, axis=attributes.get("axis", -1))
    axis = attributes.get("axis", 1)
    kept = x.shape[: axis + x.ndim if axis < 0 else axis]
    return op.reshape(run(op.reshape(x, shape=(*kept, -1)), axis=-1), shape=x.shape)


elementwise_with(
    Celu=lambda node, x: op.celu(x, alpha=node.get("alpha", 1.0)),
    Dropout=lambda node, x, *_: (x, op.ones_like(x, dtype=mstype.bool_))[: max(node.outputs, 1)],
    Elu=lambda node, x: op.elu(x, alpha=node.get("alpha", 1.0)),
    HardSigmoid=lambda node, x: op.hardtanh(
        op.add(op.mul(x, node.get("alpha", 0.2)), node.get("beta", 0.5)), min_val=0.0, max_val=1.0
    ),
    LeakyRelu=lambda node, x: op.leaky_relu(x, alpha=node.get("alpha", 0.01)),
    Selu=lambda node, x: op.mul(
        op.elu(x, alpha=node.get("alpha", 1.6732632423543772)), node.get("gamma", 1.0507009873554805)
    ),
    ThresholdedRelu=lambda node, x: op.threshold(x, thr=node.get("alpha", 1.0), value=0.0),
    LogSoftmax=lambda node, x: _along_axis(node, x, op.log_softmax),
    Softmax=lambda node, x: _along_axis(node, x, op.softmax),
)


@function("Div")
def _div(attributes: Attributes, x, y):
    return op.truncate_div(x, y) if x.dtype in _WHOLE else op.div(x, y)


@function("Mod")
def _mod(attributes: Attributes, x, y):
    return op.truncate_mod(x, y) if attributes.get("fmod", 0) else op.floor_mod(x, y)


@function("Pow")
def _pow(attributes: Attributes, x, y):
    return op.cast(op.pow(x, y), x.dtype)


@function("BitShift")
def _shift(attributes: Attributes, x, y):
    shift = {"LEFT": op.bitwise_left_shift, "RIGHT": op.bitwise_right_shift}
    return shift[attributes.need("direction")](x, y)


@function("Cast")
def _cast(attributes: Attributes, x):
    number = attributes.need("to")
    if number not in DTYPES:
        attributes.refuse(f"a cast to the type {number}")
    return op.cast(x, DTYPES[number])


@function("CastLike")
def _cast_like(attributes: Attributes, x, like):
    return op.cast(x, like.dtype)


@function("Clip")
def _clip(attributes: Attributes, x, low=None, high=None):
    x = x if low is None else op.maximum(x, low)
    return x if high is None else op.minimum(x, high)


@function("IsInf")
def _is_infinite(attributes: Attributes, x):
    positive, negative = attributes.get("detect_positive", 1), attributes.get("detect_negative", 1)
    if positive and negative:
        return op.isinf(x)
    if not positive and not negative:
        return op.zeros_like(x, dtype=mstype.bool_)
    return op.isposinf(x) if positive else op.isneginf(x)


@function("Gelu")
def _gelu(attributes: Attributes, x):
    return op.gelu_tanh(x) if attributes.get("approximate", "none") == "tanh" else op.gelu_erf(x)


@function("Shrink")
def _shrink(attributes: Attributes, x):
    limit, bias = attributes.get("lambd", 0.5), attributes.get("bias", 0.0)
    inner = op.where(op.greater(x, limit), op.sub(x, bias), op.zeros_like(x))
    return op.where(op.less(x, -limit), op.add(x, bias), inner)


@function("Hardmax")
def _hardmax(attributes: Attributes, x):
    axis = attributes.get("axis", -1) % x.ndim
    return op.cast(ops.one_hot(op.argmax(x, axis=axis), x.shape[axis], 1.0, 0.0, axis), x.dtype)


@function("Einsum")
def _einsum(attributes: Attributes, *inputs):
    return ops.einsum(attributes.need("equation"), *inputs)


@function("Gemm")
def _gemm(attributes: Attributes, x, y, bias=None):
    product = op.matmul(
        x, y, transpose_a=bool(attributes.get("transA", 0)), transpose_b=bool(attributes.get("transB", 0))
    )
    alpha, beta = attributes.get("alpha", 1.0), attributes.get("beta", 1.0)
    product = product if alpha == 1 else op.cast(op.mul(product, alpha), x.dtype)
    if bias is None:
        return product
    return op.add(product, bias if beta == 1 else op.cast(op.mul(bias, beta), x.dtype))
