# SPDX-License-Identifier: Apache-2.0
"""What rewritten functions call for their loops."""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass, field

from mindspore import _c_expression as _c
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op
from mindspore.train._export.decisions import Choice, Decisions
from mindspore.train._export.loops.rewriting import Rewriter
from mindspore.train._export.loops.variables import Variable, rebuilt

UNSET = object()  # stands for a variable that has no value
_MOST_TRIES = 5  # until the types of all variables are found
_NEXT, _BREAK, _RETURN = range(3)
_OWN, _GOES_ON, _RETURNED, _VALUE = "(own)", "(goes on)", "(has returned)", "(returned)"


@dataclass
class LoopRecord:
    """A loop that was written down.

    Attributes:
        place (str): The user's line.
        label (tuple): Loops with the same label that begin with the same values are the same loop.
        starts (list): Variables before a turn, each computed by a node of its own.
        condition (Choice): From the starts to a mask.
        body (Choice): From the starts to variables after a turn.
        ends (list): Variables after the last turn, each computed by a node of its own.
    """

    place: str
    label: tuple
    starts: list[Tensor]
    condition: Choice
    body: Choice
    ends: list[Tensor]

    def every_tensor(self) -> list[Tensor]:
        """All of them."""
        inner = [*self.condition.every_tensor(), *self.body.every_tensor()]
        return [*self.starts, *inner, *self.ends]


@dataclass
class Outcome:
    """What a loop has left."""

    values: dict
    broken: object = False
    returned: object = False
    value: object = None

    def has(self, name: str) -> bool:
        """Whether a variable has a value."""
        return name in self.values

    def __getitem__(self, name: str):
        return self.values[name]


@dataclass
class Span:
    """A range one of whose ends is a tensor."""

    first: object
    end: object
    step: int


def is_recorded(value) -> bool:
    """Whether a value is not known before the network runs."""
    return isinstance(value, Tensor) and _c.is_recorded(value)


@dataclass
class _Turns:
    """A loop: where it stands, its variables, and how a turn is made.

    Attributes:
        place (str): The user's line.
        names (tuple): Names of its variables.
        attributes (tuple): Attributes it assigns.
        test (Callable): Tells from the variables whether another turn is made.
        body (Callable): Makes a turn; gives how it ends, with what, and its variables then.
        own (tuple): What the loop keeps besides the user's variables: the number of a range.
        advance (Callable): What that is after a turn.
    """

    place: str
    names: tuple[str, ...]
    attributes: tuple[str, ...]
    test: Callable
    body: Callable
    own: tuple = ()
    advance: Callable = field(default=lambda own: own)

    def picked(self, found: dict) -> dict:
        """The variables that have values."""
        return {name: found[name] for name in self.names if found.get(name, UNSET) is not UNSET}

    def given(self, values: dict) -> list:
        """The variables in order."""
        return [values.get(name, UNSET) for name in self.names]


