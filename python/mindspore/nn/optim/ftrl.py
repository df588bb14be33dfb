# SPDX-License-Identifier: Apache-2.0
"""Follow the regularised leader."""

from __future__ import annotations

from mindspore.nn import _checks as check
from mindspore.nn._inner_primitives import inner_primitive
from mindspore.nn.optim._parameters import OPTIMIZER, constant, real
from mindspore.nn.optim.optimizer import Optimizer, opt_init_args_register
from mindspore.ops._registry import op


@OPTIMIZER
class FTRL(Optimizer):
    """Follow the regularised leader: sparse solutions through an absolute penalty.

    Args:
        initial_accum (float): Initial value of the sum of squares.
        learning_rate (float): The rate.
        lr_power (float): How the rate falls, at most 0.
    """

    _rows_only = True

    opt = inner_primitive("ApplyFtrl")

    @opt_init_args_register
    def __init__(
        self,
        params,
        initial_accum=0.1,
        learning_rate=0.001,
        lr_power=-0.5,
        l1=0.0,
        l2=0.0,
        use_locking=False,
        loss_scale=1.0,
        weight_decay=0.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if self.dynamic_lr or self.is_group_lr:
            raise ValueError(
                "For 'FTRL', dynamic learning rate and group learning rate are currently not supported."
            )
        real(initial_accum, "initial_accum", self.cls_name, low=0.0)
        if real(lr_power, "lr_power", self.cls_name) > 0:
            raise ValueError(f"For 'FTRL', the 'lr_power' must be at most 0, but got {lr_power}.")
        check.boolean(use_locking, "use_locking", self.cls_name)
        self.lr_power = constant(lr_power)
        self.l1 = constant(real(l1, "l1", self.cls_name, low=0.0))
        self.l2 = constant(real(l2, "l2", self.cls_name, low=0.0))
        self.moments = self._slots("moments", initial_accum)
        self.linear = self._slots("linear", "zeros")

    def construct(self, grads):
        return self._step(op.update_ftrl, (self.l1, self.l2, self.lr_power), grads, self.moments, self.linear)
