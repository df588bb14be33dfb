# SPDX-License-Identifier: Apache-2.0
"""One place where a script uses a name of a framework."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

FRAMEWORKS = ("mindspore", "torch", "torchvision")
NOT_LITERAL = object()
"""Value of an argument that only the running script knows."""


@dataclass
class Guard:
    """A ``try`` whose imports may fail: an ``except ImportError`` knows what to do then."""

    failed: bool = False


@dataclass
class Call:
    """How something is called.

    Args:
        positional (list): Values, ``NOT_LITERAL`` where they are not written down.
        keywords (dict): The same by name.
        open_ended (bool): There is a ``*`` or ``**``, so that more may come.
    """

    positional: list[Any] = field(default_factory=list)
    keywords: dict[str, Any] = field(default_factory=dict)
    open_ended: bool = False


@dataclass
class Use:
    """One use.

    Args:
        name (str): Whole name, such as ``mindspore.nn.Dense``; of an environment variable, that.
        line (int): Line of the syntax tree.
        column (int): Column, from 1.
        kind (str): "import", "name", "call", "member" or "environment".
        bound (bool): A member, read from an object.
        optional (bool): The script goes on without it.
        call (Call): The arguments, where it is called.
        needed_if (tuple[Guard]): Only needed if one of these failed.
        guards (tuple[Guard]): These catch its absence.
        only_if_wrong (bool): Already listed where the object was made; told again only for a mistake.
    """

    name: str
    line: int
    column: int
    kind: str
    bound: bool = False
    optional: bool = False
    call: Call | None = None
    needed_if: tuple[Guard, ...] = ()
    guards: tuple[Guard, ...] = ()
    only_if_wrong: bool = False


def framework_of(name: str) -> str:
    """Either "mindspore", "torch" or "torchvision"; empty: another package."""
    root = name.partition(".")[0]
    return root if root in FRAMEWORKS else ""
