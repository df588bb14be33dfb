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


def _message(function, *arguments) -> str:
    with pytest.raises(Exception) as raised:  # noqa: PT011  (each test looks at the class itself)
        ms.jit(function)(*arguments)
    return f"{type(raised.value).__name__}: {raised.value}"


def test_the_message_names_the_line_of_a_python_error(here):
    def cut(x):
        return x.shape[1.5:]  # cut here

    text = _message(cut, ops.ones(3))
    assert text.startswith("TypeError: slice indices must be integers")
    assert re.search(
        r"\nIn file .*test_failed_compilation\.py:\d+\n +return x\.shape\[1\.5:\]  # cut here\n", text
    )


def test_the_message_names_a_name_that_is_nowhere(here):
    def lost(x):
        return x + nowhere  # noqa: F821

    text = _message(lost, ops.ones(3))
    assert text.startswith("NameError: The name 'nowhere' is not defined")
    assert "return x + nowhere" in text


def test_a_line_is_named_once(here):
    text = _message(lambda x: ops.matmul(x, x), ops.ones((2, 3)))
    assert text.count("test_failed_compilation.py:") == 1


def in_one_branch(x):
    if x < 0:
        y = x
    return y


def in_the_other_branch(x):
    if x < 0:
        pass
    else:
        if x > 10:
            y = x
    return y


def in_a_branch_of_a_loop(x):
    for _ in range(2):
        if x > 0:
            pass
        else:
            y = 1
        x = x + y
    return x


def in_a_loop(x):
    for _ in range(3):
        while x < 0:
            y = x
    return y


def in_a_while(x):
    while x < 0:
        y = x
    return y


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (in_one_branch, "is not defined in false branch, but defined in true branch."),
        (in_the_other_branch, "is not defined in true branch, but defined in false branch."),
        (in_a_branch_of_a_loop, "is not defined in true branch, but defined in false branch."),
        (in_a_loop, "defined in the 'for' loop body cannot be used outside of the loop body."),
        (in_a_while, "defined in the 'while' loop body cannot be used outside of the loop body."),
    ],
)
def test_the_message_says_why_a_variable_has_no_value(here, function, why):
    text = _message(function, ms.Tensor([1.0]))
    assert text.startswith("UnboundLocalError: ")
    assert f"The local variable 'y' {why}" in text
    assert "y = " in text
    assert "return y" in text or "x = x + y" in text


def test_a_variable_of_code_without_source_has_no_explanation(here):
    names: dict = {}
    exec("def made(x):\n    if x < 0:\n        y = 1\n    return y\n", names)
    text = _message(names["made"], ms.Tensor([1.0]))
    assert "UnboundLocalError" in text
    assert "branch" not in text
