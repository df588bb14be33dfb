# SPDX-License-Identifier: Apache-2.0
"""Where a compiled function looks at values: loops that do so again and again are better recorded whole."""

from __future__ import annotations

import gc
import os
import sys
import types

from mindspore._capture import code as codes

_MANY = 48  # looks that made the ways of one function longer


class Looks:
    """Of one function, in all its runs."""

    __slots__ = ("_count", "_lines")

    def __init__(self):
        self._count = 0
        self._lines: dict[types.CodeType, set[int]] = {}  # of the user's that were at work

    def note(self) -> None:
        """Somebody has looked at a value that decides on a new way."""
        self._count += 1
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_name != "_run_under_recorder":
            if codes.kind_of(frame.f_code) == codes.USER:
                self._lines.setdefault(frame.f_code, set()).add(frame.f_lineno)
            frame = frame.f_back

    def have_loops_tried(self) -> bool:
        """Whether there were many, and loops around them will be recorded whole from now on."""
        if self._count < _many():
            return False
        from mindspore._capture.loops.exchange import exchange

        lines, self._lines, self._count = self._lines, {}, 0
        made = [exchange(each, lines[code]) for code in lines for each in _functions_of(code)]
        return any(made)


def _many() -> int:
    return int(os.environ.get("MYCEL_LOOKS_BEFORE_LOOPS", _MANY))


def _functions_of(code: types.CodeType) -> list[types.FunctionType]:
    return [
        each
        for each in gc.get_referrers(code)
        if isinstance(each, types.FunctionType) and each.__code__ is code
    ]
