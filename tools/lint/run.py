# SPDX-License-Identifier: Apache-2.0
"""Runs every check: layers, foreign headers, sizes, names, clang-format, ruff.

With `--fix` it formats the files first and repairs what ruff can.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator

import check_foreign
import check_layers
import check_names
import check_sizes
import repository


def tool_output(command: list[str]) -> Iterator[str]:
    """Runs a formatter or linter; yields its output if it found something."""
    result = subprocess.run(command, cwd=repository.ROOT, capture_output=True, text=True)
    if result.returncode:
        yield (result.stdout + result.stderr).strip()


def clang_format() -> Iterator[str]:
    """Format of the C++ files."""
    program = shutil.which("clang-format")
    paths = [str(path) for path in (*repository.cpp_files(), *repository.headers())]
    if program is None:
        yield "clang-format is not installed"
    elif paths:
        output = "\n".join(tool_output([program, "--dry-run", "-Werror", *paths]))
        bad = dict.fromkeys(re.findall(r"^([^\s:]+):\d+:\d+: error", output, re.MULTILINE))
        yield from (f"{path}: format differs" for path in bad)
        if output and not bad:
            yield output


def ruff() -> Iterator[str]:
    """Rules and format of the Python files."""
    for arguments in (["check", "--quiet"], ["format", "--check", "--quiet"]):
        yield from tool_output([sys.executable, "-m", "ruff", *arguments, "."])


def fix() -> None:
    """Formats in place."""
    paths = [str(path) for path in (*repository.cpp_files(), *repository.headers())]
    if paths:
        subprocess.run(["clang-format", "-i", *paths], cwd=repository.ROOT, check=True)
    for arguments in (["check", "--quiet", "--fix"], ["format", "--quiet"]):
        subprocess.run([sys.executable, "-m", "ruff", *arguments, "."], cwd=repository.ROOT)


CHECKS = {
    "layers": check_layers.check,
    "foreign headers": check_foreign.check,
    "sizes": check_sizes.check,
    "names": check_names.check,
    "clang-format": clang_format,
    "ruff": ruff,
}


def main() -> int:
    """Status 1 if any check found something."""
    if "--fix" in sys.argv[1:]:
        fix()
    status = 0
    for name, check in CHECKS.items():
        findings = list(check())
        print(f"{name}: {'ok' if not findings else 'FAILED'}")
        for finding in findings:
            print(finding)
        status |= bool(findings)
    return status


if __name__ == "__main__":
    sys.exit(main())
