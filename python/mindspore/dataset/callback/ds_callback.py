# SPDX-License-Identifier: Apache-2.0
"""The classes users derive their callbacks from."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from mindspore.dataset.core import config
from mindspore.dataset.core.checks import INT32_MAX, check_int_range

try:  # training hands its callbacks events only when they are of its class
    from mindspore.train.callback import Callback as _TrainCallback
except ImportError:

    class _TrainCallback:
        """Stands in while there is nothing to train with."""


EVENTS = ("ds_begin", "ds_epoch_begin", "ds_epoch_end", "ds_step_begin", "ds_step_end")


class DSRunContext:
    """Where a pipeline is. Steps are rows; numbers start from 1 and are 0 before the first.

    Attributes:
        cur_epoch_num (int): Number of the epoch.
        cur_step_num_in_epoch (int): Number of the step within the epoch.
        cur_step_num (int): Number of the step since the iterator was made.
    """

    def __init__(self, cur_epoch_num: int, cur_step_num_in_epoch: int, cur_step_num: int) -> None:
        self.cur_epoch_num = cur_epoch_num
        self.cur_step_num_in_epoch = cur_step_num_in_epoch
        self.cur_step_num = cur_step_num


class DSCallback:
    """Base of callbacks of a map. Override the methods of the events you want.

    Args:
        step_size (int): Steps between two step events: they come for steps 1, 1 + step_size, and so on.

    Examples:
        >>> import mindspore.dataset as ds
        >>> class PrintEpochs(ds.DSCallback):
        ...     def ds_epoch_begin(self, ds_run_context):
        ...         print("epoch", ds_run_context.cur_epoch_num)
        >>> data = ds.NumpySlicesDataset([1, 2], shuffle=False)
        >>> data = data.map(lambda x: x, callbacks=PrintEpochs())
        >>> rows = list(data.create_tuple_iterator(num_epochs=1))
        epoch 1
    """

    def __init__(self, step_size: int = 1) -> None:
        check_int_range(step_size, 1, INT32_MAX, "step_size")
        self.step_size = step_size

    def ds_begin(self, ds_run_context: DSRunContext) -> None:
        """Before the first row of the first epoch."""

    def ds_epoch_begin(self, ds_run_context: DSRunContext) -> None:
        """Before the first row of an epoch."""

    def ds_epoch_end(self, ds_run_context: DSRunContext) -> None:
        """After the last row of an epoch."""

    def ds_step_begin(self, ds_run_context: DSRunContext) -> None:
        """Before a row enters the map."""

    def ds_step_end(self, ds_run_context: DSRunContext) -> None:
        """After a row left the map."""

    def create_runtime_obj(self) -> dict[str, Callable[[DSRunContext], None]]:
        """The events this callback wants.

        Raises:
            AttributeError: No method is overridden.
        """
        wanted = {name: getattr(self, name) for name in EVENTS if self._wants(name)}
        if not wanted:
            raise AttributeError(
                "Inheriting Callback class without overriding any methods, check the usage of user defined "
                "Callback."
            )
        return wanted

    def _wants(self, event: str) -> bool:
        return getattr(type(self), event) is not getattr(DSCallback, event)


class WaitedDSCallback(_TrainCallback, DSCallback):
    """A callback that waits for training: give the object to the map and to the model.

    Args:
        step_size (int): Rows per training step, as a rule the batch size.

    Examples:
        >>> import mindspore.dataset as ds
        >>> class FollowTraining(ds.WaitedDSCallback):
        ...     def sync_epoch_begin(self, train_run_context, ds_run_context):
        ...         print("training has done epoch", ds_run_context.cur_epoch_num - 1)
    """

    def __init__(self, step_size: int = 1) -> None:
        super().__init__()
        DSCallback.__init__(self, step_size)
        self._changed = threading.Condition()  # guards what follows
        self._trained_steps = 0
        self._trained_epochs = 0
        self._ended = False  # training is over, or the pipeline is being stopped
        self._train_run_context: Any = None

    def sync_epoch_begin(self, train_run_context: Any, ds_run_context: DSRunContext) -> None:
        """Before every epoch but the first, after training has ended the epoch in front of it."""

    def sync_step_begin(self, train_run_context: Any, ds_run_context: DSRunContext) -> None:
        """Before every step but the first, after training has ended the step in front of it."""

    # What training reports.

    def step_end(self, run_context: Any) -> None:
        """Training has ended a step."""
        with self._changed:
            self._train_run_context = run_context
            self._trained_steps += 1
            self._changed.notify_all()

    def epoch_end(self, run_context: Any) -> None:
        """Training has ended an epoch."""
        with self._changed:
            self._train_run_context = run_context
            self._trained_epochs += 1
            self._changed.notify_all()

    def end(self, run_context: Any) -> None:
        """Training has ended: nothing waits any more."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _restart(self) -> None:
        """A new pipeline begins: training counts from the start."""
        with self._changed:
            self._trained_steps = self._trained_epochs = 0
            self._ended = False

    def _release(self) -> None:
        """The pipeline is being stopped."""
        self.end(None)

    # What the pipeline reports.

    def ds_epoch_begin(self, ds_run_context: DSRunContext) -> None:
        """Waits for training, then calls `sync_epoch_begin`."""
        epochs = ds_run_context.cur_epoch_num - 1
        if epochs > 0:
            self._wait("ds_epoch_begin", lambda: self._trained_epochs >= epochs)
            self.sync_epoch_begin(self._train_run_context, ds_run_context)

    def ds_step_begin(self, ds_run_context: DSRunContext) -> None:
        """Waits for training, then calls `sync_step_begin`."""
        steps = (ds_run_context.cur_step_num - 1) // self.step_size
        if steps > 0:
            self._wait("ds_step_begin", lambda: self._trained_steps >= steps)
            self.sync_step_begin(self._train_run_context, ds_run_context)

    def _wait(self, event: str, reached: Callable[[], bool]) -> None:
        seconds = config.get_callback_timeout()
        with self._changed:
            if not self._changed.wait_for(lambda: self._ended or reached(), timeout=seconds):
                raise RuntimeError(
                    f"{event} timed out after {seconds} second(s). Training did not report the end of the "
                    f"step or epoch in front of it: was this callback given to the model, and is 'step_size' "
                    f"(now {self.step_size}) the number of rows per training step?"
                )

    def _wants(self, event: str) -> bool:
        waits = {"ds_epoch_begin": "sync_epoch_begin", "ds_step_begin": "sync_step_begin"}
        method = waits.get(event)
        if method is not None and getattr(type(self), event) is getattr(WaitedDSCallback, event):
            return getattr(type(self), method) is not getattr(WaitedDSCallback, method)
        return super()._wants(event)
