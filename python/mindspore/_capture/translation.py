# SPDX-License-Identifier: Apache-2.0
"""Functions written for graph mode, put into words that the interpreter knows.

- A name that the function assigns, that is a global as well and not declared as such: the function begins
  with the global's value. Where Python itself gets along, that value is never read.
- `d.has_key(k)`: asked of whatever has such a method, and of dicts by `k in d`.
- `super().width`: Python asks the classes above alone; what none of them has is asked of the object itself.

A function keeps its identity, its cells and its lines: its code alone is exchanged, once.
"""

from __future__ import annotations

import ast
import dis
import inspect
import textwrap
import types

_translated: set[types.CodeType] = set()  # what was looked at already, or came out of it


def translate(function: types.FunctionType) -> None:
    """Exchanges the code of a function that Python would not understand, if its source can be had."""
    code = function.__code__
    if code in _translated:
        return
    _translated.add(code)
    names = _names_begun_outside(function)
    if not names and not _all_names(code) & {"has_key", "super"}:
        return
    try:
        made = _rewritten(function, names)
    except (
        OSError,
        TypeError,
        SyntaxError,
        ValueError,
    ):  # there is no source, or it is not that of a function
        return
    if made is not None and made.co_freevars == code.co_freevars:
        _translated.add(made)
        function.__code__ = made


def _all_names(code: types.CodeType) -> set[str]:
    inside = (each for each in code.co_consts if isinstance(each, types.CodeType))
    return {*code.co_names}.union(*map(_all_names, inside))


def _names_begun_outside(function: types.FunctionType) -> set[str]:
    """Names of globals that are local here, and read before anything is assigned to them."""
    code = function.__code__
    arguments = code.co_argcount + code.co_kwonlyargcount
    arguments += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    local = {*code.co_varnames[arguments:], *code.co_cellvars} - {*code.co_varnames[:arguments]}
    candidates = {name for name in local if name in function.__globals__}
    read: set[str] = set()
    for each in dis.get_instructions(code) if candidates else ():
        if each.argval in candidates and each.opname in ("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_DEREF"):
            read.add(each.argval)
            candidates.discard(each.argval)
        elif each.argval in candidates and each.opname in ("STORE_FAST", "STORE_DEREF"):
            candidates.discard(each.argval)
    return read


def _rewritten(function: types.FunctionType, names: set[str]) -> types.CodeType | None:
    code = function.__code__
    tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
        return None
    definition = tree.body[0]
    names = names - _bound_otherwise(definition)
    taken = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name)} | _all_names(code)
    taken |= {*code.co_varnames, *code.co_freevars, *function.__globals__}
    words = _Words({name: _fresh(f"{name}_here", taken) for name in sorted(names)}, _fresh("asked", taken))
    definition.decorator_list = []
    above = _OfObjects(function)
    definition.body = [above.visit(words.visit(statement)) for statement in definition.body]
    if not words.local_names and not words.has_asked and not above.has_changed:
        return None
    definition.body[:0] = [
        ast.copy_location(_begin(local, name), definition.body[0])
        for name, local in words.local_names.items()
    ]
    return _compiled(tree, definition, function)


def _begin(local: str, name: str) -> ast.stmt:
    """`local` begins with the global's value; a list is not changed in its place."""
    kinds = "(list, dict, set, bytearray)"
    return ast.parse(f"{local} = {name}.copy() if isinstance({name}, {kinds}) else {name}").body[0]


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _bound_otherwise(definition: ast.FunctionDef) -> set[str]:
    """Names that something else than an assignment binds; these stay what they are."""
    found: set[str] = set()
    for node in ast.walk(definition):
        if isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            found.update(node.names)
        for field in ("name", "rest"):
            value = getattr(node, field, None)
            if isinstance(value, str) and not isinstance(node, ast.alias):
                found.add(value)
    return found


