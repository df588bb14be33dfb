# SPDX-License-Identifier: Apache-2.0
"""Operators of MindIR files that are composed in this package, and not in the registry.

Only operators that compute from their arguments are ever looked up for a name, so that a file cannot reach
anything else.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from functools import cache

from mindspore.ops import _primitives, primitive
from mindspore.train._mindir.newer_names import NEWER_NAMES, call_newer

Meaning = Callable[[str, object], object]
# Run code of the caller's, or write files.
_FORBIDDEN = frozenset(("Custom", "PyFunc", "TensorDump", "HookBackward", "InsertGradientOf"))


@cache
def _classes() -> dict[str, type]:
    """Primitive classes that this package composes, by name."""
    return {
        name: found
        for name, found in _primitives.classes().items()
        if isinstance(found, type) and issubclass(found, primitive.Primitive) and name not in _FORBIDDEN
    }


def call_foreign(name: str, arguments: tuple, attributes: dict, is_function: bool, meaning: Meaning):
    """Calls an operator that the registry does not have.

    Args:
        name (str): The operator.
        arguments (tuple): What it is called with.
        attributes (dict): Its attributes.
        is_function (bool): Everything is among the arguments, in the order of the operator's definition.
        meaning (Callable): What a value means for a parameter of a name: numbers may stand for types and
            texts.

    Raises:
        NotImplementedError: There is no such operator.
    """
    found = _classes().get(name)
    if found is not None:
        if is_function:
            return _in_function_form(name, found, arguments, meaning)
        return _in_attribute_form(found, arguments, attributes, meaning)
    if name in NEWER_NAMES:
        return call_newer(name, list(arguments), attributes, lambda *pair: _converted(meaning, *pair))
    raise NotImplementedError(f"The operator '{name}', which a MindIR file uses, is not available here.")


def _converted(meaning: Meaning, name: str, value):
    """A value as this package takes it."""
    if name == "axis" and isinstance(value, tuple) and len(value) == 1:
        return value[0]  # of some operators a tuple, of others a number; one is the same in both
    return meaning(name, value) if type(value) is int else value


def _constructor_names(found: type) -> list[str]:
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [one.name for one in inspect.signature(found).parameters.values() if one.kind in kinds]


def _in_attribute_form(found: type, arguments: tuple, attributes: dict, meaning: Meaning):
    known = [name for name in _constructor_names(found) if name in attributes]
    return found(**{name: _converted(meaning, name, attributes[name]) for name in known})(*arguments)


def _in_function_form(operator: str, found: type, arguments: tuple, meaning: Meaning):
    names = _constructor_names(found)
    call_names, least, takes_any = _call_names(found)
    arguments = _trimmed(operator, arguments, sys.maxsize if takes_any else len(call_names) + len(names))
    split = min(max(least, len(arguments) - len(names)), len(arguments))
    given = (_converted(meaning, *pair) for pair in zip(names, arguments[split:], strict=False))
    call_names = [*call_names, *[""] * len(arguments)]
    values = (_converted(meaning, *pair) for pair in zip(call_names, arguments[:split], strict=False))
    return found(*given)(*values)


def _trimmed(operator: str, arguments: tuple, most: int) -> tuple:
    """Arguments without those that newer releases added, as long as they say nothing."""
    for extra in arguments[most:]:
        if extra is not None and extra is not False and extra != 0:
            raise NotImplementedError(
                f"The operator '{operator}', which a MindIR file uses, takes {most} arguments here."
            )
    return arguments[:most]


def _call_names(found: type) -> tuple[list[str], int, bool]:
    """Names of what is given when a primitive is called, how many at least, and whether any number may be."""
    parameters = list(inspect.signature(found.__call__).parameters.values())[1:]
    fixed = [one for one in parameters if one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    takes_any = any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters)
    return [one.name for one in fixed], sum(one.default is one.empty for one in fixed), takes_any
