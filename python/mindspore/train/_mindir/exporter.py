# SPDX-License-Identifier: Apache-2.0
"""Writes a network as a MindIR model."""

from __future__ import annotations

from mindspore.train._export.captured_network import CapturedNetwork, Node, capture_network
from mindspore.train._mindir import operators
from mindspore.train._mindir.model_writer import ModelWriter


def mindir_model(net, inputs: tuple, input_names: list[str] | None = None) -> dict:
    """The message of a MindIR file with the network's forward pass.

    Raises:
        RuntimeError: The network cannot be written as one graph.
        TypeError: An operator has no primitive; the text names it and the user's line.
    """
    network = capture_network(net, inputs)
    _check(network)
    writer = ModelWriter(network)
    described = [
        writer.add_input(argument, input_names[i] if input_names else f"x{i}")
        for i, argument in enumerate(network.arguments)
    ]
    for node in network.nodes:
        _write(writer, node)
    types = [network.type_of(value) for value in network.results]
    names = [writer.name_of(value) for value in network.results]
    result = names[0] if len(names) == 1 else writer.tuple_of(names, types)
    return writer.model(described, result, types)


def _check(network: CapturedNetwork) -> None:
    missing = {
        node.name: node.place()
        for node in network.nodes
        if node.kind == "operator" and not operators.can_be_written(node.name)
    }
    if missing:
        listed = ", ".join(f"'{name}' (first at {place})" for name, place in missing.items())
        raise TypeError(f"'{network.name}' cannot be written as MindIR, which has no primitive for {listed}.")


def _write(writer: ModelWriter, node: Node) -> None:
    if node.kind == "parameter" and node.name:
        writer.add_parameter(node)
    elif node.kind == "operator":
        names = [writer.name_of(value) if value is not None else None for value in node.operands]
        writer.name_outputs(node, operators.write(writer, node, names))
    elif node.is_number:
        writer.name_outputs(node, [operators.number_constant(writer, node, _type_beside(writer, node))])
    else:
        writer.name_outputs(node, [writer.constant(node.tensor)])


def _type_beside(writer: ModelWriter, number: Node):
    """The type a number has where it is used first."""
    for user in writer.network.nodes:
        if (number.id, 0) in user.operands:
            for value in user.operands:
                if value is not None and not writer.network.node(value).is_number:
                    return writer.network.type_of(value)[0]
    return number.dtype
