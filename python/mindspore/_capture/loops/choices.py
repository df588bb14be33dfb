# SPDX-License-Identifier: Apache-2.0
"""Statements that may decide something by a value, as loops with one turn."""

from __future__ import annotations

import ast

_MARK = "_mycel_is_choice"
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return)
_ASKING = (ast.IfExp, ast.BoolOp, ast.Not)
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_BLOCKS = ("body", "orelse", "finalbody")


def is_choice(node: ast.AST) -> bool:
    """Whether a loop stands for a statement."""
    return getattr(node, _MARK, False)


def wrap_choices(tree: ast.AST) -> None:
    """Puts statements of a function that may ask questions into loops with one turn."""
    for name in _BLOCKS:
        statements = getattr(tree, name, None)
        if isinstance(statements, list):
            setattr(tree, name, [_wrapped(each) for each in statements])
    for handler in getattr(tree, "handlers", []):
        wrap_choices(handler)


def _wrapped(statement: ast.stmt) -> ast.stmt:
    if isinstance(statement, _INNER):
        return statement
    may_ask = isinstance(statement, ast.If) and not _leaves_a_loop(statement)
    if isinstance(statement, _SIMPLE):
        may_ask = any(isinstance(each, _ASKING) for each in ast.walk(statement))
    wrap_choices(statement)
    if not may_ask:
        return statement
    loop = ast.While(ast.Constant(True), [statement], [])
    setattr(loop, _MARK, True)
    for made in (loop, loop.test):
        ast.copy_location(made, statement)
    return loop


def _leaves_a_loop(node: ast.AST) -> bool:
    """Whether there is a `break` or `continue` of a loop around."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.Break, ast.Continue)):
            return True
        if not isinstance(child, (*_INNER, ast.For, ast.While)) and _leaves_a_loop(child):
            return True
    return False
