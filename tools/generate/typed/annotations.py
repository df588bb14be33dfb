# SPDX-License-Identifier: Apache-2.0
"""Annotations of the sources as types of a stub: every name with the module it comes from."""

from __future__ import annotations

import ast
import builtins
import sys
import types
import typing

from typed.places import Surface
from typed.sources import imports_of
from typed.wording import ANY, union

_GENERIC = {"list": f"list[{ANY}]", "dict": f"dict[{ANY}, {ANY}]", "tuple": f"tuple[{ANY}, ...]"}


class _Rewriter(ast.NodeTransformer):
    def __init__(self, surface: Surface, module: str) -> None:
        self.surface, self.module = surface, module
        self.known = True

    def _token(self, home: str, name: str) -> ast.Name:
        value = getattr(sys.modules.get(home), name, None)
        place = self.surface.place_of(value)
        return ast.Name(place.token if place else f"{{{home}:{name}}}")

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        root = node.value
        if not isinstance(root, ast.Name) or root.id not in imports_of(self.module):
            self.known = False
            return node
        home, name = imports_of(self.module)[root.id]
        return self._token(f"{home}.{name}" if name else home, node.attr)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in imports_of(self.module):
            return self._token(*imports_of(self.module)[node.id])
        if hasattr(builtins, node.id):
            return node
        if hasattr(sys.modules.get(self.module), node.id):
            return self._token(self.module, node.id)
        self.known = False
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if isinstance(node.value, str):  # a type in quotes
            return self.visit(ast.parse(node.value, mode="eval").body)
        return node


def type_of_annotation(annotation: object, module: str, surface: Surface) -> str | None:
    """The type that an annotation means in a module; None when a name in it is not known there."""
    if isinstance(annotation, type):
        if annotation.__module__ == "builtins":
            return "None" if annotation is type(None) else annotation.__name__
        place = surface.place_of(annotation)
        return place.token if place else f"{{{annotation.__module__}:{annotation.__qualname__}}}"
    if annotation is typing.Any:
        return ANY
    if isinstance(annotation, types.UnionType):
        kinds = [type_of_annotation(part, module, surface) for part in typing.get_args(annotation)]
        return None if None in kinds else union(kinds)
    if not isinstance(annotation, str):
        return None
    if annotation in _GENERIC:
        return _GENERIC[annotation]
    rewriter = _Rewriter(surface, module)
    tree = rewriter.visit(ast.parse(annotation, mode="eval"))
    return ast.unparse(tree) if rewriter.known else None
