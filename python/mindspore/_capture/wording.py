# SPDX-License-Identifier: Apache-2.0
"""Mistakes that Python's own functions complain about, in the words that graph mode has for them.

These words are what scripts look for and what answers to questions quote, whatever the version of Python; the
class of the error is Python's. The mistakes of which Python says less than it knows are told in full.
"""

from __future__ import annotations

import ast
import re
from types import CodeType

from mindspore._capture.source import expression_at

_NUMBER = "(bool|int|float|complex)"
_WORDS = [
    (kind, re.compile(pythons), ours)
    for kind, pythons, ours in (
        (
            TypeError,
            r"isinstance\(\) arg 2 must be a type, a tuple of types, or a union",
            "isinstance() arg 2 must be a type or tuple of types, or a union of types.",
        ),
        (
            TypeError,
            r"float\(\) argument must be a string or a real number, not '(\w+)'",
            r"float() argument must be a string or a number, not '\1'.",
        ),
        (
            TypeError,
            rf"unsupported operand type\(s\) for (<<|>>)=?: '{_NUMBER}' and '{_NUMBER}'",
            r"For '\1', only integer types are supported, but got '\2' and '\3'.",
        ),
        (ValueError, r"negative shift count", "The shift count must be a non-negative integer."),
        (IndexError, r"pop index out of range", "The pop index out of range."),
        (IndexError, r"pop from empty list", "The pop index out of range: the list is empty."),
        (ValueError, r"tuple\.index\(x\): x not in tuple", "tuple.index(x): x is not in tuple."),
    )
]
_NO_ITERABLE = re.compile(r"'(\w+)' object is not iterable")
_NO_INTEGER = re.compile(r"'(\w+)' object cannot be interpreted as an integer")


def reworded(error: Exception, code: CodeType, offset: int) -> str | None:
    """What to say instead of Python's message; None if that is good as it is.

    Args:
        error (Exception): What an instruction of the user's code raised, with Python's message.
        code (CodeType): The code.
        offset (int): Of the instruction, in bytes.
    """
    said = str(error)
    for kind, pythons, ours in _WORDS:
        found = pythons.fullmatch(said) if type(error) is kind else None
        if found:
            return found.expand(ours)
    if type(error) is AttributeError:
        return _about_fields(error)
    return _about_enumerate(said, code, offset) if type(error) is TypeError else None


def _about_fields(error: AttributeError) -> str | None:
    """A named tuple is small enough to say what it has."""
    owner = type(getattr(error, "obj", None))  # Python tells since 3.10
    fields = getattr(owner, "_fields", None)
    if not issubclass(owner, tuple) or not isinstance(fields, tuple):
        return None
    names = ", ".join(fields)
    return f"'NamedTuple' object has no attribute '{error.name}': a '{owner.__name__}' has {names}."


def _about_enumerate(said: str, code: CodeType, offset: int) -> str | None:
    wrong_input, wrong_start = _NO_ITERABLE.fullmatch(said), _NO_INTEGER.fullmatch(said)
    call = expression_at(code, offset) if wrong_input or wrong_start else None
    if not isinstance(call, ast.Call) or ast.unparse(call.func) != "enumerate":
        return None
    if wrong_input:
        given = f"<class '{wrong_input[1]}'>"
        return f"For 'enumerate', the 'first input' should be tuple or list or tensor, but got {given}."
    named = (word.value for word in call.keywords if word.arg == "start")
    start = next(named, call.args[-1])
    kind = "" if isinstance(start, ast.Constant) else f", a {wrong_start[1]}"
    return f"For 'enumerate', the 'start' should be a const int number, but got {ast.unparse(start)}{kind}."
