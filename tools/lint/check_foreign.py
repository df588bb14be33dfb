# SPDX-License-Identifier: Apache-2.0
"""Headers of outside libraries stay in the folders docs/design/layout.md names for them."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatch

import repository


def is_home(path: str, home: str) -> bool:
    """Whether `path`, relative to src/, lies in the folder or matches the file pattern `home`."""
    return fnmatch(path, home) if "*" in home else path.startswith(f"{home}/")


def check() -> Iterator[str]:
    """Yields every foreign header included away from its home."""
    rules = [(left.split(), right.split()) for left, _, right in repository.block("foreign")]
    for path in repository.cpp_files():
        text = repository.text_of(path)
        inside = path.relative_to("src").as_posix()
        for include in repository.INCLUDE.finditer(text):
            header = include.group(2)
            for patterns, homes in rules:
                foreign = any(fnmatch(header, pattern) for pattern in patterns)
                if foreign and not any(is_home(inside, home) for home in homes):
                    where = f"{path}:{repository.line_of(text, include.start(2))}"
                    yield f"{where}: <{header}> belongs to {', '.join(homes)} only"


if __name__ == "__main__":
    repository.run(check)
