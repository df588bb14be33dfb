# SPDX-License-Identifier: Apache-2.0
"""FuncGraph: a network loaded from a file."""

from __future__ import annotations

from mindspore import context
from mindspore._capture.loops.current import current_runner
from mindspore.common.parameter import Parameter
from mindspore.common.sparse_tensor import COOTensor, CSRTensor
from mindspore.common.tensor import Tensor
from mindspore.train._mindir.folded_inputs import without_folded
from mindspore.train._mindir.foreign import call_foreign
from mindspore.train._mindir.loop_maker import LoopMaker

_SPARSE = {"coo": COOTensor, "csr": CSRTensor}


class FuncGraph:
    """A network loaded from a file; :class:`mindspore.nn.GraphCell` runs it.

    Args:
        model (StoredModel): What the file holds.
    """

    def __init__(self, model):
        self._model = model
        self._parameters = tuple(Parameter._adopt(tensor, name) for name, tensor in model.parameters)
        self.name = model.name
        self.graph_names = tuple(model.graph_names)
        self.model_version = model.version
        self.user_info = model.user_info

    @property
    def parameters(self) -> tuple:
        """The parameters, in the order of the file."""
        return self._parameters

    @property
    def inputs(self) -> tuple:
        """What is known of each input."""
        return tuple(self._model.inputs)

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
        if len(arguments) > len(self._model.inputs):
            arguments = without_folded(arguments, self.user_info)
        runner = current_runner()
        result = self._model.run(
            arguments=tuple(arguments),
            parameters=self._parameters if parameters is None else tuple(parameters),
            foreign=call_foreign,
            loop_maker=None if runner is None else LoopMaker(runner),
            deepest_call=context.get_context("max_call_depth"),
        )
        return _with_sparse(result, self._model.result)

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


def _with_sparse(value, plan):
    """A value as users get it: tuples that stand for sparse tensors are made such."""
    if plan is None or not isinstance(value, (tuple, list)):
        return value
    if isinstance(plan, str):
        return _SPARSE[plan](*value)
    if len(plan) != len(value):
        return value
    return type(value)(_with_sparse(one, part) for one, part in zip(value, plan, strict=True))
