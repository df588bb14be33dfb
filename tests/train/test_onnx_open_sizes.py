# SPDX-License-Identifier: Apache-2.0
"""ONNX files of networks that decide, and of networks whose inputs have axes of unknown size."""

from __future__ import annotations

import numpy as np
import pytest
from test_mindir_export_graphs import OPEN, Deciding, uneven, unknown
from test_onnx_export import exported, tensor

import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore.train._onnx.importer import load_onnx


def check_same(net, path, *inputs):
    found, wanted = load_onnx(path)(*inputs), net(*inputs)
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-6)


def sizes(value: dict) -> list:
    dims = value["type"]["tensor_type"]["shape"]["dim"]
    return [dim.get("dim_param", dim.get("dim_value")) for dim in dims]


class Attention(nn.Cell):
    """Two heads over any number of rows of any length."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(8, 24)

    def construct(self, x):
        """Every place looks at every other one."""
        rows, length, _ = x.shape
        q, k, v = self.dense(x).reshape((rows, length, 3, 2, 4)).transpose((2, 0, 3, 1, 4)).unbind(0)
        weights = ops.softmax(q @ k.swapaxes(-1, -2) / 2.0, -1)
        return (weights @ v).swapaxes(1, 2).reshape((rows, length, 8))


MORE = {
    "two unknown axes": (Attention, unknown(None, None, 8), [tensor(3, 5, 8), tensor(1, 9, 8)]),
    "one row": (lambda: lambda x: x.reshape(-1), unknown(None, 4), [tensor(3, 4), tensor(1, 4)]),
    "stretched": (
        lambda: lambda x: ops.broadcast_to(x.mean(1, keep_dims=True), x.shape),
        unknown(None, 4),
        [tensor(3, 4)],
    ),
    "doubled": (
        lambda: lambda x: ops.concat((x, x)).reshape((2 * x.shape[0], 4)),
        unknown(None, 4),
        [tensor(9, 4)],
    ),
    "flattened": (lambda: nn.Flatten(), unknown(None, 3, None), [tensor(2, 3, 4), tensor(3, 3, 1)]),
}


@pytest.mark.parametrize("name", [*OPEN, *MORE])
def test_inputs_of_unknown_size(tmp_path, name):
    make, given, inputs = {**OPEN, **MORE}[name]
    net = make()
    graph = exported(tmp_path, net, given)["graph"]
    found = sizes(graph["input"][0])
    assert [isinstance(size, str) for size in found] == [size == -1 for size in given.shape]
    assert len({size for size in found if isinstance(size, str)}) == list(given.shape).count(-1)
    if isinstance(net, nn.Cell):
        net.set_train(False)
    for x in inputs:
        check_same(net, tmp_path / "net.onnx", x)


def test_padding_that_depends_on_an_unknown_size(tmp_path):
    """'same' puts a line around images on both sides if their size is odd, and on one if it is even."""
    net = nn.Conv2d(3, 4, 3, stride=2, pad_mode="same")
    with pytest.raises(RuntimeError, match="unknown size: what 'Conv' does depends on the size"):
        exported(tmp_path, net, unknown(1, 3, None, None))


def test_axes_that_must_be_equal_have_one_name(tmp_path):
    graph = exported(tmp_path, lambda x, y: (x + y, x @ y.T), unknown(None, 4), unknown(None, 4))["graph"]
    assert [sizes(value) for value in graph["input"]] == [["x_0", 4], ["x_0", 4]]
    assert [sizes(value) for value in graph["output"]] == [["x_0", 4], ["x_0", "x_0"]]


def test_unknown_sizes_told_before(tmp_path):
    net = nn.Dense(3, 2)
    net.set_inputs(unknown(None, 3))
    graph = exported(tmp_path, net, tensor(2, 3))["graph"]
    assert sizes(graph["input"][0]) == ["x_0", 3]
    assert sizes(graph["output"][0]) == ["x_0", 2]


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (
            lambda x: x + ops.arange(x.shape[0]).astype(ms.float32),
            "a value that 'Add' uses depends on the size",
        ),
        (lambda x: x / x.shape[0], "a value that 'Div' uses depends on the size"),
        (lambda x: ops.unstack(x), "depends on the size"),
    ],
)
def test_what_depends_on_an_unknown_size(tmp_path, function, text):
    with pytest.raises(RuntimeError, match=text):
        exported(tmp_path, function, unknown(None))
    assert not list(tmp_path.iterdir())


# ---- networks that decide ---------------------------------------------------------------------------------


def test_both_sides_of_an_if(tmp_path, each_mode):
    net = Deciding()
    graph = exported(tmp_path, net, tensor(2, 3), Tensor([1]))["graph"]
    assert [node["op_type"] for node in graph["node"]].count("If") == 1
    names = [entry["name"] for entry in graph["initializer"]]
    assert names.count("dense.weight") == 1
    read = load_onnx(tmp_path / "net.onnx")
    for sign in (1, -1):
        for more in (0, 3):
            inputs = tensor(2, 3) * sign, Tensor([more])
            for got, wanted in zip(read(*inputs), net(*inputs), strict=True):
                np.testing.assert_allclose(got.asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-6)


def test_what_is_computed_before_an_if_is_written_once(tmp_path):
    def late(x):
        y = ops.exp(x)
        return y * 2 if y.sum() > 3 else y - 1

    graph = exported(tmp_path, late, tensor(2))["graph"]
    assert [node["op_type"] for node in graph["node"]] == ["Exp", "ReduceSum", "Greater", "If"]
    branches = [entry["g"] for entry in graph["node"][-1]["attribute"]]
    assert [[node["op_type"] for node in branch["node"]] for branch in branches] == [["Mul"], ["Sub"]]


def test_decisions_with_different_types(tmp_path):
    with pytest.raises(RuntimeError, match="another type or shape when an 'if' is answered otherwise"):
        exported(tmp_path, uneven, tensor(2))
