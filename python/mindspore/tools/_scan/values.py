# SPDX-License-Identifier: Apache-2.0
"""What an expression of a script stands for, as far as it can be told without running it. None: unknown."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Known:
    """A name of a framework, such as ``mindspore.nn.Dense``.

    Args:
        path (str): The whole name.
        bound (bool): It was read from an object of its class, not from the class.
        unsure (bool): It may be something else as well, or not be reached.
    """

    path: str
    bound: bool = False
    unsure: bool = False


@dataclass(frozen=True)
class Made:
    """An object of a framework's class.

    Args:
        path (str): Name of the class.
        unsure (bool): It may be something else as well.
    """

    path: str
    unsure: bool = False


@dataclass(frozen=True)
class UserModule:
    """Another file of the scripts."""

    file: str


@dataclass(eq=False)
class UserClass:
    """A class that a script defines.

    Args:
        name (str): Its name.
        bases (list): What it is derived from.
        members (dict): Its own attributes, those of ``self`` among them.
    """

    name: str
    bases: list[Value]
    members: dict[str, Value] = field(default_factory=dict)
    _assigned: set[str] = field(default_factory=set)

    def assign(self, name: str, value: Value) -> None:
        """An attribute gets a value; it may have got another elsewhere."""
        self.members[name] = joined(self.members[name], value) if name in self._assigned else value
        self._assigned.add(name)


@dataclass(frozen=True)
class UserObject:
    """An object of a class that a script defines."""

    kind: UserClass


@dataclass(frozen=True)
class BaseOf:
    """``super()`` in a class that a script defines."""

    kind: UserClass


@dataclass(frozen=True)
class Either:
    """One of several, chosen when the script runs."""

    options: tuple[Value, ...]


Value = Known | Made | UserModule | UserClass | UserObject | BaseOf | Either | None


def joined(old: Value, new: Value) -> Value:
    """What a name stands for that one branch of a program has set, and another has not."""
    if old == new:
        return old
    options: list[Value] = []
    for value in (old, new):
        for option in value.options if isinstance(value, Either) else (value,):
            if option not in options:
                options.append(option)
    return Either(tuple(options))


def options_of(value: Value) -> tuple[Value, ...]:
    """Everything that a value may be; what is one of several is unsure."""
    if not isinstance(value, Either):
        return (value,)
    return tuple(_unsure(option) for option in value.options)


def _unsure(value: Value) -> Value:
    if isinstance(value, Known):
        return Known(value.path, value.bound, unsure=True)
    if isinstance(value, Made):
        return Made(value.path, unsure=True)
    return value
