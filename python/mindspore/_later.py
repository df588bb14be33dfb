# SPDX-License-Identifier: Apache-2.0
"""The face of a package: names that are imported when first used, and only public names in `dir`."""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable, Iterable

from mindspore._spelling import unknown_in_module


def shown_names(namespace: dict, modules: Iterable[str] = (), later: Iterable[str] = ()) -> list[str]:
    """What `dir` of a package shows: its public names, and of modules only those that are meant.

    Args:
        namespace (dict): ``globals()`` of the package.
        modules (Iterable[str]): Modules that users know as attributes of the package.
        later (Iterable[str]): Names that are imported when they are first used.

    Returns:
        list, sorted.
    """
    here = {
        name
        for name, value in namespace.items()
        if name.startswith("__") or not (name.startswith("_") or isinstance(value, types.ModuleType))
    }
    offered = (name for name in (*modules, *later) if not name.startswith("_"))
    return sorted({*here, *offered})


def star_names(listed: Iterable[str], modules: Iterable[str] = ()) -> list[str]:
    """``__all__`` of a package: what `dir` shows of it, without modules and what the interpreter keeps there.

    Args:
        listed (Iterable[str]): What `dir` shows.
        modules (Iterable[str]): The modules among it.

    Returns:
        list, sorted.
    """
    return sorted(name for name in {*listed} - {*modules} if not name.startswith("_"))


def imported_names(namespace: dict) -> list[str]:
    """``__all__`` of a package that offers what it imports, but for modules and names with an underscore.

    Args:
        namespace (dict): ``globals()`` of the package, at its end.

    Returns:
        list, sorted.
    """
    return star_names(shown_names(namespace))


def defined_classes(namespace: dict, *taken_over: str) -> list[str]:
    """``__all__`` of a module that offers its classes and nothing else.

    Args:
        namespace (dict): ``globals()`` of the module, at its end.
        taken_over (str): Modules whose classes it offers as well.

    Returns:
        list, sorted.
    """
    return _defined(namespace, type, taken_over)


def defined_names(namespace: dict) -> list[str]:
    """``__all__`` of a module that offers all classes and functions it defines without an underscore.

    Args:
        namespace (dict): ``globals()`` of the module, at its end.

    Returns:
        list, sorted.
    """
    return _defined(namespace, (type, types.FunctionType))


def _defined(namespace: dict, kinds: type | tuple[type, ...], taken_over: tuple[str, ...] = ()) -> list[str]:
    homes = (namespace["__name__"], *taken_over)
    return sorted(
        name
        for name, value in namespace.items()
        if isinstance(value, kinds) and value.__module__ in homes and not name.startswith("_")
    )


def imported_later(
    namespace: dict, names: dict[str, str] | None = None, modules: Iterable[str] = ()
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """The functions ``__getattr__`` and ``__dir__`` of a package.

    Args:
        namespace (dict): ``globals()`` of the package.
        names (dict[str, str]): By module, the names it defines, with spaces between. Default: ``None``.
        modules (Iterable[str]): Modules of the package that are attributes of it as well.

    Returns:
        tuple of the two functions.
    """
    package = namespace["__name__"]
    module_of = {name: module for module, text in (names or {}).items() for name in text.split()}
    modules = frozenset(modules)

    def listed() -> list[str]:
        return shown_names(namespace, modules, module_of)

    def read(name: str) -> object:
        if name in modules:
            return importlib.import_module(f"{package}.{name}")
        if name not in module_of:
            raise unknown_in_module(package, name, listed)
        value = getattr(importlib.import_module(module_of[name]), name)
        namespace[name] = value
        return value

    return read, listed
