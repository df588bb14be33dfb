# SPDX-License-Identifier: Apache-2.0
"""Adam with decay apart from the gradient."""

from __future__ import annotations

from mindspore.experimental.optim.adam import MomentOptimizer
from mindspore.experimental.optim.optimizer import check_betas, check_range
from mindspore.ops._registry import op


class AdamW(MomentOptimizer):
    """Adam with weight decay apart from the gradient (Loshchilov and Hutter, 2019).

    Args:
        params (Union[list[Parameter], list[dict]]): Parameters, or groups of them with options.
        lr (Union[int, float, Tensor]): Learning rate. Default: ``1e-3``.
        betas (Tuple[float, float]): Decays of the mean and of the mean square. Default: ``(0.9, 0.999)``.
        eps (float): Added to the divisor. Default: ``1e-8``.
        weight_decay (float): Decay of the weights, taken off them. Default: ``1e-2``.
        amsgrad (bool): Divide by the largest mean square so far. Default: ``False``.

    Keyword Args:
        maximize (bool): Climb instead of descending. Default: ``False``.

    Inputs:
        - **gradients** (tuple[Tensor]) - One gradient per parameter, in the order of `parameters`.

    Raises:
        ValueError: An option is out of range.

    Supported Platforms:
        ``CPU``
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
        check_range("AdamW", lr=lr, eps=eps, weight_decay=weight_decay)
        check_betas("AdamW", betas)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
        }
        super().__init__(params, defaults)
        self.exp_avg = self._slots("exp_avg")
        self.exp_avg_sq = self._slots("exp_avg_sq")
        if any(group["amsgrad"] for group in self.param_groups):
            self.max_exp_avg_sq = self._slots("max_exp_avg_sq")
        self.state_step = self._counter("state_step")

    def implementation(
        self, lr, weight_decay, beta1, beta2, amsgrad, eps, grads, start_id, end_id, maximize=False
    ):
        """The step of one group."""
        options = {"weight_decay": weight_decay, "maximize": maximize}
        self._adam_step((start_id, end_id), grads, lr, (beta1, beta2), eps, amsgrad, options)

    def construct(self, gradients):
        gradients = self._checked(gradients)
        op.assign_add(self.state_step, 1)
        for number, group, start, end in self._spans():
            self.implementation(
                self._rate_of(number),
                group["weight_decay"],
                *group["betas"],
                group["amsgrad"],
                group["eps"],
                gradients,
                start,
                end,
                group["maximize"],
            )
        return True


class SpeedAdamW(AdamW):
    """`AdamW` under a name that stands for one fused operator per parameter: here `AdamW` is that already.

    The arguments are those of `AdamW`, but `amsgrad` must be False.
    """

    def construct(self, gradients):
        if any(group.get("amsgrad") for group in self.param_groups):
            raise ValueError("For SpeedAdamW, the value of amsgrad can only be False.")
        return super().construct(gradients)