class LoopRunner:
    """Makes the turns of loops in Python as long as nothing they are decided by is a recorded value; else
    writes one turn down.

    Args:
        name (str): How messages call the network.
        decisions (Decisions): Answers questions.
        mark (Callable): Makes a node of its own that gives a tensor.
    """

    NEXT, BREAK, RETURN = _NEXT, _BREAK, _RETURN

    def __init__(self, name: str, decisions: Decisions, mark: Callable[[Tensor], Tensor]):
        self._name, self._decisions, self._mark = name, decisions, mark
        self._rewriter = Rewriter(self)
        self.records: list[LoopRecord] = []

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

    def while_loop(self, place: str, names: tuple, attributes: tuple, test, body, found: dict) -> Outcome:
        """A loop with a condition."""
        turns = _Turns(
            place,
            names,
            attributes,
            lambda own, values: test(*turns.given(values)),
            lambda own, values: body(*turns.given(values)),
        )
        values = turns.picked(found)
        while True:
            asks, holds = self._decisions.asks(lambda: test(*turns.given(values)))  # noqa: B023
            if asks or is_recorded(holds):
                return self._recorded(turns, values)
            if not holds:
                return Outcome(values)
            outcome, values = self._turn(turns, values)
            if outcome is not None:
                return outcome

    def range_loop(self, place: str, names: tuple, attributes: tuple, span, body, found: dict) -> Outcome:
        """A loop over a range."""
        end, step = (span.end, span.step) if isinstance(span, Span) else (span.stop, span.step)
        turns = _Turns(
            place,
            names,
            attributes,
            lambda own, values: own[0] < end if step > 0 else own[0] > end,
            lambda own, values: body(own[0], *turns.given(values)),
            advance=lambda own: (own[0] + step,),
        )
        values = turns.picked(found)
        if isinstance(span, Span):
            turns.own = (span.first,)
            return self._recorded(turns, values)
        for number in span:
            turns.own = (number,)
            outcome, values = self._turn(turns, values)
            if outcome is not None:
                return outcome
        return Outcome(values)

    def _turn(self, turns: _Turns, values: dict) -> tuple[Outcome | None, dict]:
        """One turn in Python; a loop that asks a question in it is written down from here on."""
        asks, end = self._decisions.asks(lambda: turns.body(turns.own, values))
        if asks:
            return self._recorded(turns, values), values
        kind, value, found = end
        values = turns.picked(found)
        if kind == _NEXT:
            return None, values
        return Outcome(values, kind == _BREAK, kind == _RETURN, value), values

    # ---- writing down ------------------------------------------------------------------------------------

    def _recorded(self, turns: _Turns, values: dict) -> Outcome:
        if turns.attributes:
            raise RuntimeError(
                f"'{self._name}' cannot be exported: the loop at {turns.place} assigns "
                f"{', '.join(turns.attributes)}. Assign to a variable in the loop, and to the attribute "
                "after it."
            )
        try:
            return self._written_down(turns, values)
        except (RuntimeError, NotImplementedError):
            raise
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

    def _written_down(self, turns: _Turns, values: dict) -> Outcome:
        label = (turns.place, self._decisions.next_label())
        variables = [Variable.of(name, value) for name, value in values.items()]
        variables.append(Variable.of(_OWN, turns.own))
        for _ in range(_MOST_TRIES):
            starts = [self._mark(tensor) for variable in variables for tensor in variable.tensors()]
            body = self._decisions.explore(lambda: self._one_turn(turns, variables, starts))  # noqa: B023
            if self._fit(turns, variables, body.leaves()):
                break
        else:
            raise TypeError(f"in the loop at {turns.place}, the types of variables are never the same")
        if not starts:
            raise TypeError(f"in the loop at {turns.place}, nothing changes that it depends on")
        for leaf in body.leaves():
            leaf.tensors = [
                self._mark(tensor)
                for variable in variables
                for tensor in variable.as_tensors(leaf.outcome[variable.name])
            ]
        condition = self._decisions.explore(lambda: self._condition(turns, variables, starts))
        for leaf in condition.leaves():
            leaf.tensors = [self._mark(leaf.outcome)]
        ends = [self._mark(tensor) for tensor in starts]
        self.records.append(LoopRecord(turns.place, label, starts, condition, body, ends))
        return _outcome(_values(variables, [self._mark(tensor) for tensor in ends]))

    def _one_turn(self, turns: _Turns, variables: list[Variable], starts: list[Tensor]) -> dict:
        """Values of the variables after a turn, by name; the loop's own among them."""
        values = _values(variables, [self._mark(tensor) for tensor in starts])
        own = values[_OWN]
        kind, value, found = turns.body(own, values)
        after = {**values, **turns.picked(found), _OWN: turns.advance(own)}
        after[_GOES_ON] = kind == _NEXT
        after[_RETURNED] = kind == _RETURN
        if kind == _RETURN:
            after[_VALUE] = value
        return after

    def _condition(self, turns: _Turns, variables: list[Variable], starts: list[Tensor]) -> Tensor:
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

    def _fit(self, turns: _Turns, variables: list[Variable], leaves: list[Choice]) -> bool:
        """Whether the variables can take what all turns leave; where not, they are changed so."""
        known = {variable.name for variable in variables}
        fits = True
        for leaf in leaves:
            after = leaf.outcome
            for name, value in after.items():
                if name in known or (name in (_GOES_ON, _RETURNED) and not self._leaves_by(name, leaves)):
                    continue
                first = {_GOES_ON: True, _RETURNED: False}.get(name, UNSET)
                added = Variable.empty(name, value) if first is UNSET else Variable.of(name, first)
                variables.append(added)
                known.add(name)
                fits = False
        try:
            for leaf in leaves:
                for variable in variables:
                    if variable.name in leaf.outcome:
                        fits = variable.takes(leaf.outcome[variable.name], turns.place) and fits
        except TypeError:
            # Numbers have the type of the tensors they are used with: perhaps these have a smaller one.
            narrowed = [variable for variable in variables if variable.narrow()]
            if not narrowed:
                raise
            return False
        return fits

    @staticmethod
    def _leaves_by(flag: str, leaves: list[Choice]) -> bool:
        usual = flag == _GOES_ON
        return any(leaf.outcome[flag] != usual for leaf in leaves)


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
