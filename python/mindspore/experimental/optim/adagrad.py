# SPDX-License-Identifier: Apache-2.0
"""Adagrad."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.experimental.optim.optimizer import OPTIMIZER, Optimizer, checked
from mindspore.ops._registry import op


@OPTIMIZER
class Adagrad(Optimizer):
    """Steps divided by the root of the sum of squares (Duchi and others, 2011).

    Args:
        lr_decay (float): How the rate falls with the steps.
        initial_accumulator_value (float): What the sums begin with.
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
        super().__init__(params, {**checked("Adagrad", lr=lr, **options), "maximize": maximize})
        self.accum = self._slots("accum", initial_accumulator_value)
        self.step_t = self._counter("step_t")

    def implementation(self, eps, lr, lr_decay, maximize, weight_decay, start_id, end_id, gradients):
        """The step of one group; the step was counted before."""
        rate = lr / (1.0 + (op.cast(self.step_t, mstype.float64) - 1.0) * lr_decay)
        options = {"weight_decay": weight_decay, "maximize": maximize}
        self._update(op.update_adagrad, (eps,), (start_id, end_id), gradients, rate, (self.accum,), options)

    def construct(self, gradients):
        self._step(gradients, self.step_t)
        return True
