# SPDX-License-Identifier: Apache-2.0
"""Schedulers whose rates come and go."""

from __future__ import annotations

import math

from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.experimental.optim.lr_scheduler.scheduler import (
    SCHEDULER,
    LRScheduler,
    check_kind,
    check_optimizer,
    set_rates,
    state,
)
from mindspore.ops._registry import op


@SCHEDULER
class CosineAnnealingLR(LRScheduler):
    """Rates that follow a cosine down to `eta_min`, and up again.

    Args:
        T_max (int): Epochs of half a period.
        eta_min (float): Least rate.
    """

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):  # noqa: N803
        check_kind(T_max, "T_max", "CosineAnnealingLR", int)
        check_kind(eta_min, "eta_min", "CosineAnnealingLR", (float, int))
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        epoch, least = self.last_epoch, self.eta_min
        first = op.equal(epoch, 0.0)
        # The epoch after the lowest point cannot follow from it.
        periods = (epoch - 1.0 - self.T_max) / (2 * self.T_max)
        after_lowest = op.equal(op.floor(periods), periods)
        rise = (1 - math.cos(math.pi / self.T_max)) / 2
        height = 1.0 + op.cos(math.pi / self.T_max * epoch)
        before = 1.0 + op.cos(math.pi / self.T_max * (epoch - 1.0))
        change = height / op.where(after_lowest, 1.0, before)
        rates = []
        for rate, base in zip(self._now(), self.base_lrs, strict=True):
            later = op.where(after_lowest, rate + (base - least) * rise, change * (rate - least) + least)
            rates.append(op.where(first, rate, later))
        return rates

    def _get_closed_form_lr(self) -> list:
        share = (1.0 + op.cos(math.pi / self.T_max * self.last_epoch)) / 2.0
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]


@SCHEDULER
class CosineAnnealingWarmRestarts(LRScheduler):
    """Rates that follow a cosine down to `eta_min` and begin anew, each time `T_mult` times as long.

    Args:
        T_0 (int): Epochs until the first restart.
        T_mult (int): Factor of the length.
        eta_min (Union[float, int]): Least rate.

    Raises:
        ValueError: `T_0` or `T_mult` is not a positive int.
    """

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0, last_epoch=-1):  # noqa: N803
        if isinstance(T_0, bool) or not isinstance(T_0, int) or T_0 <= 0:
            raise ValueError(f"T_0 should be an integer and equal or greater than 0, but got {T_0}")
        if isinstance(T_mult, bool) or not isinstance(T_mult, int) or T_mult < 1:
            raise ValueError(f"T_mult should be an integer and equal or greater than 1, but got {T_mult}")
        if isinstance(eta_min, bool) or not isinstance(eta_min, (int, float)):
            raise TypeError(
                f"For 'CosineAnnealingWarmRestarts', the 'eta_min' must be a number, got {eta_min}."
            )
        self.T_0, self.T_mult, self.eta_min = T_0, T_mult, eta_min
        self.T_i, self.T_cur = state(T_0, "T_i"), state(last_epoch, "T_cur")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        share = (1.0 + op.cos(math.pi * self.T_cur / self.T_i)) / 2.0
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]

    def _restarts(self, epoch):
        """How often the rates have begun anew."""
        periods = epoch / self.T_0
        if self.T_mult == 1:
            return op.floor(periods)
        # Epochs are far coarser than the rounding of the logarithm.
        return op.floor(op.log(periods * (self.T_mult - 1) + 1.0) / math.log(self.T_mult) + 1e-5)

    def step(self, epoch=None) -> None:
        """Sets the rates of the next epoch.

        Args:
            epoch (Union[int, float]): Number of the epoch, which may be a part of one. Default: ``None``.
        """
        if epoch is None:
            epoch = self.last_epoch + 1.0
        elif epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        else:
            epoch = Tensor(float(epoch), mstype.float32)
        restarts = self._restarts(epoch)
        growth = op.pow(float(self.T_mult), restarts)
        passed = restarts if self.T_mult == 1 else (growth - 1.0) / (self.T_mult - 1)
        op.assign(self.T_cur, epoch - passed * self.T_0)
        op.assign(self.T_i, growth * self.T_0)
        op.assign(self.last_epoch, op.floor(epoch))
        set_rates(self.optimizer, self.get_lr())


@SCHEDULER
class CyclicLR(LRScheduler):
    """Rates that go up from `base_lr` to `max_lr` and down again.

    Args:
        base_lr (Union[float, list]): Least rate, or one per group.
        max_lr (Union[float, list]): Greatest rate, or one per group.
        step_size_up (int): Epochs of the rise.
        step_size_down (int): Epochs of the fall; None: as many.
        mode (str): ``"triangular"``, ``"triangular2"``, whose cycles halve, or ``"exp_range"``, whose height
            falls by `gamma` with every epoch.
        gamma (float): See `mode`.
        scale_fn (Function): Height of a cycle or epoch, instead of a mode.
        scale_mode (str): Whether `scale_fn` is given the ``"cycle"`` or the epoch, ``"iterations"``.

    Raises:
        ValueError: `mode` is not known, or the number of rates is not that of the groups.
    """

    def __init__(
        self,
        optimizer,
        base_lr,
        max_lr,
        step_size_up=2000,
        step_size_down=None,
        mode="triangular",
        gamma=1.0,
        scale_fn=None,
        scale_mode="cycle",
        last_epoch=-1,
    ):
        check_optimizer(optimizer)
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        groups = len(optimizer.param_groups)
        self._least = self._per_group(base_lr, "base_lr", groups)
        self.max_lrs = self._per_group(max_lr, "max_lr", groups)
        down = step_size_up if step_size_down is None else step_size_down
        self.total_step_size = float(step_size_up) + float(down)
        self.step_up_ratio = float(step_size_up) / self.total_step_size
        self.mode, self.gamma, self.scale_mode = mode, gamma, scale_mode
        if scale_fn is None and mode == "exp_range":
            self.scale_mode = "iterations"
        self._own_scale = scale_fn
        if last_epoch == -1:
            set_rates(optimizer, self._least)
        super().__init__(optimizer, last_epoch)

    @staticmethod
    def _per_group(rate, name: str, groups: int) -> list:
        if not isinstance(rate, (list, tuple)):
            return [float(rate)] * groups
        if len(rate) != groups:
            raise ValueError(f"For 'CyclicLR', '{name}' must have {groups} rates, but got {len(rate)}.")
        return [float(one) for one in rate]

    def scale_fn(self, x):
        """Height of a cycle, or of an epoch.

        Args:
            x (Tensor): Number of the cycle, from 1, or of the epoch.
        """
        if self._own_scale is not None:
            return self._own_scale(x)
        if self.mode == "triangular":
            return 1.0
        return 1.0 / 2.0 ** (x - 1.0) if self.mode == "triangular2" else self.gamma**x

    def get_lr(self) -> list:
        up = self.step_up_ratio
        cycle = op.floor(1.0 + self.last_epoch / self.total_step_size)
        x = 1.0 + self.last_epoch / self.total_step_size - cycle
        share = op.where(op.less_equal(x, up), x / up, (x - 1.0) / (up - 1.0) if up < 1 else 0.0)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        pairs = zip(self._least, self.max_lrs, strict=True)
        return [least + (most - least) * share * scale for least, most in pairs]
