# SPDX-License-Identifier: Apache-2.0
"""Rules for operators that find or write elements by index."""

from __future__ import annotations

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.train._mindir.operators import Call, Plain, Symbol, rule
from mindspore.train._mindir.rules.reductions import reduced


@rule("gather_elements")
def _gather_elements(call: Call) -> Symbol:
    if not call.shape:
        return call.input(0)
    return call.input(0).GatherD(
        Plain(call["dim"] % len(call.shape)), call.input(1), shape=call.shape, dtype=call.dtype
    )


@rule("one_hot")
def _one_hot(call: Call) -> Symbol:
    axis = call["axis"] % len(call.shape)
    on, off = (call.input(i, call.dtype).reshape(()) if call.has(i) else call.constant(2 - i) for i in (1, 2))
    last = axis == len(call.shape) - 1
    places = call.input(0)
    return places.OneHot(
        Plain(call["depth"]), on, off, dtype=call.dtype, shape=call.shape, axis=-1 if last else axis
    )


# ---- several index tensors ----------------------------------------------------------------------------


def _from_zero(places: Symbol, size: int) -> Symbol:
    """Indices that count from the end, from the beginning."""
    return (places < 0).where(places + size, places)


def _index_tuples(call: Call, first: int, shape) -> Symbol:
    """Index tensors as tuples along a last axis."""
    axes = call["axes"]
    joint = np.broadcast_shapes(*(call.shape_of(first + i) for i in range(len(axes))))
    parts = [
        _from_zero(call.input(first + i, mstype.int32), shape[axis]).broadcast(joint)
        for i, axis in enumerate(axes)
    ]
    if len(parts) == 1:
        return parts[0].reshape((*joint, 1))
    return parts[0].joined("Stack", parts[1:], (*joint, len(parts)), axis=len(joint))


def _fronted(x: Symbol, axes) -> tuple[Symbol, list[int]]:
    """The indexed axes first; also the order in which the axes now stand."""
    order = [*axes, *[i for i in range(len(x.shape)) if i not in axes]]
    return x.transpose(order), order


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
        return call.input(0).take(_from_zero(call.input(1), shape[axes[0]]), axes[0])
    tuples = _index_tuples(call, 1, shape)
    width = len(tuples.shape) - 1
    table, _ = _fronted(call.input(0), axes)
    found = table.GatherNd(tuples, shape=(*tuples.shape[:-1], *table.shape[len(axes) :]))
    rest = len(shape) - len(axes)
    before, after = [width + i for i in range(place)], [width + i for i in range(place, rest)]
    return found.transpose([*before, *range(width), *after])


def _put(call: Call, table: Symbol, value: Symbol, first: int, adds: bool) -> Symbol:
    shape, axes = call.shape, list(call["axes"])
    tuples = _index_tuples(call, first, shape)
    joint, width, place = list(tuples.shape[:-1]), len(tuples.shape) - 1, _place_of_result(call)
    table, order = _fronted(table, axes)
    kept = [size for i, size in enumerate(shape) if i not in axes]
    value = value.broadcast([*kept[:place], *joint, *kept[place:]])
    rest = range(place + width, width + len(kept))
    value = value.transpose([*range(place, place + width), *range(place), *rest])
    if width == 0:  # the primitive takes lists of tuples only
        tuples, value = tuples.reshape((1, *tuples.shape)), value.reshape((1, *value.shape))
    kind = "TensorScatterAdd" if adds else "TensorScatterUpdate"
    written = table.add(kind, tuples, value, shape=table.shape)
    return written.transpose([order.index(i) for i in range(len(shape))])


@rule("index_put", "index_put_assign")
def _index_put(call: Call) -> Symbol:
    return _put(call, call.input(0), call.input(1, call.dtype), 2, call["accumulate"])


@rule("index_scatter_add")
def _index_scatter_add(call: Call) -> Symbol:
    zeros = call.constant(0).broadcast(call.shape)
    return _put(call, zeros, call.input(0, call.dtype), 1, True)


# ---- one axis -----------------------------------------------------------------------------------------


def _to_front(x: Symbol, axis: int) -> tuple[Symbol, list[int]]:
    order = [axis, *[i for i in range(len(x.shape)) if i != axis]]
    return x.transpose(order), [order.index(i) for i in range(len(x.shape))]


@rule("scatter_add_axis")
def _scatter_add_axis(call: Call) -> Symbol:
    x, axis = call.input(0), call["axis"] % len(call.shape)
    places = _from_zero(call.input(1), call.shape[axis])
    table, back = _to_front(x, axis)
    updates = call.input(2, call.dtype)
    width = len(places.shape)
    order = [*range(axis, axis + width), *range(axis), *range(axis + width, len(updates.shape))]
    places = places.reshape((*places.shape, 1))
    return table.TensorScatterAdd(places, updates.transpose(order), shape=table.shape).transpose(back)


def _written_along(table: Symbol, places: Symbol, updates: Symbol, axis: int, adds: bool) -> Symbol:
    """Writes at one index per element; the indices of the other axes are the element's own."""
    shape = places.shape
    parts = [
        _from_zero(places, table.shape[axis]) if i == axis else places.number(grid)
        for i, grid in enumerate(np.indices(shape))
    ]
    tuples = parts[0].joined("Stack", parts[1:], (*shape, len(shape)), axis=len(shape))
    kind = "TensorScatterAdd" if adds else "TensorScatterUpdate"
    return table.add(kind, tuples, updates, shape=table.shape)


