# SPDX-License-Identifier: Apache-2.0
"""Rules for operators that look at one element of each operand."""

from __future__ import annotations

import math

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.train._mindir.operators import FLOATS, Call, Symbol, formulas, formulas_with, rule
from mindspore.train._mindir.type_numbers import ARGUMENT_NUMBERS


def _log_of_sum(x: Symbol, y: Symbol) -> Symbol:
    return x.Maximum(y) + (-(x - y).Abs()).Exp().Add(1.0).Log()


def _unless_nan(kind: str):
    def write(x: Symbol, y: Symbol) -> Symbol:
        if x.dtype not in FLOATS:
            return x.add(kind, y)
        of_x, of_y = _is_nan(x), _is_nan(y)
        return of_x.where(y, of_y.where(x, x.add(kind, y)))

    return write


def _is_nan(x: Symbol) -> Symbol:
    return x.add("IsNan", dtype=mstype.bool_)


def is_negative(x: Symbol) -> Symbol:
    """Whether the sign is minus, also that of zero."""
    if x.dtype not in FLOATS:
        return x < 0
    return (x < 0).LogicalOr((x.Reciprocal() < 0).LogicalAnd(x.equals(0)))


formulas(
    assign=lambda x, value: value.broadcast(x.shape),
    assign_add=lambda x, value: x + value,
    assign_sub=lambda x, value: x - value,
    clamp_above=lambda x, high: x.Minimum(high),
    clamp_below=lambda x, low: x.Maximum(low),
    clamp_between=lambda x, low, high: x.Maximum(low).Minimum(high),
    copy=lambda x: x,
    copysign=lambda x, y: is_negative(y).where(-x.Abs(), x.Abs()),
    deg2rad=lambda x: x * (math.pi / 180),
    exp2=lambda x: x.number(2).Pow(x),
    exp_shifted=lambda x, shift: (x - shift).Exp(),
    fmax=_unless_nan("Maximum"),
    fmin=_unless_nan("Minimum"),
    frac=lambda x: x - x.Trunc(),
    gelu_erf=lambda x: x * ((x * math.sqrt(0.5)).Erf() + 1) * 0.5,
    identity=lambda x: x,
    ldexp=lambda x, y: x * x.number(2).Pow(y),
    log10=lambda x: x.Log() * (1 / math.log(10)),
    log2=lambda x: x.Log() * (1 / math.log(2)),
    log_shifted=lambda x, shift: x.Log() + shift,
    log_sigmoid=lambda x: -(-x).Softplus(),
    logaddexp=_log_of_sum,
    logaddexp2=lambda x, y: _log_of_sum(x * math.log(2), y * math.log(2)) * (1 / math.log(2)),
    multivariate_argument=lambda x: x,
    prelu_slope=lambda x, slope: (x > 0).where(x, slope * x),
    rad2deg=lambda x: x * (180 / math.pi),
    sub_scaled=lambda x, y, factor: x - factor * y,
    tanhshrink=lambda x: x - x.Tanh(),
)
formulas_with(
    hardtanh=lambda call, x: x.Maximum(call["min_val"]).Minimum(call["max_val"]),
    leaky_relu=lambda call, x: (x > 0).where(x, x * call["alpha"]),
    threshold=lambda call, x: (x > call["thr"]).where(x, call["value"]),
    fold_indices=lambda call, x: (
        x.FloorMod(call["size"]) if call["wrap"] else x.Maximum(0).Minimum(call["size"] - 1)
    ),
)


@rule("full_like", "ones_like", "zeros_like")
def _filled(call: Call) -> Symbol:
    value = {"ones_like": 1, "zeros_like": 0}.get(call.node.name)
    value = call["fill_value"] if value is None else value
    return call.constant(value).shaped_like(call.input(0), call.shape)


@rule("cast")
def _cast(call: Call) -> Symbol:
    return call.input(0, call.dtype)


@rule("round")
def _round(call: Call) -> Symbol:
    x = call.input(0, call.dtype)
    return x.Rint() if call.dtype in FLOATS else x  # Round has more arguments in newer releases


@rule("trigamma")
def _trigamma(call: Call) -> Symbol:
    x = call.input(0, call.dtype)
    return x.number(1, mstype.int64).add("Polygamma", x, dtype=x.dtype, shape=x.shape)


@rule("softplus")
def _softplus(call: Call) -> Symbol:
    x = call.input(0, call.dtype)
    scaled = x * call["beta"]
    return (scaled > call["threshold"]).where(x, scaled.Softplus() / call["beta"])


# ---- masks ------------------------------------------------------------------------------------------


def _infinite(sign: int):
    def write(call: Call) -> Symbol:
        x = call.input(0)
        return x.equals(sign * math.inf) if call.type_of(0) in FLOATS else (x < 0).LogicalAnd(x > 0)

    return write


rule("isposinf")(_infinite(1))
rule("isneginf")(_infinite(-1))


@rule("signbit")
def _signbit(call: Call) -> Symbol:
    return is_negative(call.input(0))


@rule("isreal")
def _isreal(call: Call) -> Symbol:
    if call.type_of(0) in (mstype.complex64, mstype.complex128):
        part = mstype.float32 if call.type_of(0) == mstype.complex64 else mstype.float64
        return call.input(0).add("Imag", dtype=part).equals(0)
    return call.constant(np.ones(call.shape, bool), mstype.bool_)


@rule("where")
def _where(call: Call) -> Symbol:
    return call.input(0, mstype.bool_).where(call.input(1, call.dtype), call.input(2, call.dtype))


@rule("masked_fill")
def _masked_fill(call: Call) -> Symbol:
    return call.input(1, mstype.bool_).where(call.input(2, call.dtype), call.input(0, call.dtype))


@rule("searchsorted")
def _searchsorted(call: Call) -> Symbol:
    if call.has(2):
        call.refuse("the order of the sequence is given apart")
    values = call.input(1, call.type_of(0))
    name = call.writer.call(
        "SearchSorted",
        [call.input(0).name, values.name, call.writer.constant(None)],
        call.node.types,
        dtype=ARGUMENT_NUMBERS[call.dtype],
        right=bool(call["right"]),
    )
    return Symbol(call.writer, name, call.dtype, call.shape)


def _stretched(kind: str):
    """A primitive whose kernels want operands of one shape."""

    def write(call: Call) -> Symbol:
        first, *others = (x.broadcast(call.shape) for x in call.inputs(_operand_type(call)))
        return first.add(kind, *others, dtype=call.dtype)

    return write


def _operand_type(call: Call):
    parts = {mstype.complex64: mstype.float32, mstype.complex128: mstype.float64}
    return parts.get(call.dtype, call.dtype)


for _name, _kind in {
    "betainc": "Betainc",
    "complex": "Complex",
    "nextafter": "NextAfter",
    "zeta": "Zeta",
}.items():
    rule(_name)(_stretched(_kind))


@rule("polygamma")
def _polygamma(call: Call) -> Symbol:
    order = call.node.operands[0]
    source = call.producer(0)
    if source.kind == "operator" and source.name == "cast":
        order = source.operands[0]
    dtype, shape = call.network.type_of(order)
    order = Symbol(call.writer, call.writer.name_of(order), dtype, shape)
    return order.to(mstype.int64).Polygamma(call.input(1, call.dtype), dtype=call.dtype, shape=call.shape)
