# SPDX-License-Identifier: Apache-2.0
"""Puts an ONNX model together node by node."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mindspore import _c_expression as _c
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.train._export.captured_network import CapturedNetwork, Node, Value
from mindspore.train._onnx.element_types import NUMBERS
from mindspore.version import __version__

_IR_VERSION = 8
OPSET = 17
_ATTRIBUTE_TYPES = {float: 1, int: 2, str: 3}
_FLOATS, _INTS, _STRINGS, _TENSOR, _GRAPH = 6, 7, 8, 4, 5
_ELSEWHERE = 1  # a tensor's data lie in another file
_SMALLEST_ELSEWHERE = 1024
_ALIGNMENT = 64
_MOST_SHARED = 64  # elements of a constant that is written once for all its uses


@dataclass
class _File:
    """What the graphs of a file share."""

    is_sharing: bool  # equal constants are written once
    initializers: list[tuple[str, Tensor]] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    constants: dict = field(default_factory=dict)
    stored: dict[Value, str] = field(default_factory=dict)


class ModelWriter:
    """A graph of a model while it grows.

    Args:
        network (CapturedNetwork): What is written.
        is_for_all_sizes (bool): Whether equal constants may be different for inputs of other sizes. Default:
            ``False``.
        above (ModelWriter): The graph around this one, whose values can be used here. Default: ``None``.
    """

    def __init__(
        self,
        network: CapturedNetwork,
        is_for_all_sizes: bool = False,
        above: ModelWriter | None = None,
    ):
        self.network, self._above = network, above
        self._file = above._file if above else _File(not is_for_all_sizes)
        self.inputs: list[dict] = []
        self.outputs: list[dict] = []
        self.nodes: list[dict] = []
        self._names: dict[Value, str] = {}

    # ---- names of values --------------------------------------------------------------------------

    def name_of(self, value: Value) -> str:
        """The name under which a value is known here."""
        return self._names[value] if value in self._names or not self._above else self._above.name_of(value)

    def name_values(self, values: list[Value], names: list[str]) -> None:
        """Says under which names values are known."""
        self._names.update(zip(values, names, strict=True))

    def name_outputs(self, node: Node, names: list[str]) -> None:
        """Says under which names the outputs of a node are known."""
        self._names.update(((node.id, i), name) for i, name in enumerate(names))

    def new_name(self, hint: str) -> str:
        """A name nobody has."""
        name, number = hint, 0
        while name in self._file.taken:
            number += 1
            name = f"{hint}_{number}"
        self._file.taken.add(name)
        return name

    def rename_result(self, name: str, new_name: str) -> None:
        """Gives a result another name; an Identity that only passes a value on goes."""
        makers = {output: node for node in self.nodes for output in node["output"]}
        maker = makers[name]
        old = maker["input"][0] if maker["op_type"] == "Identity" else name
        inside = set().union(*(_read_inside(node) for node in self.nodes))
        is_last = old in makers and old not in {output["name"] for output in self.outputs}
        if old is not name and is_last and old not in inside:
            self.nodes.remove(maker)
        else:
            old = name
        for node in self.nodes:
            node["input"] = [new_name if entry == old else entry for entry in node["input"]]
            node["output"] = [new_name if entry == old else entry for entry in node["output"]]

    def source_of(self, name: str) -> str:
        """What an Identity of this graph passes on; the name itself if it is something else."""
        makers = {output: node for node in self.nodes for output in node["output"]}
        maker = makers.get(name)
        return maker["input"][0] if maker is not None and maker["op_type"] == "Identity" else name

    # ---- graphs in graphs ----------------------------------------------------------------------------

    def scope(self, network: CapturedNetwork) -> ModelWriter:
        """Adds nodes to this graph, but has names of its own for values."""
        result = ModelWriter(network, above=self)
        result.nodes = self.nodes
        return result

    def subgraph(self, network: CapturedNetwork) -> ModelWriter:
        """A graph inside a node of this one."""
        return ModelWriter(network, above=self)

    def add_input(self, hint: str, dtype, shape) -> str:
        """An input of the graph."""
        name = self.new_name(hint)
        self.inputs.append(value_info(name, dtype, shape))
        return name

    def as_attribute(self, hint: str, results: list[str], types: list[tuple]) -> dict:
        """This graph for a node around it, with its results."""
        made = {output for node in self.nodes for output in node["output"]}
        for name, kind in zip(results, types, strict=True):
            taken = {output["name"] for output in self.outputs}
            source = self.source_of(name)
            name = source if source in made and source not in taken else name
            if name not in made or name in taken:
                name = self.add_one("Identity", name)
            self.outputs.append(value_info(name, *kind))
        nodes, _ = self._used()
        graph = {"node": nodes, "name": self.new_name(hint), "output": self.outputs}
        return {**graph, "input": self.inputs} if self.inputs else graph

    # ---- parts ----------------------------------------------------------------------------------------

    def add(self, kind: str, inputs: list[str], outputs: int = 1, **attributes) -> list[str]:
        """Adds a node; an absent input is an empty name. Returns the names of its outputs."""
        inputs = list(inputs)
        while inputs and not inputs[-1]:
            inputs.pop()
        names = [self.new_name(kind) for _ in range(outputs)]
        node = {"input": inputs, "output": names, "name": self.new_name(f"{kind}_node"), "op_type": kind}
        encoded = [_attribute(key, value) for key, value in attributes.items() if value is not None]
        if encoded:
            node["attribute"] = encoded
        self.nodes.append(node)
        return names

    def add_one(self, kind: str, *inputs: str, **attributes) -> str:
        """A node with one output, whose name is returned."""
        return self.add(kind, list(inputs), **attributes)[0]

    def constant(self, array, dtype=None, name: str = "constant") -> str:
        """The name of a constant; equal small ones are shared."""
        array = np.asarray(array, dtype)
        is_shared = self._file.is_sharing and array.size <= _MOST_SHARED
        key = (array.dtype.str, array.shape, array.tobytes()) if is_shared else None
        if key is not None and key in self._file.constants:
            return self._file.constants[key]
        name = self.initializer(Tensor(array), name)
        if key is not None:
            self._file.constants[key] = name
        return name

    def typed_constant(self, array, dtype) -> str:
        """The name of a constant in one of our types."""
        if dtype == mstype.bfloat16:
            return self.initializer(Tensor(np.asarray(array, np.float32)).astype(dtype), "constant")
        return self.constant(array, mstype.dtype_to_nptype(dtype))

    def initializer(self, tensor: Tensor, hint: str) -> str:
        """Stores a tensor under a name."""
        name = self.new_name(hint)
        self._file.initializers.append((name, tensor))
        return name

    def stored(self, value: Value, tensor: Tensor, hint: str) -> str:
        """The name of a tensor that the file holds for a value, for all graphs."""
        if value not in self._file.stored:
            self._file.stored[value] = self.initializer(tensor, hint)
        return self._file.stored[value]

    @property
    def initializers(self) -> list[tuple[str, Tensor]]:
        """Names and values of the tensors that the file holds."""
        return self._file.initializers

    # ---- the file ------------------------------------------------------------------------------------------

    def bytes_of_weights(self) -> int:
        """Bytes of the tensors that the file holds."""
        return sum(tensor.nbytes for _, tensor in self._used()[1])

    def model(self, data_file: str | None = None) -> bytes:
        """The bytes of the file; with `data_file`, large tensors lie in the file of that name beside it."""
        nodes, initializers = self._used()
        places = self._places(initializers) if data_file else {}
        graph = {
            "node": nodes,
            "name": self.network.name,
            "initializer": [
                _tensor_elsewhere(tensor, name, data_file, places[name])
                if name in places
                else _tensor(tensor, name)
                for name, tensor in initializers
            ],
            "input": self.inputs,
            "output": self.outputs,
        }
        return _c.encode_message(
            "onnx",
            {
                "ir_version": _IR_VERSION,
                "producer_name": "Mycel",
                "producer_version": __version__,
                "graph": graph,
                "opset_import": [{"domain": "", "version": OPSET}],
            },
        )

    def write_data(self, file) -> None:
        """Writes what the data file holds."""
        initializers = self._used()[1]
        places = self._places(initializers)
        for name, tensor in initializers:
            if name in places:
                file.write(b"\0" * (places[name] - file.tell()))
                file.write(tensor.get_bytes())

    @staticmethod
    def _places(initializers: list[tuple[str, Tensor]]) -> dict[str, int]:
        """Where the large ones begin in the data file."""
        places, end = {}, 0
        for name, tensor in initializers:
            if tensor.nbytes >= _SMALLEST_ELSEWHERE:
                places[name] = -(-end // _ALIGNMENT) * _ALIGNMENT
                end = places[name] + tensor.nbytes
        return places

    def _used(self) -> tuple[list[dict], list[tuple[str, Tensor]]]:
        """Nodes and tensors that an output depends on, in order."""
        wanted = {output["name"] for output in self.outputs}
        nodes = []
        for node in reversed(self.nodes):
            if not wanted.isdisjoint(node["output"]):
                nodes.append(node)
                wanted.update(node["input"], _read_inside(node))
        return nodes[::-1], [entry for entry in self._file.initializers if entry[0] in wanted]


def _read_inside(node: dict) -> set[str]:
    """Names that graphs inside a node read."""
    inner = [each for entry in node.get("attribute", ()) if "g" in entry for each in entry["g"]["node"]]
    outputs = [
        each["name"] for entry in node.get("attribute", ()) if "g" in entry for each in entry["g"]["output"]
    ]
    return set(outputs).union(*(each["input"] for each in inner), *map(_read_inside, inner))


def value_info(name: str, dtype, shape) -> dict:
    """What a model says about an input or output; a length that is a text may be any."""
    dims = [{"dim_param": size} if isinstance(size, str) else {"dim_value": size} for size in shape]
    kind = {"elem_type": NUMBERS[dtype], "shape": {"dim": dims}}
    return {"name": name, "type": {"tensor_type": kind}}


def _tensor(tensor: Tensor, name: str) -> dict:
    content = tensor.get_bytes()
    return {"dims": list(tensor.shape), "data_type": NUMBERS[tensor.dtype], "name": name, "raw_data": content}


def _tensor_elsewhere(tensor: Tensor, name: str, data_file: str, offset: int) -> dict:
    entries = {"location": data_file, "offset": str(offset), "length": str(tensor.nbytes)}
    return {
        "dims": list(tensor.shape),
        "data_type": NUMBERS[tensor.dtype],
        "name": name,
        "external_data": [{"key": key, "value": value} for key, value in entries.items()],
        "data_location": _ELSEWHERE,
    }


def _attribute(name: str, value) -> dict:
    if isinstance(value, bool):
        value = int(value)
    if isinstance(value, (tuple, list)):
        if all(isinstance(item, int) for item in value):
            return {"name": name, "ints": list(value), "type": _INTS}
        if all(isinstance(item, str) for item in value):
            return {"name": name, "strings": [item.encode() for item in value], "type": _STRINGS}
        return {"name": name, "floats": list(value), "type": _FLOATS}
    if isinstance(value, Tensor):
        return {"name": name, "t": _tensor(value, ""), "type": _TENSOR}
    if isinstance(value, dict):
        return {"name": name, "g": value, "type": _GRAPH}
    kind = _ATTRIBUTE_TYPES[type(value)]
    field = {1: "f", 2: "i", 3: "s"}[kind]
    return {"name": name, field: value.encode() if kind == 3 else value, "type": kind}
