# SPDX-License-Identifier: Apache-2.0
"""Adam whose first steps are rectified."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.experimental.optim.optimizer import OPTIMIZER, Optimizer, checked
from mindspore.ops._registry import op


@OPTIMIZER
class RAdam(Optimizer):
    """Adam that does without the mean square until it is known well enough (Liu and others, 2020)."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
        options = checked("RAdam", lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
        super().__init__(params, options)
        self.step_t = self._counter("step_t")
        self.exp_avg = self._slots("exp_avg")
        self.exp_avg_sq = self._slots("exp_avg_sq")

    def implementation(self, lr, beta1, beta2, weight_decay, eps, start_id, end_id, gradients):
        """The step of one group; the step was counted before."""
        step = op.cast(self.step_t, mstype.float64)
        power = op.pow(beta2, step)
        corrected = 1.0 - op.pow(beta1, step)
        most = 2.0 / (1.0 - beta2) - 1.0
        length = most - 2.0 * step * power / (1.0 - power)
        known = op.greater(length, 5.0)
        safe = op.maximum(length, 5.0)
        ratio = (safe - 4.0) * (safe - 2.0) * most / ((most - 4.0) * (most - 2.0) * safe)
        share = op.where(known, op.sqrt(ratio * (1.0 - power)), 1.0) / corrected
        plain = op.cast(op.logical_not(known), mstype.float64)
        numbers = (0.0, share, beta1, beta2, eps, plain)
        slots, options = (self.exp_avg, self.exp_avg_sq), {"weight_decay": weight_decay}
        self._update(op.update_mixed_moments, numbers, (start_id, end_id), gradients, lr, slots, options)

    def construct(self, gradients):
        self._step(gradients, self.step_t)
        return True
