# SPDX-License-Identifier: Apache-2.0
"""Rules for convolutions, pools and normalisations."""

from __future__ import annotations

import math

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.train._mindir.operators import FLOATS, Call, Symbol, rule
from mindspore.train._mindir.rules.reductions import found_extreme, reduced, variance
from mindspore.train._mindir.rules.shapes import padded

_VALID, _NCHW = 2, 0  # texts of newer primitives are numbers


def _for_all_axes(values) -> tuple[int, ...]:
    """Sizes of two axes as primitives of images want them, for all four."""
    return (1, 1, *(int(value) for value in values))


# ---- convolutions ---------------------------------------------------------------------------------------


def _window_of_convolution(call: Call) -> dict:
    groups = call["groups"]
    return {
        "kernel_size": tuple(call.shape_of(1)[2:]),
        "mode": 1,
        "pad_mode": "pad",
        "pad": tuple(call["pad"]),
        "stride": _for_all_axes(call["stride"]),
        "dilation": _for_all_axes(call["dilation"]),
        "group": groups,
        "groups": groups,
        "format": "NCHW",
    }


@rule("conv2d")
def _convolution(call: Call) -> Symbol:
    x, weight, bias = (call.input(i, call.dtype) for i in range(3))
    window = _window_of_convolution(call)
    made = x.Conv2D(weight, shape=call.shape, out_channel=call.shape[1], **window)
    return made if bias is None else made.BiasAdd(bias, shape=call.shape, format="NCHW")


@rule("conv2d_input_gradient")
def _transposed_convolution(call: Call) -> Symbol:
    """The gradient primitive, which takes any size of the result."""
    x, weight = call.inputs(call.dtype)
    return x.Conv2DTranspose(
        weight,
        call.shape,
        shape=call.shape,
        out_channel=call.shape_of(1)[0],
        pad_list=tuple(call["pad"]),
        **_window_of_convolution(call),
    )


def _window_layers(call: Call, depth: int) -> np.ndarray:
    """Which layer, counted with the padding in front, each place of each window shows."""
    before, after = call["pad"]
    size, step, gap = call["kernel_size"], call["stride"], call["dilation"]
    count = (depth + before + after - (size - 1) * gap - 1) // step + 1
    return np.arange(count)[:, None] * step + np.arange(size)[None, :] * gap


@rule("depth_windows")
def _depth_windows(call: Call) -> Symbol:
    """Layers of volumes as channels of images, so that images' convolutions serve volumes."""
    x, shape = call.input(0), call.shape_of(0)
    before, after = call["pad"]
    x = padded(x, ((0, 0), (0, 0), (before, after), (0, 0), (0, 0)))
    layers = _window_layers(call, shape[2])
    return x.take(layers, 2).transpose((0, 2, 1, 3, 4, 5)).reshape(call.shape)


@rule("depth_windows_sum")
def _depth_windows_sum(call: Call) -> Symbol:
    """The other way: a product with zeros and ones adds up the layers."""
    rows, channels, depth, height, width = call.shape
    layers = _window_layers(call, depth) - call["pad"][0]
    windows, size = layers.shape
    table = (layers.reshape(-1, 1) == np.arange(depth)).astype(np.float32)
    x = call.input(0).reshape((rows, windows, channels, size, height, width))
    x = x.transpose((0, 2, 4, 5, 1, 3)).reshape((rows * channels * height * width, windows * size))
    total = x.MatMul(
        x.number(table), shape=(x.shape[0], depth), transpose_a=False, transpose_b=False
    ).reshape((rows, channels, height, width, depth))
    return total.transpose((0, 1, 4, 2, 3))


# ---- pools ------------------------------------------------------------------------------------------------


def _reach(call: Call) -> list[tuple[int, int]]:
    """Padding in front and behind of height and width, so that windows end where the input does."""
    result = []
    gaps = call.node.attributes.get("dilation") or (1, 1)
    for i, size in enumerate(call.shape_of(0)[-2:]):
        before = call["pad"][2 * i]
        end = (call.shape[-2 + i] - 1) * call["stride"][i] + (call["kernel_size"][i] - 1) * gaps[i] + 1
        result.append((before, max(end - before - size, 0)))
    return result


