# SPDX-License-Identifier: Apache-2.0
"""Checks of numbers and truth values: their type, and how they stand to others."""

from __future__ import annotations

import math
import operator
from enum import IntEnum
from typing import Any

import numpy as np


class Rel(IntEnum):
    """How a value stands to another one, to two limits, or to a collection."""

    EQ = 1
    NE = 2
    LT = 3
    LE = 4
    GT = 5
    GE = 6
    INC_NEITHER = 7
    INC_LEFT = 8
    INC_RIGHT = 9
    INC_BOTH = 10
    IN = 11
    NOT_IN = 12

    @staticmethod
    def get_strs(rel: int) -> str:
        """A text with places for what a value is compared with."""
        return _TEXTS.get(rel, "")

    @staticmethod
    def get_fns(rel: int) -> Any:
        """The comparison itself; of an unknown relation one that never holds."""
        return _COMPARISONS.get(rel, lambda *_: False)


EQ, NE, LT, LE, GT, GE = Rel.EQ, Rel.NE, Rel.LT, Rel.LE, Rel.GT, Rel.GE
INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = Rel.INC_NEITHER, Rel.INC_LEFT, Rel.INC_RIGHT, Rel.INC_BOTH
IN, NOT_IN = Rel.IN, Rel.NOT_IN

_COMPARISONS = {
    EQ: operator.eq,
    NE: operator.ne,
    LT: operator.lt,
    LE: operator.le,
    GT: operator.gt,
    GE: operator.ge,
    INC_NEITHER: lambda value, low, high: low < value < high,
    INC_LEFT: lambda value, low, high: low <= value < high,
    INC_RIGHT: lambda value, low, high: low < value <= high,
    INC_BOTH: lambda value, low, high: low <= value <= high,
    IN: lambda value, values: value in values,
    NOT_IN: lambda value, values: value not in values,
}
_TEXTS = {
    EQ: "= {}",
    NE: "!= {}",
    LT: "< {}",
    LE: "<= {}",
    GT: "> {}",
    GE: ">= {}",
    INC_NEITHER: "({}, {})",
    INC_LEFT: "[{}, {})",
    INC_RIGHT: "({}, {}]",
    INC_BOTH: "[{}, {}]",
    IN: "in {}",
    NOT_IN: "not in {}",
}


def owner(prim_name: str | None) -> str:
    """How a message begins."""
    return f"For '{prim_name}', the" if prim_name else "The"


def _subject(arg_name: str | None, prim_name: str | None) -> str:
    return f"{owner(prim_name)} " + (f"'{arg_name}'" if arg_name else "input value")


def _is_of_type(value: object, kind: type) -> bool:
    abstract = {int: (int, np.integer), float: (float, np.floating)}.get(kind, kind)
    return isinstance(value, abstract) and not isinstance(value, bool)


def check(arg_name, arg_value, value_name, value, rel=EQ, prim_name=None, excp_cls=ValueError):
    """Returns `arg_value` when it stands in the relation `rel` to `value`."""
    if not Rel.get_fns(rel)(arg_value, value):
        named = arg_name if " " in arg_name else f"'{arg_name}'"
        wanted = Rel.get_strs(rel).format(f"{value_name}: {value}")
        raise excp_cls(f"{owner(prim_name)} {named} should be {wanted}, but got {arg_value}.")
    return arg_value


def check_is_number(arg_value, arg_type, arg_name=None, prim_name=None):
    """Returns a finite number of a type; a bool is none."""
    if not _is_of_type(arg_value, arg_type):
        named = f"'{arg_name}'" if arg_name else "input value"
        raise TypeError(
            f"{owner(prim_name)} type of {named} must be '{arg_type.__name__}', but got "
            f"'{type(arg_value).__name__}'."
        )
    if not math.isfinite(arg_value):
        raise ValueError(f"{_subject(arg_name, prim_name)} must be a legal float, but got '{arg_value}'.")
    return arg_value


def check_is_int(arg_value, arg_name=None, prim_name=None):
    """Returns an int."""
    return check_is_number(arg_value, int, arg_name, prim_name)


def check_is_float(arg_value, arg_name=None, prim_name=None):
    """Returns a finite float."""
    return check_is_number(arg_value, float, arg_name, prim_name)


