# SPDX-License-Identifier: Apache-2.0
"""Writes a network as an ONNX model."""

from __future__ import annotations

from mindspore.train._export.captured_network import CapturedNetwork, Node, capture_network
from mindspore.train._export.folding import computed, is_constant
from mindspore.train._onnx.model_writer import ModelWriter, value_info
from mindspore.train._onnx.operators import Call, Symbol
from mindspore.train._onnx.rules import RULES


def onnx_model(net, inputs: tuple, input_names: list[str] | None = None) -> bytes:
    """The bytes of an ONNX file with the network's forward pass.

    Raises:
        RuntimeError: The network cannot be written as one graph.
        TypeError: An operator has no counterpart in ONNX; the text names it and the user's line.
    """
    return written_network(net, inputs, input_names).model()


def written_network(net, inputs: tuple, input_names: list[str] | None = None) -> ModelWriter:
    """The network's forward pass as parts of an ONNX file; see `onnx_model`."""
    network = capture_network(net, inputs)
    _check(network)
    writer = ModelWriter(network)
    for i, argument in enumerate(network.arguments):
        name = writer.new_name(input_names[i] if input_names else f"input_{i}")
        writer.name_outputs(argument, [name])
        writer.inputs.append(value_info(name, argument.dtype, argument.shape))
    for node in network.nodes:
        _write(writer, node)
    for i, value in enumerate(network.results):
        dtype, shape = network.type_of(value)
        name = writer.new_name("output" if len(network.results) == 1 else f"output_{i}")
        writer.rename_result(writer.name_of(value), name)
        writer.outputs.append(value_info(name, dtype, shape))
    return writer


def _check(network: CapturedNetwork) -> None:
    missing: dict[str, str] = {}
    for node in network.nodes:
        if node.kind == "operator" and node.name not in RULES and not is_constant(network, node):
            missing.setdefault(node.name, node.place())
    if missing:
        listed = ", ".join(f"'{name}' (first at {place})" for name, place in missing.items())
        raise TypeError(f"'{network.name}' cannot be written as ONNX, which has no counterpart of {listed}.")


def _write(writer: ModelWriter, node: Node) -> None:
    if node.kind == "operator" and node.name in RULES:
        outputs = RULES[node.name](Call(writer, node))
        outputs = [outputs] if isinstance(outputs, Symbol) else outputs
        writer.name_outputs(node, [output.name for output in outputs])
    elif node.kind == "operator":
        tensors = computed(writer.network, node)
        writer.name_outputs(node, [writer.initializer(tensor, node.name) for tensor in tensors])
    elif node.kind == "parameter":
        writer.name_outputs(node, [writer.initializer(node.tensor, node.name or "constant")])
    elif node.is_number:
        writer.name_outputs(node, [writer.constant(node.tensor.asnumpy())])
    else:
        writer.name_outputs(node, [writer.initializer(node.tensor, "constant")])
