# SPDX-License-Identifier: Apache-2.0
"""THOR: second-order steps from the moments that its layers keep."""

from __future__ import annotations

from typing import Any

from mindspore import ops
from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn.cell import Cell
from mindspore.nn.optim import _parameters as given
from mindspore.nn.optim.optimizer import Optimizer
from mindspore.ops._registry import op

_LONGEST_GRADIENT = 1.0


def _parameter_of(layer) -> Parameter | None:
    """The weight whose gradients a layer's moments are about."""
    return (
        getattr(layer, "weight", None)
        if hasattr(layer, "weight")
        else getattr(layer, "embedding_table", None)
    )


class Thor(Optimizer):
    """Momentum on gradients multiplied by the inverse second moments of inputs and output gradients.

    Parameters of layers that keep no moments (see :class:`mindspore.nn.DenseThor`) get steps of plain
    momentum. The arguments are those of :func:`mindspore.nn.thor`.
    """

    def __init__(
        self,
        net,
        learning_rate,
        damping,
        momentum,
        weight_decay=0.0,
        loss_scale=1.0,
        decay_filter=None,
        use_nesterov=False,
        enable_clip_grad=False,
        frequency=100,
    ):
        parameters = [parameter for parameter in net.get_parameters() if parameter.requires_grad]
        super().__init__(learning_rate, parameters, weight_decay, loss_scale)
        given.real(momentum, "momentum", "thor", low=0.0)
        self.momentum = Parameter(Tensor(momentum, mstype.float32), name="momentum", requires_grad=False)
        self.use_nesterov = check.boolean(use_nesterov, "use_nesterov", "thor")
        self.enable_clip_grad = check.boolean(enable_clip_grad, "enable_clip_grad", "thor")
        self.frequency = check.positive_int(frequency, "frequency", "thor")
        self.damping = given.rate_from(damping, "damping")
        if decay_filter is not None:
            self._keep_decays(decay_filter)
        self.moments = self._slots("moments")
        self._find_layers(net)

    def _keep_decays(self, decay_filter) -> None:
        """Only parameters that the filter names decay."""
        self._decay_of = tuple(
            decay if decay_filter(parameter) else None
            for parameter, decay in zip(self.parameters, self._decay_of, strict=True)
        )
        self.decay_flags = tuple(decay is not None for decay in self._decay_of)
        self.exec_weight_decay = any(self.decay_flags)
        self._plan_decays()

    def _find_layers(self, net) -> None:
        """Layers that keep moments, each beside the place of its parameter; and what their inverses are."""
        places = {id(parameter): i for i, parameter in enumerate(self.parameters)}
        layers, inverses = [], []
        for _, layer in net.cells_and_names():
            weight = _parameter_of(layer)
            if not hasattr(layer, "matrix_a") or id(weight) not in places:
                continue
            layers.append((places[id(weight)], layer.matrix_a, layer.matrix_g))
            inverses.append(tuple(matrix.clone("zeros") for matrix in (layer.matrix_a, layer.matrix_g)))
        self.__dict__["_layers"] = tuple(layers)
        for (place, _, _), pair in zip(layers, inverses, strict=True):
            for kind, inverse in zip("ag", pair, strict=True):
                inverse.name = f"inverse_{kind}.{self.parameters[place].name}"
                inverse.requires_grad = False
                self.insert_param_to_cell(f"inverse_{kind}_{place}", inverse)
        self.__dict__["_inverses"] = tuple(inverses)

    def _invert(self) -> None:
        """Makes the inverses anew from the moments as they are."""
        damping = (
            op.reshape(self.damping(self.global_step), ()) if isinstance(self.damping, Cell) else self.damping
        )
        root = op.sqrt(damping)
        for (_, of_inputs, of_gradients), (inverse_a, inverse_g) in zip(
            self._layers, self._inverses, strict=True
        ):
            # Moments of gradients grow with the square of the loss.
            scaled = of_gradients * (self.reciprocal_scale**2)
            op.assign(inverse_g, op.matrix_inverse(scaled + self._identity(scaled) * root))
            if of_inputs.ndim == 1:
                op.assign(inverse_a, op.reciprocal(of_inputs + root))
            else:
                op.assign(inverse_a, op.matrix_inverse(of_inputs + self._identity(of_inputs) * root))

    @staticmethod
    def _identity(matrix):
        return ops.eye(matrix.shape[0], matrix.shape[0], mstype.float32)

    def _preconditioned(self, gradients: tuple) -> tuple:
        found = list(gradients)
        for (place, of_inputs, _), (inverse_a, inverse_g) in zip(self._layers, self._inverses, strict=True):
            gradient = found[place]
            flat = op.reshape(op.cast(gradient, mstype.float32), (gradient.shape[0], -1))
            if of_inputs.ndim == 1:
                flat = op.matmul(op.expand_dims(inverse_a, 1) * flat, inverse_g)
            else:
                flat = op.matmul(op.matmul(inverse_g, flat), inverse_a)
            found[place] = op.cast(op.reshape(flat, gradient.shape), gradient.dtype)
        return tuple(found)

    def construct(self, gradients) -> Any:
        gradients = self._checked_gradients(gradients)
        periods = op.cast(op.reshape(self.global_step, ()), mstype.float32) / self.frequency
        if op.equal(op.floor(periods), periods):
            self._invert()
        gradients = self._preconditioned(gradients)
        if self.enable_clip_grad:
            gradients = tuple(ops.clip_by_global_norm(gradients, _LONGEST_GRADIENT))
        return self._step(
            op.update_momentum, (self.momentum,), gradients, self.moments, nesterov=self.use_nesterov
        )


