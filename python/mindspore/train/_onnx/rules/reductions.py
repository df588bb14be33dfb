# SPDX-License-Identifier: Apache-2.0
"""Rules for operators that look along axes: sums, extremes, order."""

from __future__ import annotations

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.train._onnx.operators import Call, Symbol, rule


def axes_of(value, rank: int) -> tuple[int, ...]:
    """Axes from 0 on; None or no axis stands for all."""
    if value is None or value == ():
        return tuple(range(rank))
    return tuple(axis % max(rank, 1) for axis in (value if isinstance(value, (tuple, list)) else (value,)))


def reduced(x: Symbol, kind: str, axes: tuple[int, ...], keep: bool = True) -> Symbol:
    """A reduction; only that of sums has its axes as an input in this version of ONNX."""
    if not axes:
        return x.Identity()
    if kind == "ReduceSum":
        return x.ReduceSum(x.ints(axes), keepdims=int(keep))
    return x.add(kind, axes=axes, keepdims=int(keep))


def _reduction(kind: str, axis: str = "axis", keep: str = "keep_dims", through=None):
    def write(call: Call) -> Symbol:
        x = call.input(0, through or call.dtype)
        skips = call.node.attributes.get("skip_mode") and not call[axis]  # no axis means: none
        axes = () if skips else axes_of(call[axis], len(call.shape_of()))
        return reduced(x, kind, axes, call[keep]).to(call.dtype)

    return write


for _name, _write in {
    "reduce_sum": _reduction("ReduceSum"),
    "sum": _reduction("ReduceSum", "dim", "keepdim"),
    "reduce_mean": _reduction("ReduceMean"),
    "reduce_max": _reduction("ReduceMax"),
    "reduce_min": _reduction("ReduceMin"),
    "reduce_prod": _reduction("ReduceProd"),
    "prod": _reduction("ReduceProd"),
    "logsumexp": _reduction("ReduceLogSumExp"),
    "reduce_all": _reduction("ReduceMin", through=mstype.int32),
    "reduce_any": _reduction("ReduceMax", through=mstype.int32),
}.items():
    rule(_name)(_write)


def variance(x: Symbol, axes: tuple[int, ...], keep: bool = True) -> Symbol:
    """Of the whole population."""
    deviation = x - reduced(x, "ReduceMean", axes)
    return reduced(deviation * deviation, "ReduceMean", axes, keep)


@rule("var")
def _variance(call: Call) -> Symbol:
    shape = call.shape_of()
    axes = axes_of(call["axis"], len(shape))
    count = 1
    for axis in axes:
        count *= shape[axis]
    x = call.input(0, call.dtype)
    deviation = x - reduced(x, "ReduceMean", axes)
    total = reduced(deviation * deviation, "ReduceSum", axes, call["keepdims"])
    if count <= call["ddof"]:
        call.refuse("there are not enough elements for a variance")
    return total / float(count - call["ddof"])


# ---- positions ------------------------------------------------------------------------------------------


def _searched(call: Call, i: int = 0) -> Symbol:
    """What is searched for extremes; masks as numbers."""
    return call.input(i, mstype.int32 if call.type_of(i) == mstype.bool_ else None)


def _position(kind: str):
    def write(call: Call) -> Symbol:
        x, rank = _searched(call), len(call.shape_of())
        if rank == 0:
            return call.constant(0)
        found = x.add(kind, axis=call["axis"] % rank, keepdims=int(call["keep_dims"]), dtype=mstype.int64)
        return found.to(call.dtype)

    return write


def _position_and_value(kind: str, reduction: str):
    def write(call: Call) -> list[Symbol]:
        x, rank, keep = _searched(call), len(call.shape_of()), call["keep_dims"]
        if rank == 0:
            return [call.constant(0), call.input(0).Identity()]
        axis = call["axis"] % rank
        found = x.add(kind, axis=axis, keepdims=int(keep), dtype=mstype.int64)
        return [found.to(call.dtype), reduced(x, reduction, (axis,), keep).to(call.type_of(0))]

    return write


rule("argmax")(_position("ArgMax"))
rule("argmin")(_position("ArgMin"))
rule("argmax_with_value")(_position_and_value("ArgMax", "ReduceMax"))
rule("argmin_with_value")(_position_and_value("ArgMin", "ReduceMin"))


def _best(call: Call, count: int, axis: int, largest: bool) -> list[Symbol]:
    if not call.shape_of():
        return [call.input(0).Identity(), call.constant(0, mstype.int32)]
    x = _searched(call)
    values, places = x.TopK(
        x.ints([count]), outputs=2, axis=axis % len(call.shape_of()), largest=int(largest), sorted=1
    )
    places.dtype = mstype.int64
    return [values.to(call.dtype), places.to(mstype.int32)]


@rule("topk")
def _topk(call: Call) -> list[Symbol]:
    return _best(call, call["k"], -1 if call["dim"] is None else call["dim"], call["largest"])


@rule("sort")
def _sort(call: Call) -> list[Symbol]:
    shape = call.shape_of() or (1,)
    return _best(call, shape[call["axis"]], call["axis"], call["descending"])


@rule("cumsum")
def _cumsum(call: Call) -> Symbol:
    x = call.input(0, call.dtype)
    if not call.shape_of():
        return x.number(0).Mul(x) if call["exclusive"] else x.Identity()
    axis = call.constant(call["axis"], mstype.int64)
    return x.CumSum(axis, exclusive=int(call["exclusive"]), reverse=int(call["reverse"]))


@rule("cumulative_logsumexp")
def _cumulative_logsumexp(call: Call) -> Symbol:
    """For every place the sum over all that count there: a running maximum ONNX has not."""
    x, shape = call.input(0, call.dtype), call.shape_of()
    if not shape:
        return x.Identity()
    axis = call["axis"] % len(shape)
    place, other = np.ogrid[: shape[axis], : shape[axis]]
    counts = (other >= place) if call["reverse"] else (other <= place)
    if call["exclusive"]:
        counts &= other != place
    last = [1] * (len(shape) - axis - 1)
    mask = call.constant(counts.reshape((*counts.shape, *last)), mstype.bool_)
    sums = reduced(mask.where(x.Unsqueeze(x.ints([axis])), -np.inf), "ReduceLogSumExp", (axis + 1,), False)
    if not call["exclusive"]:
        return sums
    some = call.constant(counts.any(1).reshape((-1, *last)), mstype.bool_)
    return some.where(sums, float(np.finfo(mstype.dtype_to_nptype(call.dtype)).min))
