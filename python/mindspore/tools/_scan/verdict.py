# SPDX-License-Identifier: Apache-2.0
"""Whether a use of a name works here."""

from __future__ import annotations

import enum
import inspect
import re
from dataclasses import dataclass
from typing import Any

from mindspore.tools._scan.arguments import Arguments
from mindspore.tools._scan.catalog import Catalog
from mindspore.tools._scan.package import Absent
from mindspore.tools._scan.settings import Settings
from mindspore.tools._scan.uses import Use, framework_of

_ALWAYS_RAISES = re.compile(r"\bNotImplementedError: Always\.")
_SEVERAL = re.compile(r"\bNotImplementedError: (Several processes are|Another process is) meant\b")
_ONE_PROCESS = "one process only: an error where several are meant"


class Status(enum.Enum):
    """What becomes of a name."""

    WORKS = "works"
    DIFFERENCE = "difference"
    MISSING = "missing"


@dataclass(frozen=True)
class Verdict:
    """What becomes of one use, and why."""

    status: Status
    note: str = ""


_WORKS = Verdict(Status.WORKS)


class Judge:
    """Decides for each use.

    Args:
        catalog (Catalog): Knows the names.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._package, self._torch = catalog.package, catalog.torch
        self._arguments = Arguments()
        self._settings = Settings(catalog.package)
        self._about: dict[int, tuple[Any, Verdict]] = {}

    def verdict(self, use: Use) -> Verdict:
        """What becomes of a use."""
        if use.kind == "environment":
            why = self._settings.of_environment(use.name, use.call.positional[0] if use.call else None)
            return Verdict(Status.DIFFERENCE, why) if why else _WORKS
        if framework_of(use.name) != "mindspore":
            instead = self._torch.instead(use.name)
            return (
                Verdict(Status.DIFFERENCE, instead)
                if instead
                else Verdict(Status.MISSING, "nothing here is like it")
            )
        found = self._package.find(use.name)
        if isinstance(found, Absent):
            part = "" if found.name == use.name else f"there is no {found.name}"
            return Verdict(Status.MISSING, "; ".join(one for one in (part, found.hint) if one))
        is_method = use.bound and not found.is_static
        verdict = self._of_call(use, found.value, is_method) if use.call is not None else _WORKS
        return verdict if verdict.status is not Status.WORKS else self._of_documentation(found.value)

    def _of_call(self, use: Use, function: Any, is_method: bool) -> Verdict:
        call = use.call
        short = use.name.removesuffix(".construct").removesuffix(".__init__").rpartition(".")[2]
        mistake = self._arguments.mistake(function, call, short, is_method)
        if mistake:
            return Verdict(Status.MISSING, mistake)
        told = self._settings.told(function, call, self._arguments.signature(function, is_method))
        if not told:
            return _WORKS
        is_error = any(error for error, _ in told)
        return Verdict(Status.MISSING if is_error else Status.DIFFERENCE, "; ".join(why for _, why in told))

    def _of_documentation(self, value: Any) -> Verdict:
        """What the package itself documents that it does not do."""
        if not (inspect.isroutine(value) or isinstance(value, type)):
            return _WORKS
        if id(value) not in self._about:
            self._about[id(value)] = value, _documented(value)
        return self._about[id(value)][1]


def _documented(value: Any) -> Verdict:
    text = getattr(value, "__doc__", None)
    if not isinstance(text, str):
        return _WORKS
    if _ALWAYS_RAISES.search(text):
        return Verdict(
            Status.MISSING, f"it is only a name, and raises when it is called: {_first_line(text)}"
        )
    return Verdict(Status.DIFFERENCE, _ONE_PROCESS) if _SEVERAL.search(text) else _WORKS


def _first_line(text: str) -> str:
    return text.strip().split("\n")[0].rstrip(".")
