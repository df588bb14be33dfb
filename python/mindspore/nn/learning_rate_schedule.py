# SPDX-License-Identifier: Apache-2.0
"""Learning rates that are computed from the step."""

from __future__ import annotations

import math

from mindspore._later import defined_names as _defined_names
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op


def _float(value, name: str, owner: str) -> float:
    if not isinstance(value, float):
        raise TypeError(f"For '{owner}', the '{name}' must be float, but got {type(value).__name__}.")
    return value


def _positive_float(value, name: str, owner: str) -> float:
    if _float(value, name, owner) <= 0:
        raise ValueError(f"For '{owner}', the '{name}' must be > 0, but got {value}.")
    return value


def _step_of(global_step) -> Tensor:
    if not isinstance(global_step, Tensor):
        global_step = Tensor(global_step)
    return op.cast(global_step, mstype.float32)


class LearningRateSchedule(Cell):
    """Base of learning rates computed from the step; subclasses define ``construct(global_step)``."""

    def construct(self, global_step):
        raise NotImplementedError


class _Decay(LearningRateSchedule):
    def __init__(self, learning_rate, decay_rate, decay_steps, is_stair=False):
        super().__init__()
        self.learning_rate = _positive_float(learning_rate, "learning_rate", self.cls_name)
        self.decay_rate = _positive_float(decay_rate, "decay_rate", self.cls_name)
        self.decay_steps = check.positive_int(decay_steps, "decay_steps", self.cls_name)
        self.is_stair = check.boolean(is_stair, "is_stair", self.cls_name)

    def _periods(self, global_step) -> Tensor:
        periods = _step_of(global_step) / self.decay_steps
        return op.floor(periods) if self.is_stair else periods


class ExponentialDecayLR(_Decay):
    """``learning_rate * decay_rate ** (step / decay_steps)``.

    Args:
        learning_rate (float): Initial rate.
        decay_rate (float): Factor.
        decay_steps (int): Steps after which the factor is reached.
        is_stair (bool): Whole periods only. Default: ``False``.
    """

    def construct(self, global_step):
        return op.exp(self._periods(global_step) * math.log(self.decay_rate)) * self.learning_rate


class NaturalExpDecayLR(_Decay):
    """``learning_rate * exp(-decay_rate * step)``.

    Args:
        learning_rate (float): Initial rate.
        decay_rate (float): Rate of the decay.
        decay_steps (int): Length of a stair.
        is_stair (bool): Whole periods only. Default: ``False``.
    """

    def construct(self, global_step):
        step = self._periods(global_step) * self.decay_steps if self.is_stair else _step_of(global_step)
        return op.exp(step * -self.decay_rate) * self.learning_rate


class InverseDecayLR(_Decay):
    """``learning_rate / (1 + decay_rate * step / decay_steps)``.

    Args:
        learning_rate (float): Initial rate.
        decay_rate (float): Rate of the decay.
        decay_steps (int): Length of a period.
        is_stair (bool): Whole periods only. Default: ``False``.
    """

    def construct(self, global_step):
        return self.learning_rate / (self._periods(global_step) * self.decay_rate + 1)


class CosineDecayLR(LearningRateSchedule):
    """From `max_lr` to `min_lr` along half a cosine.

    Args:
        min_lr (float): Last rate.
        max_lr (float): First rate.
        decay_steps (int): Number of steps.
    """

    def __init__(self, min_lr, max_lr, decay_steps):
        super().__init__()
        if _float(min_lr, "min_lr", "CosineDecayLR") < 0:
            raise ValueError(f"For 'CosineDecayLR', the 'min_lr' must be >= 0, but got {min_lr}.")
        self.min_lr = min_lr
        self.max_lr = _positive_float(max_lr, "max_lr", "CosineDecayLR")
        self.decay_steps = check.positive_int(decay_steps, "decay_steps", "CosineDecayLR")
        if min_lr >= max_lr:
            raise ValueError(
                f"For 'CosineDecayLR', the 'max_lr' must be greater than the 'min_lr', but got {max_lr} and "
                f"{min_lr}."
            )

    def construct(self, global_step):
        share = op.minimum(_step_of(global_step), float(self.decay_steps)) / self.decay_steps
        return (op.cos(share * math.pi) + 1) * (0.5 * (self.max_lr - self.min_lr)) + self.min_lr


class PolynomialDecayLR(LearningRateSchedule):
    """From `learning_rate` to `end_learning_rate` along a power of the remaining share.

    Args:
        learning_rate (float): First rate.
        end_learning_rate (float): Last rate.
        decay_steps (int): Number of steps.
        power (float): The power.
        update_decay_steps (bool): Start again with longer periods. Default: ``False``.
    """

    def __init__(self, learning_rate, end_learning_rate, decay_steps, power, update_decay_steps=False):
        super().__init__()
        self.learning_rate = _positive_float(learning_rate, "learning_rate", "PolynomialDecayLR")
        if _float(end_learning_rate, "end_learning_rate", "PolynomialDecayLR") < 0:
            raise ValueError(
                f"For 'PolynomialDecayLR', 'end_learning_rate' must be >= 0, got {end_learning_rate}."
            )
        self.end_learning_rate = end_learning_rate
        self.decay_steps = check.positive_int(decay_steps, "decay_steps", "PolynomialDecayLR")
        self.power = _positive_float(power, "power", "PolynomialDecayLR")
        self.update_decay_steps = check.boolean(update_decay_steps, "update_decay_steps", "PolynomialDecayLR")

    def construct(self, global_step):
        step = _step_of(global_step)
        if self.update_decay_steps:
            steps = op.maximum(op.ceil(step / self.decay_steps), 1.0) * self.decay_steps
        else:
            steps = float(self.decay_steps)
            step = op.minimum(step, steps)
        share = op.pow(1 - step / steps, self.power)
        return share * (self.learning_rate - self.end_learning_rate) + self.end_learning_rate


class WarmUpLR(LearningRateSchedule):
    """Rises to `learning_rate` in equal steps, then stays.

    Args:
        learning_rate (float): The rate in the end.
        warmup_steps (int): Number of steps.
    """

    def __init__(self, learning_rate, warmup_steps):
        super().__init__()
        if not isinstance(learning_rate, float):
            raise TypeError(
                f"For 'WarmUpLR', the 'learning_rate' must be float, got {type(learning_rate).__name__}."
            )
        if learning_rate < 0:
            raise ValueError(f"For 'WarmUpLR', the 'learning_rate' must be >= 0, but got {learning_rate}.")
        self.learning_rate = learning_rate
        self.warmup_steps = check.positive_int(warmup_steps, "warmup_steps", "WarmUpLR")

    def construct(self, global_step):
        share = op.minimum(_step_of(global_step), float(self.warmup_steps)) / self.warmup_steps
        return share * self.learning_rate


__all__ = _defined_names(globals())
