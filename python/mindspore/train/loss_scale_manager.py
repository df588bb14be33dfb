# SPDX-License-Identifier: Apache-2.0
"""Managers of the factor a loss is multiplied with so that small types can hold its gradients."""

from __future__ import annotations

from mindspore import nn

_MOST_OVERFLOWS = 1000


def _checked_factor(value, name: str, owner: str, low, words: str):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"For '{owner}', the argument '{name}' must be a number, but got {type(value)}.")
    if value < low or (low == 0 and value == 0):
        raise ValueError(f"For '{owner}', the argument '{name}' must be {words}, but got {value}.")
    return value


class LossScaleManager:
    """Base of loss scale managers; a subclass defines all three methods."""

    def get_loss_scale(self):
        """The scale."""

    def update_loss_scale(self, overflow):
        """Changes the scale after a step.

        Args:
            overflow (bool): Whether a gradient of the step was not finite.
        """

    def get_update_cell(self):
        """Cell that changes the scale inside the training step, or None."""


class FixedLossScaleManager(LossScaleManager):
    """A scale that stays.

    Args:
        loss_scale (float): The scale, at least 1. Where overflow is not looked for, the optimizer must be
            given the same `loss_scale`. Default: ``128.0``.
        drop_overflow_update (bool): Steps with overflow are skipped. Default: ``True``.

    Raises:
        ValueError: `loss_scale` is less than 1.

    Examples:
        >>> from mindspore import amp
        >>> amp.FixedLossScaleManager(drop_overflow_update=False).get_loss_scale()
        128.0
    """

    def __init__(self, loss_scale=128.0, drop_overflow_update=True):
        self._loss_scale = _checked_factor(loss_scale, "loss_scale", type(self).__name__, 1, ">= 1")
        self._drop_overflow_update = drop_overflow_update

    def get_loss_scale(self):
        """The scale."""
        return self._loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Whether steps with overflow are skipped."""
        return self._drop_overflow_update

    def update_loss_scale(self, overflow) -> None:
        """Nothing changes."""

    def get_update_cell(self):
        """Cell that keeps the scale, or None when overflow is not looked for."""
        return nn.FixedLossScaleUpdateCell(self._loss_scale) if self._drop_overflow_update else None


class DynamicLossScaleManager(LossScaleManager):
    """A scale that falls on overflow and grows after a while without.

    Args:
        init_loss_scale (float): Initial scale. Default: ``2**24``.
        scale_factor (int): Factor of the changes. Default: ``2``.
        scale_window (int): Steps without overflow before the scale grows. Default: ``2000``.

    Raises:
        ValueError: `init_loss_scale` is less than 1, or one of the others is not positive.
    """

    def __init__(self, init_loss_scale=2**24, scale_factor=2, scale_window=2000):
        owner = type(self).__name__
        self.loss_scale = _checked_factor(init_loss_scale, "init_loss_scale", owner, 1, "> 1")
        self.scale_factor = _checked_factor(scale_factor, "scale_factor", owner, 0, "> 0")
        self.scale_window = _checked_factor(scale_window, "scale_window", owner, 0, "> 0")
        self.increase_ratio, self.decrease_ratio = scale_factor, 1 / scale_factor
        self.cur_iter, self.last_overflow_iter, self.bad_step = 1, 0, 0
        self.bad_step_max = _MOST_OVERFLOWS

    def get_loss_scale(self):
        """The scale."""
        return self.loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Steps with overflow are skipped."""
        return True

    def update_loss_scale(self, overflow) -> None:
        """Changes the scale by whether there was an overflow.

        Args:
            overflow (bool): Whether a gradient of the step was not finite.

        Raises:
            RuntimeError: More than a thousand steps in a row overflowed.
        """
        if overflow:
            self.loss_scale = max(self.loss_scale * self.decrease_ratio, 1)
            self.last_overflow_iter = self.cur_iter
            self.bad_step += 1
            if self.bad_step > self.bad_step_max:
                raise RuntimeError("Dynamic loss scale Continuous overflow", self.bad_step, "times")
        else:
            self.bad_step = 0
            if (self.cur_iter - self.last_overflow_iter) % self.scale_window == 0:
                self.loss_scale *= self.increase_ratio
        self.cur_iter += 1

    def get_update_cell(self):
        """Cell that changes the scale inside the training step."""
        return nn.DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)


__all__ = ["DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager"]
