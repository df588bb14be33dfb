# SPDX-License-Identifier: Apache-2.0
"""Optimizers that adapt the rate of every element: Adagrad, Adadelta, RMSProp, FTRL."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn.optim.optimizer import Optimizer, checked_number
from mindspore.ops._registry import op


def _constant(value: float) -> Tensor:
    return Tensor(float(value), mstype.float32)


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

    Supported Platforms:
        ``CPU``
    """

    def __init__(
        self, params, accum=0.1, learning_rate=0.001, update_slots=True, loss_scale=1.0, weight_decay=0.0
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        checked_number(accum, "accum", self.cls_name, 0.0)
        self.update_slots = check.boolean(update_slots, "update_slots", self.cls_name)
        self.accum = self._slots("accum", accum)

    def construct(self, grads):
        grads, rates = self._start(grads)
        for parameter, accum, rate, gradient in zip(self.parameters, self.accum, rates, grads, strict=False):
            op.apply_adagrad(parameter, accum, rate, gradient, self.update_slots)
        return self._done()


class Adadelta(Optimizer):
    """Steps scaled by the ratio of past steps and gradients.

    Args:
        params (Union[list[Parameter], list[dict]]): Parameters or groups of them.
        learning_rate (Union[float, int, Tensor, Iterable, LearningRateSchedule]): The rate. Default: ``1.0``.
        rho (float): Decay of the means. Default: ``0.9``.
        epsilon (float): Added under the roots. Default: ``1e-6``.
        loss_scale (float): Factor by which the loss was multiplied. Default: ``1.0``.
        weight_decay (Union[float, int, Cell]): Decay of the weights. Default: ``0.0``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, params, learning_rate=1.0, rho=0.9, epsilon=1e-6, loss_scale=1.0, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.rho = _constant(checked_number(rho, "rho", self.cls_name, 0.0, 1.0))
        self.epsilon = _constant(checked_number(epsilon, "epsilon", self.cls_name, 0.0))
        self.accum = self._slots("accum", 0)
        self.accum_update = self._slots("accum_update", 0)

    def construct(self, grads):
        grads, rates = self._start(grads)
        for parameter, accum, update, rate, gradient in zip(
            self.parameters, self.accum, self.accum_update, rates, grads, strict=False
        ):
            op.apply_adadelta(parameter, accum, update, rate, self.rho, self.epsilon, gradient)
        return self._done()


class RMSProp(Optimizer):
    """Steps divided by the root of the gradient's mean square.

    Args:
        params (Union[list[Parameter], list[dict]]): Parameters or groups of them.
        learning_rate (Union[float, int, Tensor, Iterable, LearningRateSchedule]): The rate. Default: ``0.1``.
        decay (float): Decay of the mean square. Default: ``0.9``.
        momentum (float): Share of the old step. Default: ``0.0``.
        epsilon (float): Added under the root. Default: ``1e-10``.
        use_locking (bool): Accepted for compatibility. Default: ``False``.
        centered (bool): Use the variance instead of the mean square. Default: ``False``.
        loss_scale (float): Factor by which the loss was multiplied. Default: ``1.0``.
        weight_decay (Union[float, int, Cell]): Decay of the weights. Default: ``0.0``.

    Supported Platforms:
        ``CPU``
    """

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
        self.decay = _constant(checked_number(decay, "decay", self.cls_name, 0.0))
        self.momentum = _constant(checked_number(momentum, "momentum", self.cls_name, 0.0))
        if not isinstance(epsilon, float) or epsilon <= 0:
            raise ValueError(f"For 'RMSProp', the 'epsilon' must be a float > 0, but got {epsilon}.")
        self.epsilon = _constant(epsilon)
        self.centered = check.boolean(centered, "centered", self.cls_name)
        self.mean_square = self._slots("mean_square", "ones")
        self.moment = self._slots("moment", "zeros")
        if centered:
            self.mg = self._slots("mean_grad", "zeros")

    def construct(self, gradients):
        gradients, rates = self._start(gradients)
        options = (self.decay, self.momentum, self.epsilon)
        for i, (parameter, rate, gradient) in enumerate(zip(self.parameters, rates, gradients, strict=False)):
            square, moment = self.mean_square[i], self.moment[i]
            if self.centered:
                op.apply_centered_rms_prop(parameter, self.mg[i], square, moment, gradient, rate, *options)
            else:
                op.apply_rms_prop(parameter, square, moment, rate, gradient, *options)
        return self._done()


class FTRL(Optimizer):
    """Follow the regularised leader.

    Args:
        params (Union[list[Parameter], list[dict]]): Parameters or groups of them.
        initial_accum (float): Initial value of the sum of squares. Default: ``0.1``.
        learning_rate (float): The rate. Default: ``0.001``.
        lr_power (float): How the rate falls, at most 0. Default: ``-0.5``.
        l1 (float): Absolute penalty. Default: ``0.0``.
        l2 (float): Squared penalty. Default: ``0.0``.
        use_locking (bool): Accepted for compatibility. Default: ``False``.
        loss_scale (float): Factor by which the loss was multiplied. Default: ``1.0``.
        weight_decay (Union[float, int, Cell]): Decay of the weights. Default: ``0.0``.

    Supported Platforms:
        ``CPU``
    """

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
        checked_number(initial_accum, "initial_accum", self.cls_name, 0.0)
        if lr_power > 0:
            raise ValueError(f"For 'FTRL', the 'lr_power' must be at most 0, but got {lr_power}.")
        self.lr_power = _constant(lr_power)
        self.l1 = _constant(checked_number(l1, "l1", self.cls_name, 0.0))
        self.l2 = _constant(checked_number(l2, "l2", self.cls_name, 0.0))
        self.moments = self._slots("moments", initial_accum)
        self.linear = self._slots("linear", "zeros")

    def construct(self, grads):
        grads, rates = self._start(grads)
        for parameter, accum, linear, gradient, rate in zip(
            self.parameters, self.moments, self.linear, grads, rates, strict=False
        ):
            op.apply_ftrl(parameter, accum, linear, gradient, rate, self.l1, self.l2, self.lr_power)
        return self._done()


class ProximalAdagrad(Optimizer):
    """Adagrad with absolute and squared penalties applied in closed form.

    Args:
        params (Union[list[Parameter], list[dict]]): Parameters or groups of them.
        accum (float): Initial value of the sum of squares. Default: ``0.1``.
        learning_rate (Union[float, int, Tensor, Iterable, LearningRateSchedule]): The rate.
            Default: ``0.001``.
        l1 (float): Absolute penalty. Default: ``0.0``.
        l2 (float): Squared penalty. Default: ``0.0``.
        use_locking (bool): Accepted for compatibility. Default: ``False``.
        loss_scale (float): Factor by which the loss was multiplied. Default: ``1.0``.
        weight_decay (Union[float, int, Cell]): Decay of the weights. Default: ``0.0``.

    Supported Platforms:
        ``CPU``
    """

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
        checked_number(accum, "accum", self.cls_name, 0.0)
        self.l1 = _constant(checked_number(l1, "l1", self.cls_name, 0.0))
        self.l2 = _constant(checked_number(l2, "l2", self.cls_name, 0.0))
        self.accum = self._slots("accum", accum)

    def construct(self, grads):
        grads, rates = self._start(grads)
        for parameter, accum, rate, gradient in zip(self.parameters, self.accum, rates, grads, strict=False):
            op.apply_proximal_adagrad(parameter, accum, rate, self.l1, self.l2, gradient)
        return self._done()
