# SPDX-License-Identifier: Apache-2.0
"""What functions call whose loops may be one node each."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from mindspore import _c_expression as _c
from mindspore._capture import code as codes
from mindspore._capture.code import position_of
from mindspore._capture.decisions import MOST_WAYS, Decisions, Runs, TooManyWaysError
from mindspore._capture.loops import turns as ends
from mindspore._capture.loops.attempt import LoopAttempt
from mindspore._capture.loops.carried import Mismatch
from mindspore._capture.loops.loop_number import LoopNumber, kind_read, read, without_loop_numbers
from mindspore._capture.loops.shared_memory import Aliases
from mindspore._capture.loops.tries import current_tries
from mindspore._capture.loops.turns import Outcome, Span, Turns, is_recorded

AGAIN = False  # after another turn it may be possible

# Every way through a turn is a run of it, and loops in it are recorded on every way: what takes more runs
# than this would be recorded for seconds.
_MOST_RUNS = 1000


@dataclass
class WholeOutcome(Outcome):
    """What a recorded loop has left.

    Attributes:
        is_seen (bool): Who gets its numbers may do anything with them.
    """

    is_seen: bool = True

    def __getitem__(self, name: str):
        return without_loop_numbers(self.values[name]) if self.is_seen else self.values[name]

    def plain(self, name: str):
        """A variable that goes where a number has to be one."""
        value = self.values[name]
        return value if _c.region_depth() else without_loop_numbers(value)

    def result(self):
        """What the function returns in the loop."""
        return without_loop_numbers(self.value) if self.is_seen else self.value


class WholeLoops:
    """Tries to have loops recorded whole."""

    NEXT, BREAK, RETURN, UNSET = ends.NEXT, ends.BREAK, ends.RETURN, ends.UNSET

    @staticmethod
    def is_open(place: str) -> bool:
        """Whether a loop is to be tried."""
        tries = current_tries()
        return tries is not None and _c.is_capturing() and tries.is_open(place)

    @staticmethod
    def converted(convert: Callable, value):
        """``convert(value)``; of a recorded value, a number that the graph computes."""
        if convert in (int, float) and is_recorded(value) and value.size == 1:
            whole = value.dtype not in (_c.float16, _c.float32, _c.float64, _c.bfloat16)
            if convert is float or whole:
                return read(value, convert)
        if convert is int and type(value) is LoopNumber and value.kind is int:
            return value
        return convert(value)

    @staticmethod
    def item(value):
        """``value.item()``, likewise."""
        return read(value, kind_read(value)) if is_recorded(value) and value.size == 1 else value.item()

    @staticmethod
    def span(make: Callable, *ends):
        """``range(*ends)``, also of what the graph computes."""
        if make is not range or not any(_is_computed(end) for end in ends) or len(ends) > 2:
            return make(*ends)
        first, end = (0, ends[0]) if len(ends) == 1 else ends
        return Span(_number(first), _number(end), 1)

    @staticmethod
    def plain(span):
        """What Python goes through."""
        return range(int(span.first), int(span.end)) if isinstance(span, Span) else span

    @staticmethod
    def rest(span, number):
        """What is left of a range after a number."""
        if isinstance(span, Span):
            return Span(number + 1, span.end, 1)
        return range(number + span.step, span.stop, span.step) if isinstance(span, range) else span

    def while_loop(self, place, names, attributes, test, body, found: dict, is_again=False):
        """What a loop with a condition leaves; None: it has to be made turn by turn."""
        turns = Turns(
            *(place, names, (), attributes),
            lambda own, values: test(*turns.given(values)),
            lambda own, values: body(*turns.given(values)),
        )
        return self._tried(turns, found, is_again, (test, body))

    def range_loop(self, place, names, attributes, span, body, found: dict, is_again=False):
        """The same for a loop over a range."""
        if isinstance(span, Span):
            first, end, step = span.first, span.end, 1
        elif type(span) is range:
            first, end, step = span.start, span.stop, span.step
        else:
            return None
        turns = Turns(
            *(place, names, (), attributes),
            lambda own, values: own[0] < end if step > 0 else own[0] > end,
            lambda own, values: body(own[0], *turns.given(values)),
            own=(first,),
            advance=lambda own: (own[0] + step,),
        )
        return self._tried(turns, found, is_again, (body,))

    @staticmethod
    def _tried(turns: Turns, found: dict, is_again: bool, parts: tuple) -> WholeOutcome | bool | None:
        values = turns.stands_in(found, *parts)
        tries = current_tries()
        tries.have_been_made = True
        if tries.aliases is None or not _c.region_depth():
            tries.aliases, tries.runs = Aliases(), Runs(_MOST_RUNS)
        decisions = Decisions(tries.runs)
        whole: WholeOutcome | bool | None = None
        reason = None
        try:
            with decisions.answering():
                attempt = LoopAttempt(turns, values, decisions, tries.aliases)
                outcome = attempt.recorded()
            if not attempt.has_turned:
                outcome = attempt.idle_outcome()
            is_seen = not _c.region_depth() and _is_inside_another(sys._getframe(2))
            whole = WholeOutcome(outcome.values, outcome.broken, outcome.returned, outcome.value, is_seen)
        except Mismatch as mismatch:
            if is_again:
                reason = str(mismatch)
            else:
                whole = AGAIN
        except _c.Declined as declined:
            reason = str(declined) + _line_of(declined)
        except TooManyWaysError:
            if tries.runs.left >= 0:
                reason = f"has more than {MOST_WAYS} ways through a turn"
            elif _c.region_depth():
                raise  # too much for the loop around this one, which may do well by itself
            else:
                reason = f"has more than {_MOST_RUNS} ways through its turns and those of loops inside it"
        except Exception as failure:
            # Perhaps no turn is made, or the mistake is only made with what stands for values.
            reason = f"{type(failure).__name__}: {failure}{_line_of(failure)}"
        tries.note(turns.place, reason)
        return whole


def _line_of(failure: BaseException) -> str:
    """The line of the user's code in which it happened, as the end of a sentence; empty: unknown."""
    frames = [frame for frame, _ in traceback.walk_tb(failure.__traceback__)]
    place = position_of(frames[-1]) if frames else "?"
    return "" if place == "?" else f", in {place}"


def _is_inside_another(frame) -> bool:
    """Whether the user's function that has called is called by another one of the user's."""
    frame = frame.f_back
    while frame is not None and frame.f_code.co_name != "_run_under_recorder":
        if codes.kind_of(frame.f_code) == codes.USER:
            return True
        frame = frame.f_back
    return False


def _is_computed(value) -> bool:
    if type(value) is LoopNumber:
        return value.kind is int
    return is_recorded(value) and value.size == 1 and kind_read(value) is int


def _number(value):
    return value if not is_recorded(value) else read(value, int)


whole_loops = WholeLoops()