def _max_pooled(x: Symbol, call: Call) -> Symbol:
    return x.MaxPool(
        shape=call.shape,
        kernel_size=_for_all_axes(call["kernel_size"]),
        strides=_for_all_axes(call["stride"]),
        pad_mode="VALID",
        format="NCHW",
    )


def _lowest(dtype) -> float:
    return float(np.finfo(mstype.dtype_to_nptype(dtype)).min) if dtype in FLOATS else -math.inf


@rule("max_pool2d")
def _max_pool(call: Call) -> list[Symbol]:
    x = call.input(0)
    if not call.is_read(1) and tuple(call["dilation"]) == (1, 1):
        rims = [(0, 0)] * (len(x.shape) - 2) + _reach(call)
        return [_max_pooled(padded(x, rims, _lowest(x.dtype)), call)]
    return _max_by_place(call, x)


def _windows(call: Call) -> tuple[np.ndarray, np.ndarray]:
    """(windows, elements of one): positions in the plane, and whether they lie in it."""
    height, width = call.shape_of(0)[-2:]
    lines = []
    for i in range(2):
        starts = np.arange(call.shape[-2 + i]) * call["stride"][i] - call["pad"][2 * i]
        lines.append(starts[:, None] + np.arange(call["kernel_size"][i]) * call["dilation"][i])
    rows, columns = lines
    rows = rows[:, None, :, None] + 0 * columns[None, :, None, :]
    columns = columns[None, :, None, :] + 0 * rows
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    places = np.where(inside, rows * width + columns, 0)
    return tuple(part.reshape(call.shape[-2] * call.shape[-1], -1) for part in (places, inside))


def _max_by_place(call: Call, x: Symbol) -> list[Symbol]:
    """Windows laid out one after the other, where the place is asked for or windows have gaps."""
    places, inside = _windows(call)
    flat = x.reshape((*x.shape[:-2], x.shape[-2] * x.shape[-1]))
    spread = flat.take(places, len(flat.shape) - 1)
    if not inside.all():
        spread = spread.number(inside, mstype.bool_).where(spread, _lowest(x.dtype))
    which, most = found_extreme(spread, "ArgMaxWithValue", len(spread.shape) - 1, False)
    numbers = np.arange(places.shape[0]).reshape(1, 1, -1) * places.shape[1]
    table = which.number(places.reshape(-1))
    found = table.take(which + which.number(numbers), 0)
    return [most.reshape(call.shape), found.reshape(call.shape)]


@rule("avg_pool2d")
def _average_pool(call: Call) -> Symbol:
    """A sum of windows over how many elements each of them counts."""
    x = call.input(0)
    rims = [(0, 0)] * (len(x.shape) - 2) + _reach(call)
    pooled = padded(x, rims).AvgPool(
        shape=call.shape,
        kernel_size=tuple(call["kernel_size"]),
        strides=tuple(call["stride"]),
        pad_mode=_VALID,
        data_format=_NCHW,
    )
    counts = _counts(call)
    size = call["kernel_size"][0] * call["kernel_size"][1]
    return pooled if (counts == size).all() else pooled * x.number(size / counts)


def _counts(call: Call) -> np.ndarray:
    """What the sum of each window is divided by."""
    if call["divisor_override"]:
        return np.full(call.shape[-2:], call["divisor_override"])
    lines = []
    for i, size in enumerate(call.shape_of(0)[-2:]):
        before, after = call["pad"][2 * i : 2 * i + 2] if call["count_include_pad"] else (0, 0)
        starts = np.arange(call.shape[-2 + i]) * call["stride"][i] - call["pad"][2 * i]
        ends = np.minimum(starts + call["kernel_size"][i], size + after)
        lines.append(ends - np.maximum(starts, -before))
    return lines[0][:, None] * lines[1][None, :]


