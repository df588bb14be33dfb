# SPDX-License-Identifier: Apache-2.0
"""Puts a MindIR model together node by node."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from mindspore.common.tensor import Tensor
from mindspore.train._export.captured_network import CapturedNetwork, Node, Value
from mindspore.train._mindir.type_numbers import DATA_NUMBERS
from mindspore.version import __version__

# Attributes belong to the primitive, as in the form that every release since 1.7 reads: later ones turn
# them into arguments where they have become such.
_FORM = 1
_FLOAT, _INT64, _STRING, _BOOL, _TENSORS, _TUPLE, _UMONAD, _NONE = 1, 7, 8, 9, 19, 20, 23, 25
_PRIMITIVE, _FUNCTION = 1, 2
# Primitives that have all arguments in the call, types and texts among them as numbers.
_FUNCTIONS = frozenset(("Cast",))


class _Monad:
    """Stands for the order of side effects; carries no value."""


UMONAD = _Monad()


@dataclass
class _File:
    """What the graphs of a file share."""

    primitives: dict[tuple, str] = field(default_factory=dict)
    primitive_entries: list[dict] = field(default_factory=list)
    parameters: list[tuple[dict, Tensor]] = field(default_factory=list)
    functions: list[ModelWriter] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    count: int = 0


class ModelWriter:
    """A graph of a model while it grows.

    Args:
        network (CapturedNetwork): What is written.
        is_for_all_sizes (bool): Sizes should not be named where it can be avoided. Default: ``False``.
        above (ModelWriter): The graph that uses this one as a function. Default: ``None``, the top graph.
        suffix (str): End of the name of such a function. Default: ``""``.
    """

    def __init__(
        self,
        network: CapturedNetwork,
        is_for_all_sizes: bool = False,
        above: ModelWriter | None = None,
        suffix: str = "",
    ):
        self.network, self.is_for_all_sizes = network, is_for_all_sizes
        self._above, self._file = above, above._file if above else _File()
        self.graph = self._free(f"{network.name}_construct" if above is None else f"{above.graph}_{suffix}")
        self._nodes: list[dict] = []
        self._constants: dict[tuple, str] = {}
        self._names: dict[Value, str] = {}
        self._inputs: list[dict] = []
        self._passed: list[str] = []  # what the graph above gives for the inputs
        self._parameters: dict[int, str] = {}
        self._output: dict = {}
        self._parameter_names: dict[int, str] = {}
        self._order: str | None = None  # what parameters were read and written so far

    def name_of(self, value: Value) -> str:
        """The name of a value in this graph; a branch gets it as an input from the graph above."""
        if value not in self._names and self._above is not None:
            self._passed.append(self._above.name_of(value))
            self.add_value(value)
        return self._names[value]

    def name_values(self, values: list[Value], names: list[str]) -> None:
        """Says under which names values are known."""
        self._names.update(zip(values, names, strict=True))

    def name_outputs(self, node: Node, names: list[str]) -> None:
        """Says under which names the outputs of a node are known."""
        for i, name in enumerate(names):
            self._names[node.id, i] = name

    def _number(self) -> int:
        self._file.count += 1
        return self._file.count

    # ---- parts --------------------------------------------------------------------------------------------

    def _free(self, name: str) -> str:
        """The name, or with a number behind it where something has it already."""
        free = name
        while free in self._file.taken:
            free = f"{name}_{self._number()}"
        self._file.taken.add(free)
        return free

    def add_input(self, node: Node, name: str) -> None:
        """An input of the graph."""
        full = self._free(f"{self.graph}:{name}")
        self.name_outputs(node, [full])
        self._inputs.append({"name": full, "tensor": [_type(node.dtype, node.shape)]})

    def add_value(self, value: Value) -> None:
        """An input of the graph that stands for a value of others."""
        full = self._names[value] = self._free(f"{self.graph}:x{len(self._inputs)}")
        self._inputs.append({"name": full, "tensor": [_type(*self.network.type_of(value))]})

    def add_parameter(self, node: Node) -> None:
        """A parameter, which the file holds by name."""
        self.name_outputs(node, [self._parameter(node)])

    def _new_parameter(self, node: Node) -> str:
        full = self._parameters[node.id] = self._free(f"{self.graph}:{node.name}")
        entry = {**_type(node.dtype, node.shape), "name": full, "ref_key": node.name, "compression_type": 0}
        self._file.parameters.append((entry, node.tensor))
        return full

    def _parameter(self, node: Node) -> str:
        """The name of a parameter in this graph; to a branch it is given as an input."""
        if node.id in self._parameters:
            return self._parameters[node.id]
        if self._above is None:
            return self._new_parameter(node)
        self._passed.append(self._above._parameter(node))
        return self._input_parameter(node)

    def _input_parameter(self, node: Node) -> str:
        full = self._parameters[node.id] = self._free(f"{self.graph}:{node.name}")
        kind = {**_type(node.dtype, node.shape), "ref_key": node.name}
        self._inputs.append({"name": full, "tensor": [kind]})
        return full

    # ---- parameters that are written -----------------------------------------------------------------------

    def _monad(self) -> str:
        self._order = self._order or self.constant(UMONAD)
        return self._order

    def load(self, node: Node) -> None:
        """Reads a parameter now, before anything writes to it."""
        parameter, kind = self.name_of((node.id, 0)), node.types[0]
        self._parameter_names[node.id] = parameter
        loaded = self.call("Load", [parameter, self._monad()], [kind])
        self._order = self.call("UpdateState", [self._order, loaded], [UMONAD])
        self.name_outputs(node, [loaded])

    def store(self, node: Node, value: str) -> None:
        """Writes a value to a parameter, after all that was read and written before."""
        inputs = [self._parameter_names[node.id], value, self._monad()]
        stored = self.call("Assign", inputs, [node.types[0]], side_effect_mem=True)
        self._order = self.call("UpdateState", [self._order, stored], [UMONAD])

    def set_results(self, values: list[Value]) -> None:
        """What the graph returns: one value, or a tuple."""
        types = [self.network.type_of(value) for value in values]
        names = [self.name_of(value) for value in values]
        result = names[0] if len(names) == 1 else self.tuple_of(names, types)
        if self._order is not None:
            result = self.call("Depend", [result, self._order], types, is_tuple=len(names) > 1)
        self._output = {"name": result, **({"tensor": [_type(*types[0])]} if len(names) == 1 else {})}

    # ---- branches ------------------------------------------------------------------------------------------

    def function(self, network: CapturedNetwork, suffix: str) -> ModelWriter:
        """A graph of its own, which gets what it uses from this one as inputs."""
        result = ModelWriter(network, self.is_for_all_sizes, above=self, suffix=suffix)
        self._file.functions.append(result)
        return result

    def loop_function(
        self, network: CapturedNetwork, suffix: str, values: list[Value], parameters: list[Node]
    ):
        """A graph of its own with these inputs and no others."""
        result = self.function(network, suffix)
        for value in values:
            result.add_value(value)
        for node in parameters:
            result._input_parameter(node)
        result._above = None
        return result

    def given(self, values: list[Value], parameters: list[Node]) -> list[str]:
        """What a function with these inputs is called with."""
        return [*map(self.name_of, values), *map(self._parameter, parameters)]

    def call_function(self, function: str, inputs: list[str], types: list[tuple]) -> list[str]:
        """A call of a function, or of what was computed to be one; the names of its results."""
        made = self._call_by_name(function, inputs, types)
        if len(types) == 1:
            return [made]
        return [self.part(made, i, kind) for i, kind in enumerate(types)]

    def _call_by_name(self, function: str, inputs: list[str], types: list[tuple]) -> str:
        name = f"{self.graph}:call:{self._number()}"
        kind = {"name": "shape", **_result(types, len(types) > 1)}
        node = {"input": inputs} if inputs else {}
        node |= {"output": [name], "name": name, "op_type": f"REF::{function}", "attribute": [kind]}
        self._nodes.append(node)
        return name

    def set_call(self, function: ModelWriter, inputs: list[str], types: list[tuple]) -> None:
        """The result is that of a function."""
        self._output = {"name": self._call_by_name(function.graph, inputs, types)}

    def set_choice(self, condition: str, functions: list[tuple], types: list[tuple]) -> None:
        """The result is that of the first function where a condition holds, else that of the second.

        Args:
            condition (str): The condition.
            functions (list): Functions and what they are called with; None: what they have asked for.
            types (list): Of the results.
        """
        given = [
            self.call("Partial", [one.graph, *(one._passed if inputs is None else inputs)], [])
            for one, inputs in functions
        ]
        chosen = self.call("Switch", [condition, *given], [])
        self._output = {"name": self._call_by_name(chosen, [], types)}

    def parameters(self) -> list[tuple[str, Tensor]]:
        """Names and values of the parameters."""
        return [(entry["name"], tensor) for entry, tensor in self._file.parameters]

    def constant(self, value) -> str:
        """The name of a constant: a tensor, a number, a text, None, a tuple of these or a monad."""
        if isinstance(value, Tensor):
            key = (str(value.dtype), value.shape, value.get_bytes())
        else:
            key = (type(value), repr(value))
        if key not in self._constants:
            name = f"ValueNode_{self._number()}"
            attribute = {"name": "value", **_value(value)}
            self._nodes.append(
                {"output": [name], "name": name, "op_type": "Constant", "attribute": [attribute]}
            )
            self._constants[key] = name
        return self._constants[key]

    def call(
        self, kind: str, inputs: list[str], types: list[tuple], is_tuple: bool = False, **attributes
    ) -> str:
        """A call of a primitive; `types` are (dtype, shape) of its results."""
        primitive = self._primitive(kind, attributes)
        name = f"{self.graph}:{kind}:{self._number()}"
        self._nodes.append(
            {
                "input": inputs,
                "output": [name],
                "name": name,
                "op_type": f"REF::{primitive}",
                "attribute": [{"name": "shape", **_result(types, is_tuple)}] if types else [],
                "domain": f"Default/{kind}-op{self._file.count}",
            }
        )
        return name

    def part(self, made: str, index: int, kind: tuple) -> str:
        """One element of a tuple that a call returns."""
        return self.call("TupleGetItem", [made, self.constant(index)], [kind])

    def tuple_of(self, names: list[str], types: list[tuple]) -> str:
        """A tuple of values."""
        return self.call("MakeTuple", names, types, is_tuple=True)

    def _primitive(self, kind: str, attributes: dict) -> str:
        key = (kind, repr(sorted(attributes.items(), key=lambda item: item[0])))
        if key not in self._file.primitives:
            name = f"{kind}:{self._number()}"
            encoded = [{"name": k, **_value(v)} for k, v in attributes.items()]
            form = _FUNCTION if kind in _FUNCTIONS else _PRIMITIVE
            entry = {"name": name, "op_type": kind, "instance_name": kind, "prim_type": form}
            self._file.primitive_entries.append({**entry, "attribute": encoded})
            self._file.primitives[key] = name
        return self._file.primitives[key]

    # ---- the file ------------------------------------------------------------------------------------------

    def model(self, places: dict[str, dict] | None = None) -> dict:
        """The message of the whole file.

        Args:
            places (dict): Where in other files the bytes of each parameter are. Default: ``None``, they are
                in the message.
        """
        parameters = [
            {**entry, "external_data": places[entry["name"]]}
            if places
            else {**entry, "raw_data": tensor.get_bytes()}
            for entry, tensor in self._file.parameters
        ]
        return {
            "ir_version": "0.1.1",
            "producer_name": "MindSpore",
            "model_version": __version__.partition("+")[0],
            "graph": {
                "node": self._nodes,
                "name": self.graph,
                "parameter": parameters,
                "input": self._inputs,
                "output": [self._output],
                "bprop_hash": "",
                "bprop_filepath": "",
            },
            "functions": [
                {"node": one._nodes, "name": one.graph, "input": one._inputs, "output": [one._output]}
                for one in self._file.functions
            ],
            "little_endian": sys.byteorder == "little",
            "primitives": self._file.primitive_entries,
            "mind_ir_version": _FORM,
        }


def _type(dtype, shape) -> dict:
    return {"dims": list(shape), "data_type": DATA_NUMBERS[dtype]}


def _result(types: list[tuple], is_tuple: bool) -> dict:
    """The type of what a call returns."""
    if types == [UMONAD]:
        return _value(UMONAD)
    values = [{"type": _TENSORS, "tensors": [_type(*kind)]} for kind in types]
    if not is_tuple:
        return values[0]
    return {"type": _TUPLE, "seq_info": {"is_dyn_len": False}, "values": values}


def _value(value, inside: bool = False) -> dict:
    if value is None:
        return {"type": _NONE}
    if isinstance(value, _Monad):
        return {"type": _UMONAD}
    if isinstance(value, bool):
        return {"ints" if inside else "i": [int(value)] if inside else int(value), "type": _BOOL}
    if isinstance(value, int):
        return {"ints" if inside else "i": [value] if inside else value, "type": _INT64}
    if isinstance(value, float):
        return {"floats" if inside else "f": [value] if inside else value, "type": _FLOAT}
    if isinstance(value, str):
        text = value.encode()
        return {"strings" if inside else "s": [text] if inside else text, "type": _STRING}
    if isinstance(value, (tuple, list)):
        return {"type": _TUPLE, "values": [_value(item, True) for item in value]}
    if isinstance(value, Tensor):
        tensor = {**_type(value.dtype, value.shape), "name": "value0", "raw_data": value.get_bytes()}
        return {"type": _TENSORS, "tensors": [tensor]}
    # A dtype: a tensor without elements.
    return {"type": _TENSORS, "tensors": [{"name": "value0", "data_type": DATA_NUMBERS[value]}]}
