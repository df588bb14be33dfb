# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments that many layers share: of a value, by the argument's name and the layer's."""

from __future__ import annotations

from collections.abc import Callable

from mindspore import _checkparam as validator

REDUCTIONS = ("mean", "sum", "none")


def positive_int(value, name: str, owner: str) -> int:
    """`value`; TypeError for another type, ValueError below 1."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(
            f"For '{owner}', the type of '{name}' should be 'int', but got '{type(value).__name__}'."
        )
    if value <= 0:
        raise ValueError(
            f"For '{owner}', the '{name}' must be int and must > 0, but got '{value}' with type 'int'."
        )
    return value


def boolean(value, name: str, owner: str) -> bool:
    """`value`; TypeError for another type."""
    if not isinstance(value, bool):
        raise TypeError(f"For '{owner}', the '{name}' must be bool, but got '{type(value).__name__}'.")
    return value


def number(value, name: str, owner: str) -> float:
    """`value`; TypeError for another type."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"For '{owner}', the '{name}' must be a number, but got '{type(value).__name__}'.")
    return value


def positive_float(value, name: str, owner: str) -> float:
    """`value`; TypeError for another type, ValueError unless it is above 0."""
    return validator.check_positive_float(value, name, owner)


def one_of(value, choices, name: str, owner: str):
    """`value`; ValueError when it is none of the choices."""
    if value not in choices:
        raise ValueError(f"For '{owner}', the '{name}' must be in {list(choices)}, but got {value}.")
    return value


def reduction_of(value, owner: str) -> str:
    """`value`; ValueError when it is not a way to reduce."""
    if not isinstance(value, str):
        raise ValueError(f"For '{owner}', the 'reduction' must be in {list(REDUCTIONS)}, but got {value}.")
    return one_of(value.lower(), REDUCTIONS, "reduction", owner)


def ints(value, count: int, name: str, owner: str, least: int = 1) -> tuple[int, ...]:
    """A tuple of `count` ints from one int or as many, none below `least`."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = (value,) * count
    if not isinstance(value, (tuple, list)) or any(
        isinstance(v, bool) or not isinstance(v, int) for v in value
    ):
        raise TypeError(f"For '{owner}', the '{name}' must be int or a tuple of ints, but got {value!r}.")
    if len(value) != count:
        raise ValueError(
            f"For '{owner}', the '{name}' must be int or a tuple of {count} ints, but got {value}."
        )
    if any(v < least for v in value):
        raise ValueError(f"For '{owner}', the '{name}' must not be less than {least}, but got {value}.")
    return tuple(value)


def lengths(count: int, least: int = 1) -> Callable:
    """The check for one int, or `count` of them, none below `least`; it gives a tuple."""
    return lambda value, name, owner: ints(value, count, name, owner, least)


def choice(*choices: object, shown: str = "") -> Callable:
    """The check for one of several values; the message may call the argument otherwise."""
    return lambda value, name, owner: one_of(value, choices, shown or name, owner)


def of_type(*kinds: type) -> Callable:
    """The check for values of some types."""
    return lambda value, name, owner: validator.check_value_type(name, value, list(kinds), owner)
