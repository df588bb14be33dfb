# SPDX-License-Identifier: Apache-2.0
"""Adam with Nesterov's momentum."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.experimental.optim.optimizer import OPTIMIZER, Optimizer, checked
from mindspore.ops._registry import op


@OPTIMIZER
class NAdam(Optimizer):
    """Adam with Nesterov's momentum (Dozat, 2016).

    Args:
        momentum_decay (float): How the momentum grows with the steps.
    """

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, momentum_decay=4e-3):
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, checked("NAdam", **options, momentum_decay=momentum_decay))
        self.step_t = self._counter("step_t")
        self.exp_avg = self._slots("exp_avg")
        self.exp_avg_sq = self._slots("exp_avg_sq")
        self.mu_product = Parameter(Tensor(1.0, mstype.float64), name="mu_product", requires_grad=False)

    def implementation(
        self, lr, beta1, beta2, weight_decay, momentum_decay, eps, start_id, end_id, gradients
    ):
        """The step of one group; the step was counted and `mu_product` still is that of the step before."""
        step = op.cast(self.step_t, mstype.float64)
        now, ahead = (beta1 * (1.0 - 0.5 * op.pow(0.96, t * momentum_decay)) for t in (step, step + 1.0))
        product = self.mu_product * now
        root = op.sqrt(1.0 - op.pow(beta2, step))
        shares = (root * (1.0 - now) / (1.0 - product), root * ahead / (1.0 - product * ahead))
        numbers = (*shares, beta1, beta2, eps * root, 0.0)
        slots, options = (self.exp_avg, self.exp_avg_sq), {"weight_decay": weight_decay}
        self._update(op.update_mixed_moments, numbers, (start_id, end_id), gradients, lr, slots, options)
        return product

    def construct(self, gradients):
        op.assign(self.mu_product, self._step(gradients, self.step_t)[-1])
        return True
