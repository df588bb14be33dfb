# SPDX-License-Identifier: Apache-2.0
"""What the installed package has. It is asked itself; there is no list of names."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import re
import textwrap
import types
import warnings
from dataclasses import dataclass
from typing import Any

from mindspore import _spelling
from mindspore.tools._scan.values import Known, Made, Value

# What functions say they return, and the class that users know it by.
_RESULTS = {
    "Tensor": "mindspore.Tensor",
    "Parameter": "mindspore.Parameter",
    "Cell": "mindspore.nn.Cell",
    "Dataset": "mindspore.dataset.Dataset",
}
_RETURNS = re.compile(r"\n\s*Returns:\n((?:\s*\n)?(?:[ \t]+\S.*\n?)+)")
_NOT_THERE = re.compile(
    r"^(module )?'[\w.]+' (object )?has no attribute '\w+'(\.\s*|$)"
    r"|^No module named '[\w.]+'(; '[\w.]+' is not a package)?(\.\s*|$)"
)
# Where a name is looked for that is not in the module a script takes it from.
_PUBLIC = [
    "mindspore",
    "mindspore.nn",
    "mindspore.ops",
    "mindspore.train",
    "mindspore.dataset",
    "mindspore.dataset.vision",
    "mindspore.dataset.transforms",
    "mindspore.common.initializer",
    "mindspore.amp",
    "mindspore.communication",
    "mindspore.parallel",
    "mindspore.mindrecord",
    "mindspore.experimental.optim",
    "mindspore.boost",
    "mindspore.numpy",
]


@dataclass
class Absent:
    """A name that is not there.

    Args:
        name (str): As far as it could not be followed, such as ``mindspore.mint`` of ``mindspore.mint.nn``.
        hint (str): What to use instead; may be empty.
    """

    name: str
    hint: str


@dataclass
class Found:
    """What a name is; a static method has no ``self``."""

    value: Any
    is_static: bool = False


class Package:
    """Answers from ``mindspore``; modules of the package are imported when they are asked for."""

    def __init__(self) -> None:
        self._answers: dict[str, Found | Absent] = {"mindspore": Found(importlib.import_module("mindspore"))}

    def find(self, path: str) -> Found | Absent:
        """What a name is, or what to use instead."""
        if path not in self._answers:
            owner_path, _, name = path.rpartition(".")
            owner = self.find(owner_path)
            self._answers[path] = (
                owner if isinstance(owner, Absent) else self._member(owner, owner_path, name)
            )
        return self._answers[path]

    def _member(self, owner: Found, owner_path: str, name: str) -> Found | Absent:
        path, message = f"{owner_path}.{name}", ""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return Found(getattr(owner.value, name), _is_static(owner.value, name))
            except (AttributeError, ImportError) as error:
                message = str(error)
            if isinstance(owner.value, types.ModuleType):
                try:
                    return Found(importlib.import_module(f"{owner.value.__name__}.{name}"))
                except ImportError as error:
                    message = max(message, str(error), key=lambda text: len(_said(text)))
            elif isinstance(owner.value, type) and name in self.names_of_objects(owner_path):
                return Found(None)  # set in the constructor
            elif (module := _module(owner_path)) is not None and hasattr(module, name):
                return Found(getattr(module, name))  # mindspore.common.tensor is a function and a module
        return Absent(path, self._hint(owner.value, owner_path, name, message))

    def _hint(self, owner: Any, owner_path: str, name: str, message: str) -> str:
        """What the package says itself; else where the same name is, or one that is near."""
        if isinstance(owner, type):
            return self._hint_for_member(owner, name)
        said = _spelling.advice_for(getattr(owner, "__name__", owner_path), name) or _said(message)
        if said and not said.startswith("Did you mean"):
            return said
        if name.startswith("_"):
            return ""
        elsewhere = [module for module in _PUBLIC if module != owner_path and self.exports(module, name)]
        if elsewhere:
            return f"it is {elsewhere[0]}.{name}"
        is_module = isinstance(owner, types.ModuleType)
        return said or (_spelling.did_you_mean(name, dir(owner)).strip() if is_module else "")

    @staticmethod
    def _hint_for_member(owner: type, name: str) -> str:
        for base in owner.__mro__:
            if advice := _spelling.advice_for(base.__name__, name):
                return advice
            if isinstance(told := vars(base).get(name), _spelling.NotHere):
                return told.advice
        return _spelling.did_you_mean(name, dir(owner)).strip()

    def exports(self, module: str, name: str) -> bool:
        """Whether ``from module import *`` gives a name."""
        found = self.find(module)
        return isinstance(found, Found) and name in self._exported(module)

    @functools.cached_property
    def _exports_by_module(self) -> dict[str, frozenset[str]]:
        return {}

    def _exported(self, module: str) -> frozenset[str]:
        known = self._exports_by_module
        if module not in known:
            value = self.find(module).value
            names = getattr(value, "__all__", None)
            known[module] = (
                frozenset(n for n in dir(value) if n[:1] != "_") if names is None else frozenset(names)
            )
        return known[module]

    # ---- types ------------------------------------------------------------------------------------------

    def is_class(self, path: str) -> bool:
        """Whether calling a name makes an object."""
        found = self.find(path)
        return isinstance(found, Found) and isinstance(found.value, type)

    def made_by(self, called: Known) -> Value:
        """What a call gives."""
        found = self.find(called.path)
        if isinstance(found, Absent) or found.value is None:
            return None
        if isinstance(found.value, type):
            return Made(called.path, called.unsure)
        kind = _returned(found.value)
        return Made(kind, called.unsure) if kind else None

    @functools.cache  # noqa: B019  (lives as long as the program)
    def names_of_objects(self, path: str) -> frozenset[str]:
        """Attributes that objects of a class have, those included that its constructor sets."""
        found = self.find(path)
        if not isinstance(found, Found) or not isinstance(found.value, type):
            return frozenset()
        names = {name for name in dir(found.value) if hasattr(found.value, name)}
        for base in found.value.__mro__:
            names |= getattr(base, "__annotations__", {}).keys()
            if base.__module__.startswith("mindspore"):
                names |= _set_by_itself(base)
        return frozenset(names)

    def has_member(self, path: str, name: str) -> bool | None:
        """Whether objects of a class have an attribute; None: any may have been given to them."""
        if name in self.names_of_objects(path):
            return True
        found = self.find(path)
        if not isinstance(found, Found) or not isinstance(found.value, type):
            return None
        if self.advises(path, name):
            return False
        is_open = hasattr(found.value, "__getattr__") or "__getattribute__" in vars(found.value)
        return None if is_open else False

    def advises(self, path: str, name: str) -> bool:
        """Whether users of another framework look for a name in objects of a class."""
        found = self.find(path)
        bases = found.value.__mro__ if isinstance(found, Found) and isinstance(found.value, type) else ()
        return any(_spelling.advice_for(base.__name__, name) for base in bases)

    def called_member(self, path: str) -> str:
        """The method that calling an object of a class runs; empty: it cannot be called, or is not known."""
        found = self.find(path)
        if not isinstance(found, Found) or not isinstance(found.value, type):
            return ""
        name = getattr(found.value, "_called_as", "__call__")
        return name if hasattr(found.value, name) else ""


def _is_static(owner: Any, name: str) -> bool:
    return isinstance(owner, type) and isinstance(inspect.getattr_static(owner, name, None), staticmethod)


def _said(message: str) -> str:
    """What an error says beyond that a name is not there."""
    return _NOT_THERE.sub("", message).strip().removeprefix("In MindSpore ").rstrip(".")


def _module(path: str) -> types.ModuleType | None:
    try:
        return importlib.import_module(path)
    except ImportError:
        return None


def _returned(function: Any) -> str | None:
    annotation = getattr(function, "__annotations__", {}).get("return", "")
    name = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    if name:
        return _RESULTS.get(name)
    section = _RETURNS.search(f"\n{inspect.getdoc(function) or ''}\n") if callable(function) else None
    lines = textwrap.dedent(section[1]).strip().splitlines() if section else []
    entries = [line for line in lines if not line.startswith(" ")]
    if len(entries) != 1:
        return None
    first = re.match(r"(?:\w+ \()?(\w+)\b[,.)]", entries[0])
    return _RESULTS.get(first[1]) if first else None


def _set_by_itself(kind: type) -> set[str]:
    """Names that methods of a class assign to ``self``."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    except (OSError, TypeError, SyntaxError):
        return set()
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }
