# SPDX-License-Identifier: Apache-2.0
"""The snippets of guides run as they stand, in both modes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import mindspore as ms
import mindspore.dataset as ds

GUIDES = Path(__file__).parents[2] / "docs" / "guide"
PRINTED = {
    "training.md": ("good enough in epoch", "loss is", "Train epoch time"),
    "model_files.md": ("(1, 2)", "3.0000"),
    "scan.md": ("[(2, 'mindspore.nn.GlobalBatchNorm', 'it is nn.SyncBatchNorm')]",),
}


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
@pytest.mark.parametrize("name", PRINTED)
def test_snippets_run(name, mode, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    before, seed = ms.get_context("mode"), ds.config.get_seed()
    ms.set_context(mode=mode)
    text = (GUIDES / name).read_text()
    snippets = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    scope: dict = {}
    try:
        for snippet in snippets:
            # Errors name the line of the guide.
            lines_before = text[: text.index(snippet)].count("\n")
            exec(compile("\n" * lines_before + snippet, str(GUIDES / name), "exec"), scope)
            ms.set_context(mode=mode)
    finally:
        ms.set_context(mode=before)
        ds.config.set_seed(seed)
    printed = capsys.readouterr().out
    assert all(text in printed for text in PRINTED[name])