def thor(
    net,
    learning_rate,
    damping,
    momentum,
    weight_decay=0.0,
    loss_scale=1.0,
    batch_size=32,
    use_nesterov=False,
    decay_filter=lambda x: x.name not in [],
    split_indices=None,
    enable_clip_grad=False,
    frequency=100,
):
    """An optimizer whose steps use second moments: ``G ** -1 @ gradient @ A ** -1`` for every layer.

    The layers must keep these moments: convert the network with
    :class:`mindspore.train.ConvertNetUtils` first.

    Args:
        net (Cell): The network.
        learning_rate (Tensor): The rate, or one per step.
        damping (Tensor): Its root is added to the moments' diagonals; a value, or one per step.
        momentum (float): Share of the old step, at least 0.
        weight_decay (Union[float, int, Cell]): Decay of the weights. Default: ``0.0``.
        loss_scale (float): Factor by which the loss was multiplied. Default: ``1.0``.
        batch_size (int): Accepted for compatibility. Default: ``32``.
        use_nesterov (bool): Look one step ahead. Default: ``False``.
        decay_filter (Function): Tells for a parameter whether it decays. Default: every one does.
        split_indices (list): Accepted for compatibility. Default: ``None``.
        enable_clip_grad (bool): Gradients are made shorter than 1 together. Default: ``False``.
        frequency (int): Steps between two inversions. Default: ``100``.

    Returns:
        Optimizer.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range.

    Supported Platforms:
        ``CPU``
    """
    if not isinstance(net, Cell):
        raise TypeError(f"For 'thor', the 'net' must be a Cell, but got {type(net).__name__}.")
    for name, value in (("learning_rate", learning_rate), ("damping", damping)):
        if not isinstance(value, Tensor):
            raise TypeError(f"For 'thor', the '{name}' must be a Tensor, but got {type(value).__name__}.")
    check.positive_int(batch_size, "batch_size", "thor")
    settings = (weight_decay, loss_scale, decay_filter, use_nesterov, enable_clip_grad, frequency)
    return Thor(net, learning_rate, damping, momentum, *settings)
