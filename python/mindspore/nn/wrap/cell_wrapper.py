# SPDX-License-Identifier: Apache-2.0
"""A network with its loss, its gradients, or a whole training step."""

from __future__ import annotations

from typing import Any

from mindspore._settings.telling import warn_once
from mindspore.common import dtype as mstype
from mindspore.common._gradient import GradOperation, Recording, forget_history, seeds_for, zeros_for
from mindspore.common._structure import map_tensors
from mindspore.common.parameter import Parameter, ParameterTuple
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn.cell import Cell
from mindspore.nn.wrap._fitting import check_loss, check_made, misfit, warn_without_gradients
from mindspore.ops._registry import op
from mindspore.ops.function.values import identity


class WithLossCell(Cell):
    """A network and its loss: ``loss_fn(backbone(data), label)``.

    Args:
        backbone (Cell): The network.
        loss_fn (Cell): The loss.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, backbone, loss_fn):
        super().__init__(auto_prefix=False)
        check_made(backbone, "backbone", self.cls_name)
        check_made(loss_fn, "loss_fn", self.cls_name)
        self._backbone = backbone
        self._loss_fn = loss_fn

    def construct(self, data, label):
        return self._loss_fn(self._backbone(data), label)

    @property
    def backbone_network(self) -> Cell:
        """The network."""
        return self._backbone


class WithEvalCell(Cell):
    """A network for evaluation: ``(loss, outputs, label)``.

    Args:
        network (Cell): The network.
        loss_fn (Cell): The loss.
        add_cast_fp32 (bool): Outputs in float32 before the loss. Default: ``False``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, network, loss_fn, add_cast_fp32=False):
        super().__init__(auto_prefix=False)
        check_made(network, "network", self.cls_name)
        check_made(loss_fn, "loss_fn", self.cls_name)
        self._network, self._loss_fn = network, loss_fn
        self.add_cast_fp32 = check.boolean(add_cast_fp32, "add_cast_fp32", self.cls_name)

    def construct(self, data, label) -> tuple:
        outputs = self._network(data)
        if self.add_cast_fp32:
            outputs = map_tensors(
                lambda t: op.cast(t, mstype.float32) if t.dtype in mstype.float_type else t, outputs
            )
            if isinstance(label, Tensor) and label.dtype in mstype.float_type:
                label = op.cast(label, mstype.float32)
        return self._loss_fn(outputs, label), outputs, label


class WithGradCell(Cell):
    """Gradients of a network's trainable parameters.

    Args:
        network (Cell): The network.
        loss_fn (Cell): The loss; None: the network computes it. Default: ``None``.
        sens (Union[None, Tensor, tuple]): Gradient of the loss. Default: ``None``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, network, loss_fn=None, sens=None):
        super().__init__(auto_prefix=False)
        check_made(network, "network", self.cls_name)
        check_made(loss_fn, "loss_fn", self.cls_name)
        self.network = network
        self.loss_fn = loss_fn
        self.weights = ParameterTuple(network.trainable_params())
        self.sens = sens
        self.network_with_loss = network if loss_fn is None else WithLossCell(network, loss_fn)
        network.set_train()

    def construct(self, *inputs) -> tuple:
        if self.sens is None:
            return GradOperation(get_by_list=True)(self.network_with_loss, self.weights)(*inputs)
        grad = GradOperation(get_by_list=True, sens_param=True)
        return grad(self.network_with_loss, self.weights)(*inputs, sens=self.sens)


class ForwardValueAndGrad(Cell):
    """What a network returns, together with gradients.

    Args:
        network (Union[Cell, Function]): The network.
        weights (ParameterTuple): Parameters to differentiate with respect to. Default: ``None``.
        get_all (bool): Gradients of all inputs. Default: ``False``.
        get_by_list (bool): Gradients of the parameters. Default: ``False``.
        sens_param (bool): The gradient of the output is the last argument. Default: ``False``.

    Raises:
        TypeError: `get_by_list` is set without parameters.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, network, weights=None, get_all=False, get_by_list=False, sens_param=False):
        super().__init__(auto_prefix=False)
        check_made(network, "network", self.cls_name)
        for name, value in (("get_all", get_all), ("get_by_list", get_by_list)):
            check.boolean(value, name, self.cls_name)
        if get_by_list and not isinstance(weights, (ParameterTuple, tuple, list)):
            raise TypeError(
                "For 'ForwardValueAndGrad', when 'get_by_list' is set to True, the argument 'weights' must "
                "be "
                f"Parameters array, but got 'weights' type : {type(weights)}."
            )
        self.network, self.weights = network, weights
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def construct(self, *inputs) -> Any:
        sens = None
        if self.sens_param:
            inputs, sens = inputs[:-1], inputs[-1]
        recording, watched = Recording(), []
        try:
            given = list(inputs)
            wants_inputs = self.get_all or not self.get_by_list
            for i, value in enumerate(inputs if wants_inputs else ()):
                if isinstance(value, Tensor) and (self.get_all or i == 0):
                    given[i], place = recording.watch(value)
                    watched.append((value, place))
            weights = list(self.weights) if self.get_by_list else []
            places = [recording.watch_parameter(w) if w.requires_grad else None for w in weights]
            outputs = self.network(*given)
            tracked = recording.tracked(outputs)
        finally:
            recording.end_forward()
        seeds = [None] * len(tracked) if sens is None else seeds_for(outputs, sens)
        found = recording.backward(tracked, seeds)
        forget_history(outputs)
        of_inputs = tuple(zeros_for(found[place], value) for value, place in watched)
        of_weights = tuple(
            zeros_for(None if p is None else found[p], w) for p, w in zip(places, weights, strict=False)
        )
        if not self.get_by_list:
            return outputs, of_inputs if self.get_all else of_inputs[0] if of_inputs else ()
        return outputs, (of_inputs, of_weights) if self.get_all else of_weights


