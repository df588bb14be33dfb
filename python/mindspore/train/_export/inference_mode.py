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
