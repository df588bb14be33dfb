# SPDX-License-Identifier: Apache-2.0
"""Schedulers that follow other schedulers, or what training achieves."""

from __future__ import annotations

import math
from bisect import bisect_right

from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.experimental.optim.lr_scheduler.scheduler import (
    SCHEDULER,
    check_kind,
    check_optimizer,
    set_rates,
    state,
)
from mindspore.ops._registry import op


@SCHEDULER
class SequentialLR:
    """One scheduler after the other.

    Args:
        schedulers (list[LRScheduler]): The schedulers, all of this optimizer.
        milestones (list[int]): Epochs at which the next one takes over.

    Raises:
        ValueError: A scheduler is of another optimizer, or the number of milestones does not fit.
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
        self.last_epoch = state(last_epoch + 1, "last_epoch_SequentialLR")
        set_rates(optimizer, [group["initial_lr"] for group in optimizer.param_groups])
        for scheduler in self._schedulers:  # they took their first step when they were made
            op.assign_add(scheduler.last_epoch, -1.0)
        self._schedulers[0].step()

    def step(self) -> None:
        """Sets the rates of the next epoch."""
        op.assign_add(self.last_epoch, 1.0)
        epoch = int(self.last_epoch)
        place = bisect_right(self._milestones, epoch)
        scheduler = self._schedulers[place]
        if place > 0 and self._milestones[place - 1] == epoch:
            scheduler.step(0)
        else:
            scheduler.step()

    def get_last_lr(self) -> list:
        """The rates that were set last.

        Returns:
            list[Tensor], one per group.
        """
        return [op.copy(self.optimizer._rate_of(i)) for i in range(len(self.optimizer.param_groups))]


@SCHEDULER
class ReduceLROnPlateau:
    """Multiplies the rates by a factor when a metric has stopped getting better.

    Args:
        mode (str): ``"min"`` or ``"max"``: which metric is better.
        factor (float): The factor, less than 1.
        patience (int): Epochs without improvement that are waited.
        threshold (float): What counts as improvement.
        threshold_mode (str): Whether `threshold` is a share of the best, ``"rel"``, or a difference,
            ``"abs"``.
        cooldown (int): Epochs after a change in which nothing is counted.
        min_lr (Union[float, list]): Least rate, or one per group.
        eps (float): Changes that are not greater are left out.

    Raises:
        ValueError: An argument is out of range, or the number of rates is not that of the groups.
        TypeError: `factor`, `patience` or another argument has the wrong type.
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
        self.cooldown, self.eps = cooldown, eps
        self.cooldown_counter = state(0, "cooldown_counter")
        self.num_bad_epochs = state(0, "num_bad_epochs")
        self.last_epoch = state(0, "last_epoch_ReduceLROnPlateau")
        self.best = state(math.inf if mode == "min" else -math.inf, "best")
        groups = len(optimizer.param_groups)
        if isinstance(min_lr, (list, tuple)) and len(min_lr) != groups:
            raise ValueError(f"The length of 'min_lr' should be {groups}, but got {len(min_lr)}.")
        self.min_lrs = list(min_lr) if isinstance(min_lr, (list, tuple)) else [min_lr] * groups

    def in_cooldown(self) -> bool:
        """Whether the last change was so recently that nothing is counted.

        Returns:
            bool.
        """
        return bool(op.greater(self.cooldown_counter, 0.0))

    def _is_better(self, metric):
        sign = -1.0 if self.mode == "min" else 1.0
        bar = (
            self.best * (1.0 + sign * self.threshold)
            if self.threshold_mode == "rel"
            else (self.best + sign * self.threshold)
        )
        return op.greater(metric * sign, bar * sign)

    def step(self, metrics) -> None:
        """Looks at a metric and changes the rates if it is time.

        Args:
            metrics (Union[int, float, Tensor]): The metric of an epoch.
        """
        metric = metrics if isinstance(metrics, Tensor) else Tensor(float(metrics), mstype.float32)
        metric = op.reshape(op.cast(metric, mstype.float32), ())
        op.assign_add(self.last_epoch, 1.0)
        better = self._is_better(metric)
        resting = op.greater(self.cooldown_counter, 0.0)
        bad = op.where(op.logical_or(better, resting), 0.0, self.num_bad_epochs + 1.0)
        due = op.greater(bad, float(self.patience))
        op.assign(self.best, op.where(better, metric, self.best))
        rest = op.where(due, float(self.cooldown), op.maximum(self.cooldown_counter - 1.0, 0.0))
        op.assign(self.cooldown_counter, rest)
        op.assign(self.num_bad_epochs, op.where(due, 0.0, bad))
        self._reduce(due)

    def _reduce(self, due) -> None:
        rates = []
        for i, least in enumerate(self.min_lrs):
            now = self.optimizer._rate_of(i)
            wanted = op.maximum(now * self.factor, float(least))
            changes = op.logical_and(due, op.greater(now - wanted, self.eps))
            rates.append(op.where(changes, wanted, now))
        set_rates(self.optimizer, rates)

    def get_last_lr(self) -> list:
        """The rates that were set last.

        Returns:
            list[Tensor], one per group.
        """
        return [op.copy(self.optimizer._rate_of(i)) for i in range(len(self.min_lrs))]
