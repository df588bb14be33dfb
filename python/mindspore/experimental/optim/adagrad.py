# SPDX-License-Identifier: Apache-2.0
"""Adagrad."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.experimental.optim.optimizer import Optimizer, check_range
from mindspore.ops._registry import op


class Adagrad(Optimizer):
    """Steps divided by the root of the sum of squares (Duchi and others, 2011).

    Args:
        params (Union[list[Parameter], list[dict]]): Parameters, or groups of them with options.
        lr (Union[int, float, Tensor]): Learning rate. Default: ``1e-2``.
        lr_decay (float): How the rate falls with the steps. Default: ``0.0``.
        weight_decay (float): Decay of the weights, added to the gradient. Default: ``0.0``.
        initial_accumulator_value (float): What the sums begin with. Default: ``0.0``.
        eps (float): Added to the divisor. Default: ``1e-10``.

    Keyword Args:
        maximize (bool): Climb instead of descending. Default: ``False``.

    Inputs:
        - **gradients** (tuple[Tensor]) - One gradient per parameter, in the order of `parameters`.

    Raises:
        ValueError: An option is out of range.

    Supported Platforms:
        ``CPU``
    """

    def __init__(
        self,
        params,
        lr=1e-2,
        lr_decay=0.0,
        weight_decay=0.0,
        initial_accumulator_value=0.0,
        eps=1e-10,
        *,
        maximize=False,
    ):
        options = {"lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay}
        options["initial_accumulator_value"] = initial_accumulator_value
        check_range("Adagrad", lr=lr, **options)
        super().__init__(params, {"lr": lr, **options, "maximize": maximize})
        self.accum = self._slots("accum", initial_accumulator_value)
        self.step_t = self._counter("step_t")

    def implementation(self, eps, lr, lr_decay, maximize, weight_decay, start_id, end_id, gradients):
        """The step of one group; the step was counted before."""
        rate = lr / (1.0 + (op.cast(self.step_t, mstype.float64) - 1.0) * lr_decay)
        options = {"weight_decay": weight_decay, "maximize": maximize}
        self._update(op.update_adagrad, (eps,), (start_id, end_id), gradients, rate, (self.accum,), options)

    def construct(self, gradients):
        gradients = self._checked(gradients)
        op.assign_add(self.step_t, 1)
        for number, group, start, end in self._spans():
            options = (group["lr_decay"], group["maximize"], group["weight_decay"])
            self.implementation(group["eps"], self._rate_of(number), *options, start, end, gradients)
        return True
