# SPDX-License-Identifier: Apache-2.0
"""All files of a scan, and what they import from each other."""

from __future__ import annotations

import os
from typing import Any

from mindspore.tools._scan.sources import Source, read_source
from mindspore.tools._scan.values import UserModule, Value
from mindspore.tools._scan.walk import Walk


class Project:
    """The files, each read and followed once.

    Args:
        files (list[str]): Scripts and notebooks.
        catalog (Catalog): Knows the frameworks.
    """

    def __init__(self, files: list[str], catalog: Any) -> None:
        self._catalog = catalog
        self._paths = {os.path.abspath(file): file for file in files}
        self._folders = {os.path.dirname(path) for path in self._paths}
        self._top = os.path.commonpath(self._folders) if self._folders else os.sep
        self._walks: dict[str, tuple[Source, Walk | None]] = {}

    def walk(self, file: str) -> tuple[Source, Walk | None]:
        """A file, and the names in it; None where it cannot be read."""
        path = os.path.abspath(file)
        if path not in self._walks:
            source = read_source(self._paths[path])
            walk = None if source.tree is None else Walk(source.tree, path, self._catalog, self)
            # Entered before it is complete: files may import each other.
            self._walks[path] = source, walk
            if walk is not None:
                walk.run()
                source.tree = None
        return self._walks[path]

    def hides(self, importer: str, package: str) -> bool:
        """Whether a script beside the importer is called as a package: Python finds that one first."""
        beside = os.path.join(os.path.dirname(importer), package)
        return bool(package) and (
            f"{beside}.py" in self._paths or os.path.join(beside, "__init__.py") in self._paths
        )

    def module(self, importer: str, name: str, level: int) -> str | None:
        """The file that an import means; None: none of these.

        Args:
            importer (str): File with the import.
            name (str): Module.
            level (int): Number of dots before it.
        """
        parts = name.split(".") if name else []
        folder = os.path.dirname(importer)
        if level:
            for _ in range(level - 1):
                folder = os.path.dirname(folder)
            return self._file(os.path.join(folder, *parts))
        # Scripts are started in their own folder or in one above it.
        while True:
            found = self._file(os.path.join(folder, *parts))
            if found is not None:
                return found
            if folder == self._top:
                return None
            folder = os.path.dirname(folder)

    def submodule(self, importer: str, module: str, level: int, name: str) -> str | None:
        """The file that ``from module import name`` means."""
        return self.module(importer, f"{module}.{name}" if module else name, level)

    def _file(self, path: str) -> str | None:
        for candidate in (f"{path}.py", os.path.join(path, "__init__.py")):
            if candidate in self._paths:
                return candidate
        # A folder without __init__.py is a package as well, of which only the modules can be reached.
        return path if path in self._folders else None

    def name_in(self, file: str, name: str) -> Value:
        """What a name of another file stands for."""
        if file in self._paths:
            _, walk = self.walk(file)
            if walk is not None and name in walk.scope.module().names:
                return walk.scope.module().names[name]
            if walk is not None and (starred := walk.starred(name)) is not None:
                return starred
        folder = os.path.dirname(file) if file.endswith("__init__.py") else file
        part = self._file(os.path.join(folder, name))
        return UserModule(part) if part else None

    def everything_in(self, file: str) -> tuple[dict[str, Value], list[str], bool]:
        """What ``import *`` gives: the names, framework modules imported the same way, and whether more."""
        walk = self.walk(file)[1] if file in self._paths else None
        if walk is None:
            return {}, [], True
        scope = walk.scope.module()
        return scope.names, scope.stars, walk.has_foreign_star
