# SPDX-License-Identifier: Apache-2.0
"""Writes a loop down: one turn, on all its ways, from variables that are tensors."""

from __future__ import annotations

import collections
import contextlib
from collections.abc import Callable

from mindspore import _c_expression as _c
from mindspore import log as logger
from mindspore._capture.decisions import Decisions, whole_regions
from mindspore._capture.loops.aliases import check_aliases, memory_of, written_since
from mindspore._capture.loops.merging import SAME, merged
from mindspore._capture.loops.turns import (
    NEXT,
    RETURN,
    UNSET,
    Outcome,
    Turns,
    is_recorded,
    written_back,
)
from mindspore._capture.loops.variables import Variable, rebuilt
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.ops._registry import op

_MOST_TRIES = 5  # until the types of all variables are found
_OWN, _GOES_ON, _RETURNED, _VALUE = "(own)", "(goes on)", "(has returned)", "(returned)"


class LoopRecorder:
    """Writes loops down.

    Args:
        name (str): How messages call the network.
        decisions (Decisions): Answers questions.
        mark (Callable): Makes a node of its own that gives a tensor.
    """

    def __init__(self, name: str, decisions: Decisions, mark: Callable[[Tensor], Tensor]):
        self._name, self._decisions, self._mark = name, decisions, mark

    def recorded(self, turns: Turns, values: dict) -> Outcome:
        """What a loop leaves that begins with these variables."""
        if turns.attributes:
            raise RuntimeError(
                f"'{self._name}' cannot be exported: the loop at {turns.place} assigns "
                f"{', '.join(turns.attributes)}. Assign to a variable in the loop, and to the attribute "
                "after it."
            )
        try:
            with self.unchanged_containers(turns):
                return self._written_down(turns, values)
        except (RuntimeError, NotImplementedError):
            raise
        except _c.Declined as declined:
            raise RuntimeError(
                f"'{self._name}' cannot be exported: the loop at {turns.place} {declined}."
            ) from declined
        except TypeError as failure:
            text = str(failure)
            if not text.startswith("in the loop"):
                text = f"the loop at {turns.place} does not work with values that are not known: {text}"
            raise RuntimeError(f"'{self._name}' cannot be exported: {text}.") from failure
        except Exception as failure:
            raise RuntimeError(
                f"'{self._name}' cannot be exported: the loop at {turns.place} does not work with values "
                f"that are not known: {type(failure).__name__}: {failure}"
            ) from failure

    def recorded_choice(self, turns: Turns, values: dict) -> Outcome:
        """What a statement leaves that asks questions.

        Raises:
            RuntimeError: Something is of another type on one way than on another.
        """
        if turns.attributes:
            raise RuntimeError(
                f"'{self._name}' cannot be exported: the decision at {turns.place} assigns "
                f"{', '.join(turns.attributes)}. Assign to a variable there, and to the attribute after it."
            )

        def run() -> dict:
            return self._after_turn(turns, {**values, _OWN: ()})

        with self.unchanged_containers(turns):
            try:
                after, variables = merged(self._outcomes(run), turns.place, self._name)
                tensors = self._decisions.explore(
                    run,
                    lambda after: [self._mark(one) for each in variables for one in each.tensors_of(after)],
                )
            except _c.Declined as declined:
                raise RuntimeError(
                    f"'{self._name}' cannot be exported: the decision at {turns.place} {declined}."
                ) from declined
        after |= _values(variables, tensors)
        return Outcome(after, False, after.get(_RETURNED, False), after.get(_VALUE))

    @contextlib.contextmanager
    def unchanged_containers(self, turns: Turns):
        """RuntimeError if lists, constants and the like, which are no variables of the loop, change."""
        contents = {
            name: _content(value)
            for name, value in turns.around.items()
            if isinstance(value, (Tensor, list, dict, set, collections.deque)) and name not in turns.names
        }
        try:
            yield contents
        except _c.Declined:
            self._check_containers(turns, contents)  # may be why
            raise
        self._check_containers(turns, contents)

    def _check_containers(self, turns: Turns, contents: dict) -> None:
        for name, before in contents.items():
            now = _content(turns.around[name])
            if len(now) != len(before) or any(one is not then for one, then in zip(now, before, strict=True)):
                raise RuntimeError(
                    f"'{self._name}' cannot be exported: the loop at {turns.place} changes '{name}', which "
                    "is no variable of it. Assign what it computes to variables."
                )

    def _outcomes(self, run: Callable) -> list[dict]:
        """What a piece leaves on all its ways; what it computes is forgotten."""
        found: list[dict] = []
        self._decisions.explore(run, lambda outcome: found.append(outcome) or [])
        return found

    def _written_down(self, turns: Turns, values: dict) -> Outcome:
        variables = [Variable.of(name, value) for name, value in values.items()]
        variables.append(Variable.of(_OWN, turns.own))
        self._find_kinds(turns, variables)
        self._tell_rounded(turns, variables)
        firsts = [tensor for variable in variables for tensor in variable.tensors()]
        if not firsts:
            raise TypeError(f"in the loop at {turns.place}, nothing changes that it depends on")
        outcomes: list[dict] = []
        into: set[str] = set()

        def next_tensors(after: dict) -> list[Tensor]:
            outcomes.append(after)
            return [
                self._mark(tensor)
                for variable in variables
                for tensor in variable.as_tensors(after[variable.name])
            ]

        with whole_regions():
            starts = _c.begin_loop(firsts)
            (holds,) = self._decisions.explore(
                lambda: self._condition(turns, variables, starts), lambda holds: [holds]
            )
            inside = _c.begin_turn(holds)
            ends = _c.end_loop(
                self._decisions.explore(lambda: self._one_turn(turns, variables, inside, into), next_tensors)
            )
        for state in (values, *outcomes):
            check_aliases(turns, into, state, self._name)
        after = _values(variables, ends)
        for name in turns.written:
            if name in values and all(name in outcome[SAME] for outcome in outcomes):
                after[name] = written_back(values[name], after[name])
        return _outcome(after)

    @staticmethod
    def _tell_rounded(turns: Turns, variables: list[Variable]) -> None:
        """Python counts with more digits than a file that has its numbers as tensors."""
        rounded = [variable.name for variable in variables if any(map(_is_fraction, variable.firsts))]
        if rounded:
            logger.warning(
                f"The loop at {turns.place} counts with {', '.join(map(repr, rounded))}, which is float32 in "
                "an exported file: a condition that depends on its last digits may give another number of "
                "turns there. Count whole numbers, or use a Tensor."
            )

    def _find_kinds(self, turns: Turns, variables: list[Variable]) -> None:
        """Makes turns on trial until the variables can take what every one leaves."""
        for _ in range(_MOST_TRIES):
            with whole_regions():
                _c.begin_loop([tensor for variable in variables for tensor in variable.tensors()])
                starts = _c.begin_turn(Tensor(True))
                outcomes = self._outcomes(lambda: self._one_turn(turns, variables, starts))  # noqa: B023
            if self._fit(turns, variables, outcomes):
                return
        raise TypeError(f"in the loop at {turns.place}, the types of variables are never the same")

    def _one_turn(
        self, turns: Turns, variables: list[Variable], starts: list[Tensor], into: set[str] | None = None
    ) -> dict:
        """Values of the variables after a turn, by name; the loop's own among them.

        Names of those that the turn writes into are added to `into`.
        """
        values = _values(variables, [self._mark(tensor) for tensor in starts])
        before = memory_of(values)
        after = self._after_turn(turns, values)
        if into is not None:
            into |= written_since(before)
        return after

    @staticmethod
    def _after_turn(turns: Turns, values: dict) -> dict:
        own = values[_OWN]
        kind, value, found = turns.body(own, values)
        after = {**values, **turns.picked(found), _OWN: turns.advance(own)}
        after[SAME] = {name for name in turns.written if after.get(name) is values.get(name)}
        after[_GOES_ON] = kind == NEXT
        after[_RETURNED] = kind == RETURN
        if kind == RETURN:
            after[_VALUE] = value
        return after

    def _condition(self, turns: Turns, variables: list[Variable], starts: list[Tensor]) -> Tensor:
        """Whether another turn is made: the loop was not left, and its condition holds."""
        values = _values(variables, [self._mark(tensor) for tensor in starts])
        own = values[_OWN]
        if own:
            holds = _truth(turns.test(own, values))
            return op.logical_and(holds, values[_GOES_ON]) if _GOES_ON in values else holds
        if _GOES_ON in values:
            asks, holds = self._decisions.asks(lambda: turns.test(own, values))
            if not asks and holds is True:
                return values[_GOES_ON]
            if not values[_GOES_ON]:
                return Tensor(False)
        return _truth(turns.test(own, values))

    def _fit(self, turns: Turns, variables: list[Variable], outcomes: list[dict]) -> bool:
        """Whether the variables can take what all turns leave; where not, they are changed so."""
        known = {variable.name for variable in variables}
        fits = True
        for after in outcomes:
            for name, value in after.items():
                if (
                    name in known
                    or name is SAME
                    or (name in (_GOES_ON, _RETURNED) and not self._leaves_by(name, outcomes))
                ):
                    continue
                first = {_GOES_ON: True, _RETURNED: False}.get(name, UNSET)
                added = Variable.empty(name, value) if first is UNSET else Variable.of(name, first)
                variables.append(added)
                known.add(name)
                fits = False
        try:
            for after in outcomes:
                for variable in variables:
                    if variable.name in after:
                        fits = variable.takes(after[variable.name], turns.place) and fits
        except TypeError:
            # Numbers have the type of the tensors they are used with: perhaps these have a smaller one.
            narrowed = [variable for variable in variables if variable.narrow()]
            if not narrowed:
                raise
            return False
        return fits

    @staticmethod
    def _leaves_by(flag: str, outcomes: list[dict]) -> bool:
        usual = flag == _GOES_ON
        return any(after[flag] != usual for after in outcomes)


def _is_fraction(first) -> bool:
    return isinstance(first, float)


def _content(container) -> list:
    if isinstance(container, Tensor):
        return [is_recorded(container)]  # a constant is recorded as soon as something is written into it
    return [*container, *container.values()] if isinstance(container, dict) else list(container)


def _values(variables: list[Variable], tensors: list[Tensor]) -> dict:
    """Values of variables by name, whose tensors are given one after the other."""
    leaves = iter(tensors)
    return {variable.name: rebuilt(variable.template, leaves) for variable in variables}


def _outcome(values: dict) -> Outcome:
    broken = values.get(_GOES_ON)
    return Outcome(
        values,
        False if broken is None else op.logical_not(broken),
        values.get(_RETURNED, False),
        values.get(_VALUE),
    )


def _truth(value) -> Tensor:
    """A value as a mask without axes."""
    if not isinstance(value, Tensor):
        return Tensor(bool(value))
    if value.size != 1:
        raise ValueError(
            "The truth value of an array with more than one element is ambiguous, but the condition of a "
            f"loop has shape {tuple(value.shape)}."
        )
    mask = value if value.dtype == mstype.bool_ else value != 0
    return mask.reshape(()) if mask.ndim else mask