def _check_number(arg_value, value, rel, arg_type=int, arg_name=None, prim_name=None):
    """Returns a number of a type that stands in the relation `rel` to `value`."""
    subject = _subject(arg_name, prim_name)
    if not _is_of_type(arg_value, arg_type):
        raise TypeError(f"{subject} must be {arg_type.__name__}, but got '{type(arg_value).__name__}'.")
    if not math.isfinite(arg_value):
        raise ValueError(f"{subject} must be a legal value, but got '{arg_value}'.")
    if not Rel.get_fns(rel)(arg_value, value):
        raise ValueError(
            f"{subject} must be {arg_type.__name__} and must {Rel.get_strs(rel).format(value)}, but got "
            f"'{arg_value}' with type '{type(arg_value).__name__}'."
        )
    return arg_value


def check_number(arg_name, arg_value, value, rel, prim_name):
    """Returns `arg_value`, of any type, when it stands in the relation `rel` to `value`."""
    if not Rel.get_fns(rel)(arg_value, value):
        raise ValueError(
            f"For '{prim_name}', the argument '{arg_name}' must {Rel.get_strs(rel).format(value)}, but got "
            f"{arg_value}."
        )
    return arg_value


def check_int(arg_value, value, rel, arg_name=None, prim_name=None):
    """Returns an int that stands in the relation `rel` to `value`."""
    return _check_number(arg_value, value, rel, int, arg_name, prim_name)


def check_float(arg_value, value, rel, arg_name=None, prim_name=None):
    """Returns a float that stands in the relation `rel` to `value`."""
    return _check_number(arg_value, value, rel, float, arg_name, prim_name)


def check_equal_int(arg_value, value, arg_name=None, prim_name=None):
    """Returns an int that is `value`."""
    return check_int(arg_value, value, EQ, arg_name, prim_name)


def _checks_against_zero(kind: type, rel: Rel, what: str):
    """A check of one number, as scripts know it."""

    def check_one(arg_value, arg_name=None, prim_name=None):
        return _check_number(arg_value, 0, rel, kind, arg_name, prim_name)

    check_one.__doc__ = f"Returns {what}."
    return check_one


def _checks_each(check_one, what: str):
    """A check of every number in a sequence."""

    def check_all(sequence, arg_name=None, prim_name=None):
        for place, element in enumerate(sequence):
            check_one(element, f"{arg_name or 'arg_name'}[{place}]", prim_name)
        return sequence

    check_all.__doc__ = f"Returns a sequence in which each is {what}."
    return check_all


check_positive_int = _checks_against_zero(int, GT, "an int above 0")
check_negative_int = _checks_against_zero(int, LT, "an int below 0")
check_non_positive_int = _checks_against_zero(int, LE, "an int not above 0")
check_non_negative_int = _checks_against_zero(int, GE, "an int not below 0")
check_positive_float = _checks_against_zero(float, GT, "a float above 0")
check_negative_float = _checks_against_zero(float, LT, "a float below 0")
check_non_positive_float = _checks_against_zero(float, LE, "a float not above 0")
check_non_negative_float = _checks_against_zero(float, GE, "a float not below 0")
check_positive_int_sequence = _checks_each(check_positive_int, "an int above 0")
check_non_negative_int_sequence = _checks_each(check_non_negative_int, "an int not below 0")
check_positive_float_sequence = _checks_each(check_positive_float, "a float above 0")


def check_number_range(arg_value, lower_limit, upper_limit, rel, value_type, arg_name=None, prim_name=None):
    """Returns a number of a type within limits; `rel` says which limits count in."""
    subject = _subject(arg_name, prim_name)
    if not isinstance(arg_value, (np.ndarray, np.generic, value_type)) or isinstance(arg_value, bool):
        raise TypeError(f"{subject} must be '{value_type.__name__}', but got '{type(arg_value).__name__}'.")
    if not Rel.get_fns(rel)(arg_value, lower_limit, upper_limit):
        raise ValueError(
            f"{subject} must be in range of {Rel.get_strs(rel).format(lower_limit, upper_limit)}, but got "
            f"{arg_value} with type '{type(arg_value).__name__}'."
        )
    return arg_value


def check_int_range(arg_value, lower_limit, upper_limit, rel, arg_name=None, prim_name=None):
    """Returns an int within limits; `rel` says which limits count in."""
    return check_number_range(arg_value, lower_limit, upper_limit, rel, int, arg_name, prim_name)


def check_float_range(arg_value, lower_limit, upper_limit, rel, arg_name=None, prim_name=None):
    """Returns a float within limits; `rel` says which limits count in."""
    return check_number_range(arg_value, lower_limit, upper_limit, rel, float, arg_name, prim_name)


def check_bool(arg_value, arg_name=None, prim_name=None):
    """Returns a bool."""
    if not isinstance(arg_value, (bool, np.bool_)):
        raise TypeError(
            f"{_subject(arg_name, prim_name)} must be a bool, but got {type(arg_value).__name__}."
        )
    return arg_value
