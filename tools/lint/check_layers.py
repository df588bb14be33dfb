# SPDX-License-Identifier: Apache-2.0
"""A folder of src/ includes itself and what the layer table in docs/design/layout.md grants it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

import repository


def layer_table() -> dict[str, set[str]]:
    """Folder to the folders it may include, groups resolved."""
    groups: dict[str, list[str]] = {}
    table: dict[str, set[str]] = {}
    for left, sign, right in repository.block("layers"):
        words = right.split()
        if sign == "=":
            groups[left] = words
        else:
            table[left] = {folder for word in words for folder in groups.get(word, [word])}
    return table


def layer_of(path: str, table: dict[str, set[str]]) -> str | None:
    """The table's folder that holds `path`, which is relative to src/."""
    for folder in map(str, PurePosixPath(path).parents):
        if folder in table:
            return folder
    return None


def check() -> Iterator[str]:
    """Yields every include that climbs, and every file outside the table."""
    table = layer_table()
    for path in repository.cpp_files():
        layer = layer_of(path.relative_to("src").as_posix(), table)
        if layer is None:
            yield f"{path}:1: its folder is not in the layer table"
            continue
        text = repository.text_of(path)
        for include in repository.INCLUDE.finditer(text):
            if include.group(1) == "<":
                continue
            where = f"{path}:{repository.line_of(text, include.start(2))}"
            target = layer_of(include.group(2), table)
            if target is None:
                yield f'{where}: "{include.group(2)}" is no path from src/; foreign headers take <>'
            elif target != layer and target not in table[layer]:
                yield f"{where}: {layer} may not include {target}"


if __name__ == "__main__":
    repository.run(check)
