# SPDX-License-Identifier: Apache-2.0
"""The graph of an ONNX file, checked: every name is defined before it is used, every operator is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from mindspore.common import dtype as mstype
from mindspore.train._onnx.element_types import DTYPES
from mindspore.train._onnx.functions import FUNCTIONS, Attributes
from mindspore.train._onnx.functions.known_values import READ_AS_NUMBERS
from mindspore.train._onnx.stored_tensors import Known, TensorReader

_FLOATS = (mstype.float16, mstype.bfloat16, mstype.float32, mstype.float64)
_DEEPEST = 32
_MOST_COPIED = 100_000  # nodes of functions, counted at every call
_SUBGRAPHS = {"If": ("then_branch", "else_branch"), "Loop": ("body",), "Scan": ("body",)}
_KINDS = {1: "f", 2: "i", 3: "s", 4: "t", 5: "g", 6: "floats", 7: "ints", 8: "strings"}
_DEFAULTS = {"f": 0.0, "i": 0, "s": b"", "floats": [], "ints": [], "strings": []}


@dataclass
class Step:
    """One node."""

    kind: str
    name: str
    inputs: list[str]
    outputs: list[str]
    attributes: Attributes
    function: Callable | None  # None: what it does stands in `subgraphs`
    subgraphs: dict[str, Graph] = field(default_factory=dict)
    last_uses: list[str] = field(default_factory=list)  # values nobody reads after this step

    def reads(self) -> set[str]:
        """Names this node looks up, also inside its subgraphs."""
        names = {name for name in self.inputs if name}
        return names.union(*(graph.outer for graph in self.subgraphs.values()))


@dataclass
class Graph:
    """A list of steps."""

    name: str
    inputs: list[str]
    types: dict[str, tuple]  # input -> (dtype or None, shape or None)
    outputs: list[str]
    known: dict[str, Known] = field(default_factory=dict)
    parameters: dict[str, object] = field(default_factory=dict)  # name -> Tensor
    steps: list[Step] = field(default_factory=list)
    outer: set[str] = field(default_factory=set)  # names of surrounding graphs


class GraphReader:
    """Turns messages into graphs.

    Args:
        tensors (TensorReader): Reads tensors and words errors.
        opset (int): Version of the operators.
        functions (list[dict]): Messages of functions the file defines.
    """

    def __init__(self, tensors: TensorReader, opset: int, functions: list[dict]):
        self._tensors, self._opset = tensors, opset
        self._functions = {(entry.get("domain", ""), entry.get("name", "")): entry for entry in functions}
        self._unknown: dict[str, str] = {}
        self._copied = 0

    def read(self, message: dict) -> Graph:
        """The checked graph of a message."""
        graph = self._graph(message, set(), 0)
        if self._unknown:
            listed = ", ".join(f"'{kind}' (node '{name}')" for kind, name in self._unknown.items())
            raise NotImplementedError(f"{self._tensors.name} uses {listed}, which this release cannot run.")
        return graph

    def _error(self, what: str) -> ValueError:
        return self._tensors.error(what)

    def _graph(self, message: dict, surrounding: set[str], depth: int) -> Graph:
        if depth > _DEEPEST:
            raise self._error("its graphs are nested too deeply")
        stored = {entry.get("name", ""): entry for entry in message.get("initializer", [])}
        described = [entry for entry in message.get("input", []) if entry.get("name", "") not in stored]
        graph = Graph(
            message.get("name", ""),
            [entry.get("name", "") for entry in described],
            {entry.get("name", ""): _type_of(entry) for entry in described},
            [entry.get("name", "") for entry in message.get("output", [])],
        )
        self._take_tensors(graph, stored, _read_as_numbers(message), is_outermost=depth == 0)
        defined = {*graph.inputs, *stored}
        if "" in defined or len(defined) != len(graph.inputs) + len(stored):
            raise self._error(f"an input or tensor of graph '{graph.name}' has no name or that of another")
        self._take_nodes(graph, message.get("node", []), defined, surrounding, depth)
        for name in graph.outputs:
            if name not in defined and name not in surrounding:
                raise self._error(f"nothing computes the output '{name}' of graph '{graph.name}'")
        used = set().union(*(step.reads() for step in graph.steps), graph.outputs)
        graph.outer = used - defined
        _note_last_uses(graph, defined)
        return graph

    def _take_tensors(self, graph: Graph, stored: dict, numbers: set[str], is_outermost: bool) -> None:
        for name, entry in stored.items():
            tensor = self._tensors.read(entry)
            if is_outermost and tensor.ndim > 0 and tensor.dtype in _FLOATS and name not in numbers:
                graph.parameters[name] = tensor
            else:
                graph.known[name] = known_tensor(tensor)

    def _take_nodes(self, graph: Graph, messages: list, defined: set, surrounding: set, depth: int) -> None:
        later = {name for message in messages for name in message.get("output", [])}
        for i, message in enumerate(messages):
            step = self._step(message, (defined, surrounding), depth, f"{message.get('op_type', '')}_{i}")
            for name in step.reads():
                if name not in defined and name not in surrounding:
                    why = "is computed later: its nodes form a cycle or are not in order"
                    why = why if name in later else "is defined nowhere"
                    raise self._error(f"the value '{name}', which node '{step.name}' reads, {why}")
            for name in step.outputs:
                if name and name in defined:
                    raise self._error(f"two nodes compute the value '{name}'")
            defined.update(name for name in step.outputs if name)
            graph.steps.append(step)

    def _step(self, message: dict, visible: tuple[set, set], depth: int, hint: str) -> Step:
        kind, domain = message.get("op_type", ""), message.get("domain", "")
        name = message.get("name") or hint
        is_standard = domain in ("", "ai.onnx") and (kind in FUNCTIONS or kind in _SUBGRAPHS)
        values, graphs = {}, {}
        if not is_standard and (domain, kind) in self._functions:
            body = _function_body(self._functions[domain, kind], message)
            self._copied += len(body["node"])
            if self._copied > _MOST_COPIED:
                raise self._error(f"calls of its functions make more than {_MOST_COPIED} nodes")
            graphs["body"] = self._graph(body, set(), depth + 1)
        elif not is_standard:
            self._unknown.setdefault(f"{domain}.{kind}" if domain else kind, name)
        for entry in message.get("attribute", []) if is_standard else []:
            key = entry.get("name", "")
            if key in _SUBGRAPHS.get(kind, ()) and "g" in entry:
                graphs[key] = self._graph(entry["g"], visible[0] | visible[1], depth + 1)
            else:
                values[key] = self._attribute(entry, name)
        for key in _SUBGRAPHS.get(kind, ()) if is_standard else ():
            if key not in graphs:
                raise self._error(f"node '{name}' ({kind}) has no '{key}'")
        inputs, outputs = message.get("input", []), message.get("output", [])
        attributes = Attributes(kind, name, self._opset, values, len(outputs))
        return Step(
            kind, name, inputs, outputs, attributes, FUNCTIONS.get(kind) if is_standard else None, graphs
        )

    def _attribute(self, entry: dict, node: str):
        kind = _KINDS.get(entry.get("type", 0))
        if kind is None or entry.get("ref_attr_name"):
            present = [key for key in _KINDS.values() if key in entry]
            if len(present) != 1 or entry.get("ref_attr_name"):
                raise self._error(
                    f"attribute '{entry.get('name', '')}' of node '{node}' has no readable value"
                )
            kind = present[0]
        if kind in ("t", "g") and kind not in entry:
            raise self._error(f"attribute '{entry.get('name', '')}' of node '{node}' is empty")
        value = entry.get(kind, _DEFAULTS.get(kind))
        if kind == "t":
            return known_tensor(self._tensors.read(value))
        if kind == "s":
            return bytes(value).decode("utf-8", "replace")
        if kind == "strings":
            return [bytes(item).decode("utf-8", "replace") for item in value]
        return value


def _function_body(function: dict, call: dict) -> dict:
    """A function's nodes as a graph, with the attributes of one call."""
    given = {entry.get("name", ""): entry for entry in function.get("attribute_proto", [])}
    given.update({entry.get("name", ""): entry for entry in call.get("attribute", [])})
    return {
        "name": function.get("name", ""),
        "node": _with_attributes(function.get("node", []), given),
        "input": [{"name": name} for name in function.get("input", [])],
        "output": [{"name": name} for name in function.get("output", [])],
    }


