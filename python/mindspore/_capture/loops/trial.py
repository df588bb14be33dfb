# SPDX-License-Identifier: Apache-2.0
"""Runs of a turn that are made to see what it computes: nothing else may come of them."""

from __future__ import annotations

import collections
import contextlib
import dis
import functools
import sys
import types

from mindspore import _c_expression as _c
from mindspore._capture import code as codes
from mindspore._capture.questions import ENTRY, MAPPING, SEQUENCE, SET, is_unchanged

_OUTSIDE = frozenset(("STORE_GLOBAL", "STORE_ATTR", "DELETE_GLOBAL", "DELETE_ATTR", "STORE_NAME"))
_CHANGING = frozenset(
    (
        *("append", "appendleft", "extend", "extendleft", "insert", "add", "update", "setdefault"),
        *("pop", "popleft", "popitem", "remove", "discard", "clear", "sort", "reverse", "rotate"),
        *("__setitem__", "__delitem__", "__iadd__", "intersection_update", "difference_update"),
    )
)
_CHANGING_FUNCTIONS = (setattr, delattr, exec, eval, globals, vars)
_CONTAINERS = (list, dict, set, collections.deque, bytearray)
_MOST_PARTS = 4096  # of containers that are compared


@contextlib.contextmanager
def trial(around: dict, watcher):
    """What is run meanwhile changes no object; `Declined` if it would, or if it has changed a list or the
    like among the variables, which then are as they were.

    Args:
        around (dict): Variables of the function.
        watcher (Union[Surroundings, None]): Sees which code runs.
    """
    held = _held(around)
    contents = [] if watcher is None else watcher.contents
    known = len(contents)
    moved = {i for i in range(known) if not is_unchanged(*contents[i][:4])}  # before, by the function itself
    held += [_Held(contents[i][1]) for i in moved if type(contents[i][1]) in _CONTAINERS]
    before = watcher is not None and watcher.is_trial
    if watcher is not None:
        watcher.is_trial = True
    try:
        yield
    finally:
        if watcher is not None:
            watcher.is_trial = before
            sys.setprofile(watcher.event)  # an error in there has ended that
        changed = [one for one in held if one.is_changed()]
        for one in changed:
            one.restore()
        undone = [_undone(contents[i]) for i in range(len(contents)) if i not in moved]
    if changed or any(undone):
        raise _c.Declined("changes a list, dict or the like")


def check(event: str, frame: types.FrameType, function, was_there) -> None:
    """Something is about to be called; `Declined` if that may change an object."""
    if event == "call":
        if codes.kind_of(frame.f_code) == codes.USER:
            found = _assignment(frame.f_code)
            if found:
                raise _c.Declined(f"assigns '{found}' ({codes.position_of(frame)})")
    elif event == "c_call":
        owner = getattr(function, "__self__", None)
        changes = isinstance(owner, _CONTAINERS) and function.__name__ in _CHANGING and was_there(owner)
        is_users = codes.kind_of(frame.f_code) == codes.USER
        if changes or (is_users and function in _CHANGING_FUNCTIONS):
            raise _c.Declined(f"calls {function.__qualname__} ({codes.position_of(frame)})")


def _undone(content: tuple) -> bool:
    """Whether something outside the function has changed; it is as it was then."""
    kind, holder, key, expected, _ = content
    if kind not in (ENTRY, SEQUENCE, MAPPING, SET) or is_unchanged(kind, holder, key, expected):
        return False
    if kind == ENTRY:
        holder[key] = expected
    elif kind == SEQUENCE:
        holder[:] = expected
    elif kind == SET or key is None:
        holder.clear()
        holder.update(expected)
    return True


@functools.cache
def _assignment(code: types.CodeType) -> str:
    """An attribute or global that code assigns; `type`, which numbers of a loop cannot answer."""
    if code.co_filename == "<string>" and code.co_name == "__init__":
        return ""  # made by `dataclass`: the object is a new one
    for step in dis.get_instructions(code):
        if step.opname in _OUTSIDE or (step.opname == "LOAD_GLOBAL" and step.argval == "type"):
            return str(step.argval)
    return ""


class _Held:
    """A container, and what is in it."""

    def __init__(self, container):
        self._container, self._content = container, container.copy()

    def is_changed(self) -> bool:
        now, then = _members(self._container), _members(self._content)
        return len(now) != len(then) or any(a is not b for a, b in zip(now, then, strict=True))

    def restore(self) -> None:
        self._container.clear()
        if isinstance(self._container, (dict, set)):
            self._container.update(self._content)
        else:
            self._container.extend(self._content)


def _members(container) -> list:
    return (
        [part for pair in container.items() for part in pair] if isinstance(container, dict) else [*container]
    )


def _held(around: dict) -> list[_Held]:
    """All containers that variables hold, and those in them."""
    found: dict[int, object] = {}
    waiting = list(around.values())
    parts = 0
    while waiting:
        value = waiting.pop()
        if isinstance(value, tuple):
            waiting += value
        elif isinstance(value, _CONTAINERS) and id(value) not in found:
            found[id(value)] = value
            members = _members(value)
            parts += len(members)
            if parts > _MOST_PARTS:
                raise _c.Declined("stands beside large lists, which it may change")
            waiting += members
    return [_Held(value) for value in found.values()]
