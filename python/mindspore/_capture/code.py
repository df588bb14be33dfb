# SPDX-License-Identifier: Apache-2.0
"""What can be said about code without running it: whose it is, which globals it names, what it makes."""

from __future__ import annotations

import dis
import functools
import os
import sys
import sysconfig
import types

import numpy as np

from mindspore._capture.loops.tries import original

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
FOREIGN = tuple({sysconfig.get_paths()["stdlib"] + os.sep, os.path.dirname(np.__file__) + os.sep, "<frozen"})
LIBRARY, CONSTRUCT, EFFECT, SETTING, USER = range(5)
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
# Functions of ours that tell how the process is set.
_SETTINGS = frozenset(("get_auto_parallel_context", "get_context", "get_seed"))
_GLOBAL_NAMES = ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL")


@functools.cache
def kind_of(code: types.CodeType) -> int:
    """Ours or Python's own, a `construct` of ours, one with effects, one about settings, or the user's."""
    file, name = code.co_filename, code.co_name
    if file.startswith(PACKAGE):
        if name == "construct":
            return CONSTRUCT
        return EFFECT if name in _EFFECTS else SETTING if name in _SETTINGS else LIBRARY
    return LIBRARY if file.startswith(FOREIGN) and "site-packages" not in file else USER


@functools.cache
def global_names(code: types.CodeType) -> tuple[str, ...]:
    """Names of globals that the code reads or writes."""
    found = (each.argval for each in dis.get_instructions(code) if each.opname in _GLOBAL_NAMES)
    return tuple(dict.fromkeys(found))


@functools.cache
def imported_names(code: types.CodeType) -> tuple[tuple[str, int], ...]:
    """Modules that the code imports itself: (name, number of dots before it)."""
    found, before = [], []
    for each in dis.get_instructions(code):
        if each.opname == "IMPORT_NAME":
            level = before[-2].argval if len(before) > 1 else 0
            found.append((each.argval, level if isinstance(level, int) else 0))
        before = [*before[-1:], each]
    return tuple(found)


@functools.cache
def attribute_names(code: types.CodeType) -> tuple[str, ...]:
    """Names that the code may look up in a module: those it spells out, as code or as text."""
    texts = (constant for constant in code.co_consts if isinstance(constant, str) and constant.isidentifier())
    return tuple(dict.fromkeys((*code.co_names, *texts)))


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
    if name in code.co_consts or any(
        each in code.co_names for each in ("setattr", "vars", "__dict__", "globals")
    ):
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


@functools.cache
def may_write(code: types.CodeType) -> bool:
    """Whether code may write into tensors: it assigns items, or names something that does."""
    if any(step.opname == "STORE_SUBSCR" for step in dis.get_instructions(code)):
        return True
    names = (name.lower() for name in code.co_names if not name.startswith("_"))
    return any(name.endswith("_") or "assign" in name or "scatter" in name for name in names)


def is_steady_module(module: types.ModuleType) -> bool:
    """Whether a module is ours, Python's or NumPy's: nobody assigns to its names."""
    file = getattr(module, "__file__", None) or ""
    is_foreign = file.startswith(FOREIGN) and (
        module.__name__.startswith("numpy") or "site-packages" not in file
    )
    return file.startswith(PACKAGE) or is_foreign or module.__name__ in sys.builtin_module_names


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


# Recording itself, for files too, and networks from files, which stay as they were loaded.
_WITHOUT_STATE = ("_capture", "_export", "_mindir")


def holds_state(cls: type) -> bool:
    """Whether attributes of objects of a class matter to who uses them."""
    if is_users_class(cls):
        return _module_of(cls) not in ("threading", "_thread", "logging")
    module = _module_of(cls)
    return module.startswith("mindspore.") and not any(part in module for part in _WITHOUT_STATE)


def name_in(what: str) -> str:
    """The name under which code gets at what a message calls so; empty: it may need none."""
    quoted = what.rpartition("an attribute of ")[2]
    if quoted.startswith(("'", "the global '", "the variable '")):
        return quoted.rstrip("'").rpartition("'")[2].rpartition(".")[2]
    return ""


def mentions(code: types.CodeType, name: str) -> bool:
    """Whether code may get at something of this name; without one it may."""
    if not name or any(each in code.co_names for each in ("getattr", "vars", "__dict__", "globals")):
        return True
    return name in attribute_names(code) or name in code.co_freevars


def stores(code: types.CodeType, key) -> bool:
    """Whether code assigns an attribute, a variable or an entry of this name; without one it may."""
    if key is None or key in code.co_consts:
        return True
    return any(each.opname.startswith("STORE") and each.argval == key for each in dis.get_instructions(code))


def line_of(run, name, stores: bool = False) -> str:
    """Where code that has run first mentions, or assigns, a name, as " (file:line)"; empty: nowhere."""
    for code in map(original, run):
        for each in dis.get_instructions(code):
            is_meant = each.opname.startswith("STORE") if stores else True
            if each.argval == name and is_meant and each.positions and each.positions.lineno:
                return f" ({code.co_filename}:{each.positions.lineno})"
    return ""


def made_of(function: types.FunctionType) -> tuple:
    """What a function consists of that can be replaced."""
    return function.__code__, function.__defaults__, function.__kwdefaults__


def owner_of(frame):
    """What a method that begins to run belongs to: its first argument, whatever that is called."""
    names = frame.f_code.co_varnames
    return frame.f_locals.get(names[0]) if names else None


def position_of(frame) -> str:
    """Where the user's code stands."""
    while frame is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else "?"
