# SPDX-License-Identifier: Apache-2.0
"""Stochastic gradient descent."""

from __future__ import annotations

from mindspore.experimental.optim.optimizer import Optimizer, check_range
from mindspore.ops._registry import op


class SGD(Optimizer):
    """Stochastic gradient descent, with momentum if wanted.

    Args:
        params (Union[list[Parameter], list[dict]]): Parameters, or groups of them with options.
        lr (Union[int, float, Tensor]): Learning rate.
        momentum (Union[int, float]): Share of the old step. Default: ``0``.
        dampening (Union[int, float]): Reduces the gradient's share of the momentum. Default: ``0``.
        weight_decay (float): Decay of the weights, added to the gradient. Default: ``0.0``.
        nesterov (bool): Look one step ahead; needs momentum and no dampening. Default: ``False``.

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
        self, params, lr, momentum=0, dampening=0, weight_decay=0.0, nesterov=False, *, maximize=False
    ):
        check_range("SGD", lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening.")
        defaults = {
            "lr": lr,
            "momentum": float(momentum),
            "dampening": float(dampening),
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "grad_centralization": False,
        }
        super().__init__(params, defaults)
        self.accum = self._slots("accum")
        self.stat = self._slots("stat", "ones")

    def implementation(self, momentum, lr, group_id, gradients, maximize, dampening, weight_decay, nesterov):
        """The step of one group."""
        span = (self.group_start_id[group_id], self.group_start_id[group_id + 1])
        options = {
            "weight_decay": weight_decay,
            "maximize": maximize,
            "dampening": dampening,
            "nesterov": nesterov,
        }
        self._update(op.update_sgd, (momentum,), span, gradients, lr, (self.accum, self.stat), options)

    def construct(self, gradients):
        gradients = self._checked(gradients)
        for number, group, _, _ in self._spans():
            self.implementation(
                group["momentum"],
                self._rate_of(number),
                number,
                gradients,
                group["maximize"],
                group["dampening"],
                group["weight_decay"],
                group["nesterov"],
            )
        return True
