# SPDX-License-Identifier: Apache-2.0
"""Rules for operators that move elements without computing."""

from __future__ import annotations

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.train._mindir.operators import Call, Symbol, rule

_MASKS = dict.fromkeys(("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"), 0)


@rule("reshape", "flatten", "flatten_axes", "expand_dims", "squeeze")
def _reshape(call: Call) -> Symbol:
    return call.input(0).reshape(call.shape)


@rule("transpose")
def _transpose(call: Call) -> Symbol:
    return call.input(0).transpose(call["perm"])


@rule("broadcast_to")
def _broadcast_to(call: Call) -> Symbol:
    return call.input(0).broadcast(call.shape)


@rule("tile")
def _tile(call: Call) -> Symbol:
    x, times = call.input(0), tuple(call["dims"])
    rank = max(len(x.shape), len(times))
    x = x.reshape((1,) * (rank - len(x.shape)) + x.shape)
    times = (1,) * (rank - len(times)) + times
    return x if all(time == 1 for time in times) else x.Tile(times, shape=call.shape)


@rule("concat")
def _concat(call: Call) -> Symbol:
    first, *others = call.inputs(call.dtype)
    return (
        first.joined("Concat", others, call.shape, axis=call["axis"] % len(call.shape)) if others else first
    )


@rule("stack")
def _stack(call: Call) -> Symbol:
    first, *others = call.inputs(call.dtype)
    return first.joined("Stack", others, call.shape, axis=call["axis"] % len(call.shape))


@rule("unstack")
def _unstack(call: Call) -> list[Symbol]:
    axis = call["axis"] % len(call.shape_of())
    count = len(call.node.types)
    return call.input(0).several("Unstack", types=call.node.types, axis=axis, num=count)


@rule("split_sizes")
def _split(call: Call) -> list[Symbol]:
    x, axis, sizes = call.input(0), call["axis"] % len(call.shape), call["sizes"]
    if len(set(sizes)) == 1:
        return x.several("Split", types=call.node.types, axis=axis, output_num=len(sizes))
    parts, start = [], 0
    for size in sizes:
        begin = [start if i == axis else 0 for i in range(len(x.shape))]
        length = [size if i == axis else whole for i, whole in enumerate(x.shape)]
        parts.append(window(x, begin, length, [1] * len(begin)))
        start += size
    return parts


# ---- windows ----------------------------------------------------------------------------------------------


def window(x: Symbol, begin, length, step) -> Symbol:
    """Positions begin, begin + step, … of every axis; an axis read backwards is turned first."""
    turned = tuple(i for i, one in enumerate(step) if one < 0 and length[i] > 1)
    if turned:
        x = x.ReverseV2(shape=x.shape, axis=turned)
    begin = [x.shape[i] - 1 - b if i in turned else b for i, b in enumerate(begin)]
    step = [abs(one) for one in step]
    if all(
        b == 0 and n == size and (s == 1 or n == 1)
        for b, n, s, size in zip(begin, length, step, x.shape, strict=True)
    ):
        return x
    end = [b + (n - 1) * s + 1 for b, n, s in zip(begin, length, step, strict=True)]
    return x.StridedSlice(tuple(begin), tuple(end), tuple(step), shape=length, **_MASKS)


def _shown(x: Symbol, axes, shape) -> Symbol:
    """The axes of a window in the order in which the result has them; -1 for a new one."""
    kept = [axis for axis in axes if axis >= 0]
    gone = [axis for axis in range(len(x.shape)) if axis not in kept]
    return x.transpose([*gone, *kept]).reshape(shape)


@rule("index_view")
def _index_view(call: Call) -> Symbol:
    return _shown(
        window(call.input(0), call["begin"], call["length"], call["step"]), call["axes"], call.shape
    )


def _shown_places(call: Call, shape) -> np.ndarray:
    """Flat positions, in the whole, of what a window shows."""
    places = np.arange(int(np.prod(shape, dtype=np.int64))).reshape(shape)
    ranges = [
        b + s * np.arange(n) for b, n, s in zip(call["begin"], call["length"], call["step"], strict=True)
    ]
    places = places[np.ix_(*ranges)] if ranges else places
    kept = [axis for axis in call["axes"] if axis >= 0]
    shown = places.transpose(*[i for i in range(len(shape)) if i not in kept], *kept)
    return shown.reshape([call["length"][axis] if axis >= 0 else 1 for axis in call["axes"]])


def _with_window(call: Call, flat: Symbol, value: Symbol) -> Symbol:
    shown = _shown_places(call, call.shape)
    value = value.broadcast(shown.shape).reshape((shown.size,))
    places = value.number(shown.reshape(-1, 1), mstype.int32)
    return flat.TensorScatterUpdate(places, value, shape=flat.shape).reshape(call.shape)


@rule("index_view_update", "index_view_assign")
def _index_view_update(call: Call) -> Symbol:
    size = int(np.prod(call.shape, dtype=np.int64))
    return _with_window(call, call.input(0).reshape((size,)), call.input(1, call.dtype))


@rule("index_view_spread")
def _index_view_spread(call: Call) -> Symbol:
    zeros = call.constant(np.zeros(int(np.prod(call.shape, dtype=np.int64))))
    return _with_window(call, zeros, call.input(0, call.dtype))


def _size_of(shape) -> int:
    return int(np.prod(shape, dtype=np.int64))


@rule("strided_view")
def _strided_view(call: Call) -> Symbol:
    x = call.input(0)
    flat = x.reshape((_size_of(x.shape),))
    places = flat.number(call.strided_places(call.shape).reshape(-1, 1), mstype.int32)
    return flat.GatherNd(places, shape=(_size_of(call.shape),)).reshape(call.shape)


