# SPDX-License-Identifier: Apache-2.0
"""Puts an ONNX model together node by node."""

from __future__ import annotations

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
_FLOATS, _INTS, _STRINGS, _TENSOR = 6, 7, 8, 4
_ELSEWHERE = 1  # a tensor's data lie in another file
_SMALLEST_ELSEWHERE = 1024
_ALIGNMENT = 64


class ModelWriter:
    """The graph of a model while it grows.

    Args:
        network (CapturedNetwork): What is written.
    """

    def __init__(self, network: CapturedNetwork):
        self.network = network
        self.inputs: list[dict] = []
        self.outputs: list[dict] = []
        self._nodes: list[dict] = []
        self._initializers: list[tuple[str, Tensor]] = []
        self._names: dict[Value, str] = {}
        self._taken: set[str] = set()
        self._constants: dict = {}

    # ---- names of values --------------------------------------------------------------------------

    def name_of(self, value: Value) -> str:
        """The name under which a value is known in the file."""
        return self._names[value]

    def name_outputs(self, node: Node, names: list[str]) -> None:
        """Says under which names the outputs of a node are known."""
        for i, name in enumerate(names):
            self._names[node.id, i] = name

    def new_name(self, hint: str) -> str:
        """A name nobody has."""
        name, number = hint, 0
        while name in self._taken:
            number += 1
            name = f"{hint}_{number}"
        self._taken.add(name)
        return name

    def rename_result(self, name: str, new_name: str) -> None:
        """Gives the result of an Identity another name; where it only passes a value on, it goes."""
        makers = {output: node for node in self._nodes for output in node["output"]}
        identity = makers[name]
        source = makers.get(identity["input"][0])
        if source is None or identity["input"][0] in {output["name"] for output in self.outputs}:
            identity["output"] = [new_name]
            return
        old = identity["input"][0]
        self._nodes.remove(identity)
        for node in self._nodes:
            node["input"] = [new_name if entry == old else entry for entry in node["input"]]
            node["output"] = [new_name if entry == old else entry for entry in node["output"]]

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
        self._nodes.append(node)
        return names

    def add_one(self, kind: str, *inputs: str, **attributes) -> str:
        """A node with one output, whose name is returned."""
        return self.add(kind, list(inputs), **attributes)[0]

    def constant(self, array, dtype=None, name: str = "constant") -> str:
        """The name of a constant; equal small ones are shared."""
        array = np.asarray(array, dtype)
        key = (array.dtype.str, array.shape, array.tobytes()) if array.size <= 64 else None
        if key is not None and key in self._constants:
            return self._constants[key]
        name = self.initializer(Tensor(array), name)
        if key is not None:
            self._constants[key] = name
        return name

    def typed_constant(self, array, dtype) -> str:
        """The name of a constant in one of our types."""
        if dtype == mstype.bfloat16:
            return self.initializer(Tensor(np.asarray(array, np.float32)).astype(dtype), "constant")
        return self.constant(array, mstype.dtype_to_nptype(dtype))

    def initializer(self, tensor: Tensor, hint: str) -> str:
        """Stores a tensor under a name."""
        name = self.new_name(hint)
        self._initializers.append((name, tensor))
        return name

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
        for node in reversed(self._nodes):
            if not wanted.isdisjoint(node["output"]):
                nodes.append(node)
                wanted.update(node["input"])
        return nodes[::-1], [entry for entry in self._initializers if entry[0] in wanted]


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
    kind = _ATTRIBUTE_TYPES[type(value)]
    field = {1: "f", 2: "i", 3: "s"}[kind]
    return {"name": name, field: value.encode() if kind == 3 else value, "type": kind}
