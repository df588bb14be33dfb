# SPDX-License-Identifier: Apache-2.0
"""The report as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from mindspore.tools._scan.findings import Finding, Report
from mindspore.tools._scan.verdict import Status

_COLORS = {Status.MISSING: "31", Status.DIFFERENCE: "33", Status.WORKS: "32"}
_BOLD, _FAINT, _RED = "1", "2", "31"
_WIDEST_NAME = 48


class _Paint:
    def __init__(self, is_on: bool) -> None:
        self._is_on = is_on

    def __call__(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._is_on and text else text


def as_text(report: Report, color: bool = False, everything: bool = False) -> str:
    """What is missing or differs, file by file; then what it comes to.

    Args:
        report (Report): What was found.
        color (bool): For a terminal. Default: ``False``.
        everything (bool): Names that work are listed as well. Default: ``False``.
    """
    paint = _Paint(color)
    lines = _files(report, paint, everything)
    return "\n".join([*lines, *_summary(report, paint, everything)]) + "\n"


def _files(report: Report, paint: _Paint, everything: bool) -> Iterator[str]:
    shown = [one for one in report.findings if everything or one.status is not Status.WORKS]
    for file, found in groupby(shown, key=lambda one: one.file):
        yield paint(file, _BOLD)
        rows = list(found)
        width = min(max(len(one.name) for one in rows), _WIDEST_NAME)
        place = max(len(_place(one)) for one in rows)
        for one in rows:
            status = paint(one.status.value.ljust(10), _COLORS[one.status])
            optional = paint("(optional) ", _FAINT) if one.optional else ""
            yield f"  {_place(one):>{place}}  {status}  {one.name:<{width}}  {optional}{one.note}".rstrip()
        yield ""


def _place(one: Finding) -> str:
    return f"cell {one.cell}:{one.line}" if one.cell else str(one.line)


def _summary(report: Report, paint: _Paint, everything: bool) -> Iterator[str]:
    for one in report.unreadable:
        yield f"{paint('cannot be read', _RED)}  {one.place}  {one.message}"
    if report.unreadable:
        yield ""
    most = report.names(Status.MISSING).most_common(10)
    if len(most) > 1 and report.files > 1:
        yield paint("most missed", _BOLD)
        for name, count in most:
            yield f"  {count:>6}  {name}"
        yield ""
    if report.not_installed:
        names = ", ".join(sorted(report.not_installed))
        yield f"{paint('other packages that are not installed', _BOLD)}: {names}"
    yield _counts(report, paint, everything)
    yield paint(answer(report), _BOLD)


def _counts(report: Report, paint: _Paint, everything: bool) -> str:
    parts = []
    for status in Status:
        names, uses = report.names(status), sum(report.names(status).values())
        text = f"{_number(len(names), 'name')} in {_number(uses, 'place')}"
        parts.append(f"{paint(status.value, _COLORS[status])} {text}")
    listed = "" if everything else " (--all lists what works)"
    return f"{_number(report.files, 'file')}: {', '.join(parts)}{listed}"


def _number(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def answer(report: Report) -> str:
    """Will the scripts run? One sentence."""
    ours = [one for one in report.findings if one.framework == "mindspore" and not one.optional]
    missing = [one for one in ours if one.status is Status.MISSING]
    differs = any(one.status is Status.DIFFERENCE for one in ours)
    torch = any(one.framework == "torch" and not one.optional for one in report.findings)
    if missing:
        files = len({one.file for one in missing})
        text = f"{_number(files, 'file')} will stop at something that is missing."
    elif not ours:
        text = "No name of MindSpore was found."
    elif differs:
        text = "Nothing is missing; read the differences."
    else:
        text = "Every name of MindSpore in them works here."
    if torch:
        text += " Names of PyTorch need PyTorch, or the name that is given beside them."
    if report.unreadable:
        text += f" {_number(len(report.unreadable), 'file or cell')} could not be read."
    return text
