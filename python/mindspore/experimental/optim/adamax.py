# SPDX-License-Identifier: Apache-2.0
"""Adam with a maximum."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.experimental.optim.optimizer import OPTIMIZER, Optimizer, checked
from mindspore.ops._registry import op


@OPTIMIZER
class Adamax(Optimizer):
    """Adam with the decaying maximum of the gradient instead of its mean square."""

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, *, maximize=False):
        options = checked("Adamax", lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
        super().__init__(params, {**options, "maximize": maximize})
        self.step_t = self._counter("step_t")
        self.exp_avg = self._slots("exp_avg")
        self.exp_inf = self._slots("exp_inf")

    def implementation(self, group_id, lr, gradients, maximize, weight_decay, beta1, beta2, eps):
        """The step of one group; the step was counted before."""
        span = (self.group_start_id[group_id], self.group_start_id[group_id + 1])
        numbers = (op.pow(beta1, op.cast(self.step_t, mstype.float64)), beta1, beta2, eps)
        options = {"weight_decay": weight_decay, "maximize": maximize, "epsilon_inside": True}
        self._update(op.update_adamax, numbers, span, gradients, lr, (self.exp_avg, self.exp_inf), options)

    def construct(self, gradients):
        self._step(gradients, self.step_t)
        return True
