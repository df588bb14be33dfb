# SPDX-License-Identifier: Apache-2.0
"""What an operator becomes in a MindIR file.

Most operators of the registry are primitives under their public names, with the same attributes; the table
holds rules for the others. A rule is called with the writer, the node and the names of its operands (None
where one is absent), and returns the names of the outputs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from mindspore import _c_expression as _c
from mindspore.common.tensor import Tensor
from mindspore.train._export.captured_network import Node
from mindspore.train._mindir.model_writer import ModelWriter

Rule = Callable[[ModelWriter, Node, list], "str | list[str]"]
RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Registers a rule for operators."""

    def register(function: Rule) -> Rule:
        for name in names:
            RULES[name] = function
        return function

    return register


@cache
def _described(name: str) -> dict:
    return _c.describe_operator(name)


def can_be_written(name: str) -> bool:
    """Whether there is a rule, or a primitive of the operator's own."""
    return name in RULES or bool(_described(name)["primitive"])


def write(writer: ModelWriter, node: Node, inputs: list) -> list[str]:
    """Adds what a node becomes; returns the names of its outputs."""
    made = RULES.get(node.name, _as_primitive)(writer, node, inputs)
    return [made] if isinstance(made, str) else made


def _as_primitive(writer: ModelWriter, node: Node, inputs: list) -> list[str]:
    """The operator under its public name; attributes given in the call come after the tensors."""
    described = _described(node.name)
    while inputs and inputs[-1] is None:
        inputs = inputs[:-1]
    values = [name if name is not None else writer.constant(None) for name in inputs]
    if described["inputs"] and described["inputs"][0]["variadic"]:
        types = [writer.network.type_of(value) for value in node.operands]
        values = [writer.tuple_of(values, types)]
    attributes = {}
    for attribute in described["attributes"]:
        value = node.attributes[attribute["name"]]
        if attribute["in_call"]:
            values.append(writer.constant(value))
        else:
            attributes[attribute["name"]] = value
    made = writer.call(described["primitive"], values, node.types, **attributes)
    if len(node.types) == 1:
        return [made]
    return [writer.part(made, i, kind) for i, kind in enumerate(node.types)]


def _pair(values) -> tuple:
    """Sizes of two axes as primitives of images want them, for all four."""
    return (1, 1, *values)


@rule("softmax")
def _softmax(writer: ModelWriter, node: Node, inputs: list) -> str:
    return writer.call("Softmax", inputs[:1], node.types, axis=(node.attributes["axis"],))


@rule("identity")
def _identity(writer: ModelWriter, node: Node, inputs: list) -> str:
    return inputs[0]


@rule("conv2d")
def _convolution(writer: ModelWriter, node: Node, inputs: list) -> str:
    weight = writer.network.type_of(node.operands[1])[1]
    groups = node.attributes["groups"]
    made = writer.call(
        "Conv2D",
        inputs[:2],
        node.types,
        out_channel=node.shape[1],
        kernel_size=tuple(weight[2:]),
        mode=1,
        pad_mode="pad",
        pad=tuple(node.attributes["pad"]),
        stride=_pair(node.attributes["stride"]),
        dilation=_pair(node.attributes["dilation"]),
        group=groups,
        groups=groups,
        format="NCHW",
    )
    return _with_bias(writer, node, made, inputs)


def _with_bias(writer: ModelWriter, node: Node, made: str, inputs: list) -> str:
    if len(inputs) < 3 or inputs[2] is None:
        return made
    return writer.call("BiasAdd", [made, inputs[2]], node.types, format="NCHW")


