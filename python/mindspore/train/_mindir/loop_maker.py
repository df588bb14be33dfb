# SPDX-License-Identifier: Apache-2.0
"""Lets the one who writes a network down make the loops of a loaded one."""

from __future__ import annotations


class LoopMaker:
    """What a loaded network asks for where it loops or chooses.

    Args:
        runner (LoopRunner): Makes loops.
    """

    def __init__(self, runner):
        self._runner = runner

    @property
    def has_choices(self) -> bool:
        """Whether calls that may decide something are to be made as choices."""
        return self._runner.has_choices

    def make_loop(self, place: str, initial: tuple, test, turn) -> tuple[bool, object, tuple]:
        """Whether a turn has ended the loop, with what; and otherwise the last values."""
        names = tuple(f"argument {i} of the graph" for i in range(len(initial)))

        def made(*values) -> tuple[int, object, dict]:
            has_returned, value, following = turn(*values)
            if has_returned:
                return self._runner.RETURN, value, {}
            return self._runner.NEXT, None, dict(zip(names, following, strict=True))

        outcome = self._runner.while_loop(
            *(place, names, (), ()), test, made, dict(zip(names, initial, strict=True))
        )
        if outcome.returned:
            return True, outcome.value, ()
        return False, outcome.value, tuple(outcome[name] for name in names)

    def make_choice(self, place: str, body):
        """What a call gives whose decisions do not matter to what follows it."""
        return self._runner.choice(place, (), (), (), lambda: (self._runner.RETURN, body(), {}), {}).value
