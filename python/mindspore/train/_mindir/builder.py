# SPDX-License-Identifier: Apache-2.0
"""From the message of a file to graphs whose names are all resolved."""

from __future__ import annotations

import re

from mindspore.common.parameter import Parameter
from mindspore.train._mindir.calls import NamedCall, PrimitiveCall
from mindspore.train._mindir.errors import refuse
from mindspore.train._mindir.func_graph import FuncGraph
from mindspore.train._mindir.graph import Constant, Graph, GraphValue, Node, Operand, ParameterOf
from mindspore.train._mindir.signature import input_of, result_of
from mindspore.train._mindir.structure import arrange
from mindspore.train._mindir.tensors import TensorReader
from mindspore.train._mindir.values import value_of

_REFERENCE = "REF::"
_BUILT_IN = ("MetaFuncGraph::", "ClassType::")


def build(model: dict, reader: TensorReader) -> FuncGraph:
    """The network of a file.

    Args:
        model (dict): The message.
        reader (TensorReader): Makes tensors.
    """
    return _Builder(model, reader).build()


def _version_of(text: str) -> tuple[int, int]:
    numbers = re.match(r"(\d+)\.(\d+)", text)
    return (int(numbers[1]), int(numbers[2])) if numbers else (0, 0)


class _Builder:
    def __init__(self, model: dict, reader: TensorReader):
        self._model, self._reader = model, reader
        self._version = _version_of(model["model_version"])
        self._table: dict[str, Operand] = {}  # everything that has a name
        self._parameters: list[Parameter] = []

    def build(self) -> FuncGraph:
        """Primitives, names of graphs, what they define, and then what they use."""
        for message in self._model.get("primitives", ()):
            self._declare_primitive(message)
        messages = [self._model["graph"], *self._model.get("functions", ())]
        graphs = [self._declare_graph(message) for message in messages]
        for message in self._model["graph"].get("parameter", ()):
            self._declare_parameter(message)
        for message in self._model["graph"].get("map_parameter", ()):
            self._enter(
                message.get("name", ""), Constant(NamedCall("map parameter", message.get("name", "")))
            )
        for message, graph in zip(messages, graphs, strict=True):
            self._declare_contents(message, graph)
        for message, graph in zip(messages, graphs, strict=True):
            self._resolve(message, graph)
        self._note_writing(graphs)
        arrange(graphs)
        top = messages[0]
        outputs = [self._output_type(top, value) for value in top.get("output", ())]
        result = outputs[0] if len(outputs) == 1 else ("tuple", outputs)
        return FuncGraph(graphs, self._parameters, result, self._model)

    def _enter(self, name: str, operand: Operand) -> None:
        if not name:
            refuse("Something in the file has no name.")
        if name in self._table:
            refuse(f"The name '{name}' is defined twice.")
        self._table[name] = operand

    def _attributes(self, messages) -> dict:
        """Values of attributes; the result type of a call, which old files keep among them, is left out."""
        return {
            message["name"]: value_of(message, self._reader)
            for message in messages
            if message.get("name") and not message.get("ref_attr_name", "").startswith("shape:")
        }

    def _declare_primitive(self, message: dict) -> None:
        name, op_type = message.get("name", ""), message.get("op_type", "")
        attributes = self._attributes(message.get("attribute", ()))
        is_function = message.get("prim_type", 1) == 2
        self._enter(name, Constant(PrimitiveCall(op_type, attributes, is_function, self._version)))

    def _declare_graph(self, message: dict) -> Graph:
        graph = Graph(message.get("name", ""))
        self._enter(graph.name, GraphValue(graph))
        return graph

    def _declare_parameter(self, message: dict) -> None:
        name = message.get("name", "")
        self._enter(name, ParameterOf(len(self._parameters)))
        short = name.partition(":")[2] or name
        tensor = self._reader.tensor(message, f"the parameter '{short}'")
        self._parameters.append(Parameter._adopt(tensor, short))

    def _declare_contents(self, message: dict, graph: Graph) -> None:
        for value in message.get("input", ()):
            self._enter(value.get("name", ""), graph.new_slot())
            graph.inputs.append(input_of(value))
        for node in message.get("node", ()):
            outputs = node.get("output", ())
            if len(outputs) != 1:
                refuse(f"A node of the graph '{graph.name}' has {len(outputs)} outputs instead of one.")
            if node.get("op_type") == "Constant":
                self._enter(outputs[0], Constant(self._constant(node, outputs[0])))
            else:
                self._enter(outputs[0], graph.new_slot())

    def _constant(self, node: dict, name: str):
        attributes = node.get("attribute", ())
        if not attributes:
            refuse(f"The constant '{name}' has no value.")
        return value_of(attributes[0], self._reader)

    def _resolve(self, message: dict, graph: Graph) -> None:
        for node in message.get("node", ()):
            if node.get("op_type") == "Constant":
                continue
            name = node["output"][0]
            callee = self._callee(node, name)
            operands = [
                self._found(used, f"the node '{name}' of the graph '{graph.name}'")
                for used in node.get("input", ())
            ]
            slot = self._table[name]
            is_structural = isinstance(callee, Constant) and getattr(callee.value, "is_structural", False)
            graph.nodes[slot.index] = Node(name, callee, operands, slot, is_structural)
        where = f"the result of the graph '{graph.name}'"
        graph.outputs = [self._found(value.get("name", ""), where) for value in message.get("output", ())]
        if not graph.outputs:
            refuse(f"The graph '{graph.name}' has no result.")

    def _found(self, name: str, where: str) -> Operand:
        operand = self._table.get(name)
        if operand is None:
            refuse(f"In {where}, there is nothing called '{name}'.")
        return operand

    def _callee(self, node: dict, name: str) -> Operand:
        op_type = node.get("op_type", "")
        if not op_type.startswith(_REFERENCE):
            if not op_type:
                refuse(f"The node '{name}' does not tell what it calls.")
            attributes = self._attributes(node.get("attribute", ()))
            return Constant(PrimitiveCall(op_type, attributes, False, self._version))
        target = op_type[len(_REFERENCE) :]
        for kind in _BUILT_IN:
            if target.startswith(kind):
                return Constant(NamedCall(kind[:-2], target[len(kind) :]))
        operand = self._found(target, f"the callee of the node '{name}'")
        if isinstance(operand, ParameterOf):
            refuse(f"The node '{name}' calls the parameter '{target}'.")
        return operand

    def _note_writing(self, graphs: list[Graph]) -> None:
        """Where parameters are written, reading one must not follow what is written later."""
        calls = [
            node.callee.value
            for graph in graphs
            for node in graph.nodes.values()
            if isinstance(node.callee, Constant) and isinstance(node.callee.value, PrimitiveCall)
        ]
        if any(call.is_writing for call in calls):
            for call in calls:
                call.copies = True

    def _output_type(self, graph: dict, value: dict):
        """What is known of an output's type: of the node, or of the value itself."""
        name = value.get("name")
        for node in graph.get("node", ()):
            if node.get("output") == [name]:
                for attribute in node.get("attribute", ()):
                    if attribute.get("name") == "shape":
                        return result_of(attribute)
        return None
