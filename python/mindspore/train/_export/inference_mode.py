# SPDX-License-Identifier: Apache-2.0
"""What a network does after training, whatever it does now."""

from __future__ import annotations

import contextlib

import numpy as np

from mindspore import _c_expression as _c
from mindspore.common._tensor.exchange import bits_of
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op

_COMPARED_AT_ONCE = 1 << 22  # bytes


@contextlib.contextmanager
def inference_mode(net):
    """All cells behave as after training until the block ends."""
    cells = [cell for _, cell in net.cells_and_names()] if isinstance(net, Cell) else []
    before = [cell.training for cell in cells]
    if isinstance(net, Cell):
        net.set_train(False)
    try:
        yield
    finally:
        for cell, flag in zip(cells, before, strict=True):
            cell.training = flag


@contextlib.contextmanager
def unchanged_parameters(net):
    """Parameters have the values they have now when the block ends, whatever the network writes to them."""
    parameters = net.get_parameters() if isinstance(net, Cell) else ()
    before = [(one, op.copy(_c.detach(one))) for one in parameters]
    try:
        yield
    finally:
        while before:  # what is compared is given back at once
            parameter, value = before.pop()
            if not _have_same_bits(parameter, value):
                parameter.set_data(value)


def _have_same_bits(one: Tensor, other: Tensor) -> bool:
    first, second = (bits_of(tensor).reshape(-1).view(np.uint8) for tensor in (one, other))
    starts = range(0, first.size, _COMPARED_AT_ONCE)
    return all(
        np.array_equal(first[start : start + _COMPARED_AT_ONCE], second[start : start + _COMPARED_AT_ONCE])
        for start in starts
    )
