# SPDX-License-Identifier: Apache-2.0
"""What becomes of values in code, found without running it: whether a number is only computed with.

A stand-in for a number may be given only to code that uses it in arithmetic, comparisons and tests: there the
stand-in is asked, and answers as the number would. Whatever is not understood is another use.
"""

from __future__ import annotations

import dis
import functools
import sys
import types
from typing import NamedTuple

_IS_KNOWN = (3, 11) <= sys.version_info[:2] <= (3, 12)  # instructions of other interpreters differ
_SKIPPED = frozenset(("CACHE", "PRECALL", "NOP", "RESUME", "EXTENDED_ARG", "KW_NAMES"))
_PUSH_ONE = frozenset(
    ("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_CONST", "LOAD_DEREF", "LOAD_NAME", "LOAD_CLOSURE", "PUSH_NULL")
)
_UNARY = frozenset(("UNARY_NEGATIVE", "UNARY_POSITIVE", "UNARY_INVERT", "UNARY_NOT"))
_BINARY = frozenset(("BINARY_OP", "COMPARE_OP", "BINARY_SUBSCR", "IS_OP", "CONTAINS_OP"))
_LOADS = frozenset(("LOAD_ATTR", "LOAD_METHOD", "LOAD_GLOBAL", "LOAD_NAME"))
_LOCAL_STORES = frozenset(("STORE_FAST",))
_PLACE_STORES = frozenset(("STORE_ATTR", "STORE_GLOBAL", "STORE_NAME"))
# Names with which code can get at anything.
_FAR_REACHING = frozenset(
    ("getattr", "setattr", "vars", "locals", "globals", "__dict__", "eval", "exec", "_getframe", "attrgetter")
)


class _Use(NamedTuple):
    """The instruction that takes a value from the stack."""

    index: int
    above: int  # values that lay above it


def _effect(step: dis.Instruction) -> tuple[int, int] | None:
    """(values taken from the stack, values put there); None: not known."""
    name, arg = step.opname, step.arg or 0
    if name in _PUSH_ONE:
        return 0, 1
    if name == "LOAD_GLOBAL":
        return 0, 2 if step.argrepr.startswith("NULL + ") else 1
    if name == "LOAD_ATTR":
        return 1, 2 if step.argrepr.startswith("NULL|self + ") else 1
    if name == "LOAD_METHOD":
        return 1, 2
    if name in _UNARY:
        return 1, 1
    if name in _BINARY:
        return 2, 1
    if name == "CALL":
        return arg + 2, 1
    if name in ("BUILD_TUPLE", "BUILD_LIST"):
        return arg, 1
    known = {"STORE_FAST": (1, 0), "STORE_ATTR": (2, 0), "STORE_GLOBAL": (1, 0), "STORE_NAME": (1, 0)}
    return (1, 0) if name.startswith("POP_JUMP") else known.get(name)


@functools.lru_cache(maxsize=4096)
def _steps(code: types.CodeType) -> tuple[dis.Instruction, ...]:
    return tuple(dis.get_instructions(code))


def _use_of(steps: tuple, index: int) -> _Use | None:
    """Who takes the value that an instruction leaves on the stack; None: not known."""
    if not _IS_KNOWN:
        return None
    above = 0
    for i in range(index + 1, len(steps)):
        step = steps[i]
        if step.is_jump_target:
            return None  # others come here too
        if step.opname in _SKIPPED:
            continue
        if step.opname == "SWAP" and step.arg == 2 and above < 2:
            above = 1 - above
            continue
        if step.opname == "COPY" and (step.arg or 0) <= above:
            above += 1
            continue
        effect = _effect(step)
        if effect is None:
            return None
        if effect[0] > above:
            return _Use(i, above)
        above += effect[1] - effect[0]
        if step.opname.startswith("POP_JUMP"):
            return None
    return None


