# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments, for layers and primitives that scripts write themselves."""

from __future__ import annotations

import math
import operator
import re

import numpy as np

EQ, NE, LT, LE, GT, GE = "==", "!=", "<", "<=", ">", ">="
INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = "()", "[)", "(]", "[]"

_RELATIONS = {
    EQ: operator.eq,
    NE: operator.ne,
    LT: operator.lt,
    LE: operator.le,
    GT: operator.gt,
    GE: operator.ge,
}


def _intro(prim_name, arg_name) -> str:
    return f"{f'For {prim_name!r}, the ' if prim_name else 'The '}'{arg_name or 'input'}'"


def _is_int(value) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _is_float(value) -> bool:
    return isinstance(value, (float, np.floating))


def _require(condition: bool, error: type, text: str) -> None:
    if not condition:
        raise error(text)


def check(arg_name, arg_value, value_name, value, rel=EQ, prim_name=None, excp_cls=ValueError):
    """Returns `arg_value` when it stands in the relation `rel` to `value`."""
    wanted = f"{_intro(prim_name, arg_name)} must be {rel} {value_name} {value}, but got {arg_value}."
    _require(_RELATIONS[rel](arg_value, value), excp_cls, wanted)
    return arg_value


def check_is_int(arg_value, arg_name="input", prim_name=None):
    """Returns an int."""
    _require(
        _is_int(arg_value),
        TypeError,
        f"{_intro(prim_name, arg_name)} must be int, but got {type(arg_value)}.",
    )
    return arg_value


def check_is_float(arg_value, arg_name="input", prim_name=None):
    """Returns a finite float."""
    _require(
        _is_float(arg_value),
        TypeError,
        f"{_intro(prim_name, arg_name)} must be float, but got {type(arg_value)}.",
    )
    _require(
        math.isfinite(arg_value),
        ValueError,
        f"{_intro(prim_name, arg_name)} must be finite, but got {arg_value}.",
    )
    return arg_value


def _check_relation(arg_value, value, rel, arg_name, prim_name):
    _require(
        _RELATIONS[rel](arg_value, value),
        ValueError,
        f"{_intro(prim_name, arg_name)} must be {rel} {value}, but got {arg_value}.",
    )
    return arg_value


def check_int(arg_value, value, rel, arg_name=None, prim_name=None):
    """Returns an int that stands in the relation `rel` to `value`."""
    return _check_relation(check_is_int(arg_value, arg_name, prim_name), value, rel, arg_name, prim_name)


def check_positive_int(arg_value, arg_name=None, prim_name=None):
    """Returns an int above 0."""
    return check_int(arg_value, 0, GT, arg_name, prim_name)


def check_non_negative_int(arg_value, arg_name=None, prim_name=None):
    """Returns an int not below 0."""
    return check_int(arg_value, 0, GE, arg_name, prim_name)


def check_negative_int(arg_value, arg_name=None, prim_name=None):
    """Returns an int below 0."""
    return check_int(arg_value, 0, LT, arg_name, prim_name)


def check_non_positive_int(arg_value, arg_name=None, prim_name=None):
    """Returns an int not above 0."""
    return check_int(arg_value, 0, LE, arg_name, prim_name)


def twice(value) -> tuple[int, int]:
    """Two ints from one int or two."""
    if _is_int(value):
        return (value, value)
    fits = isinstance(value, tuple) and len(value) in (2, 4) and all(_is_int(v) for v in value)
    _require(fits, TypeError, f"The value must be an int or a tuple of two ints, but got {value!r}.")
    return value


def check_str_by_regular(target, reg=r"^\w+[0-9a-zA-Z\_\.]*$", flag=re.ASCII, prim_name=None):
    """Returns a text that a pattern describes: by default a name that does not begin with a dot."""
    _require(
        re.match(reg, target, flag) is not None,
        ValueError,
        f"{_intro(prim_name, None)} '{target}' is illegal, it must be match regular'{reg}' by flags'{flag}'.",
    )
    return target


