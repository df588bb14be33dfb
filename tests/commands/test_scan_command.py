# SPDX-License-Identifier: Apache-2.0
"""`python -m mindspore.tools.scan`: what it reads, what it writes, its exit status."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from html.parser import HTMLParser

import pytest

import mindspore as ms
from mindspore.tools import scan

WORKS = "from mindspore import nn\nlayer = nn.Dense(2, 3)\n"
DIFFERS = "import mindspore as ms\nms.Model(ms.nn.Dense(1, 1), boost_level='O1')\n"
MISSING = "from mindspore import nn\nlayer = nn.Module(2, 3)  # <b>&\n"


def script(tmp_path, text: str, name: str = "script.py") -> str:
    (tmp_path / name).write_text(text)
    return str(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "options", "status"),
    [
        (WORKS, [], 0),
        (DIFFERS, [], 0),
        (DIFFERS, ["--fail-on", "difference"], 1),
        (MISSING, [], 1),
        (MISSING, ["--fail-on", "never"], 0),
        ("import torch\ntorch.no_such_thing()\n", [], 1),
        ("import torch\ntorch.no_such_thing()\n", ["--only", "mindspore"], 0),
        ("print 'two'\n", [], 1),
        ("", [], 0),
    ],
)
def test_the_exit_status(tmp_path, capsys, text, options, status):
    assert scan.main([script(tmp_path, text), *options]) == status


def test_wrong_use_is_2(tmp_path, capsys):
    assert scan.main([str(tmp_path / "nothing")]) == 2
    assert "there is no file or folder" in capsys.readouterr().err
    assert scan.main([str(tmp_path)]) == 2
    assert scan.main([script(tmp_path, WORKS), "--output", str(tmp_path / "no" / "folder")]) == 2
    with pytest.raises(SystemExit) as left:
        scan.main(["--format", "pdf", str(tmp_path)])
    assert left.value.code == 2


def test_text_names_line_status_and_what_to_do(tmp_path, capsys):
    path = script(tmp_path, MISSING)
    scan.main([path])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == path
    assert lines[1].split() == ["2", "missing", "mindspore.nn.Module", "it", "is", "nn.Cell"]
    assert lines[-1] == "1 file will stop at something that is missing."
    assert "\x1b" not in "".join(lines)
    scan.main([path, "--color", "always", "--all"])
    colored = capsys.readouterr().out
    assert "\x1b[31mmissing" in colored and "\x1b[32mworks" in colored


def test_json_has_every_use(tmp_path, capsys):
    path = script(tmp_path, MISSING)
    scan.main([path, "--format", "json"])
    data = json.loads(capsys.readouterr().out)
    assert data["summary"]["missing"] == 1 and data["summary"]["files"] == 1
    assert data["uses"][-1] == {
        "name": "mindspore.nn.Module",
        "framework": "mindspore",
        "status": "missing",
        "note": "it is nn.Cell",
        "optional": False,
        "file": path,
        "cell": None,
        "line": 2,
        "column": 9,
        "source": "layer = nn.Module(2, 3)  # <b>&",
    }


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open, self.rows, self.outside = [], 0, []

    def handle_starttag(self, tag, attributes):
        self.rows += tag == "tr"
        self.outside += [value for name, value in attributes if name in ("src", "href")]
        if tag not in ("meta", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_html_is_one_page_that_needs_nothing_else(tmp_path, capsys):
    page = tmp_path / "scan.html"
    assert scan.main([script(tmp_path, MISSING), "--format", "html", "--output", str(page)]) == 1
    assert capsys.readouterr().out == ""
    text = page.read_text()
    parser = _Page()
    parser.feed(text)
    parser.close()
    assert parser.open == [] and parser.outside == [] and parser.rows == 3
    assert "layer = nn.Module(2, 3)  # &lt;b&gt;&amp;" in text and "http" not in text


def test_notebooks_are_read_cell_by_cell(tmp_path):
    cells = [
        {"cell_type": "markdown", "source": ["# import mindspore.never"]},
        {
            "cell_type": "code",
            "source": ["%matplotlib inline\n", "!pip install x\n", "import mindspore as ms"],
        },
        {"cell_type": "code", "source": "%%bash\nrm -rf /\n"},
        {"cell_type": "code", "source": "if True:\n    !ls\n    files = !ls \\\n  -l\nms.nn.Module?\n"},
        {"cell_type": "code", "source": "this is no Python"},
        {"cell_type": "code", "source": ["%%time\n", "\n", "ms.nn.Module(1, 2)\n", "7 % 3"]},
    ]
    path = script(tmp_path, json.dumps({"cells": cells}), "book.ipynb")
    report = scan.scan(path)
    missing = [one for one in report.findings if one.status is scan.Status.MISSING]
    assert [(one.cell, one.line, one.name) for one in missing] == [(6, 3, "mindspore.nn.Module")]
    assert missing[0].place == f"{path}:cell 6:3" and missing[0].source == "ms.nn.Module(1, 2)"
    assert [(one.cell, one.line) for one in report.unreadable] == [(5, 1)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"import os\nprint 'two'\n", "Missing parentheses"),
        (b"x = (\n", "'(' was never closed"),
        (b"a\0b", "null bytes"),
        (b"# coding: nonsense\n", "unknown encoding"),
        (b"x = '\xff'\n", ""),
        (b"", None),
    ],
)
def test_a_broken_file_does_not_stop_the_rest(tmp_path, content, message):
    (tmp_path / "broken.py").write_bytes(content)
    (tmp_path / "broken.ipynb").write_bytes(b"{")
    script(tmp_path, MISSING, "whole.py")
    report = scan.scan(str(tmp_path))
    assert [one.name for one in report.findings][-1] == "mindspore.nn.Module"
    said = [one.message for one in report.unreadable if one.file.endswith("broken.py")]
    assert said == [] if message is None else message in said[0]
    assert len(report.unreadable) == (1 if message is None else 2)


def test_nothing_of_a_script_is_run(tmp_path):
    proof = tmp_path / "ran"
    effect = f"open({str(proof)!r}, 'w').close()\n"
    (tmp_path / "scripts" / "pack").mkdir(parents=True)
    for name in ("pack/__init__.py", "pack/part.py", "html.py", "mindspore_effects.py"):
        script(tmp_path / "scripts", effect, name)
    text = "import mindspore, pack, mindspore_effects\nfrom pack.part import *\nfrom pack import part\n"
    script(
        tmp_path / "scripts", text + effect + "import importlib; importlib.import_module('pack')\n", "run.py"
    )
    command = [sys.executable, "-m", "mindspore.tools.scan", ".", "--format", "json"]
    where = {**os.environ, "PYTHONPATH": str(pathlib.Path(ms.__file__).parents[1])}
    done = subprocess.run(command, cwd=tmp_path / "scripts", capture_output=True, text=True, env=where)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["summary"]["files"] == 5
    assert not proof.exists()


def test_packages_of_others_are_named_but_not_imported(tmp_path):
    path = script(tmp_path, "import os, json, numpy\nimport no_such_package_here.part\n")
    assert scan.scan(path).not_installed == {"no_such_package_here": f"{path}:2"}


def test_help_explains_with_examples(capsys):
    with pytest.raises(SystemExit) as left:
        scan.main(["--help"])
    assert left.value.code == 0
    text = capsys.readouterr().out
    assert "examples:" in text and "exit status" in text and "--fail-on" in text


@pytest.mark.parametrize("form", ["text", "json", "html"])
def test_names_of_files_that_are_no_text(tmp_path, form, capsys):
    with open(os.path.join(os.fsencode(tmp_path), b"bad\xff.py"), "w") as file:
        file.write(MISSING)
    page = tmp_path / "page"
    assert scan.main([str(tmp_path), "--format", form, "--output", str(page)]) == 1
    assert "bad\\udcff.py" in page.read_text(encoding="utf-8")
    assert scan.main([str(tmp_path), "--format", form]) == 1
    assert "bad\\udcff.py" in capsys.readouterr().out
