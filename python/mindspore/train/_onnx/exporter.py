# SPDX-License-Identifier: Apache-2.0
"""Writes a network as an ONNX model."""

from __future__ import annotations

from mindspore.train._export.captured_network import CapturedNetwork, Node, capture_network
from mindspore.train._onnx.model_writer import ModelWriter, value_info
from mindspore.train._onnx.operators import RULES


def onnx_model(net, inputs: tuple, input_names: list[str] | None = None) -> bytes:
    """The bytes of an ONNX file with the network's forward pass.

    Raises:
        RuntimeError: The network cannot be written as one graph.
        TypeError: An operator has no counterpart in ONNX; the text names it and the user's line.
    """
    network = capture_network(net, inputs)
    _check(network)
    writer = ModelWriter(network)
    described = []
    for i, argument in enumerate(network.arguments):
        name = writer.new_name(input_names[i] if input_names else f"input_{i}")
        writer.name_outputs(argument, [name])
        described.append(value_info(name, argument.dtype, argument.shape))
    for node in network.nodes:
        _write(writer, node)
    results = []
    for value in network.results:
        dtype, shape = network.type_of(value)
        results.append(value_info(writer.name_of(value), dtype, shape))
    return writer.model(described, results)


def _check(network: CapturedNetwork) -> None:
    missing = {
        node.name: node.place()
        for node in network.nodes
        if node.kind == "operator" and node.name not in RULES
    }
    if missing:
        listed = ", ".join(f"'{name}' (first at {place})" for name, place in missing.items())
        raise TypeError(f"'{network.name}' cannot be written as ONNX, which has no counterpart of {listed}.")


def _write(writer: ModelWriter, node: Node) -> None:
    if node.kind == "parameter":
        writer.name_outputs(node, [writer.initializer(node.tensor, node.name or "constant")])
        return
    if node.kind == "constant":
        # A Python number takes the type of what it is combined with.
        array = node.tensor.asnumpy()
        writer.name_outputs(node, [writer.constant(array, _type_beside(writer, node) or array.dtype)])
        return
    names = [writer.name_of(value) if value is not None else "" for value in node.operands]
    outputs = RULES[node.name](writer, node, names)
    writer.name_outputs(node, [outputs] if isinstance(outputs, str) else outputs)


def _type_beside(writer: ModelWriter, number: Node):
    """The type a number has where it is used first, or None."""
    from mindspore.common.dtype import dtype_to_nptype

    if not number.is_number:
        return None
    for user in writer.network.nodes:
        if (number.id, 0) in user.operands:
            others = [value for value in user.operands if value is not None and value[0] != number.id]
            for value in others:
                if not writer.network.node(value).is_number:
                    return dtype_to_nptype(writer.network.type_of(value)[0])
    return None
