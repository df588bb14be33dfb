# SPDX-License-Identifier: Apache-2.0
"""Whole training steps in Graph mode beside PyNative, with every pass and without each."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore import _c_expression as _c


class Convolutional(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, pad_mode="same", has_bias=True)
        self.norm = nn.BatchNorm2d(8)
        self.pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.dense = nn.Dense(8 * 4 * 4, 5)

    def construct(self, x):
        return self.dense(self.flatten(self.pool(ops.relu(self.norm(self.conv(x))))))


class Residual(nn.Cell):
    """Channels in whole blocks: the layout, convolution and normalisation passes all find work."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, pad_mode="same", has_bias=True)
        self.first = nn.SequentialCell(
            nn.Conv2d(16, 32, 3, 2, pad_mode="same"), nn.BatchNorm2d(32), nn.ReLU()
        )
        self.second = nn.SequentialCell(nn.Conv2d(32, 32, 3, pad_mode="same"), nn.BatchNorm2d(32))
        self.down = nn.SequentialCell(nn.Conv2d(16, 32, 1, 2, pad_mode="valid"), nn.BatchNorm2d(32))
        self.deep = nn.SequentialCell(
            nn.Conv2d(32, 32, 3, pad_mode="same", group=32), nn.BatchNorm2d(32), nn.ReLU6()
        )
        self.wide = nn.SequentialCell(nn.Conv2d(32, 32, 1), nn.BatchNorm2d(32))
        self.pool, self.mean = nn.MaxPool2d(3, 2, pad_mode="pad", padding=1), nn.AvgPool2d(2, 1)
        self.dense = nn.Dense(64, 5)

    def construct(self, x):
        x = ops.relu(self.stem(x))
        x = ops.relu(self.second(self.first(x)) + self.down(x))
        x = ops.relu(x + self.wide(self.deep(x)))
        x = self.mean(self.pool(x))
        return self.dense(ops.concat((x, ops.sigmoid(x.mean((2, 3), keep_dims=True)) * x), 1).mean((2, 3)))


class Attention(nn.Cell):
    def __init__(self, width=16, heads=2):
        super().__init__()
        self.heads, self.width = heads, width
        self.q, self.k, self.v, self.out = (nn.Dense(width, width) for _ in range(4))
        self.norm = nn.LayerNorm((width,))
        self.drop = nn.Dropout(p=0.1)
        self.top = nn.Dense(width, 5)

    def construct(self, x):
        batch, length, width = x.shape

        def split(t):
            return t.reshape(batch, length, self.heads, width // self.heads).transpose(0, 2, 1, 3)

        q, k, v = split(self.q(x)), split(self.k(x)), split(self.v(x))
        weights = ops.softmax(ops.matmul(q, k.transpose(0, 1, 3, 2)) * (width // self.heads) ** -0.5, -1)
        mixed = ops.matmul(self.drop(weights), v).transpose(0, 2, 1, 3).reshape(batch, length, width)
        return self.top(ops.gelu(self.norm(x + self.out(mixed)))[:, 0])


CASES = {
    "convolutional": (Convolutional, (4, 3, 8, 8), lambda p: nn.Momentum(p, 0.05, 0.9)),
    "residual": (Residual, (4, 3, 16, 16), lambda p: nn.Momentum(p, 0.05, 0.9)),
    "attention": (Attention, (4, 6, 16), lambda p: nn.Adam(p, 0.01)),
    "mlp": (
        lambda: nn.SequentialCell(nn.Dense(12, 16), nn.ReLU(), nn.Dense(16, 16), nn.Tanh(), nn.Dense(16, 5)),
        (8, 12),
        lambda p: nn.SGD(p, 0.05),
    ),
}


def train(name: str, compiled: bool, steps: int = 4):
    """(losses, parameters) after some steps."""
    make, shape, optimizer_for = CASES[name]
    ms.set_seed(3)
    np.random.seed(3)
    network = make()
    network.set_train()
    loss_function, optimizer = nn.CrossEntropyLoss(), optimizer_for(network.trainable_params())
    gradients = ms.value_and_grad(lambda x, y: loss_function(network(x), y), None, optimizer.parameters)

    def step(x, y):
        loss, found = gradients(x, y)
        optimizer(found)
        return loss

    run = ms.jit(step) if compiled else step
    rng = np.random.default_rng(0)
    losses = []
    for _ in range(steps):
        x = Tensor(rng.normal(size=shape).astype(np.float32))
        y = Tensor(rng.integers(0, 5, shape[0]).astype(np.int32))
        losses.append(float(run(x, y)))
    if compiled:
        (entry,) = run._captured.report()
        assert entry["refusal"] == "" and entry["runs"] == steps - 1
    return losses, {p.name: p.asnumpy().copy() for p in network.get_parameters()}


def agree(one, other) -> None:
    np.testing.assert_allclose(one[0], other[0], rtol=1e-5)
    assert one[1].keys() == other[1].keys()
    for name, value in one[1].items():
        np.testing.assert_allclose(value, other[1][name], rtol=1e-4, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("name", CASES)
def test_both_modes_learn_the_same(name):
    agree(train(name, compiled=True), train(name, compiled=False))


@pytest.mark.parametrize("off", sorted(set(_c.pass_names())))
@pytest.mark.parametrize("name", CASES)
def test_no_pass_changes_results(name, off):
    wanted = train(name, compiled=True)
    _c.set_passes_off({off})
    try:
        agree(train(name, compiled=True), wanted)
    finally:
        _c.set_passes_off(set())


def test_graphs_are_written(tmp_path):
    ms.set_context(save_graphs=2, save_graphs_path=str(tmp_path))
    try:
        double = ms.jit(lambda x: ops.exp(x) * 2 + 0 * x)
        double(Tensor([1.0, 2.0]))
    finally:
        ms.set_context(save_graphs=0, save_graphs_path=".")
    files = {path.name: path.read_text() for path in tmp_path.iterdir()}
    first = files["00_bootstrap_0000.ir"]
    assert "exp(" in first and __file__ in first
    assert any(name.startswith("opt_pass_") for name in files)
    assert any(name.startswith("17_execute") for name in files)


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path):
    graphs = tmp_path / "graphs"
    ms.set_context(save_graphs=1, save_graphs_path=str(graphs))
    try:
        graphs.rmdir()
        graphs.write_text("a file stands where the folder was")
        result = ms.jit(lambda x: ops.exp(x) - 1)(Tensor([0.0]))
    finally:
        ms.set_context(save_graphs=0, save_graphs_path=".")
    assert float(result[0]) == 0


def test_nodes_can_be_watched():
    triple = ms.jit(lambda x: ops.sin(x).sum())
    x = Tensor([0.0, 1.0])
    seen = []
    _c.set_passes_off({"fuse_regions"})  # some devices would make one node of the two
    try:
        triple(x)
        _c.set_graph_observer(lambda *what: seen.append(what))
        triple(x)
    finally:
        _c.set_graph_observer(None)
        _c.set_passes_off(set())
    assert [name for name, *_ in seen] == ["sin", "sum"]
    _, phase, cell, file, _, outputs = seen[0]
    assert (phase, cell, file) == ("forward", "", __file__)
    np.testing.assert_allclose(outputs[0].asnumpy(), np.sin([0.0, 1.0]), rtol=1e-6)
