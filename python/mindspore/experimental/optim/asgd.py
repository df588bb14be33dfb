# SPDX-License-Identifier: Apache-2.0
"""Averaged gradient descent."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.experimental.optim.optimizer import OPTIMIZER, Optimizer, checked
from mindspore.ops._registry import op


@OPTIMIZER
class ASGD(Optimizer):
    """Gradient descent that also keeps the average of the parameters (Polyak and Juditsky, 1992).

    Args:
        lambd (float): Share of the parameter that a step of rate 1 takes off.
        alpha (float): How the rate falls.
        t0 (float): Step at which averaging begins.
    """

    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0.0, maximize=False):
        options = {"lambd": lambd, "alpha": alpha, "t0": t0, "maximize": maximize}
        super().__init__(params, {**checked("ASGD", lr=lr, weight_decay=weight_decay), **options})
        self.ax = self._slots("ax")
        self.step_t = self._counter("step_t")

    def implementation(self, lambd, alpha, t0, lr, group_id, maximize, gradients, weight_decay):
        """The step of one group; the step was counted before."""
        span = (self.group_start_id[group_id], self.group_start_id[group_id + 1])
        before = op.cast(self.step_t, mstype.float64) - 1.0
        rate = lr / op.pow(1.0 + lambd * lr * before, alpha)
        share = op.reciprocal(op.maximum(before - t0, 1.0))
        options = {"weight_decay": weight_decay, "maximize": maximize}
        self._update(op.update_asgd, (lambd, share), span, gradients, rate, (self.ax,), options)

    def construct(self, gradients):
        self._step(gradients, self.step_t)
        return True
