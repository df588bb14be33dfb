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
from mindspore.train._export.captured_network import DependsOnValuesError

MOST_WAYS = 32  # of one piece: questions that follow each other on every way double them


class TooManyWaysError(DependsOnValuesError):
    """A piece asks so often that its ways cannot all be written down."""


@dataclass
class Choice:
    """What a piece gave on one way, or the question that decides between two.

    Attributes:
        outcome (object): What it gave.
        tensors (list): The tensors of that, each computed by a node of its own.
    """

    outcome: object = None
    tensors: list[Tensor] | None = None
    question: Tensor | None = None
    if_true: Choice | None = None
    if_false: Choice | None = None

    def leaves(self) -> list[Choice]:
        """All that was given, the ways of answering yes first."""
        return [self] if self.question is None else [*self.if_true.leaves(), *self.if_false.leaves()]

    def every_tensor(self) -> list[Tensor]:
        """Results and questions."""
        if self.question is None:
            return list(self.tensors)
        return [self.question, *self.if_true.every_tensor(), *self.if_false.every_tensor()]


class AskedError(BaseException):
    """A question was asked where none is answered; no handler of the user's should see it."""


@dataclass
class _Run:
    """A run of a piece: answers to the first questions, what was asked, and how many labels were given."""

    answers: tuple[bool, ...] | None  # None: no question is answered
    asked: list[Tensor]
    open_ways: list[int]  # one number: how many ways the piece has, as far as is known
    labels: int = 0

    def given(self) -> tuple[bool, ...]:
        """The answers so far."""
        answers = self.answers or ()
        return tuple(answers[i] if i < len(answers) else True for i in range(len(self.asked)))


class Decisions:
    """Answers the questions of one thread.

    Args:
        mark (Callable): Makes a node of its own that gives a tensor.
    """

    def __init__(self, mark: Callable[[Tensor], Tensor]):
        self._mark = mark
        self._open: list[_Run] = []

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
        if run.answers is None:
            raise AskedError
        if len(run.asked) >= len(run.answers):
            run.open_ways[0] += 1  # the other answer, which is tried later
            if run.open_ways[0] > MOST_WAYS:
                raise _too_many(position_of(sys._getframe(1)))
        run.asked.append(self._mark(tensor))
        return run.given()[-1]

    def next_label(self) -> tuple:
        """The same for pieces of two runs only if nothing was answered otherwise before."""
        self._open[-1].labels += 1
        return tuple((run.given(), run.labels) for run in self._open)

    def asks(self, run: Callable) -> tuple[bool, object]:
        """Whether a piece asks a question, and what it gives if it does not."""
        self.next_label()
        self._open.append(_Run(None, [], [1]))
        try:
            return False, run()
        except AskedError:
            return True, None
        finally:
            self._open.pop()

    def explore(self, run: Callable) -> Choice:
        """Runs a piece for every combination of answers to the questions it asks."""
        if self._open:
            self.next_label()
        return self._explored(run, (), [1])

    def _explored(self, run: Callable, answers: tuple[bool, ...], ways: list[int]) -> Choice:
        """The same with answers to the first questions."""
        this = _Run(answers, [], ways)
        self._open.append(this)
        try:
            choice = Choice(run())
        finally:
            self._open.pop()
        for place in reversed(range(len(answers), len(this.asked))):
            before = (*answers, *[True] * (place - len(answers)))
            other = self._explored(run, (*before, False), ways)
            choice = Choice(question=this.asked[place], if_true=choice, if_false=other)
        return choice


def _too_many(place: str) -> TooManyWaysError:
    return TooManyWaysError(
        f"A network that asks so often whether a tensor is true that there are more than {MOST_WAYS} ways, "
        f"the last time at {place}, cannot be exported. Choose between values with ops.where or ops.select "
        "instead of 'if', put decisions into the loop they belong to, and keep functions in files, so that "
        "loops and decisions in them can be found."
    )
