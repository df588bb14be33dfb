# SPDX-License-Identifier: Apache-2.0
"""Schedulers whose rates come and go."""

from __future__ import annotations

import math

from mindspore.experimental.optim.lr_scheduler.base import LRScheduler, check_kind, check_optimizer


class CosineAnnealingLR(LRScheduler):
    """Rates that follow a cosine down to `eta_min`, and up again.

    Args:
        optimizer (:class:`mindspore.experimental.optim.Optimizer`): Whose rates are changed.
        T_max (int): Epochs of half a period.
        eta_min (float): Least rate. Default: ``0.0``.
        last_epoch (int): Number of the epoch that was the last. Default: ``-1``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):  # noqa: N803
        check_kind(T_max, "T_max", "CosineAnnealingLR", int)
        check_kind(eta_min, "eta_min", "CosineAnnealingLR", (float, int))
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """Rates of the epoch `last_epoch`, one per group."""
        if self.last_epoch == 0:
            return self._now()
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            pairs = zip(self._now(), self._bases, strict=True)
            return [rate + (base - self.eta_min) * rise for rate, base in pairs]
        now = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        before = 1 + math.cos(math.pi * (self.last_epoch - 1) / self.T_max)
        return [now / before * (rate - self.eta_min) + self.eta_min for rate in self._now()]

    def _get_closed_form_lr(self) -> list:
        share = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self._bases]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Rates that follow a cosine down to `eta_min` and begin anew, each time `T_mult` times as long.

    Args:
        optimizer (:class:`mindspore.experimental.optim.Optimizer`): Whose rates are changed.
        T_0 (int): Epochs until the first restart.
        T_mult (int): Factor of the length. Default: ``1``.
        eta_min (Union[float, int]): Least rate. Default: ``0``.
        last_epoch (int): Number of the epoch that was the last. Default: ``-1``.

    Raises:
        ValueError: `T_0` or `T_mult` is not a positive int.

    Supported Platforms:
        ``CPU``
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
        self.T_i, self.T_cur = T_0, last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """Rates of the epoch `last_epoch`, one per group."""
        share = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self._bases]

    def step(self, epoch=None) -> None:
        """Sets the rates of the next epoch.

        Args:
            epoch (Union[int, float]): Number of the epoch, which may be a part of one. Default: ``None``.
        """
        if epoch is None:
            epoch = self.last_epoch + 1
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        self.T_i, self.T_cur = self.T_0, epoch
        while self.T_cur >= self.T_i:
            self.T_cur -= self.T_i
            self.T_i *= self.T_mult
            if self.T_mult == 1:
                self.T_cur %= self.T_i
        self.last_epoch = math.floor(epoch)
        self._set(self.get_lr())


class CyclicLR(LRScheduler):
    """Rates that go up from `base_lr` to `max_lr` and down again.

    Args:
        optimizer (:class:`mindspore.experimental.optim.Optimizer`): Whose rates are changed.
        base_lr (Union[float, list]): Least rate, or one per group.
        max_lr (Union[float, list]): Greatest rate, or one per group.
        step_size_up (int): Epochs of the rise. Default: ``2000``.
        step_size_down (int): Epochs of the fall; None: as many. Default: ``None``.
        mode (str): ``"triangular"``, ``"triangular2"``, whose cycles halve, or ``"exp_range"``, whose height
            falls by `gamma` with every epoch. Default: ``"triangular"``.
        gamma (float): See `mode`. Default: ``1.0``.
        scale_fn (Function): Height of a cycle or epoch, instead of a mode. Default: ``None``.
        scale_mode (str): Whether `scale_fn` is given the ``"cycle"`` or the epoch, ``"iterations"``.
            Default: ``"cycle"``.
        last_epoch (int): Number of the epoch that was the last. Default: ``-1``.

    Raises:
        ValueError: `mode` is not known, or the number of rates is not that of the groups.

    Supported Platforms:
        ``CPU``
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
            for i, rate in enumerate(self._least):
                optimizer.param_groups[i]["lr"] = rate
                optimizer._rate_of(i)
        super().__init__(optimizer, last_epoch)

    @staticmethod
    def _per_group(rate, name: str, groups: int) -> list:
        if not isinstance(rate, (list, tuple)):
            return [float(rate)] * groups
        if len(rate) != groups:
            raise ValueError(f"For 'CyclicLR', '{name}' must have {groups} rates, but got {len(rate)}.")
        return [float(one) for one in rate]

    def scale_fn(self, x) -> float:
        """Height of a cycle, or of an epoch.

        Args:
            x (Union[int, float]): Number of the cycle, from 1, or of the epoch.
        """
        if self._own_scale is not None:
            return float(self._own_scale(x))
        return {"triangular": 1.0, "triangular2": 1 / 2 ** (x - 1), "exp_range": self.gamma**x}[self.mode]

    def get_lr(self) -> list:
        """Rates of the epoch `last_epoch`, one per group."""
        cycle = math.floor(1 + self.last_epoch / self.total_step_size)
        x = 1 + self.last_epoch / self.total_step_size - cycle
        share = x / self.step_up_ratio if x <= self.step_up_ratio else (x - 1) / (self.step_up_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        pairs = zip(self._least, self.max_lrs, strict=True)
        return [least + (most - least) * share * scale for least, most in pairs]
