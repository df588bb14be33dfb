# SPDX-License-Identifier: Apache-2.0
"""Gradient descent with momentum."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn._inner_primitives import inner_primitive
from mindspore.nn.optim._parameters import OPTIMIZER, number
from mindspore.nn.optim.optimizer import Optimizer, opt_init_args_register
from mindspore.ops._registry import op


@OPTIMIZER
class Momentum(Optimizer):
    """``v = momentum * v + g``, ``p -= lr * v``; with Nesterov's way ``p -= lr * (g + momentum * v)``.

    Args:
        momentum (float): Share of the old step, at least 0.
    """

    opt = inner_primitive("ApplyMomentum", use_nesterov="use_nesterov")

    @opt_init_args_register
    def __init__(self, params, learning_rate, momentum, weight_decay=0.0, loss_scale=1.0, use_nesterov=False):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        number(momentum, "momentum", self.cls_name, low=0)
        self.momentum = Parameter(Tensor(momentum, mstype.float32), name="momentum", requires_grad=False)
        self.use_nesterov = check.boolean(use_nesterov, "use_nesterov", self.cls_name)
        self.moments = self._slots("moments")

    def construct(self, gradients):
        return self._step(
            op.update_momentum, (self.momentum,), gradients, self.moments, nesterov=self.use_nesterov
        )
