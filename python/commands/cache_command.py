#!python
# SPDX-License-Identifier: Apache-2.0
"""Becomes a program of the package: the wheel installs this file once under the name of each command.

The package is looked for, not imported: the programs need no Python.
"""

import importlib.util
import os
import sys

PROGRAMS = {"dataset-cache": "cache_admin"}


def main() -> int:
    """Does not return unless the program is not there."""
    name = os.path.basename(sys.argv[0])
    package = importlib.util.find_spec("mindspore")
    if package is None or not package.submodule_search_locations:
        sys.stderr.write(f"{name}: the package mindspore is not installed for {sys.executable}\n")
        return 1
    program = os.path.join(package.submodule_search_locations[0], "bin", PROGRAMS.get(name, name))
    try:
        os.execv(program, [program, *sys.argv[1:]])
    except OSError as problem:
        sys.stderr.write(f"{name}: {program} cannot be started: {problem.strerror}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
