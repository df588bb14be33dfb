# SPDX-License-Identifier: Apache-2.0
"""The text that code was made of, as syntax trees."""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from types import CodeType


def definition_of(code: CodeType) -> tuple[ast.stmt, int] | None:
    """The statement that defines a function, and how many lines of the file come before it.

    None if there is no such text.
    """
    try:
        lines, first = inspect.getsourcelines(code)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, SyntaxError, TypeError):
        return None
    return tree.body[0], max(first, 1) - 1


def expression_at(code: CodeType, offset: int) -> ast.expr | None:
    """The expression that an instruction belongs to.

    None if it is not known: Python tells since 3.11, and a statement is no expression.

    Args:
        code (CodeType): The function.
        offset (int): Of the instruction, in bytes.
    """
    if not hasattr(code, "co_positions"):
        return None
    first, last, begin, end = list(code.co_positions())[offset // 2]
    if None in (first, last, begin, end):
        return None
    lines = [linecache.getline(code.co_filename, line).encode() for line in range(first, last + 1)]
    lines[-1] = lines[-1][:end]  # columns count bytes
    lines[0] = lines[0][begin:]
    try:
        return ast.parse(f"({b''.join(lines).decode()})", mode="eval").body
    except (SyntaxError, UnicodeDecodeError):
        return None
