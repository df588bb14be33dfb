# SPDX-License-Identifier: Apache-2.0
"""Prints where oneDNN's headers and library are installed, as a CMake list."""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path


def installed_file(distribution: str, ending: str) -> Path:
    """Path of the file of an installed distribution that ends in `ending`."""
    for file in importlib.metadata.files(distribution) or []:
        if file.as_posix().endswith(ending):
            path = Path(file.locate()).resolve()
            if path.exists():
                return path
    raise FileNotFoundError(f"{distribution} is installed without {ending}")


def main() -> int:
    """Looks the two files up; status 1 and the reason on stderr when one is missing."""
    try:
        header = installed_file("onednn-devel-cpu-gomp", "oneapi/dnnl/dnnl.hpp")
        library = installed_file("onednn-cpu-gomp", "libdnnl.so.3")
    except (importlib.metadata.PackageNotFoundError, FileNotFoundError) as error:
        print(f"oneDNN not found: {error}", file=sys.stderr)
        return 1
    print(f"{header.parents[2]};{library}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
