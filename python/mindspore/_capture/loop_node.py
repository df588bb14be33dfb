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
        try:
            return _recorded(holds, turn, value)
        except _c.Declined as declined:
            logger.info("A loop is compiled turn by turn: it %s.", declined)
        except Exception as failure:
            # Perhaps no turn is made, or the mistake is only made with what stands for values.
            logger.info("A loop is compiled turn by turn: %s: %s", type(failure).__name__, failure)
    while holds(value):
        value = turn(value)
    return map_tensors(op.copy, value)


def _recorded(holds: Callable, turn: Callable, value):
    functions = (holds, turn)
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


def _with(value, tensors: list[Tensor]):
    """The value with other tensors."""
    following = iter(tensors)
    return map_tensors(lambda _: next(following), value)


def _form(value):
    """What is left of a value without its tensors; 1 and True are not the same."""
    form = map_tensors(lambda _: _ANY_TENSOR, value)
    return form, repr(form)
