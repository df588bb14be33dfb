# SPDX-License-Identifier: Apache-2.0
"""Convolutions, pools and normalisations of one to three spatial axes."""

from __future__ import annotations

import math

from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.train._onnx.functions.table import Attributes, function


def _same_pads(sizes, kernel, strides, dilations, is_lower: bool) -> list[int]:
    before, after = [], []
    for size, k, step, gap in zip(sizes, kernel, strides, dilations, strict=True):
        total = max((-(-size // step) - 1) * step + (k - 1) * gap + 1 - size, 0)
        small, large = total // 2, total - total // 2
        before.append(large if is_lower else small)
        after.append(small if is_lower else large)
    return [*before, *after]


class Window:
    """Kernel, strides, dilations and pads (all beginnings, then all ends) of a node."""

    def __init__(self, attributes: Attributes, sizes, kernel):
        rank = len(sizes)
        self.kernel = list(attributes.get("kernel_shape") or kernel)
        self.strides = list(attributes.get("strides") or [1] * rank)
        self.dilations = list(attributes.get("dilations") or [1] * rank)
        self.pads = list(attributes.get("pads") or [0] * (2 * rank))
        mode = attributes.get("auto_pad", "NOTSET")
        if mode in ("SAME_UPPER", "SAME_LOWER"):
            self.pads = _same_pads(sizes, self.kernel, self.strides, self.dilations, mode == "SAME_LOWER")
        elif mode not in ("NOTSET", "VALID", ""):
            attributes.refuse(f"the padding '{mode}'")
        if not rank == len(self.kernel) == len(self.strides) == len(self.dilations) == len(self.pads) / 2:
            raise ValueError(f"its attributes do not fit {rank} axes.")

    def sides(self) -> list[int]:
        """Beginning and end of each axis in turn, as our operators want them."""
        rank = len(self.kernel)
        return [self.pads[i + j * rank] for i in range(rank) for j in range(2)]

    def of_axes(self, axes) -> dict:
        """Arguments of operators on images, for one or two of the axes; a missing one is a line."""
        missing = 2 - len(axes)
        sides = self.sides()
        return {
            "kernel_size": [1] * missing + [self.kernel[i] for i in axes],
            "stride": [1] * missing + [self.strides[i] for i in axes],
            "dilation": [1] * missing + [self.dilations[i] for i in axes],
            "pad": [0] * (2 * missing) + [side for i in axes for side in sides[2 * i : 2 * i + 2]],
        }


# ---- convolutions -----------------------------------------------------------------------------------------


@function("Conv")
def _convolution(attributes: Attributes, x, weight, bias=None):
    rank, groups = x.ndim - 2, attributes.get("group", 1)
    window = Window(attributes, x.shape[2:], weight.shape[2:])
    if rank == 3:
        return op.conv3d_function(
            x,
            weight,
            bias,
            stride=window.strides,
            pad_mode="pad",
            padding=window.sides(),
            dilation=window.dilations,
            groups=groups,
        )
    if rank not in (1, 2):
        attributes.refuse(f"a convolution of {rank} axes")
    arguments = window.of_axes(range(rank))
    arguments.pop("kernel_size")
    if rank == 2:
        return op.conv2d(x, weight, bias, groups=groups, **arguments)
    lines = op.conv2d(
        op.expand_dims(x, axis=2), op.expand_dims(weight, axis=2), bias, groups=groups, **arguments
    )
    return op.squeeze(lines, axis=2)


def _transposed_window(attributes: Attributes, x, weight) -> tuple[Window, list[int]]:
    """The window, and the lengths of the result."""
    sizes, rank = x.shape[2:], x.ndim - 2
    mode = attributes.get("auto_pad", "NOTSET")
    plain = Attributes(attributes.kind, attributes.node, attributes.opset, dict(attributes.values), 1)
    plain.values.pop("auto_pad", None)
    window = Window(plain, sizes, weight.shape[2:])
    more = attributes.get("output_padding") or [0] * rank
    whole = [
        (sizes[i] - 1) * window.strides[i] + (window.kernel[i] - 1) * window.dilations[i] + 1 + more[i]
        for i in range(rank)
    ]
    wanted = attributes.get("output_shape")
    if wanted is None and mode.startswith("SAME"):
        wanted = [sizes[i] * window.strides[i] for i in range(rank)]
    if wanted is not None:
        wanted = list(wanted)[-rank:]
        totals = [max(whole[i] - wanted[i], 0) for i in range(rank)]
        halves = [total // 2 for total in totals]
        others = [total - half for total, half in zip(totals, halves, strict=True)]
        window.pads = [*halves, *others] if mode == "SAME_UPPER" else [*others, *halves]
        return window, wanted
    return window, [whole[i] - window.pads[i] - window.pads[i + rank] for i in range(rank)]


@function("ConvTranspose")
def _transposed_convolution(attributes: Attributes, x, weight, bias=None):
    rank, groups = x.ndim - 2, attributes.get("group", 1)
    window, size = _transposed_window(attributes, x, weight)
    if rank == 3:
        result = _transposed_volumes(x, weight, window, size, groups)
    elif rank == 2:
        arguments = window.of_axes(range(2))
        arguments.pop("kernel_size")
        result = op.conv2d_input_gradient(x, weight, input_size=size, groups=groups, **arguments)
    elif rank == 1:
        arguments = window.of_axes([0])
        arguments.pop("kernel_size")
        lines, kernels = op.expand_dims(x, axis=2), op.expand_dims(weight, axis=2)
        result = op.conv2d_input_gradient(lines, kernels, input_size=[1, *size], groups=groups, **arguments)
        result = op.squeeze(result, axis=2)
    else:
        attributes.refuse(f"a convolution of {rank} axes")
    return result if bias is None else op.add(result, op.reshape(bias, shape=(-1, *[1] * rank)))


def _transposed_volumes(x, weight, window: Window, size, groups: int):
    """Everything the kernels reach, then the part that padding leaves."""
    out = weight.shape[1] * groups
    whole = op.conv3d_transpose(
        x,
        weight,
        None,
        in_channel=x.shape[1],
        out_channel=out,
        kernel_size=window.kernel,
        stride=window.strides,
        dilation=window.dilations,
        group=groups,
    )
    # Lengths beyond the reach of the kernels hold zeros.
    ends = [window.pads[i] + size[i] - whole.shape[2 + i] for i in range(3)]
    pairs = [width for i in range(3) for width in (-window.pads[i], ends[i])]
    return op.pad_constant(whole, paddings=(0, 0, 0, 0, *pairs), value=0)


# ---- pools ------------------------------------------------------------------------------------------------


def _by_planes(x, pool):
    """Pools axes in one or two walks over images; `pool` gets images and which axes they show."""
    rank = x.ndim - 2
    if rank == 1:
        return op.squeeze(pool(op.expand_dims(x, axis=2), [0]), axis=2)
    if rank == 2:
        return pool(x, [0, 1])
    rows, channels, depth, height, width = x.shape
    flat = pool(op.reshape(x, shape=(rows, channels * depth, height, width)), [1, 2])
    height, width = flat.shape[2:]
    columns = op.transpose(op.reshape(flat, shape=(rows, channels, depth, height * width)), perm=(0, 1, 3, 2))
    pooled = op.transpose(pool(columns, [0]), perm=(0, 1, 3, 2))
    return op.reshape(pooled, shape=(rows, channels, pooled.shape[2], height, width))


@function("MaxPool")
def _max_pool(attributes: Attributes, x):
    if x.dtype in (mstype.int8, mstype.uint8):
        return op.cast(_max_pool(attributes, op.cast(x, mstype.float32)), x.dtype)
    window = Window(attributes, x.shape[2:], None)
    ceil = bool(attributes.get("ceil_mode", 0))
    if attributes.outputs > 1:
        if x.ndim != 4 or attributes.get("storage_order", 0):
            attributes.refuse("positions of maxima other than of images in rows")
        values, places = op.max_pool2d(x, ceil_mode=ceil, **window.of_axes([0, 1]))
        plane = x.shape[2] * x.shape[3]
        firsts = op.arange(start=0, end=x.shape[0] * x.shape[1] * plane, step=plane, dtype=mstype.int64)
        return values, op.add(op.cast(places, mstype.int64), firsts.reshape((*x.shape[:2], 1, 1)))
    return _by_planes(
        x, lambda images, axes: op.max_pool2d(images, ceil_mode=ceil, **window.of_axes(axes))[0]
    )


@function("AveragePool")
def _average_pool(attributes: Attributes, x):
    window = Window(attributes, x.shape[2:], None)
    if any(gap != 1 for gap in window.dilations):
        attributes.refuse("a pool with dilations")

    def pool(images, axes):
        arguments = window.of_axes(axes)
        arguments.pop("dilation")
        return op.avg_pool2d(
            images,
            ceil_mode=bool(attributes.get("ceil_mode", 0)),
            count_include_pad=bool(attributes.get("count_include_pad", 0)),
            **arguments,
        )

    return _by_planes(x, pool)


@function("LpPool")
def _lp_pool(attributes: Attributes, x):
    power, window = float(attributes.get("p", 2)), Window(attributes, x.shape[2:], None)
    if any(gap != 1 for gap in window.dilations):
        attributes.refuse("a pool with dilations")

    def pool(images, axes):
        arguments = window.of_axes(axes)
        arguments.pop("dilation")
        count = math.prod(arguments["kernel_size"])
        return op.mul(op.avg_pool2d(images, count_include_pad=True, **arguments), float(count))

    return op.pow(_by_planes(op.pow(op.abs(x), power), pool), 1 / power)


@function("GlobalAveragePool")
def _global_average(attributes: Attributes, x):
    return op.reduce_mean(x, axis=tuple(range(2, x.ndim)), keep_dims=True)


@function("GlobalMaxPool")
def _global_maximum(attributes: Attributes, x):
    return op.reduce_max(x, axis=tuple(range(2, x.ndim)), keep_dims=True)


# ---- normalisations -----------------------------------------------------------------------------------


@function("BatchNormalization")
def _batch_norm(attributes: Attributes, x, scale, bias, mean, spread):
    if attributes.get("training_mode", 0):
        attributes.refuse("training mode")
    epsilon = attributes.get("epsilon", 1e-5)
    return op.batch_norm_inference(x, scale, bias, mean, spread, epsilon=epsilon)


@function("InstanceNormalization")
def _instance_norm(attributes: Attributes, x, scale, bias):
    normal = op.layer_norm(
        x, None, None, begin_norm_axis=2, begin_params_axis=2, epsilon=attributes.get("epsilon", 1e-5)
    )[0]
    shape = (-1, *[1] * (x.ndim - 2))
    return op.add(op.mul(normal, op.reshape(scale, shape=shape)), op.reshape(bias, shape=shape))


@function("GroupNormalization")
def _group_norm(attributes: Attributes, x, scale, bias):
    groups = attributes.need("num_groups")
    epsilon = attributes.get("epsilon", 1e-5)
    if attributes.opset >= 21:
        return op.group_norm(x, weight=scale, bias=bias, num_groups=groups, eps=epsilon)
    normal = op.group_norm(x, num_groups=groups, eps=epsilon)
    grouped = op.reshape(normal, shape=(x.shape[0], groups, -1))
    scale, bias = (op.reshape(part, shape=(1, groups, 1)) for part in (scale, bias))
    return op.reshape(op.add(op.mul(grouped, scale), bias), shape=x.shape)


@function("LayerNormalization")
def _layer_norm(attributes: Attributes, x, scale, bias=None):
    axis, epsilon = attributes.get("axis", -1) % x.ndim, attributes.get("epsilon", 1e-5)
    normal, mean, spread = op.layer_norm(
        x, None, None, begin_norm_axis=axis, begin_params_axis=axis, epsilon=epsilon
    )
    result = op.mul(normal, scale)
    result = result if bias is None else op.add(result, bias)
    return (result, mean, op.rsqrt(op.add(spread, epsilon)))[: attributes.outputs]


@function("LpNormalization")
def _lp_norm(attributes: Attributes, x):
    axis, power = attributes.get("axis", -1), attributes.get("p", 2)
    sizes = op.abs(x) if power == 1 else op.square(x)
    total = op.reduce_sum(sizes, axis=(axis,), keep_dims=True)
    return op.div_no_nan(x, total if power == 1 else op.sqrt(total))


@function("MeanVarianceNormalization")
def _mean_variance(attributes: Attributes, x):
    axes = tuple(attributes.get("axes") or (0, 2, 3))
    centred = op.sub(x, op.reduce_mean(x, axis=axes, keep_dims=True))
    spread = op.reduce_mean(op.square(centred), axis=axes, keep_dims=True)
    return op.div(centred, op.add(op.sqrt(spread), 1e-9))


@function("LRN")
def _local_response(attributes: Attributes, x):
    size = attributes.need("size")
    before, after = (size - 1) // 2, size - 1 - (size - 1) // 2
    rows = op.reshape(op.square(x), shape=(x.shape[0], 1, x.shape[1], -1))
    means = op.avg_pool2d(
        rows, kernel_size=(size, 1), stride=(1, 1), pad=(before, after, 0, 0), count_include_pad=True
    )
    scaled = op.add(
        op.mul(op.reshape(means, shape=x.shape), attributes.get("alpha", 1e-4)), attributes.get("bias", 1.0)
    )
    return op.div(x, op.pow(scaled, attributes.get("beta", 0.75)))
