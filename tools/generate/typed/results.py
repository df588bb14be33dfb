# SPDX-License-Identifier: Apache-2.0
"""Results of Python functions that say nothing about them, from what they return."""

from __future__ import annotations

import ast
import inspect

from mindspore import _c_expression
from typed.places import Surface
from typed.schemas import output_type
from typed.sources import returned_values
from typed.wording import union

SELF = "{typing_extensions:Self}"  # an object of a derived class gives one of that class
_CONSTANTS = (bool, int, float, str, bytes)


def _of_call(node: ast.Call, owner: type | None, surface: Surface, module: str) -> str | None:
    function = node.func
    if isinstance(function, ast.Attribute) and getattr(function.value, "id", "") in ("op", "_op"):
        try:
            return output_type(_c_expression.describe_operator(function.attr))
        except RuntimeError:
            return None
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    if name in ("bool", "int", "float", "str", "len") and isinstance(function, ast.Name):
        return "int" if name == "len" else name
    if not name[:1].isupper():
        return None
    token = surface.class_token(name, module)
    # A step of a data pipeline counts as the data set it was made from: users write `data = data.map(...)`.
    is_step = token and token.startswith("{mindspore.dataset.engine") and name.endswith("Dataset")
    return SELF if is_step and owner is not None else token


def _is_plain(node: ast.expr) -> bool:
    """Whether a condition asks for identity or membership, which is never a tensor."""
    if isinstance(node, ast.BoolOp):
        return all(_is_plain(part) for part in node.values)
    plain = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
    return isinstance(node, ast.Compare) and all(isinstance(kind, plain) for kind in node.ops)


def type_of_value(node: ast.expr, owner: type | None, surface: Surface, module: str) -> str | None:
    """The type of an expression, where its form alone tells it."""
    if isinstance(node, ast.Constant):
        if node.value is None:
            return "None"
        return next((kind.__name__ for kind in _CONSTANTS if isinstance(node.value, kind)), None)
    if isinstance(node, ast.JoinedStr):
        return "str"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return "bool"
    if isinstance(node, ast.Name) and node.id == "self" and owner is not None:
        return SELF
    if isinstance(node, ast.IfExp):
        kinds = [type_of_value(part, owner, surface, module) for part in (node.body, node.orelse)]
        return None if None in kinds else union(kinds)
    if isinstance(node, (ast.Compare, ast.BoolOp)) and _is_plain(node):
        return "bool"
    if isinstance(node, ast.Call):
        return _of_call(node, owner, surface, module)
    return None


def result_of_source(function, owner: type | None, surface: Surface) -> str | None:
    """The type of what a function returns; None when that cannot be told."""
    values = returned_values(function)
    if values is None:
        return None
    module = getattr(function, "__module__", "")
    kinds = [type_of_value(value, owner, surface, module) for value in values]
    if None in kinds:
        return None
    return union(kinds) if kinds else "None"


def returns_itself(function, owner: type) -> bool:
    """Whether a method gives the object it was called on, also by way of another such method."""
    values = returned_values(function) if inspect.isfunction(function) else None
    return bool(values) and all(_is_self(value, function, owner) for value in values)


def _is_self(value: ast.expr, function, owner: type) -> bool:
    if isinstance(value, ast.Name):
        return value.id == "self"
    called = getattr(value, "func", None)
    if not isinstance(called, ast.Attribute) or getattr(called.value, "id", "") != "self":
        return False
    other = inspect.getattr_static(owner, called.attr, None)
    return other is not function and returns_itself(other, owner)
