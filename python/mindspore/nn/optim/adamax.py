# SPDX-License-Identifier: Apache-2.0
"""Adam with a maximum."""

from __future__ import annotations

from mindspore.nn._inner_primitives import inner_primitive
from mindspore.nn.optim._parameters import OPTIMIZER
from mindspore.nn.optim.adam import MomentOptimizer
from mindspore.nn.optim.optimizer import opt_init_args_register
from mindspore.ops._registry import op


@OPTIMIZER
class AdaMax(MomentOptimizer):
    """Adam with the decaying maximum of the gradient instead of its mean square.

    ``v = max(beta2 * v, abs(g))``, ``p -= lr / (1 - beta1 ** t) * m / (v + eps)``
    """

    opt = inner_primitive("ApplyAdaMax")

    @opt_init_args_register
    def __init__(
        self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0, loss_scale=1.0
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self._set_moments(beta1, beta2, eps)
        self._add_power("beta1_power", (1,))
        self.moment1 = self._slots("moment1")
        self.moment2 = self._slots("moment2")

    def construct(self, gradients):
        op.assign(self.beta1_power, self.beta1_power * self.beta1)
        numbers = (self.beta1_power, self.beta1, self.beta2, self.eps)
        return self._step(op.update_adamax, numbers, gradients, self.moment1, self.moment2)