@rule("scatter_along")
def _scatter_along(call: Call) -> Symbol:
    zeros = call.constant(0).broadcast(call.shape)
    axis = call["axis"] % len(call.shape)
    return _written_along(zeros, call.input(0), call.input(1, call.dtype), axis, True)


@rule("tensor_scatter_elements")
def _tensor_scatter_elements(call: Call) -> Symbol:
    axis = call["axis"] % len(call.shape)
    updates = call.input(2, call.dtype)
    return _written_along(call.input(0), call.input(1), updates, axis, call["reduction"] == "add")


def _by_tuples(kind: str, takes_updates: bool):
    """Tuples of indices, counted from the beginning."""

    def write(call: Call) -> Symbol:
        table, places = call.input(0), call.input(1)
        sizes = places.number(np.array(table.shape[: places.shape[-1]]))
        places = (places < 0).where(places + sizes, places)
        updates = [call.input(2, call.dtype)] if takes_updates else []
        return table.add(kind, places, *updates, shape=call.shape)

    return write


def _by_rows(kind: str):
    """Indices of rows."""

    def write(call: Call) -> Symbol:
        table, places = call.input(0), _from_zero(call.input(1), call.shape[0])
        places = places.reshape((*places.shape, 1))
        return table.add(kind, places, call.input(2, call.dtype), shape=call.shape)

    return write


for _name in ("Add", "Div", "Max", "Min", "Mul", "Sub", "Update"):
    rule(f"tensor_scatter_{_name.lower()}")(_by_tuples(f"TensorScatter{_name}", True))
    rule(f"scatter_nd_{_name.lower()}")(_by_tuples(f"TensorScatter{_name}", True))
    rule(f"scatter_{_name.lower()}")(_by_rows(f"TensorScatter{_name}"))
rule("gather_nd")(_by_tuples("GatherNd", False))


@rule("index_fill_axis", "index_fill")
def _index_fill(call: Call) -> Symbol:
    """A mask of the chosen places by comparison with all."""
    x, axis = call.input(0), call["axis"] % len(call.shape)
    size = call.shape[axis]
    places = _from_zero(call.input(1), size)
    places = places.reshape((int(np.prod(places.shape)), 1))
    hits = places.equals(places.number(np.arange(size).reshape(1, size)))
    chosen = reduced(hits, "ReduceAny", (0,)).reshape([size if i == axis else 1 for i in range(len(x.shape))])
    return chosen.where(call.input(2, call.dtype), x)


def _flat_planes(x: Symbol) -> Symbol:
    return x.reshape((*x.shape[:2], x.shape[2] * x.shape[3]))


@rule("plane_gather")
def _plane_gather(call: Call) -> Symbol:
    places = _flat_planes(call.input(1))
    return _flat_planes(call.input(0)).GatherD(Plain(2), places, shape=places.shape).reshape(call.shape)


@rule("plane_scatter")
def _plane_scatter(call: Call) -> Symbol:
    zeros = call.constant(0).broadcast((*call.shape[:2], call.shape[2] * call.shape[3]))
    values, places = _flat_planes(call.input(0)), _flat_planes(call.input(1))
    return _written_along(zeros, places, values, 2, True).reshape(call.shape)


# ---- classes ------------------------------------------------------------------------------------------


def _counted(call: Call) -> tuple[Symbol, Symbol, int]:
    """Labels as the loss counts them, and which of them count."""
    labels, ignored = call.input(_place_of_labels(call)), call["ignore_index"]
    return labels, labels.equals(labels) if ignored is None else labels.NotEqual(ignored)


def _place_of_labels(call: Call) -> int:
    return 0 if call.node.name == "class_weights" else 1


def _chosen_classes(call: Call, classes: int, rank: int) -> Symbol:
    """(N, C, …): whether a class is the label of a position that counts."""
    labels, counts = _counted(call)
    spread = (labels.shape[0], 1, *labels.shape[1:])
    numbers = labels.number(np.arange(classes).reshape(1, classes, *[1] * (rank - 2)))
    return labels.reshape(spread).equals(numbers).LogicalAnd(counts.reshape(spread))


@rule("pick_class")
def _pick_class(call: Call) -> Symbol:
    x = call.input(0)
    chosen = _chosen_classes(call, x.shape[1], len(x.shape))
    return reduced(chosen.where(x, 0), "ReduceSum", (1,), False)


@rule("place_class")
def _place_class(call: Call) -> Symbol:
    x = call.input(0)
    chosen = _chosen_classes(call, call["classes"], len(call.shape))
    return chosen.where(x.reshape((x.shape[0], 1, *x.shape[1:])), 0)


@rule("class_weights")
def _class_weights(call: Call) -> Symbol:
    labels, counts = _counted(call)
    if not call.has(1):
        return counts.to(call.dtype)
    return counts.where(call.input(1, call.dtype).take(counts.where(labels, 0), 0), 0)


@rule("sparse_cross_entropy")
def _sparse_cross_entropy(call: Call) -> list[Symbol]:
    x = call.input(0)
    most = reduced(x, "ReduceMax", (1,))
    total = (reduced((x - most).Exp(), "ReduceSum", (1,)).Log() + most).reshape(call.shape)
    chosen = _chosen_classes(call, x.shape[1], len(x.shape))
    picked = reduced(chosen.where(x, 0), "ReduceSum", (1,), False)
    _, counts = _counted(call)
    return [counts.where(total - picked, 0), total]