def _is_plain_use(code: types.CodeType, index: int, names: frozenset, depth: int = 0) -> bool:
    """Whether the value that an instruction leaves is only computed and compared with.

    `names`: attributes and globals in which it may be kept.
    """
    steps = _steps(code)
    use = _use_of(steps, index)
    if use is None or depth > 8:
        return False
    step = steps[use.index]
    if step.opname in ("BINARY_OP", "COMPARE_OP", "UNARY_NEGATIVE") or step.opname.startswith("POP_JUMP"):
        return True
    if step.opname in _LOCAL_STORES:
        return _local_is_plain(code, step.argval, names, depth + 1)
    if step.opname in _PLACE_STORES:
        return step.argval in names and use.above == (1 if step.opname == "STORE_ATTR" else 0)
    if step.opname == "CALL":  # the smaller or the larger one is one of those given
        chosen = any(
            steps[i].opname == "LOAD_GLOBAL"
            and steps[i].argval in ("min", "max")
            and steps[i].argrepr.startswith("NULL + ")
            and (found := _use_of(steps, i)) is not None
            and found.index == use.index
            for i in range(use.index)
        )
        return chosen and _is_plain_use(code, use.index, names, depth + 1)
    return False


def _local_is_plain(code: types.CodeType, name: str, names: frozenset, depth: int) -> bool:
    if name in (*code.co_cellvars, *code.co_freevars) or not _FAR_REACHING.isdisjoint(code.co_names):
        return False
    if depth > 8:
        return False
    return all(
        _is_plain_use(code, i, names, depth)
        for i, step in enumerate(_steps(code))
        if step.opname.startswith("LOAD_FAST") and step.argval == name
    )


@functools.lru_cache(maxsize=4096)
def only_computes_with(code: types.CodeType, name: str, names: frozenset) -> bool:
    """Whether code does nothing with attributes and globals of a name but compute and compare.

    Args:
        code (CodeType): The code.
        name (str): The name.
        names (frozenset): Names of all numbers like it, in which results may be kept.
    """
    if name not in code.co_names and name not in code.co_consts:
        return _FAR_REACHING.isdisjoint(code.co_names)
    if name in code.co_consts or not _FAR_REACHING.isdisjoint(code.co_names):
        return False
    return all(
        step.opname in _LOADS | _PLACE_STORES
        and (step.opname in _PLACE_STORES or (step.opname != "LOAD_METHOD" and _is_plain_use(code, i, names)))
        for i, step in enumerate(_steps(code))
        if step.argval == name and step.opname not in ("LOAD_FAST", "STORE_FAST", "LOAD_CONST")
    )


@functools.lru_cache(maxsize=1024)
def parameter_is_computed_with(code: types.CodeType, name: str) -> bool:
    """The same for a parameter of the code's own."""
    return _local_is_plain(code, name, frozenset(), 0)


def result_is_computed_with(frame, names: frozenset) -> bool:
    """The same for what the instruction gives that the frame is executing."""
    return _result_is_plain(frame.f_code, frame.f_lasti, names) and frame.f_globals.keys().isdisjoint(
        ("min", "max")
    )


@functools.lru_cache(maxsize=4096)
def _result_is_plain(code: types.CodeType, offset: int, names: frozenset) -> bool:
    for i, step in enumerate(_steps(code)):
        if step.offset == offset:
            is_arithmetic = step.opname in ("BINARY_OP", "UNARY_NEGATIVE")
            return is_arithmetic and _is_plain_use(code, i, names)
    return False


@functools.lru_cache(maxsize=1024)
def keys_read(code: types.CodeType, parameter: str) -> frozenset | None:
    """The keys that code reads of a dict it is given, if it does nothing else with it."""
    if parameter in (*code.co_cellvars, *code.co_freevars) or not _FAR_REACHING.isdisjoint(code.co_names):
        return None
    if not _IS_KNOWN:
        return None
    keys, steps = set(), _steps(code)
    for i, step in enumerate(steps):
        if step.argval != parameter or not step.opname.endswith("_FAST"):
            continue
        key = steps[i + 1]
        reads = step.opname.startswith("LOAD") and key.opname == "LOAD_CONST" and type(key.argval) is str
        if not reads or key.is_jump_target or steps[i + 2].opname != "BINARY_SUBSCR":
            return None
        keys.add(key.argval)
    return frozenset(keys)
