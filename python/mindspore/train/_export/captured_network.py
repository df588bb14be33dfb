# SPDX-License-Identifier: Apache-2.0
"""A network's forward pass as one straight graph, for writers of model files."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field

from mindspore import _c_expression as _c
from mindspore._capture.function import Captured
from mindspore.common._structure import tensors_in
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op

Value = tuple[int, int]  # the node's number, which of its outputs


@dataclass
class Node:
    """An argument, a constant, a parameter or an operator."""

    kind: str
    id: int
    name: str  # of the operator, the parameter or the argument
    operands: list[Value | None]
    attributes: dict
    types: list[tuple]  # (dtype, shape) of each output
    tensor: Tensor | None = None
    is_number: bool = False
    file: str = ""
    line: int = 0

    @property
    def dtype(self):
        """Of the first output."""
        return self.types[0][0]

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the first output."""
        return self.types[0][1]

    def place(self) -> str:
        """The user's line, for messages."""
        return f"{self.file}:{self.line}" if self.file else "an unknown line"


@dataclass
class CapturedNetwork:
    """A graph; results stand in the order of the tensors the network returned."""

    name: str
    arguments: list[Node]  # one per tensor of the inputs
    nodes: list[Node]  # constants, parameters and operators, each after what it uses
    results: list[Value]
    outputs: object  # what the network returned, in its own structure
    by_id: dict[int, Node] = field(default_factory=dict)

    def node(self, value: Value) -> Node:
        """What computes a value."""
        return self.by_id[value[0]]

    def type_of(self, value: Value) -> tuple:
        """(dtype, shape) of a value."""
        return self.by_id[value[0]].types[value[1]]

    def parameters(self) -> list[Node]:
        """Parameters in the order of their first use."""
        return [node for node in self.nodes if node.kind == "parameter" and node.name]


class DependsOnValuesError(RuntimeError):
    """A network does one thing or another, as values it computes are."""


def capture_network(net, inputs: tuple) -> CapturedNetwork:
    """Runs a network once and writes down what it computes.

    Raises:
        RuntimeError: The network looks at values while it runs, or calls Python in between.
    """
    run = net._cell_run if isinstance(net, Cell) else net
    name = type(net).__name__ if isinstance(net, Cell) else getattr(net, "__name__", "function")

    chosen = Tensor(True)

    def flat(*arguments):
        # Each result is a value of its own, also where the network returns an input, one value twice, or what
        # it makes from nothing: the recorder does not leave out what reads a tensor from outside.
        return tuple(op.where(chosen, tensor, tensor) for tensor in tensors_in(run(*arguments)))

    graphs: list[dict] = []
    captured = Captured(flat, name, roots=(weakref.ref(net),) if isinstance(net, Cell) else ())
    _c.set_capture_listener(graphs.append)
    try:
        captured(*inputs)
    finally:
        _c.set_capture_listener(None)
    if captured.reasons or len(graphs) != 1:
        reason = captured.reasons[0] if captured.reasons else _look_at_values(graphs)
        kind = RuntimeError if captured.reasons else DependsOnValuesError
        raise kind(f"'{name}' cannot be exported: {reason}.")
    return _network(graphs[0], run(*inputs), tensors_in(inputs))


def _look_at_values(graphs: list[dict]) -> str:
    """What happens between two graphs, and after which line of the user's."""
    places = [node.place() for node in map(_node, graphs[0]["nodes"]) if node.file] if graphs else []
    where = f", the first of them at {places[-1]}" if places else ""
    return f"what it does depends on values it computes{where}"


def _network(graph: dict, outputs, inputs: list[Tensor]) -> CapturedNetwork:
    places = {int(entry["name"][1:]): _node(entry) for entry in graph["arguments"]}
    for i, tensor in enumerate(inputs):
        if i not in places:  # nobody reads it
            places[i] = Node("argument", -1 - i, f"x{i}", [], {}, [(tensor.dtype, tuple(tensor.shape))])
    nodes = [_node(entry) for entry in graph["nodes"]]
    nodes, results = _without_choices(nodes, graph["results"], len(tensors_in(outputs)))
    for node in nodes:
        if node.kind not in ("constant", "parameter", "operator"):
            raise RuntimeError(
                f"'{graph['name']}' cannot be exported: it calls Python ('{node.name}') at {node.place()}."
            )
    arguments = [places[i] for i in range(len(inputs))]
    network = CapturedNetwork(graph["name"], arguments, nodes, results, outputs)
    network.by_id = {node.id: node for node in [*arguments, *nodes]}
    return network


def _without_choices(nodes: list[Node], results: list[Value], count: int) -> tuple[list[Node], list[Value]]:
    """Results pass on the value they chose; what they chose by, and others kept, are not the network's."""
    by_id = {node.id: node for node in nodes}
    ends = [by_id[value[0]] for value in results[-count:]] if count else []
    if any(node.kind != "operator" or node.name != "where" for node in ends):
        raise RuntimeError(
            "The network cannot be exported: its results are not found among what it computes."
        )
    chosen_by = {node.operands[0][0] for node in ends}
    for node in ends:
        node.name, node.operands = "identity", node.operands[1:2]
    return [node for node in nodes if node.id not in chosen_by], [(node.id, 0) for node in ends]


def _node(entry: dict) -> Node:
    return Node(**{key: entry[key] for key in Node.__dataclass_fields__})
