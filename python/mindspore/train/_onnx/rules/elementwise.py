# SPDX-License-Identifier: Apache-2.0
"""Rules for operators that look at one element of each operand."""

from __future__ import annotations

import math

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.train._export.operator_use import FLOATS
from mindspore.train._onnx.operators import Call, Symbol, formulas, formulas_with, rule, same

same(
    abs="Abs",
    acos="Acos",
    acosh="Acosh",
    add="Add",
    asin="Asin",
    asinh="Asinh",
    atan="Atan",
    atanh="Atanh",
    ceil="Ceil",
    copy="Identity",
    cos="Cos",
    cosh="Cosh",
    div="Div",
    erf="Erf",
    exp="Exp",
    floor="Floor",
    hswish="HardSwish",
    identity="Identity",
    log="Log",
    logical_and="And",
    logical_not="Not",
    logical_or="Or",
    logical_xor="Xor",
    maximum="Max",
    minimum="Min",
    mul="Mul",
    multivariate_argument="Identity",
    neg="Neg",
    pow="Pow",
    prelu_slope="PRelu",
    reciprocal="Reciprocal",
    relu="Relu",
    round="Round",
    sigmoid="Sigmoid",
    sign="Sign",
    sin="Sin",
    sinh="Sinh",
    softplus_exact="Softplus",
    softsign="Softsign",
    sqrt="Sqrt",
    sub="Sub",
    tan="Tan",
    tanh="Tanh",
)


def truncated(x: Symbol) -> Symbol:
    """Rounded toward zero."""
    return x.Sign() * x.Abs().Floor()


def _log_of_sum(x: Symbol, y: Symbol) -> Symbol:
    return x.Max(y) + (-(x - y).Abs()).Exp().add("Add", 1.0).Log()


def _angle(y: Symbol, x: Symbol) -> Symbol:
    """Of the point (x, y), from the quadrant and the angle of its slope."""
    slope = (y / x.equals(0).where(1, x)).Atan()
    beside = (x < 0).where((y < 0).where(slope - math.pi, slope + math.pi), slope)
    return x.equals(0).where(y.Sign() * (math.pi / 2), beside)


def _sinc(x: Symbol) -> Symbol:
    turned = x.equals(0).where(1, x * math.pi)
    return x.equals(0).where(1, turned.Sin() / turned)


def _unless_nan(kind: str):
    def write(x: Symbol, y: Symbol) -> Symbol:
        if x.dtype not in FLOATS:
            return x.add(kind, y)
        of_x, of_y = x.IsNaN(dtype=mstype.bool_), y.IsNaN(dtype=mstype.bool_)
        return of_x.where(y, of_y.where(x, x.add(kind, y)))

    return write


formulas(
    atan2=_angle,
    sinc=_sinc,
    fmax=_unless_nan("Max"),
    fmin=_unless_nan("Min"),
    addcdiv=lambda x, a, b, value: x + value * (a / b),
    addcmul=lambda x, a, b, value: x + value * a * b,
    clamp_above=lambda x, high: x.Min(high),
    clamp_below=lambda x, low: x.Max(low),
    clamp_between=lambda x, low, high: x.Max(low).Min(high),
    deg2rad=lambda x: x * (math.pi / 180),
    div_no_nan=lambda x, y: y.equals(0).where(0, x / y.equals(0).where(1, y)),
    erfc=lambda x: x.number(1).Sub(x.Erf()),
    exp2=lambda x: x.number(2).Pow(x),
    expm1=lambda x: x.Exp() - 1,
    fast_gelu=lambda x: x * (x * 1.702).Sigmoid(),
    frac=lambda x: x - truncated(x),
    gelu_erf=lambda x: x * ((x * math.sqrt(0.5)).Erf() + 1) * 0.5,
    gelu_tanh=lambda x: x * ((x + x * x * x * 0.044715) * math.sqrt(2 / math.pi)).Tanh().add("Add", 1) * 0.5,
    heaviside=lambda x, at_zero: x.equals(0).where(at_zero, (x > 0).to(x.dtype)),
    hsigmoid=lambda x: x.HardSigmoid(alpha=1 / 6, beta=0.5),
    hypot=lambda x, y: (x * x + y * y).Sqrt(),
    ldexp=lambda x, y: x * x.number(2).Pow(y),
    lerp=lambda x, end, weight: x + weight * (end - x),
    log10=lambda x: x.Log() * (1 / math.log(10)),
    log1p=lambda x: (x + 1).Log(),
    log2=lambda x: x.Log() * (1 / math.log(2)),
    log_sigmoid=lambda x: -(-x).Softplus(),
    logaddexp=_log_of_sum,
    logaddexp2=lambda x, y: _log_of_sum(x * math.log(2), y * math.log(2)) * (1 / math.log(2)),
    mish=lambda x: x * x.Softplus().Tanh(),
    mul_no_nan=lambda x, y: y.equals(0).where(0, x * y),
    rad2deg=lambda x: x * (180 / math.pi),
    relu6=lambda x: x.Clip(0, 6),
    rsqrt=lambda x: x.Sqrt().Reciprocal(),
    selu=lambda x: x.Selu(alpha=1.6732632423543772, gamma=1.0507009873554805),
    silu=lambda x: x * x.Sigmoid(),
    square=lambda x: x * x,
    squared_difference=lambda x, y: (x - y) * (x - y),
    sub_scaled=lambda x, y, factor: x - factor * y,
    tanhshrink=lambda x: x - x.Tanh(),
    trunc=truncated,
    truncate_mod=lambda x, y: x.Mod(y, fmod=1),
    xdivy=lambda x, y: x.equals(0).where(0, x / y),
    xlogy=lambda x, y: x.equals(0).where(0, x * y.Log()),
)
formulas_with(
    celu=lambda call, x: x.Celu(alpha=float(call["alpha"])),
    elu=lambda call, x: x.Elu(alpha=float(call["alpha"])),
    hard_shrink=lambda call, x: x.Shrink(lambd=float(call["lambd"]), bias=0.0),
    hardtanh=lambda call, x: x.Clip(call["min_val"], call["max_val"]),
    leaky_relu=lambda call, x: x.LeakyRelu(alpha=float(call["alpha"])),
    soft_shrink=lambda call, x: x.Shrink(lambd=float(call["lambd"]), bias=float(call["lambd"])),
    threshold=lambda call, x: (x > call["thr"]).where(x, call["value"]),
    full_like=lambda call, x: call.constant(call["fill_value"]).Expand(x.ints(call.shape)),
    ones_like=lambda call, x: call.constant(1).Expand(x.ints(call.shape)),
    zeros_like=lambda call, x: call.constant(0).Expand(x.ints(call.shape)),
)