def _with_strides(call: Call, flat: Symbol, value: Symbol) -> Symbol:
    places = call.strided_places(value.shape)
    at = value.number(places.reshape(-1, 1), mstype.int32)
    return flat.TensorScatterUpdate(at, value.reshape((places.size,)), shape=flat.shape).reshape(call.shape)


@rule("strided_update", "strided_assign")
def _strided_update(call: Call) -> Symbol:
    flat = call.input(0).reshape((_size_of(call.shape),))
    return _with_strides(call, flat, call.input(1, call.dtype))


@rule("strided_slice")
def _strided_slice(call: Call) -> Symbol:
    """By the positions NumPy would choose, as kernels refuse some masks."""
    bounds = [
        _bound(call, i, begin, end)
        for i, (begin, end) in enumerate(zip(call["begin"], call["end"], strict=True))
    ]
    x = call.input(0)
    places = np.arange(int(np.prod(x.shape, dtype=np.int64))).reshape(x.shape)[tuple(bounds)]
    slices = [b for b in bounds if b is not None]
    if Ellipsis in slices:
        at = slices.index(Ellipsis)
        slices[at : at + 1] = [slice(None)] * (len(x.shape) - len(slices) + 1)
    slices += [slice(None)] * (len(x.shape) - len(slices))
    ranges = [
        range(size)[s] if isinstance(s, slice) else [s % size]
        for s, size in zip(slices, x.shape, strict=True)
    ]
    step = [r.step if isinstance(r, range) else 1 for r in ranges]
    cut = window(x, [r[0] for r in ranges], [len(r) for r in ranges], step)
    return cut.reshape(places.shape)


def _bound(call: Call, i: int, begin: int, end: int):
    """What one entry of a strided slice is in an index expression."""
    masks = {
        name
        for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")
        if call[f"{name}_mask"] >> i & 1
    }
    if "ellipsis" in masks:
        return Ellipsis
    if "new_axis" in masks:
        return None
    if "shrink_axis" in masks:
        return begin
    step = (call["strides"] or [1] * len(call["begin"]))[i]
    return slice(None if "begin" in masks else begin, None if "end" in masks else end, step)


@rule("pad_constant")
def _pad(call: Call) -> Symbol:
    x, widths = call.input(0, call.dtype), call["paddings"]
    pairs = list(zip(widths[0::2], widths[1::2], strict=True))
    length = [size + min(b, 0) + min(a, 0) for size, (b, a) in zip(x.shape, pairs, strict=True)]
    if 0 in length:
        return call.constant(np.full(call.shape, call["value"] or 0))  # nothing is left
    x = window(x, [max(-before, 0) for before, _ in pairs], length, [1] * len(pairs))
    pairs = [(max(b, 0), max(a, 0)) for b, a in pairs]
    return padded(x, pairs, call["value"] or 0)


def padded(x: Symbol, pairs, value=0) -> Symbol:
    """With a value in front of and behind every axis."""
    if not any(map(any, pairs)):
        return x
    shape = [size + before + after for size, (before, after) in zip(x.shape, pairs, strict=True)]
    if value == 0:
        return x.add("Pad", shape=shape, paddings=tuple(tuple(pair) for pair in pairs))
    for axis, (before, after) in enumerate(pairs):
        parts = [x]
        for count, at in ((before, 0), (after, len(parts) + 1)):
            if count:
                wide = [count if i == axis else size for i, size in enumerate(x.shape)]
                parts.insert(at, x.number(value).broadcast(wide))
        if len(parts) > 1:
            total = [sum(p.shape[axis] for p in parts) if i == axis else s for i, s in enumerate(x.shape)]
            x = parts[0].joined("Concat", parts[1:], total, axis=axis)
    return x


@rule("flip")
def _flip(call: Call) -> Symbol:
    rank = len(call.shape)
    axes = tuple(sorted({axis % max(rank, 1) for axis in call["dims"]}))
    x = call.input(0)
    return x.ReverseV2(shape=x.shape, axis=axes) if axes and rank else x


@rule("roll_axes")
def _roll(call: Call) -> Symbol:
    x = call.input(0)
    for shift, axis in zip(call["shifts"], call["dims"], strict=True):
        size = call.shape[axis]
        if size and shift % size:
            x = x.take(np.roll(np.arange(size), shift), axis % len(call.shape))
    return x


@rule("diagonal")
def _diagonal(call: Call) -> Symbol:
    shape = call.shape_of()
    rank = len(shape)
    first, second = call["dim1"] % rank, call["dim2"] % rank
    others = [i for i in range(rank) if i not in (first, second)]
    x = call.input(0).transpose((*others, first, second))
    x = x.reshape((*(shape[i] for i in others), shape[first] * shape[second]))
    start, count = call["offset"], call.shape[-1]
    places = [(i + max(-start, 0)) * shape[second] + i + max(start, 0) for i in range(count)]
    return x.take(places, rank - 2)


@rule("diagonal_fill")
def _diagonal_fill(call: Call) -> Symbol:
    rank = len(call.shape)
    first, second = call["dim1"] % rank, call["dim2"] % rank
    rows, columns, start = call.shape[first], call.shape[second], call["offset"]
    x = call.input(0, call.dtype)
    count, others = x.shape[-1], x.shape[:-1]
    mask = np.zeros((rows, columns))
    source = np.zeros((rows, columns), np.int32)
    for i in range(count):
        mask[i + max(-start, 0), i + max(start, 0)] = 1
        source[i + max(-start, 0), i + max(start, 0)] = i
    spread = x.take(source, len(others)) * x.number(mask)
    order = [i for i in range(rank) if i not in (first, second)] + [first, second]
    return spread.transpose([order.index(i) for i in range(rank)])
