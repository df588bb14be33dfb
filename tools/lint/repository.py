# SPDX-License-Identifier: Apache-2.0
"""What all checks share: the repository's files and how a finding is reported."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CPP_SUFFIXES = {".cc", ".h", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)

Check = Callable[[], Iterator[str]]


@cache
def files() -> tuple[Path, ...]:
    """Every file that is, or may become, part of the repository, relative to its root."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    paths = sorted({Path(name) for name in listing.split("\0") if name})
    return tuple(path for path in paths if (ROOT / path).is_file())


def text_of(path: Path) -> str:
    """Content of a file given relative to the root."""
    return (ROOT / path).read_text(encoding="utf-8")


def line_of(text: str, offset: int) -> int:
    """One-based line of an offset."""
    return text.count("\n", 0, offset) + 1


def cpp_files() -> Iterator[Path]:
    """C++ and CUDA files under src/."""
    return (path for path in files() if path.parts[0] == "src" and path.suffix in CPP_SUFFIXES)


def headers() -> Iterator[Path]:
    """The headers of the C++ interface."""
    return (path for path in files() if path.parts[0] == "include" and path.suffix == ".h")


def block(name: str) -> list[tuple[str, str, str]]:
    """Rows (left, sign, right) of the fenced block `name` in the layout page; sign is ':' or '='."""
    page = text_of(Path("docs/design/layout.md"))
    found = re.search(rf"^```{name}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    if found is None:
        raise SystemExit(f"docs/design/layout.md has no ```{name} block")
    rows = []
    for line in found.group(1).splitlines():
        left, sign, right = re.match(r"([^:=]+)([:=])(.*)", line).groups()
        rows.append((left.strip(), sign, right.strip()))
    return rows


def main(check: Check) -> int:
    """Runs one check from the command line: a finding per line, status 1 if there is any."""
    findings = list(check())
    for finding in findings:
        print(finding)
    return 1 if findings else 0


def run(check: Check) -> None:
    """Entry point of every check."""
    sys.exit(main(check))