@rule("cast")
def _cast(call: Call) -> Symbol:
    return call.input(0, call.dtype).Identity() if call.producer(0).is_number else call.input(0, call.dtype)


@rule("logit")
def _logit(call: Call) -> Symbol:
    x, margin = call.input(0, call.dtype), call["eps"]
    if margin is not None and margin >= 0:
        x = x.Clip(margin, 1 - margin)
    return (x / x.number(1).Sub(x)).Log()


@rule("softplus")
def _softplus(call: Call) -> Symbol:
    x = call.input(0, call.dtype)
    scaled = x * call["beta"]
    return (scaled > call["threshold"]).where(x, scaled.Softplus() / call["beta"])


@rule("floor_mod")
def _floor_mod(call: Call) -> Symbol:
    x, y = call.inputs(call.dtype)
    return x - (x / y).Floor() * y if call.dtype in FLOATS else x.Mod(y)


@rule("floor_div")
def _floor_div(call: Call) -> Symbol:
    x, y = call.inputs(call.dtype)
    return (x / y).Floor() if call.dtype in FLOATS else (x - x.Mod(y)) / y


@rule("truncate_div")
def _truncate_div(call: Call) -> Symbol:
    x, y = call.inputs(call.dtype)
    return truncated(x / y) if call.dtype in FLOATS else x / y


@rule("nan_to_num")
def _nan_to_num(call: Call) -> Symbol:
    x = call.input(0, call.dtype)
    limits = np.finfo(mstype.dtype_to_nptype(call.dtype))
    high = limits.max if call["posinf"] is None else call["posinf"]
    low = limits.min if call["neginf"] is None else call["neginf"]
    x = _is_infinite(x, positive=True).where(float(high), x)
    x = _is_infinite(x, negative=True).where(float(low), x)
    return x.IsNaN(dtype=mstype.bool_).where(call["nan"] or 0.0, x)


# ---- masks ------------------------------------------------------------------------------------------


def _comparison(kind: str, is_negated: bool = False):
    def write(call: Call) -> Symbol:
        x, y = call.inputs(call.common_type())
        mask = x.add(kind, y, dtype=mstype.bool_)
        return mask.Not() if is_negated else mask

    return write


for _name, _write in {
    "equal": _comparison("Equal"),
    "not_equal": _comparison("Equal", True),
    "less": _comparison("Less"),
    "less_equal": _comparison("LessOrEqual"),
    "greater": _comparison("Greater"),
    "greater_equal": _comparison("GreaterOrEqual"),
}.items():
    rule(_name)(_write)


def _is_infinite(x: Symbol, positive: bool = False, negative: bool = False) -> Symbol:
    both = positive == negative
    return x.IsInf(
        dtype=mstype.bool_, detect_positive=int(positive or both), detect_negative=int(negative or both)
    )


def _of_floats(test):
    """A test that whole numbers never or always pass."""

    def write(call: Call) -> Symbol:
        return test(call.input(0, call.type_of(0) if call.type_of(0) in FLOATS else mstype.float32))

    return write


for _name, _test in {
    "isnan": lambda x: x.IsNaN(dtype=mstype.bool_),
    "isinf": _is_infinite,
    "isposinf": lambda x: _is_infinite(x, positive=True),
    "isneginf": lambda x: _is_infinite(x, negative=True),
    "isfinite": lambda x: x.IsNaN(dtype=mstype.bool_).Or(_is_infinite(x)).Not(),
}.items():
    rule(_name)(_of_floats(_test))


def _logic_of_masks(kind: str):
    def write(call: Call) -> Symbol:
        if call.dtype != mstype.bool_:
            call.refuse("ONNX of this version knows bits of masks only")
        return call.input(0).add(kind, *call.inputs()[1:])

    return write


for _name, _kind in {"bitwise_and": "And", "bitwise_or": "Or", "bitwise_xor": "Xor", "invert": "Not"}.items():
    rule(_name)(_logic_of_masks(_kind))


@rule("approximate_equal")
def _approximate_equal(call: Call) -> Symbol:
    x, y = call.inputs(mstype.float32)
    return (x - y).Abs() < call["tolerance"]


@rule("isclose")
def _isclose(call: Call) -> Symbol:
    x, y = call.inputs(mstype.float32)
    near = (x - y).Abs() <= y.Abs() * call["rtol"] + call["atol"]
    return near.Or(x.equals(y))


@rule("where")
def _where(call: Call) -> Symbol:
    return call.input(0, mstype.bool_).where(call.input(1, call.dtype), call.input(2, call.dtype))


@rule("masked_fill")
def _masked_fill(call: Call) -> Symbol:
    return call.input(1, mstype.bool_).where(call.input(2, call.dtype), call.input(0, call.dtype))
