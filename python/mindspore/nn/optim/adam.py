# SPDX-License-Identifier: Apache-2.0
"""Adam and its relatives."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn.optim.optimizer import Optimizer
from mindspore.ops._registry import op


def _share(value, name: str, owner: str) -> float:
    if not isinstance(value, float):
        raise TypeError(f"For '{owner}', the '{name}' must be float, but got {type(value).__name__}.")
    if not 0 < value < 1:
        raise ValueError(f"For '{owner}', the '{name}' must be in range (0.0, 1.0), but got {value}.")
    return value


def _epsilon(value, owner: str) -> float:
    if not isinstance(value, float):
        raise TypeError(f"For '{owner}', the 'eps' must be float, but got {type(value).__name__}.")
    if value <= 0:
        raise ValueError(f"For '{owner}', the 'eps' must be > 0, but got {value}.")
    return value


class _AdamBase(Optimizer):
    """Moments of the gradient and their decay."""

    def _set_moments(self, beta1, beta2, eps) -> None:
        self.beta1 = Tensor(_share(beta1, "beta1", self.cls_name), mstype.float32)
        self.beta2 = Tensor(_share(beta2, "beta2", self.cls_name), mstype.float32)
        self.eps = Tensor(_epsilon(eps, self.cls_name), mstype.float32)

    def _add_powers(self) -> None:
        self.beta1_power = Parameter(Tensor(1, mstype.float32), name="beta1_power", requires_grad=False)
        self.beta2_power = Parameter(Tensor(1, mstype.float32), name="beta2_power", requires_grad=False)

    def _raise_powers(self) -> None:
        op.assign(self.beta1_power, self.beta1_power * self.beta1)
        op.assign(self.beta2_power, self.beta2_power * self.beta2)


class Adam(_AdamBase):
    """Adam (Kingma and Ba, 2015): steps scaled by estimates of the gradient's moments.

    Args:
        params (Union[list[Parameter], list[dict]]): Parameters or groups of them.
        learning_rate (Union[float, int, Tensor, Iterable, LearningRateSchedule]): The rate.
            Default: ``1e-3``.
        beta1 (float): Decay of the mean. Default: ``0.9``.
        beta2 (float): Decay of the mean square. Default: ``0.999``.
        eps (float): Added to the divisor. Default: ``1e-8``.
        use_locking (bool): Accepted for compatibility. Default: ``False``.
        use_nesterov (bool): Look one step ahead. Default: ``False``.
        weight_decay (Union[float, int, Cell]): Decay of the weights. Default: ``0.0``.
        loss_scale (float): Factor by which the loss was multiplied. Default: ``1.0``.
        use_amsgrad (bool): Divide by the largest mean square so far. Default: ``False``.
        kwargs (dict): ``use_lazy`` and ``use_offload``, accepted for compatibility.

    Supported Platforms:
        ``CPU``
    """

    def __init__(
        self,
        params,
        learning_rate=1e-3,
        beta1=0.9,
        beta2=0.999,
        eps=1e-8,
        use_locking=False,
        use_nesterov=False,
        weight_decay=0.0,
        loss_scale=1.0,
        use_amsgrad=False,
        **kwargs,
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        for key in kwargs:
            if key not in ("use_lazy", "use_offload"):
                raise ValueError(
                    f"For 'Adam', the keyword '{key}' is not recognized, only 'use_lazy' and 'use_offload'."
                )
        use_lazy, use_offload = kwargs.get("use_lazy", False), kwargs.get("use_offload", False)
        if use_lazy and use_offload:
            raise ValueError(
                "For 'Adam', 'use_lazy' and 'use_offload' can not be both True, but got "
                f"use_lazy={use_lazy}, use_offload={use_offload}."
            )
        if use_amsgrad and (use_lazy or use_offload):
            raise ValueError(
                "For lazy Adam and Adam with offload, there is no parameter named 'use_amsgrad'."
            )
        self.use_nesterov = check.boolean(use_nesterov, "use_nesterov", self.cls_name)
        self.use_amsgrad = check.boolean(use_amsgrad, "use_amsgrad", self.cls_name)
        self.use_locking = check.boolean(use_locking, "use_locking", self.cls_name)
        self._set_moments(beta1, beta2, eps)
        self._numbers = (float(beta1), float(beta2), float(eps))
        self._add_powers()
        self.moment1 = self._slots("moment1")
        self.moment2 = self._slots("moment2")
        if use_amsgrad:
            self.vhat = self._slots("vhat")

    def construct(self, gradients):
        gradients, rates = self._start(gradients)
        self._raise_powers()
        if self.use_amsgrad:
            return self._amsgrad(gradients, rates)
        power1, power2 = self.beta1_power, self.beta2_power
        beta1, beta2, eps, nesterov = self.beta1, self.beta2, self.eps, self.use_nesterov
        for parameter, m, v, rate, gradient in zip(
            self.parameters, self.moment1, self.moment2, rates, gradients, strict=False
        ):
            op.adam(parameter, m, v, power1, power2, rate, beta1, beta2, eps, gradient, False, nesterov)
        return self._done()

    def _amsgrad(self, gradients, rates):
        for parameter, m, v, vhat, rate, gradient in zip(
            self.parameters, self.moment1, self.moment2, self.vhat, rates, gradients, strict=False
        ):
            op.apply_adam_with_amsgrad(
                parameter, m, v, vhat, self.beta1_power, self.beta2_power, rate, gradient, *self._numbers
            )
        return self._done()


class LazyAdam(Adam):
    """Adam that updates only the rows a sparse gradient touches; dense gradients give Adam."""

    def __init__(
        self,
        params,
        learning_rate=1e-3,
        beta1=0.9,
        beta2=0.999,
        eps=1e-8,
        use_locking=False,
        use_nesterov=False,
        weight_decay=0.0,
        loss_scale=1.0,
    ):
        super().__init__(
            params, learning_rate, beta1, beta2, eps, use_locking, use_nesterov, weight_decay, loss_scale
        )


class AdamOffload(LazyAdam):
    """Adam whose update runs on the host."""


class AdamWeightDecay(_AdamBase):
    """Adam without bias correction, with weight decay apart from the gradient.

    Args:
        params (Union[list[Parameter], list[dict]]): Parameters or groups of them.
        learning_rate (Union[float, int, Tensor, Iterable, LearningRateSchedule]): The rate.
            Default: ``1e-3``.
        beta1 (float): Decay of the mean. Default: ``0.9``.
        beta2 (float): Decay of the mean square. Default: ``0.999``.
        eps (float): Added to the divisor. Default: ``1e-6``.
        weight_decay (Union[float, int, Cell]): Decay of the weights. Default: ``0.0``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay)
        self._set_moments(beta1, beta2, eps)
        self.moments1 = self._slots("adam_m")
        self.moments2 = self._slots("adam_v")
        self._no_decay = Tensor(0, mstype.float32)

    def decay_weight(self, gradients):
        """Nothing: the decay is part of the update."""
        return gradients

    def construct(self, gradients):
        decays = [
            self._no_decay if d is None else Tensor(float(self._decay_now(d)), mstype.float32)
            for d in self._decay_of
        ]
        gradients, rates = self._start(gradients)
        beta1, beta2, eps = self.beta1, self.beta2, self.eps
        for parameter, m, v, rate, decay, gradient in zip(
            self.parameters, self.moments1, self.moments2, rates, decays, gradients, strict=False
        ):
            op.adam_weight_decay(parameter, m, v, rate, beta1, beta2, eps, decay, gradient)
        return self._done()


