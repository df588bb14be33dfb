# SPDX-License-Identifier: Apache-2.0
"""AdaFactor."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.common.parameter import Parameter, ParameterTuple
from mindspore.nn import _checks as check
from mindspore.nn.optim._parameters import OPTIMIZER, constant, number
from mindspore.nn.optim.optimizer import Optimizer, opt_init_args_register
from mindspore.ops._registry import op


def _root_mean_square(tensor):
    return op.sqrt(op.reduce_mean(op.square(tensor)))


def _keep(state, value) -> None:
    op.assign(state, op.cast(value, state.dtype))


@OPTIMIZER
class AdaFactor(Optimizer):
    """Adam whose mean squares are kept as a row and a column per matrix (Shazeer and Stern, 2018).

    Args:
        learning_rate (Union[float, Tensor]): The rate; None with `relative_step`.
        eps (tuple[float]): Added to squared gradients; least size of a parameter.
        clip_threshold (float): Largest root mean square of a step.
        decay_rate (float): How the decay of the means approaches 1.
        beta1 (float): Decay of the mean of the steps; 0: none is kept.
        weight_decay (float): Decay of the weights, apart from the gradient.
        scale_parameter (bool): Rates are multiplied by the root mean square of the parameter.
        relative_step (bool): The rate follows from the step.
        warmup_init (bool): It grows at first; needs `relative_step`.
        compression (bool): States are kept in float16.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range, or arguments contradict each other.
    """

    _decoupled = True

    @opt_init_args_register
    def __init__(
        self,
        params,
        learning_rate=None,
        eps=(1e-30, 1e-3),
        clip_threshold=1.0,
        decay_rate=0.8,
        beta1=0.9,
        weight_decay=0.0,
        scale_parameter=True,
        relative_step=True,
        warmup_init=False,
        compression=False,
        loss_scale=1.0,
    ):
        if learning_rate is not None and relative_step:
            raise ValueError("Cannot combine manual lr and relative_step options.")
        if warmup_init and not relative_step:
            raise ValueError(f"'warmup_init' requires 'relative_step' to be True, but got {relative_step}.")
        if learning_rate is None and not relative_step:
            raise ValueError("Cannot learning_rate is None and relative_step = False.")
        super().__init__(0.0 if learning_rate is None else learning_rate, params, weight_decay, loss_scale)
        if not isinstance(eps, (tuple, list)) or len(eps) != 2:
            raise TypeError(f"For 'AdaFactor', the 'eps' must be a tuple of two floats, but got {eps}.")
        for value in eps:
            number(value, "eps", "AdaFactor", low=0)
        self.eps = tuple(float(value) for value in eps)
        self.clip_threshold = number(clip_threshold, "clip_threshold", "AdaFactor", low=0)
        self.decay_rate = number(decay_rate, "decay_rate", "AdaFactor", low=0, high=1)
        number(beta1, "beta1", "AdaFactor", low=0, high=1)
        flags = {
            "scale_parameter": scale_parameter,
            "relative_step": relative_step,
            "warmup_init": warmup_init,
            "compression": compression,
        }
        for name, value in flags.items():
            setattr(self, name, check.boolean(value, name, "AdaFactor"))
        self.init_ada_factor_state(beta1)
        self.step = Parameter(
            op.fill(shape=(1,), value=0.0, dtype=mstype.float32), name="afactor_step", requires_grad=False
        )

    def init_ada_factor_state(self, beta1) -> None:
        """Makes the states.

        Args:
            beta1 (float): Decay of the mean of the steps.
        """
        self.beta1, self.use_first_moment = float(beta1), beta1 > 0
        dtype = mstype.float16 if self.compression else mstype.float32
        if self.use_first_moment:
            self.exp_avg = self._slots("exp_avg")
        self._factored = tuple(len(parameter.shape) >= 2 for parameter in self.parameters)

        def states(prefix: str, shape_of) -> ParameterTuple:
            return ParameterTuple(
                Parameter(
                    op.fill(shape=shape_of(parameter.shape, factored), value=0.0, dtype=dtype),
                    name=f"{prefix}_{parameter.name}",
                    requires_grad=False,
                )
                for parameter, factored in zip(self.parameters, self._factored, strict=True)
            )

        self.exp_avg_sq_row = states("exp_avg_sq_row", lambda s, f: s[:-1] if f else (1,))
        self.exp_avg_sq_col = states("exp_avg_sq_col", lambda s, f: s[:-2] + s[-1:] if f else (1,))
        self.exp_avg_sq = states("exp_avg_sq", lambda s, f: (1,) if f else s)

    @property
    def supports_memory_efficient_fp16(self) -> bool:
        """Parameters of a half type need no float32 copy."""
        return True

    @property
    def supports_flat_params(self) -> bool:
        """Parameters may not be joined into one vector: rows and columns matter."""
        return False

    def _mean_step(self, i: int, gradient, decay):
        """The gradient over the root of its mean square."""
        square = op.square(gradient) + self.eps[0]
        if not self._factored[i]:
            mean = self.exp_avg_sq[i] * decay + square * (1.0 - decay)
            _keep(self.exp_avg_sq[i], mean)
            return op.rsqrt(mean) * gradient
        row = self.exp_avg_sq_row[i] * decay + op.reduce_mean(square, -1) * (1.0 - decay)
        column = self.exp_avg_sq_col[i] * decay + op.reduce_mean(square, -2) * (1.0 - decay)
        _keep(self.exp_avg_sq_row[i], row)
        _keep(self.exp_avg_sq_col[i], column)
        of_row = op.rsqrt(row / op.reduce_mean(row, -1, True))
        return op.expand_dims(of_row, -1) * op.expand_dims(op.rsqrt(column), -2) * gradient

    def _rate(self, i: int, parameter, step, rates: tuple):
        rate = rates[self._rate_of[i]]
        if self.relative_step:
            most = step * 1e-6 if self.warmup_init else constant(1e-2)
            rate = op.minimum(most, op.rsqrt(step))
        if self.scale_parameter:
            rate = rate * op.maximum(_root_mean_square(parameter), self.eps[1])
        return rate

    def construct(self, gradients):
        gradients = self.scale_grad(self.gradients_centralization(self._checked_gradients(gradients)))
        rates = self._rates_now()
        op.assign_add(self.step, 1.0)
        step = op.reshape(self.step, ())
        decay = 1.0 - op.pow(step, -self.decay_rate)
        for i, (parameter, gradient) in enumerate(zip(self.parameters, gradients, strict=True)):
            gradient = op.cast(gradient, mstype.float32)
            change = self._mean_step(i, gradient, decay)
            change = change / op.maximum(_root_mean_square(change) / self.clip_threshold, 1.0)
            rate = self._rate(i, parameter, step, rates)
            change = change * rate
            if self.use_first_moment:
                change = self.exp_avg[i] * self.beta1 + change * (1.0 - self.beta1)
                _keep(self.exp_avg[i], change)
            if self._decay_of[i] is not None:
                change = change + parameter * (self._decay_now(self._decay_of[i]) * rate)
            _keep(parameter, parameter - change)
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        return self._done()
