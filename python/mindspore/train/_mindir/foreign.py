# SPDX-License-Identifier: Apache-2.0
"""Operators of MindIR files that are composed in this package, and not in the registry.

Only operators that compute from their arguments are ever looked up for a name, so that a file cannot reach
anything else.
"""

from __future__ import annotations

import inspect
import sys
from functools import cache

from mindspore.ops import _primitives, primitive
from mindspore.train._mindir.newer_names import NEWER_NAMES, call_newer
from mindspore.train._mindir.type_numbers import ARGUMENT_TYPES

# Run code of the caller's, or write files.
_FORBIDDEN = frozenset(("Custom", "PyFunc", "TensorDump", "HookBackward", "InsertGradientOf"))
_OLDER_ATTRIBUTES = {"data_format": ("format",), "group": ("groups",), "pad": ("pad_list",)}

# Numbers that stand for texts in primitive-function form, by the name of the argument.
_TEXTS = {
    "data_format": {0: "NCHW", 1: "NHWC", 14: "NCDHW", 15: "NWC", 16: "NCW", 17: "NDHWC", 20: "ND"},
    "pad_mode": {0: "pad", 1: "same", 2: "valid", 3: "full"},
    "reduction": {0: "sum", 1: "mean", 2: "none"},
    "rounding_mode": {0: "round", 1: "trunc", 2: "floor", 3: "ceil"},
    "interpolation_mode": {0: "bilinear", 1: "nearest"},
    "padding_mode": {0: "zeros", 1: "border", 2: "reflection"},
    "norm": {0: "backward", 1: "forward", 2: "ortho"},
    "approximate": {0: "none", 1: "tanh"},
    "indexing": {0: "ij", 1: "xy"},
    "coordinate_transformation_mode": {0: "asymmetric", 1: "align_corners", 2: "half_pixel"},
}
# Operators that number the choices of an argument in their own way.
_TEXTS_OF_OPERATORS = {("TensorScatterElements", "reduction"): {0: "none", 1: "add"}}
_TYPE_ARGUMENTS = frozenset(("dtype", "dst_type", "output_type", "out_type", "argmax_type", "type"))


@cache
def _classes() -> dict[str, type]:
    """Primitive classes that this package composes, by name."""
    return {
        name: found
        for name, found in _primitives.classes().items()
        if isinstance(found, type) and issubclass(found, primitive.Primitive) and name not in _FORBIDDEN
    }


def call_foreign(name: str, arguments: tuple, attributes: dict, is_function: bool):
    """Calls an operator that the registry does not have.

    Args:
        name (str): The operator.
        arguments (tuple): What it is called with.
        attributes (dict): Its attributes.
        is_function (bool): Everything is among the arguments, in the order of the operator's definition.

    Raises:
        NotImplementedError: There is no such operator.
    """
    found = _classes().get(name)
    if found is not None:
        call = _in_function_form if is_function else _in_attribute_form
        return call(name, found, arguments, attributes)
    if name in NEWER_NAMES:
        return call_newer(name, list(arguments), attributes, lambda *pair: _converted(name, *pair))
    raise NotImplementedError(f"The operator '{name}', which a MindIR file uses, is not available here.")


def _is_number(value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _converted(operator: str, name: str, value):
    """An argument of a function whose types and texts are numbers, as this package takes it."""
    if name == "axis" and isinstance(value, tuple) and len(value) == 1:
        return value[0]  # of some operators a tuple, of others a number; one is the same in both
    if not _is_number(value):
        return value
    if name in _TYPE_ARGUMENTS:
        return ARGUMENT_TYPES.get(value, value)
    own = _TEXTS_OF_OPERATORS.get((operator, name))
    return (own or _TEXTS.get(name, {})).get(value, value)


def _constructor_names(found: type) -> list[str]:
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [one.name for one in inspect.signature(found).parameters.values() if one.kind in kinds]


def _in_attribute_form(operator: str, found: type, arguments: tuple, attributes: dict):
    chosen = {}
    for name in _constructor_names(found):
        for known in (name, *_OLDER_ATTRIBUTES.get(name, ())):
            if known in attributes:
                chosen[name] = _converted(operator, name, attributes[known])
                break
    return found(**chosen)(*arguments)


def _in_function_form(operator: str, found: type, arguments: tuple, attributes: dict):
    names = _constructor_names(found)
    call_names, least, takes_any = _call_names(found)
    arguments = _trimmed(operator, arguments, sys.maxsize if takes_any else len(call_names) + len(names))
    split = min(max(least, len(arguments) - len(names)), len(arguments))
    given = (_converted(operator, *pair) for pair in zip(names, arguments[split:], strict=False))
    call_names = [*call_names, *[""] * len(arguments)]
    values = (_converted(operator, *pair) for pair in zip(call_names, arguments[:split], strict=False))
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
