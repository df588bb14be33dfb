# SPDX-License-Identifier: Apache-2.0
"""Whether something outside a function is still what it was."""

from __future__ import annotations

import collections
import contextvars
import functools
from collections.abc import Callable

import numpy as np

from mindspore._capture.cell_state import same, same_parts
from mindspore._capture.kept import MISSING, Place

# Kinds of guards, numbered as in the engine.
ENTRY, CELL, SEQUENCE, MAPPING, SET, QUESTION, TRACKED, CLASS, FUNCTION, TYPE, NOTED, NAMES = range(12)


def is_unchanged(kind: int, holder, key, expected) -> bool:
    """Whether a guard still holds."""
    if kind == ENTRY:
        return same(holder.get(key, MISSING), expected)
    if kind == CELL:
        return same(Place(holder, None, "").get(), expected)
    if kind == SEQUENCE:
        return same_parts(holder, expected)
    if kind == MAPPING:
        return not changed_keys(holder, expected) and has_order_of(holder, expected)
    if kind == NAMES:
        return all(same(holder.get(name, MISSING), expected.get(name, MISSING)) for name in key)
    return holder() if kind == QUESTION else same_parts(tuple(holder), expected)


def changed_keys(now: dict, before: dict) -> list:
    """Keys whose entry is new, gone or another one."""
    changed = [key for key, value in before.items() if not same(now.get(key, MISSING), value)]
    if len(now) != len(before) or changed:
        changed += [key for key in now if key not in before]
    return changed


def has_order_of(now: dict, before: dict) -> bool:
    """Whether the keys that were there before are in the order they were in."""
    kept = [key for key in now if key in before]
    return kept == [key for key in before if key in now]


def order_question(mapping: collections.OrderedDict):
    """Asks whether the keys are in the order they are in now."""
    before = tuple(mapping)
    return lambda: same_parts(tuple(mapping), before)


def keys_question(mapping: dict, skipped: list):
    """Asks whether the keys are those of now, in their order, but for some."""
    before = [key for key in mapping if key not in skipped]
    return lambda: [key for key in mapping if key not in skipped] == before


def partial_question(function: functools.partial):
    """Asks whether a function with arguments is made of what it is made of now."""
    before = (function.func, function.args, function.keywords)
    return lambda: same_parts((function.func, function.args, function.keywords), before)


def steady_question(ask: Callable):
    """Asks whether the answer to a question is what it is now."""
    before = ask()
    return lambda: ask() == before


def slots_question(value, names: list[str]):
    """Asks whether these attributes of an object are what they are now."""

    def now() -> list:
        return [getattr(value, name, MISSING) for name in names]

    before = now()
    return lambda: same_parts(now(), before)


def queue_question(queue: collections.deque):
    """Asks whether a queue holds what it holds now."""
    before = list(queue)
    return lambda: same_parts(queue, before)


def fields_question(value):
    """Asks whether an object's attributes, which may be another thread's, are what they are now."""
    before = dict(vars(value))
    return lambda: not changed_keys(vars(value), before)


def variable_question(variable: contextvars.ContextVar):
    """Asks whether a context variable has the value it has now."""
    before = variable.get(MISSING)
    return lambda: same(variable.get(MISSING), before)


def settings() -> tuple:
    """All settings of the process that a function can ask for."""
    from mindspore import _auto_parallel_context, context
    from mindspore.common.seed import get_seed

    return dict(context._values), dict(_auto_parallel_context._values), get_seed()


def numpy_random() -> tuple:
    """Where NumPy's own generator stands; its functions are not seen when they are called."""
    state = np.random.get_state(legacy=False)
    return state["state"]["pos"], state["state"]["key"].tobytes(), state["has_gauss"], state["gauss"]


def names_of_slots(cls: type) -> tuple:
    """Attributes that a class keeps outside of `__dict__`."""
    slots = cls.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)
