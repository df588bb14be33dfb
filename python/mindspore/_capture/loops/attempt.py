# SPDX-License-Identifier: Apache-2.0
"""Loops of compiled functions as one node: one turn is recorded, on all its ways, from variables as they are.

What a variable is has to stay the same from turn to turn; which of them change, and how, is found by making
turns on trial. Nothing is lost where a loop cannot be recorded: it is compiled turn by turn as before.
"""

from __future__ import annotations

from dataclasses import dataclass

from mindspore import _c_expression as _c
from mindspore._capture.decisions import Decisions, whole_regions
from mindspore._capture.loops.carried import Leaf, Mismatch, Variable, emptied
from mindspore._capture.loops.loop_number import LoopNumber
from mindspore._capture.loops.shared_memory import Aliases, address_of
from mindspore._capture.loops.trial import trial
from mindspore._capture.loops.turns import NEXT, RETURN, Outcome, Turns, is_recorded
from mindspore._capture.surroundings import current
from mindspore.common._structure import tensors_in
from mindspore.common.tensor import Tensor
from mindspore.ops._registry import op

_MOST_TRIALS = 8  # until it is known what the variables are
_OWN, _GOES_ON, _RETURNED, _VALUE = "(own)", "(goes on)", "(has returned)", "(returned)"


@dataclass
class _Way:
    """What a turn has left on one of its ways: variables by name, what it was given, and what it wrote."""

    after: dict
    given: dict
    written: set
    end: int


