# SPDX-License-Identifier: Apache-2.0
"""Adadelta."""

from __future__ import annotations

from mindspore.nn._inner_primitives import inner_primitive
from mindspore.nn.optim._parameters import OPTIMIZER, constant, real
from mindspore.nn.optim.optimizer import Optimizer, opt_init_args_register
from mindspore.ops._registry import op


@OPTIMIZER
class Adadelta(Optimizer):
    """Steps scaled by the ratio of past steps and gradients.

    Args:
        rho (float): Decay of the means.
        epsilon (float): Added under the roots.
    """

    opt = inner_primitive("ApplyAdadelta")

    @opt_init_args_register
    def __init__(self, params, learning_rate=1.0, rho=0.9, epsilon=1e-6, loss_scale=1.0, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.rho = constant(real(rho, "rho", self.cls_name, low=0.0, high=1.0))
        self.epsilon = constant(real(epsilon, "epsilon", self.cls_name, low=0.0))
        self.accum = self._slots("accum", 0)
        self.accum_update = self._slots("accum_update", 0)

    def construct(self, grads):
        return self._step(op.update_adadelta, (self.rho, self.epsilon), grads, self.accum, self.accum_update)
