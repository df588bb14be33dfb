# SPDX-License-Identifier: Apache-2.0
"""Primitives that layers have as attributes: to be given a strategy, or used by derived classes.

Layers here call operators and need no primitives, so each is made when it is first read, and kept. What a
class has, classes derived from it have as well. So are a few settings, under the names they have there.
What is assigned to one of them takes its place in the computation (`_by_primitives.py`).
"""

from __future__ import annotations

from collections.abc import Callable

from mindspore.nn._on_demand import OnDemand


class InnerPrimitive(OnDemand):
    """A primitive (or setting) of a layer: made when first read, then the same; another may be assigned.

    Args:
        make (Union[str, Callable]): Name of the primitive, or what takes `mindspore.ops` and the layer.
        is_whole_layer (bool): Whether the layer does nothing but apply it. Default: ``False``.
    """

    def __init__(self, make: str | Callable, is_whole_layer: bool = False):
        super().__init__(make)
        self.__doc__ = type(self).__doc__
        self.is_whole_layer = is_whole_layer

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        made = instance.__dict__[self._name] = self.made_for(instance)
        return made

    def made_for(self, layer) -> object:
        from mindspore import ops

        return getattr(ops, self._make)() if isinstance(self._make, str) else self._make(ops, layer)


def inner_primitive(name: str, *constants: object, **attributes: str) -> InnerPrimitive:
    """A primitive of a class that is written there.

    Args:
        name (str): Its name in `mindspore.ops`.
        constants (tuple): First arguments of its constructor.
        attributes (dict): Other arguments, each with the attribute of the cell that holds its value.
    """

    def make(ops, cell):
        given = {argument: getattr(cell, held) for argument, held in attributes.items()}
        return getattr(ops, name)(*constants, **given)

    return InnerPrimitive(make)


def _pads(layer) -> tuple:
    """Padding of a convolution in front of and behind every axis."""
    return layer._pads


def _pool_mode(layer) -> tuple:
    """What pooling primitives of images take: kernel, strides, mode; padding is the layer's own work."""
    return layer.kernel_size, layer.stride, "valid" if layer.pad_mode.upper() == "PAD" else layer.pad_mode


_CONVOLUTION = {"bias_add": "BiasAdd", "shape": "Shape"}
_TRANSPOSED = {
    **_CONVOLUTION,
    "is_valid": lambda ops, layer: layer.pad_mode == "valid",
    "is_same": lambda ops, layer: layer.pad_mode == "same",
    "is_pad": lambda ops, layer: layer.pad_mode == "pad",
}
_SEQUENCE = {"expand_dims": "ExpandDims", "squeeze": lambda ops, layer: ops.Squeeze(2)}
_POOLED_SEQUENCE = {"expand": "ExpandDims", "squeeze": lambda ops, layer: ops.Squeeze(2), "shape": "Shape"}
_RECURRENT = {
    "reverse": lambda ops, layer: ops.ReverseV2([0]),
    "reverse_sequence": lambda ops, layer: ops.ReverseSequence(0, 1),
}
_BATCH_NORM = {
    "bn_train": lambda ops, layer: ops.BatchNorm(True, layer.eps, layer.momentum, "NCHW"),
    "bn_infer": lambda ops, layer: ops.BatchNorm(False, layer.eps, data_format="NCHW"),
    "shape": "Shape",
    "reduce_mean": lambda ops, layer: ops.ReduceMean(keep_dims=True),
    "square": "Square",
    "sqrt": "Sqrt",
    "dtype": "DType",
    "reshape": "Reshape",
    "sub_mean": "Sub",
    "sub_var": "Sub",
    "mul_mean": "Mul",
    "mul_var": "Mul",
    "assign_sub_mean": "AssignSub",
    "assign_sub_var": "AssignSub",
}
_EMBEDDING = {
    "expand": "ExpandDims",
    "reshape_flat": "Reshape",
    "gather": "Gather",
    "one_hot": "OneHot",
    "array_mul": "MatMul",
    "reshape": "Reshape",
    "get_shp": "Shape",
    "concat": "Concat",
}
_LOOKUP = {
    "gatherv2": "SparseGatherV2",
    "embeddinglookup": "EmbeddingLookup",
    "unique": "Unique",
    "gather_revert": "Gather",
    "reshape_first": "Reshape",
    "reshape": "Reshape",
    "shape": "Shape",
}

