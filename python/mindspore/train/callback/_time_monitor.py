# SPDX-License-Identifier: Apache-2.0
"""Prints how long an epoch and its steps took."""

from __future__ import annotations

import time

from mindspore import _checkparam as check
from mindspore.train.callback._callback import CALLBACK, Callback


@CALLBACK
class TimeMonitor(Callback):
    """Prints the time of an epoch and of a step.

    Args:
        data_size (int): Steps per print where the run does not say how many there are. Default: ``None``.
        data_time (bool): Also prints how long a step waited for its data, on average. Default: ``False``.

    Raises:
        TypeError: `data_time` is not a bool.
    """

    # Subclasses of old scripts replace the constructor and the hooks of an epoch, and know nothing of steps.
    data_size: int | None = None
    data_time = False
    _waiting_since = _waited = 0.0

    def __init__(self, data_size=None, data_time=False):
        super().__init__()
        self.data_size = data_size
        self.data_time = check.check_bool(data_time, "data_time", type(self).__name__)
        self._started = time.perf_counter()

    def epoch_begin(self, run_context):
        """Notes the time."""
        self._started = self._waiting_since = time.perf_counter()
        self._waited = 0.0

    def epoch_end(self, run_context):
        """Prints the time that has passed."""
        params = run_context.original_args()
        milliseconds = (time.perf_counter() - self._started) * 1000
        steps = params.get("batch_num")
        if not isinstance(steps, int):
            steps = self.data_size
        check.check_positive_int(steps, "data_size", type(self).__name__)
        line = (
            f"{params.get('mode', '').title()} epoch time: {milliseconds:5.3f} ms, "
            f"per step time: {milliseconds / steps:5.3f} ms"
        )
        if self.data_time:
            line += f" (data time: {self._waited * 1000 / steps:5.3f} ms)"
        print(line, flush=True)

    def on_train_step_begin(self, run_context):
        """Notes that the data of the step has come."""
        self._waited += time.perf_counter() - self._waiting_since

    def on_train_step_end(self, run_context):
        """Notes that the run turns to the next data."""
        self._waiting_since = time.perf_counter()

    on_eval_step_begin = on_train_step_begin
    on_eval_step_end = on_train_step_end
