# SPDX-License-Identifier: Apache-2.0
"""Rules for operators that move elements without computing."""

from __future__ import annotations

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.train._onnx.operators import Call, Symbol, rule

_BEFORE_ALL = -(2**31)


@rule("reshape", "flatten", "flatten_axes")
def _reshape(call: Call) -> Symbol:
    return call.input(0).reshape(call.shape)


@rule("expand_dims")
def _expand_dims(call: Call) -> Symbol:
    x = call.input(0)
    return x.Unsqueeze(x.ints([call["axis"] % len(call.shape)]))


@rule("squeeze")
def _squeeze(call: Call) -> Symbol:
    x, shape = call.input(0), call.shape_of()
    axes = call["axis"]
    if axes is None or axes == ():
        axes = [i for i, size in enumerate(shape) if size == 1]
    axes = sorted(axis % len(shape) for axis in (axes if isinstance(axes, (tuple, list)) else (axes,)))
    return x.Squeeze(x.ints(axes)) if axes else x.Identity()


@rule("broadcast_to")
def _broadcast_to(call: Call) -> Symbol:
    x = call.input(0)
    return x.Expand(x.ints(call.shape))


@rule("tile")
def _tile(call: Call) -> Symbol:
    x, shape, times = call.input(0), call.shape_of(), tuple(call["dims"])
    if len(times) > len(shape):
        x = x.reshape((1,) * (len(times) - len(shape)) + shape)
    times = (1,) * (len(shape) - len(times)) + times
    return x.Tile(x.ints(times)) if times else x.Identity()


@rule("transpose")
def _transpose(call: Call) -> Symbol:
    rank = len(call.shape)
    return call.input(0).Transpose(perm=tuple(axis % rank for axis in call["perm"]))


@rule("concat")
def _concat(call: Call) -> Symbol:
    first, *others = call.inputs(call.dtype)
    return first.Concat(*others, axis=call["axis"] % len(call.shape))


@rule("stack")
def _stack(call: Call) -> Symbol:
    axis = call["axis"] % len(call.shape)
    first, *others = (x.Unsqueeze(x.ints([axis])) for x in call.inputs(call.dtype))
    return first.Concat(*others, axis=axis)


def _parts(x: Symbol, sizes, axis: int) -> list[Symbol]:
    if len(sizes) == 1:
        return [x.Identity()]
    return x.Split(x.ints(sizes), axis=axis, outputs=len(sizes))


@rule("split_sizes")
def _split(call: Call) -> list[Symbol]:
    return _parts(call.input(0), call["sizes"], call["axis"] % len(call.shape))


@rule("unstack")
def _unstack(call: Call) -> list[Symbol]:
    axis = call["axis"] % len(call.shape_of())
    parts = _parts(call.input(0), [1] * call.shape_of()[axis], axis)
    return [part.Squeeze(part.ints([axis])) for part in parts]


# ---- windows ----------------------------------------------------------------------------------------------


def window(x: Symbol, shape, begin, length, step) -> Symbol:
    """Positions begin, begin + step, … of every axis; whole axes are not mentioned."""
    cut = [i for i, size in enumerate(shape) if (begin[i], length[i], step[i]) != (0, size, 1)]
    if not cut:
        return x
    ends = [begin[i] + length[i] * step[i] for i in cut]
    ends = [_BEFORE_ALL if end < 0 else end for end in ends]
    return x.Slice(x.ints([begin[i] for i in cut]), x.ints(ends), x.ints(cut), x.ints([step[i] for i in cut]))


def _shown(x: Symbol, shape, axes) -> Symbol:
    """The axes of a window in the order in which the result has them; -1 for a new one."""
    kept = [axis for axis in axes if axis >= 0]
    gone = [axis for axis in range(len(shape)) if axis not in kept]
    if gone:
        x = x.Squeeze(x.ints(gone))
    if kept != sorted(kept):
        x = x.Transpose(perm=[sorted(kept).index(axis) for axis in kept])
    new = [i for i, axis in enumerate(axes) if axis < 0]
    return x.Unsqueeze(x.ints(new)) if new else x


@rule("index_view")
def _index_view(call: Call) -> Symbol:
    x, shape = call.input(0), call.shape_of()
    cut = window(x, shape, call["begin"], call["length"], call["step"])
    shown = _shown(cut, shape, call["axes"])
    return shown.Identity() if shown is x else shown


@rule("index_view_update", "index_view_assign")
def _index_view_update(call: Call) -> Symbol:
    """What the window shows is written at the places its elements have in the whole."""
    call.refuse_parameter(0)
    shape = call.shape
    places = np.arange(int(np.prod(shape))).reshape(shape)
    ranges = [
        b + s * np.arange(n) for b, n, s in zip(call["begin"], call["length"], call["step"], strict=True)
    ]
    places = places[np.ix_(*ranges)] if ranges else places
    kept = [axis for axis in call["axes"] if axis >= 0]
    shown = places.transpose(*kept, *[i for i in range(len(shape)) if i not in kept])
    shown = shown.reshape([call["length"][axis] if axis >= 0 else 1 for axis in call["axes"]])
    value = call.input(1, call.dtype)
    value = value.Expand(value.ints(shown.shape)).reshape((shown.size,))
    flat = call.input(0).reshape((places_in(shape),))
    return flat.ScatterElements(value.ints(shown.reshape(-1)), value, axis=0).reshape(shape)


