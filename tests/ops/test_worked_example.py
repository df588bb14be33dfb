# SPDX-License-Identifier: Apache-2.0
"""The example in CONTRIBUTING.md is a file, and the file is an operator that works."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import mindspore

HERE = pathlib.Path(__file__).parent / "worked_example"
ROOT = pathlib.Path(__file__).parents[2]


def test_contributing_shows_the_file():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = page.split("## Adding an operator", 1)[1]
    block = re.search(r"```cpp\n(.*?)```", section, re.DOTALL).group(1)
    assert block == (HERE / "center.cc").read_text(encoding="utf-8")


def test_example_compiles_and_runs(tmp_path):
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    package = pathlib.Path(mindspore.__file__).parent
    plugin = tmp_path / "libcenter.so"
    sources = [str(HERE / "center.cc"), str(HERE / "start.cc")]
    options = ["-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", f"-I{ROOT / 'src'}"]
    libraries = str(package / "lib")
    library = ["-L" + libraries, "-l:libmindspore.so", "-Wl,-rpath," + libraries]
    allow = ["-Wl,--allow-shlib-undefined"]
    build = subprocess.run(
        [compiler, *options, *sources, "-o", str(plugin), *library, *allow], capture_output=True, text=True
    )
    assert build.returncode == 0, build.stderr
    use = subprocess.run(
        [sys.executable, str(HERE / "use_center.py"), str(plugin)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(package.parent)},
    )
    assert use.returncode == 0, use.stderr
    assert "Every row of the last axis without its mean." in use.stdout
