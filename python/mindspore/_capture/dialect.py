# SPDX-License-Identifier: Apache-2.0
"""What compiled functions may say though Python does not know it; scripts written for graph mode rely on it.

- `z += i` where `z` is a global that is not declared as such: the function begins with its value, and what it
  assigns stays its own.
- `d.has_key(k)` of a dict.
- `map(...)` as a result is a tuple, or a list if it goes through lists; likewise `zip` and other iterators.

The first two are mistakes to the interpreter. A function that fails with one is written anew from its source,
says the same in Python, and runs instead.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Callable

from mindspore._capture.cell_state import is_cell

_HAS_KEY = "has_key_of"
_LIST_ITERATOR = type(iter([]))


def _used_up_map(mapped: map) -> tuple | list:
    through = mapped.__reduce__()[1][1:]
    return list(mapped) if all(type(each) is _LIST_ITERATOR for each in through) else tuple(mapped)


# What Python computes piece by piece, a compiled function gives as a whole.
_WHOLE: dict[type, Callable] = {
    map: _used_up_map,
    filter: list,
    zip: tuple,
    enumerate: tuple,
    reversed: tuple,
    type(reversed([])): list,
    types.GeneratorType: list,
}
_DEEPEST = 8


def as_result(value, depth: int = 0):
    """What a compiled function gives for `value`: nothing in it is left to be computed."""
    kind = type(value)
    if kind in _WHOLE:
        value = _WHOLE[kind](value)
        kind = type(value)
    if kind not in (tuple, list, dict) or depth == _DEEPEST:
        return value
    parts = value.values() if kind is dict else value
    whole = [as_result(part, depth + 1) for part in parts]
    if all(one is other for one, other in zip(parts, whole, strict=True)):
        return value  # and it stays the same object
    return dict(zip(value, whole, strict=True)) if kind is dict else kind(whole)


def translated(function: Callable, error: BaseException) -> Callable | None:
    """The function in words that Python knows.

    Args:
        function (Callable): A function written in Python, or one that was translated already.
        error (BaseException): What it has failed with.

    Returns:
        Callable, or None when the error is of another kind, or of another function.
    """
    original = inspect.unwrap(function)
    frame = _frame_that_failed(error)
    if not isinstance(original, types.FunctionType) or frame is None or frame.f_code is not function.__code__:
        return None
    outer_names = set(getattr(function, "_outer_names", ()))
    name = _name_of_a_global(error, original)
    if name is None and not _asks_for_has_key(error):
        return None
    if name is not None:
        outer_names.add(name)
    try:
        return _rewritten(original, outer_names)
    except (OSError, TypeError, SyntaxError):  # there is no source, or it is not that of a function
        return None


def cell_that_failed(error: BaseException):
    """The Cell in whose `construct` an error was raised; None: it was not in one."""
    frame = _frame_that_failed(error)
    if frame is None or frame.f_code.co_name != "construct":
        return None
    owner = frame.f_locals.get("self")
    construct = getattr(owner, "construct", None) if is_cell(owner) else None
    return owner if isinstance(construct, types.MethodType) else None


def _frame_that_failed(error: BaseException) -> types.FrameType | None:
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    return None if traceback is None else traceback.tb_frame


def _name_of_a_global(error: BaseException, function: types.FunctionType) -> str | None:
    """The name of a global that the function assigns without having declared it."""
    if not isinstance(error, UnboundLocalError):
        return None
    quoted = str(error).split("'")
    name = quoted[1] if len(quoted) > 2 else ""
    return name if name in function.__globals__ else None


def _asks_for_has_key(error: BaseException) -> bool:
    return (
        isinstance(error, AttributeError)
        and getattr(error, "name", None) == "has_key"
        and isinstance(getattr(error, "obj", None), dict)
    )


def _has_key(container, key) -> bool:
    return key in container if isinstance(container, dict) else container.has_key(key)


class _Words(ast.NodeTransformer):
    """Puts local names for globals, and a function for `has_key`."""

    def __init__(self, local_names: dict[str, str]):
        self._local_names = local_names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._local_names.get(node.id, node.id)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "has_key" and not node.keywords:
            asked = ast.copy_location(ast.Name(_HAS_KEY, ast.Load()), node)
            return ast.copy_location(ast.Call(asked, [node.func.value, *node.args], []), node)
        return node

    def _visit_function(self, node):
        arguments = node.args
        own = {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
        return node if own & set(self._local_names) else self.generic_visit(node)

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _visit_function


def _rewritten(function: types.FunctionType, outer_names: set[str]) -> types.FunctionType:
    code = function.__code__
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    (definition,) = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    definition.decorator_list = []
    local_names = {name: f"{name}_here" for name in sorted(outer_names)}
    words = _Words(local_names)
    definition.body = [words.visit(statement) for statement in definition.body]
    for name, local in local_names.items():
        # The name is only read now, so it is the global's.
        begin = ast.Assign([ast.Name(local, ast.Store())], ast.Name(name, ast.Load()))
        definition.body.insert(0, ast.copy_location(begin, definition.body[0]))
    ast.increment_lineno(tree, code.co_firstlineno - 1)

    free = {**dict(zip(code.co_freevars, function.__closure__ or (), strict=True))}
    free[_HAS_KEY] = types.CellType(_has_key)
    parameters = [ast.arg(name) for name in free]
    around = ast.FunctionDef(
        "around", ast.arguments([], parameters, None, [], [], None, []), [definition], []
    )
    module = ast.fix_missing_locations(ast.Module([around], []))
    (outer,) = _codes_in(compile(module, code.co_filename, "exec"))
    (inner,) = (each for each in _codes_in(outer) if each.co_name == code.co_name)
    closure = tuple(free[name] for name in inner.co_freevars)
    made = types.FunctionType(inner, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__, made.__qualname__ = function.__kwdefaults__, function.__qualname__
    made.__dict__.update(function.__dict__, __wrapped__=function, _outer_names=frozenset(outer_names))
    return made


def _codes_in(code: types.CodeType) -> list[types.CodeType]:
    return [each for each in code.co_consts if isinstance(each, types.CodeType)]
