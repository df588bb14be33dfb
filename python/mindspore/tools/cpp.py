# SPDX-License-Identifier: Apache-2.0
"""Where programs in C++ find headers and libraries of the package.

Usage: python -m mindspore.tools.cpp --cflags --libs
       or --datasetlibs, --includedir, --libdir, --cmakedir, --pkgconfigdir, --version
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def answers() -> dict[str, str]:
    """What each option prints.

    Returns:
        dict[str, str], a line for each option's name.

    Examples:
        >>> from mindspore.tools import cpp
        >>> cpp.answers()["includedir"].endswith("include")
        True
    """
    from mindspore.version import __version__

    include, library = ROOT / "include", ROOT / "lib"
    return {
        "cflags": f"-I{ROOT} -I{include}",
        "libs": f"-L{library} -lmindspore -Wl,-rpath,{library} -Wl,--allow-shlib-undefined",
        "datasetlibs": f"{ROOT / '_c_dataengine.so'} -Wl,-rpath,{ROOT}",
        "includedir": str(include),
        "libdir": str(library),
        "cmakedir": str(library / "cmake" / "mindspore"),
        "pkgconfigdir": str(library / "pkgconfig"),
        "version": __version__,
    }


def main(arguments: list[str] | None = None) -> int:
    """Prints one line: what it is asked for, in the order of the options.

    Args:
        arguments (list[str], optional): Of the command line. Default: ``None``, those of the process.

    Returns:
        int, the status of the command: 1 if the package was installed without its headers.
    """
    known = answers()
    parser = argparse.ArgumentParser(
        prog="python -m mindspore.tools.cpp", description=__doc__.splitlines()[0]
    )
    for name in known:
        parser.add_argument(f"--{name}", action="append_const", const=name, dest="wanted", help=known[name])
    wanted = parser.parse_args(arguments).wanted
    if not wanted:
        parser.error(f"one or more of these are needed: {', '.join('--' + name for name in known)}")
    if not (ROOT / "include" / "api" / "model.h").is_file():
        print(f"mindspore.tools.cpp: {ROOT} has no headers of the C++ interface", file=sys.stderr)
        return 1
    print(*(known[name] for name in wanted))
    return 0


if __name__ == "__main__":
    sys.exit(main())
