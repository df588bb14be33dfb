# SPDX-License-Identifier: Apache-2.0
"""A decision that cannot be made, and a way behind it that cannot be gone either."""

from __future__ import annotations

import ast
import builtins
import dis
from types import CodeType, FrameType

from mindspore._capture.source import definition_of

_AMBIGUOUS = "The truth value of "


def undefined_name(error: BaseException, frame: FrameType, line: int) -> tuple[str, int] | None:
    """A name on one of the ways that nothing defines, and its line.

    Which way to go is not known, so each of them has to make sense. None if they do, or if the error is
    not about a decision.

    Args:
        error (BaseException): What the decision raised.
        frame (FrameType): The function in which it was raised.
        line (int): The line there.
    """
    is_ambiguous = type(error) is ValueError and str(error).startswith(_AMBIGUOUS)
    text = definition_of(frame.f_code) if is_ambiguous else None
    if text is None:
        return None
    definition, before = text
    for decision in ast.walk(definition):
        if isinstance(decision, (ast.If, ast.While)) and _covers(decision.test, line - before):
            lines = range(before + decision.lineno, before + decision.end_lineno + 1)
            names = _names_from_outside(frame.f_code)
            lost = [(line, name) for name, line in names if line in lines and not _is_there(name, frame)]
            return min(lost)[::-1] if lost else None
    return None


def _covers(node: ast.expr, line: int) -> bool:
    return node.lineno <= line <= node.end_lineno


def _names_from_outside(code: CodeType):
    """Names that the function does not assign itself, each with the line that reads it."""
    begins, line = dict(dis.findlinestarts(code)), None
    for each in dis.get_instructions(code):
        line = begins.get(each.offset, line)
        if each.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield each.argval, line


def _is_there(name: str, frame: FrameType) -> bool:
    return name in frame.f_globals or hasattr(builtins, name)
