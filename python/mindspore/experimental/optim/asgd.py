# SPDX-License-Identifier: Apache-2.0
"""Averaged gradient descent."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.experimental.optim.optimizer import Optimizer, check_range
from mindspore.ops._registry import op


class ASGD(Optimizer):
    """Gradient descent that also keeps the average of the parameters (Polyak and Juditsky, 1992).

    Args:
        params (Union[list[Parameter], list[dict]]): Parameters, or groups of them with options.
        lr (Union[int, float, Tensor]): Learning rate. Default: ``1e-2``.
        lambd (float): Share of the parameter that a step of rate 1 takes off. Default: ``1e-4``.
        alpha (float): How the rate falls. Default: ``0.75``.
        t0 (float): Step at which averaging begins. Default: ``1e6``.
        weight_decay (float): Decay of the weights, added to the gradient. Default: ``0.0``.
        maximize (bool): Climb instead of descending. Default: ``False``.

    Inputs:
        - **gradients** (tuple[Tensor]) - One gradient per parameter, in the order of `parameters`.

    Raises:
        ValueError: An option is out of range.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0.0, maximize=False):
        check_range("ASGD", lr=lr, weight_decay=weight_decay)
        options = {"lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay}
        super().__init__(params, {"lr": lr, **options, "maximize": maximize})
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
        gradients = self._checked(gradients)
        op.assign_add(self.step_t, 1)
        for number, group, _, _ in self._spans():
            options = (group["lambd"], group["alpha"], group["t0"])
            rest = (group["maximize"], gradients, group["weight_decay"])
            self.implementation(*options, self._rate_of(number), number, *rest)
        return True
