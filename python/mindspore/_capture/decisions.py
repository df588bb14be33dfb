# SPDX-License-Identifier: Apache-2.0
"""Pieces of a network that ask whether a tensor is true: each is run once for every way of answering."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from dataclasses import dataclass

from mindspore import _c_expression as _c
from mindspore._capture.code import position_of
from mindspore.common.tensor import Tensor

MOST_WAYS = 32  # of one piece: questions that follow each other on every way double them
MOST_RUNS = 10000  # of all pieces: one inside another is run on every way of that one


class DependsOnValuesError(RuntimeError):
    """A network does one thing or another, as values it computes are."""


class TooManyWaysError(DependsOnValuesError):
    """A piece asks so often that its ways cannot all be written down."""


class AskedError(BaseException):
    """A question was asked where none is answered; no handler of the user's should see it."""


@dataclass
class _Run:
    """A run of a piece: answers to the first questions, and how many it has asked."""

    answers: tuple[bool, ...] | None  # None: no question is answered
    open_ways: list[int]  # one number: how many ways the piece has, as far as is known
    asked: int = 0


@dataclass
class Runs:
    """How many runs of pieces there may still be."""

    left: int = MOST_RUNS


class Decisions:
    """Answers the questions of one thread, and has both sides recorded.

    Args:
        runs (Runs): Shared with pieces that decide for themselves inside one another. Default: ``None``, a
            number of its own.
    """

    def __init__(self, runs: Runs | None = None):
        self._open: list[_Run] = []
        self._runs = Runs() if runs is None else runs

    @contextlib.contextmanager
    def answering(self):
        """Tensors that are recorded on this thread are as true as the answers say."""
        before = _c.exchange_truth_asker(self._answer)
        try:
            yield
        finally:
            _c.exchange_truth_asker(before)

    def _answer(self, tensor: Tensor) -> bool:
        run = self._open[-1]
        place, run.asked = run.asked, run.asked + 1
        if run.answers is None:
            raise AskedError
        if place < len(run.answers):
            return run.answers[place]
        run.open_ways[0] += 1  # the other answer, which is tried later
        if run.open_ways[0] > MOST_WAYS:
            raise _too_many(f"more than {MOST_WAYS} ways", position_of(sys._getframe(1)))
        _c.begin_branch(tensor)
        return True

    def asks(self, run: Callable) -> tuple[bool, object]:
        """Whether a piece asks a question, and what it gives if it does not."""
        this = _Run(None, [1])
        result = None
        with whole_regions():
            self._open.append(this)
            try:
                result = run()
            except AskedError:
                pass
            finally:
                self._open.pop()
        if this.asked:  # also where `except:` has caught the error
            return True, None
        return False, result

    def explore(self, run: Callable, tensors_of: Callable) -> list[Tensor]:
        """Runs a piece for every combination of answers to the questions it asks.

        Args:
            run (Callable): The piece.
            tensors_of (Callable): The tensors that matter of what a run gives; on all ways the same number.

        Returns:
            list, what these tensors are, whichever way is taken.
        """
        with whole_regions():
            return self._explored(run, tensors_of, (), [1])

    def _explored(
        self, run: Callable, tensors_of: Callable, answers: tuple[bool, ...], ways: list[int]
    ) -> list[Tensor]:
        """The same with answers to the first questions; from the next one on, what is run is a branch."""
        this = _Run(answers, ways)
        self._runs.left -= 1
        if self._runs.left < 0:
            raise _too_many("too many ways through pieces inside others", position_of(sys._getframe(1)))
        self._open.append(this)
        try:
            tensors = tensors_of(run())
        finally:
            self._open.pop()
        for place in reversed(range(len(answers), this.asked)):
            _c.begin_other_branch(tensors)
            before = (*answers, *[True] * (place - len(answers)))
            tensors = _c.end_branch(self._explored(run, tensors_of, (*before, False), ways))
        return tensors


@contextlib.contextmanager
def whole_regions():
    """Regions that were begun and not ended, because of an error or a question, are forgotten."""
    depth = _c.region_depth()
    try:
        yield
    finally:
        _c.drop_regions(depth)


def _too_many(what: str, place: str) -> TooManyWaysError:
    return TooManyWaysError(
        f"A network that asks so often whether a tensor is true that there are {what}, "
        f"the last time at {place}, cannot be exported. Choose between values with ops.where or ops.select "
        "instead of 'if', put decisions into the loop they belong to, and keep functions in files, so that "
        "loops and decisions in them can be found."
    )