@rule("strided_view")
def _strided_view(call: Call) -> Symbol:
    flat = call.input(0).reshape((places_in(call.shape_of()),))
    return flat.Gather(flat.ints(call.strided_places(call.shape).reshape(-1)), axis=0).reshape(call.shape)


@rule("strided_update", "strided_assign")
def _strided_update(call: Call) -> Symbol:
    call.refuse_parameter(0)
    value = call.input(1, call.dtype)
    places = call.strided_places(call.shape_of(1)).reshape(-1)
    flat = call.input(0).reshape((places_in(call.shape),))
    written = flat.ScatterElements(flat.ints(places), value.reshape((places.size,)), axis=0)
    return written.reshape(call.shape)


def places_in(shape) -> int:
    """Elements of a tensor of this shape."""
    return int(np.prod(shape, dtype=np.int64))


@rule("slice")
def _slice(call: Call) -> Symbol:
    x, shape = call.input(0), call.shape_of()
    cut = window(x, shape, call["begin"], call.shape, [1] * len(shape))
    return cut.Identity() if cut is x else cut


@rule("strided_slice")
def _strided_slice(call: Call) -> Symbol:
    x, shape = call.input(0), call.shape_of()
    steps = call["strides"] or [1] * len(call["begin"])
    masks = {name: call[f"{name}_mask"] for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}
    starts, lengths, distances = [], [], []
    added = bin(masks["new_axis"] & ((1 << len(call["begin"])) - 1)).count("1")
    for i, (begin, end, step) in enumerate(zip(call["begin"], call["end"], steps, strict=True)):
        bits = {name for name, mask in masks.items() if mask >> i & 1}
        size = shape[len(starts)] if len(starts) < len(shape) else 1
        if "ellipsis" in bits:
            whole = shape[len(starts) : len(starts) + len(shape) - (len(call["begin"]) - 1 - added)]
            starts, lengths = [*starts, *[0] * len(whole)], [*lengths, *whole]
            distances += [1] * len(whole)
        elif "new_axis" not in bits:
            if "shrink_axis" in bits:
                start, count, step = begin % size, 1, 1
            else:
                chosen = slice(None if "begin" in bits else begin, None if "end" in bits else end, step)
                start, count = chosen.indices(size)[0], len(range(*chosen.indices(size)))
            starts, lengths, distances = [*starts, start], [*lengths, count], [*distances, step]
    rest = shape[len(starts) :]
    starts, lengths, distances = (
        [*starts, *[0] * len(rest)],
        [*lengths, *rest],
        [*distances, *[1] * len(rest)],
    )
    return window(x, shape, starts, lengths, distances).reshape(call.shape)


@rule("pad_constant")
def _pad(call: Call) -> Symbol:
    x, widths = call.input(0), call["paddings"]
    return x.Pad(x.ints([*widths[0::2], *widths[1::2]]), x.number(call["value"] or 0))


@rule("flip")
def _flip(call: Call) -> Symbol:
    shape = call.shape
    turned = {axis % max(len(shape), 1) for axis in call["dims"]}
    begin = [size - 1 if i in turned else 0 for i, size in enumerate(shape)]
    x = call.input(0)
    result = window(x, shape, begin, shape, [-1 if i in turned else 1 for i in range(len(shape))])
    return result.Identity() if result is x else result


@rule("roll_axes")
def _roll(call: Call) -> Symbol:
    x = call.input(0).Identity()
    for shift, axis in zip(call["shifts"], call["dims"], strict=True):
        size = call.shape[axis]
        if size and shift % size:
            head, tail = _parts(x, [size - shift % size, shift % size], axis % len(call.shape))
            x = tail.Concat(head, axis=axis % len(call.shape))
    return x


def _triangle(upper: int):
    def write(call: Call) -> Symbol:
        return call.input(0).Trilu(call.constant(call["diagonal"], mstype.int64), upper=upper)

    return write


rule("triu")(_triangle(1))
rule("tril")(_triangle(0))


@rule("diagonal")
def _diagonal(call: Call) -> Symbol:
    shape = call.shape_of()
    rank = len(shape)
    first, second = call["dim1"] % rank, call["dim2"] % rank
    others = [i for i in range(rank) if i not in (first, second)]
    x = call.input(0).Transpose(perm=(*others, first, second))
    x = x.reshape((*(shape[i] for i in others), shape[first] * shape[second]))
    start, count = call["offset"], call.shape[-1]
    places = [(i + max(-start, 0)) * shape[second] + i + max(start, 0) for i in range(count)]
    return x.Gather(x.ints(places), axis=rank - 2)
