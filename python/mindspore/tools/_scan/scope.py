# SPDX-License-Identifier: Apache-2.0
"""Names that a script has bound, and to what."""

from __future__ import annotations

import ast
import builtins

from mindspore.tools._scan.values import UserClass, Value, joined

UNBOUND = object()
_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__path__", "__annotations__", "get_ipython", "display"}


class Scope:
    """Names of one module, class or function.

    Args:
        outer (Scope): Where a name is looked for next. Default: ``None``.
        kind (UserClass): The class whose body or method this is. Default: ``None``.
        is_class_body (bool): The body of that class. Default: ``False``.
    """

    def __init__(
        self, outer: Scope | None = None, kind: UserClass | None = None, is_class_body: bool = False
    ) -> None:
        self.outer, self.kind, self.is_class_body = outer, kind, is_class_body
        self.names: dict[str, Value] = {}
        self.shared: set[str] = set()  # declared global or nonlocal
        self.stars: list[str] = []  # framework modules of which everything was imported
        self.branches = 0  # how many ifs, loops and tries we are in

    def bind(self, name: str, value: Value) -> None:
        """A name gets a value; in a branch it may keep its old one."""
        if name in self.shared and self.outer is not None:
            self.module().names[name] = joined(self.module().names.get(name), value)
        elif self.branches and name in self.names:
            self.names[name] = joined(self.names[name], value)
        else:
            self.names[name] = value

    def find(self, name: str) -> Value | object:
        """What a name stands for; ``UNBOUND`` where nothing binds it."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return UNBOUND

    def module(self) -> Scope:
        """The outermost scope."""
        scope = self
        while scope.outer is not None:
            scope = scope.outer
        return scope

    def around_methods(self) -> Scope:
        """Where functions defined here look for names: methods do not see the names of their class."""
        return self.outer if self.is_class_body and self.outer is not None else self


def bound_anywhere(tree: ast.AST) -> set[str]:
    """Every name that something in a file binds, and those that are always there."""
    names = set(_BUILTINS)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            names.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            names.add(node.rest)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            names.update(node.names)
    return names
