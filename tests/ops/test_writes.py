# SPDX-License-Identifier: Apache-2.0
"""Functions that write what they are given."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops

ROWS = Tensor(np.ones((2, 2), np.float32))
PLACES = Tensor([0, 2], ms.int32)
WANTED = [[1, 1], [0, 0], [1, 1]]

FORMS = {
    "index_add": lambda x, i, y: ops.index_add(x, i, y, 0),
    "IndexAdd": lambda x, i, y: ops.IndexAdd(0)(x, i, y),
    "Tensor.index_add": lambda x, i, y: x.index_add(0, i, y),
    "inplace_index_add": lambda x, i, y: ops.inplace_index_add(x, i, y, 0),
    "InplaceIndexAdd": lambda x, i, y: ops.InplaceIndexAdd(0)(x, i, y),
}


def zeros() -> Tensor:
    return Tensor(np.zeros((3, 2), np.float32))


class Adds(nn.Cell):
    def __init__(self, form):
        super().__init__()
        self.table, self.form = Parameter(zeros(), name="table"), form

    def construct(self, places, rows):
        return self.form(self.table, places, rows)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
@pytest.mark.parametrize("name", FORMS)
def test_a_parameter_is_added_to(name, mode):
    ms.set_context(mode=mode)
    try:
        net = Adds(FORMS[name])
        for times in (1, 2, 3):
            result = net(PLACES, ROWS)
            assert result.tolist() == net.table.asnumpy().tolist() == (times * np.array(WANTED)).tolist()
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize("name", FORMS)
def test_a_tensor_is_added_to(name):
    x = zeros()
    assert FORMS[name](x, PLACES, ROWS).tolist() == x.tolist() == WANTED


def test_what_index_add_takes(both_modes):
    columns = both_modes(
        lambda y: ops.index_add(zeros(), Tensor([1]), y, -1), Tensor(np.ones((3, 1), np.float32))
    )
    assert columns.tolist() == [[0, 1]] * 3
    twice = both_modes(lambda y: ops.index_add(zeros(), Tensor([1, 1]), y, 0), ROWS)
    assert twice.tolist() == [[0, 0], [2, 2], [0, 0]]
    scaled = both_modes(lambda y: zeros().index_add(0, PLACES, y, alpha=3), ROWS)
    assert scaled.tolist() == (3 * np.array(WANTED)).tolist()


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_index_add_passes_gradients_on(mode):
    factors = Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    def loss(x, y):
        return (ops.index_add(x * 2, PLACES, y, 0) * factors).sum()

    ms.set_context(mode=mode)
    try:
        for _ in range(3):
            to_x, to_y = ms.grad(loss, (0, 1))(zeros(), ROWS)
            assert to_x.tolist() == (2 * factors.asnumpy()).tolist()
            assert to_y.tolist() == [[1, 2], [5, 6]]
        net = Adds(FORMS["index_add"])
        to_table = ms.grad(lambda y: net(PLACES, y).sum(), None, net.trainable_params())
        assert to_table(ROWS)[0].tolist() == [[1, 1]] * 3
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_what_was_written_has_its_gradient():
    def loss(y):
        x = zeros() * 1
        ops.index_add(x, PLACES, y, 0)
        return (x * x).sum()

    assert ms.grad(loss)(3 * ROWS).tolist() == [[6, 6], [6, 6]]


def test_index_add_refuses(both_modes):
    both_modes.refuse(
        IndexError, lambda y: ops.index_add(zeros(), Tensor([0, 5]), y, 0), ROWS, match="index 5"
    )
    both_modes.refuse(ValueError, lambda y: ops.index_add(zeros(), Tensor([0]), y, 0), ROWS, match="updates")
    both_modes.refuse(ValueError, lambda y: ops.index_add(zeros(), PLACES, y, 4), ROWS, match="axis")
    both_modes.refuse(TypeError, lambda y: ops.index_add(3.0, PLACES, y, 0), ROWS, match="Tensor")