def _with_attributes(nodes: list[dict], given: dict) -> list[dict]:
    """Nodes whose attributes that refer to those of the function are filled in, or left out."""
    filled = []
    for node in nodes:
        attributes = []
        for entry in node.get("attribute", []):
            source = entry.get("ref_attr_name")
            if source in given:
                attributes.append({**given[source], "name": entry.get("name", "")})
            elif not source and "g" in entry:
                inner = {**entry["g"], "node": _with_attributes(entry["g"].get("node", []), given)}
                attributes.append({**entry, "g": inner})
            elif not source:
                attributes.append(entry)
        filled.append({**node, "attribute": attributes})
    return filled


def known_tensor(tensor) -> Known:
    """A tensor of the file as a value known before the run."""
    wide = tensor.astype(mstype.float32) if tensor.dtype == mstype.bfloat16 else tensor
    return Known(wide.asnumpy(), tensor)


def _read_as_numbers(message: dict) -> set[str]:
    """Names that nodes read as plain numbers: scales, limits, shapes."""
    names = set()
    for node in message.get("node", []):
        inputs = node.get("input", [])
        names.update(inputs[i] for i in READ_AS_NUMBERS.get(node.get("op_type", ""), ()) if i < len(inputs))
    return names


def _note_last_uses(graph: Graph, defined: set[str]) -> None:
    needed = set(graph.outputs) | set(graph.known) | set(graph.parameters)
    for step in reversed(graph.steps):
        names = (step.reads() | {name for name in step.outputs if name}) & defined
        step.last_uses = sorted(names - needed)
        needed |= names


def _type_of(entry: dict) -> tuple:
    kind = entry.get("type", {}).get("tensor_type", {})
    shape = None
    if "shape" in kind:
        shape = tuple(dim.get("dim_value") for dim in kind["shape"].get("dim", []))
    return DTYPES.get(kind.get("elem_type", 0)), shape
