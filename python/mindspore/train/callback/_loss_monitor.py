# SPDX-License-Identifier: Apache-2.0
"""Prints the loss while a network is trained."""

from __future__ import annotations

import math

from mindspore import _checkparam as check
from mindspore.train.callback._callback import CALLBACK, Callback, _handle_loss


@CALLBACK
class LossMonitor(Callback):
    """Prints the loss, and ends training when it is no longer a finite number.

    Args:
        per_print_times (int): Steps between two lines, ``0`` for none. Default: ``1``.

    Raises:
        TypeError: `per_print_times` is not an int.
        ValueError: `per_print_times` is negative.
    """

    def __init__(self, per_print_times=1):
        super().__init__()
        self._per_print_times = check.check_non_negative_int(
            per_print_times, "per_print_times", type(self).__name__
        )
        self._last_print_time = 0

    def step_end(self, run_context):
        """Prints the loss of the step if it is due.

        Raises:
            ValueError: The loss is not finite.
        """
        params = run_context.original_args()
        epoch = params.get("cur_epoch_num", 1)
        step = (params.cur_step_num - 1) % params.batch_num + 1
        loss = _handle_loss(params.net_outputs)
        if isinstance(loss, float) and not math.isfinite(loss):
            raise ValueError(
                f"In epoch: {epoch} step: {step}, loss is NAN or INF, training process cannot continue, "
                "terminating training."
            )
        if self._per_print_times == 0:
            return
        if params.cur_step_num <= self._last_print_time:  # another run, or one that was set back
            self._last_print_time = 0
        if params.cur_step_num - self._last_print_time >= self._per_print_times:
            self._last_print_time = params.cur_step_num
            print(f"epoch: {epoch} step: {step}, loss is {loss}", flush=True)

    def on_train_epoch_end(self, run_context):
        """Prints what the evaluation of the epoch gave, if there was one."""
        params = run_context.original_args()
        metrics = params.get("metrics")
        if metrics:
            print(f"Eval result: epoch {params.cur_epoch_num}, metrics: {metrics}")
