# SPDX-License-Identifier: Apache-2.0
"""Adagrad with penalties."""

from __future__ import annotations

from mindspore.nn import _checks as check
from mindspore.nn._inner_primitives import inner_primitive
from mindspore.nn.optim._parameters import OPTIMIZER, constant, real
from mindspore.nn.optim.optimizer import Optimizer, opt_init_args_register
from mindspore.ops._registry import op


@OPTIMIZER
class ProximalAdagrad(Optimizer):
    """Adagrad with absolute and squared penalties applied in closed form.

    Args:
        accum (float): Initial value of the sum of squares.
    """

    _rows_only = True

    opt = inner_primitive("ApplyProximalAdagrad")

    @opt_init_args_register
    def __init__(
        self,
        params,
        accum=0.1,
        learning_rate=0.001,
        l1=0.0,
        l2=0.0,
        use_locking=False,
        loss_scale=1.0,
        weight_decay=0.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        real(accum, "accum", self.cls_name, low=0.0)
        check.boolean(use_locking, "use_locking", self.cls_name)
        self.l1 = constant(real(l1, "l1", self.cls_name, low=0.0))
        self.l2 = constant(real(l2, "l2", self.cls_name, low=0.0))
        self.accum = self._slots("accum", accum)

    def construct(self, grads):
        return self._step(op.update_proximal_adagrad, (self.l1, self.l2), grads, self.accum)
