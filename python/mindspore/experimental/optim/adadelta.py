# SPDX-License-Identifier: Apache-2.0
"""Adadelta."""

from __future__ import annotations

from mindspore.experimental.optim.optimizer import OPTIMIZER, Optimizer, checked
from mindspore.ops._registry import op


@OPTIMIZER
class Adadelta(Optimizer):
    """Steps scaled by the ratio of past steps and gradients (Zeiler, 2012).

    Args:
        eps (float): Added under the roots.
    """

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0.0, *, maximize=False):
        options = checked("Adadelta", lr=lr, rho=rho, eps=eps, weight_decay=weight_decay)
        if rho > 1.0:
            raise ValueError(f"Invalid rho value: {rho}. For 'Adadelta', it must be in [0.0, 1.0].")
        super().__init__(params, {**options, "maximize": maximize})
        self.accum = self._slots("accum")
        self.accum_update = self._slots("accum_update")

    def implementation(self, lr, rho, eps, maximize, weight_decay, start_id, end_id, gradients):
        """The step of one group."""
        options = {"weight_decay": weight_decay, "maximize": maximize}
        slots = (self.accum, self.accum_update)
        self._update(op.update_adadelta, (rho, eps), (start_id, end_id), gradients, lr, slots, options)

    def construct(self, gradients):
        self._step(gradients)
        return True
