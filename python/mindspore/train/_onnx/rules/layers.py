# SPDX-License-Identifier: Apache-2.0
"""Rules for convolutions, pools and normalisations."""

from __future__ import annotations

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.train._onnx.operators import Call, Symbol, rule
from mindspore.train._onnx.rules.reductions import reduced, variance


def _pads(pad) -> tuple[int, ...]:
    """ONNX wants all beginnings, then all ends."""
    top, bottom, left, right = pad
    return (top, left, bottom, right)


# ---- convolutions ---------------------------------------------------------------------------------------


@rule("conv2d")
def _convolution(call: Call) -> Symbol:
    x, *others = call.inputs(call.dtype)
    return x.Conv(
        *others,
        kernel_shape=call.shape_of(1)[2:],
        pads=_pads(call["pad"]),
        strides=call["stride"],
        dilations=call["dilation"],
        group=call["groups"],
    )


@rule("conv2d_input_gradient")
def _transposed_convolution(call: Call) -> Symbol:
    x, weight = call.inputs(call.dtype)
    kernel, sizes = call.shape_of(1)[2:], call.shape_of(0)[2:]
    begins, ends, more = [], [], []
    for i in range(2):
        before, after = call["pad"][2 * i : 2 * i + 2]
        reach = (kernel[i] - 1) * call["dilation"][i] + 1
        missing = call["input_size"][i] - ((sizes[i] - 1) * call["stride"][i] + reach - before - after)
        begins.append(before)
        ends.append(after - min(missing, 0))
        more.append(max(missing, 0))
    return x.ConvTranspose(
        weight,
        kernel_shape=kernel,
        pads=(*begins, *ends),
        output_padding=tuple(more),
        strides=call["stride"],
        dilations=call["dilation"],
        group=call["groups"],
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
    if before or after:
        x = x.Pad(x.ints((0, 0, before, 0, 0, 0, 0, after, 0, 0)))
    layers = call.constant(_window_layers(call, shape[2]), mstype.int64)
    return x.Gather(layers, axis=2).Transpose(perm=(0, 2, 1, 3, 4, 5)).reshape(call.shape)


@rule("depth_windows_sum")
def _depth_windows_sum(call: Call) -> Symbol:
    """The other way: a product with zeros and ones adds up the layers."""
    rows, channels, depth, height, width = call.shape
    layers = _window_layers(call, depth) - call["pad"][0]
    windows, size = layers.shape
    table = (layers.reshape(-1, 1) == np.arange(depth)).astype(np.float32)
    x = call.input(0).reshape((rows, windows, channels, size, height, width))
    x = x.Transpose(perm=(0, 2, 4, 5, 1, 3)).reshape((rows, channels, height, width, windows * size))
    return x.MatMul(call.constant(table)).Transpose(perm=(0, 1, 4, 2, 3))


# ---- pools ------------------------------------------------------------------------------------------------


def _window(call: Call) -> dict:
    return {
        "kernel_shape": call["kernel_size"],
        "strides": call["stride"],
        "pads": _pads(call["pad"]),
        "ceil_mode": int(call["ceil_mode"]),
    }


@rule("max_pool2d")
def _max_pool(call: Call) -> list[Symbol]:
    attributes = {**_window(call), "dilations": call["dilation"]}
    if not call.is_read(1):
        return [call.input(0).MaxPool(**attributes)]
    values, places = call.input(0).MaxPool(outputs=2, **attributes)
    places.dtype = mstype.int64  # counted over all planes
    plane = call.shape_of(0)[2] * call.shape_of(0)[3]
    return [values, places.Mod(plane).to(mstype.int32)]


@rule("avg_pool2d")
def _average_pool(call: Call) -> Symbol:
    divisor = call["divisor_override"]
    pooled = call.input(0).AveragePool(
        count_include_pad=int(bool(divisor) or call["count_include_pad"]), **_window(call)
    )
    height, width = call["kernel_size"]
    return pooled * (height * width / divisor) if divisor else pooled


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
    if len(call.shape) == 4 and (rows, columns) == (1, 1):
        return x.GlobalAveragePool()
    if len(call.shape) == 4 and height % rows == 0 and width % columns == 0:
        window = (height // rows, width // columns)
        return x.AveragePool(kernel_shape=window, strides=window)
    vertical = call.constant(_averages(height, rows)).MatMul(x)
    return vertical.MatMul(call.constant(_averages(width, columns).T))


def _flat_planes(x: Symbol, shape) -> Symbol:
    return x.reshape((*shape[:2], shape[2] * shape[3]))


@rule("plane_gather")
def _plane_gather(call: Call) -> Symbol:
    places = _flat_planes(call.input(1), call.shape_of(1))
    return _flat_planes(call.input(0), call.shape_of(0)).GatherElements(places, axis=2).reshape(call.shape)


@rule("plane_scatter")
def _plane_scatter(call: Call) -> Symbol:
    places = _flat_planes(call.input(1), call.shape_of(1))
    values = _flat_planes(call.input(0), call.shape_of(0))
    flat = (*call.shape[:2], call.shape[2] * call.shape[3])
    zeros = call.constant(0).Expand(values.ints(flat))
    return zeros.ScatterElements(places, values, axis=2, reduction="add").reshape(call.shape)


# ---- normalisations -----------------------------------------------------------------------------------


def _or_ones(call: Call, i: int, shape, value: int) -> Symbol:
    return call.input(i, call.dtype) if call.has(i) else call.constant(np.full(shape, value))


@rule("batch_norm_inference")
def _batch_norm(call: Call) -> Symbol:
    channels = call.shape[1]
    scale, bias = _or_ones(call, 1, channels, 1), _or_ones(call, 2, channels, 0)
    mean, spread = call.input(3, call.dtype), call.input(4, call.dtype)
    return call.input(0).BatchNormalization(scale, bias, mean, spread, epsilon=float(call["epsilon"]))


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
    kept = (call.shape[1],)
    return [result, *(s.reshape(kept).to(call.node.types[1][0]) for s in (mean, spread))]


@rule("layer_norm")
def _layer_norm(call: Call) -> list[Symbol]:
    x, rank = call.input(0), len(call.shape)
    axis, of_scale = call["begin_norm_axis"] % rank, call["begin_params_axis"] % rank
    reads_statistics = call.is_read(1) or call.is_read(2)
    if axis == of_scale and not reads_statistics:
        scale = _or_ones(call, 1, call.shape[axis:], 1)
        return [
            x.LayerNormalization(scale, call.input(2, call.dtype), axis=axis, epsilon=float(call["epsilon"]))
        ]
    axes = tuple(range(axis, rank))
    mean, spread = reduced(x, "ReduceMean", axes), variance(x, axes)
    result = (x - mean) / (spread + call["epsilon"]).Sqrt()
    if call.has(1):
        result = result * call.input(1, call.dtype)
    if call.has(2):
        result = result + call.input(2, call.dtype)
    return [result, *(s.to(call.node.types[1][0]) for s in (mean, spread))]


@rule("softmax")
def _softmax(call: Call) -> Symbol:
    return call.input(0, call.dtype).Softmax(axis=call["axis"])


@rule("log_softmax")
def _log_softmax(call: Call) -> Symbol:
    return call.input(0, call.dtype).LogSoftmax(axis=call["axis"])


@rule("dropout", "moving_average_update")
def _training(call: Call) -> list[Symbol]:
    call.refuse("it belongs to training; call 'set_train(False)' before exporting")
