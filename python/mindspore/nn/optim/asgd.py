# SPDX-License-Identifier: Apache-2.0
"""Averaged gradient descent."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter, ParameterTuple
from mindspore.common.tensor import Tensor
from mindspore.nn.optim._parameters import OPTIMIZER, constant, number, real
from mindspore.nn.optim.optimizer import Optimizer, opt_init_args_register
from mindspore.ops._registry import op


@OPTIMIZER
class ASGD(Optimizer):
    """Gradient descent that also keeps the average of the parameters.

    ``p = p * (1 - lambd * eta) - eta * g``, then ``eta = lr / (1 + lambd * lr * t) ** alpha``

    Args:
        lambd (float): Share of the parameter that a step of rate 1 takes off.
        alpha (float): How the rate falls.
        t0 (float): Step at which averaging begins.
    """

    @opt_init_args_register
    def __init__(self, params, learning_rate=0.1, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay)
        self.lambd = constant(real(lambd, "lambd", self.cls_name))
        self.alpha = constant(real(alpha, "alpha", self.cls_name))
        self.t0 = constant(number(t0, "t0", self.cls_name, kinds=(float,)))
        self.mu = self._numbers("mu", [1.0] * len(self.parameters))
        rates = self.get_lr()
        rates = rates if isinstance(rates, tuple) else (rates,) * len(self.parameters)
        self.eta = self._numbers("eta", [float(rate) for rate in rates])
        self.ax = self._slots("ax_")

    def _numbers(self, prefix: str, values: list) -> ParameterTuple:
        return ParameterTuple(
            Parameter(Tensor(value, mstype.float32), name=f"{prefix}_{parameter.name}", requires_grad=False)
            for parameter, value in zip(self.parameters, values, strict=True)
        )

    def construct(self, gradients):
        rates, steps = self._rates_now(), op.cast(op.reshape(self.global_step, ()), mstype.float32) + 1.0
        result = self._step(
            op.update_asgd, (self.lambd, self.mu[0]), gradients, self.ax, rates=tuple(self.eta)
        )
        share = op.reciprocal(op.maximum(steps - self.t0, 1.0))
        for place, eta, mu in zip(self._rate_of, self.eta, self.mu, strict=True):
            rate = rates[place]
            op.assign(eta, rate / op.pow(1.0 + self.lambd * rate * steps, self.alpha))
            op.assign(mu, share)
        return result
