# SPDX-License-Identifier: Apache-2.0
"""Lets the one who writes a network down see the loops of loaded graphs, which are calls there."""

from __future__ import annotations

from dataclasses import dataclass

from mindspore.common.tensor import Tensor
from mindspore.ops._registry import op
from mindspore.train._mindir.graph import Graph
from mindspore.train._mindir.interpreter import Closure, Frame, fetch, run_frame
from mindspore.train._mindir.loop_heads import LoopHead, head_of


@dataclass(frozen=True)
class _TurnEnd:
    """A turn has ended with a call of the loop's head."""

    frame: Frame


class RecordedLoops:
    """Calls of graphs that begin a loop are made by a runner of loops.

    Args:
        runner (LoopRunner): Makes loops.
        parameters (Sequence): Parameters of the network, by number.
    """

    def __init__(self, runner, parameters):
        self._runner, self._parameters = runner, parameters
        self._around: list[Graph | object] = []
        self._first: Frame | None = None  # the frame of a head that a turn begins with

    def enter(self, frame: Frame, stack: list, is_inner: bool) -> tuple[Frame | None, object]:
        """The frame to go on with instead of one that is about to run; or None, and what it gives.

        Args:
            frame (Frame): The frame.
            stack (list): Frames that go on after it.
            is_inner (bool): Its caller is one of these.

        Raises:
            RuntimeError: A graph calls itself, and not as a loop does.
        """
        graph = frame.program.graph
        if frame is self._first:
            return frame, None
        if graph in self._around:
            if stack or graph is not self._around[-1]:
                raise RuntimeError(
                    f"The graph '{graph.name}' of the MindIR file calls itself before it ends, or from an "
                    "inner loop; only loops whose turns follow each other can be written. Export the network "
                    "itself instead of its MindIR file, with 'while' loops in the place of such calls."
                )
            return None, _TurnEnd(frame)
        head = head_of(graph, self._around)
        if head is None and is_inner and self._runner.has_choices:
            return None, self._decided(frame)
        if head is None:
            return frame, None
        return self._made(_Loop(self, head, frame), stack)

    def _made(self, loop: _Loop, stack: list) -> tuple[Frame | None, object]:
        names = tuple(f"argument {i} of the graph" for i in loop.head.varying)
        outcome = self._runner.while_loop(
            *(f"the graph '{loop.head.graph.name}':0", names, (), ()),
            loop.test,
            lambda *values: loop.turn(names, values),
            dict(zip(names, loop.first_values(), strict=True)),
        )
        if not loop.head.is_asking or outcome.returned:
            return None, outcome.value
        return self.enter(loop.end([outcome[name] for name in names]), stack, False)

    def _decided(self, frame: Frame):
        """What a call gives whose decisions, if there are any, do not matter to what follows it."""

        def body() -> tuple[int, object, dict]:
            again = Frame(frame.program, frame.parent)
            again.values[:] = frame.values
            return self._runner.RETURN, self._run_inside(again, object()), {}

        place = f"the graph '{frame.program.name}':0"
        return self._runner.choice(place, (), (), (), body, {}).value

    def run(self, frame: Frame, head: LoopHead):
        """What a frame in a turn of a loop gives, or that it has ended the turn."""
        return self._run_inside(frame, head.graph)

    def _run_inside(self, frame: Frame, around: object):
        """What a frame gives in a loop, or in something else from which no turn can be ended."""
        self._around.append(around)
        before, self._first = self._first, frame if frame.program.graph is around else None
        try:
            return run_frame(frame, self._parameters, self.enter)
        finally:
            self._around.pop()
            self._first = before

    def fetched(self, source: tuple, frame: Frame):
        """A value as seen from a frame."""
        return fetch(source, frame, self._parameters)


class _Loop:
    """One run of a loop."""

    def __init__(self, loops: RecordedLoops, head: LoopHead, first: Frame):
        self._loops, self.head, self._first = loops, head, first

    def first_values(self) -> list:
        """Arguments that change, before the first turn."""
        return [self._first.values[i] for i in self.head.varying]

    def _frame(self, values) -> Frame:
        """A frame of the head with other values of these."""
        first = self._first
        frame = Frame(first.program, first.parent)
        frame.values[: first.program.input_count] = first.values[: first.program.input_count]
        for place, value in zip(self.head.varying, values, strict=True):
            frame.values[place] = value
        return frame

    def _asked(self, values) -> Frame:
        """The same, which has run up to its choice."""
        frame = self._frame(values)
        frame.end = len(frame.program.steps) - 2
        self._loops.run(frame, self.head)
        return frame

    def _chosen(self, frame: Frame, answer: bool) -> Frame:
        """What follows on an answer."""
        *_, switch, call = frame.program.steps
        closure: Closure = self._loops.fetched(switch.operands[1 if answer else 2], frame)
        return closure.enter([self._loops.fetched(source, frame) for source in call.operands])

    def test(self, *values):
        """Whether another turn is made."""
        if not self.head.is_asking:
            return True
        frame = self._asked(values)
        holds = self._loops.fetched(frame.program.steps[-2].operands[0], frame)
        if self.head.turn_if:
            return holds
        return op.logical_not(holds.astype("bool")) if isinstance(holds, Tensor) else not holds

    def turn(self, names: tuple[str, ...], values) -> tuple[int, object, dict]:
        """Makes a turn: how it ends, with what, and what the arguments are then."""
        runner = self._loops._runner
        start = self._frame(values)
        if self.head.is_asking:
            start = self._chosen(self._asked(values), self.head.turn_if)
        result = self._loops.run(start, self.head)
        if not isinstance(result, _TurnEnd):
            return runner.RETURN, result, {}
        arguments = [result.frame.values[i] for i in self.head.varying]
        return runner.NEXT, None, dict(zip(names, arguments, strict=True))

    def end(self, values) -> Frame:
        """The frame that runs after the last turn."""
        return self._chosen(self._asked(values), not self.head.turn_if)
