# SPDX-License-Identifier: Apache-2.0
"""Writes a network as an ONNX model."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.train._export.captured_network import CapturedNetwork, Node, Way
from mindspore.train._export.folding import computed, is_constant
from mindspore.train._export.inference_mode import unchanged_parameters
from mindspore.train._export.open_inputs import has_unknown_sizes
from mindspore.train._export.recording import capture_network
from mindspore.train._onnx.model_writer import ModelWriter, value_info
from mindspore.train._onnx.open_sizes import with_open_sizes
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
    if not has_unknown_sizes(net, inputs):
        return _written(net, inputs, input_names)
    return with_open_sizes(net, inputs, lambda filled: _written(net, filled, input_names, True))


def _written(
    net, inputs: tuple, input_names: list[str] | None, is_for_all_sizes: bool = False
) -> ModelWriter:
    with unchanged_parameters(net):
        way = capture_network(net, inputs).way()
    for network in way.networks():
        _check(network)
    writer = ModelWriter(way.network, is_for_all_sizes)
    for i, argument in enumerate(way.network.arguments):
        name = writer.add_input(
            input_names[i] if input_names else f"input_{i}", argument.dtype, argument.shape
        )
        writer.name_outputs(argument, [name])
    results = _write_way(writer, way)
    for i, (name, kind) in enumerate(zip(results, way.types(), strict=True)):
        final = writer.new_name("output" if len(results) == 1 else f"output_{i}")
        writer.rename_result(name, final)
        writer.outputs.append(value_info(final, *kind))
    return writer


def _write_way(writer: ModelWriter, way: Way) -> list[str]:
    """What a piece computes until it gives its results, or decides between two graphs; names of these."""
    for node in way.network.nodes:
        _write(writer, node)
    if way.question is None:
        return [writer.name_of(value) for value in way.results]
    types, branches = way.types(), {}
    for key, child in (("then_branch", way.if_true), ("else_branch", way.if_false)):
        branch = writer.subgraph(child.network)
        branches[key] = branch.as_attribute(key, _write_way(branch, child), types)
    dtype, shape = way.network.type_of(way.question)
    condition = Symbol(writer, writer.name_of(way.question), dtype).to(mstype.bool_)
    condition = condition.reshape(()) if shape else condition
    return writer.add("If", [writer.source_of(condition.name)], outputs=len(types), **branches)


def _write_loop(writer: ModelWriter, node: Node) -> None:
    """The condition is written twice: before the loop, and at the end of a turn for the next one."""
    loop = node.loop
    if loop.condition is None:
        once = writer.scope(loop.body.network)
        writer.name_values(loop.ends, _write_way(once, loop.body))
        return
    begins = [writer.name_of(value) for value in loop.begins]
    before = writer.scope(loop.condition.network)
    before.name_values(loop.starts, begins)
    (first,) = _write_way(before, loop.condition)
    body = writer.subgraph(loop.body.network)
    body.add_input("turn", mstype.int64, ())
    body.add_input("goes_on", mstype.bool_, ())
    starts = [body.add_input(f"variable_{i}", *kind) for i, kind in enumerate(node.types)]
    body.name_values(loop.starts, starts)
    results = [body.source_of(name) for name in _write_way(body, loop.body)]
    after = body.scope(loop.condition.network)
    after.name_values(loop.starts, results)
    (going_on,) = _write_way(after, loop.condition)
    graph = body.as_attribute("body", [going_on, *results], [(mstype.bool_, ()), *node.types])
    made = writer.add("Loop", ["", writer.source_of(first), *begins], outputs=len(node.types), body=graph)
    writer.name_values(loop.ends, made)


def _check(network: CapturedNetwork) -> None:
    missing: dict[str, str] = {}
    for node in network.nodes:
        if node.kind == "operator" and node.name not in RULES and not is_constant(network, node):
            missing.setdefault(node.name, node.place())
    if missing:
        listed = ", ".join(f"'{name}' (first at {place})" for name, place in missing.items())
        raise TypeError(f"'{network.name}' cannot be written as ONNX, which has no counterpart of {listed}.")


def _write(writer: ModelWriter, node: Node) -> None:
    if node.loop is not None:
        _write_loop(writer, node)
    elif node.kind == "operator" and node.name in RULES:
        outputs = RULES[node.name](Call(writer, node))
        outputs = [outputs] if isinstance(outputs, Symbol) else outputs
        writer.name_outputs(node, [output.name for output in outputs])
    elif node.kind == "operator":
        tensors = computed(writer.network, node)
        names = [writer.stored((node.id, i), tensor, node.name) for i, tensor in enumerate(tensors)]
        writer.name_outputs(node, names)
    elif node.is_number:
        writer.name_outputs(node, [writer.constant(node.tensor.asnumpy())])
    else:
        hint = node.name if node.kind == "parameter" and node.name else "constant"
        writer.name_outputs(node, [writer.stored((node.id, 0), node.tensor, hint)])
