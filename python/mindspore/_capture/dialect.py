# SPDX-License-Identifier: Apache-2.0
"""What compiled functions may say though Python does not know it; scripts written for graph mode rely on it.

- `z += i` where `z` is a global that is not declared as such: the function begins with its value, and what it
  assigns stays its own.
- `d.has_key(k)` of a dict.
- `super().width` where no class above has a `width`, but the object itself.
- `x in values` for a tensor of several elements, and `count`, `index` and `remove` of a list: tensors are
  compared as wholes (`searching`).
- `map(...)` as a result is a tuple, or a list if it goes through lists; likewise `zip` and other iterators.
  What `keys` and `values` of a dict give are tuples, what `items` gives is a list.

The first three are mistakes to the interpreter; `translation` puts them into words that it knows.
"""

from __future__ import annotations

import inspect
import types
import weakref
from collections.abc import Callable, Iterable

from mindspore._capture import code as codes
from mindspore._capture.cell_state import is_cell
from mindspore._capture.searching import note_compiled
from mindspore._capture.translation import translate

_LIST_ITERATOR = type(iter([]))
_MOST_FUNCTIONS = 500
_met_codes: set = set()
_met_cells: weakref.WeakSet = weakref.WeakSet()


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
    type({}.keys()): tuple,
    type({}.values()): tuple,
    type({}.items()): list,
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


def understand_once(function: Callable) -> None:
    """The same for a function that is met again and again, and was gone through when it was first met."""
    own = inspect.unwrap(function)  # all that a decorator makes has one and the same code
    is_function = isinstance(own, types.FunctionType)
    met = _met_codes if is_function else _met_cells
    if (own.__code__ if is_function else own) not in met:
        understand(function, ())
        met.add(own.__code__ if is_function else own)  # the code it has now


def understand(function: Callable, roots: Iterable) -> None:
    """Translates a function, and the user's functions that it names, where Python would not understand them.

    Args:
        function (Callable): What is about to be captured.
        roots (Iterable): Further objects it uses, or weak references to them.
    """
    seen: set[int] = set()
    found = [function, *(root() if isinstance(root, weakref.ref) else root for root in roots)]
    while found and len(seen) < _MOST_FUNCTIONS:
        value = found.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if is_cell(value) and not isinstance(value, type):
            found += [cell.construct for _, cell in value.cells_and_names()]
        elif isinstance(value, types.MethodType):
            found += [value.__func__, *_methods(value)]
        elif isinstance(value, types.FunctionType):
            found += _functions_named_by(value)
            if codes.kind_of(value.__code__) == codes.USER:
                translate(value)
                note_compiled(value.__code__)


def _functions_named_by(function: types.FunctionType) -> list:
    """What a function can call by a name: globals, and what is in its closure."""
    contents = []
    for cell in function.__closure__ or ():
        try:
            contents.append(cell.cell_contents)
        except ValueError:  # nothing is in it yet
            continue
    if codes.kind_of(function.__code__) == codes.USER:
        contents += [function.__globals__.get(name) for name in function.__code__.co_names]
    kinds = (types.FunctionType, types.MethodType)
    return [one for one in (*contents, getattr(function, "__wrapped__", None)) if isinstance(one, kinds)]


def _methods(method: types.MethodType) -> list:
    """Methods of the same object that a method names."""
    owner = type(method.__self__)
    if not codes.is_users_class(owner) or not isinstance(method.__func__, types.FunctionType):
        return []
    named = (getattr(owner, name, None) for name in method.__func__.__code__.co_names)
    return [types.MethodType(one, method.__self__) for one in named if isinstance(one, types.FunctionType)]
