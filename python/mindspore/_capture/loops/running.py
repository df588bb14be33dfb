# SPDX-License-Identifier: Apache-2.0
"""What rewritten functions call for their loops."""

from __future__ import annotations

import types
from collections.abc import Callable

from mindspore._capture.decisions import Decisions
from mindspore._capture.loops import turns as ends
from mindspore._capture.loops.aliases import check_aliases, check_containers, memory_of, written_since
from mindspore._capture.loops.recorder import LoopRecorder
from mindspore._capture.loops.rewriting import Rewriter
from mindspore._capture.loops.turns import Outcome, Span, Turns, is_recorded, written_back
from mindspore.common import dtype as mstype
from mindspore.common._structure import map_tensors
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell


class LoopRunner:
    """Makes the turns of loops in Python as long as nothing they are decided by is a recorded value; else
    writes one turn down.

    Args:
        name (str): How messages call the network.
        decisions (Decisions): Answers questions.
        mark (Callable): Makes a node of its own that gives a tensor.
        has_choices (bool): Decisions of functions are made here too.
    """

    NEXT, BREAK, RETURN = ends.NEXT, ends.BREAK, ends.RETURN

    def __init__(
        self, name: str, decisions: Decisions, mark: Callable[[Tensor], Tensor], has_choices: bool = False
    ):
        self._name, self._decisions, self._mark, self.has_choices = name, decisions, mark, has_choices
        self._recorder = LoopRecorder(name, decisions, mark)
        self._rewriter = Rewriter(self, has_choices)

    # ---- called by rewritten functions ---------------------------------------------------------------------

    def callee(self, function):
        """What is called instead of something."""
        if isinstance(function, types.MethodType):
            inner = function.__func__
            made = self.rewritten(inner) if isinstance(inner, types.FunctionType) else inner
            return function if made is inner else types.MethodType(made, function.__self__)
        if isinstance(function, types.FunctionType):
            return self.rewritten(function.__wrapped__ if hasattr(function, "_is_jit") else function)
        if isinstance(function, Cell) and function._cell_ready and "construct" not in function.__dict__:
            made = self.rewritten(type(function).construct)
            return function if made is type(function).construct else types.MethodType(made, function)
        return function

    def rewritten(self, function: types.FunctionType) -> types.FunctionType:
        """The function with loops as calls of this."""
        return self._rewriter.rewritten(function)

    @staticmethod
    def whole(value):
        """`int(value)`; of a recorded value, the tensor."""
        return value.astype(mstype.int64).reshape(()) if is_recorded(value) else int(value)

    @staticmethod
    def item(value):
        """`value.item()`; of a recorded whole number, the tensor."""
        is_whole = is_recorded(value) and value.dtype in (*mstype.int_type, *mstype.uint_type)
        return value.reshape(()) if is_whole else value.item()

    @staticmethod
    def span(*ends):
        """`range(*ends)`, also of tensors."""
        if not any(is_recorded(end) for end in ends):
            return range(*ends)
        first, end = (0, ends[0]) if len(ends) == 1 else ends[:2]
        step = ends[2] if len(ends) > 2 else 1
        if is_recorded(step) or step == 0:
            raise RuntimeError("A range whose step is a computed tensor, or 0, cannot be exported.")
        return Span(first, end, int(step))

    def while_loop(self, place, names, written, attributes, test, body, found: dict) -> Outcome:
        """A loop with a condition."""
        turns = Turns(
            place,
            names,
            written,
            attributes,
            lambda own, values: test(*turns.given(values)),
            lambda own, values: body(*turns.given(values)),
        )
        values = turns.stands_in(found, test, body)
        while True:
            asks, holds = self._decisions.asks(lambda: test(*turns.given(values)))  # noqa: B023
            if asks or is_recorded(holds):
                return self._recorder.recorded(turns, values)
            if not holds:
                return Outcome(values)
            outcome, values = self._turn(turns, values)
            if outcome is not None:
                return outcome

    def range_loop(self, place, names, written, attributes, span, body, found: dict) -> Outcome:
        """A loop over a range."""
        end, step = (span.end, span.step) if isinstance(span, Span) else (span.stop, span.step)
        turns = Turns(
            place,
            names,
            written,
            attributes,
            lambda own, values: own[0] < end if step > 0 else own[0] > end,
            lambda own, values: body(own[0], *turns.given(values)),
            advance=lambda own: (own[0] + step,),
        )
        values = turns.stands_in(found, body)
        if isinstance(span, Span):
            turns.own = (span.first,)
            return self._recorder.recorded(turns, values)
        for number in span:
            turns.own = (number,)
            outcome, values = self._turn(turns, values)
            if outcome is not None:
                return outcome
        return Outcome(values)

    def choice(self, place, names, written, attributes, body, found: dict) -> Outcome:
        """A statement that may ask questions; what follows it is the same on all ways."""
        turns = Turns(
            *(place, names, written, attributes),
            lambda own, values: True,
            lambda own, values: body(*turns.given(values)),
        )
        values = turns.stands_in(found, body)
        outcome, values = self._turn(turns, values, self._recorder.recorded_choice)
        return outcome or Outcome(values)

    def _turn(self, turns: Turns, values: dict, record=None) -> tuple[Outcome | None, dict]:
        """One turn in Python; a loop that asks a question in it is written down from here on."""
        copies = {name: map_tensors(self._mark, values[name]) for name in turns.written if name in values}
        before_turn = memory_of(copies)
        with self._recorder.unchanged_containers(turns) as contents:
            asks, end = self._decisions.asks(lambda: turns.body(turns.own, {**values, **copies}))
            if not asks:
                contents.clear()
        if asks:
            return (record or self._recorder.recorded)(turns, values), values
        check_aliases(turns, written_since(before_turn), values, self._name)
        check_containers(turns, values, self._name)
        kind, value, found = end
        before, values = values, turns.picked(found)
        for name, copy in copies.items():
            if values.get(name) is copy:
                values[name] = written_back(before[name], copy)
        if kind == ends.NEXT:
            return None, values
        return Outcome(values, kind == ends.BREAK, kind == ends.RETURN, value), values
