# SPDX-License-Identifier: Apache-2.0
"""The checks of tools/lint find what they are for, in a small repository made for the test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LICENCE = "// SPDX-License-Identifier: Apache-2.0\n"


@pytest.fixture
def lint(tmp_path):
    """Puts files into an empty repository and returns what one check prints about them."""
    for path in [*(ROOT / "tools" / "lint").glob("*.*"), ROOT / "docs" / "design" / "layout.md"]:
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)

    def findings(check: str, files: dict[str, str]) -> list[str]:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        command = [sys.executable, "-B", str(tmp_path / "tools" / "lint" / f"check_{check}.py")]
        result = subprocess.run(command, capture_output=True, text=True, timeout=30)
        assert result.stderr == ""
        assert result.returncode == (1 if result.stdout else 0)
        return result.stdout.splitlines()

    return findings


def test_layers_accepts_looking_down(lint):
    assert lint("layers", {"src/ops/relu.cc": '#include "operator/define.h"\n#include <vector>\n'}) == []


def test_layers_refuses_looking_up(lint):
    found = lint("layers", {"src/tensor/shape.cc": '\n#include "eager/tape.h"\n'})
    assert found == ["src/tensor/shape.cc:2: tensor may not include eager"]


def test_layers_refuses_an_unknown_folder(lint):
    assert "not in the layer table" in lint("layers", {"src/backend/toaster/heat.cc": ""})[0]


def test_layers_refuses_a_relative_include(lint):
    assert "no path from src/" in lint("layers", {"src/tensor/shape.cc": '#include "shape.h"\n'})[0]


@pytest.mark.parametrize("header", ["dnnl.hpp", "nanobind/nanobind.h", "Python.h", "gtest/gtest.h"])
def test_foreign_refuses_a_header_away_from_home(lint, header):
    found = lint("foreign", {"src/eager/tape.cc": f"#include <{header}>\n"})
    assert len(found) == 1
    assert header in found[0]


def test_foreign_accepts_a_header_at_home(lint):
    files = {
        "src/backend/cpu/matmul.cc": "#include <oneapi/dnnl/dnnl.hpp>\n",
        "src/bindings/module.cc": "#include <nanobind/nanobind.h>\n",
        "src/eager/tape_test.cc": "#include <gtest/gtest.h>\n",
    }
    assert lint("foreign", files) == []


def test_sizes_refuses_long_functions(lint):
    body = "  call();\n" * 90
    files = {
        "src/ops/long.cc": f"namespace a {{\nstruct S {{\n  void f() {{\n{body}  }}\n}};\n}}\n",
        "src/ops/chain.cc": f"MYCEL_OP(x).infer([](Context& op) {{\n{body}}});\n",
        "tools/long.py": "def f():\n" + "    pass\n" * 90,
    }
    assert len(lint("sizes", files)) == 3


def test_sizes_does_not_count_docstrings_and_scopes(lint):
    files = {
        "src/ops/many.cc": "namespace a {\n" + "int f() { return '{'; }  // }\n" * 90 + "}\n",
        "tools/told.py": 'def f():\n    """Tells.\n' + "    word\n" * 90 + '    """\n',
    }
    assert lint("sizes", files) == []


def test_sizes_refuses_a_long_file(lint):
    assert "801 lines" in lint("sizes", {"src/ops/long.cc": "int x;\n" * 801})[0]


@pytest.mark.parametrize(
    "name", ["src/ops/utils.cc", "src/common/a.cc", "tools/file_helper.py", "src/ops/Relu.cc"]
)
def test_names_refuses_empty_words(lint, name):
    licence = LICENCE if name.endswith(".cc") else LICENCE.replace("//", "#")
    assert len(lint("names", {name: licence})) == 1


def test_names_keeps_public_modules(lint):
    licence = LICENCE.replace("//", "#")
    assert lint("names", {"python/mindspore/common/tensor.py": licence}) == []


def test_names_wants_a_licence_line(lint):
    assert "SPDX" in lint("names", {"src/ops/relu.cc": "int x;\n"})[0]


@pytest.mark.parametrize("text", ["// TO" + "DO later", 'open("/ro' + 'ot/data")'])
def test_names_refuses_text_that_must_not_stay(lint, text):
    assert len(lint("names", {"src/ops/relu.cc": LICENCE + text + "\n"})) == 1
