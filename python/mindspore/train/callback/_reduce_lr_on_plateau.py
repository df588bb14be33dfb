# SPDX-License-Identifier: Apache-2.0
"""Reduces the learning rate when training no longer helps."""

from __future__ import annotations

import numpy as np

from mindspore import _checkparam as check
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.train.callback._callback import CALLBACK, Callback
from mindspore.train.callback._lr_scheduler_callback import fixed_rate_of
from mindspore.train.callback._monitored_value import MonitoredValue


@CALLBACK
class ReduceLROnPlateau(Callback):
    """Reduces the learning rate when a loss or metric has not become better for some epochs.

    Args:
        monitor (str): ``"loss"`` (of training), ``"eval_loss"`` or the name of a metric.
            Default: ``"eval_loss"``.
        factor (float): By what the learning rate is multiplied, between 0 and 1. Default: ``0.1``.
        patience (int): Epochs without a better value after which it is reduced. Default: ``10``.
        verbose (bool): Prints what is done. Default: ``False``.
        mode (str): ``"min"``: smaller is better; ``"max"``: greater is; ``"auto"``: the name decides.
            Default: ``"auto"``.
        min_delta (float): What a value must differ by to be better. Default: ``1e-4``.
        cooldown (int): Epochs after a reduction in which nothing is counted. Default: ``0``.
        min_lr (float): The learning rate never goes below. Default: ``0``.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `mode` is unknown, `factor` is not between 0 and 1, or a number is negative.
    """

    def __init__(
        self,
        monitor="eval_loss",
        factor=0.1,
        patience=10,
        verbose=False,
        mode="auto",
        min_delta=1e-4,
        cooldown=0,
        min_lr=0,
    ):
        super().__init__()
        owner = type(self).__name__
        self._value = MonitoredValue(monitor, mode, min_delta, "Learning rate reduction", owner)
        self.monitor, self.min_delta, self.mode = monitor, min_delta, mode
        self.factor = check.check_float_range(factor, 0.0, 1.0, check.INC_NEITHER, "factor", owner)
        self.patience = check.check_non_negative_int(patience, "patience", owner)
        self.verbose = check.check_bool(verbose, "verbose", owner)
        self.cooldown = check.check_non_negative_int(cooldown, "cooldown", owner)
        self.min_lr = check.check_value_type("min_lr", min_lr, (float, int), owner)
        self._restart()

    def _restart(self) -> None:
        self.cooldown_counter = self.wait = 0
        self.best = self._value.worst

    def on_train_begin(self, run_context):
        """Forgets the run before."""
        self._restart()

    def on_train_epoch_end(self, run_context):
        """Looks at the value and reduces the learning rate if it has not become better for too long.

        Raises:
            ValueError: The learning rate of the optimizer is not one fixed number.
        """
        params = run_context.original_args()
        rate = fixed_rate_of(
            params, "ReduceLROnPlateau does not support dynamic learning rate and group learning rate now."
        )
        value = self._value.read(params)
        if value is None:
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self._value.is_better(value, self.best):
            self.best = value
            self.wait = 0
        elif self.cooldown_counter == 0:
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce(rate, params.cur_epoch_num)

    def _reduce(self, rate, epoch: int) -> None:
        old = rate.asnumpy().reshape(())[()]
        if old <= np.float32(self.min_lr):
            return
        new = np.maximum(old * np.float32(self.factor), np.float32(self.min_lr))
        rate.set_data(Tensor(new, mstype.float32).reshape(rate.shape))
        self.cooldown_counter = self.cooldown
        self.wait = 0
        if self.verbose:
            print(f"Epoch {epoch:05d}: ReduceLROnPlateau reducing learning rate to {new!s}.", flush=True)
