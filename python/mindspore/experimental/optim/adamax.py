# SPDX-License-Identifier: Apache-2.0
"""Adam with a maximum."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.experimental.optim.optimizer import Optimizer, check_betas, check_range
from mindspore.ops._registry import op


class Adamax(Optimizer):
    """Adam with the decaying maximum of the gradient instead of its mean square.

    Args:
        params (Union[list[Parameter], list[dict]]): Parameters, or groups of them with options.
        lr (Union[int, float, Tensor]): Learning rate. Default: ``2e-3``.
        betas (Tuple[float, float]): Decays of the mean and of the mean square. Default: ``(0.9, 0.999)``.
        eps (float): Added to the divisor. Default: ``1e-8``.
        weight_decay (float): Decay of the weights, added to the gradient. Default: ``0.0``.

    Keyword Args:
        maximize (bool): Climb instead of descending. Default: ``False``.

    Inputs:
        - **gradients** (tuple[Tensor]) - One gradient per parameter, in the order of `parameters`.

    Raises:
        ValueError: An option is out of range.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, *, maximize=False):
        check_range("Adamax", lr=lr, eps=eps, weight_decay=weight_decay)
        check_betas("Adamax", betas)
        defaults = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, defaults)
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
        gradients = self._checked(gradients)
        op.assign_add(self.step_t, 1)
        for number, group, _, _ in self._spans():
            options = (group["maximize"], group["weight_decay"], *group["betas"], group["eps"])
            self.implementation(number, self._rate_of(number), gradients, *options)
        return True
