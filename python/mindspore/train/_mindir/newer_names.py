# SPDX-License-Identifier: Apache-2.0
"""Operators that have no primitive class here, by what this package computes them with."""

from __future__ import annotations

from mindspore import ops
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.ops._registry import op


def _typed(result: Tensor, dtype) -> Tensor:
    return result if dtype is None else result.astype(dtype)


def _long(found) -> tuple[Tensor, Tensor]:
    """Values, and their places as int64."""
    return found[0], found[1].astype(mstype.int64)


def _mean(x, dim, keepdim, dtype):
    return _typed(ops.mean(_typed(x, dtype), dim, keepdim), dtype)


def _prod(x, dim, keepdim, dtype):
    return ops.prod(x, dim, keepdim, dtype=dtype)


def _flat(x, start, end):
    return ops.flatten(x, start_dim=start, end_dim=end)


def _conv(function):
    return lambda x, weight, bias, stride, padding, dilation, groups: function(
        x, weight, bias, stride, "pad", padding, dilation, groups
    )


def _layer_norm(x, shape, weight, bias, eps):
    """Result, mean and reciprocal deviation."""
    axes = tuple(range(x.ndim - len(shape), x.ndim))
    mean = ops.mean(x, axes, True)
    deviation = ops.rsqrt(ops.mean(ops.square(x - mean), axes, True) + eps)
    return ops.layer_norm(x, tuple(shape), weight, bias, eps), mean, deviation


def _batch_norm(x, weight, bias, mean, variance, training, momentum, eps):
    """Result, mean and reciprocal deviation."""
    axes = tuple(axis for axis in range(x.ndim) if axis != 1)
    used = (ops.mean(x, axes), ops.var(x, axes)) if training else (mean, variance)
    result = ops.batch_norm(x, mean, variance, weight, bias, training, momentum, eps)
    return result, used[0], ops.rsqrt(used[1] + eps)


def _max_pool(x, kernel_size, strides, pads, dilation, ceil_mode, argmax_type):
    return ops.max_pool2d(x, kernel_size, strides, pads, dilation, return_indices=True, ceil_mode=ceil_mode)


def _lstm(x, h, c, weights, *settings):
    """One layer in one direction; the weights stand one after the other in one tensor."""
    input_size, hidden_size, layers, has_bias, is_bidirectional, _, projection = settings
    if layers != 1 or is_bidirectional or projection:
        raise NotImplementedError("An 'LSTM' of a MindIR file must have one layer and one direction.")
    flat, rows = weights.reshape(-1), 4 * hidden_size
    first = rows * input_size
    second = first + rows * hidden_size
    bias = flat[second : second + rows] if has_bias else None
    gates = op.dense(x, flat[:first].reshape(rows, input_size), bias)
    recurrent = flat[first:second].reshape(rows, hidden_size)
    hidden, cells = op.lstm_scan(gates, h[0], c[0], recurrent, None, False)[:2]
    unused = ops.zeros((1, 1), x.dtype)
    return hidden, hidden[-1:], cells[-1:], unused, unused


def _extreme(function):
    return lambda x, dim, keepdim: _long(function(x, dim, keepdim))


def _slice(x, dim, start, end, step):
    index = [slice(None)] * x.ndim
    index[dim] = slice(start, end, step)
    return x[tuple(index)]


def _select(x, dim, index):
    where = [slice(None)] * x.ndim
    where[dim] = index
    return x[tuple(where)]


def _pad(mode):
    return lambda x, padding: ops.pad(x, tuple(padding), mode)


def _upsample(mode):
    return lambda x, size, scales, corners=None: ops.interpolate(
        x, size=size, scale_factor=scales, mode=mode, align_corners=corners
    )


def _var(function):
    return lambda x, dim, correction, keepdim: function(x, dim, correction, keepdim)


