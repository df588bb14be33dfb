# SPDX-License-Identifier: Apache-2.0
"""Strict functions: what would need Python at run time is an error that names the line and a cure."""

from __future__ import annotations

import dis
import linecache
import re
import sys

from mindspore._capture import code as codes

_LAX = "or allow it with jit_syntax_level='LAX'"
_DECISION = re.compile("JUMP.*IF|UNARY_NOT|CONTAINS_OP|TO_BOOL")  # these the graph takes itself
_TRUTH = re.compile(r"\s*(bool|any|all)\s*\(")
# What a reason for falling back says, and what to do about it.
_CURES = (
    (r"reads (the values?|a value) ",
     "Compute with the tensor itself, or return it and read it afterwards"),
    (r"NumPy array", "Pass a Tensor"),
    (r"result differs from call to call|other numbers in every call|random numbers from NumPy",
     "Pass the number as an argument; for random numbers, ops.rand and friends can be compiled"),
    (r"it changes ", "Return the new value, or keep it in a Parameter"),
    (r"iterator", "Use a list or a tuple"),
    (r"function that was made", "Return values instead"),
    (r"part of a tensor's memory", "Use a copy() of the tensor"),
)  # fmt: skip


def is_strict(options: dict) -> bool | None:
    """What the options of a function or Cell say about falling back; None: nothing."""
    level = options.get("jit_syntax_level")
    return level == "STRICT" if level else None


def cure_for(reason: str) -> str:
    """What to do about a reason for falling back, as a sentence."""
    found = (cure for pattern, cure in _CURES if re.search(pattern, reason))
    return f"{next(found, 'Move that part out of the compiled function')}, {_LAX}."


def refused(name: str, reason: str) -> Exception:
    """The error of a strict function that cannot be compiled."""
    kind = TypeError if reason.startswith("it changes 'self.") else RuntimeError
    return kind(f"'{name}' cannot be compiled: {reason}. {cure_for(reason)}")


def _is_decision(frame) -> bool:
    """Whether the user's code stands at an `if`, `while`, `and`, `not` or the like."""
    operation = dis.opname[frame.f_code.co_code[frame.f_lasti]]
    if _DECISION.search(operation):
        return True
    places = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    line = linecache.getline(frame.f_code.co_filename, places[0] or 0)
    return bool(_TRUTH.match(line[places[2] or 0 :]))


def look_check(name: str):
    """What is called when Python looks at a value that is being computed."""

    def check() -> None:
        frame = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(codes.PACKAGE):
            frame = frame.f_back
        if frame is not None and not _is_decision(frame):
            where = f"{frame.f_code.co_filename}:{frame.f_lineno}"
            raise refused(name, f"Python reads the value of a tensor ({where})")

    return check


def forbid_effects(name: str, effects) -> None:
    """Raises the error for what a run of a strict function has done outside of it, if it has.

    Lists and dicts that it was given are its arguments: it may change them.
    """
    for place in effects.written:
        if place.what.startswith("the attribute"):
            raise TypeError(
                "In JIT strict mode, if need to modify a member attribute of a class with self.x, the member "
                f"attribute must be of the Parameter type. '{name}' assigns {place.what}{place.where}: "
                f"make it a Parameter, return the new value, {_LAX}."
            )
        raise refused(name, f"it changes {place.what}{place.where}")
    if effects.passing is not None:
        raise refused(name, effects.passing)
