# SPDX-License-Identifier: Apache-2.0
"""What expressions stand for, and which names of a framework they use."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from typing import Any

from mindspore.tools._scan.scope import UNBOUND, Scope
from mindspore.tools._scan.uses import NOT_LITERAL, Call, Guard, Use, framework_of
from mindspore.tools._scan.values import (
    BaseOf,
    Either,
    Known,
    Made,
    UserClass,
    UserModule,
    UserObject,
    Value,
    options_of,
)

_METHODS: dict[type, Callable] = {}  # by kind of expression
_IMPORTERS = ("import_module", "__import__")


class Expressions:
    """Follows expressions of one file.

    Args:
        catalog (Catalog): Knows the frameworks.
        project (Project): Knows the other files.
    """

    def __init__(self, catalog: Any, project: Any) -> None:
        self.catalog, self.project = catalog, project
        self.uses: list[Use] = []
        self.scope = Scope()
        self.has_foreign_star = False
        self.optional = 0
        self.guards: tuple[Guard, ...] = ()
        self.needed_if: tuple[Guard, ...] = ()

    # ---- what is written down ----------------------------------------------------------------------------

    def record(self, value: Value, node: ast.AST, kind: str = "name", call: Call | None = None) -> None:
        """Notes a use, if a value is a name of a framework."""
        for option in options_of(value):
            if isinstance(option, Known):
                # Every class calls the constructor of its base; that is only of interest where it fails.
                is_plain = option.path.endswith(".__init__")
                more = {"bound": option.bound, "call": call, "only_if_wrong": is_plain}
                self.note(option.path, node, kind, option.unsure, **more)

    def note(self, name: str, node: ast.AST, kind: str, optional: bool = False, **more: Any) -> None:
        """Notes a use."""
        # Of "a.b.c" on several lines the name that is reported is the last.
        at_end = isinstance(node, ast.Attribute) and node.end_lineno is not None
        line = node.end_lineno if at_end else node.lineno
        column = node.col_offset + 1 if line == node.lineno else 1
        self.uses.append(
            Use(
                name,
                line,
                column,
                kind,
                optional=optional or self.optional > 0,
                guards=self.guards,
                needed_if=self.needed_if,
                **more,
            )
        )

    # ---- values ------------------------------------------------------------------------------------------

    def value(self, node: ast.AST | None) -> Value:
        """What an expression stands for; every name in it is noted."""
        if node is None:
            return None
        value = self.peek(node)
        if isinstance(node, ast.Name | ast.Attribute):
            self.record(value, node)
        return value

    def peek(self, node: ast.AST) -> Value:
        """The same, but the last name of a chain is not noted: it may go on."""
        kind = type(node)
        if kind not in _METHODS:
            _METHODS[kind] = getattr(Expressions, f"_of_{kind.__name__.lower()}", Expressions._of_other)
        return _METHODS[kind](self, node)

    def _of_other(self, node: ast.AST) -> Value:
        for child in ast.iter_child_nodes(node):
            self.value(child)
        return None

    def _of_name(self, node: ast.Name) -> Value:
        value = self.scope.find(node.id)
        if value is not UNBOUND:
            return value
        if (found := self.starred(node.id)) is not None:
            return found
        stars = self.scope.module().stars
        if stars and not self.has_foreign_star and node.id not in self.bound_anywhere:
            return Known(f"{stars[-1]}.{node.id}")
        return None

    @functools.cached_property
    def bound_anywhere(self) -> set[str]:
        """Every name that something in the file binds."""
        return self._bound_names()

    def _bound_names(self) -> set[str]:
        return set()

    def starred(self, name: str) -> Value:
        """A name that came with ``import *`` of a framework's module."""
        modules = self.scope.module().stars
        return next((Known(f"{one}.{name}") for one in modules if self.catalog.exports(one, name)), None)

    def _of_attribute(self, node: ast.Attribute) -> Value:
        owner = self.peek(node.value)
        found = self.member(owner, node.attr)
        if found is None:
            self.record(owner, node.value)
        return found

    def member(self, owner: Value, name: str) -> Value:
        """What an attribute of a value stands for."""
        if isinstance(owner, Either):
            found = tuple(self.member(option, name) for option in options_of(owner))
            known = tuple(option for option in found if option is not None)
            return Either((*known, None)) if known else None
        if isinstance(owner, Known):
            # Of what a method or property gives, nothing is known.
            return None if owner.bound else Known(f"{owner.path}.{name}", unsure=owner.unsure)
        if isinstance(owner, Made):
            has = self.catalog.has_member(owner.path, name)
            # What may be something else as well is told only of names that users of other frameworks expect.
            is_told = has or (has is False and (not owner.unsure or self.catalog.advises(owner.path, name)))
            return Known(f"{owner.path}.{name}", bound=True, unsure=owner.unsure) if is_told else None
        if isinstance(owner, UserModule):
            return self.project.name_in(owner.file, name)
        if isinstance(owner, UserObject):
            return self._member_of_user_class(owner.kind, name, bound=True)
        if isinstance(owner, UserClass):
            return self._member_of_user_class(owner, name, bound=False)
        if isinstance(owner, BaseOf):
            inherited = [self._inherited(base, name, bound=True) for base in owner.kind.bases]
            return next((value for value in inherited if value is not None), None)
        return None

    def _member_of_user_class(self, kind: UserClass, name: str, bound: bool, depth: int = 0) -> Value:
        if name in kind.members:
            return kind.members[name]
        if depth > 20 or name.startswith("__"):
            return None
        for base in kind.bases:
            if (found := self._inherited(base, name, bound, depth)) is not None:
                return found
        return None

    def _inherited(self, base: Value, name: str, bound: bool, depth: int = 0) -> Value:
        if isinstance(base, UserClass):
            return self._member_of_user_class(base, name, bound, depth + 1)
        if not isinstance(base, Known) or not self.catalog.is_class(base.path):
            return None
        # Methods that users add, and attributes that they set, may come from anywhere; only what the
        # class has, or what is known not to be there, is told.
        has = self.catalog.has_member(base.path, name)
        told = has or self.catalog.advises(base.path, name)
        return Known(f"{base.path}.{name}", bound=bound, unsure=base.unsure) if told else None

    # ---- calls -------------------------------------------------------------------------------------------

    def _of_call(self, node: ast.Call) -> Value:
        special = getattr(self, f"_call_{_called(node)}", None)
        if special is not None and (value := special(node)) is not NotImplemented:
            return value
        function = self.peek(node.func)
        call = self._arguments(node)
        self.record(function, node.func, "call", call)
        results = [self._result(option, node, call) for option in options_of(function)]
        return results[0] if len(results) == 1 else Either(tuple(results)) if any(results) else None

    def _result(self, function: Value, node: ast.Call, call: Call) -> Value:
        if isinstance(function, Known):
            return self.catalog.made_by(function)
        if isinstance(function, UserClass):
            return UserObject(function)
        if isinstance(function, Made):
            called = self.catalog.called_member(function.path)
            if called:
                more = {"bound": True, "call": call, "only_if_wrong": True}
                self.note(f"{function.path}.{called}", node.func, "call", function.unsure, **more)
        return None

    def _arguments(self, node: ast.Call) -> Call:
        call = Call()
        for argument in node.args:
            call.open_ended |= isinstance(argument, ast.Starred)
            value = self.value(argument)
            if not isinstance(argument, ast.Starred):
                call.positional.append(_literal(argument, value))
        for keyword in node.keywords:
            value = self.value(keyword.value)
            if keyword.arg is None:
                self._add_dictionary(call, keyword.value)
            else:
                call.keywords[keyword.arg] = _literal(keyword.value, value)
        return call

    @staticmethod
    def _add_dictionary(call: Call, node: ast.AST) -> None:
        if not isinstance(node, ast.Dict) or not all(isinstance(key, ast.Constant) for key in node.keys):
            call.open_ended = True
            return
        for key, value in zip(node.keys, node.values, strict=True):
            call.keywords[str(key.value)] = _literal(value, None)

    def _call_getattr(self, node: ast.Call) -> Value:
        """``getattr(ms.nn, "Dense")`` is ``ms.nn.Dense``."""
        name = node.args[1].value if len(node.args) > 1 and isinstance(node.args[1], ast.Constant) else None
        if not isinstance(name, str):
            return NotImplemented
        found = self.member(owner := self.peek(node.args[0]), name)
        if found is None:
            self.record(owner, node.args[0])
        for argument in node.args[2:]:
            self.value(argument)
        self.optional += len(node.args) > 2 or _called(node) == "hasattr"
        self.record(found, node)
        self.optional -= len(node.args) > 2 or _called(node) == "hasattr"
        return found

    def _call_hasattr(self, node: ast.Call) -> Value:
        answer = self._call_getattr(node)
        return answer if answer is NotImplemented else None

    def _call_super(self, node: ast.Call) -> Value:
        for argument in node.args:
            self.value(argument)
        scope: Scope | None = self.scope
        while scope is not None and scope.kind is None:
            scope = scope.outer
        return BaseOf(scope.kind) if scope is not None else None

    def _call_import_module(self, node: ast.Call) -> Value:
        name = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
        if not isinstance(name, str) or not framework_of(name):
            return NotImplemented
        self.note(name, node, "import")
        return Known(name.partition(".")[0] if _called(node) == "__import__" else name)

    _call___import__ = _call_import_module

    # ---- other expressions -------------------------------------------------------------------------------

    def _of_binop(self, node: ast.BinOp) -> Value:
        operands: list[ast.expr] = []
        left: ast.expr = node
        while isinstance(left, ast.BinOp):  # sums of thousands of terms are nested as deeply
            operands.append(left.right)
            left = left.left
        sides = [self.value(each) for each in (left, *reversed(operands))]
        return next(
            (side for side in sides if isinstance(side, Made) and side.path == "mindspore.Tensor"), None
        )

    def _of_subscript(self, node: ast.Subscript) -> Value:
        value = self.value(node.value)
        self.value(node.slice)
        return value if isinstance(value, Made) and value.path == "mindspore.Tensor" else None

    def _of_ifexp(self, node: ast.IfExp) -> Value:
        self.value(node.test)
        first, second = self.value(node.body), self.value(node.orelse)
        return first if first == second else Either((first, second))

    def _of_namedexpr(self, node: ast.NamedExpr) -> Value:
        value = self.value(node.value)
        self.scope.bind(node.target.id, value)
        return value

    def _of_lambda(self, node: ast.Lambda) -> Value:
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            self.value(default)
        outer, self.scope = self.scope, Scope(self.scope)
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                self.scope.bind(argument.arg, None)
        self.value(node.body)
        self.scope = outer
        return None

    def _of_comprehension_like(self, node: Any) -> Value:
        outer, self.scope = self.scope, Scope(self.scope)
        for generator in node.generators:
            self.value(generator.iter)
            for target in ast.walk(generator.target):
                if isinstance(target, ast.Name):
                    self.scope.bind(target.id, None)
            for condition in generator.ifs:
                self.value(condition)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self.value(part)
        self.scope = outer
        return None

    _of_listcomp = _of_setcomp = _of_dictcomp = _of_generatorexp = _of_comprehension_like

    def _of_constant(self, _: ast.AST) -> Value:
        return None

    _of_load = _of_store = _of_del = _of_constant


def _called(node: ast.Call) -> str:
    """The last name of what is called."""
    if isinstance(node.func, ast.Name):
        return node.func.id
    is_importer = isinstance(node.func, ast.Attribute) and node.func.attr in _IMPORTERS
    return node.func.attr if is_importer else ""


def _literal(node: ast.AST, value: Value) -> Any:
    """The value of an argument as far as it is written down: a constant, or a name of a framework."""
    if isinstance(value, Known):
        return value
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return NOT_LITERAL
