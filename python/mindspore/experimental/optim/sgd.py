# SPDX-License-Identifier: Apache-2.0
"""Stochastic gradient descent."""

from __future__ import annotations

from mindspore.experimental.optim.optimizer import OPTIMIZER, Optimizer, checked
from mindspore.ops._registry import op


@OPTIMIZER
class SGD(Optimizer):
    """Stochastic gradient descent, with momentum if wanted.

    Args:
        momentum (Union[int, float]): Share of the old step.
        dampening (Union[int, float]): Reduces the gradient's share of the momentum.
        nesterov (bool): Look one step ahead; needs momentum and no dampening.
    """

    def __init__(
        self, params, lr, momentum=0, dampening=0, weight_decay=0.0, nesterov=False, *, maximize=False
    ):
        defaults = checked("SGD", lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening.")
        defaults.update(momentum=float(momentum), dampening=float(dampening), nesterov=nesterov)
        defaults.update(maximize=maximize, grad_centralization=False)
        super().__init__(params, defaults)
        self.accum = self._slots("accum")
        self.stat = self._slots("stat", "ones")

    def implementation(self, momentum, lr, group_id, gradients, maximize, dampening, weight_decay, nesterov):
        """The step of one group."""
        span = (self.group_start_id[group_id], self.group_start_id[group_id + 1])
        options = {"weight_decay": weight_decay, "maximize": maximize}
        options.update(dampening=dampening, nesterov=nesterov)
        self._update(op.update_sgd, (momentum,), span, gradients, lr, (self.accum, self.stat), options)

    def construct(self, gradients):
        self._step(gradients)
        return True
