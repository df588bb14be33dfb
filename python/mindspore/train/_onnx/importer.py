# SPDX-License-Identifier: Apache-2.0
"""Reads ONNX files as networks."""

from __future__ import annotations

import os

from mindspore import _c_expression as _c
from mindspore import nn
from mindspore.common.parameter import Parameter, ParameterTuple
from mindspore.common.tensor import Tensor
from mindspore.train._onnx.functions import tensor_of
from mindspore.train._onnx.running import run_graph
from mindspore.train._onnx.stored_graph import Graph, GraphReader
from mindspore.train._onnx.stored_tensors import TensorReader

_FIRST_OPSET, _LAST_OPSET = 11, 21


def load_onnx(path: str) -> OnnxNetwork:
    """Reads an ONNX file.

    Args:
        path (str): The file; tensors it keeps in other files must lie in its folder or below.

    Returns:
        Cell, the network. Floating tensors with axes are its parameters, under their names in the file.

    Raises:
        ValueError: The file is damaged, contradicts itself or leaves its folder.
        NotImplementedError: It uses operators or versions that this release cannot run.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"For 'load_onnx', 'path' must be a path, but got {type(path).__name__}.")
    path = os.fspath(path)
    if not os.path.isfile(path):
        raise ValueError(f"For 'load_onnx', the file '{path}' does not exist.")
    with open(path, "rb") as file:
        content = file.read()
    message = _c.decode_message("onnx", content, f"The ONNX file '{path}' cannot be read")
    tensors = TensorReader(path)
    if "graph" not in message:
        raise tensors.error("it holds no graph")
    reader = GraphReader(tensors, _opset(message, tensors), message.get("functions", []))
    graph = reader.read(message["graph"])
    return OnnxNetwork(graph)


def _opset(message: dict, tensors: TensorReader) -> int:
    versions = [
        entry.get("version", 0)
        for entry in message.get("opset_import", [])
        if entry.get("domain", "") in ("", "ai.onnx")
    ]
    if not versions:
        raise tensors.error("it does not say which version of the operators it uses")
    if not _FIRST_OPSET <= versions[0] <= _LAST_OPSET:
        raise NotImplementedError(
            f"ONNX files with operators of version {_FIRST_OPSET} to {_LAST_OPSET} can be read, but this one "
            f"has version {versions[0]}."
        )
    return versions[0]


class OnnxNetwork(nn.Cell):
    """The network of an ONNX file.

    Args:
        graph (Graph): What the file holds.

    Inputs:
        - **inputs** (Tensor) - In the order of the file, or by name.

    Outputs:
        Tensor, or a tuple of them where the graph has several outputs.
    """

    def __init__(self, graph: Graph):
        super().__init__(auto_prefix=False)
        self._graph = graph
        self._names = tuple(graph.parameters)
        self.weights = ParameterTuple(
            [Parameter(tensor, name=name) for name, tensor in graph.parameters.items()]
        )
        graph.parameters = dict.fromkeys(graph.parameters)  # the values live in the parameters now

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the inputs, in order."""
        return tuple(self._graph.inputs)

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of the outputs, in order."""
        return tuple(self._graph.outputs)

    def construct(self, *inputs, **named):
        """Runs the graph."""
        values = dict(zip(self._names, self.weights, strict=True))
        values.update(self._checked(inputs, named))
        results = tuple(tensor_of(value) for value in run_graph(self._graph, values))
        return results[0] if len(results) == 1 else results

    def _checked(self, inputs: tuple, named: dict) -> dict:
        wanted = self._graph.inputs
        if len(inputs) > len(wanted):
            raise ValueError(f"The network takes {len(wanted)} inputs {wanted}, but got {len(inputs)}.")
        given = dict(zip(wanted, inputs, strict=False))
        for name, value in named.items():
            if name not in wanted or name in given:
                raise ValueError(f"The network has no input '{name}' left; its inputs are {wanted}.")
            given[name] = value
        for name in wanted:
            if name not in given:
                raise ValueError(f"The input '{name}' of the network is missing; its inputs are {wanted}.")
            given[name] = self._checked_input(name, given[name])
        return given

    def _checked_input(self, name: str, value) -> Tensor:
        dtype, shape = self._graph.types[name]
        value = value if isinstance(value, Tensor) else Tensor(value, dtype)
        if dtype is not None and value.dtype != dtype:
            raise TypeError(f"The input '{name}' must have type {dtype}, but got {value.dtype}.")
        fits = shape is None or (
            len(shape) == value.ndim
            and all(size in (None, got) for size, got in zip(shape, value.shape, strict=True))
        )
        if not fits:
            raise ValueError(f"The input '{name}' must have shape {shape}, but got {value.shape}.")
        return value
