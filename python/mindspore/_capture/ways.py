# SPDX-License-Identifier: Apache-2.0
"""How decisions by values have gone: which ways are worth compiling, and whether any is."""

from __future__ import annotations

_WAYS_AT_ONCE = 32  # recorded before anything is known about the function
_RUNS_PER_FURTHER_WAY = 16  # replays that pay for another way
_WAYS_AT_MOST = 256
_SEGMENTS_AT_MOST = 4096
_NEW_WAYS_BETWEEN_CHECKS = 32  # whether it is worth it
_RUNS_EXPECTED_BETWEEN = _NEW_WAYS_BETWEEN_CHECKS // 4


class Ways:
    """New ways that calls of one function have gone.

    Up to a number they are recorded and compiled; further ones run eagerly from where they part from what is
    known, and the known ones stay compiled.
    """

    __slots__ = ("_lines", "_runs_at_check", "eager", "recorded")

    def __init__(self):
        self.recorded = self.eager = self._runs_at_check = 0
        self._lines: dict[str, int] = {}  # where they parted, and how often

    @property
    def seen(self) -> int:
        """How often a call has gone a new way."""
        return self.recorded + self.eager

    def may_record(self, runs: int, segments: int) -> bool:
        """Whether a call that goes a new way is recorded.

        Args:
            runs (int): Replays so far.
            segments (int): What is compiled already, of such calls.
        """
        allowed = min(_WAYS_AT_ONCE + runs // _RUNS_PER_FURTHER_WAY, _WAYS_AT_MOST)
        return self.recorded < allowed and segments < _SEGMENTS_AT_MOST

    def note(self, line: str, is_eager: bool) -> None:
        """A call has gone a new way, which parted in this line."""
        self._lines[line] = self._lines.get(line, 0) + 1
        if is_eager:
            self.eager += 1
        else:
            self.recorded += 1

    def are_useless(self, runs: int) -> bool:
        """Whether hardly any call goes a way that is known, though many are."""
        if self.seen % _NEW_WAYS_BETWEEN_CHECKS:
            return False
        is_useless = self.eager > 0 and runs < self._runs_at_check + _RUNS_EXPECTED_BETWEEN
        self._runs_at_check = runs
        return is_useless

    def describe(self) -> str:
        """What has happened, and where."""
        line = max(self._lines, key=self._lines.get)
        return f"decisions by values went a new way {self.seen} times, most often in {line}"

    def reason(self) -> str:
        """Why the function is no longer compiled, and what to do about it."""
        return (
            f"{self.describe()}, and calls hardly ever repeat one. Compute both outcomes and choose with "
            "ops.where or a mask, or decide outside of the compiled function"
        )
