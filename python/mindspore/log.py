# SPDX-License-Identifier: Apache-2.0
"""Messages to the person running the program, through the same sink as the native part."""

from __future__ import annotations

import functools
import os
import sys

from mindspore import _c_expression as _c

_LEVELS = {"DEBUG": 0, "INFO": 1, "WARNING": 2, "ERROR": 3, "CRITICAL": 4}
_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def _write(level: int, message, arguments: tuple) -> None:
    if not _c.log_may_pass(level):
        return
    frame = sys._getframe(2)
    file = frame.f_code.co_filename
    if file.startswith(_PACKAGE):
        file = "mindspore/" + file[len(_PACKAGE) :]
    text = str(message) % arguments if arguments else str(message)
    _c.log_record(level, "ME", file, frame.f_lineno, text)


def debug(message, *args) -> None:
    """Logs at level DEBUG; `args` are filled into `message` with ``%``."""
    _write(0, message, args)


def info(message, *args) -> None:
    """Logs at level INFO; `args` are filled into `message` with ``%``."""
    _write(1, message, args)


def warning(message, *args) -> None:
    """Logs at level WARNING; `args` are filled into `message` with ``%``."""
    _write(2, message, args)


def error(message, *args) -> None:
    """Logs at level ERROR; `args` are filled into `message` with ``%``."""
    _write(3, message, args)


def critical(message, *args) -> None:
    """Logs at level CRITICAL; `args` are filled into `message` with ``%``."""
    _write(4, message, args)


def get_level() -> str:
    """The threshold in force, "0" (DEBUG) to "4" (CRITICAL)."""
    return _c.log_settings()["GLOG_v"]


def get_log_config() -> dict:
    """The settings in force, named as the environment variables that set them."""
    return dict(_c.log_settings())


def set_log_level(level: int) -> None:
    """Changes the threshold while the program runs.

    Args:
        level (int): 0 DEBUG, 1 INFO, 2 WARNING, 3 ERROR, 4 CRITICAL.
    """
    _c.set_log_level(level)


def _configure() -> None:
    """Reads the environment; called once at import."""
    _c.configure_log()


def _get_logger():
    """A logger of Python's `logging`; what it is told goes the way of this module."""
    from mindspore._python_logger import get_logger

    return get_logger()


def __getattr__(name: str):
    """`logging` of Python, imported when it is asked for: a script may have a `logging.py` of its own."""
    if name != "logging":
        raise AttributeError(f"module 'mindspore.log' has no attribute '{name}'")
    import logging

    return logging


class _LogActionOnce:
    """Decorator: of all calls with one key only the first may warn.

    Args:
        logger (object): Its `warning` is silent during later calls.
        key (str): What belongs together.
        no_warning (bool): The first call does not warn either. Default: ``False``.
    """

    is_logged: dict[str, bool] = {}

    def __init__(self, logger, key, no_warning=False):
        self.logger, self.key, self.no_warning = logger, key, no_warning

    def __call__(self, func):
        @functools.wraps(func)
        def quieter(*args, **kwargs):
            may_warn = not self.no_warning and self.key not in self.is_logged
            self.is_logged[self.key] = True
            if may_warn or not hasattr(self.logger, "warning"):
                return func(*args, **kwargs)
            warn = self.logger.warning
            self.logger.warning = lambda *_, **__: None
            try:
                return func(*args, **kwargs)
            finally:
                self.logger.warning = warn

        return quieter


__all__ = ["get_level", "get_log_config"]
