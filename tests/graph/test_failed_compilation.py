# SPDX-License-Identifier: Apache-2.0
"""A compilation that fails leaves a file that shows where."""

from __future__ import annotations

import pytest

import mindspore as ms
from mindspore import nn, ops


class Broken(nn.Cell):
    """The last line multiplies what does not fit."""

    def construct(self, x, y):
        z = ops.relu(x)
        return ops.matmul(z, y)  # here


def test_analyze_fail_shows_the_line_and_the_graph(tmp_path):
    ms.set_context(mode=ms.GRAPH_MODE, save_graphs=1, save_graphs_path=str(tmp_path))
    try:
        with pytest.raises(ValueError, match="MatMul"):
            Broken()(ops.ones((2, 3)), ops.ones((2, 3)))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE, save_graphs=0)
    text = (tmp_path / "analyze_fail.ir").read_text()
    (marked,) = [line for line in text.splitlines() if line.startswith("# >>>")]
    assert marked.endswith("return ops.matmul(z, y)  # here")
    assert "'Broken' could not be compiled: ValueError" in text
    assert "relu(%1)" in text
