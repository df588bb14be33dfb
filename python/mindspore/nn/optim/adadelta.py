# SPDX-License-Identifier: Apache-2.0
"""Adadelta."""

from __future__ import annotations

from mindspore.nn._inner_primitives import inner_primitive
from mindspore.nn.optim._parameters import constant, real
from mindspore.nn.optim.optimizer import Optimizer, opt_init_args_register
from mindspore.ops._registry import op


class Adadelta(Optimizer):
    """Steps scaled by the ratio of past steps and gradients.

    Args:
        params (Union[list[Parameter], list[dict]]): Parameters or groups of them.
        learning_rate (Union[float, int, Tensor, Iterable, LearningRateSchedule]): The rate.
            Default: ``1.0``.
        rho (float): Decay of the means. Default: ``0.9``.
        epsilon (float): Added under the roots. Default: ``1e-6``.
        loss_scale (float): Factor by which the loss was multiplied. Default: ``1.0``.
        weight_decay (Union[float, int, Cell]): Decay of the weights. Default: ``0.0``.

    Inputs:
        - **grads** (tuple[Tensor]) - One gradient per parameter, in the order of `parameters`.

    Outputs:
        tuple[bool], all True.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range.

    Supported Platforms:
        ``CPU``
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
