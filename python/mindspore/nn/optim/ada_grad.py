# SPDX-License-Identifier: Apache-2.0
"""Adagrad."""

from __future__ import annotations

from mindspore.nn import _checks as check
from mindspore.nn._inner_primitives import inner_primitive
from mindspore.nn.optim._parameters import constant, real
from mindspore.nn.optim.optimizer import Optimizer, opt_init_args_register
from mindspore.ops._registry import op


class Adagrad(Optimizer):
    """``a += g ** 2``, ``p -= lr * g / sqrt(a)``.

    Args:
        params (Union[list[Parameter], list[dict]]): Parameters or groups of them.
        accum (float): Initial value of the sum. Default: ``0.1``.
        learning_rate (Union[float, int, Tensor, Iterable, LearningRateSchedule]): The rate.
            Default: ``0.001``.
        update_slots (bool): Whether the sum grows. Default: ``True``.
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
