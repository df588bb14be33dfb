# SPDX-License-Identifier: Apache-2.0
"""Cells that gather the slices of a parameter before it is saved."""

from __future__ import annotations

from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.ops.operations import AllGather

_kept: dict[str, AllGatherCell] = {}


class AllGatherCell(Cell):
    """Joins the slices of a tensor that the processes of a group hold."""

    def __init__(self, group: str) -> None:
        super().__init__(auto_prefix=False)
        self.allgather = AllGather(group)

    def construct(self, x: Tensor) -> Tensor:
        return self.allgather(x)


def get_allgather_cell(group: str) -> AllGatherCell:
    """The cell that gathers within a group; the same until `destroy_allgather_cell`."""
    if group not in _kept:
        destroy_allgather_cell()
        _kept[group] = AllGatherCell(group)
    return _kept[group]


def destroy_allgather_cell() -> None:
    """Forgets the cell that `get_allgather_cell` gave last."""
    _kept.clear()
