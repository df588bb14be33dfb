# SPDX-License-Identifier: Apache-2.0
"""RMSprop."""

from __future__ import annotations

from mindspore.experimental.optim.optimizer import OPTIMIZER, Optimizer, checked
from mindspore.ops._registry import op


@OPTIMIZER
class RMSprop(Optimizer):
    """Steps divided by the root of the gradient's mean square, or of its variance.

    Args:
        alpha (float): Decay of the means.
        centered (bool): Use the variance instead of the mean square.
    """

    def __init__(
        self,
        params,
        lr=1e-2,
        alpha=0.99,
        eps=1e-8,
        weight_decay=0.0,
        momentum=0.0,
        centered=False,
        maximize=False,
    ):
        options = {"momentum": momentum, "alpha": alpha, "eps": eps, "weight_decay": weight_decay}
        options = checked("RMSprop", lr=lr, **options)
        super().__init__(params, {**options, "centered": centered, "maximize": maximize})
        if any(group["centered"] for group in self.param_groups):
            self.mean_grad = self._slots("mean_grad")
        self.mean_square = self._slots("mean_square")
        self.moment = self._slots("moment")

    def implementation(self, group_id, lr, gradients, maximize, weight_decay, centered, alpha, eps, momentum):
        """The step of one group."""
        span = (self.group_start_id[group_id], self.group_start_id[group_id + 1])
        slots = (self.mean_square, self.moment)
        if centered:
            slots = (self.mean_grad, *slots)
        options = {"weight_decay": weight_decay, "maximize": maximize}
        options.update(centered=centered, epsilon_outside=True)
        self._update(op.update_rmsprop, (alpha, momentum, eps), span, gradients, lr, slots, options)

    def construct(self, gradients):
        self._step(gradients)
        return True
