# SPDX-License-Identifier: Apache-2.0
"""Writes a network as a MindIR model."""

from __future__ import annotations

from collections.abc import Callable

from mindspore.nn.cell import Cell
from mindspore.train._export.captured_network import CapturedNetwork, Node, Way
from mindspore.train._export.folding import computed, is_constant, is_writing
from mindspore.train._export.inference_mode import unchanged_parameters
from mindspore.train._export.recording import capture_network
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
        way = capture_network(net, inputs)
    for network in way.networks():
        _check_operators(network)
        _check_parameters(network, net)
    writer = ModelWriter(way.network, is_for_all_sizes)
    for i, argument in enumerate(way.network.arguments):
        writer.add_input(argument, input_names[i] if input_names else f"x{i}")
    _write_way(writer, way, way.types(), lambda graph, results: graph.set_results(results))
    return writer


def _write_way(writer: ModelWriter, way: Way, types: list[tuple], finish: Callable) -> None:
    """What is computed until a piece gives its results or decides, and then the branches.

    Args:
        writer (ModelWriter): The graph it is written to.
        way (Way): The piece.
        types (list): Of what the graph returns.
        finish (Callable): Says what a graph returns, given the results of the piece.
    """
    _write_nodes(writer, way.network)
    if way.question is None:
        finish(writer, way.results)
        return
    branches = []
    for child in (way.if_true, way.if_false):
        branch = writer.function(child.network, "branch")
        _write_way(branch, child, types, finish)
        branches.append((branch, None))
    writer.set_choice(operators.truth_of(writer, way.question), branches, types)


def _write_nodes(writer: ModelWriter, network: CapturedNetwork) -> None:
    written = {id(owner) for node in network.nodes if (owner := _written_parameter(network, node))}
    for node in network.nodes:
        _write(writer, node)
        if id(node) in written:
            writer.load(node)
        owner = _written_parameter(network, node)
        if owner is not None:
            writer.store(owner, writer.name_of((node.id, 0)))


def _write_loop(writer: ModelWriter, node: Node) -> None:
    """Graphs that call each other: one asks whether a turn is made, one makes it, one ends the loop."""
    loop, parameters = node.loop, node.loop.parameters()
    if loop.condition is None:
        once = writer.loop_function(loop.body.network, "choice", node.operands, parameters)
        _write_way(once, loop.body, node.types, lambda graph, results: graph.set_results(results))
        given = writer.given(node.operands, parameters)
        writer.name_values(loop.ends, writer.call_function(once.graph, given, node.types))
        return
    outer = node.operands[len(loop.begins) :]
    inputs = [*loop.starts, *outer]
    turn = writer.loop_function(loop.body.network, "turn", inputs, parameters)
    asking = writer.loop_function(loop.condition.network, "loop", inputs, parameters)
    end = writer.loop_function(loop.condition.network, "end", loop.starts, [])
    end.set_results(loop.starts)

    def decide(graph: ModelWriter, results: list) -> None:
        functions = [(turn, graph.given(inputs, parameters)), (end, graph.given(loop.starts, []))]
        graph.set_choice(graph.name_of(results[0]), functions, node.types)

    def go_on(graph: ModelWriter, results: list) -> None:
        graph.set_call(asking, graph.given([*results, *outer], parameters), node.types)

    _write_way(asking, loop.condition, node.types, decide)
    _write_way(turn, loop.body, node.types, go_on)
    given = writer.given(node.operands, parameters)
    writer.name_values(loop.ends, writer.call_function(asking.graph, given, node.types))


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
    if node.kind != "operator" or not is_writing(node.name):
        return None
    while node.kind == "operator" and is_writing(node.name):
        node = network.node(node.operands[0])
    return node if node.kind == "parameter" and node.name else None


def _write(writer: ModelWriter, node: Node) -> None:
    if node.loop is not None:
        _write_loop(writer, node)
    elif node.kind == "parameter" and node.name:
        writer.add_parameter(node)
    elif node.kind == "operator" and is_constant(writer.network, node):
        writer.name_outputs(node, [writer.constant(tensor) for tensor in computed(writer.network, node)])
    elif node.kind == "operator":
        writer.name_outputs(node, operators.write(writer, node))
    elif not node.is_number:  # numbers are written where they are used, in the type they have there
        writer.name_outputs(node, [writer.constant(node.tensor)])
