# SPDX-License-Identifier: Apache-2.0
"""The result of a scan."""

from __future__ import annotations

import gc
import importlib.util
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from mindspore.tools._scan.catalog import Catalog
from mindspore.tools._scan.project import Project
from mindspore.tools._scan.sources import Source
from mindspore.tools._scan.uses import FRAMEWORKS, framework_of
from mindspore.tools._scan.verdict import Judge, Status
from mindspore.tools._scan.walk import Walk


@dataclass
class Finding:
    """One name in one place."""

    name: str
    framework: str  # "mindspore" or "torch"
    status: Status
    note: str
    optional: bool
    file: str
    cell: int  # of a notebook, from 1; 0 in a script
    line: int
    column: int
    source: str

    @property
    def place(self) -> str:
        """Where it is, as editors understand it."""
        return f"{self.file}:cell {self.cell}:{self.line}" if self.cell else f"{self.file}:{self.line}"


@dataclass
class Unreadable:
    """A file, or a cell of a notebook, that is no Python of today."""

    file: str
    cell: int
    line: int
    message: str

    @property
    def place(self) -> str:
        """Where it is, as editors understand it."""
        parts = [self.file, f"cell {self.cell}" if self.cell else "", str(self.line) if self.line else ""]
        return ":".join(part for part in parts if part)


@dataclass
class Report:
    """Everything that a scan found."""

    findings: list[Finding] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    files: int = 0
    not_installed: dict[str, str] = field(default_factory=dict)  # other packages, with the first place

    def count(self, status: Status, optional: bool = False) -> int:
        """How many uses have a status."""
        return sum(one.status is status and one.optional is optional for one in self.findings)

    def names(self, status: Status) -> Counter[str]:
        """Names with a status, and how often they are used."""
        return Counter(one.name for one in self.findings if one.status is status)

    def fails(self, level: str) -> bool:
        """Whether there is something as bad as "difference" or "missing"; never for "never"."""
        if level == "never":
            return False
        bad = {Status.MISSING} if level == "missing" else {Status.MISSING, Status.DIFFERENCE}
        return bool(self.unreadable) or any(one.status in bad and not one.optional for one in self.findings)


def scan_files(
    files: list[str],
    frameworks: Iterable[str] = ("mindspore", "torch"),
    progress: Callable[[int], None] | None = None,
) -> Report:
    """Reads files and judges every name in them.

    Args:
        files (list[str]): Scripts and notebooks.
        frameworks (Iterable[str]): Whose names are reported. Default: ``("mindspore", "torch")``.
        progress (Callable): Is told how many files are done. Default: ``None``.

    Returns:
        Report.
    """
    catalog = Catalog()
    project, judge = Project(files, catalog), Judge(catalog)
    report, wanted = Report(files=len(files)), set(frameworks)
    depth, collects = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(depth, 20_000))  # one file imports another, which imports another
    gc.disable()  # syntax trees have no cycles, and looking for some costs a third of the time
    try:
        for done, file in enumerate(files):
            try:
                _scan_file(report, project, judge, file, wanted)
            except RecursionError:
                report.unreadable.append(Unreadable(file, 0, 1, "it is nested too deeply"))
            if progress is not None:
                progress(done + 1)
    finally:
        sys.setrecursionlimit(depth)
        if collects:
            gc.enable()
    return report


def _scan_file(report: Report, project: Project, judge: Judge, file: str, wanted: set[str]) -> None:
    source, walk = project.walk(file)
    for problem in source.problems:
        report.unreadable.append(Unreadable(source.path, problem.cell, problem.line, problem.message))
    if walk is None:
        return
    report.findings += _judged(source, walk, judge, wanted)
    for package, line in walk.foreign.items():
        if package not in report.not_installed and not _is_installed(package):
            cell, line = source.place(line)
            report.not_installed[package] = Unreadable(source.path, cell, line, "").place


def _judged(source: Source, walk: Walk, judge: Judge, wanted: set[str]) -> list[Finding]:
    judged = [(use, judge.verdict(use)) for use in walk.uses]
    for use, verdict in judged:
        if verdict.status is Status.MISSING:
            for guard in use.guards:
                guard.failed = True
    found: dict[tuple, Finding] = {}
    for use, verdict in judged:
        framework = "torch" if framework_of(use.name).startswith("torch") else "mindspore"
        is_fine = verdict.status is Status.WORKS
        if framework not in wanted or is_fine and (use.only_if_wrong or use.kind == "environment"):
            continue
        optional = use.optional or bool(use.guards) or any(not guard.failed for guard in use.needed_if)
        cell, line = source.place(use.line)
        made = Finding(
            use.name,
            framework,
            verdict.status,
            verdict.note,
            optional and not is_fine,
            source.path,
            cell,
            line,
            use.column,
            source.text(use.line),
        )
        found.setdefault((made.name, made.status, made.note, made.cell, made.line), made)
    return sorted(found.values(), key=lambda one: (one.cell, one.line, one.column))


def _is_installed(package: str) -> bool:
    """Whether a package of others can be imported; looked for, not imported."""
    if not package or package in sys.stdlib_module_names or package in FRAMEWORKS:
        return True
    try:
        return importlib.util.find_spec(package) is not None
    except (ImportError, ValueError):
        return False
