# SPDX-License-Identifier: Apache-2.0
"""Everything the package offers: its public modules, and the public names of each.

A module is public when no part of its path begins with an underscore. Its names are those of ``__all__``;
without one, a package offers what it shows, and a plain module what it defines, not what it imports.
"""

from __future__ import annotations

import ast
import importlib
import importlib.machinery
import inspect
import pkgutil
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import NamedTuple

import mindspore

# Helpers of package faces: what they define is used while a package is imported, and by nobody afterwards.
_HELPERS = {"mindspore._later", "mindspore._waiting", "mindspore.ops._forwarding"}

# What is offered under our name but documented by others.
_ELSEWHERE = {"multiprocessing"}


class PublicName(NamedTuple):
    """A name as a user may write it."""

    module: ModuleType
    name: str
    value: object

    @property
    def path(self) -> str:
        """The dotted path."""
        return f"{self.module.__name__}.{self.name}"


def public_modules(package: ModuleType = mindspore) -> Iterator[ModuleType]:
    """The package and all public modules in it, imported."""
    yield package
    for info in pkgutil.iter_modules(package.__path__):
        spec = info.module_finder.find_spec(info.name)
        if info.name.startswith("_") or not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            continue
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        if info.ispkg:
            yield from public_modules(module)
        else:
            yield module


def home_of(value: object) -> str:
    """The module that defines a value; empty for a value that does not say so."""
    if inspect.ismodule(value):
        return value.__name__
    described = value if inspect.isroutine(value) or isinstance(value, type) else type(value)
    home = getattr(value, "__module__", None) or getattr(described, "__module__", None)
    return home if isinstance(home, str) else ""


def _bound(module: ModuleType) -> set[str]:
    """Names that the module assigns; a package's face also offers what it imports from the package."""
    names: set[str] = set()
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ImportFrom) and hasattr(module, "__path__"):
            if (node.module or "").startswith("mindspore"):
                names.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.update(
                part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)
            )
    return names


def is_forwarder(module: ModuleType) -> bool:
    """Whether the module only shows the names of `mindspore.ops` under another path."""
    ops = mindspore.ops
    return module is not ops and all(
        getattr(module, name, None) is getattr(ops, name) for name in ("relu", "ReLU")
    )


def _offers(module: ModuleType, name: str, value: object, bound: set[str]) -> bool:
    if inspect.ismodule(value):
        return sys.modules.get(f"{module.__name__}.{name}") is value
    home = home_of(value)
    if home in _HELPERS or type(value).__name__ == "nb_func":
        return False
    if hasattr(module, "__path__") or is_forwarder(module):
        return home.startswith("mindspore") or name in bound
    return name in bound or (
        home == module.__name__ and (inspect.isroutine(value) or isinstance(value, type))
    )


def names_of(module: ModuleType) -> Iterator[PublicName]:
    """The public names of one module, in alphabetical order."""
    listed = vars(module).get("__all__")
    bound = set() if listed is not None else _bound(module)
    shown = set(dir(module))
    modules = {name for name in shown if f"{module.__name__}.{name}" in sys.modules}  # a star leaves them out
    for name in sorted(shown if listed is None else set(listed) | modules):
        if name.startswith("_"):
            continue
        value = getattr(module, name)
        if home_of(value).partition(".")[0] in _ELSEWHERE:
            continue
        if name in (listed or ()) or _offers(module, name, value, bound):
            yield PublicName(module, name, value)


def public_names() -> Iterator[PublicName]:
    """Every public name of every public module."""
    for module in public_modules():
        yield from names_of(module)
