# SPDX-License-Identifier: Apache-2.0
"""What one entry of the table of settings says."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

NO_DEFAULT = object()
"""Default of a setting that has none: every value was asked for."""


class State(enum.Enum):
    """What becomes of a setting."""

    WORKS = "works"
    HARMLESS = "harmless here"
    REFUSED = "refused"


@dataclass(frozen=True)
class Setting:
    """One name that users may set.

    Args:
        name (str): The name.
        state (State): What becomes of it.
        about (str): Works: what it does. Harmless: why nothing is missed. Refused: what is missing, and
            what to do instead.
        kinds (tuple[type]): Types of its values; empty: not checked here.
        default (Any): The value that asks for nothing.
        check (Callable): ``check(name, value)`` gives the value that is kept, or raises.
        apply (Callable): ``apply(value)`` puts the value into effect.
        reader (str): File of the package that reads the value.
        devices (tuple[str]): Kinds of devices that it concerns; empty: all.
        error (type[Exception]): Refused with this error; None: with a warning.
        alone (bool): So it is in one process; an error where several are meant.
        refuses (Callable): ``refuses(value)`` tells why this value of a setting that works does not, or "".
    """

    name: str
    state: State
    about: str
    kinds: tuple = ()
    default: Any = NO_DEFAULT
    check: Callable[[str, Any], Any] | None = None
    apply: Callable[[Any], None] | None = None
    reader: str = ""
    devices: tuple[str, ...] = ()
    error: type[Exception] | None = None
    alone: bool = False
    refuses: Callable[[Any], str] | None = None

    def asks(self, value: Any) -> bool:
        """Whether a value is another than the default; a switch that nobody has set is off."""
        if self.default is None:
            return value is not None and value is not False
        return self.default is NO_DEFAULT or value != self.default


def requires(holds: Callable[[Any], bool], message: str) -> Callable[[str, Any], Any]:
    """A check that gives the value as it is.

    Args:
        holds (Callable): Whether a value is allowed.
        message (str): Text of the ValueError for others, with ``{key}`` and ``{value}``.
    """

    def check(key: str, value: Any) -> Any:
        if not holds(value):
            raise ValueError(message.format(key=key, value=value))
        return value

    return check


def _entry(state: State, name: str, default: Any, about: str, kinds: tuple | None, more: dict) -> Setting:
    if kinds is None:
        kinds = () if default is NO_DEFAULT or default is None else (type(default),)
    return Setting(name, state, about, kinds, default, **more)


def works(name: str, default: Any, about: str, kinds: tuple | None = None, **more: Any) -> Setting:
    """A setting with an effect: `apply`, or a `reader`, says where; `kinds`: that of the default."""
    return _entry(State.WORKS, name, default, about, kinds, more)


def harmless(name: str, default: Any, why: str, kinds: tuple | None = None, **more: Any) -> Setting:
    """A setting without an effect, which nobody misses."""
    return _entry(State.HARMLESS, name, default, why, kinds, more)


def refused(name: str, default: Any, why: str, kinds: tuple | None = None, **more: Any) -> Setting:
    """A setting that asks for what is not there."""
    return _entry(State.REFUSED, name, default, why, kinds, more)