_TABLE: dict[str, dict[str, str | Callable]] = {
    "Cell": {"cast": "Cast"},
    # Activations.
    "Softmax": {"softmax": lambda ops, layer: ops.Softmax(layer.axis)},
    "Softmax2d": {"softmax": lambda ops, layer: ops.Softmax(axis=-3), "shape": "Shape"},
    "LogSoftmax": {"log_softmax": lambda ops, layer: ops.LogSoftmax(layer.axis)},
    "ReLU": {"relu": "ReLU"},
    "ReLU6": {"relu6": "ReLU6"},
    "Tanh": {"tanh": "Tanh"},
    "Sigmoid": {"sigmoid": "Sigmoid"},
    "FastGelu": {"fast_gelu": "FastGeLU"},
    "Mish": {"mish": "Mish"},
    "Softsign": {"softsign": "Softsign"},
    "SeLU": {"selu": "SeLU"},
    "HSwish": {"hswish": "HSwish"},
    "HSigmoid": {"hsigmoid": "HSigmoid"},
    "PReLU": {"prelu": "PReLU"},
    "RReLU": {"sign": "Sign"},
    "ELU": {"elu": lambda ops, layer: ops.Elu(layer.alpha)},
    "CELU": {"celu": lambda ops, layer: ops.CeLU(layer.alpha)},
    "HShrink": {"hshrink": lambda ops, layer: ops.HShrink(layer.lambd)},
    "SoftShrink": {"softshrink": lambda ops, layer: ops.SoftShrink(layer.lambd)},
    "LogSigmoid": {"mul": "Mul", "exp": "Exp", "add": "Add", "rec": "Reciprocal", "log": "Log"},
    "GLU": {"sigmoid": "Sigmoid", "dim": lambda ops, layer: layer.axis},
    # Dense layers, dropout and shapes.
    "Dense": {"reshape": "Reshape", "shape_op": "Shape"},
    "BiDense": {"matmul": lambda ops, layer: ops.MatMul(transpose_b=True), "bias_add": "BiasAdd"},
    "Dropout": {"dropout": lambda ops, layer: ops.Dropout(layer.keep_prob)},
    "Dropout2d": {"dropout2d": lambda ops, layer: ops.Dropout2D(layer.keep_prob),
                  "keep_prob": lambda ops, layer: 1.0 - layer.p},
    "Dropout3d": {"dropout3d": lambda ops, layer: ops.Dropout3D(layer.keep_prob),
                  "keep_prob": lambda ops, layer: 1.0 - layer.p},
    "Unflatten": {"shape": "Shape", "reshape": "Reshape"},
    "OneHot": {"onehot": lambda ops, layer: ops.OneHot(layer.axis)},
    "TimeDistributed": {"transpose": "Transpose", "reshape": "Reshape"},
    "ChannelShuffle": {"shape": "Shape", "reshape": "Reshape", "transpose": "Transpose"},
    "CentralCrop": {"slice": "Slice"},
    "Tril": {"dtype": "DType", "mul": "Mul"},
    "Triu": {"dtype": "DType", "mul": "Mul"},
    "Norm": {"sqrt": "Sqrt", "squeeze": "Squeeze",
             "reduce_sum": lambda ops, layer: ops.ReduceSum(layer.keep_dims)},
    "Moments": {"square_diff": "SquaredDifference",
                "reduce_mean": lambda ops, layer: ops.ReduceMean(keep_dims=True),
                "squeeze": lambda ops, layer: ops.Squeeze(layer.axis)},
    "ReduceLogSumExp": {"exp": "Exp", "log": "Log",
                        "sum": lambda ops, layer: ops.ReduceSum(layer.keep_dims),
                        "max": lambda ops, layer: ops.ReduceMax(keep_dims=True)},
    "SparseToDense": {"sparse_to_dense": "SparseToDense"},
    # Convolutions.
    "Conv1d": {
        **_CONVOLUTION, **_SEQUENCE,
        "conv2d": lambda ops, layer: ops.Conv2D(
            layer.out_channels, (1, *layer.kernel_size[-1:]), 1, layer.pad_mode,
            (0, 0, *_pads(layer)[-2:]) if layer.pad_mode == "pad" else 0,
            (1, *layer.stride[-1:]), (1, *layer.dilation[-1:]), layer.group),
    },
    "Conv2d": {"shape": "Shape"},
    "Conv3d": {
        **_CONVOLUTION,
        "bias_add": lambda ops, layer: ops.BiasAdd(layer.data_format),
        "conv3d": lambda ops, layer: ops.Conv3D(
            layer.out_channels, layer.kernel_size, 1, layer.pad_mode, layer.padding, layer.stride,
            layer.dilation, layer.group, layer.data_format),
        "concat": lambda ops, layer: ops.Concat(1),
        "split_0": lambda ops, layer: ops.Split(0, layer.group),
        "split_1": lambda ops, layer: ops.Split(1, layer.group),
    },
    "Conv1dTranspose": {
        **_TRANSPOSED, **_SEQUENCE,
        "conv2d_transpose": lambda ops, layer: ops.Conv2DTranspose(
            layer.in_channels, (1, *layer.kernel_size[-1:]), layer.pad_mode, layer.padding, None, 1,
            (1, *layer.stride[-1:]), (1, *layer.dilation[-1:]), layer.group),
    },
    "Conv2dTranspose": {
        **_TRANSPOSED,
        "conv2d_transpose": lambda ops, layer: ops.Conv2DTranspose(
            layer.in_channels, layer.kernel_size, layer.pad_mode, layer.padding, None, 1, layer.stride,
            layer.dilation, layer.group),
    },
    "Conv3dTranspose": {
        **_CONVOLUTION,
        "bias_add": lambda ops, layer: ops.BiasAdd(layer.data_format),
        "conv3d_transpose": lambda ops, layer: ops.Conv3DTranspose(
            layer.in_channels, layer.out_channels, layer.kernel_size, 1, layer.pad_mode, layer.padding,
            layer.stride, layer.dilation, layer.group, layer.output_padding, layer.data_format),
    },
    # Pooling.
    "MaxPool1d": {**_POOLED_SEQUENCE, "reduce_mean": lambda ops, layer: ops.ReduceMean(keep_dims=True),
                  "max_pool": lambda ops, layer: ops.MaxPool(*_flat(_pool_mode(layer)))},
    "MaxPool2d": {"format": lambda ops, layer: layer.data_format,
                  "use_pad": lambda ops, layer: layer.pad_mode == "pad",
                  "max_pool": lambda ops, layer: ops.MaxPool(*_pool_mode(layer), layer.data_format)},
    "MaxPool3d": {"max_pool": lambda ops, layer: ops.MaxPool3D(*_pool_mode(layer))},
    "AvgPool1d": {**_POOLED_SEQUENCE, "slice": "Slice",
                  "reduce_mean": lambda ops, layer: ops.ReduceMean(keep_dims=True),
                  "avg_pool": lambda ops, layer: ops.AvgPool(*_flat(_pool_mode(layer)))},
    "AvgPool2d": {"format": lambda ops, layer: layer.data_format,
                  "avg_pool": lambda ops, layer: ops.AvgPool(*_pool_mode(layer), layer.data_format)},
    "AvgPool3d": {"avg_pool": lambda ops, layer: ops.AvgPool3D(*_pool_mode(layer))},
    "AdaptiveAvgPool1d": {**_POOLED_SEQUENCE, "dtype": "DType"},
    "AdaptiveMaxPool1d": {**_POOLED_SEQUENCE, "dtype": "DType"},
    "AdaptiveAvgPool2d": {
        "adaptive_avgpool2d": lambda ops, layer: ops.AdaptiveAvgPool2D(layer.output_size)
    },
    "AdaptiveAvgPool3d": {
        "adaptive_avg_pool3d": lambda ops, layer: ops.AdaptiveAvgPool3D(layer.output_size)
    },
    "AdaptiveMaxPool3d": {"adaptive_max_pool3d": "AdaptiveMaxPool3D"},
    # Normalization.
    "BatchNorm1d": _BATCH_NORM,
    "BatchNorm2d": _BATCH_NORM,
    "SyncBatchNorm": _BATCH_NORM,
    "BatchNorm3d": {"reshape": "Reshape", "shape": "Shape"},
    "LRN": {"lrn_op": lambda ops, layer: ops.LRN(*layer._options)},
    # Recurrent layers and embeddings.
    "RNN": _RECURRENT,
    "GRU": _RECURRENT,
    "LSTM": _RECURRENT,
    "Embedding": _EMBEDDING,
    "EmbeddingLookup": _LOOKUP,
    "MultiFieldEmbeddingLookup": _LOOKUP,
    # Losses.
    "LossBase": {"mul": "Mul", "reduce_mean": "ReduceMean", "reduce_sum": "ReduceSum"},
    "MAELoss": {"abs": "Abs"},
    "L1Loss": {"abs": "Abs"},
    "SmoothL1Loss": {
        "smooth_l1_loss": lambda ops, layer: ops.SmoothL1Loss(layer.beta, layer.reduction)
    },
    "SoftmaxCrossEntropyWithLogits": {
        "softmax_cross_entropy": "SoftmaxCrossEntropyWithLogits",
        "sparse_softmax_cross_entropy": "SparseSoftmaxCrossEntropyWithLogits",
        "one_hot": "OneHot",
        "on_value": lambda ops, layer: ops.Tensor(1.0),
        "off_value": lambda ops, layer: ops.Tensor(0.0),
    },
    "DiceLoss": {"reshape": "Reshape"},
    "MultiClassDiceLoss": {"reshape": "Reshape"},
    "FocalLoss": {
        "expand_dims": "ExpandDims",
        "gather_d": "GatherD",
        "squeeze": lambda ops, layer: ops.Squeeze(axis=1),
        "tile": "Tile",
        "dtype": "DType",
    },
    "RMSELoss": {"dtype": "DType"},
    "CosineEmbeddingLoss": {"maximum": "Maximum"},
    "PoissonNLLLoss": {"maximum": "Maximum"},
    "TripletMarginWithDistanceLoss": {"minimum": "Minimum", "maximum": "Maximum"},
    "MultiMarginLoss": {
        "multi_margin_loss": lambda ops, layer: ops.MultiMarginLoss(layer.p, layer.margin, layer.reduction)
    },
    "MultilabelMarginLoss": {
        "multilabel_margin_loss": lambda ops, layer: ops.MultilabelMarginLoss(layer.reduction)
    },
    # Wrappers.
    "PipelineCell": {"add": "Add"},
    "MicroBatchInterleaved": {"add": "Add"},
    "DynamicLossScaleUpdateCell": {
        "select": "Select",
        "max": "Maximum",
        "reciprocal": "Reciprocal",
        "less_equal": "LessEqual",
        "logic_and": "LogicalAnd",
        "logic_not": "LogicalNot",
        "logic_or": "LogicalOr",
    },
    "TrainOneStepWithLossScaleCell": {
        "reduce_sum": lambda ops, layer: ops.ReduceSum(keep_dims=False),
        "reduce_all": lambda ops, layer: ops.ReduceAll(keep_dims=False),
        "less_equal": "LessEqual",
        "equal": "Equal",
        "logic_not": "LogicalNot",
        "allreduce": "AllReduce",
    },
}  # fmt: skip

