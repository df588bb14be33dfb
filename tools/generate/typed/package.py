# SPDX-License-Identifier: Apache-2.0
"""Stubs of the whole package."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from typed.fixed import FIXED
from typed.module_text import HEAD, ModuleWriter
from typed.places import Surface
from typed.signatures import Report, Typist


def stub_texts() -> tuple[dict[str, str], Report]:
    """Module -> text of its stub, and what stayed without a type.

    Public modules come first; whatever their stubs import from modules that are not public is written, in
    stubs of those modules, until nothing is missing.
    """
    surface = Surface()
    texts: dict[str, str] = dict(FIXED)
    wanted: dict[str, set[str]] = {}
    waiting = set(surface.modules)
    report = Report()
    reports: dict[str, Report] = {}
    typist = Typist(surface)
    while waiting:
        name = min(waiting)
        waiting.discard(name)
        if name not in sys.modules:
            importlib.import_module(name)
        typist.report = Report()
        writer = ModuleWriter(name, surface.names.get(name, []), typist)
        texts[name] = writer.text(wanted.get(name, set()))
        reports[name] = typist.report
        for module, needed in writer.needed:
            if module in FIXED or needed in wanted.setdefault(module, set()):
                continue
            wanted[module].add(needed)
            public = {entry.name for entry in surface.names.get(module, [])}
            if needed not in public:
                waiting.add(module)
    for part in reports.values():
        report.add(part)
    return texts, report


def file_of(module: str, folder: Path) -> Path:
    """The file of a module's stub."""
    path = folder.joinpath(*module.split("."))
    is_package = hasattr(sys.modules.get(module), "__path__")
    return path / "__init__.pyi" if is_package else path.with_suffix(".pyi")


def write_stubs(folder: Path) -> Report:
    """Writes all stubs below a folder.

    Files that are the same already stay untouched; stubs of modules that are gone are removed.
    """
    texts, report = stub_texts()
    files = {file_of(module, folder): text for module, text in texts.items()}
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    for path in set((folder / "mindspore").rglob("*.pyi")) - set(files):
        if path.read_text().startswith(HEAD):
            path.unlink()
    return report