def filled_like(outputs, value) -> Any:
    """The structure of `outputs`, every tensor filled with `value`: one sens per output.

    Args:
        outputs: A tensor, or tensors in tuples, lists and dicts.
        value (Union[float, int, Tensor]): A number, or a tensor of one.

    Returns:
        The same structure.
    """

    def filled(tensor):
        if isinstance(value, Tensor):
            return op.broadcast_to(op.reshape(op.cast(value, tensor.dtype), ()), tensor.shape)
        return op.full_like(tensor, value)

    return map_tensors(filled, outputs)


class TrainOneStepCell(Cell):
    """One training step: forward, gradients, update.

    A network may return several tensors: the gradients are those of their sum, and the step returns
    them all.

    Args:
        network (Cell): Computes the loss.
        optimizer (Cell): Updates the parameters.
        sens (numbers.Number): Factor of the gradients, 1.0 by default. Default: ``None``.
        return_grad (bool): Also return the gradients by parameter name. Default: ``False``.

    Inputs:
        - **\\*inputs** - What the network takes.

    Outputs:
        The loss, or the loss and a dict of gradients with `return_grad`.

    Raises:
        TypeError: `sens` is not a number, or the network returns no loss.
        ValueError: `sens` is 0, or a step is taken though none of the optimizer's parameters belongs to the
            network.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, network, optimizer, sens=None, return_grad=False):
        super().__init__(auto_prefix=False)
        check_made(network, "network", self.cls_name)
        # A step that is made and never taken harms nobody: scripts do that.
        self._misfit = misfit([network], optimizer, self.cls_name)
        if self._misfit:
            warn_once(self._misfit, self._misfit)
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.weights = self.optimizer.parameters
        self.sens = self._checked_sens(sens)
        self.return_grad = check.boolean(return_grad, "return_grad", self.cls_name)
        self.grad = GradOperation(get_by_list=True, sens_param=True)
        self.grad_no_sens = GradOperation(get_by_list=True)
        # One process has nobody to share gradients with; subclasses ask, and put functions or cells here.
        self.reducer_flag, self.mean, self.degree = False, False, 1
        self.grad_reducer = identity

    @staticmethod
    def _checked_sens(sens):
        if sens is None:
            return 1.0
        if isinstance(sens, bool) or not isinstance(sens, (int, float, Tensor)):
            raise TypeError(
                "For 'TrainOneStepCell', the argument 'sens' must be a number, but got "
                f"{type(sens).__name__}."
            )
        if not isinstance(sens, Tensor) and sens == 0:
            raise ValueError("The input argument of 'sens' can not be 0.")
        return sens

    def _loss_and_gradients(self, inputs: tuple, sens) -> tuple:
        if self._misfit:
            raise ValueError(self._misfit)
        recording = Recording()
        try:
            places = [recording.watch_parameter(w) if w.requires_grad else None for w in self.weights]
            loss = self.network(*inputs)
            tracked = recording.tracked(loss)
            check_loss(loss, tracked, self.cls_name)
        finally:
            recording.end_forward()
        plain = not isinstance(sens, Tensor) and sens == 1.0
        seeds = [None] * len(tracked) if plain else seeds_for(loss, filled_like(loss, sens))
        found = recording.backward(tracked, seeds)
        forget_history(loss)
        if all(gradient is None for gradient in found):
            warn_without_gradients(self.weights, self.cls_name)
        return loss, tuple(
            zeros_for(None if p is None else found[p], w) for p, w in zip(places, self.weights, strict=False)
        )

    def construct(self, *inputs) -> Any:
        loss, gradients = self._loss_and_gradients(inputs, self.sens)
        gradients = self.grad_reducer(gradients)
        self.optimizer(gradients)
        if self.return_grad:
            return loss, {
                weight.name: gradient for weight, gradient in zip(self.weights, gradients, strict=False)
            }
        return loss


class ParameterUpdate(Cell):
    """Gives a parameter a new value.

    Args:
        param (Parameter): The parameter.
    """

    def __init__(self, param):
        super().__init__(auto_prefix=False)
        if not isinstance(param, Parameter):
            raise TypeError(f"For 'ParameterUpdate', 'param' must be 'Parameter', but got {type(param)}.")
        self._param = param

    def construct(self, x) -> Any:
        op.assign(self._param, x)
        return x


class GetNextSingleOp(Cell):
    """Takes the next row of a data queue.

    Args:
        dataset_types (list): Types of the columns.
        dataset_shapes (list): Shapes of the columns.
        queue_name (str): Name of the queue.
    """

    def __init__(self, dataset_types, dataset_shapes, queue_name):
        super().__init__()
        self.dataset_types, self.dataset_shapes, self.queue_name = dataset_types, dataset_shapes, queue_name

    def construct(self) -> tuple:
        raise RuntimeError(
            f"For 'GetNextSingleOp', there is no data queue '{self.queue_name}' on this device."
        )


def __getattr__(name: str):
    """Cells that old scripts find here."""
    from mindspore.nn.wrap import micro_batches

    if name.startswith("__") or not hasattr(micro_batches, name):
        raise AttributeError(f"module 'mindspore.nn.wrap.cell_wrapper' has no attribute '{name}'")
    return getattr(micro_batches, name)