# Layers that apply their primitive and do nothing else.
_OF_ONE_PRIMITIVE = frozenset(
    (
        "AdaptiveAvgPool2d",
        "AdaptiveAvgPool3d",
        "CELU",
        "ELU",
        "FastGelu",
        "HShrink",
        "HSigmoid",
        "HSwish",
        "LRN",
        "LogSoftmax",
        "Mish",
        "ReLU",
        "ReLU6",
        "SeLU",
        "Sigmoid",
        "SoftShrink",
        "Softmax",
        "Softsign",
        "Tanh",
    )
)


def _flat(options: tuple) -> tuple:
    """Options of a pooling of sequences as those of images of height one."""
    kernel, stride, mode = options
    return (1, _last(kernel)), (1, _last(stride)), mode


def _last(value: int | tuple) -> int:
    return value if isinstance(value, int) else value[-1]


def attach(layers: dict) -> None:
    """Gives the classes of `mindspore.nn` their primitives; what a class defines itself stays.

    Args:
        layers (dict): The classes by name.
    """
    for class_name, primitives in _TABLE.items():
        layer = layers[class_name]
        for name, make in primitives.items():
            if name not in vars(layer):
                described = InnerPrimitive(make, class_name in _OF_ONE_PRIMITIVE)
                described.__set_name__(layer, name)
                setattr(layer, name, described)
