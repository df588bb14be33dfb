# SPDX-License-Identifier: Apache-2.0
"""Schedulers whose rates fall, or grow, with the epochs."""

from __future__ import annotations

from collections import Counter

from mindspore.experimental.optim.lr_scheduler.base import LRScheduler, check_kind


class StepLR(LRScheduler):
    """Multiplies the rates by `gamma` every `step_size` epochs.

    Args:
        optimizer (:class:`mindspore.experimental.optim.Optimizer`): Whose rates are changed.
        step_size (int): Epochs between two changes.
        gamma (float): The factor. Default: ``0.1``.
        last_epoch (int): Number of the epoch that was the last. Default: ``-1``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        check_kind(step_size, "step_size", "StepLR", int)
        check_kind(gamma, "gamma", "StepLR", float)
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """Rates of the epoch `last_epoch`, one per group."""
        due = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return self._scaled(self.gamma if due else 1.0)

    def _get_closed_form_lr(self) -> list:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self._bases]


class LinearLR(LRScheduler):
    """Rates that grow or fall linearly for some epochs.

    Args:
        optimizer (:class:`mindspore.experimental.optim.Optimizer`): Whose rates are changed.
        start_factor (float): Factor of the first epoch. Default: ``1.0 / 3``.
        end_factor (float): Factor at the end. Default: ``1.0``.
        total_iters (int): Epochs until the end. Default: ``5``.
        last_epoch (int): Number of the epoch that was the last. Default: ``-1``.

    Raises:
        ValueError: A factor is out of range.

    Supported Platforms:
        ``CPU``
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

    def _factor(self, epoch: int) -> float:
        share = min(epoch, self.total_iters) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * share

    def get_lr(self) -> list:
        """Rates of the epoch `last_epoch`, one per group."""
        if self.last_epoch == 0:
            return self._scaled(self.start_factor)
        if self.last_epoch > self.total_iters:
            return self._now()
        return self._scaled(self._factor(self.last_epoch) / self._factor(self.last_epoch - 1))

    def _get_closed_form_lr(self) -> list:
        return [base * self._factor(self.last_epoch) for base in self._bases]


class ExponentialLR(LRScheduler):
    """Multiplies the rates by `gamma` every epoch.

    Args:
        optimizer (:class:`mindspore.experimental.optim.Optimizer`): Whose rates are changed.
        gamma (float): The factor.
        last_epoch (int): Number of the epoch that was the last. Default: ``-1``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, optimizer, gamma, last_epoch=-1):
        check_kind(gamma, "gamma", "ExponentialLR", float)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """Rates of the epoch `last_epoch`, one per group."""
        return self._now() if self.last_epoch == 0 else self._scaled(self.gamma)

    def _get_closed_form_lr(self) -> list:
        return [base * self.gamma**self.last_epoch for base in self._bases]


class PolynomialLR(LRScheduler):
    """Rates that fall to zero as a power of the epochs that are left.

    Args:
        optimizer (:class:`mindspore.experimental.optim.Optimizer`): Whose rates are changed.
        total_iters (int): Epochs until zero. Default: ``5``.
        power (float): The power. Default: ``1.0``.
        last_epoch (int): Number of the epoch that was the last. Default: ``-1``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        check_kind(power, "power", "PolynomialLR", float)
        check_kind(total_iters, "total_iters", "PolynomialLR", int)
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """Rates of the epoch `last_epoch`, one per group."""
        if self.last_epoch == 0 or self.last_epoch > self.total_iters:
            return self._now()
        left = 1.0 - self.last_epoch / self.total_iters
        before = 1.0 - (self.last_epoch - 1) / self.total_iters
        return self._scaled((left / before) ** self.power)

    def _get_closed_form_lr(self) -> list:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * left**self.power for base in self._bases]


class _FunctionLR(LRScheduler):
    """Rates from a function of the epoch, one for all groups or one per group."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
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


class LambdaLR(_FunctionLR):
    """Initial rates times a function of the epoch.

    Args:
        optimizer (:class:`mindspore.experimental.optim.Optimizer`): Whose rates are changed.
        lr_lambda (Union[Function, list]): Function of the epoch's number, or one per group.
        last_epoch (int): Number of the epoch that was the last. Default: ``-1``.

    Raises:
        ValueError: The number of functions is not that of the groups.

    Supported Platforms:
        ``CPU``
    """

    def get_lr(self) -> list:
        """Rates of the epoch `last_epoch`, one per group."""
        pairs = zip(self._bases, self.lr_lambdas, strict=True)
        return [base * float(function(self.last_epoch)) for base, function in pairs]


class MultiplicativeLR(_FunctionLR):
    """Rates multiplied, every epoch, by a function of it.

    Args:
        optimizer (:class:`mindspore.experimental.optim.Optimizer`): Whose rates are changed.
        lr_lambda (Union[Function, list]): Function of the epoch's number, or one per group.
        last_epoch (int): Number of the epoch that was the last. Default: ``-1``.

    Raises:
        ValueError: The number of functions is not that of the groups.

    Supported Platforms:
        ``CPU``
    """

    def get_lr(self) -> list:
        """Rates of the epoch `last_epoch`, one per group."""
        if self.last_epoch == 0:
            return self._now()
        pairs = zip(self._now(), self.lr_lambdas, strict=True)
        return [rate * float(function(self.last_epoch)) for rate, function in pairs]


class MultiStepLR(LRScheduler):
    """Multiplies the rates by `gamma` at certain epochs.

    Args:
        optimizer (:class:`mindspore.experimental.optim.Optimizer`): Whose rates are changed.
        milestones (list[int]): The epochs; one that is there twice counts twice.
        gamma (float): The factor. Default: ``0.1``.
        last_epoch (int): Number of the epoch that was the last. Default: ``-1``.

    Raises:
        TypeError: `milestones` is not a list of ints.

    Supported Platforms:
        ``CPU``
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
        """Rates of the epoch `last_epoch`, one per group."""
        return self._scaled(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self) -> list:
        passed = sum(count for epoch, count in self.milestones.items() if epoch <= self.last_epoch)
        return [base * self.gamma**passed for base in self._bases]


class ConstantLR(LRScheduler):
    """Rates times a factor for some epochs, then as they are.

    Args:
        optimizer (:class:`mindspore.experimental.optim.Optimizer`): Whose rates are changed.
        factor (float): The factor. Default: ``1.0 / 3``.
        total_iters (int): Number of epochs. Default: ``5``.
        last_epoch (int): Number of the epoch that was the last. Default: ``-1``.

    Raises:
        ValueError: `factor` is not between 0 and 1.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        if not 0.0 <= factor <= 1.0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """Rates of the epoch `last_epoch`, one per group."""
        if self.last_epoch == 0:
            return self._scaled(self.factor)
        return self._scaled(1.0 / self.factor) if self.last_epoch == self.total_iters else self._now()

    def _get_closed_form_lr(self) -> list:
        factor = self.factor if self.last_epoch < self.total_iters else 1.0
        return [base * factor for base in self._bases]
