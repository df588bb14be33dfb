# SPDX-License-Identifier: Apache-2.0
"""Puts a MindIR model together node by node."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from mindspore.common.tensor import Tensor
from mindspore.train._export.captured_network import CapturedNetwork, Node, Value
from mindspore.train._mindir.type_numbers import DATA_NUMBERS
from mindspore.train._mindir.values import UMONAD, Monad
from mindspore.version import __version__

# Attributes belong to the primitive, as in the form that every release since 1.7 reads: later ones turn
# them into arguments where they have become such.
_FORM = 1
_FLOAT, _INT64, _STRING, _BOOL, _TENSORS, _TUPLE, _UMONAD, _NONE = 1, 7, 8, 9, 19, 20, 23, 25
_PRIMITIVE, _FUNCTION = 1, 2
# Primitives that have all arguments in the call, types and texts among them as numbers.
_FUNCTIONS = frozenset(("Cast",))


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
        above (ModelWriter): The graph in which this is a branch. Default: ``None``, it is the top graph.
    """

    def __init__(
        self, network: CapturedNetwork, is_for_all_sizes: bool = False, above: ModelWriter | None = None
    ):
        self.network, self.is_for_all_sizes = network, is_for_all_sizes
        self._above, self._file = above, above._file if above else _File()
        self.graph = self._free(f"{network.name}_construct" if above is None else f"{above.graph}_branch")
        self._nodes: list[dict] = []
        self._constants: dict[tuple, str] = {}
        self._names: dict[Value, str] = {}
        self._inputs: list[dict] = []
        self._passed: list[str] = []  # what the graph above gives for the inputs
        self._parameters: dict[str, str] = {}
        self._output: dict = {}
        self._parameter_names: dict[int, str] = {}
        self._order: str | None = None  # what parameters were read and written so far

    def name_of(self, value: Value) -> str:
        """The name under which a value is known in the file."""
        return self._names[value]

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

    def add_parameter(self, node: Node) -> None:
        """A parameter, which the file holds by name."""
        self.name_outputs(node, [self._parameter(node) if self._above else self._new_parameter(node)])

    def _new_parameter(self, node: Node) -> str:
        full = self._parameters[node.name] = self._free(f"{self.graph}:{node.name}")
        entry = {**_type(node.dtype, node.shape), "name": full, "ref_key": node.name, "compression_type": 0}
        self._file.parameters.append((entry, node.tensor))
        return full

    def _parameter(self, node: Node) -> str:
        """The name of a parameter in this graph; to a branch it is given as an input."""
        if node.name in self._parameters:
            return self._parameters[node.name]
        if self._above is None:
            return self._new_parameter(node)
        self._passed.append(self._above._parameter(node))
        full = self._parameters[node.name] = self._free(f"{self.graph}:{node.name}")
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

    def branch(self, network: CapturedNetwork) -> ModelWriter:
        """A graph of its own, which gets the inputs of this one and the parameters it uses."""
        result = ModelWriter(network, self.is_for_all_sizes, above=self)
        for own, argument in zip(self.network.arguments, network.arguments, strict=True):
            name = self.name_of((own.id, 0))
            result.add_input(argument, name.partition(":")[2])
            result._passed.append(name)
        self._file.functions.append(result)
        return result

    def set_choice(self, condition: str, branches: list[ModelWriter], types: list[tuple]) -> None:
        """The result is that of the first branch where a condition holds, else that of the second."""
        given = [self.call("Partial", [one.graph, *one._passed], []) for one in branches]
        chosen = self.call("Switch", [condition, *given], [])
        name = f"{self.graph}:call:{self._number()}"
        kind = {"name": "shape", **_result(types, len(types) > 1)}
        node = {"output": [name], "name": name, "op_type": f"REF::{chosen}", "attribute": [kind]}
        self._nodes.append(node)
        self._output = {"name": name}

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
    if isinstance(value, Monad):
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
