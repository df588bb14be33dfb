# SPDX-License-Identifier: Apache-2.0
"""A compilation that fails leaves a file that shows where, and the message names it."""

from __future__ import annotations

import os
import re

import pytest

import mindspore as ms
from mindspore import nn, ops


class Broken(nn.Cell):
    """The last line multiplies what does not fit."""

    def construct(self, x, y):
        z = ops.relu(x)
        return ops.matmul(z, y)  # here


@pytest.fixture
def graph_mode():
    before = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=before, save_graphs=0)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The current folder, and no other place to write to."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MS_OM_PATH", raising=False)
    return tmp_path


def _named_file(error: BaseException) -> str:
    return re.search(r"\(See file '(.*)' for more details\.\)", str(error)).group(1)


def _fail(function, *arguments) -> BaseException:
    with pytest.raises(ValueError, match="MatMul") as raised:
        function(*arguments)
    return raised.value


def test_a_failed_compilation_shows_the_line_and_the_graph(graph_mode, here):
    error = _fail(Broken(), ops.ones((2, 3)), ops.ones((2, 3)))
    path = _named_file(error)
    assert path == str(here / "rank_0" / "om" / "analyze_fail.ir")
    text = (here / "rank_0" / "om" / "analyze_fail.ir").read_text()
    (marked,) = [line for line in text.splitlines() if line.startswith("# >>>")]
    assert marked.endswith("return ops.matmul(z, y)  # here")
    assert "'Broken' could not be compiled: ValueError" in text
    assert "relu(%1)" in text
    assert text.index("relu(%1)") < text.index("#------------------------> 0")
    assert text == (here / "rank_0" / "om" / "analyze_failed.ir").read_text()


def test_a_jit_function_in_pynative_mode(here):
    assert os.path.exists(_named_file(_fail(ms.jit(ops.matmul), ops.ones((2, 3)), ops.ones((2, 3)))))


def test_compile_without_running(graph_mode, here):
    assert os.path.exists(_named_file(_fail(Broken().compile, ops.ones((2, 3)), ops.ones((2, 3)))))


def test_the_folder_follows_the_settings(graph_mode, here, tmp_path, monkeypatch):
    monkeypatch.setenv("RANK_ID", "3")
    ms.set_context(save_graphs=1, save_graphs_path=str(tmp_path / "graphs"))
    error = _fail(Broken(), ops.ones((2, 3)), ops.ones((2, 3)))
    assert _named_file(error) == str(tmp_path / "graphs" / "rank_3" / "om" / "analyze_fail.ir")
    monkeypatch.setenv("MS_OM_PATH", str(tmp_path / "other"))
    error = _fail(Broken(), ops.ones((2, 3)), ops.ones((2, 3)))
    assert _named_file(error) == str(tmp_path / "other" / "rank_3" / "om" / "analyze_fail.ir")


def test_an_error_raised_on_purpose_stays_as_it_is(graph_mode, here):
    class Picky(nn.Cell):
        def construct(self, x):
            if x.ndim != 2:
                raise ValueError("two axes, please")
            assert x.shape[0] == 1, "one row, please"
            return x

    with pytest.raises(ValueError, match="^two axes, please$"):
        Picky()(ops.ones(3))
    with pytest.raises(AssertionError, match="^one row, please"):
        Picky()(ops.ones((3, 3)))
    assert not (here / "rank_0").exists()


def test_a_folder_that_cannot_be_written_changes_nothing_else(graph_mode, here, monkeypatch):
    (here / "file").write_text("")
    monkeypatch.setenv("MS_OM_PATH", str(here / "file"))
    assert "See file" not in str(_fail(Broken(), ops.ones((2, 3)), ops.ones((2, 3))))


def test_an_eager_error_writes_nothing(here):
    _fail(Broken(), ops.ones((2, 3)), ops.ones((2, 3)))
    assert not (here / "rank_0").exists()
