# SPDX-License-Identifier: Apache-2.0
"""Files of networks that decide so often that their ways cannot all be written one by one."""

from __future__ import annotations

import os

import numpy as np
import pytest
import test_mindir_export
import test_onnx_export
from looping_networks import arrays, floats

import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore.train._onnx.importer import load_onnx

LIMITS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
HERE = r"test_exported_decisions\.py:\d+"


def by_expressions(x):
    for limit in LIMITS:
        x = x + 1 if x.max() > limit else x - 1
    return x


def by_statements(x):
    turns = 0
    for limit in LIMITS:
        if x.sum() > limit:
            x = x - 0.5
            turns = turns + 1
        elif x.min() < 0:
            x = x * 0.9
        else:
            x = x + 0.25
            step = x * 2
            x = x + step
    return x, turns


def with_conditions(x):
    for limit in LIMITS:
        if (x.sum() > limit and not x.min() < -2) or x.max() < 0:
            x = x + 1
        else:
            x = ops.tanh(x)
    return x


def returning(x):
    for limit in LIMITS:
        if x.max() > 9:
            return x * 2
        if x.sum() > limit:
            x = x + 1
        else:
            x = x - 2
    return x


def smaller(x):
    if x.min() > -1:
        return -x
    return x * 0.5


def calling(x):
    for _ in LIMITS:
        x = smaller(x) + 1 if x.sum() > 0 else smaller(x - 1)
    return x


def a_long_choice(x):
    """Questions in a row that do not double the ways."""
    for limit in range(20):
        if x.sum() > 20 - limit:
            return x * limit
    return x


class Layers(nn.Cell):
    """Layers that are chosen, and a loop after them."""

    def __init__(self):
        super().__init__()
        ms.set_seed(3)
        self.layers = nn.CellList([nn.Dense(3, 3) for _ in range(8)])

    def construct(self, x):
        """Goes through the layers."""
        for layer in self.layers:
            x = layer(x) if x.mean() > 0 else smaller(x) + 1
        while x.sum() < 20:
            if x.max() > 3:
                x = x + 2
            else:
                x = x + 1
        return x


NETWORKS = [
    by_expressions,
    by_statements,
    with_conditions,
    returning,
    calling,
    a_long_choice,
    Layers(),
]
INPUTS = [floats(1, 2, -3), floats(5, 5, 5), floats(0, 0, 0), floats(-4, 1, 2), floats(20, -1, 3)]


def given(net, x: Tensor) -> Tensor:
    return x.reshape((1, 3)) if isinstance(net, nn.Cell) else x


@pytest.mark.parametrize("net", NETWORKS, ids=lambda net: getattr(net, "__name__", "layers"))
@pytest.mark.parametrize("kind", ["mindir", "onnx"])
def test_many_decisions(tmp_path, net, kind):
    module = {"mindir": test_mindir_export, "onnx": test_onnx_export}[kind]
    module.exported(tmp_path, net, given(net, INPUTS[0]))
    path = tmp_path / f"net.{kind}"
    read = load_onnx(path) if kind == "onnx" else nn.GraphCell(ms.load(str(path)))
    for x in INPUTS:
        for got, wanted in zip(arrays(read(given(net, x))), arrays(net(given(net, x))), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)
    assert os.path.getsize(path) < 200_000


@pytest.mark.parametrize("net", NETWORKS, ids=lambda net: getattr(net, "__name__", "layers"))
def test_many_decisions_of_mindir_files(tmp_path, net):
    folder = str(tmp_path)
    ms.export(net, given(net, INPUTS[0]), file_name=f"{folder}/net", file_format="MINDIR")
    ms.convert_model(f"{folder}/net.mindir", f"{folder}/net.onnx", "ONNX")
    read = load_onnx(f"{folder}/net.onnx")
    for x in INPUTS:
        for got, wanted in zip(arrays(read(given(net, x))), arrays(net(given(net, x))), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)


def assigning_items(x):
    for limit in LIMITS:
        if x.sum() > limit:
            x[0] = x[1] + 1
        else:
            x = x + 1
    return x


def growing(x):
    for limit in LIMITS:
        x = ops.cat((x, x)) if x.sum() > limit else x + 1
    return x


@pytest.mark.parametrize(
    ("net", "text"),
    [
        (assigning_items, rf"more than 32 ways, the last time at .*{HERE}.* assigns items of x; make new"),
        (growing, rf"another type or shape when an 'if' is answered otherwise: .* or .*{HERE}"),
    ],
)
def test_decisions_that_cannot_be_written(tmp_path, net, text):
    with pytest.raises(RuntimeError, match=text):
        test_onnx_export.exported(tmp_path, net, floats(1, 2, -3))
    assert not list(tmp_path.iterdir())
