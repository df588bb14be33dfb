# SPDX-License-Identifier: Apache-2.0
"""What the source of a module says and its objects do not: imports, attributes of instances, results."""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator
from functools import cache

Function = (ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def tree_of(module: str) -> ast.Module:
    """The syntax tree of a module; empty when it has no source."""
    try:
        return ast.parse(inspect.getsource(sys.modules[module]))
    except (KeyError, OSError, TypeError):
        return ast.Module([], [])


@cache
def imports_of(module: str) -> dict[str, tuple[str, str]]:
    """Name -> (module, name there) of everything the module imports, also for type checkers only."""
    package = getattr(sys.modules.get(module), "__package__", "") or ""
    found = {}
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.ImportFrom):
            home = node.module or ""
            if node.level:
                base = package.rsplit(".", node.level - 1)[0] if node.level > 1 else package
                home = f"{base}.{home}" if home else base
            found.update({alias.asname or alias.name: (home, alias.name) for alias in node.names})
        elif isinstance(node, ast.Import):
            found.update({alias.asname or alias.name: (alias.name, "") for alias in node.names})
    return found


def assigned_text(module: str, name: str) -> str:
    """What a module assigns to a name, as it is written there; empty when it assigns nothing."""
    for node in tree_of(module).body:
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == name for target in node.targets):
            return ast.unparse(node.value)
    return ""


def _class_node(cls: type) -> ast.ClassDef | None:
    for node in ast.walk(tree_of(cls.__module__)):
        if isinstance(node, ast.ClassDef) and node.name == cls.__name__:
            return node
    return None


class Assigned(ast.NodeVisitor):
    """Public attributes that methods assign to `self`: name -> (value, annotation, function)."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[ast.expr | None, ast.expr | None, ast.FunctionDef]] = {}
        self._function: ast.FunctionDef | None = None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Enters a method; functions inside of methods have another `self` or none."""
        if self._function is None:
            self._function = node
            self.generic_visit(node)
            self._function = None

    def visit_Assign(self, node: ast.Assign) -> None:
        """`self.x = ...`, `self.x, self.y = ...`."""
        for target in node.targets:
            if isinstance(target, ast.Tuple):
                values = node.value.elts if isinstance(node.value, ast.Tuple) else [None] * len(target.elts)
                for part, value in zip(target.elts, values, strict=False):
                    self._note(part, value, None)
            else:
                self._note(target, node.value, None)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """`self.x: int = ...`."""
        self._note(node.target, node.value, node.annotation)

    def _note(self, target: ast.expr, value: ast.expr | None, annotation: ast.expr | None) -> None:
        of_self = isinstance(target, ast.Attribute) and getattr(target.value, "id", "") == "self"
        if not of_self or target.attr.startswith("_") or self._function is None:
            return
        known = self.found.get(target.attr)
        if known is None or (known[1] is None and (annotation is not None or _is_none(known[0]))):
            self.found[target.attr] = (value, annotation, self._function)


def _is_none(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and node.value is None)


def attributes_of(cls: type) -> dict[str, tuple]:
    """Public attributes that instances of the class get from its own methods."""
    node = _class_node(cls)
    visitor = Assigned()
    for statement in node.body if node else []:
        visitor.visit(statement)
    return visitor.found


def _returns(node: ast.AST) -> Iterator[ast.AST]:
    """`return` and `yield` of a function, not those of functions inside."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (*Function, ast.Lambda, ast.ClassDef)):
            continue
        if isinstance(child, (ast.Return, ast.Yield, ast.YieldFrom)):
            yield child
        yield from _returns(child)


@cache
def function_node(function) -> ast.FunctionDef | None:
    """The syntax tree of a Python function."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return None
    return tree.body[0] if tree.body and isinstance(tree.body[0], Function) else None


def returned_values(function) -> list[ast.expr] | None:
    """What the `return` statements give; an empty list for nothing, None when that is unknown."""
    node = function_node(function)
    if node is None:
        return None
    found = list(_returns(node))
    if any(not isinstance(statement, ast.Return) for statement in found):
        return None
    # A body that only documents or refuses says nothing about what overrides of it return.
    is_open = all(isinstance(statement, (ast.Expr, ast.Pass, ast.Raise)) for statement in node.body)
    values = [statement.value for statement in found if statement.value is not None]
    return None if is_open and _is_short(node) else values


def _is_short(node: ast.FunctionDef) -> bool:
    expressions = [s for s in node.body if isinstance(s, ast.Expr) and not isinstance(s.value, ast.Constant)]
    return not expressions


def only_refuses(function) -> bool:
    """Whether a method only says that a derived class has to define it."""
    node = function_node(function)
    last = node.body[-1] if node is not None and len(node.body) <= 2 else None
    return isinstance(last, ast.Raise) and "NotImplementedError" in ast.dump(last)
