# SPDX-License-Identifier: Apache-2.0
"""Goes through one file: imports, assignments, classes, functions."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mindspore.tools._scan.expressions import Expressions
from mindspore.tools._scan.scope import Scope, bound_anywhere
from mindspore.tools._scan.uses import NOT_LITERAL, Call, Guard, framework_of
from mindspore.tools._scan.values import Known, Made, UserClass, UserModule, UserObject, Value

_CAUGHT_IMPORTS = {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"}
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
_METHODS: dict[type, Callable] = {}  # by kind of statement
# An if that asks for one of these chooses between versions or machines.
_ASKS_WHAT_IS_THERE = {"__version__", "hasattr", "find_spec", "is_available", "TYPE_CHECKING"}


class Walk(Expressions):
    """The names that one file uses, and those that it binds.

    Args:
        tree (ast.Module): The file.
        file (str): Its path.
        catalog (Catalog): Knows the frameworks.
        project (Project): Knows the other files.
    """

    def __init__(self, tree: ast.Module, file: str, catalog: Any, project: Any) -> None:
        super().__init__(catalog, project)
        self._tree, self.file = tree, file
        self._later: deque[tuple[Any, ...]] = (
            deque()
        )  # bodies of functions: they run when the module is complete
        self.foreign: dict[str, int] = {}  # packages of others, with the line that imports them first

    def run(self) -> None:
        """Goes through the file."""
        self.body(self._tree.body)
        while self._later:
            function, self.scope, self.optional, self.guards, self.needed_if = self._later.popleft()
            self.body(function.body)
        del self._tree  # thousands of files may be kept, their trees need not be

    def _bound_names(self) -> set[str]:
        return bound_anywhere(self._tree)

    def body(self, statements: list[ast.stmt]) -> None:
        """Statements, one after the other."""
        for statement in statements:
            kind = type(statement)
            if kind not in _METHODS:
                _METHODS[kind] = getattr(Walk, f"_{kind.__name__.lower()}", Walk._other)
            _METHODS[kind](self, statement)

    def _other(self, statement: ast.stmt) -> None:
        """Any statement that binds nothing of interest: its expressions, then its bodies, as branches."""
        for child in ast.iter_child_nodes(statement):
            if isinstance(child, ast.stmt):
                with self._branch():
                    self.body([child])
            else:
                self.value(child)

    @contextmanager
    def _branch(self) -> Iterator[None]:
        scope = self.scope
        scope.branches += 1
        yield
        scope.branches -= 1

    # ---- imports -----------------------------------------------------------------------------------------

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            root = alias.name.partition(".")[0]
            if framework_of(alias.name) and not self.project.hides(self.file, root):
                self.note(alias.name, node, "import")
                self.scope.bind(alias.asname or root, Known(alias.name if alias.asname else root))
                continue
            file = self.project.module(self.file, alias.name if alias.asname else root, 0)
            if file is None:
                self.foreign.setdefault(root, node.lineno)
            self.scope.bind(alias.asname or root, UserModule(file) if file else None)

    def _importfrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        hidden = self.project.hides(self.file, module.partition(".")[0])
        if not node.level and framework_of(module) and not hidden:
            for alias in node.names:
                self._import_framework_name(node, module, alias)
            return
        file = self.project.module(self.file, module, node.level)
        if file is None and not node.level:
            self.foreign.setdefault(module.partition(".")[0], node.lineno)
        for alias in node.names:
            if alias.name == "*":
                self._import_all(file)
                continue
            value = self.project.name_in(file, alias.name) if file else None
            if value is None and (part := self.project.submodule(self.file, module, node.level, alias.name)):
                value = UserModule(part)
            self.scope.bind(alias.asname or alias.name, value)

    def _import_framework_name(self, node: ast.ImportFrom, module: str, alias: ast.alias) -> None:
        if alias.name == "*":
            self.note(module, node, "import")
            self.scope.module().stars.append(module)
            return
        path = f"{module}.{alias.name}"
        self.note(path, alias if hasattr(alias, "lineno") else node, "import")
        self.scope.bind(alias.asname or alias.name, Known(path))

    def _import_all(self, file: str | None) -> None:
        if file is None:
            self.has_foreign_star = True
            return
        names, stars, foreign = self.project.everything_in(file)
        for name, value in names.items():
            if not name.startswith("_"):
                self.scope.bind(name, value)
        self.scope.module().stars += stars
        self.has_foreign_star |= foreign

    # ---- branches ----------------------------------------------------------------------------------------

    def _try(self, node: Any) -> None:
        guard = Guard() if any(_catches_imports(handler) for handler in node.handlers) else None
        guards, needed_if = self.guards, self.needed_if
        if guard:
            self.guards = (*guards, guard)
        with self._branch():
            self.body(node.body)
        self.guards = guards
        for handler in node.handlers:
            if guard:
                self.needed_if = (*needed_if, guard)
            self.value(handler.type)
            with self._branch():
                if handler.name:
                    self.scope.bind(handler.name, None)
                self.body(handler.body)
            self.needed_if = needed_if
        with self._branch():
            self.body(node.orelse)
        self.body(node.finalbody)

    _trystar = _try

    def _if(self, node: ast.If) -> None:
        self.value(node.test)
        asks = _asks_what_is_there(node.test)
        self.optional += asks
        with self._branch():
            self.body(node.body)
            self.body(node.orelse)
        self.optional -= asks

    def _for(self, node: Any) -> None:
        self.value(node.iter)
        with self._branch():
            self._assign_to(node.target, None, None)
            self.body(node.body)
            self.body(node.orelse)

    _asyncfor = _for

    def _while(self, node: ast.While) -> None:
        self.value(node.test)
        with self._branch():
            self.body(node.body)
            self.body(node.orelse)

    def _with(self, node: Any) -> None:
        suppressed = 0
        for item in node.items:
            value = self.value(item.context_expr)
            suppressed += _is_suppress(item.context_expr)
            if item.optional_vars is not None:
                self._assign_to(item.optional_vars, value, None)
        self.optional += suppressed
        self.body(node.body)
        self.optional -= suppressed

    _asyncwith = _with

    def _match(self, node: ast.Match) -> None:
        self.value(node.subject)
        for case in node.cases:
            with self._branch():
                self._pattern(case.pattern)
                self.value(case.guard)
                self.body(case.body)

    def _pattern(self, pattern: ast.pattern) -> None:
        """What a case compares with is used; what it captures is bound, to something that is not known."""
        for part in ast.walk(pattern):
            if isinstance(part, ast.MatchValue):
                self.value(part.value)
            elif isinstance(part, ast.MatchClass):
                self.value(part.cls)
            elif isinstance(part, ast.MatchMapping):
                for key in part.keys:
                    self.value(key)
            captured = getattr(part, "name", None) or getattr(part, "rest", None)
            if captured and isinstance(part, ast.pattern):
                self.scope.bind(captured, None)

    # ---- assignments -------------------------------------------------------------------------------------

    def _assign(self, node: ast.Assign) -> None:
        value = self.value(node.value)
        for target in node.targets:
            self._assign_to(target, value, node.value)

    def _annassign(self, node: ast.AnnAssign) -> None:
        kind = self.value(node.annotation)
        value = self.value(node.value)
        self._assign_to(node.target, value if node.value is not None else self._of_kind(kind), node.value)

    def _augassign(self, node: ast.AugAssign) -> None:
        self.value(node.value)
        # Tensors stay tensors; what other things become is not known.
        old = self.peek(node.target) if isinstance(node.target, ast.Name | ast.Attribute) else None
        is_tensor = isinstance(old, Made) and old.path == "mindspore.Tensor"
        self._assign_to(node.target, old if is_tensor else None, None)

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if not isinstance(target, ast.Name):
                self.value(target)

    def _global(self, node: Any) -> None:
        self.scope.shared.update(node.names)

    _nonlocal = _global

    def _assign_to(self, target: ast.AST, value: Value, node: ast.AST | None) -> None:
        if isinstance(target, ast.Name):
            self.scope.bind(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            parts = node.elts if isinstance(node, ast.Tuple | ast.List) else []
            fits = len(parts) == len(target.elts) and not any(isinstance(p, ast.Starred) for p in parts)
            for i, part in enumerate(target.elts):
                # Their names are noted already; this only asks what they stand for.
                self._assign_to(part, self._silently(parts[i]) if fits else None, parts[i] if fits else None)
        elif isinstance(target, ast.Starred):
            self._assign_to(target.value, None, None)
        elif isinstance(target, ast.Attribute):
            self._assign_member(target, value)
        elif isinstance(target, ast.Subscript):
            self._note_variable(target, node)
            self.value(target.value)
            self.value(target.slice)

    def _silently(self, node: ast.AST) -> Value:
        count = len(self.uses)
        value = self.value(node)
        del self.uses[count:]
        return value

    def _assign_member(self, target: ast.Attribute, value: Value) -> None:
        owner = self.value(target.value)
        if isinstance(owner, UserObject | UserClass):
            (owner.kind if isinstance(owner, UserObject) else owner).assign(target.attr, value)

    def _note_variable(self, target: ast.Subscript, node: ast.AST | None) -> None:
        """``os.environ[name] = value``."""
        name = target.slice.value if isinstance(target.slice, ast.Constant) else None
        is_environment = isinstance(target.value, ast.Attribute) and target.value.attr == "environ"
        if is_environment and isinstance(name, str):
            value = node.value if isinstance(node, ast.Constant) else NOT_LITERAL
            self.note(name, target, "environment", call=Call([value]))

    # ---- classes and functions ---------------------------------------------------------------------------

    def _classdef(self, node: ast.ClassDef) -> None:
        bases = [self.value(base) for base in node.bases]
        for part in [*node.decorator_list, *(keyword.value for keyword in node.keywords)]:
            self.value(part)
        kind = UserClass(node.name, bases, dict.fromkeys(_members(node)))
        self.scope.bind(node.name, kind)
        outer, self.scope = self.scope, Scope(self.scope, kind, is_class_body=True)
        # What the constructor sets is known to the other methods.
        first = [one for one in node.body if isinstance(one, _FUNCTIONS) and one.name == "__init__"]
        self.body([*first, *(one for one in node.body if one not in first)])
        for name, value in self.scope.names.items():
            kind.members[name] = value
        self.scope = outer

    def _functiondef(self, node: Any) -> None:
        for decorator in node.decorator_list:
            self.value(decorator)
        arguments = node.args
        for default in [*arguments.defaults, *arguments.kw_defaults]:
            self.value(default)
        self.scope.bind(node.name, None)
        inner = Scope(self.scope.around_methods())
        named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        for argument in [*named, arguments.vararg, arguments.kwarg]:
            if argument is not None:
                kind = self.value(argument.annotation)
                inner.bind(argument.arg, self._of_kind(kind) if argument in named else None)
        self.value(node.returns)
        if self.scope.is_class_body:
            self._bind_self(inner, node, self.scope.kind)
        self._later.append((node, inner, self.optional, self.guards, self.needed_if))

    _asyncfunctiondef = _functiondef

    def _bind_self(self, inner: Scope, node: Any, kind: UserClass) -> None:
        # The class is found by `super`, but its names are not seen.
        inner.kind, names = kind, {getattr(one, "id", "") for one in node.decorator_list}
        first = next(iter([*node.args.posonlyargs, *node.args.args]), None)
        if first is not None and "staticmethod" not in names:
            is_class = "classmethod" in names or node.name in ("__new__", "__init_subclass__")
            inner.names[first.arg] = kind if is_class else UserObject(kind)

    def _of_kind(self, kind: Value) -> Value:
        if isinstance(kind, Known) and self.catalog.is_class(kind.path):
            return Made(kind.path, kind.unsure)
        return UserObject(kind) if isinstance(kind, UserClass) else None


def _members(node: ast.ClassDef) -> list[str]:
    """Attributes that a class, or a method of it, sets."""
    names = [one.name for one in node.body if isinstance(one, _FUNCTIONS | ast.ClassDef)]
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
            names.append(inner.attr)
        elif isinstance(inner, ast.Call) and getattr(inner.func, "id", "") == "setattr":
            names += [one.value for one in inner.args[1:2] if isinstance(one, ast.Constant)]
    return names


def _catches_imports(handler: ast.ExceptHandler) -> bool:
    caught = handler.type
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(kind is None or getattr(kind, "id", "") in _CAUGHT_IMPORTS for kind in kinds)


def _is_suppress(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    return name == "suppress" and any(getattr(one, "id", "") in _CAUGHT_IMPORTS for one in node.args)


def _asks_what_is_there(test: ast.AST) -> bool:
    for node in ast.walk(test):
        if getattr(node, "attr", getattr(node, "id", "")) in _ASKS_WHAT_IS_THERE:
            return True
    return False
