# SPDX-License-Identifier: Apache-2.0
"""Stages around a map that report its rows to callbacks."""

from __future__ import annotations

from typing import Any

from mindspore import _c_data

from .ds_callback import DSRunContext, WaitedDSCallback

_STEP_EVENTS = ("ds_step_begin", "ds_step_end")


class CallbackWatch:
    """The callbacks of one map in one running pipeline."""

    def __init__(self, callbacks: list) -> None:
        self._callbacks = [(callback, callback.create_runtime_obj()) for callback in callbacks]
        self._waiting = [callback for callback in callbacks if isinstance(callback, WaitedDSCallback)]
        for callback in self._waiting:
            callback._restart()

    def in_front(self, stage: Any) -> Any:
        """The stage whose rows go into the map."""
        return _c_data.watch_begins(stage, self._tell, self._wants("ds_step_begin"), bool(self._waiting))

    def behind(self, stage: Any) -> Any:
        """The stage of the map."""
        if not (self._wants("ds_step_end") or self._wants("ds_epoch_end")):
            return stage
        return _c_data.watch_ends(stage, self._tell, self._wants("ds_step_end"), bool(self._waiting))

    def close(self) -> None:
        """The pipeline ends: nothing waits for training any more."""
        for callback in self._waiting:
            callback._release()

    def _wants(self, event: str) -> bool:
        return any(event in wanted for _, wanted in self._callbacks)

    def _tell(self, event: str, epoch: int, step_in_epoch: int, step: int) -> None:
        for callback, wanted in self._callbacks:
            due = event not in _STEP_EVENTS or (step_in_epoch - 1) % callback.step_size == 0
            if event in wanted and due:
                wanted[event](DSRunContext(epoch, step_in_epoch, step))