_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SCOPES = (*_COMPREHENSIONS, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def _bound_in(scope: ast.AST) -> set[str]:
    """Names that a scope assigns or takes as arguments, without those of scopes in it."""
    found: set[str] = set()
    pending = list(ast.iter_child_nodes(scope))
    while pending:
        node = pending.pop()
        if isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            found.add(node.id)
        if not isinstance(node, _SCOPES):
            pending += ast.iter_child_nodes(node)
    return found


class _Words(ast.NodeTransformer):
    """Puts local names for globals, and a question that dicts answer for `has_key`."""

    def __init__(self, local_names: dict[str, str], asked: str):
        self.local_names = local_names
        self._asked = asked
        self.has_asked = False

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self.local_names.get(node.id, node.id)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        is_asking = isinstance(node.func, ast.Attribute) and node.func.attr == "has_key"
        if not is_asking or len(node.args) != 1 or node.keywords:
            return node
        self.has_asked = True
        text = (
            f"({self._asked}.has_key(0) if hasattr(({self._asked} := 0), 'has_key') else 0 in {self._asked})"
        )
        asking = ast.parse(text, mode="eval").body
        asking.test.args[0].value = node.func.value
        asking.body.args[0] = asking.orelse.left = node.args[0]
        for part in ast.walk(asking):
            if "lineno" in part._attributes:
                ast.copy_location(part, node)
        return asking

    def _visit_scope(self, node: ast.AST) -> ast.AST:
        """A function, class or comprehension inside that has such a name of its own keeps it."""
        own = _bound_in(node)
        inside = _Words(
            {name: each for name, each in self.local_names.items() if name not in own}, self._asked
        )
        if isinstance(node, _COMPREHENSIONS):  # what it goes through is looked up outside
            node.generators[0].iter = self.visit(node.generators[0].iter)
        inside.generic_visit(node)
        self.has_asked = self.has_asked or inside.has_asked
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = _visit_scope
    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_scope


class _OfObjects(ast.NodeTransformer):
    """Has the object itself asked for `super().width` where no class above is known to have such a thing."""

    def __init__(self, function: types.FunctionType):
        code = function.__code__
        self._around = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        self._globals = function.__globals__
        self._first = ast.Name(code.co_varnames[0], ast.Load()) if code.co_argcount else None
        self.has_changed = False

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        above = node.value
        if not isinstance(above, ast.Call) or ast.unparse(above.func) != "super" or above.keywords:
            return node
        of, owner = above.args if len(above.args) == 2 else (ast.Name("__class__"), self._first)
        cls = self._class(of)
        if cls is None or owner is None or any(node.attr in vars(base) for base in cls.__mro__[1:]):
            return node
        self.has_changed = True
        # The object's own class may put others between, which go first as ever.
        asked = ast.parse(f"0 if hasattr(0, {node.attr!r}) else 0", mode="eval").body
        asked.test.args[0] = asked.body = above
        asked.orelse = owner
        for part in ast.walk(asked):
            if "lineno" in part._attributes:
                ast.copy_location(part, node)
        node.value = asked
        return node

    def _class(self, named: ast.expr) -> type | None:
        """The class that a name stands for, where the function is defined."""
        if not isinstance(named, ast.Name):
            return None
        try:
            cell = self._around.get(named.id)
            found = self._globals.get(named.id) if cell is None else cell.cell_contents
        except ValueError:  # nothing is in it yet
            return None
        return found if isinstance(found, type) else None

    def _leave(self, node: ast.AST) -> ast.AST:
        """A function inside has another first argument."""
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = _leave


def _compiled(
    tree: ast.Module, definition: ast.FunctionDef, function: types.FunctionType
) -> types.CodeType | None:
    """The code of the definition, where the function stands: in its class, in what it closes over."""
    code = function.__code__
    ast.increment_lineno(tree, code.co_firstlineno - 1)
    owner = function.__qualname__.rpartition(".")[0].rpartition(".")[2]
    body: list[ast.stmt] = [definition]
    if owner.isidentifier():  # names with two underscores are spelt with the class
        body = [ast.ClassDef(owner, [], [], body, [])]
        if owner not in code.co_freevars:  # the class itself is a global to its methods
            body.insert(0, ast.Global([owner]))
    closed_over = [ast.arg(name) for name in code.co_freevars if name != "__class__"]
    given = ast.arguments([], closed_over, None, [], [], None, [])
    around = ast.FunctionDef("around", given, body, [])
    module = ast.fix_missing_locations(ast.Module([around], []))
    found = [compile(module, code.co_filename, "exec")]
    while found:
        one = found.pop()
        if (
            one.co_name == code.co_name
            and one.co_firstlineno >= code.co_firstlineno
            and one.co_name != "around"
        ):
            return one.replace(co_qualname=code.co_qualname) if hasattr(code, "co_qualname") else one
        found += reversed([each for each in one.co_consts if isinstance(each, types.CodeType)])
    return None
