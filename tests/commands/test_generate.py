# SPDX-License-Identifier: Apache-2.0
"""The generators of tools/generate."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_TOOLS = Path(__file__).resolve().parents[2] / "tools" / "generate"


def _run(script: str, *arguments: str) -> str:
    command = [sys.executable, str(_TOOLS / script), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_operator_table_has_one_line_per_operator():
    lines = _run("operator_table.py").splitlines()
    assert any(line.startswith("| `relu` | ReLU | relu |") for line in lines)
    assert len({line.count(" | ") for line in lines[2:]}) == 1
