# SPDX-License-Identifier: Apache-2.0
"""Runs graphs of ONNX files step by step; control flow is that of Python."""

from __future__ import annotations

import numpy as np

from mindspore import ops
from mindspore.train._onnx.functions import tensor_of
from mindspore.train._onnx.stored_graph import Graph, Step
from mindspore.train._onnx.stored_tensors import Known


def run_graph(graph: Graph, values: dict) -> list:
    """Values of the graph's outputs; `values` holds what is visible in it and is used up."""
    values.update(graph.known)
    for step in graph.steps:
        inputs = [values[name] if name else None for name in step.inputs]
        results = _run_step(step, inputs, values)
        if len(results) < len(step.outputs):
            raise ValueError(
                f"Node '{step.name}' ({step.kind}) of the ONNX network gives {len(results)} values, "
                f"but {len(step.outputs)} are expected."
            )
        for name, value in zip(step.outputs, results, strict=False):
            if name:
                values[name] = value
        for name in step.last_uses:
            values.pop(name, None)
    return [values[name] for name in graph.outputs]


def _run_step(step: Step, inputs: list, values: dict):
    if step.kind in _CONTROL:
        return _CONTROL[step.kind](step, inputs, values)
    if step.function is None:  # a function of the file
        body = step.subgraphs["body"]
        given = [*inputs, *[None] * (len(body.inputs) - len(inputs))]
        return run_graph(body, _bound(step, body, given))
    try:
        results = step.function(step.attributes, *inputs)
    except (IndexError, TypeError, ValueError) as error:
        kind = next(kind for kind in (IndexError, TypeError, ValueError) if isinstance(error, kind))
        raise kind(f"Node '{step.name}' ({step.kind}) of the ONNX network: {error}") from error
    return results if isinstance(results, (tuple, list)) else (results,)


def _is_true(value) -> bool:
    return bool(value.array.all()) if isinstance(value, Known) else bool(value.reshape(()))


def _if(step: Step, inputs: list, values: dict) -> list:
    branch = "then_branch" if _is_true(inputs[0]) else "else_branch"
    return run_graph(step.subgraphs[branch], dict(values))


def _loop(step: Step, inputs: list, values: dict) -> list:
    """States after the last round, then what every round gave, stacked."""
    body = step.subgraphs["body"]
    count, go_on = inputs[0], inputs[1] if len(inputs) > 1 else None
    states = list(inputs[2:])
    rows: list[list] = [[] for _ in body.outputs[1 + len(states) :]]
    limit = None if count is None else _whole_number(count)
    turn = 0
    while (limit is None or turn < limit) and (go_on is None or _is_true(go_on)):
        arguments = [Known(np.array(turn, np.int64)), Known(np.array(True)) if go_on is None else go_on]
        found = run_graph(body, {**values, **_bound(step, body, [*arguments, *states])})
        go_on, states, given = found[0], found[1 : 1 + len(states)], found[1 + len(states) :]
        for row, value in zip(rows, given, strict=True):
            row.append(tensor_of(value))
        turn += 1
    return [*states, *_stacked(step, rows)]


def _scan(step: Step, inputs: list, values: dict) -> list:
    """A loop over the first axis of some inputs."""
    body, count = step.subgraphs["body"], step.attributes.need("num_scan_inputs")
    others = ("scan_input_axes", "scan_output_axes", "scan_input_directions", "scan_output_directions")
    if any(any(step.attributes.get(name) or []) for name in others):
        step.attributes.refuse("walking along another axis or backwards")
    split = len(inputs) - count
    states, walked = list(inputs[:split]), [tensor_of(value) for value in inputs[split:]]
    rows: list[list] = [[] for _ in body.outputs[split:]]
    for turn in range(walked[0].shape[0]):
        arguments = [*states, *(part[turn] for part in walked)]
        found = run_graph(body, {**values, **_bound(step, body, arguments)})
        states = found[:split]
        for row, value in zip(rows, found[split:], strict=True):
            row.append(tensor_of(value))
    return [*states, *_stacked(step, rows)]


def _bound(step: Step, body: Graph, arguments: list) -> dict:
    """The inputs of a body by name."""
    if len(arguments) != len(body.inputs):
        raise ValueError(
            f"The body of node '{step.name}' of the ONNX network has {len(body.inputs)} inputs, "
            f"but the node gives it {len(arguments)}."
        )
    return dict(zip(body.inputs, arguments, strict=True))


def _whole_number(value) -> int:
    return int(value.array.item() if isinstance(value, Known) else value.reshape(()))


def _stacked(step: Step, rows: list[list]) -> list:
    if any(not row for row in rows):
        raise ValueError(
            f"The loop '{step.name}' of the ONNX network did not run: its results have no shape."
        )
    return [ops.stack(row) for row in rows]


_CONTROL = {"If": _if, "Loop": _loop, "Scan": _scan}
