# SPDX-License-Identifier: Apache-2.0
"""Checks of arguments that many layers share."""

from __future__ import annotations

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
