# SPDX-License-Identifier: Apache-2.0
"""Adagrad."""

from __future__ import annotations

from mindspore.nn import _checks as check
from mindspore.nn._inner_primitives import inner_primitive
from mindspore.nn.optim._parameters import OPTIMIZER, constant, real
from mindspore.nn.optim.optimizer import Optimizer, opt_init_args_register
from mindspore.ops._registry import op


@OPTIMIZER
class Adagrad(Optimizer):
    """``a += g ** 2``, ``p -= lr * g / sqrt(a)``.

    Args:
        accum (float): Initial value of the sum.
        update_slots (bool): Whether the sum grows.
    """

    opt = inner_primitive("ApplyAdagrad", update_slots="update_slots")

    @opt_init_args_register
    def __init__(
        self, params, accum=0.1, learning_rate=0.001, update_slots=True, loss_scale=1.0, weight_decay=0.0
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        real(accum, "accum", self.cls_name, low=0.0)
        self.update_slots = check.boolean(update_slots, "update_slots", self.cls_name)
        self._epsilon = constant(0.0)
        self.accum = self._slots("accum", accum)

    def construct(self, grads):
        return self._step(
            op.update_adagrad, (self._epsilon,), grads, self.accum, update_slots=self.update_slots
        )
