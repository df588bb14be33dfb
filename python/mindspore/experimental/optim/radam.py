# SPDX-License-Identifier: Apache-2.0
"""Adam whose first steps are rectified."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.experimental.optim.optimizer import Optimizer, check_betas, check_range
from mindspore.ops._registry import op


class RAdam(Optimizer):
    """Adam that does without the mean square until it is known well enough (Liu and others, 2020).

    Args:
        params (Union[list[Parameter], list[dict]]): Parameters, or groups of them with options.
        lr (Union[int, float, Tensor]): Learning rate. Default: ``1e-3``.
        betas (Tuple[float, float]): Decays of the mean and of the mean square. Default: ``(0.9, 0.999)``.
        eps (float): Added to the divisor. Default: ``1e-8``.
        weight_decay (float): Decay of the weights, added to the gradient. Default: ``0.0``.

    Inputs:
        - **gradients** (tuple[Tensor]) - One gradient per parameter, in the order of `parameters`.

    Raises:
        ValueError: An option is out of range.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0):
        check_range("RAdam", lr=lr, eps=eps, weight_decay=weight_decay)
        check_betas("RAdam", betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})
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
        gradients = self._checked(gradients)
        op.assign_add(self.step_t, 1)
        for number, group, start, end in self._spans():
            options = (*group["betas"], group["weight_decay"], group["eps"])
            self.implementation(self._rate_of(number), *options, start, end, gradients)
        return True
