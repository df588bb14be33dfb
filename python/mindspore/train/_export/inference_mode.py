# SPDX-License-Identifier: Apache-2.0
"""What a network does after training, whatever it does now."""

from __future__ import annotations

import contextlib

from mindspore.nn.cell import Cell


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
    before = [(one, one.value().copy()) for one in net.get_parameters()] if isinstance(net, Cell) else []
    try:
        yield
    finally:
        for parameter, value in before:
            if parameter.get_bytes() != value.get_bytes():
                parameter.set_data(value)
