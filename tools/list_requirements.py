# SPDX-License-Identifier: Apache-2.0
"""Prints the Python requirements of the named groups, one a line, as pyproject.toml states them.

`build` stands for the build system's own requirements, other names are dependency groups.
"""

from __future__ import annotations

import sys
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    from pip._vendor import tomli as tomllib


def requirements_of(project: dict, group: str) -> list[str]:
    """Requirements of one group; `build` includes what the package needs at run time."""
    if group == "build":
        return project["build-system"]["requires"] + project["project"]["dependencies"]
    return project["dependency-groups"][group]


def main(groups: list[str]) -> int:
    """Prints the union of all groups."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = {requirement for group in groups for requirement in requirements_of(project, group)}
    print("\n".join(sorted(wanted)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
