# SPDX-License-Identifier: Apache-2.0
"""Who makes loops on this thread while a network is written down, for what runs loops that are no code."""

from __future__ import annotations

import contextlib
from contextvars import ContextVar

_runner: ContextVar = ContextVar("loop runner", default=None)


def current_runner():
    """The `LoopRunner` at work, or None."""
    return _runner.get()


@contextlib.contextmanager
def working(runner):
    """It is at work until the block ends."""
    before = _runner.set(runner)
    try:
        yield
    finally:
        _runner.reset(before)
