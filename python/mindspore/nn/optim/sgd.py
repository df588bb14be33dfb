# SPDX-License-Identifier: Apache-2.0
"""Stochastic gradient descent."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn.optim._parameters import OPTIMIZER, number
from mindspore.nn.optim.optimizer import Optimizer, opt_init_args_register
from mindspore.ops._registry import op


@OPTIMIZER
class SGD(Optimizer):
    """Stochastic gradient descent, with momentum if wanted.

    With momentum the first step takes the gradient, later ones
    ``v = momentum * v + (1 - dampening) * gradient``.

    Args:
        dampening (float): Reduces the gradient's share of the momentum.
        weight_decay (Union[float, int]): Decay of the weights.
        nesterov (bool): Look one step ahead; needs momentum and no dampening.
    """

    @opt_init_args_register
    def __init__(
        self,
        params,
        learning_rate=0.1,
        momentum=0.0,
        dampening=0.0,
        weight_decay=0.0,
        nesterov=False,
        loss_scale=1.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if self.dynamic_weight_decay:
            raise TypeError(
                "For 'SGD', dynamic weight decay is currently not supported, the argument 'weight_decay' or "
                "'weight_decay' set in grouped 'params' must be float or int type."
            )
        for name, value in (("momentum", momentum), ("dampening", dampening)):
            number(value, name, "SGD", low=0)
        check.boolean(nesterov, "nesterov", "SGD")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError(
                "For 'SGD', if 'nesterov' is true, 'momentum' must be > 0.0 and 'dampening' must equal to "
                f"0.0, but got 'momentum' {momentum} and 'dampening' {dampening}."
            )
        self.dampening, self.nesterov = float(dampening), nesterov
        self.momentum = Parameter(Tensor(momentum, mstype.float32), name="momentum", requires_grad=False)
        self.accum = self._slots("accum")
        self.stat = self._slots("stat", "ones")

    def construct(self, gradients):
        options = {"dampening": self.dampening, "nesterov": self.nesterov}
        return self._step(op.update_sgd, (self.momentum,), gradients, self.accum, self.stat, **options)
