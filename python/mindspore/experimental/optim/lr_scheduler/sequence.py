# SPDX-License-Identifier: Apache-2.0
"""Schedulers that follow other schedulers, or what training achieves."""

from __future__ import annotations

import math
from bisect import bisect_right

from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.experimental.optim.lr_scheduler.base import check_kind, check_optimizer


class SequentialLR:
    """One scheduler after the other.

    Args:
        optimizer (:class:`mindspore.experimental.optim.Optimizer`): Whose rates are changed.
        schedulers (list[LRScheduler]): The schedulers, all of this optimizer.
        milestones (list[int]): Epochs at which the next one takes over.
        last_epoch (int): Number of the epoch that was the last. Default: ``-1``.

    Raises:
        ValueError: A scheduler is of another optimizer, or the number of milestones does not fit.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        check_optimizer(optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number "
                f"of milestone points, but got number of schedulers {len(schedulers)} and the number of "
                f"milestones {len(milestones)}"
            )
        for i, scheduler in enumerate(schedulers):
            if scheduler.optimizer is not optimizer:
                raise ValueError(
                    "Sequential Schedulers expects all schedulers to belong to the same optimizer, but got "
                    f"schedulers at index {i} to be different than the optimizer passed in."
                )
        self.optimizer = optimizer
        self._schedulers, self._milestones = list(schedulers), list(milestones)
        self.last_epoch = last_epoch + 1
        for i, group in enumerate(optimizer.param_groups):
            group["lr"] = float(group["initial_lr"])
            optimizer._rate_of(i)
        for scheduler in self._schedulers:  # they took their first step when they were made
            scheduler.last_epoch -= 1
        self._schedulers[0].step()
        self._last_lr = schedulers[0].get_last_lr()

    def step(self) -> None:
        """Sets the rates of the next epoch."""
        self.last_epoch += 1
        place = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[place]
        if place > 0 and self._milestones[place - 1] == self.last_epoch:
            scheduler.step(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()

    def get_last_lr(self) -> list:
        """The rates that were set last.

        Returns:
            list[Tensor], one per group.
        """
        return self._last_lr


class ReduceLROnPlateau:
    """Multiplies the rates by a factor when a metric has stopped getting better.

    Args:
        optimizer (:class:`mindspore.experimental.optim.Optimizer`): Whose rates are changed.
        mode (str): ``"min"`` or ``"max"``: which metric is better. Default: ``"min"``.
        factor (float): The factor, less than 1. Default: ``0.1``.
        patience (int): Epochs without improvement that are waited. Default: ``10``.
        threshold (float): What counts as improvement. Default: ``1e-4``.
        threshold_mode (str): Whether `threshold` is a share of the best, ``"rel"``, or a difference,
            ``"abs"``. Default: ``"rel"``.
        cooldown (int): Epochs after a change in which nothing is counted. Default: ``0``.
        min_lr (Union[float, list]): Least rate, or one per group. Default: ``0``.
        eps (float): Changes that are not greater are left out. Default: ``1e-8``.

    Raises:
        ValueError: An argument is out of range, or the number of rates is not that of the groups.
        TypeError: `factor`, `patience` or another argument has the wrong type.

    Supported Platforms:
        ``CPU``
    """

    def __init__(
        self,
        optimizer,
        mode="min",
        factor=0.1,
        patience=10,
        threshold=1e-4,
        threshold_mode="rel",
        cooldown=0,
        min_lr=0,
        eps=1e-8,
    ):
        check_optimizer(optimizer)
        check_kind(factor, "factor", "ReduceLROnPlateau", (int, float))
        if factor >= 1.0:
            raise ValueError("The lr factor should be less than 1.0.")
        if mode not in ("min", "max"):
            raise ValueError(f"`mode` should be 'min' or 'max', but got {mode}.")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"`threshold mode` should be 'rel' or 'abs', but got {threshold_mode}.")
        for name, value in (("patience", patience), ("cooldown", cooldown)):
            check_kind(value, name, "ReduceLROnPlateau", int)
        self.optimizer, self.factor, self.patience = optimizer, factor, patience
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self.cooldown, self.cooldown_counter, self.num_bad_epochs = cooldown, 0, 0
        self.eps, self.last_epoch = eps, 0
        self.best = math.inf if mode == "min" else -math.inf
        groups = len(optimizer.param_groups)
        if isinstance(min_lr, (list, tuple)) and len(min_lr) != groups:
            raise ValueError(f"The length of 'min_lr' should be {groups}, but got {len(min_lr)}.")
        self.min_lrs = list(min_lr) if isinstance(min_lr, (list, tuple)) else [min_lr] * groups
        self._last_lr = [float(group["lr"]) for group in optimizer.param_groups]

    @property
    def in_cooldown(self) -> bool:
        """Whether the last change was so recently that nothing is counted."""
        return self.cooldown_counter > 0

    def _is_better(self, metric: float) -> bool:
        sign = -1 if self.mode == "min" else 1
        if self.threshold_mode == "rel":
            return metric * sign > self.best * (1 + sign * self.threshold) * sign
        return metric * sign > (self.best + sign * self.threshold) * sign

    def step(self, metrics) -> None:
        """Looks at a metric and changes the rates if it is time.

        Args:
            metrics (Union[int, float, Tensor]): The metric of an epoch.
        """
        metric = float(metrics)
        self.last_epoch += 1
        if self._is_better(metric):
            self.best, self.num_bad_epochs = metric, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = [float(group["lr"]) for group in self.optimizer.param_groups]

    def _reduce(self) -> None:
        for i, group in enumerate(self.optimizer.param_groups):
            now = float(group["lr"])
            wanted = max(now * self.factor, float(self.min_lrs[i]))
            if now - wanted > self.eps:
                group["lr"] = wanted
                self.optimizer._rate_of(i)

    def get_last_lr(self) -> list:
        """The rates that were set last.

        Returns:
            list[Tensor], one per group.
        """
        return [Tensor(rate, mstype.float32) for rate in self._last_lr]
