# SPDX-License-Identifier: Apache-2.0
"""Why a local variable has no value: where it is assigned, and what was not run."""

from __future__ import annotations

import ast
import re
from types import CodeType

from mindspore._capture.source import definition_of

_VARIABLE = re.compile(r"local variable '(\w+)'")
_BRANCHES = {"body": "true", "orelse": "false"}
_OTHER = {"true": "false", "false": "true"}
_OWN_SCOPE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def explain(error: UnboundLocalError, code: CodeType, line: int) -> tuple[str, list[int]] | None:
    """What to say about a variable that has no value, and the lines of the function and of what assigns it.

    None if nothing is known about it.

    Args:
        error (UnboundLocalError): The error.
        code (CodeType): The function in which it was raised.
        line (int): The line there.
    """
    found, text = _VARIABLE.search(str(error)), definition_of(code)
    if found is None or text is None:
        return None
    name, (definition, before) = found.group(1), text
    used = line - before
    for assignment, around in _assignments(definition, name, ()):
        # The outermost of these is what was not run before the line that uses the variable.
        for statement, field in around:
            is_inside = statement.lineno <= used <= statement.end_lineno
            if not is_inside or (
                isinstance(statement, ast.If) and not _holds(getattr(statement, field), used)
            ):
                lines = [before + node.lineno for node in (definition, assignment)]
                return _said(name, statement, field), lines
    return None


def _holds(statements: list, line: int) -> bool:
    return any(one.lineno <= line <= one.end_lineno for one in statements)


def _said(name: str, statement: ast.stmt, field: str) -> str:
    if isinstance(statement, ast.If):
        branch = _BRANCHES[field]
        return (
            f"The local variable '{name}' is not defined in {_OTHER[branch]} branch, but defined in {branch} "
            "branch."
        )
    loop = "while" if isinstance(statement, ast.While) else "for"
    return (
        f"The local variable '{name}' defined in the '{loop}' loop body cannot be used outside of the loop "
        "body."
    )


def _assignments(node: ast.AST, name: str, around: tuple):
    """Places that assign a variable, each with the decisions and loops around it, outer ones first."""
    for field, value in ast.iter_fields(node):
        for part in value if isinstance(value, list) else [value]:
            if not isinstance(part, ast.AST) or isinstance(part, _OWN_SCOPE):
                continue
            if isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Store):
                yield part, around
            decides = isinstance(node, (ast.If, ast.For, ast.While)) and field in _BRANCHES
            yield from _assignments(part, name, (*around, (node, field)) if decides else around)
