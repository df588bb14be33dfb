# SPDX-License-Identifier: Apache-2.0
"""FuncGraph: a network loaded from a file."""

from __future__ import annotations

from mindspore.common.tensor import Tensor
from mindspore.train._export.loops.current import current_runner
from mindspore.train._mindir.folded_inputs import without_folded
from mindspore.train._mindir.interpreter import Closure, run_frame
from mindspore.train._mindir.recorded_loops import RecordedLoops
from mindspore.train._mindir.signature import as_result
from mindspore.train._mindir.values import UMONAD


class FuncGraph:
    """A network loaded from a file; :class:`mindspore.nn.GraphCell` runs it.

    Args:
        graphs (list): Its graphs, the outermost first.
        parameters (list): Its parameters.
        result (object): Where the result has sparse tensors.
        model (dict): The message it was made from.
    """

    def __init__(self, graphs: list, parameters: list, result, model: dict):
        self._top, self._parameters, self._result = graphs[0], tuple(parameters), result
        self._closure = Closure(self._top, None)
        self._inputs = tuple(one for one in self._top.inputs if not one.is_monad)
        self.name = self._top.name
        self.graph_names = tuple(graph.name for graph in graphs)
        self.model_version = model["model_version"]
        self.user_info = {
            entry.get("key", ""): entry.get("value", "") for entry in model.get("user_info", ())
        }

    @property
    def parameters(self) -> tuple:
        """The parameters, in the order of the file."""
        return self._parameters

    @property
    def inputs(self) -> tuple:
        """What is known of each input."""
        return self._inputs

    def run(self, arguments: tuple, parameters=None):
        """Computes the network.

        Args:
            arguments (tuple): Inputs; shapes and types as exported. Numbers that were folded into the graph
                may be among them.
            parameters (Sequence): Takes the place of the parameters of the file. Default: ``None``.

        Returns:
            What the network gives.

        Raises:
            RuntimeError: The number of inputs is not as exported.
            ValueError: The shape of an input, or a number, is not as exported.
            TypeError: The type of an input is not as exported.
        """
        if len(arguments) > len(self._inputs):
            arguments = without_folded(arguments, self.user_info)
        if len(arguments) != len(self._inputs):
            names = ", ".join(one.name for one in self._inputs)
            raise RuntimeError(
                "For 'GraphCell', the input number of parameters is not Compatible: the network takes "
                f"{len(self._inputs)} inputs ({names}), but got {len(arguments)}."
            )
        for expected, value in zip(self._inputs, arguments, strict=True):
            expected.check(value)
        given = iter(arguments)
        values = [UMONAD if one.is_monad else next(given) for one in self._top.inputs]
        parameters = self._parameters if parameters is None else parameters
        runner = current_runner()
        enter = None if runner is None else RecordedLoops(runner, parameters).enter
        result = run_frame(self._closure.enter(values), parameters, enter)
        return as_result(result, self._result)

    def with_parameters(self, replaced: dict) -> tuple:
        """The parameters, some of them with other values.

        Args:
            replaced (dict): Values by name; names that the network does not have are left out.

        Raises:
            ValueError: A value has another shape or type.
        """
        result = []
        for parameter in self._parameters:
            value: Tensor | None = replaced.get(parameter.name)
            if value is not None:
                if value.shape != parameter.shape or value.dtype != parameter.dtype:
                    raise ValueError(
                        "Only support update parameter by Tensor or Parameter with same shape and dtype as "
                        f"it. The parameter '{parameter.name}' has shape {parameter.shape} and dtype "
                        f"{parameter.dtype}, but got the update value with shape {value.shape} and dtype "
                        f"{value.dtype}."
                    )
                parameter = type(parameter)(value, name=parameter.name)
            result.append(parameter)
        return tuple(result)

    def __repr__(self) -> str:
        return f"FuncGraph<{self.name}, {len(self.graph_names)} graphs, {len(self._parameters)} parameters>"
