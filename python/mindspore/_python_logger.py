# SPDX-License-Identifier: Apache-2.0
"""A logger of Python's `logging` that writes where `mindspore.log` writes."""

from __future__ import annotations

import functools
import logging

from mindspore import _c_expression as _c
from mindspore.log import get_level


class _ToSink(logging.Handler):
    """Hands what a logger of Python's own collects to the sink of the package."""

    def emit(self, record: logging.LogRecord) -> None:
        level = min(max(record.levelno // 10 - 1, 0), 4)
        if _c.log_may_pass(level):
            _c.log_record(level, "ME", record.pathname, record.lineno, record.getMessage())


@functools.cache
def get_logger() -> logging.Logger:
    """The logger."""
    logger = logging.getLogger("MindSpore")
    logger.addHandler(_ToSink())
    logger.propagate = False
    logger.setLevel(10 * (int(get_level()) + 1))
    return logger
