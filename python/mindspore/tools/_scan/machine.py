# SPDX-License-Identifier: Apache-2.0
"""The report as JSON."""

from __future__ import annotations

import json
from typing import Any

from mindspore.tools._scan.findings import Finding, Report
from mindspore.tools._scan.text import answer
from mindspore.tools._scan.verdict import Status
from mindspore.version import __version__


def as_json(report: Report) -> str:
    """Everything that was found, one entry for every name in every place."""
    data = {
        "version": __version__,
        "summary": {
            "answer": answer(report),
            "files": report.files,
            **{status.value: len(report.names(status)) for status in Status},
            "uses": {status.value: sum(report.names(status).values()) for status in Status},
        },
        "uses": [entry(one) for one in report.findings],
        "unreadable": [
            {"file": one.file, "cell": one.cell or None, "line": one.line, "message": one.message}
            for one in report.unreadable
        ],
        "not_installed": report.not_installed,
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def entry(one: Finding) -> dict[str, Any]:
    """One finding with plain values."""
    return {
        "name": one.name,
        "framework": one.framework,
        "status": one.status.value,
        "note": one.note,
        "optional": one.optional,
        "file": one.file,
        "cell": one.cell or None,
        "line": one.line,
        "column": one.column,
        "source": one.source,
    }