def check_number(arg_value, value, rel, arg_type=int, arg_name=None, prim_name=None):
    """Returns a number of a type that stands in the relation `rel` to `value`."""
    checked = (check_is_int if arg_type is int else check_is_float)(arg_value, arg_name, prim_name)
    return _check_relation(checked, value, rel, arg_name, prim_name)


def check_positive_float(arg_value, arg_name=None, prim_name=None):
    """Returns a float above 0."""
    return _check_relation(check_is_float(arg_value, arg_name, prim_name), 0, GT, arg_name, prim_name)


def check_non_negative_float(arg_value, arg_name=None, prim_name=None):
    """Returns a float not below 0."""
    return _check_relation(check_is_float(arg_value, arg_name, prim_name), 0, GE, arg_name, prim_name)


def _check_range(arg_value, lower_limit, upper_limit, rel, arg_name, prim_name):
    low = arg_value >= lower_limit if rel[0] == "[" else arg_value > lower_limit
    high = arg_value <= upper_limit if rel[1] == "]" else arg_value < upper_limit
    _require(
        low and high,
        ValueError,
        f"{_intro(prim_name, arg_name)} must be in {rel[0]}{lower_limit}, {upper_limit}{rel[1]}, but got "
        f"{arg_value}.",
    )
    return arg_value


def check_int_range(arg_value, lower_limit, upper_limit, rel, arg_name=None, prim_name=None):
    """Returns an int within limits; `rel` says which limits count in."""
    checked = check_is_int(arg_value, arg_name, prim_name)
    return _check_range(checked, lower_limit, upper_limit, rel, arg_name, prim_name)


def check_float_range(arg_value, lower_limit, upper_limit, rel, arg_name=None, prim_name=None):
    """Returns a float within limits; `rel` says which limits count in."""
    checked = check_is_float(arg_value, arg_name, prim_name)
    return _check_range(checked, lower_limit, upper_limit, rel, arg_name, prim_name)


def check_string(arg_value, valid_values, arg_name=None, prim_name=None):
    """Returns one of some strings."""
    _require(
        isinstance(arg_value, str) and arg_value in valid_values,
        ValueError,
        f"{_intro(prim_name, arg_name)} must be one of {valid_values}, but got {arg_value!r}.",
    )
    return arg_value


def check_bool(arg_value, arg_name=None, prim_name=None):
    """Returns a bool."""
    _require(
        isinstance(arg_value, (bool, np.bool_)),
        TypeError,
        f"{_intro(prim_name, arg_name)} must be a bool, but got {type(arg_value)}.",
    )
    return arg_value


def check_value_type(arg_name, arg_value, valid_types, prim_name=None, addition_error_info=None):
    """Returns a value of one of some types; a bool is no int here."""
    kinds = tuple(valid_types) if isinstance(valid_types, (list, tuple)) else (valid_types,)
    fits = isinstance(arg_value, kinds) and (not isinstance(arg_value, bool) or bool in kinds)
    names = [kind.__name__ for kind in kinds]
    _require(
        fits,
        TypeError,
        f"{_intro(prim_name, arg_name)} must be of type {names}, but got {type(arg_value).__name__}."
        f"{f' {addition_error_info}' if addition_error_info else ''}",
    )
    return arg_value


def check_type_name(arg_name, arg_type, valid_types, prim_name):
    """Returns one of some element types."""
    kinds = valid_types if isinstance(valid_types, (list, tuple, set, frozenset)) else (valid_types,)
    _require(
        arg_type in kinds,
        TypeError,
        f"{_intro(prim_name, arg_name)} must be one of {[str(kind) for kind in kinds]}, but got {arg_type}.",
    )
    return arg_type


def check_subclass(arg_name, type_, template_types, prim_name, addition_error_info=None):
    """Returns an element type that is one of some, or belongs to one of some groups."""
    from mindspore.common.dtype import issubclass_

    kinds = template_types if isinstance(template_types, (list, tuple, set, frozenset)) else (template_types,)
    _require(
        any(type_ == kind or issubclass_(type_, kind) for kind in kinds),
        TypeError,
        f"{_intro(prim_name, arg_name)} must be a subclass of {list(map(str, kinds))}, but got {type_}."
        f"{f' {addition_error_info}' if addition_error_info else ''}",
    )
    return type_
