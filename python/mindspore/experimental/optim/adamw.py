# SPDX-License-Identifier: Apache-2.0
"""Adam with decay apart from the gradient."""

from __future__ import annotations

from mindspore.experimental.optim.adam import MomentOptimizer
from mindspore.experimental.optim.optimizer import OPTIMIZER, checked


@OPTIMIZER
class AdamW(MomentOptimizer):
    """Adam with weight decay apart from the gradient (Loshchilov and Hutter, 2019).

    Args:
        weight_decay (float): Decay of the weights, taken off them.
    """

    _decoupled = True

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=1e-2,
        amsgrad=False,
        *,
        maximize=False,
    ):
        options = checked("AdamW", lr=lr, betas=betas, eps=eps, weight_decay=weight_decay)
        super().__init__(params, {**options, "amsgrad": amsgrad, "maximize": maximize})

    def implementation(
        self, lr, weight_decay, beta1, beta2, amsgrad, eps, grads, start_id, end_id, maximize=False
    ):
        """The step of one group."""
        options = {"weight_decay": weight_decay, "maximize": maximize}
        self._adam_step((start_id, end_id), grads, lr, (beta1, beta2), eps, amsgrad, options)


class SpeedAdamW(AdamW):
    """`AdamW` under a name that stands for one fused operator per parameter: here `AdamW` is that already.

    The arguments are those of `AdamW`, but `amsgrad` must be False.
    """

    def construct(self, gradients):
        if any(group.get("amsgrad") for group in self.param_groups):
            raise ValueError("For SpeedAdamW, the value of amsgrad can only be False.")
        return super().construct(gradients)
