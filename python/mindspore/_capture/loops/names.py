# SPDX-License-Identifier: Apache-2.0
"""Which variables a loop hands from turn to turn and to what follows it, by its syntax tree."""

from __future__ import annotations

import ast

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES = (*_FUNCTIONS, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_KEEPING = ("append", "appendleft", "insert", "add", "setdefault")
_ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def reads(tree: ast.AST | list[ast.AST]) -> set[str]:
    """Names that are read somewhere, inner functions looked into."""
    found: set[str] = set()
    for one in tree if isinstance(tree, list) else [tree]:
        for each in ast.walk(one):
            if isinstance(each, ast.Name) and _is_read(each):
                found.add(each.id)
            elif isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Name):
                found.add(each.target.id)
    return found


def assigned(statements: list[ast.stmt]) -> set[str]:
    """Names that statements assign in their own function."""
    found: set[str] = set()
    waiting: list[ast.AST] = list(statements)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and not _is_read(node):
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found.update((each.asname or each.name).partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        if not isinstance(node, _SCOPES):
            waiting += ast.iter_child_nodes(node)
    return found | written(statements)


def written(statements: list[ast.stmt]) -> set[str]:
    """Names of what statements write into, by index."""
    found: set[str] = set()
    for each in (each for one in statements for each in ast.walk(one)):
        if isinstance(each, ast.Subscript) and not _is_read(each):
            base: ast.expr = each
            while isinstance(base, ast.Subscript):
                base = base.value
            if isinstance(base, ast.Name):
                found.add(base.id)
    return found


def _is_read(node: ast.Name | ast.Subscript | ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Load)


def assigned_attributes(statements: list[ast.stmt]) -> list[str]:
    """Attributes that statements assign, as texts."""
    found = [each for one in statements for each in ast.walk(one) if isinstance(each, ast.Attribute)]
    return sorted({ast.unparse(each) for each in found if not _is_read(each)})


def variables_of(loop: ast.While | ast.For, function: ast.FunctionDef, outermost: ast.AST) -> list[str]:
    """Names that the loop assigns and that the next turn, or what follows the loop, may read.

    Args:
        loop (Union[ast.While, ast.For]): The loop.
        function (ast.FunctionDef): The function it stands in.
        outermost (ast.AST): The outermost loop around it, or itself.
    """
    changed = assigned(loop.body) | (assigned([loop.target]) if isinstance(loop, ast.For) else set())
    flow = _Flow()
    known = set()
    if isinstance(loop, ast.While):
        flow.read(loop.test, known)
    else:
        known = assigned([loop.target])
    flow.block(loop.body, known)
    return sorted(changed & (flow.exposed | _read_later(loop, function, outermost)))


def _read_later(loop: ast.AST, function: ast.FunctionDef, outermost: ast.AST) -> set[str]:
    inside = {id(each) for part in loop.body for each in ast.walk(part)}
    later: list[ast.AST] = []
    for node in ast.walk(function):
        if isinstance(node, _FUNCTIONS) and node is not function:
            later.append(node)
        is_later = getattr(node, "lineno", 0) > loop.end_lineno
        if isinstance(node, (ast.Name, ast.AugAssign)) and is_later and id(node) not in inside:
            later.append(node)
    if outermost is not loop:
        again = [each for each in ast.walk(outermost) if isinstance(each, (ast.Name, ast.AugAssign))]
        later += [each for each in again if id(each) not in inside]
    return reads(later + list(loop.orelse))


def seen_by_functions(function: ast.FunctionDef, loop: ast.AST) -> set[str]:
    """Names read by inner functions that stand outside a loop, or that can be called after their turn."""
    inside = {id(each) for each in ast.walk(loop)}
    kept = {id(each) for each in _kept_functions(loop, variables_of(loop, function, function))}
    found: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, _FUNCTIONS) and node is not function:
            found |= reads(node) - _own_names(node) if id(node) not in inside or id(node) in kept else set()
    return found


def _kept_functions(loop: ast.AST, later: list[str]) -> list[ast.AST]:
    """Functions made in a loop that a name, a list or an attribute may still hold in a later turn."""
    kept: list[ast.AST] = []
    for node in ast.walk(loop):
        if isinstance(node, ast.FunctionDef) and node.name in later:
            kept.append(node)
        elif isinstance(node, ast.Assign):
            is_kept = any(not isinstance(each, ast.Name) or each.id in later for each in node.targets)
            kept += [node.value] if is_kept else []
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            kept += node.args if node.func.attr in _KEEPING else []
    return kept


def _own_names(function: ast.AST) -> set[str]:
    """Parameters of a function, and what it assigns."""
    every = [each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)]
    return {*every} if isinstance(function, ast.Lambda) else {*every} | assigned(function.body)


class _Flow:
    """Names that may be read before they are assigned; `known` holds what is certainly assigned."""

    def __init__(self):
        self.exposed: set[str] = set()

    def read(self, tree: ast.AST, known: set[str]) -> None:
        """An expression is computed."""
        self.exposed |= reads(tree) - known

    def block(self, statements: list[ast.stmt], known: set[str]) -> set[str] | None:
        """What is assigned after statements, None if what follows is not reached."""
        for statement in statements:
            known = self._statement(statement, known)
            if known is None:
                return None
        return known

    def _statement(self, node: ast.stmt, known: set[str]) -> set[str] | None:
        if isinstance(node, ast.If):
            self.read(node.test, known)
            return _both(self.block(node.body, known), self.block(node.orelse, known))
        if isinstance(node, (ast.While, ast.For)):
            self.read(node.test if isinstance(node, ast.While) else node.iter, known)
            self.block(node.body, known | (assigned([node.target]) if isinstance(node, ast.For) else set()))
            self.block(node.orelse, known)
            return known
        if isinstance(node, ast.With):
            for item in node.items:
                self.read(item.context_expr, known)
            names = [item.optional_vars for item in node.items if item.optional_vars]
            return self.block(node.body, known | assigned(names))
        if isinstance(node, (ast.Try, ast.Match)):
            self.read(node, known)
            return known
        self.read(node, known)
        return None if isinstance(node, _ENDS) else known | assigned([node])


def _both(one: set[str] | None, other: set[str] | None) -> set[str] | None:
    if one is None or other is None:
        return other if one is None else one
    return one & other
