# SPDX-License-Identifier: Apache-2.0
"""RMSProp."""

from __future__ import annotations

from mindspore.nn import _checks as check
from mindspore.nn.optim._parameters import OPTIMIZER, constant, real
from mindspore.nn.optim.optimizer import Optimizer, opt_init_args_register
from mindspore.ops._registry import op


@OPTIMIZER
class RMSProp(Optimizer):
    """Steps divided by the root of the gradient's mean square, or of its variance.

    Args:
        decay (float): Decay of the mean square.
        epsilon (float): Added under the root.
        centered (bool): Use the variance instead of the mean square.
    """

    @opt_init_args_register
    def __init__(
        self,
        params,
        learning_rate=0.1,
        decay=0.9,
        momentum=0.0,
        epsilon=1e-10,
        use_locking=False,
        centered=False,
        loss_scale=1.0,
        weight_decay=0.0,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.decay = constant(real(decay, "decay", self.cls_name, low=0.0))
        self.momentum = constant(real(momentum, "momentum", self.cls_name, low=0.0))
        self.epsilon = constant(real(epsilon, "epsilon", self.cls_name, low=0.0, strict=True))
        check.boolean(use_locking, "use_locking", self.cls_name)
        self.centered = check.boolean(centered, "centered", self.cls_name)
        if centered:
            self.mg = self._slots("mean_grad", "zeros")
        self.ms = self.mean_square = self._slots("mean_square", "ones")
        self.moment = self._slots("moment", "zeros")

    def construct(self, gradients):
        means = (self.mg, self.ms) if self.centered else (self.ms,)
        numbers = (self.decay, self.momentum, self.epsilon)
        return self._step(op.update_rmsprop, numbers, gradients, *means, self.moment, centered=self.centered)
