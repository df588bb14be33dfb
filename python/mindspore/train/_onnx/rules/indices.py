# SPDX-License-Identifier: Apache-2.0
"""Rules for operators that find or write elements by index."""

from __future__ import annotations

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.train._onnx.operators import Call, Symbol, rule


@rule("gather")
def _gather(call: Call) -> Symbol:
    table, places = call.input(0), call.input(1)
    rank, of_places, batch = len(call.shape_of(0)), len(call.shape_of(1)), call["batch_dims"]
    axis, batch = call["axis"] % rank, batch % max(of_places, 1)
    if batch == 0:
        return table.Gather(places, axis=axis)
    if axis != batch:
        call.refuse("'batch_dims' is not the axis")
    return table.GatherND(places.to(mstype.int64).Unsqueeze(places.ints([of_places])), batch_dims=batch)


@rule("embedding_lookup")
def _embedding(call: Call) -> Symbol:
    """Rows out of the table are zeros."""
    places, count = call.input(1), call.shape_of(0)[0]
    if call["offset"]:
        places = places - call["offset"]
    inside = (places >= 0).And(places < count)
    rows = call.input(0).Gather(inside.where(places, 0), axis=0)
    width = len(call.shape) - len(call.shape_of(1))
    axes = [len(call.shape_of(1)) + i for i in range(width)]
    return inside.Unsqueeze(inside.ints(axes)).where(rows, 0)


@rule("fold_indices")
def _fold_indices(call: Call) -> Symbol:
    x = call.input(0)
    return x.Mod(call["size"]) if call["wrap"] else x.Max(0).Min(call["size"] - 1)


@rule("gather_elements")
def _gather_elements(call: Call) -> Symbol:
    if not call.shape:
        return call.input(0).Identity()
    return call.input(0).GatherElements(call.input(1), axis=call["dim"] % len(call.shape))


@rule("gather_nd")
def _gather_nd(call: Call) -> Symbol:
    return call.input(0).GatherND(call.input(1, mstype.int64))


@rule("one_hot")
def _one_hot(call: Call) -> Symbol:
    """By comparison, as indices out of range choose nothing here."""
    axis = call["axis"] % len(call.shape)
    shape = [1] * len(call.shape)
    shape[axis] = call["depth"]
    places = call.input(0, mstype.int64)
    chosen = places.Unsqueeze(places.ints([axis])).equals(
        call.constant(np.arange(call["depth"]).reshape(shape), mstype.int64)
    )
    on, off = (call.input(i, call.dtype).reshape(()) if call.has(i) else call.constant(2 - i) for i in (1, 2))
    return chosen.where(on, off)


# ---- several index tensors ----------------------------------------------------------------------------


def _index_tuples(call: Call, first: int, shape) -> tuple[Symbol, int]:
    """Index tensors as tuples along a last axis, and how many axes they have without it."""
    axes = call["axes"]
    shapes = [call.shape_of(first + i) for i in range(len(axes))]
    joint = np.broadcast_shapes(*shapes)
    parts = []
    for i in range(len(axes)):
        part = call.input(first + i, mstype.int64)
        part = part.Expand(part.ints(joint)) if shapes[i] != joint else part
        parts.append(part.Unsqueeze(part.ints([len(joint)])))
    return (parts[0].Concat(*parts[1:], axis=len(joint)) if len(parts) > 1 else parts[0]), len(joint)


def _fronted(x: Symbol, axes, rank: int) -> tuple[Symbol, list[int]]:
    """The indexed axes first; also the order in which the axes now stand."""
    order = [*axes, *[i for i in range(rank) if i not in axes]]
    return (x if order == list(range(rank)) else x.Transpose(perm=order)), order


def _place_of_result(call: Call) -> int:
    """Before which kept axis the axes of the index stand in the result."""
    axes = list(call["axes"])
    neighbours = axes == list(range(axes[0], axes[0] + len(axes)))
    return 0 if call["front"] or not neighbours else axes[0]


@rule("index_gather")
def _index_gather(call: Call) -> Symbol:
    shape, axes = call.shape_of(0), list(call["axes"])
    place = _place_of_result(call)
    if len(axes) == 1 and place == axes[0]:
        return call.input(0).Gather(call.input(1), axis=axes[0])
    tuples, width = _index_tuples(call, 1, shape)
    table, _ = _fronted(call.input(0), axes, len(shape))
    found = table.GatherND(tuples)
    if place == 0:
        return found
    rest = len(shape) - len(axes)
    order = [width + i for i in range(place)], range(width), [width + i for i in range(place, rest)]
    return found.Transpose(perm=[*order[0], *order[1], *order[2]])


