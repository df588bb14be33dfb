# SPDX-License-Identifier: Apache-2.0
"""What can be said about code without running it: whose it is, which globals it names, what it makes."""

from __future__ import annotations

import dis
import functools
import os
import sysconfig
import types

import numpy as np

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
FOREIGN = tuple({sysconfig.get_paths()["stdlib"] + os.sep, os.path.dirname(np.__file__) + os.sep, "<frozen"})
LIBRARY, CONSTRUCT, EFFECT, USER = range(4)
# Functions of ours that do something a compiled function does not repeat.
_EFFECTS = frozenset(
    (
        "export",
        "load_checkpoint",
        "load_param_into_net",
        "reset_auto_parallel_context",
        "save_checkpoint",
        "set_auto_parallel_context",
        "set_context",
        "set_rng_state",
        "set_seed",
    )
)
_GLOBAL_NAMES = ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL")


@functools.cache
def kind_of(code: types.CodeType) -> int:
    """Ours or Python's own, a `construct` of ours, one of ours with effects, or the user's."""
    file, name = code.co_filename, code.co_name
    if file.startswith(PACKAGE):
        return CONSTRUCT if name == "construct" else EFFECT if name in _EFFECTS else LIBRARY
    return LIBRARY if file.startswith(FOREIGN) and "site-packages" not in file else USER


@functools.cache
def global_names(code: types.CodeType) -> tuple[str, ...]:
    """Names of globals that the code reads or writes."""
    found = (each.argval for each in dis.get_instructions(code) if each.opname in _GLOBAL_NAMES)
    return tuple(dict.fromkeys(found))


@functools.cache
def codes_inside(code: types.CodeType) -> frozenset:
    """Code of functions and classes that this code makes when it runs."""
    found = set()
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found.add(constant)
            found |= codes_inside(constant)
    return frozenset(found)


_LOADS = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_GLOBAL", "LOAD_NAME")
_STORES = ("STORE_ATTR", "STORE_GLOBAL", "STORE_NAME")
_NUMBERS = ("LOAD_CONST", "LOAD_SMALL_INT")
_BETWEEN = ("CACHE", "SWAP", "ROT_TWO", "LOAD_FAST", "LOAD_FAST_BORROW", "COPY", "DUP_TOP", "PRECALL")
_SUMS = ("+=", "-=", "+", "-")


@functools.cache
def only_counts(code: types.CodeType, name: str) -> bool:
    """Whether the code does nothing with an attribute or global of this name but add constants to it."""
    if name in code.co_consts:
        return False
    if name not in code.co_names:
        return True
    steps = [each for each in dis.get_instructions(code) if each.opname not in _BETWEEN]
    for i, step in enumerate(steps):
        if step.argval != name or step.opname not in (*_LOADS, *_STORES):
            continue
        first = i if step.opname in _LOADS else i - 3
        if not 0 <= first <= len(steps) - 4:
            return False
        load, number, total, store = steps[first : first + 4]
        is_sum = total.argrepr in _SUMS or total.opname in ("INPLACE_ADD", "INPLACE_SUBTRACT", "BINARY_ADD")
        counts = load.opname in _LOADS and store.opname in _STORES and load.argval == store.argval == name
        if not (counts and is_sum and number.opname in _NUMBERS and type(number.argval) in (int, float)):
            return False
    return True


def _module_of(cls: type) -> str:
    module = getattr(cls, "__module__", None)
    return module if isinstance(module, str) else "builtins"


def is_users_class(cls: type) -> bool:
    """Whether a class is neither Python's nor ours nor NumPy's."""
    return _module_of(cls).split(".")[0] not in (
        "mindspore",
        "numpy",
        "builtins",
        "abc",
        "typing",
        "functools",
    )


# Recording itself, and networks from files, which stay as they were loaded.
_WITHOUT_STATE = ("_capture", "_mindir")


def holds_state(cls: type) -> bool:
    """Whether attributes of objects of a class matter to who uses them."""
    if is_users_class(cls):
        return _module_of(cls) not in ("threading", "_thread", "logging", "weakref")
    module = _module_of(cls)
    return module.startswith("mindspore.") and not any(part in module for part in _WITHOUT_STATE)


def position_of(frame) -> str:
    """Where the user's code stands."""
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else "?"
