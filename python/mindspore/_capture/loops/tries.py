# SPDX-License-Identifier: Apache-2.0
"""Which loops are tried as a whole, and why others are not."""

from __future__ import annotations

import contextlib
import threading
import types

from mindspore import log as logger

_MOST_REFUSALS = 2  # of one loop, one after the other

originals: dict[types.CodeType, types.CodeType] = {}  # of code in which loops are tried

_current = threading.local()


class LoopTries:
    """Which loops of one captured function are tried.

    That changes only when what was captured is forgotten: all runs that add to it do the same.
    """

    __slots__ = ("_are_over", "_closed", "_refusals", "aliases", "have_been_made", "reasons", "runs")

    def __init__(self):
        self._closed: set[str] = set()
        self._refusals: dict[str, int] = {}  # by the place of the loop
        self.reasons: dict[str, str] = {}  # why a loop is compiled turn by turn, likewise
        self.have_been_made = self._are_over = False
        # Of a loop and all that are recorded inside it.
        self.aliases = None  # of what they have left
        self.runs = None  # of their turns, that may still be

    def is_open(self, place: str) -> bool:
        """Whether a loop is to be tried."""
        return not self._are_over and place not in self._closed

    def end(self) -> None:
        """No loop is tried any more."""
        self._are_over = True

    def note(self, place: str, reason: str | None) -> None:
        """A loop was recorded, or could not be for a reason."""
        if reason is None:
            self._refusals.pop(place, None)
            self.reasons.pop(place, None)
            return
        self._refusals[place] = self._refusals.get(place, 0) + 1
        self.reasons[place] = reason
        logger.info("The loop at %s is compiled turn by turn: it %s.", place, reason)

    def settle(self) -> bool:
        """A run is over; whether loops are tried no more, so that others must not rely on what it did."""
        hopeless = {place for place, times in self._refusals.items() if times >= _MOST_REFUSALS}
        is_new = not hopeless <= self._closed
        self._closed |= hopeless
        return is_new


def current_tries() -> LoopTries | None:
    """Those of the function that is being captured on this thread."""
    return getattr(_current, "tries", None)


def original(code: types.CodeType) -> types.CodeType:
    """Code as the user wrote it."""
    return originals.get(code, code)


@contextlib.contextmanager
def trying(tries: LoopTries):
    """Loops of functions that run on this thread are tried until the block ends."""
    before, _current.tries = getattr(_current, "tries", None), tries
    try:
        yield
    finally:
        _current.tries = before
