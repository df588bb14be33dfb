# SPDX-License-Identifier: Apache-2.0
"""Writes typed stubs (`.pyi`) of everything the package offers.

Usage: python tools/generate/stubs.py [--sources FOLDER --libraries FOLDER] [--report FILE] FOLDER

The files land in FOLDER/mindspore/... With `--sources` and `--libraries` the package is put together from the
Python sources and the libraries of a build tree; otherwise the importable one is described. The report lists
the arguments and results whose type is Any.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from pathlib import Path


def load_package(sources: Path, libraries: Path) -> None:
    """Imports `mindspore` from sources and libraries that lie in two places."""
    folders = [str(sources / "mindspore"), str(libraries)]
    spec = importlib.util.spec_from_file_location(
        "mindspore", sources / "mindspore" / "__init__.py", submodule_search_locations=folders
    )
    package = importlib.util.module_from_spec(spec)
    sys.modules["mindspore"] = package
    spec.loader.exec_module(package)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sources", type=Path)
    parser.add_argument("--libraries", type=Path)
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    if options.sources:
        load_package(options.sources.resolve(), options.libraries.resolve())

    from typed.package import write_stubs  # imports the package

    report = write_stubs(options.folder)
    if options.report:
        lines = [f"{path}: Any" for path in sorted(set(report.any_arguments) - set(report.unknown))]
        lines += [f"{path}: nothing says its type" for path in report.unknown]
        lines += [f"{path} -> Any" for path in report.any_results]
        options.report.write_text("".join(f"{line}\n" for line in lines))
    print(
        f"{options.folder}: {report.arguments} arguments, {len(report.any_arguments)} of them Any, "
        f"{len(report.unknown)} of these because nothing says their type; "
        f"{report.results} results, {len(report.any_results)} of them Any"
    )


if __name__ == "__main__":
    main()
