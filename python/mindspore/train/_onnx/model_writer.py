# SPDX-License-Identifier: Apache-2.0
"""Puts an ONNX model together node by node."""

from __future__ import annotations

import numpy as np

from mindspore import _c_expression as _c
from mindspore.common.tensor import Tensor
from mindspore.train._export.captured_network import CapturedNetwork, Node, Value
from mindspore.train._onnx.element_types import NUMBERS
from mindspore.version import __version__

_IR_VERSION = 8
OPSET = 17
_ATTRIBUTE_TYPES = {float: 1, int: 2, str: 3}
_FLOATS, _INTS, _TENSOR = 6, 7, 4


class ModelWriter:
    """The graph of a model while it grows.

    Args:
        network (CapturedNetwork): What is written.
    """

    def __init__(self, network: CapturedNetwork):
        self.network = network
        self._nodes: list[dict] = []
        self._initializers: list[dict] = []
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

    # ---- parts ----------------------------------------------------------------------------------------

    def add(self, kind: str, inputs: list[str], outputs: int = 1, **attributes) -> list[str]:
        """Adds a node; an absent input is an empty name. Returns the names of its outputs."""
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

    def initializer(self, tensor: Tensor, hint: str) -> str:
        """Stores a tensor under a name."""
        name = self.new_name(hint)
        self._initializers.append(_tensor(tensor, name))
        return name

    # ---- the file ------------------------------------------------------------------------------------------

    def model(self, inputs: list[dict], outputs: list[dict]) -> bytes:
        """The bytes of the file."""
        graph = {
            "node": self._nodes,
            "name": self.network.name,
            "initializer": self._initializers,
            "input": inputs,
            "output": outputs,
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


def value_info(name: str, dtype, shape) -> dict:
    """What a model says about an input or output; a length that is a text may be any."""
    dims = [{"dim_param": size} if isinstance(size, str) else {"dim_value": size} for size in shape]
    kind = {"elem_type": NUMBERS[dtype], "shape": {"dim": dims}}
    return {"name": name, "type": {"tensor_type": kind}}


def _tensor(tensor: Tensor, name: str) -> dict:
    content = tensor.get_bytes()
    return {"dims": list(tensor.shape), "data_type": NUMBERS[tensor.dtype], "name": name, "raw_data": content}


def _attribute(name: str, value) -> dict:
    if isinstance(value, bool):
        value = int(value)
    if isinstance(value, (tuple, list)):
        if all(isinstance(item, int) for item in value):
            return {"name": name, "ints": list(value), "type": _INTS}
        return {"name": name, "floats": list(value), "type": _FLOATS}
    if isinstance(value, Tensor):
        return {"name": name, "t": _tensor(value, ""), "type": _TENSOR}
    kind = _ATTRIBUTE_TYPES[type(value)]
    field = {1: "f", 2: "i", 3: "s"}[kind]
    return {"name": name, field: value.encode() if kind == 3 else value, "type": kind}
