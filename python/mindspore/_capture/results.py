# SPDX-License-Identifier: Apache-2.0
"""Whether a replay can give out a result: each tensor in it must be found, for another to take its place."""

from __future__ import annotations

import gc
import types
from collections.abc import Callable

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor
from mindspore._capture.cell_state import is_cell
from mindspore._capture.code import is_users_class

REASON = "it returns an object that holds tensors where they are not looked for; return a tuple, list or dict"
_ATOMS = (int, float, complex, str, bytes, type(None), range)
_SHUT = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.CodeType)
_MOST = 20_000  # objects that are looked at inside of one


def hides_tensors(result, was_there: Callable) -> bool:
    """Whether a new object in a result holds a tensor of this run that is neither its attribute nor in one.

    Args:
        result (Any): What the function has returned.
        was_there (Callable): Whether an object existed before the run; what was done to it is known.
    """
    known: set[int] = set()
    found: list = []
    _sort(result, known, found)
    return any(not was_there(one) and _leads_to_another(one, known) for one in found)


def _sort(value, known: set, others: list) -> None:
    """Notes what a replay makes anew, and objects of which it knows attributes alone."""
    if isinstance(value, (Tensor, *_ATOMS)) or id(value) in known:
        known.add(id(value))
        return
    known.add(id(value))
    if isinstance(value, (tuple, list)):
        for part in value:
            _sort(part, known, others)
    elif isinstance(value, dict):
        for part in value.values():
            _sort(part, known, others)
    elif _may_hide(value):
        others.append(value)
        for part in getattr(value, "__dict__", {}).values():
            if isinstance(part, (Tensor, tuple, list, dict)):
                _sort(part, known, others)


def _may_hide(value) -> bool:
    kind = type(value)
    if isinstance(value, _SHUT) or is_cell(value):
        return False
    return kind.__module__ in ("builtins", "collections", "functools") or is_users_class(kind)


def _leads_to_another(value, known: set) -> bool:
    seen, left = {id(value)}, [value]
    while left:
        for part in gc.get_referents(left.pop()):
            if id(part) in seen or isinstance(part, (*_ATOMS, *_SHUT)):
                continue
            seen.add(id(part))
            if isinstance(part, Tensor):
                if id(part) not in known and _c.is_recorded(part):
                    return True
            elif len(seen) > _MOST:
                return True
            elif isinstance(part, (tuple, list, dict)) or _may_hide(part):
                left.append(part)
    return False
