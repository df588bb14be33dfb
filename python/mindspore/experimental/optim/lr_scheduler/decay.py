# SPDX-License-Identifier: Apache-2.0
"""Schedulers whose rates fall, or grow, with the epochs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.experimental.optim.lr_scheduler.scheduler import SCHEDULER, LRScheduler, check_kind
from mindspore.ops._registry import op


def _is_multiple(epoch, length: int):
    return op.equal(op.floor(epoch / length) * length, epoch)


@SCHEDULER
class StepLR(LRScheduler):
    """Multiplies the rates by `gamma` every `step_size` epochs.

    Args:
        step_size (int): Epochs between two changes.
    """

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        check_kind(step_size, "step_size", "StepLR", int)
        check_kind(gamma, "gamma", "StepLR", float)
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        due = op.logical_and(
            op.not_equal(self.last_epoch, 0.0), _is_multiple(self.last_epoch, self.step_size)
        )
        return self._scaled(op.where(due, self.gamma, 1.0))

    def _get_closed_form_lr(self) -> list:
        return self._from_bases(op.pow(self.gamma, op.floor(self.last_epoch / self.step_size)))


@SCHEDULER
class LinearLR(LRScheduler):
    """Rates that grow or fall linearly for some epochs.

    Args:
        start_factor (float): Factor of the first epoch. Default: ``1.0 / 3``.
        end_factor (float): Factor at the end.
        total_iters (int): Epochs until the end.

    Raises:
        ValueError: A factor is out of range.
    """

    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1):
        if not 0.0 < start_factor <= 1.0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less than or equal to 1."
            )
        if not 0.0 <= end_factor <= 1.0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch):
        share = op.minimum(epoch, float(self.total_iters)) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * share

    def get_lr(self) -> list:
        first = op.equal(self.last_epoch, 0.0)
        change = self._factor(self.last_epoch) / self._factor(op.maximum(self.last_epoch - 1.0, 0.0))
        return self._scaled(op.where(first, self.start_factor, change))

    def _get_closed_form_lr(self) -> list:
        return self._from_bases(self._factor(self.last_epoch))


@SCHEDULER
class ExponentialLR(LRScheduler):
    """Multiplies the rates by `gamma` every epoch."""

    def __init__(self, optimizer, gamma, last_epoch=-1):
        check_kind(gamma, "gamma", "ExponentialLR", float)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        return self._scaled(op.where(op.equal(self.last_epoch, 0.0), 1.0, self.gamma))

    def _get_closed_form_lr(self) -> list:
        return self._from_bases(op.pow(self.gamma, self.last_epoch))


@SCHEDULER
class PolynomialLR(LRScheduler):
    """Rates that fall to zero as a power of the epochs that are left.

    Args:
        total_iters (int): Epochs until zero.
        power (float): The power.
    """

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        check_kind(power, "power", "PolynomialLR", float)
        check_kind(total_iters, "total_iters", "PolynomialLR", int)
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        epoch, total = self.last_epoch, self.total_iters
        still = op.logical_or(op.equal(epoch, 0.0), op.greater(epoch, float(total)))
        left = op.maximum(1.0 - epoch / total, 0.0)
        before = op.maximum(1.0 - (epoch - 1.0) / total, 1.0 / total)
        return self._scaled(op.where(still, 1.0, op.pow(left / before, self.power)))

    def _get_closed_form_lr(self) -> list:
        left = 1.0 - op.minimum(self.last_epoch, float(self.total_iters)) / self.total_iters
        return self._from_bases(op.pow(left, self.power))


class _FunctionLR(LRScheduler):
    """Rates from a function of the epoch, one for all groups or one per group."""

    def __init__(self, optimizer, lr_lambda: Callable | list[Callable], last_epoch=-1):
        groups = len(getattr(optimizer, "param_groups", ()))
        if isinstance(lr_lambda, (list, tuple)):
            if len(lr_lambda) != groups:
                raise ValueError(f"Expected {groups} lr_lambdas, but got {len(lr_lambda)}")
            self.lr_lambdas = list(lr_lambda)
        else:
            self.lr_lambdas = [lr_lambda] * groups
        for function in self.lr_lambdas:
            if not callable(function):
                raise TypeError(f"The 'lr_lambda' must be a function, but got {type(function)}.")
        super().__init__(optimizer, last_epoch)

    def _factors(self) -> list:
        """What the functions say about the epoch."""
        epoch = op.cast(self.last_epoch, mstype.int32)
        return [function(epoch) for function in self.lr_lambdas]


@SCHEDULER
class LambdaLR(_FunctionLR):
    """Initial rates times a function of the epoch.

    Raises:
        ValueError: The number of functions is not that of the groups.
    """

    def get_lr(self) -> list:
        return [base * factor for base, factor in zip(self.base_lrs, self._factors(), strict=True)]


@SCHEDULER
class MultiplicativeLR(_FunctionLR):
    """Rates multiplied, every epoch, by a function of it.

    Raises:
        ValueError: The number of functions is not that of the groups.
    """

    def get_lr(self) -> list:
        first = op.equal(self.last_epoch, 0.0)
        pairs = zip(self._now(), self._factors(), strict=True)
        return [op.where(first, rate, rate * factor) for rate, factor in pairs]


@SCHEDULER
class MultiStepLR(LRScheduler):
    """Multiplies the rates by `gamma` at certain epochs.

    Args:
        milestones (list[int]): The epochs; one that is there twice counts twice.

    Raises:
        TypeError: `milestones` is not a list of ints.
    """

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        if not isinstance(milestones, list):
            raise TypeError(
                f"The type of 'milestones' should be 'list', but got type '{type(milestones).__name__}'."
            )
        for milestone in milestones:
            check_kind(milestone, "milestones", "MultiStepLR", int)
        check_kind(gamma, "gamma", "MultiStepLR", float)
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        return self._scaled(self._factor(op.equal))

    def _get_closed_form_lr(self) -> list:
        return self._from_bases(self._factor(op.greater_equal))

    def _factor(self, compare):
        """Gamma for every milestone that the last epoch compares with."""
        factor = Tensor(1.0, mstype.float32)
        for epoch, count in self.milestones.items():
            factor = factor * op.where(compare(self.last_epoch, float(epoch)), self.gamma**count, 1.0)
        return factor


@SCHEDULER
class ConstantLR(LRScheduler):
    """Rates times a factor for some epochs, then as they are.

    Args:
        factor (float): The factor. Default: ``1.0 / 3``.
        total_iters (int): Number of epochs.

    Raises:
        ValueError: `factor` is not between 0 and 1.
    """

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        if not 0.0 <= factor <= 1.0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        end = op.equal(self.last_epoch, float(self.total_iters))
        later = op.where(end, 1.0 / self.factor if self.factor else 1.0, 1.0)
        return self._scaled(op.where(op.equal(self.last_epoch, 0.0), self.factor, later))

    def _get_closed_form_lr(self) -> list:
        early = op.less(self.last_epoch, float(self.total_iters))
        return self._from_bases(op.where(early, self.factor, 1.0))
