# SPDX-License-Identifier: Apache-2.0
"""Adadelta."""

from __future__ import annotations

from mindspore.experimental.optim.optimizer import Optimizer, check_range
from mindspore.ops._registry import op


class Adadelta(Optimizer):
    """Steps scaled by the ratio of past steps and gradients (Zeiler, 2012).

    Args:
        params (Union[list[Parameter], list[dict]]): Parameters, or groups of them with options.
        lr (Union[int, float, Tensor]): Learning rate. Default: ``1.0``.
        rho (float): Decay of the means. Default: ``0.9``.
        eps (float): Added under the roots. Default: ``1e-6``.
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

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0.0, *, maximize=False):
        check_range("Adadelta", lr=lr, rho=rho, eps=eps, weight_decay=weight_decay)
        if rho > 1.0:
            raise ValueError(f"Invalid rho value: {rho}. For 'Adadelta', it must be in [0.0, 1.0].")
        defaults = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, defaults)
        self.accum = self._slots("accum")
        self.accum_update = self._slots("accum_update")

    def implementation(self, lr, rho, eps, maximize, weight_decay, start_id, end_id, gradients):
        """The step of one group."""
        options = {"weight_decay": weight_decay, "maximize": maximize}
        slots = (self.accum, self.accum_update)
        self._update(op.update_adadelta, (rho, eps), (start_id, end_id), gradients, lr, slots, options)

    def construct(self, gradients):
        gradients = self._checked(gradients)
        for number, group, start, end in self._spans():
            options = (group["rho"], group["eps"], group["maximize"], group["weight_decay"])
            self.implementation(self._rate_of(number), *options, start, end, gradients)
        return True
