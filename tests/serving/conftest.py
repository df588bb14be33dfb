# SPDX-License-Identifier: Apache-2.0
"""Servables of tests: real models, served on loopback."""

from __future__ import annotations

import numpy as np
import pytest
from serving_place import Servables


@pytest.fixture(scope="session")
def add_model(tmp_path_factory):
    """A MindIR file that adds two 2x2 matrices."""
    import mindspore as ms
    from mindspore import Tensor, nn

    class Add(nn.Cell):
        def construct(self, x1, x2):
            return x1 + x2

    path = tmp_path_factory.mktemp("models") / "add"
    ones = Tensor(np.ones((2, 2), np.float32))
    ms.export(Add(), ones, ones, file_name=str(path), file_format="MINDIR")
    return path.with_suffix(".mindir").read_bytes()


@pytest.fixture
def servables(tmp_path, monkeypatch, add_model):
    """Nothing of the server stays behind a test."""
    monkeypatch.chdir(tmp_path)
    made = Servables(tmp_path, add_model)
    yield made
    made.close()
