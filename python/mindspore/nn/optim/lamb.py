# SPDX-License-Identifier: Apache-2.0
"""LAMB."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.nn.optim._parameters import OPTIMIZER
from mindspore.nn.optim.adam import MomentOptimizer
from mindspore.nn.optim.optimizer import opt_init_args_register
from mindspore.ops._registry import op


@OPTIMIZER
class Lamb(MomentOptimizer):
    """Adam whose steps are as long as each parameter says, for very large batches (You and others, 2019).

    ``r = m' / (sqrt(v') + eps) + weight_decay * p`` with corrected moments, ``p -= lr * ratio * r``, where
    the ratio is ``norm(p) / norm(r)``, at most 10, and 1 where one of the norms is 0.
    """

    _decoupled = True

    @opt_init_args_register
    def __init__(self, params, learning_rate, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay)
        self._set_moments(beta1, beta2, eps)
        self.moments1 = self._slots("lamb_m")
        self.moments2 = self._slots("lamb_v")

    def construct(self, gradients):
        step = op.cast(op.reshape(self.global_step, ()), mstype.float32) + 1.0
        powers = (op.pow(self.beta1, step), op.pow(self.beta2, step))
        numbers = (*powers, self.beta1, self.beta2, self.eps)
        return self._step(op.update_lamb, numbers, gradients, self.moments1, self.moments2)
