# SPDX-License-Identifier: Apache-2.0
"""Momentum."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn.optim.optimizer import Optimizer
from mindspore.ops._registry import op


class Momentum(Optimizer):
    """Gradient descent with momentum: ``v = momentum * v + g``, ``p -= lr * v``.

    Args:
        params (Union[list[Parameter], list[dict]]): Parameters or groups of them.
        learning_rate (Union[float, int, Tensor, Iterable, LearningRateSchedule]): The rate.
        momentum (float): Share of the old step, at least 0.
        weight_decay (Union[float, int, Cell]): Decay of the weights. Default: ``0.0``.
        loss_scale (float): Factor by which the loss was multiplied. Default: ``1.0``.
        use_nesterov (bool): Look one step ahead. Default: ``False``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, params, learning_rate, momentum, weight_decay=0.0, loss_scale=1.0, use_nesterov=False):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if isinstance(momentum, float) and momentum < 0.0:
            raise ValueError(
                f"For '{self.cls_name}', the argument 'momentum' should be at least 0.0, but got {momentum}."
            )
        if isinstance(momentum, bool) or not isinstance(momentum, (int, float)):
            raise TypeError(
                f"For '{self.cls_name}', the 'momentum' must be float, but got {type(momentum).__name__}."
            )
        self.momentum = Parameter(Tensor(momentum, mstype.float32), name="momentum", requires_grad=False)
        self.use_nesterov = check.boolean(use_nesterov, "use_nesterov", self.cls_name)
        self.moments = self._slots("moments")

    def construct(self, gradients):
        gradients, rates = self._start(gradients)
        for parameter, moment, rate, gradient in zip(
            self.parameters, self.moments, rates, gradients, strict=False
        ):
            op.apply_momentum(parameter, moment, rate, gradient, self.momentum, self.use_nesterov)
        return self._done()