class AdaMax(_AdamBase):
    """Adam with the decaying maximum of the gradient instead of its mean square.

    Args:
        params (Union[list[Parameter], list[dict]]): Parameters or groups of them.
        learning_rate (Union[float, int, Tensor, Iterable, LearningRateSchedule]): The rate.
            Default: ``1e-3``.
        beta1 (float): Decay of the mean. Default: ``0.9``.
        beta2 (float): Decay of the maximum. Default: ``0.999``.
        eps (float): Added to the divisor. Default: ``1e-8``.
        weight_decay (Union[float, int, Cell]): Decay of the weights. Default: ``0.0``.
        loss_scale (float): Factor by which the loss was multiplied. Default: ``1.0``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(
        self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0, loss_scale=1.0
    ):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self._set_moments(beta1, beta2, eps)
        self.beta1_power = Parameter(Tensor(1, mstype.float32), name="beta1_power", requires_grad=False)
        self.moment1 = self._slots("moment1")
        self.moment2 = self._slots("moment2")

    def construct(self, gradients):
        gradients, rates = self._start(gradients)
        op.assign(self.beta1_power, self.beta1_power * self.beta1)
        for parameter, m, v, rate, gradient in zip(
            self.parameters, self.moment1, self.moment2, rates, gradients, strict=False
        ):
            op.apply_ada_max(
                parameter, m, v, self.beta1_power, rate, self.beta1, self.beta2, self.eps, gradient
            )
        return self._done()
