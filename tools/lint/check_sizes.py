# SPDX-License-Identifier: Apache-2.0
"""No file over 800 lines, no function over 80. What must be longer is in exceptions.txt."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import repository
from cpp_functions import functions as cpp_functions

FILE_LINES = 800
FUNCTION_LINES = 80
SUFFIXES = repository.CPP_SUFFIXES | {".py", ".sh", ".cmake"}


def exceptions() -> set[str]:
    """Allowed `path` or `path:function`; every row has to give a reason after ' - '."""
    allowed = set()
    for line in repository.text_of(Path("tools/lint/exceptions.txt")).splitlines():
        if line and not line.startswith("#"):
            what, dash, reason = line.partition(" - ")
            if not dash or not reason.strip():
                raise SystemExit(f"exceptions.txt: no reason given for '{line}'")
            allowed.add(what.strip())
    return allowed


def python_functions(source: str) -> Iterator[tuple[str, int, int]]:
    """Yields (name, first line, number of lines without the docstring) of each function."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = node.end_lineno - node.lineno + 1
            if ast.get_docstring(node, clean=False) is not None:
                length -= node.body[0].end_lineno - node.body[0].lineno + 1
            yield node.name, node.lineno, length


def check() -> Iterator[str]:
    """Yields every file and function over the limit."""
    allowed = exceptions()
    for path in repository.files():
        if path.suffix not in SUFFIXES:
            continue
        text = repository.text_of(path)
        lines = text.count("\n")
        if lines > FILE_LINES and str(path) not in allowed:
            yield f"{path}:1: {lines} lines, the limit is {FILE_LINES}"
        found: Iterator[tuple[str, int, int]] = iter(())
        if path.suffix == ".py":
            found = python_functions(text)
        elif path.suffix in repository.CPP_SUFFIXES:
            found = cpp_functions(text)
        for name, line, length in found:
            if length > FUNCTION_LINES and f"{path}:{name}" not in allowed:
                yield f"{path}:{line}: function {name} has {length} lines, the limit is {FUNCTION_LINES}"


if __name__ == "__main__":
    repository.run(check)
