# SPDX-License-Identifier: Apache-2.0
"""Scripts and notebooks as syntax trees. Nothing in them is run."""

from __future__ import annotations

import ast
import io
import json
import os
import re
import textwrap
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

SUFFIXES = (".py", ".pyw", ".ipynb")
_NEVER_ENTERED = {"__pycache__", "node_modules", "site-packages"}
# Lines of a notebook that IPython takes before Python sees them: %matplotlib, !pip install, name?, x = !ls
_MAGIC_LINE = re.compile(r"^\s*([%!?]|[\w.]+\s*\?{1,2}\s*$|\w+\s*=\s*[%!])")
# Magics with a statement behind them, and their options.
_TIMED_LINE = re.compile(r"^\s*(%(?:time|timeit|prun)\s+(?:-\w+(?:\s+\d+)?\s+)*)(?=\S)")
# Magics whose cell is Python all the same.
_PYTHON_CELLS = ("%%time", "%%timeit", "%%capture", "%%prun", "%%python")


@dataclass
class Problem:
    """Why a file, or one cell of a notebook, cannot be read."""

    message: str
    line: int = 0
    cell: int = 0


@dataclass
class Source:
    """One script or notebook."""

    path: str
    tree: ast.Module | None = None
    lines: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    cells: list[tuple[int, int]] = field(default_factory=list)  # (first line, number), for notebooks

    def place(self, line: int) -> tuple[int, int]:
        """Cell and line of a line of the tree; the cell is 0 in a script."""
        for first, number in reversed(self.cells):
            if line >= first:
                return number, line - first + 1
        return 0, line

    def text(self, line: int) -> str:
        """The line of source, without the space around it."""
        return self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""


def files_in(paths: list[str]) -> Iterator[str]:
    """Every script and notebook; folders that hold other people's packages are left out.

    Args:
        paths (list[str]): Files and folders.

    Raises:
        FileNotFoundError: One is not there.
    """
    seen = set()
    for path in paths:
        if not os.path.exists(path):
            raise FileNotFoundError(f"there is no file or folder '{path}'")
        for one in [path] if os.path.isfile(path) else _scripts_below(path):
            if (real := os.path.realpath(one)) not in seen:
                seen.add(real)
                yield one


def _scripts_below(folder: str) -> Iterator[str]:
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and name not in _NEVER_ENTERED
            and not os.path.exists(os.path.join(here, name, "pyvenv.cfg"))
        )
        for name in sorted(files):
            path = os.path.join(here, name)
            if name.endswith(SUFFIXES) and os.path.isfile(path):
                yield path


def read_source(path: str) -> Source:
    """A file as a syntax tree; what is wrong with it is kept, never raised."""
    source = Source(path)
    try:
        with open(path, "rb") as file:
            content = file.read()
        if path.endswith(".ipynb"):
            _read_notebook(source, content)
        else:
            _read_script(source, content)
    except (OSError, ValueError, LookupError, RecursionError, MemoryError) as error:
        source.problems.append(Problem(str(error) or type(error).__name__))
    return source


def _read_script(source: Source, content: bytes) -> None:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        text = content.decode(encoding)
    except SyntaxError as error:  # an encoding that is not known, or not the one that is announced
        source.problems.append(Problem(str(error)))
        return
    source.lines = _numbered_lines(text)
    try:
        source.tree = _parsed(text, source.path)
    except SyntaxError as error:
        source.problems.append(Problem(_explained(error), error.lineno or 0))


def _numbered_lines(text: str) -> list[str]:
    # As Python counts them: a form feed, say, ends no line.
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _parsed(text: str, path: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "\d" in a string is the script's affair
        return ast.parse(text, path)


def _explained(error: SyntaxError) -> str:
    message = error.msg or "invalid syntax"
    text = textwrap.shorten(error.text or "", 80, placeholder="...") or (error.text or "").strip()[:80]
    if "print" in message or "except" in message and "parenthesized" in message:
        message += " (Python 2?)"
    return f"{message}: {text}" if text else message


def _read_notebook(source: Source, content: bytes) -> None:
    notebook = json.loads(content.decode("utf-8-sig"))
    body: list[ast.stmt] = []
    for number, cell in enumerate(_cells(notebook), start=1):
        if not isinstance(cell, dict):
            source.problems.append(Problem("this is no cell", 0, number))
        elif cell.get("cell_type") == "code":
            text = cell.get("source", cell.get("input", ""))
            lines = [text] if isinstance(text, str) else text
            if isinstance(lines, list) and all(isinstance(line, str) for line in lines):
                _add_cell(source, body, number, "".join(lines))
            else:
                source.problems.append(Problem("the source of the cell is no text", 0, number))
    source.tree = ast.Module(body, [])


def _cells(notebook: object) -> list:
    """The cells of a notebook of any format; ValueError if it is none."""
    found = notebook if isinstance(notebook, dict) else {}
    cells = found.get("cells")
    sheets = found.get("worksheets")  # the format before 2015
    if cells is None and isinstance(sheets, list):
        parts = [sheet.get("cells", []) if isinstance(sheet, dict) else None for sheet in sheets]
        cells = sum(parts, []) if all(isinstance(part, list) for part in parts) else None
    if not isinstance(cells, list):
        raise ValueError("this is no notebook: it has no list of cells")
    return cells


def _add_cell(source: Source, body: list[ast.stmt], number: int, text: str) -> None:
    first = len(source.lines) + 1
    source.cells.append((first, number))
    source.lines += _numbered_lines(text)
    try:
        # Not the path: Python would look up the line of an error in the file, where cells have other lines.
        tree = _parsed(_without_magics(text), "<cell>")
    except SyntaxError as error:
        source.problems.append(Problem(_explained(error), error.lineno or 0, number))
        return
    except ValueError as error:
        source.problems.append(Problem(str(error), 0, number))
        return
    ast.increment_lineno(tree, first - 1)
    body += tree.body


def _without_magics(text: str) -> str:
    """A cell with a `pass` where a magic was, so that lines keep their numbers."""
    lines = _numbered_lines(text)
    head = next((line.strip() for line in lines if line.strip()), "")
    if head.startswith("%%") and not head.startswith(_PYTHON_CELLS):
        return ""
    try:
        ast.parse(text)
        return text  # a line that only looks like a magic: "%" may go on an expression
    except (SyntaxError, ValueError):
        pass
    kept, goes_on, indent = [], False, ""
    for line in textwrap.dedent("\n".join(lines)).split("\n"):
        if (timed := _TIMED_LINE.match(line)) and not goes_on:
            line = line[: timed.start(1)] + line[timed.end(1) :]
        is_magic = goes_on or _MAGIC_LINE.match(line) is not None
        if not goes_on:
            indent = line[: len(line) - len(line.lstrip())]
        goes_on = is_magic and line.endswith("\\")
        kept.append(f"{indent}pass" if is_magic else line)
    return "\n".join(kept)
