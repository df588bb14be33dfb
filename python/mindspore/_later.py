# SPDX-License-Identifier: Apache-2.0
"""Names of a package that are imported when they are first used, so that `import mindspore` stays quick."""

from __future__ import annotations

import importlib
from collections.abc import Iterable

from mindspore._spelling import unknown_in_module


def imported_later(namespace: dict, names: dict[str, str], modules: Iterable[str] = ()):
    """The functions ``__getattr__`` and ``__dir__`` of a package.

    Args:
        namespace (dict): ``globals()`` of the package.
        names (dict[str, str]): By module, the names it defines, with spaces between.
        modules (Iterable[str]): Modules of the package that are attributes of it as well.

    Returns:
        tuple of the two functions.
    """
    package = namespace["__name__"]
    module_of = {name: module for module, text in names.items() for name in text.split()}
    modules = frozenset(modules)

    def read(name: str) -> object:
        if name in modules:
            return importlib.import_module(f"{package}.{name}")
        if name not in module_of:
            raise unknown_in_module(package, name, listed)
        value = getattr(importlib.import_module(module_of[name]), name)
        namespace[name] = value
        return value

    def listed() -> list[str]:
        return sorted({*namespace, *modules, *module_of})

    return read, listed
