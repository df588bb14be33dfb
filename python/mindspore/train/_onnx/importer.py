# SPDX-License-Identifier: Apache-2.0
"""Reads ONNX files as networks."""

from __future__ import annotations

import os

from mindspore import _c_expression as _c
from mindspore import context, nn
from mindspore._capture.loops.current import current_runner
from mindspore.common.parameter import Parameter, ParameterTuple
from mindspore.common.tensor import Tensor
from mindspore.train._mindir.loop_maker import LoopMaker
from mindspore.train._onnx.foreign import call_foreign


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
    return OnnxNetwork(_c.load_onnx(path))


class OnnxNetwork(nn.Cell):
    """The network of an ONNX file.

    Args:
        model (StoredOnnxModel): What the file holds.

    Inputs:
        - **inputs** (Tensor) - In the order of the file, or by name.

    Outputs:
        Tensor, or a tuple of them where the graph has several outputs.
    """

    def __init__(self, model):
        super().__init__(auto_prefix=False)
        self._model = model
        self.weights = ParameterTuple([Parameter._adopt(tensor, name) for name, tensor in model.parameters])

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the inputs, in order."""
        return tuple(each.name for each in self._model.inputs)

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of the outputs, in order."""
        return tuple(self._model.outputs)

    def construct(self, *inputs, **named):
        """Runs the graph."""
        runner = current_runner()
        return self._model.run(
            arguments=self._arranged(inputs, named),
            parameters=tuple(self.weights),
            foreign=call_foreign,
            loop_maker=None if runner is None else LoopMaker(runner),
            deepest_call=context.get_context("max_call_depth"),
        )

    def _arranged(self, inputs: tuple, named: dict) -> tuple[Tensor, ...]:
        """The inputs in the order of the file."""
        wanted = self._model.inputs
        names = [each.name for each in wanted]
        if len(inputs) > len(names):
            raise ValueError(f"The network takes {len(names)} inputs {names}, but got {len(inputs)}.")
        given = dict(zip(names, inputs, strict=False))
        for name, value in named.items():
            if name not in names or name in given:
                raise ValueError(f"The network has no input '{name}' left; its inputs are {names}.")
            given[name] = value
        for name in names:
            if name not in given:
                raise ValueError(f"The input '{name}' of the network is missing; its inputs are {names}.")
        values = ((given[each.name], each.dtype) for each in wanted)
        return tuple(value if isinstance(value, Tensor) else Tensor(value, dtype) for value, dtype in values)