@rule("dense")
def _dense(writer: ModelWriter, node: Node, inputs: list) -> str:
    rows, columns = int(np.prod(node.shape[:-1])), node.shape[-1]
    width = writer.network.type_of(node.operands[0])[1][-1]
    flat = (node.dtype, (rows, columns))
    x = inputs[0]
    if len(node.shape) != 2:
        x = _reshaped(writer, x, node.dtype, (rows, width))
    made = writer.call("MatMul", [x, inputs[1]], [flat], transpose_a=False, transpose_b=True)
    if len(inputs) > 2 and inputs[2] is not None:
        made = writer.call("BiasAdd", [made, inputs[2]], [flat], format="NCHW")
    return made if len(node.shape) == 2 else _reshaped(writer, made, node.dtype, node.shape)


def _reshaped(writer: ModelWriter, name: str, dtype, shape) -> str:
    return writer.call("Reshape", [name, writer.constant(tuple(shape))], [(dtype, tuple(shape))])


@rule("max_pool2d", "avg_pool2d")
def _pool(writer: ModelWriter, node: Node, inputs: list) -> list[str]:
    attributes = node.attributes
    kind = "MaxPool" if node.name == "max_pool2d" else "AvgPool"
    if any(attributes.get("pad") or ()):
        raise TypeError(f"'{node.name}' with padding at {node.place()} has no MindIR primitive of its own.")
    made = writer.call(
        kind,
        inputs[:1],
        node.types[:1],
        kernel_size=_pair(attributes["kernel_size"]),
        strides=_pair(attributes["stride"]),
        pad_mode="VALID",
        format="NCHW",
    )
    return [made] * len(node.types)


@rule("batch_norm_inference")
def _batch_norm(writer: ModelWriter, node: Node, inputs: list) -> str:
    vector = writer.network.type_of(node.operands[1])
    made = writer.call(
        "BatchNorm",
        inputs,
        [node.types[0], vector, vector, vector, vector],
        is_training=False,
        epsilon=node.attributes["epsilon"],
        momentum=0.1,
        format="NCHW",
    )
    return writer.part(made, 0, node.types[0])


@rule("sum", "mean")
def _reduced(writer: ModelWriter, node: Node, inputs: list) -> str:
    axes = node.attributes.get("dim", node.attributes.get("axis"))
    rank = len(writer.network.type_of(node.operands[0])[1])
    axes = tuple(range(rank)) if axes is None else axes
    kind = "ReduceSum" if node.name == "sum" else "ReduceMean"
    keep = bool(node.attributes.get("keepdim", node.attributes.get("keep_dims", False)))
    return writer.call(kind, [inputs[0], writer.constant(tuple(axes))], node.types, keep_dims=keep)


@rule("index_view")
def _part(writer: ModelWriter, node: Node, inputs: list) -> str:
    attributes = node.attributes
    whole = writer.network.type_of(node.operands[0])[1]
    begin, end, step = [0] * len(whole), list(whole), [1] * len(whole)
    for i, size in enumerate(attributes["length"]):
        first, stride = attributes["begin"][i], attributes["step"][i]
        begin[i], end[i], step[i] = first, first + (size - 1) * stride + (1 if stride > 0 else -1), stride
    cut = tuple(
        abs(e - b + (s - (1 if s > 0 else -1))) // abs(s) for b, e, s in zip(begin, end, step, strict=True)
    )
    if any(last < 0 for last in end):
        raise TypeError(f"A step backwards to the first element at {node.place()} has no MindIR primitive.")
    bounds = [writer.constant(tuple(values)) for values in (begin, end, step)]
    masks = dict.fromkeys(("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"), 0)
    made = writer.call("StridedSlice", [inputs[0], *bounds], [(node.dtype, cut)], **masks)
    return made if cut == tuple(node.shape) else _reshaped(writer, made, node.dtype, node.shape)


@rule("reshape", "expand_dims", "squeeze", "flatten")
def _reshape(writer: ModelWriter, node: Node, inputs: list) -> str:
    return _reshaped(writer, inputs[0], node.dtype, node.shape)


def number_constant(writer: ModelWriter, node: Node, dtype) -> str:
    """A Python number in the type of what it is combined with."""
    return writer.constant(Tensor(node.tensor.asnumpy(), dtype))
