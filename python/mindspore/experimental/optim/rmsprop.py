# SPDX-License-Identifier: Apache-2.0
"""RMSprop."""

from __future__ import annotations

from mindspore.experimental.optim.optimizer import Optimizer, check_range
from mindspore.ops._registry import op


class RMSprop(Optimizer):
    """Steps divided by the root of the gradient's mean square, or of its variance.

    Args:
        params (Union[list[Parameter], list[dict]]): Parameters, or groups of them with options.
        lr (Union[int, float, Tensor]): Learning rate. Default: ``1e-2``.
        alpha (float): Decay of the means. Default: ``0.99``.
        eps (float): Added to the divisor. Default: ``1e-8``.
        weight_decay (float): Decay of the weights, added to the gradient. Default: ``0.0``.
        momentum (float): Share of the old step. Default: ``0.0``.
        centered (bool): Use the variance instead of the mean square. Default: ``False``.
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
        alpha=0.99,
        eps=1e-8,
        weight_decay=0.0,
        momentum=0.0,
        centered=False,
        maximize=False,
    ):
        options = {"momentum": momentum, "alpha": alpha, "eps": eps, "weight_decay": weight_decay}
        check_range("RMSprop", lr=lr, **options)
        super().__init__(params, {"lr": lr, **options, "centered": centered, "maximize": maximize})
        if any(group["centered"] for group in self.param_groups):
            self.mean_grad = self._slots("mean_grad")
        self.mean_square = self._slots("mean_square")
        self.moment = self._slots("moment")

    def implementation(self, group_id, lr, gradients, maximize, weight_decay, centered, alpha, eps, momentum):
        """The step of one group."""
        span = (self.group_start_id[group_id], self.group_start_id[group_id + 1])
        slots = (self.mean_square, self.moment)
        if centered:
            slots = (self.mean_grad, *slots)
        options = {"weight_decay": weight_decay, "maximize": maximize}
        options.update(centered=centered, epsilon_outside=True)
        self._update(op.update_rmsprop, (alpha, momentum, eps), span, gradients, lr, slots, options)

    def construct(self, gradients):
        gradients = self._checked(gradients)
        for number, group, _, _ in self._spans():
            names = ("maximize", "weight_decay", "centered", "alpha", "eps", "momentum")
            self.implementation(number, self._rate_of(number), gradients, *(group[name] for name in names))
        return True
