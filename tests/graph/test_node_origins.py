# SPDX-License-Identifier: Apache-2.0
"""Nodes of a compiled graph say which cell, which phase of a step and which line they come from."""

from __future__ import annotations

import contextlib
import re

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore import _c_expression as _c

_ORIGIN = re.compile(r"%\d+ = (\w+).*?  @(?: (\w+))?(?: \"([^\":]*)\")?(?: \"([^\"]*)\":(\d+))?$")


class Block(nn.Cell):
    """A layer and an operator of its own."""

    def __init__(self, size: int):
        super().__init__()
        self.fc = nn.Dense(size, size, weight_init="ones")

    def construct(self, x):
        return ops.tanh(self.fc(x))  # tanh


class Net(nn.Cell):
    """Cells inside cells."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.SequentialCell(Block(4), Block(4))
        self.head = nn.Dense(4, 2, weight_init="ones")

    def construct(self, x):
        return self.head(self.blocks(x)).sum()


@pytest.fixture(autouse=True)
def graph_mode():
    before = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)
    _c.set_passes_off({name for name in _c.pass_names() if name != "erase_dead_nodes"})
    yield
    _c.set_passes_off(set())
    ms.set_context(mode=before, reserve_class_name_in_scope=True)


def origins(text: str) -> list[tuple[str, str, str, int]]:
    """(operator, phase, cell, line) of the nodes that have any."""
    found = (_ORIGIN.search(line) for line in text.splitlines())
    return [(m[1], m[2] or "forward", m[3] or "", int(m[5] or 0)) for m in found if m]


def line_of(mark: str) -> int:
    with open(__file__, encoding="utf-8") as file:
        return next(i for i, line in enumerate(file, 1) if line.rstrip().endswith(f"# {mark}"))


def graph_of(cell, *inputs) -> str:
    cell(*inputs)
    (text,) = cell._captured.texts()
    return text


X = Tensor(np.ones((3, 4), np.float32))


def test_nodes_bear_the_path_of_their_cell():
    found = {(name, cell) for name, _, cell, _ in origins(graph_of(Net(), X))}
    first = "Default/blocks-SequentialCell/0-Block"
    assert ("tanh", first) in found
    assert ("tanh", "Default/blocks-SequentialCell/1-Block") in found
    assert ("dense", f"{first}/fc-Dense") in found
    assert ("dense", "Default/head-Dense") in found
    assert ("sum", "Default") in found


def test_paths_without_classes():
    ms.set_context(reserve_class_name_in_scope=False)
    cells = {cell for _, _, cell, _ in origins(graph_of(Net(), X))}
    assert "Default/blocks/0/fc" in cells


def test_a_cell_that_a_function_calls_is_named_after_its_class():
    net = Net()
    function = ms.jit(lambda x: net(x) + 1)
    function(X)
    (text,) = function._captured.texts()
    found = {(name, cell) for name, _, cell, _ in origins(text)}
    assert ("tanh", "Default/Net/blocks-SequentialCell/0-Block") in found


def test_a_method_need_not_call_its_cell_self():
    class Inner(nn.Cell):
        def construct(this, x):
            return ops.exp(x)

    class Outer(nn.Cell):
        def __init__(this):
            super().__init__()
            this.inner = Inner()

        def construct(this, x):
            return this.inner(x) + 1

    found = {(name, cell) for name, _, cell, _ in origins(graph_of(Outer(), X))}
    assert found == {("exp", "Default/inner-Inner"), ("add", "Default")}


class Trained(nn.Cell):
    """A step in one graph."""

    def __init__(self, network):
        super().__init__()
        self.network = network
        self.optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9)
        self.grad = ms.value_and_grad(network, None, network.trainable_params())

    def construct(self, x):
        loss, gradients = self.grad(x)  # gradients
        return ops.depend(loss, self.optimizer(gradients))


def test_phases_of_a_step():
    found = origins(graph_of(Trained(Net()), X))
    assert {phase for _, phase, _, _ in found} == {"forward", "backward", "update"}
    updates = {cell for _, phase, cell, _ in found if phase == "update"}
    assert updates == {"Default/optimizer-Momentum"}
    # What goes back through a layer belongs to that layer, and to its line.
    back = [(cell, line) for name, phase, cell, line in found if name == "tanh_gradient0"]
    block = "Default/network-Net/blocks-SequentialCell"
    assert back == [(f"{block}/1-Block", line_of("tanh")), (f"{block}/0-Block", line_of("tanh"))]
    assert all(phase == "backward" for name, phase, _, _ in found if name.endswith("_gradient0"))


def test_a_step_of_the_library():
    net = nn.WithLossCell(nn.Dense(4, 2), nn.MSELoss())
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.1))
    found = origins(graph_of(step, X, Tensor(np.zeros((3, 2), np.float32))))
    cells = {(phase, cell) for _, phase, cell, _ in found}
    assert ("forward", "Default/network-WithLossCell/_backbone-Dense") in cells
    assert ("backward", "Default/network-WithLossCell/_backbone-Dense") in cells
    assert ("update", "Default/optimizer-SGD") in cells


def test_graphs_made_for_other_sizes_bear_paths_too():
    net = Net()
    for rows in (2, 3, 5, 7, 11):
        net(Tensor(np.ones((rows, 4), np.float32)))
    assert any(recipe["made"] for recipe in net._captured.recipes())
    for text in net._captured.texts():
        cells = {cell for _, _, cell, _ in origins(text)}
        assert "Default/blocks-SequentialCell/0-Block/fc-Dense" in cells


def test_a_cell_that_raises_is_left():
    class Raises(nn.Cell):
        def construct(self, x):
            raise ValueError("on purpose")

    class Catches(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Raises()

        def construct(self, x):
            with contextlib.suppress(ValueError):
                x = self.inner(x)
            return ops.exp(x)

    assert ("exp", "forward", "Default") in {found[:3] for found in origins(graph_of(Catches(), X))}


def test_an_error_while_a_graph_runs_names_the_cell():
    class Picks(nn.Cell):
        def construct(self, x, i):
            return ops.gather(x, i, 0)

    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.picks = Picks()
            self.calls = ms.Parameter(Tensor(0.0))

        def construct(self, x, i):
            self.calls += 1  # what has happened is not made once more, by Python, to find the mistake
            return self.picks(x, i) + 1

    net = Outer()
    net(X, Tensor([0, 1], ms.int32))
    with pytest.raises(IndexError, match="in Default/picks-Picks"):
        net(X, Tensor([0, 17], ms.int32))
