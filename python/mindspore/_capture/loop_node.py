# SPDX-License-Identifier: Apache-2.0
"""Loops that are one node of a compiled function, however often they turn."""

from __future__ import annotations

from collections.abc import Callable

from mindspore import _c_expression as _c
from mindspore import log as logger
from mindspore._capture.loop_effects import require_no_assignments, unchanged, unwritten
from mindspore.common._structure import map_tensors, tensors_in
from mindspore.common.tensor import Tensor
from mindspore.ops._registry import op

_ANY_TENSOR = object()


def while_loop(holds: Callable, turn: Callable, value):
    """``while holds(value): value = turn(value)``

    While a function is recorded, one turn is recorded as the body of a loop. Where that cannot be, the turns
    are made one by one. What comes out is memory of its own: in a graph it is, so it is everywhere.
    """
    if _c.is_capturing():
        found = _tried((holds, turn), holds, turn, value)
        if found is not None:
            return found[0]
    while holds(value):
        value = turn(value)
    return map_tensors(op.copy, value)


def counted_loop(lower: int | Tensor, upper: int | Tensor, turn: Callable, value):
    """``for i in range(lower, upper): value = turn(i, value)``, likewise.

    In a recorded turn, ``i`` is a number that is only known beside tensors.
    """
    if _c.is_capturing():
        found = _tried(
            (turn,),
            lambda state: state[0] < upper,
            lambda state: (state[0] + 1, _with_number(turn, *state)),
            (_whole(lower), value),
        )
        if found is not None:
            return found[0][1]
    for i in range(int(lower), int(upper)):
        value = turn(i, value)
    return map_tensors(op.copy, value)


def scanned_loop(turn: Callable, value, elements: list) -> tuple | None:
    """What ``for element in elements: value, made = turn(value, element)`` leaves: the value, and a list of
    all that was made. One node while a function is recorded; None: it has to be made turn by turn.

    Elements become rows of tensors, and turns make rows of others, which are there before the first.
    """
    if not _c.is_capturing() or not elements:
        return None
    return _declining(lambda: _recorded_scan(turn, value, elements))


def _whole(number: int | Tensor) -> Tensor:
    if isinstance(number, Tensor):
        return op.cast(number.reshape(()), _c.int64)
    return Tensor(number, _c.int64)


def _with_number(turn: Callable, i: Tensor, value):
    from mindspore._capture.numbers import NumberStandIn, Uses

    class Counting(Uses):
        """Of the number of a turn: it is no other one's."""

        @property
        def as_number(self) -> bool:
            return False

        @as_number.setter
        def as_number(self, is_so: bool) -> None:
            if is_so:
                raise _c.Declined("uses the number of its turn other than beside tensors")

    uses = Counting()
    after = turn(NumberStandIn(0, i, uses), value)
    uses.end()
    return after


def _tried(functions: tuple[Callable, ...], holds: Callable, turn: Callable, value) -> tuple | None:
    """What a loop leaves, in a tuple; None: it has to be made turn by turn."""
    return _declining(lambda: (_recorded(functions, holds, turn, value),))


def _declining(recorded: Callable[[], tuple]) -> tuple | None:
    try:
        return recorded()
    except _c.Declined as declined:
        logger.info("A loop is compiled turn by turn: it %s.", declined)
    except Exception as failure:
        # Perhaps no turn is made, or the mistake is only made with what stands for values.
        logger.info("A loop is compiled turn by turn: %s: %s", type(failure).__name__, failure)
    return None


def _recorded(functions: tuple[Callable, ...], holds: Callable, turn: Callable, value):
    require_no_assignments(functions)
    depth = _c.region_depth()
    try:
        with unchanged(functions):
            given = _c.begin_loop(tensors_in(value))
            with unwritten(given):
                holding = holds(_with(value, given))
            if not isinstance(holding, Tensor):
                raise _c.Declined("has a condition that is no tensor")
            given = _c.begin_turn(holding)
            with unwritten(given):
                after = turn(_with(value, given))
            if _form(after) != _form(value):
                raise _c.Declined("changes something that is no tensor")
            return _with(value, _c.end_loop(tensors_in(after)))
    finally:
        _c.drop_regions(depth)


def _recorded_scan(turn: Callable, value, elements: list) -> tuple:
    require_no_assignments((turn,))
    first = elements[0]
    if any(_form(element) != _form(first) for element in elements):
        raise _c.Declined("goes through elements that differ in something that is no tensor")
    columns = list(zip(*(tensors_in(element) for element in elements), strict=True))
    if any(len({(one.shape, one.dtype) for one in column}) > 1 for column in columns):
        raise _c.Declined("goes through tensors of different types or shapes")
    rows = [op.stack(list(column)) for column in columns]
    depth = _c.region_depth()

    def one_turn(made: list[Tensor]) -> tuple[list[Tensor], list[Tensor], object]:
        given = _c.begin_scan(len(elements), tensors_in(value), rows, made)
        count = len(given) - len(rows)
        with unwritten(given):
            after = turn(_with(value, given[:count]), _with(first, given[count:]))
        if not isinstance(after, tuple) or len(after) != 2:
            raise _c.Declined("does not give two values")
        if _form(after[0]) != _form(value):
            raise _c.Declined("changes something that is no tensor")
        return tensors_in(after[0]), tensors_in(after[1]), after[1]

    try:
        with unchanged((turn,)):
            _, made, _ = one_turn([])  # only to see what is made
            _c.drop_regions(depth)
            after, made, form = one_turn(made)
            results = _c.end_scan(after, made)
    finally:
        _c.drop_regions(depth)
    count = len(after)
    kept = [op.unstack(rows) for rows in results[count:]]
    return _with(value, results[:count]), [
        _with(form, [rows[i] for rows in kept]) for i in range(len(elements))
    ]


def _with(value, tensors: list[Tensor]):
    """The value with other tensors."""
    following = iter(tensors)
    return map_tensors(lambda _: next(following), value)


def _form(value):
    """What is left of a value without its tensors; 1 and True are not the same."""
    form = map_tensors(lambda _: _ANY_TENSOR, value)
    return form, repr(form)
