# SPDX-License-Identifier: Apache-2.0
"""Networks that ask whether a tensor is true: one straight graph for every way of answering."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from mindspore.common._structure import tensors_in
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.train._export.captured_network import CapturedNetwork, Value, capture_network

_MOST_QUESTIONS = 5  # one after the other, as every one doubles the graphs


@dataclass
class Way:
    """What a network does after some answers: it returns, or asks the next question."""

    network: CapturedNetwork
    results: list[Value]
    question: Value | None = None
    if_true: Way | None = None
    if_false: Way | None = None

    def networks(self) -> list[CapturedNetwork]:
        """Of this way and all that go on from it."""
        further = [] if self.question is None else [*self.if_true.networks(), *self.if_false.networks()]
        return [self.network, *further]

    def leaves(self) -> list[Way]:
        """The ways that return."""
        return [self] if self.question is None else [*self.if_true.leaves(), *self.if_false.leaves()]


def straight_way(network: CapturedNetwork) -> Way:
    """The only way of a network that asks nothing."""
    return Way(network, network.results)


def capture_ways(net, inputs: tuple) -> Way:
    """Runs a network once for every combination of answers to the questions it asks.

    Raises:
        RuntimeError: It looks at values otherwise, or has too many ways.
    """
    root = _way(net, inputs, ())
    if len({_types(leaf) for leaf in root.leaves()}) > 1:
        raise RuntimeError(
            f"'{root.network.name}' cannot be exported: what it returns has another type or shape when an "
            "'if' is answered otherwise."
        )
    return root


def _types(leaf: Way) -> tuple:
    return tuple((str(dtype), shape) for dtype, shape in map(leaf.network.type_of, leaf.results))


def _way(net, inputs: tuple, answers: tuple[bool, ...]) -> Way:
    run = net._cell_run if isinstance(net, Cell) else net
    record = _Record(answers)

    def answered(*arguments):
        record.begin()
        return record.end(tensors_in(run(*arguments)))

    answered.__name__ = type(net).__name__ if isinstance(net, Cell) else getattr(net, "__name__", "function")
    with record.answering():
        network = capture_network(answered, inputs)
    asked, result_count = record.asked, record.result_count
    way = Way(network, network.results[:result_count])
    if len(asked) == len(answers):
        return way
    way.question = network.results[result_count + len(answers)]
    way.if_true = _way(net, inputs, (*answers, True))
    way.if_false = _way(net, inputs, (*answers, False))
    return way


class _Record:
    """Answers to questions, and what was asked in the last run.

    Args:
        answers (tuple): Answers to the first questions; the others are answered with yes.
    """

    def __init__(self, answers: tuple[bool, ...]):
        self._answers, self.asked, self.result_count = answers, [], 0

    def begin(self) -> None:
        """A run begins."""
        self.asked = []

    def end(self, results: list[Tensor]) -> list[Tensor]:
        """A run ends; what was asked is part of its results."""
        self.result_count = len(results)
        return [*results, *self.asked]

    @contextlib.contextmanager
    def answering(self):
        """Tensors are as true as the answers say."""

        def truth(tensor: Tensor) -> bool:
            if len(self.asked) == _MOST_QUESTIONS:
                raise RuntimeError(
                    f"A network that asks more than {_MOST_QUESTIONS} times whether a tensor is true, "
                    "perhaps in a loop, cannot be exported."
                )
            self.asked.append(tensor)
            return self._answers[len(self.asked) - 1] if len(self.asked) <= len(self._answers) else True

        before = Tensor.__bool__
        Tensor.__bool__ = truth
        try:
            yield
        finally:
            Tensor.__bool__ = before