def _averages(inputs: int, outputs: int) -> np.ndarray:
    """(outputs, inputs): the share every position has in a mean."""
    table = np.zeros((outputs, inputs))
    for i in range(outputs):
        first, end = i * inputs // outputs, -(-(i + 1) * inputs // outputs)
        table[i, first:end] = 1 / (end - first)
    return table


@rule("adaptive_avg_pool2d")
def _adaptive_pool(call: Call) -> Symbol:
    x, (height, width), (rows, columns) = call.input(0), call.shape_of(0)[-2:], call.shape[-2:]
    if (rows, columns) == (1, 1):
        rank = len(x.shape)
        return reduced(x, "ReduceMean", (rank - 2, rank - 1))
    count = int(np.prod(x.shape[:-2]))
    product = {"transpose_a": False, "transpose_b": True}
    lines = x.reshape((count * height, width))
    lines = lines.MatMul(x.number(_averages(width, columns)), shape=(count * height, columns), **product)
    turned = lines.reshape((count, height, columns)).transpose((0, 2, 1)).reshape((count * columns, height))
    turned = turned.MatMul(x.number(_averages(height, rows)), shape=(count * columns, rows), **product)
    return turned.reshape((count, columns, rows)).transpose((0, 2, 1)).reshape(call.shape)


# ---- normalisations -----------------------------------------------------------------------------------


def _or_constant(call: Call, i: int, shape, value: int) -> Symbol:
    return call.input(i) if call.has(i) else call.constant(np.full(shape, value), mstype.float32)


@rule("batch_norm_inference")
def _batch_norm(call: Call) -> Symbol:
    channels = call.shape[1]
    scale, bias = _or_constant(call, 1, channels, 1), _or_constant(call, 2, channels, 0)
    vector = (scale.dtype, scale.shape)
    x = call.input(0)
    if len(x.shape) not in (2, 4):  # kernels know rows and images
        x = x.reshape((*x.shape[:2], int(np.prod(x.shape[2:])), 1))
    return x.several(
        "BatchNorm",
        scale,
        bias,
        call.input(3),
        call.input(4),
        types=[(x.dtype, x.shape), *[vector] * 4],
        wanted=1,
        is_training=False,
        epsilon=float(call["epsilon"]),
        momentum=0.1,
        format="NCHW",
    )[0].reshape(call.shape)


@rule("batch_norm_training")
def _batch_norm_training(call: Call) -> list[Symbol]:
    x, rank = call.input(0), len(call.shape)
    axes = tuple(axis for axis in range(rank) if axis != 1)
    mean, spread = reduced(x, "ReduceMean", axes), variance(x, axes)
    result = (x - mean) / (spread + call["epsilon"]).Sqrt()
    stretched = (call.shape[1], *[1] * (rank - 2))
    if call.has(1):
        result = result * call.input(1, call.dtype).reshape(stretched)
    if call.has(2):
        result = result + call.input(2, call.dtype).reshape(stretched)
    return [result, *(part.reshape((call.shape[1],)) for part in (mean, spread))]


@rule("layer_norm")
def _layer_norm(call: Call) -> list[Symbol]:
    x, rank = call.input(0), len(call.shape)
    axis, of_scale = call["begin_norm_axis"] % rank, call["begin_params_axis"] % rank
    scale = _or_constant(call, 1, call.shape[of_scale:], 1).to(call.dtype)
    bias = _or_constant(call, 2, call.shape[of_scale:], 0).to(call.dtype)
    statistics = (mstype.float32, call.node.types[1][1])
    return x.several(
        "LayerNorm",
        scale,
        bias,
        types=[call.node.types[0], statistics, statistics],
        wanted=call.wanted(),
        begin_norm_axis=axis,
        begin_params_axis=of_scale,
        epsilon=float(call["epsilon"]),
    )


@rule("softmax")
def _softmax(call: Call) -> Symbol:
    x = call.input(0, call.dtype)
    return x.Softmax(axis=(call["axis"],)) if x.shape else x.number(1)


@rule("dropout", "moving_average_update")
def _training(call: Call) -> list[Symbol]:
    call.refuse("it belongs to training; call 'set_train(False)' before exporting")
