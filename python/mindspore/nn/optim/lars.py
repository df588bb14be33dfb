# SPDX-License-Identifier: Apache-2.0
"""LARS, around another optimizer."""

from __future__ import annotations

from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn.cell import Cell
from mindspore.nn.optim._parameters import OPTIMIZER, constant, real
from mindspore.nn.optim.optimizer import Optimizer, opt_init_args_register
from mindspore.ops._registry import op


@OPTIMIZER
class LARS(Optimizer):
    """Gradients scaled by the norms of their parameters, for large batches (You and others, 2017).

    ``g' = coefficient * norm(p) / (norm(g) + weight_decay * norm(p) + epsilon) * (g + weight_decay * p)``

    The optimizer inside gets these gradients; its own decay and loss scale are taken over.

    Args:
        optimizer (Optimizer): Makes the steps: Momentum or SGD.
        epsilon (float): Keeps the divisor from zero.
        coefficient (float): Trust in the ratio of norms.
        use_clip (bool): The scaled rate never exceeds the rate itself.
        lars_filter (Function): Tells for a parameter whether its gradient is scaled. Default: neither
            'LayerNorm' nor 'bias' is in its name.

    Raises:
        TypeError: An argument has the wrong type.
    """

    @opt_init_args_register
    def __init__(
        self,
        optimizer,
        epsilon=1e-05,
        coefficient=0.001,
        use_clip=False,
        lars_filter=lambda x: "LayerNorm" not in x.name and "bias" not in x.name,
    ):
        super().__init__(0.0, [Parameter(Tensor(0.0), name="fake_param")])
        if not isinstance(optimizer, Optimizer):
            raise TypeError(
                f"For 'LARS', the 'optimizer' must be an Optimizer, but got {type(optimizer).__name__}."
            )
        self.epsilon = real(epsilon, "epsilon", "LARS")
        self.coefficient = real(coefficient, "coefficient", "LARS")
        self.use_clip = check.boolean(use_clip, "use_clip", "LARS")
        self.opt = optimizer
        self.learning_rate = Parameter(Tensor(0.0), name="fake_lr", requires_grad=False)
        self._take_over(optimizer)
        self.lars_flag = tuple(bool(lars_filter(parameter)) for parameter in self.parameters)
        self._places = tuple(
            place if flag else -1 for place, flag in zip(self._decay_places, self.lars_flag, strict=True)
        )

    def _take_over(self, optimizer) -> None:
        """Parameters, decay and loss scale of the optimizer are looked after here."""
        del self.weight_decay  # what it becomes may be a cell
        for name in ("global_step", "parameters", "weight_decay", "is_group", "dynamic_weight_decay"):
            setattr(self, name, getattr(optimizer, name))
        del optimizer.weight_decay
        for name in (
            "_decay_of",
            "_decay_places",
            "_decays",
            "decay_flags",
            "reciprocal_scale",
            "need_scale",
        ):
            setattr(self, name, getattr(optimizer, name))
        count = len(optimizer.parameters)
        optimizer._decay_of, optimizer._decay_places = (None,) * count, (-1,) * count
        optimizer._decays, optimizer.decay_flags = (), (False,) * count
        optimizer.weight_decay, optimizer.exec_weight_decay = 0.0, False
        optimizer.reciprocal_scale, optimizer.need_scale = 1.0, False
        self._one = constant(1.0)

    def construct(self, gradients):
        gradients = self.opt._checked_gradients(gradients)
        rates = self.opt._rates_now() if self.use_clip else (self._one,)
        decays = tuple(
            op.reshape(decay(self.global_step), ()) if isinstance(decay, Cell) else decay
            for decay in self._decays
        )
        count = len(rates)
        places = tuple(place if place < 0 else place + count for place in self._places)
        scaled = op.lars_gradients(
            [*self.parameters, *gradients, *rates, *decays],
            rate_of=self.opt._rate_of if self.use_clip else (0,) * len(self.parameters),
            adapts=tuple(int(flag) for flag in self.lars_flag),
            decay_of=places if decays else (),
            gradient_scale=self.reciprocal_scale,
            epsilon=self.epsilon,
            coefficient=self.coefficient,
            use_clip=self.use_clip,
        )
        return self.opt(tuple(scaled))
