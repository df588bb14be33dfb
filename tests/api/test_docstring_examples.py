# SPDX-License-Identifier: Apache-2.0
"""Examples in docstrings do what they show."""

from __future__ import annotations

import ast
import doctest
import math
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import mindspore as ms
from mindspore import dataset

_PACKAGE = Path(ms.__file__).resolve().parent
_FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|inf|nan)")


class _Checker(doctest.OutputChecker):
    """Compares texts; numbers with a fraction need to agree to four digits only."""

    def check_output(self, want: str, got: str, flags: int) -> bool:
        if super().check_output(want, got, flags):
            return True
        wanted, given = _NUMBER.findall(want), _NUMBER.findall(got)
        if len(wanted) != len(given):
            return False
        close = all(_is_close(a, b) for a, b in zip(wanted, given, strict=True))
        return close and super().check_output(_NUMBER.sub("#", want), _NUMBER.sub("#", got), flags)


def _is_close(wanted: str, given: str) -> bool:
    if wanted.lstrip("+-").isdigit():
        return wanted == given
    return math.isclose(float(wanted), float(given), rel_tol=1e-4, abs_tol=1e-6)


def _documented(node: ast.AST, path: str) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
        if ">>>" in (ast.get_docstring(node) or ""):
            yield path, node
        for child in node.body:
            yield from _documented(child, f"{path}.{getattr(child, 'name', '')}")


def _examples() -> Iterator[doctest.DocTest]:
    parser = doctest.DocTestParser()
    for file in sorted(_PACKAGE.rglob("*.py")):
        module = ".".join(file.relative_to(_PACKAGE.parent).with_suffix("").parts)
        for name, node in _documented(ast.parse(file.read_text()), module):
            text = ast.get_docstring(node)
            yield parser.get_doctest(text, {}, name, str(file), getattr(node, "lineno", 1))


_ALL = list(_examples())


@pytest.fixture(autouse=True)
def _as_before(tmp_path, monkeypatch):
    """An empty folder to work in, and the settings of a new process."""
    monkeypatch.chdir(tmp_path)
    mode = ms.get_context("mode")
    yield
    ms.set_context(mode=mode)
    dataset.config.set_debug_mode(False)
    dataset.config.set_error_samples_mode(dataset.config.ErrorSamplesMode.RETURN)


def test_examples_are_found():
    assert len(_ALL) >= 75


@pytest.mark.parametrize("example", _ALL, ids=lambda example: example.name.removeprefix("mindspore."))
def test_example(example):
    runner = doctest.DocTestRunner(_Checker(), optionflags=_FLAGS, verbose=False)
    report: list[str] = []
    runner.run(example, out=report.append)
    assert not runner.failures, "".join(report)
