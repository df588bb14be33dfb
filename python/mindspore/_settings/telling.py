# SPDX-License-Identifier: Apache-2.0
"""How users hear of what a setting does not do: once, with the line of their program that asked for it."""

from __future__ import annotations

import os
import sys

from mindspore import log as logger

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_told: set[tuple[str, str]] = set()


def users_line() -> str:
    """``file:line`` of the innermost frame outside the package; empty when there is none."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((_PACKAGE, "<frozen")):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else ""


def _tell_once(write, subject: str, text: str) -> None:
    line = users_line()
    if (subject, line) in _told:
        return
    _told.add((subject, line))
    write("%s%s", text, f" ({line})" if line else "")


def warn_once(subject: str, text: str) -> None:
    """A warning that names the user's line; a line hears of a subject once.

    Args:
        subject (str): What it is about.
        text (str): The warning, with what to do.
    """
    _tell_once(logger.warning, subject, text)


def inform_once(subject: str, text: str) -> None:
    """The same at level INFO."""
    _tell_once(logger.info, subject, text)
