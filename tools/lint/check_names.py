# SPDX-License-Identifier: Apache-2.0
"""Names of files and folders say what is inside; every source file states its licence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import repository

SOURCE_SUFFIXES = repository.CPP_SUFFIXES | {".py", ".sh"}
LICENCE = "SPDX-License-Identifier: Apache-2.0"
SNAKE_CASE = re.compile(r"_{0,2}[a-z0-9]+(_+[a-z0-9]+)*_{0,2}")
EMPTY_WORDS = {
    "util",
    "utils",
    "utility",
    "utilities",
    "common",
    "misc",
    "helper",
    "helpers",
    "manager",
    "base",
}
# MindSpore's public modules and headers keep their names.
PUBLIC_NAMES = re.compile(
    r"include/|python/mindspore/((common|utils|mindrecord/common)(/|$)|nn/(loss|optim|layer|wrap)/|ops/composite/base\.py$"
    r"|(dataset|hypercomplex|nn|numpy|train|ops|parallel)(/\w+)*/_?utils(/|\.py$)"
    r"|dataset/(core/validator_helpers|vision/py_transforms_util)\.py$"
    r"|train/(train_thor/)?(dataset_helper|loss_scale_manager)\.py$|communication/_comm_helper\.py$)"
)
FORBIDDEN_TEXT = [
    (re.compile(r"(?<![\w.$}])/(work|root|home)/"), "a path of one machine"),
    (re.compile(r"\b(TO" r"DO|FIX" r"ME)\b"), "an open end: do it or describe it in the docs"),
]


def name_findings(path: Path) -> Iterator[str]:
    """Yields what is wrong with the parts of a path."""
    if PUBLIC_NAMES.match(path.as_posix()):
        return
    parts = [part for part in path.parts[:-1] if not part.startswith(".")]
    for part in [*parts, path.stem]:
        if not SNAKE_CASE.fullmatch(part):
            yield f"{path}:1: '{part}' is not snake_case"
        if EMPTY_WORDS & {part, part.strip("_"), part.rpartition("_")[2]}:
            yield f"{path}:1: '{part}' does not say what is inside"


def check() -> Iterator[str]:
    """Yields every bad name, missing licence line and forbidden text."""
    tests: dict[str, Path] = {}
    for path in repository.files():
        if path.suffix in SOURCE_SUFFIXES:
            yield from name_findings(path)
        if path.suffix == ".py" and path.parts[0] == "tests":
            first = tests.setdefault(path.name, path)  # modules of tests are imported by their names alone
            if first != path and path.name != "conftest.py":
                yield f"{path}:1: {first} has the same name"
        try:
            text = repository.text_of(path)
        except UnicodeDecodeError:
            continue
        licensed = path.suffix in SOURCE_SUFFIXES | {".cmake"} or path.name == "CMakeLists.txt"
        if licensed and not any(LICENCE in line for line in text.splitlines()[:3]):
            yield f"{path}:1: no line '{LICENCE}' at the top"
        for pattern, reason in FORBIDDEN_TEXT:
            for found in pattern.finditer(text):
                yield f"{path}:{repository.line_of(text, found.start())}: '{found.group()}' is {reason}"


if __name__ == "__main__":
    repository.run(check)
