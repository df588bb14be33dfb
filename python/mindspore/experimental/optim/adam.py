# SPDX-License-Identifier: Apache-2.0
"""Adam."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.experimental.optim.optimizer import OPTIMIZER, Optimizer, checked
from mindspore.ops._registry import op


class MomentOptimizer(Optimizer):
    """Optimizers that keep decaying means."""

    # The decay is taken off the parameter instead of being added to the gradient.
    _decoupled = False

    def __init__(self, params, defaults):
        super().__init__(params, defaults)
        self.exp_avg = self._slots("exp_avg")
        self.exp_avg_sq = self._slots("exp_avg_sq")
        if any(group["amsgrad"] for group in self.param_groups):
            self.max_exp_avg_sq = self._slots("max_exp_avg_sq")
        self.state_step = self._counter("state_step")

    def _adam_step(self, span: tuple, gradients, rate, betas: tuple, eps, amsgrad: bool, options: dict):
        """Adam's step of one group; the step was counted before."""
        step = op.cast(self.state_step, mstype.float64)
        numbers = (op.pow(betas[0], step), op.pow(betas[1], step), *betas, eps)
        options = {**options, "corrects_epsilon": True, "decoupled": self._decoupled}
        slots = (self.exp_avg, self.exp_avg_sq)
        if amsgrad:
            slots = (*slots, self.max_exp_avg_sq)
        operator = op.update_amsgrad if amsgrad else op.update_adam
        self._update(operator, numbers, span, gradients, rate, slots, options)

    def construct(self, gradients):
        self._step(gradients, self.state_step)
        return True


@OPTIMIZER
class Adam(MomentOptimizer):
    """Adam (Kingma and Ba, 2015), with `eps` added to the corrected root."""

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0.0,
        amsgrad=False,
        *,
        maximize=False,
    ):
        options = checked("Adam", lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
        super().__init__(params, {**options, "amsgrad": amsgrad, "maximize": maximize})

    def implementation(
        self, beta1, beta2, eps, lr, start_id, end_id, gradients, maximize, weight_decay, amsgrad=None
    ):
        """The step of one group."""
        amsgrad = self.defaults["amsgrad"] if amsgrad is None else amsgrad
        options = {"weight_decay": weight_decay, "maximize": maximize}
        self._adam_step((start_id, end_id), gradients, lr, (beta1, beta2), eps, amsgrad, options)
