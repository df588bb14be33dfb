# SPDX-License-Identifier: Apache-2.0
"""Writes a network as a MindIR model."""

from __future__ import annotations

from mindspore.nn.cell import Cell
from mindspore.train._export.branches import Way, capture_ways, straight_way
from mindspore.train._export.captured_network import (
    CapturedNetwork,
    DependsOnValuesError,
    Node,
    Value,
    capture_network,
)
from mindspore.train._export.folding import computed, is_constant
from mindspore.train._export.inference_mode import unchanged_parameters
from mindspore.train._mindir import operators
from mindspore.train._mindir.model_writer import ModelWriter
from mindspore.train._mindir.rules import RULES


def mindir_model(net, inputs: tuple, input_names: list[str] | None = None) -> dict:
    """The message of a MindIR file with the network's forward pass.

    Raises:
        RuntimeError: The network cannot be written as one graph.
        TypeError: An operator has no primitive; the text names it and the user's line.
        ValueError: The network uses a parameter that does not belong to it.
    """
    return written_network(net, inputs, input_names).model()


def written_network(
    net, inputs: tuple, input_names: list[str] | None = None, is_for_all_sizes: bool = False
) -> ModelWriter:
    """The network's forward pass as parts of a MindIR file; see `mindir_model`."""
    with unchanged_parameters(net):
        try:
            way = straight_way(capture_network(net, inputs))
        except DependsOnValuesError:
            way = capture_ways(net, inputs)
    networks = way.networks()
    for network in networks:
        _check_operators(network)
        _check_parameters(network, net)
    if len(networks) > 1 and (is_for_all_sizes or any(map(_writes, networks))):
        what = "has inputs of unknown size" if is_for_all_sizes else "writes to parameters"
        raise RuntimeError(f"'{way.network.name}' cannot be exported: it {what} and decides by values.")
    writer = ModelWriter(way.network, is_for_all_sizes)
    for i, argument in enumerate(way.network.arguments):
        writer.add_input(argument, input_names[i] if input_names else f"x{i}")
    _write_way(writer, way)
    return writer


def _write_way(writer: ModelWriter, way: Way) -> None:
    """What is computed until the network returns or decides, and then the branches."""
    network = way.network
    written = {id(owner) for node in network.nodes if (owner := _written_parameter(network, node))}
    for node in network.nodes if way.question is None else _needed(network, way.question):
        _write(writer, node)
        if id(node) in written:
            writer.load(node)
        owner = _written_parameter(network, node)
        if owner is not None:
            writer.store(owner, writer.name_of((node.id, 0)))
    if way.question is None:
        writer.set_results(way.results)
        return
    branches = []
    for child in (way.if_true, way.if_false):
        branches.append(writer.branch(child.network))
        _write_way(branches[-1], child)
    leaf = way.leaves()[0]
    types = [leaf.network.type_of(value) for value in leaf.results]
    writer.set_choice(operators.truth_of(writer, way.question), branches, types)


def _needed(network: CapturedNetwork, value: Value) -> list[Node]:
    """Nodes from which a value is computed."""
    wanted = {value[0]}
    for node in reversed(network.nodes):
        if node.id in wanted:
            wanted.update(operand[0] for operand in node.operands if operand is not None)
    return [node for node in network.nodes if node.id in wanted]


def _writes(network: CapturedNetwork) -> bool:
    return any(_written_parameter(network, node) for node in network.nodes)


def _check_operators(network: CapturedNetwork) -> None:
    missing: dict[str, str] = {}
    for node in network.nodes:
        if node.kind == "operator" and not _can_be_written(network, node):
            missing.setdefault(node.name, node.place())
    if missing:
        listed = ", ".join(f"'{name}' (first at {place})" for name, place in missing.items())
        raise TypeError(f"'{network.name}' cannot be written as MindIR, which has no primitive for {listed}.")


def _can_be_written(network: CapturedNetwork, node: Node) -> bool:
    return node.name in RULES or operators.is_primitive(node.name) or is_constant(network, node)


def _check_parameters(network: CapturedNetwork, net) -> None:
    """Every parameter must be one of the cell's."""
    if not isinstance(net, Cell):
        return
    own = {parameter.name for parameter in net.get_parameters()}
    for node in network.parameters():
        if node.name not in own:
            raise ValueError(
                f"For 'export', the parameter '{node.name}' does not belong to the network "
                f"'{network.name}': assign it to an attribute of a cell."
            )


def _written_parameter(network: CapturedNetwork, node: Node) -> Node | None:
    """The parameter that an operator writes to, if it does."""
    if node.kind != "operator" or not operators.has_effects(node.name):
        return None
    while node.kind == "operator" and operators.has_effects(node.name):
        node = network.node(node.operands[0])
    return node if node.kind == "parameter" and node.name else None


def _write(writer: ModelWriter, node: Node) -> None:
    if node.kind == "parameter" and node.name:
        writer.add_parameter(node)
    elif node.kind == "operator" and is_constant(writer.network, node):
        writer.name_outputs(node, [writer.constant(tensor) for tensor in computed(writer.network, node)])
    elif node.kind == "operator":
        writer.name_outputs(node, operators.write(writer, node))
    elif not node.is_number:  # numbers are written where they are used, in the type they have there
        writer.name_outputs(node, [writer.constant(node.tensor)])