@rule("index_put", "index_put_assign")
def _index_put(call: Call) -> Symbol:
    call.refuse_parameter(0)
    shape, axes = call.shape_of(0), list(call["axes"])
    tuples, width = _index_tuples(call, 2, shape)
    table, order = _fronted(call.input(0), axes, len(shape))
    kept = [size for i, size in enumerate(shape) if i not in axes]
    joint = list(np.broadcast_shapes(*(call.shape_of(2 + i) for i in range(len(axes)))))
    place = _place_of_result(call)
    value = call.input(1, call.dtype)
    value = value.Expand(value.ints([*kept[:place], *joint, *kept[place:]]))
    if place:
        rest = range(place + width, width + len(kept))
        value = value.Transpose(perm=[*range(place, place + width), *range(place), *rest])
    written = table.ScatterND(tuples, value, reduction="add" if call["accumulate"] else "none")
    back = [order.index(i) for i in range(len(shape))]
    return written if back == list(range(len(shape))) else written.Transpose(perm=back)


# ---- writing ------------------------------------------------------------------------------------------


def _scattered(reduction: str, is_negated: bool = False):
    def write(call: Call) -> Symbol:
        call.refuse_parameter(0)
        updates = call.input(2, call.dtype)
        updates = -updates if is_negated else updates
        return call.input(0).ScatterND(call.input(1, mstype.int64), updates, reduction=reduction)

    return write


rule("tensor_scatter_update", "scatter_nd_update")(_scattered("none"))
rule("tensor_scatter_add")(_scattered("add"))
rule("tensor_scatter_sub")(_scattered("add", True))
rule("tensor_scatter_mul")(_scattered("mul"))


@rule("scatter_nd")
def _scatter_nd(call: Call) -> Symbol:
    zeros = call.constant(0).Expand(call.input(0).ints(call.shape))
    return zeros.ScatterND(call.input(0, mstype.int64), call.input(1), reduction="add")


@rule("tensor_scatter_elements")
def _scatter_elements(call: Call) -> Symbol:
    reduction = call["reduction"]
    if reduction not in ("none", "add", "mul"):
        call.refuse(f"ONNX of this version has no reduction '{reduction}'")
    if not call.shape:
        call.refuse("it has no axes")
    return call.input(0).ScatterElements(
        call.input(1), call.input(2, call.dtype), axis=call["axis"] % len(call.shape), reduction=reduction
    )


@rule("scatter_along")
def _scatter_along(call: Call) -> Symbol:
    zeros = call.constant(0).Expand(call.input(0).ints(call.shape))
    axis = call["axis"] % len(call.shape)
    return zeros.ScatterElements(call.input(0), call.input(1, call.dtype), axis=axis, reduction="add")


@rule("unsorted_segment_sum")
def _segment_sum(call: Call) -> Symbol:
    """Rows outside all segments fall into one more, which is cut off."""
    ids, count = call.input(1, mstype.int64), call["num_segments"]
    width, rest = len(call.shape_of(1)), call.shape[1:]
    ids = (ids >= 0).And(ids < count).where(ids, count)
    zeros = call.constant(0).Expand(ids.ints((count + 1, *rest)))
    sums = zeros.ScatterND(ids.Unsqueeze(ids.ints([width])), call.input(0, call.dtype), reduction="add")
    return sums.Slice(ids.ints([0]), ids.ints([count]), ids.ints([0]))


@rule("scatter_add_axis")
def _scatter_add_axis(call: Call) -> Symbol:
    axis, shape = call["axis"] % len(call.shape), call.shape
    order = [axis, *[i for i in range(len(shape)) if i != axis]]
    back = [order.index(i) for i in range(len(shape))]
    places = call.input(1, mstype.int64).reshape((-1, 1))
    updates = call.input(2, call.dtype).reshape((*shape[:axis], -1, *shape[axis + 1 :]))
    x, updates = (part.Transpose(perm=order) for part in (call.input(0), updates))
    return x.ScatterND(places, updates, reduction="add").Transpose(perm=back)


@rule("index_fill_axis")
def _index_fill(call: Call) -> Symbol:
    """Positions that appear among the indices get the value."""
    axis = call["axis"] % len(call.shape)
    places = call.input(1, mstype.int64).reshape((-1, 1))
    size = call.shape[axis]
    positive = (places < 0).where(places + size, places)
    hits = positive.equals(call.constant(np.arange(size)[None], mstype.int64)).to(mstype.int32)
    chosen = hits.ReduceSum(hits.ints([0]), keepdims=0).add("Greater", 0, dtype=mstype.bool_)
    shape = [size if i == axis else 1 for i in range(len(call.shape))]
    return chosen.reshape(shape).where(call.input(2, call.dtype).reshape(()), call.input(0))