# Name -> (names of the arguments in the order of the definition, function of them).
NEWER_NAMES = {
    "MatMulExt": ("input other", ops.matmul),
    "BatchMatMulExt": ("input mat2", ops.bmm),
    "Mm": ("input mat2", ops.matmul),
    "Mv": ("input vec", ops.mv),
    "Dot": ("input other", ops.matmul),
    "Outer": ("input vec2", ops.outer),
    "Addmm": ("input mat1 mat2 beta alpha", lambda x, a, b, beta, alpha: beta * x + alpha * ops.matmul(a, b)),
    "Baddbmm": ("input batch1 batch2 beta alpha", ops.baddbmm),
    "AddExt": ("input other alpha", lambda x, y, alpha: x + (y if alpha == 1 else y * alpha)),
    "SubExt": ("input other alpha", lambda x, y, alpha: x - (y if alpha == 1 else y * alpha)),
    "AddScalar": ("input other alpha", lambda x, y, alpha: x + y * alpha),
    "SubScalar": ("input other alpha", lambda x, y, alpha: x - y * alpha),
    "Muls": ("input other", lambda x, y: x * y),
    "Divs": ("input other", lambda x, y: x / y),
    "DivMod": ("input other rounding_mode", lambda x, y, mode: ops.div(x, y, rounding_mode=mode)),
    "DivMods": ("input other rounding_mode", lambda x, y, mode: ops.div(x, y, rounding_mode=mode)),
    "FloorDivScalar": ("input other", lambda x, y: x // y),
    "PowTensorScalar": ("input exponent", lambda x, y: x**y),
    "PowScalarTensor": ("input exponent", lambda x, y: x**y),
    "RemainderTensorScalar": ("input other", ops.remainder),
    "RemainderTensorTensor": ("input other", ops.remainder),
    "RemainderScalarTensor": ("input other", ops.remainder),
    "FmodScalar": ("input other", ops.fmod),
    "FmodTensor": ("input other", ops.fmod),
    "GreaterEqualScalar": ("input other", lambda x, y: x >= y),
    "BitwiseAndScalar": ("input other", lambda x, y: x & y),
    "BitwiseAndTensor": ("input other", lambda x, y: x & y),
    "BitwiseOrScalar": ("input other", lambda x, y: x | y),
    "BitwiseOrTensor": ("input other", lambda x, y: x | y),
    "BitwiseXorScalar": ("input other", lambda x, y: x ^ y),
    "BitwiseXorTensor": ("input other", lambda x, y: x ^ y),
    "SumExt": ("input dim keepdim dtype", lambda x, dim, keep, dtype: ops.sum(x, dim, keep, dtype=dtype)),
    "MeanExt": ("input dim keepdim dtype", _mean),
    "ProdExt": ("input dim keepdim dtype", _prod),
    "Std": ("input dim correction keepdim", _var(ops.std)),
    "Var": ("input dim correction keepdim", _var(ops.var)),
    "StdMean": ("input dim correction keepdim", _var(ops.std_mean)),
    "VarMean": ("input dim correction keepdim", _var(ops.var_mean)),
    "LogSumExp": ("input dim keepdim", ops.logsumexp),
    "Max": ("input", lambda x: ops.amax(x)),
    "Min": ("input", lambda x: ops.amin(x)),
    "MaxDim": ("input dim keepdim", _extreme(ops.max)),
    "MinDim": ("input dim keepdim", _extreme(ops.min)),
    "ArgMaxExt": ("input dim keepdim", ops.argmax),
    "ArgMinExt": ("input dim keepdim", ops.argmin),
    "Any": ("input", ops.any),
    "AnyExt": ("input dim keepdim", ops.any),
    "SortExt": ("input dim descending stable", lambda x, dim, down, stable: _long(ops.sort(x, dim, down))),
    "ArgSort": ("input dim descending stable", lambda x, dim, down, stable: _long(ops.sort(x, dim, down))[1]),
    "TopkExt": ("input k dim largest sorted", lambda *given: _long(ops.topk(*given))),
    "CumsumExt": ("input dim dtype", ops.cumsum),
    "AcosExt": ("input", ops.acos),
    "AcoshExt": ("input", ops.acosh),
    "AsinExt": ("input", ops.asin),
    "AsinhExt": ("input", ops.asinh),
    "AtanExt": ("input", ops.atan),
    "Atan2Ext": ("input other", ops.atan2),
    "Exp2": ("input", ops.exp2),
    "Log2": ("input", ops.log2),
    "Log10": ("input", ops.log10),
    "Frac": ("input", ops.frac),
    "LogAddExp": ("input other", ops.logaddexp),
    "LogSigmoid": ("input", lambda x: (ops.logsigmoid(x), x)),
    "LogSoftmaxExt": ("input dim dtype", lambda x, dim, dtype: ops.log_softmax(_typed(x, dtype), dim)),
    "GeluExt": ("input approximate", ops.gelu),
    "MishExt": ("input", ops.mish),
    "SeLUExt": ("input", ops.selu),
    "EluExt": ("input alpha", ops.elu),
    "LeakyReLUExt": ("input negative_slope", ops.leaky_relu),
    "SoftplusExt": ("input beta threshold", ops.softplus),
    "Hardtanh": ("input min_val max_val", ops.hardtanh),
    "Threshold": ("input threshold value", ops.threshold),
    "ClampScalar": ("input min max", ops.clamp),
    "ClampTensor": ("input min max", ops.clamp),
    "SelectV2": ("condition input other", ops.where),
    "LerpScalar": ("input end weight", ops.lerp),
    "DropoutExt": ("input p seed offset", lambda x, p, seed, offset: ops.Dropout(1.0 - p)(x)),
    "Embedding": (
        "input weight padding_idx max_norm norm_type scale_grad_by_freq",
        ops.embedding,
    ),
    "LayerNormExt": ("input normalized_shape weight bias eps", _layer_norm),
    "GroupNorm": ("input num_groups weight bias eps", lambda *given: (ops.group_norm(*given),)),
    "Conv1DExt": ("input weight bias stride padding dilation groups", _conv(ops.conv1d)),
    "Conv2DExt": ("input weight bias stride padding dilation groups", _conv(ops.conv2d)),
    "Conv3DExt": ("input weight bias stride padding dilation groups", _conv(ops.conv3d)),
    "MaxPoolWithIndices": ("x kernel_size strides pads dilation ceil_mode argmax_type", _max_pool),
    "MaxPoolWithArgmaxV2": ("x kernel_size strides pads dilation ceil_mode argmax_type", _max_pool),
    "MaxPoolWithMask": ("x kernel_size strides pads dilation ceil_mode argmax_type", _max_pool),
    "BatchNormExt": ("input weight bias running_mean running_var training momentum epsilon", _batch_norm),
    "LSTM": (
        "x h c w input_size hidden_size num_layers has_bias bidirectional dropout proj_size",
        _lstm,
    ),
    "AvgPool2D": (
        "input kernel_size stride padding ceil_mode count_include_pad divisor_override",
        lambda *given: ops.avg_pool2d(*given[:6], given[6] or 0),
    ),
    "AdaptiveAvgPool1D": ("input output_size", ops.adaptive_avg_pool1d),
    "AdaptiveAvgPool2DExt": ("input output_size", ops.adaptive_avg_pool2d),
    "AdaptiveAvgPool3DExt": ("input output_size", ops.adaptive_avg_pool3d),
    "PixelShuffle": ("input upscale_factor", ops.pixel_shuffle),
    "ConstantPadND": (
        "input padding value",
        lambda x, pads, value: ops.pad(x, tuple(pads), "constant", value),
    ),
    "ReflectionPad1D": ("input padding", _pad("reflect")),
    "ReflectionPad2D": ("input padding", _pad("reflect")),
    "ReflectionPad3D": ("input padding", _pad("reflect")),
    "ReplicationPad1D": ("input padding", _pad("replicate")),
    "ReplicationPad2D": ("input padding", _pad("replicate")),
    "ReplicationPad3D": ("input padding", _pad("replicate")),
    "UpsampleNearest1D": ("x output_size scales", _upsample("nearest")),
    "UpsampleNearest2D": ("x output_size scales", _upsample("nearest")),
    "UpsampleNearest3D": ("x output_size scales", _upsample("nearest")),
    "UpsampleLinear1D": ("x output_size scales align_corners", _upsample("linear")),
    "UpsampleBilinear2D": ("x output_size scales align_corners", _upsample("bilinear")),
    "UpsampleBicubic2D": ("x output_size scales align_corners", _upsample("bicubic")),
    "UpsampleTrilinear3D": ("x output_size scales align_corners", _upsample("trilinear")),
    "L1LossExt": ("input target reduction", ops.l1_loss),
    "MSELossExt": ("input target reduction", ops.mse_loss),
    "FlattenExt": ("input start_dim end_dim", _flat),
    "View": ("input shape", lambda x, shape: x.reshape(tuple(shape))),
    "ViewAs": ("input other", lambda x, y: x.reshape(y.shape)),
    "ExpandAs": ("input other", lambda x, y: ops.broadcast_to(x, y.shape)),
    "BroadcastToView": ("input shape", ops.broadcast_to),
    "ExpandDimsView": ("input dim", ops.expand_dims),
    "TransposeView": ("input input_perm", ops.transpose),
    "TransposeExtView": ("input dim0 dim1", ops.swapaxes),
    "TExt": ("input", lambda x: x if x.ndim < 2 else ops.swapaxes(x, 0, 1)),
    "SliceExt": ("input dim start end step", _slice),
    "SliceExtView": ("input dim start end step", _slice),
    "SelectExtView": ("input dim index", _select),
    "Narrow": ("input dim start length", ops.narrow),
    "NarrowView": ("input dim start length", ops.narrow),
    "Chunk": ("input chunks dim", ops.chunk),
    "ChunkView": ("input chunks dim", ops.chunk),
    "SplitTensor": ("input split_size dim", ops.split),
    "SplitTensorView": ("input split_size dim", ops.split),
    "SplitWithSize": ("input split_size dim", lambda x, sizes, dim: ops.split(x, list(sizes), dim)),
    "SplitWithSizeView": ("input split_size dim", lambda x, sizes, dim: ops.split(x, list(sizes), dim)),
    "StackExt": ("tensors dim", ops.stack),
    "UnstackExtView": ("input dim", ops.unbind),
    "RepeatInterleaveInt": (
        "input repeats dim output_size",
        lambda x, n, dim, size: x.repeat_interleave(n, dim),
    ),
    "IndexSelect": ("input dim index", ops.index_select),
    "OneHotExt": ("tensor num_classes on_value off_value axis", ops.one_hot),
    "TrilExt": ("input diagonal", ops.tril),
    "TraceExt": ("input", ops.trace),
    "Arange": ("start end step dtype", lambda *given: ops.arange(*given[:3], dtype=given[3])),
    "LinSpaceExt": ("start end steps dtype", lambda *given: _typed(ops.linspace(*given[:3]), given[3])),
    "FillScalar": ("size fill_value dtype", lambda size, value, dtype: ops.full(size, value, dtype=dtype)),
    "FullLike": ("input fill_value dtype", lambda x, value, dtype: ops.full_like(x, value, dtype=dtype)),
    "OnesLikeExt": ("input dtype", lambda x, dtype: ops.ones_like(x, dtype=dtype)),
    "ZerosLikeExt": ("input dtype", lambda x, dtype: ops.zeros_like(x, dtype=dtype)),
    "TypeAs": ("input other", lambda x, y: x.astype(y.dtype)),
    "EqualExt": ("input other", lambda x, y: ops.all(x == y)),
    "NonZeroExt": ("input", ops.nonzero),
    "Contiguous": ("input", lambda x: x),
    "Copy": ("input", lambda x: x),
    "Clone": ("input", lambda x: x),
}


def call_newer(name: str, arguments: list, attributes: dict, convert):
    """Calls an operator of the table.

    Args:
        name (str): The operator.
        arguments (list): Arguments in the order of its definition.
        attributes (dict): What is not among the arguments, by name.
        convert (Callable): Of an argument's name and value: numbers that stand for types and texts.
    """
    names, function = NEWER_NAMES[name]
    names = names.split()
    if len(arguments) > len(names):
        raise TypeError(f"'{name}' takes {len(names)} arguments, but got {len(arguments)}.")
    given = [*arguments, *(attributes.get(one) for one in names[len(arguments) :])]
    return function(*(convert(one, value) for one, value in zip(names, given, strict=True)))
