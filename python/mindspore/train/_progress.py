# SPDX-License-Identifier: Apache-2.0
"""Shows how far a training is: a bar on a terminal, nothing where somebody prints losses already."""

from __future__ import annotations

import sys
import time

from mindspore.common.tensor import Tensor

_WIDTH = 24
_SECONDS_BETWEEN = 0.2
_LINES_BETWEEN = 60.0  # seconds, where there is no terminal


class Progress:
    """One line that is written anew as steps go by.

    Args:
        steps (int): Steps of an epoch.
        epochs (int): The last epoch.
        callbacks (list): Those of the training; one that prints losses makes the bar needless.
    """

    def __init__(self, steps: int, epochs: int, callbacks: list):
        self._steps, self._epochs = max(steps, 1), epochs
        self._done, self._shown = 0, False
        self._next = time.monotonic() + (_SECONDS_BETWEEN if sys.stderr.isatty() else _LINES_BETWEEN)
        self._terminal = sys.stderr.isatty()
        self._silent = any(type(callback).__name__ == "LossMonitor" for callback in callbacks)
        self._begin = time.monotonic()

    def update(self, step: int, outputs) -> None:
        """`step` steps are done, counted over all epochs; `outputs` is what the last one returned."""
        self._done = step
        if self._silent or time.monotonic() < self._next:
            return
        self._show(outputs)

    def _show(self, outputs) -> None:
        now = time.monotonic()
        self._next = now + (_SECONDS_BETWEEN if self._terminal else _LINES_BETWEEN)
        epoch, step = divmod(self._done - 1, self._steps)
        rate = self._done / max(now - self._begin, 1e-9)
        text = f"epoch {epoch + 1}/{self._epochs} step {step + 1}/{self._steps} {rate:.1f} steps/s"
        loss = _loss_text(outputs)
        if self._terminal:
            filled = _WIDTH * (step + 1) // self._steps
            sys.stderr.write(f"\r[{'=' * filled}{' ' * (_WIDTH - filled)}] {text}{loss}\x1b[K")
            self._shown = True
        else:
            sys.stderr.write(f"{text}{loss}\n")
        sys.stderr.flush()

    def close(self) -> None:
        """Leaves the line behind."""
        if self._shown:
            sys.stderr.write("\n")
            sys.stderr.flush()
            self._shown = False


def _loss_text(outputs) -> str:
    loss = outputs[0] if isinstance(outputs, (tuple, list)) and outputs else outputs
    if isinstance(loss, Tensor) and loss.size:
        return f" loss {float(loss.asnumpy().mean()):.4f}"
    return ""
