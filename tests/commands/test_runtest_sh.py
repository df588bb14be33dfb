# SPDX-License-Identifier: Apache-2.0
"""Selections of tests/runtest.sh. Every call here ends before anything is installed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def runtest(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", str(ROOT / "tests" / "runtest.sh"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=30)


@pytest.mark.parametrize("arguments", [["everything"], ["lint", "now"], ["sanitize"], ["sanitize", "msan"]])
def test_runtest_refuses_wrong_usage(arguments):
    result = runtest(*arguments)
    assert result.returncode == 2
    assert "Usage:" in result.stderr


def test_runtest_help_lists_the_selections():
    result = runtest("-h")
    assert result.returncode == 0
    for selection in ["all", "lint", "cpp", "python", "tidy", "sanitize"]:
        assert f"\n  {selection}" in result.stdout
