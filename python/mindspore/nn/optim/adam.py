# SPDX-License-Identifier: Apache-2.0
"""Adam, with weight decay apart from the gradient too."""

from __future__ import annotations

import inspect

from mindspore._spelling import keyword_hint
from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter
from mindspore.nn import _checks as check
from mindspore.nn._inner_primitives import inner_primitive
from mindspore.nn.optim._parameters import OPTIMIZER, constant, real, share
from mindspore.nn.optim.optimizer import Optimizer, opt_init_args_register
from mindspore.ops._registry import op


class MomentOptimizer(Optimizer):
    """Optimizers that keep decaying means: checks and holds their numbers."""

    def _set_moments(self, beta1, beta2, eps) -> None:
        self.beta1 = constant(share(beta1, "beta1", self.cls_name))
        self.beta2 = constant(share(beta2, "beta2", self.cls_name))
        self.eps = constant(real(eps, "eps", self.cls_name, low=0.0, strict=True))

    def _add_power(self, name: str, shape: tuple = ()) -> None:
        data = op.fill(shape=shape, value=1.0, dtype=mstype.float32)
        setattr(self, name, Parameter(data, name=name, requires_grad=False))

    def _raise_powers(self) -> tuple:
        """The betas to the power of the coming step."""
        op.assign(self.beta1_power, self.beta1_power * self.beta1)
        op.assign(self.beta2_power, self.beta2_power * self.beta2)
        return self.beta1_power, self.beta2_power


@OPTIMIZER
class Adam(MomentOptimizer):
    """Adam (Kingma and Ba, 2015): steps scaled by estimates of the gradient's moments.

    ``p -= lr * sqrt(1 - beta2 ** t) / (1 - beta1 ** t) * m / (sqrt(v) + eps)``

    Args:
        use_amsgrad (bool): Divide by the largest mean square so far.
        kwargs (dict): ``use_lazy``: of a gradient that has only some rows, only those are updated;
            ``use_offload``, accepted for compatibility.
    """

    opt = inner_primitive("Adam", use_locking="use_locking", use_nesterov="use_nesterov")

    @opt_init_args_register
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
        self._take_keywords(kwargs, use_amsgrad)
        self.use_nesterov = check.boolean(use_nesterov, "use_nesterov", self.cls_name)
        self.use_amsgrad = check.boolean(use_amsgrad, "use_amsgrad", self.cls_name)
        self.use_locking = check.boolean(use_locking, "use_locking", self.cls_name)
        self._set_moments(beta1, beta2, eps)
        self._add_power("beta1_power", self._power_shape)
        self._add_power("beta2_power", self._power_shape)
        self.moment1 = self._slots("moment1")
        self.moment2 = self._slots("moment2")
        if use_amsgrad:
            self.vhat = self._slots("vhat")

    _power_shape: tuple = ()

    def _take_keywords(self, kwargs: dict, use_amsgrad: bool) -> None:
        for key, value in kwargs.items():
            if key not in ("use_lazy", "use_offload"):
                hint = keyword_hint(key, inspect.signature(type(self)).parameters)
                raise ValueError(
                    f"For 'Adam', the keyword '{key}' is not recognized, only 'use_lazy' and "
                    f"'use_offload'.{hint}"
                )
            check.boolean(value, key, self.cls_name)
        use_lazy, use_offload = kwargs.get("use_lazy", False), kwargs.get("use_offload", False)
        if use_lazy and use_offload:
            raise ValueError(
                "For 'Adam', 'use_lazy' and 'use_offload' can not both be True, but got "
                f"use_lazy={use_lazy}, use_offload={use_offload}."
            )
        if use_amsgrad and (use_lazy or use_offload):
            raise ValueError(
                "For lazy Adam and Adam with offload, there is no parameter named 'use_amsgrad'."
            )
        self._rows_only = self._rows_only or use_lazy
        self.use_lazy, self.use_offload = use_lazy, use_offload

    def construct(self, gradients):
        numbers = (*self._raise_powers(), self.beta1, self.beta2, self.eps)
        if self.use_amsgrad:
            return self._step(op.update_amsgrad, numbers, gradients, self.moment1, self.moment2, self.vhat)
        return self._step(
            op.update_adam, numbers, gradients, self.moment1, self.moment2, nesterov=self.use_nesterov
        )


@OPTIMIZER
class AdamWeightDecay(MomentOptimizer):
    """Adam without bias correction, with weight decay apart from the gradient.

    ``p -= lr * (m / (sqrt(v) + eps) + weight_decay * p)``
    """

    _decoupled = True

    def __init__(self, params, learning_rate=1e-3, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay)
        self._set_moments(beta1, beta2, eps)
        self.moments1 = self._slots("adam_m")
        self.moments2 = self._slots("adam_v")

    def construct(self, gradients):
        numbers = (0.0, 0.0, self.beta1, self.beta2, self.eps)
        return self._step(op.update_adam, numbers, gradients, self.moments1, self.moments2, decoupled=True)


@OPTIMIZER
class AdamOffload(Adam):
    """Adam whose update runs on the host."""

    _power_shape = (1,)

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