class LoopAttempt:
    """A loop that is to be recorded.

    Args:
        turns (Turns): The loop.
        values (dict): Its variables before it.
        decisions (Decisions): Answers questions, and has both sides recorded.
        aliases (Aliases): Of all loops that are recorded in the same one.
    """

    def __init__(self, turns: Turns, values: dict, decisions: Decisions, aliases: Aliases):
        if turns.attributes:
            raise _c.Declined(f"assigns {turns.attributes[0]}")
        self._turns, self._decisions, self._aliases = turns, decisions, aliases
        self._has_ways = False
        self.has_turned: bool | Tensor = True  # outside of other loops
        self._shared: list[Tensor] = []  # what turns hand on though others have it
        self._variables = [Variable(name, value) for name, value in values.items()]
        if turns.own:
            self._variables.append(Variable(_OWN, turns.own))

    def recorded(self) -> Outcome:
        """What the loop leaves.

        Raises:
            Declined: It cannot be recorded.
            Mismatch: Perhaps after another turn.
        """
        for _ in range(_MOST_TRIALS):
            ways = self._trial()
            self._has_ways = len(ways) > 1
            if self._settle(ways):
                return self._written_down()
        raise _c.Declined("has variables that are something else after every turn")

    def idle_outcome(self) -> Outcome:
        """The same without a turn: variables are the tensors they were, not others with the same values."""
        return Outcome({each.name: each.value for each in self._variables if not each.name.startswith("(")})

    def _trying(self):
        return trial(self._turns.around, current())

    def _carried(self) -> list[Leaf]:
        return [leaf for variable in self._variables for leaf in variable.leaves if not leaf.is_fixed]

    def _trial(self) -> list[_Way]:
        ways: list[_Way] = []
        with whole_regions(), self._trying():
            _c.begin_loop([leaf.start() for leaf in self._carried()])
            inside = _c.begin_turn(Tensor(True))
            self._decisions.explore(lambda: self._turn(inside, True), lambda way: ways.append(way) or [])
        return ways

    def _values(self, tensors: list[Tensor], is_trial: bool) -> tuple[dict, dict]:
        """Variables by name, and their leaves."""
        following = iter(tensors)
        values, given = {}, {}
        for variable in self._variables:
            leaves = [
                leaf.first if leaf.is_fixed else leaf.given(next(following), is_trial or leaf.is_copied)
                for leaf in variable.leaves
            ]
            given[variable.name] = leaves
            values[variable.name] = variable.of(iter(leaves))
        return values, given

    def _turn(self, tensors: list[Tensor], is_trial: bool) -> _Way:
        values, given = self._values(tensors, is_trial)
        tensors_given = [leaf for leaves in given.values() for leaf in leaves if isinstance(leaf, Tensor)]
        states = {id(tensor): _c.memory_state(tensor) for tensor in tensors_given}
        own = values.get(_OWN, ())
        end, result, found = self._turns.body(own, values)
        written = {key for key in states if states[key] != _state_of(tensors_given, key)}
        after = {**values, **self._turns.picked(found)}
        if own:
            after[_OWN] = self._turns.advance(own)
        after[_GOES_ON], after[_RETURNED] = end == NEXT, end == RETURN
        if end == RETURN:
            after[_VALUE] = result
        return _Way(after, given, written, end)

    def _settle(self, ways: list[_Way]) -> bool:
        """Whether it was known what the variables are."""
        known = {variable.name for variable in self._variables}
        if self._add_ends(ways, known):
            return False
        for way in ways:
            new = [name for name in way.after if name not in known and not name.startswith("(")]
            if new:
                raise Mismatch(f"has a variable '{new[0]}' that has no value before it")
        is_known = True
        for variable in self._variables:
            afters = [variable.leaves_of(way.after[variable.name]) for way in ways]
            for i, leaf in enumerate(variable.leaves):
                givens = [way.given[variable.name][i] for way in ways]
                written = any(id(one) in way.written for one, way in zip(givens, ways, strict=True))
                name = variable.name.strip("()")
                is_known = leaf.settle([each[i] for each in afters], givens, written, name) and is_known
        return is_known

    def _add_ends(self, ways: list[_Way], known: set) -> bool:
        """Adds what tells how the loop has ended, where turns can end it; whether that was not there."""
        wanted = {}
        if any(way.end != NEXT for way in ways):
            wanted[_GOES_ON] = True
        returned = [way.after[_VALUE] for way in ways if way.end == RETURN]
        if returned:
            wanted[_RETURNED], wanted[_VALUE] = False, emptied(returned[0])
        added = [Variable(name, value) for name, value in wanted.items() if name not in known]
        self._variables += added
        return bool(added)

    def _written_down(self) -> Outcome:
        carried = self._carried()
        if not carried:
            raise _c.Declined("changes nothing that it depends on")
        self._check_memory()
        for leaf in carried:
            leaf.is_copied = leaf.is_written and self._has_ways
        ways: list[_Way] = []
        before_depth = _c.region_depth()
        with whole_regions(), self._trying():
            if not before_depth:
                (self.has_turned,) = self._decisions.explore(self._first_condition, lambda holds: [holds])
            before = _c.begin_loop([leaf.start() for leaf in carried])
            (holds,) = self._decisions.explore(lambda: self._condition(before), lambda holds: [holds])
            inside = _c.begin_turn(holds)
            after = self._decisions.explore(
                lambda: self._turn(inside, False), lambda way: ways.append(way) or self._next(way)
            )
            if not self._settle(ways):
                raise _c.Declined("has variables that are something else in every trial")
            if self._shared and not before_depth and current() is not None and current().may_write():
                raise _c.Declined("hands on values that share memory, beside writes")
            ends = _c.end_loop(after)
        return self._outcome(ends)

    def _next(self, way: _Way) -> list[Tensor]:
        """What the next turn is given."""
        found: list[Tensor] = []
        for variable in self._variables:
            leaves, given = variable.leaves_of(way.after[variable.name]), way.given[variable.name]
            for leaf, value, was in zip(variable.leaves, leaves, given, strict=True):
                if leaf.is_fixed:
                    continue
                if leaf.is_written and value is not was:
                    raise _c.Declined(f"writes into '{variable.name}' and assigns it")
                found.append(leaf.next(value))
        # On this way a variable may stay the tensor it was, or become what another one was.
        first = {address_of(was): leaf.first for leaf, was in self._given_leaves(way) if not leaf.is_written}
        for tensor in found:
            self._shared += [first[each] for each in self._aliases.of(address_of(tensor)) if each in first]
        return self._each_its_own(found)

    def _given_leaves(self, way: _Way) -> list[tuple[Leaf, object]]:
        """Tensors among what a turn was given."""
        pairs = [
            pair for each in self._variables for pair in zip(each.leaves, way.given[each.name], strict=True)
        ]
        return [(leaf, was) for leaf, was in pairs if leaf.kind is None and not leaf.is_fixed]

    def _each_its_own(self, tensors: list[Tensor]) -> list[Tensor]:
        """The tensors, none in the memory of another one, or of one that was there before the turn."""
        fixed = [leaf.first for variable in self._variables for leaf in variable.leaves if leaf.is_fixed]
        outside = tensors_in([*self._turns.around.values(), fixed])
        known = {address_of(tensor): tensor for tensor in outside}
        for i, tensor in enumerate(tensors):
            address = address_of(tensor)
            is_outside = not is_recorded(tensor) and not _c.is_made_here(tensor)
            if address in known or is_outside:
                if self._writes:
                    raise _c.Declined("hands on values that share memory, and writes into some")
                self._shared.append(known.get(address, tensor))
                tensors[i] = op.copy(tensor)
            known[address] = tensor
        return tensors

    def _check_memory(self) -> None:
        """What turns write into has to be seen by nobody else."""
        written = [leaf.first for leaf in self._carried() if leaf.is_written]
        if not written:
            return
        around = [address_of(one) for one in tensors_in(list(self._turns.around.values()))]
        for tensor in written:
            is_known = is_recorded(tensor) or _c.is_made_here(tensor)
            if not is_known or around.count(address_of(tensor)) > 1:
                raise _c.Declined("writes into a tensor that others may see")

    @property
    def _writes(self) -> bool:
        return any(leaf.is_written for leaf in self._carried())

    def _first_condition(self) -> Tensor:
        """Whether there is a turn at all."""
        values = {variable.name: variable.value for variable in self._variables}
        return _truth(self._turns.test(values.get(_OWN, ()), values))

    def _condition(self, tensors: list[Tensor]) -> Tensor:
        """Whether another turn is made: the loop was not left, and its condition holds."""
        values, _ = self._values(tensors, False)
        own = values.get(_OWN, ())
        if _GOES_ON not in values:
            return _truth(self._turns.test(own, values))
        goes_on = values[_GOES_ON]
        if own:
            return op.logical_and(_truth(self._turns.test(own, values)), _truth(goes_on))
        asks, holds = self._decisions.asks(lambda: self._turns.test(own, values))
        if not asks and holds is True:
            return _truth(goes_on)
        return _truth(self._turns.test(own, values)) if goes_on else Tensor(False)

    def _outcome(self, ends: list[Tensor]) -> Outcome:
        following, is_inside = iter(ends), bool(_c.region_depth())
        values = {}
        for variable in self._variables:
            leaves = []
            for leaf in variable.leaves:
                if leaf.is_fixed:
                    leaves.append(leaf.first)
                    continue
                end = next(following)
                if leaf.is_written:
                    leaf.first[...] = end
                    end = leaf.first
                elif leaf.kind is None and (is_inside or self._shared):
                    self._shared += (leaf.first, end)
                    for other in (leaf.first, *self._shared):
                        self._aliases.note(end, other)
                leaves.append(leaf.left(end))
            values[variable.name] = variable.of(iter(leaves))
        _c.note_shared([tensor for tensor in self._shared if tensor._has_data()])
        left = values.pop(_GOES_ON, True)
        returned = values.pop(_RETURNED, False)
        value = values.pop(_VALUE, None)
        values.pop(_OWN, None)
        broken = False if left is True else LoopNumber(op.logical_not(_truth(left)), bool)
        return Outcome(values, broken, returned, value)


def _state_of(tensors: list[Tensor], key: int):
    return next(_c.memory_state(tensor) for tensor in tensors if id(tensor) == key)


def _truth(value) -> Tensor:
    """A condition as a tensor without axes."""
    if isinstance(value, LoopNumber):
        return value.in_graph() if value.kind is bool else value.in_graph() != 0
    if not isinstance(value, Tensor):
        return Tensor(bool(value))
    if value.size != 1:
        raise _c.Declined(f"has a condition of shape {tuple(value.shape)}")
    mask = value if value.dtype == _c.bool_ else value != 0
    return mask.reshape(()) if mask.ndim else mask
