# SPDX-License-Identifier: Apache-2.0
"""Rules for operators that look along axes: sums, extremes, order."""

from __future__ import annotations

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.train._mindir.operators import Call, Plain, Symbol, rule


def axes_of(value, rank: int) -> tuple[int, ...]:
    """Axes from 0 on; None or no axis stands for all."""
    if value is None or value == ():
        return tuple(range(rank))
    return tuple(axis % max(rank, 1) for axis in (value if isinstance(value, (tuple, list)) else (value,)))


def reduced(x: Symbol, kind: str, axes: tuple[int, ...], keep: bool = True) -> Symbol:
    """A reduction; nothing where there is no axis."""
    if not axes or not x.shape:
        return x
    kept = tuple(1 if i in axes else size for i, size in enumerate(x.shape))
    shape = kept if keep else tuple(size for i, size in enumerate(x.shape) if i not in axes)
    return x.add(kind, axes, shape=shape, keep_dims=bool(keep))


def _reduction(kind: str, axis: str = "axis", keep: str = "keep_dims"):
    def write(call: Call) -> Symbol:
        x = call.input(0, call.dtype)
        return reduced(x, kind, axes_of(call[axis], len(call.shape_of())), call[keep])

    return write


for _name, _write in {
    "reduce_sum": _reduction("ReduceSum"),
    "sum": _reduction("ReduceSum", "dim", "keepdim"),
    "reduce_mean": _reduction("ReduceMean"),
    "reduce_max": _reduction("ReduceMax"),
    "reduce_min": _reduction("ReduceMin"),
    "reduce_prod": _reduction("ReduceProd"),
    "prod": _reduction("ReduceProd"),
    "reduce_all": _reduction("ReduceAll"),
    "reduce_any": _reduction("ReduceAny"),
}.items():
    rule(_name)(_write)


@rule("logsumexp")
def _logsumexp(call: Call) -> Symbol:
    x, axes = call.input(0, call.dtype), axes_of(call["axis"], len(call.shape_of()))
    most = reduced(x, "ReduceMax", axes)
    most = (most.Abs().equals(np.inf)).where(0, most)
    total = reduced((x - most).Exp(), "ReduceSum", axes).Log() + most
    return total.reshape(call.shape)


def variance(x: Symbol, axes: tuple[int, ...], keep: bool = True) -> Symbol:
    """Of the whole population."""
    return reduced((x - reduced(x, "ReduceMean", axes)).Square(), "ReduceMean", axes, keep)


@rule("var")
def _variance(call: Call) -> Symbol:
    shape = call.shape_of()
    axes = axes_of(call["axis"], len(shape))
    count = int(np.prod([shape[axis] for axis in axes]))
    if count <= call["ddof"]:
        call.refuse("there are not enough elements for a variance")
    x = call.input(0, call.dtype)
    total = reduced((x - reduced(x, "ReduceMean", axes)).Square(), "ReduceSum", axes, call["keepdims"])
    return total / float(count - call["ddof"])


@rule("are_all_finite")
def _are_all_finite(call: Call) -> Symbol:
    masks = [
        reduced(x.add("IsFinite", dtype=mstype.bool_), "ReduceAll", axes_of(None, len(x.shape)), False)
        for x in call.inputs()
    ]
    result = masks[0]
    for mask in masks[1:]:
        result = result.LogicalAnd(mask)
    return result


@rule("sum_of_all_squares")
def _sum_of_all_squares(call: Call) -> Symbol:
    sums = [
        reduced(x.Square(), "ReduceSum", axes_of(None, len(x.shape)), False) for x in call.inputs(call.dtype)
    ]
    result = sums[0]
    for other in sums[1:]:
        result = result + other
    return result


@rule("scale_all")
def _scale_all(call: Call) -> list[Symbol]:
    return [call.input(i) * call.input(0, call.type_of(i)) for i in range(1, len(call))]


# ---- positions ------------------------------------------------------------------------------------------


def _searched(call: Call) -> Symbol:
    """What is searched for extremes; masks as numbers."""
    return call.input(0, mstype.int32 if call.type_of(0) == mstype.bool_ else None)


def _position(kind: str):
    def write(call: Call) -> Symbol:
        rank = len(call.shape_of())
        if rank == 0:
            return call.constant(0)
        return found_extreme(_searched(call), kind, call["axis"] % rank, bool(call["keep_dims"]))[0]

    return write


def found_extreme(x: Symbol, kind: str, axis: int, keep: bool) -> list[Symbol]:
    """Position and value of an extreme; the primitive with both knows more types than that with one."""
    shape = tuple(1 if i == axis else size for i, size in enumerate(x.shape) if keep or i != axis)
    types = [(mstype.int32, shape), (x.dtype, shape)]
    place, value = x.several(kind, types=types, axis=axis, keep_dims=keep)
    return [place.cast(mstype.int32), value]  # some releases count in int64


def _position_and_value(kind: str):
    def write(call: Call) -> list[Symbol]:
        rank = len(call.shape_of())
        if rank == 0:
            return [call.constant(0), call.input(0)]
        return found_extreme(_searched(call), kind, call["axis"] % rank, bool(call["keep_dims"]))

    return write


rule("argmax")(_position("ArgMaxWithValue"))
rule("argmin")(_position("ArgMinWithValue"))
rule("argmax_with_value")(_position_and_value("ArgMaxWithValue"))
rule("argmin_with_value")(_position_and_value("ArgMinWithValue"))


@rule("topk")
def _topk(call: Call) -> list[Symbol]:
    if not call.shape_of():
        return [call.input(0), call.constant(0, mstype.int32)]
    x, rank = _searched(call), len(call.shape_of())
    axis = (-1 if call["dim"] is None else call["dim"]) % rank
    order = [*(i for i in range(rank) if i != axis), axis]
    back = [order.index(i) for i in range(rank)]
    x = x.transpose(order)
    if call["largest"]:
        types = [(x.dtype, (*x.shape[:-1], call["k"])), (mstype.int32, (*x.shape[:-1], call["k"]))]
        values, places = x.several("TopK", Plain(call["k"]), types=types, sorted=True)
    else:
        values, places = _sorted(x, rank - 1, False)
        first = np.arange(call["k"])
        values, places = values.take(first, rank - 1), places.take(first, rank - 1)
    return [values.transpose(back), places.transpose(back)]


def _sorted(x: Symbol, axis: int, descending: bool) -> list[Symbol]:
    types = [(x.dtype, x.shape), (mstype.int32, x.shape)]
    return x.several("Sort", types=types, axis=axis, descending=bool(descending))


@rule("sort")
def _sort(call: Call) -> list[Symbol]:
    if not call.shape_of():
        return [call.input(0), call.constant(0, mstype.int32)]
    return _sorted(_searched(call), call["axis"] % len(call.shape), call["descending"])


@rule("linear_recurrence")
def _linear_recurrence(call: Call) -> Symbol:
    """Step after step, as no primitive has a state."""
    x, factor = call.inputs(call.dtype)
    if not call.shape:
        return x
    axis, steps = call["axis"] % len(call.shape), call.shape[call["axis"]]
    done: list[Symbol] = []
    for step in range(steps)[:: -1 if call["reverse"] else 1]:
        now = x.take([step], axis)
        done.append(now + factor.take([step], axis) * done[-1] if done else now)
    done = done[::-1] if call["reverse"] else done
    return done[0].joined("Concat", done[1:], call.shape, axis=axis) if len(done) > 1 else done[0]
