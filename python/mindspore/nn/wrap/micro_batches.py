# SPDX-License-Identifier: Apache-2.0
"""Batches cut into parts that a network sees one after the other."""

from __future__ import annotations

from typing import Any

from mindspore._world import require_one_process
from mindspore.common._structure import map_tensors
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op


def _part_of(inputs: tuple, i: int, count: int, owner: str) -> tuple:
    """The i-th of `count` parts of every tensor, cut along its first axis."""

    def cut(tensor):
        if tensor.ndim == 0 or tensor.shape[0] % count:
            raise ValueError(
                f"For '{owner}', the batch size of the inputs must be divisible by {count}, but got shape "
                f"{tensor.shape}."
            )
        rows = tensor.shape[0] // count
        begin = (i * rows, *(0,) * (tensor.ndim - 1))
        return op.slice(tensor, begin, (rows, *tensor.shape[1:]))

    return map_tensors(cut, inputs)


class _MicroBatch(Cell):
    """The parts with number `i` of tensors that are cut into equal parts along their first axis.

    Args:
        micro_size (int): How many parts there are.
    """

    def __init__(self, micro_size):
        super().__init__()
        self.micro_size = micro_size

    def construct(self, i, *inputs) -> tuple:
        return _part_of(inputs, i, self.micro_size, self.cls_name)


class _PartsOfBatch(Cell):
    """A network whose results over the parts of a batch are added."""

    def __init__(self, network, count: int, name: str):
        super().__init__(auto_prefix=False)
        if not isinstance(network, Cell):
            raise TypeError(
                f"For '{self.cls_name}', the argument 'network' must be a Cell, but got "
                f"{type(network).__name__}."
            )
        if isinstance(count, bool) or not isinstance(count, int):
            raise TypeError(
                f"For '{self.cls_name}', the argument '{name}' must be int, but got {type(count).__name__}."
            )
        if count <= 0:
            raise ValueError(
                f"For '{self.cls_name}', the argument '{name}' must be large than 0, but got {count}."
            )
        self.network = network
        self._count = count

    def construct(self, *inputs) -> Any:
        total = self.network(*_part_of(inputs, 0, self._count, self.cls_name))
        for i in range(1, self._count):
            part = self.network(*_part_of(inputs, i, self._count, self.cls_name))
            if isinstance(total, (tuple, list)):
                total = tuple(a + b for a, b in zip(total, part, strict=True))
            else:
                total = total + part
        return total


class PipelineCell(_PartsOfBatch):
    """Cuts batches into micro batches, as pipeline parallel training does; adds the results.

    Args:
        network (Cell): The network.
        micro_size (int): Number of micro batches; divides the batch size.

    Inputs:
        - **\\*inputs** (Tensor) - What the network takes; the first axis is the batch.

    Outputs:
        Sum of the network's results.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `micro_size` is not positive, or does not divide the batch size.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, network, micro_size):
        require_one_process("PipelineCell")
        super().__init__(network, micro_size, "micro_size")
        self.micro_size = micro_size


class MicroBatchInterleaved(_PartsOfBatch):
    """Cuts batches into parts whose computation and communication may overlap; adds the results.

    Args:
        network (Cell): The network.
        interleave_num (int): Number of parts; divides the batch size. Default: ``2``.

    Inputs:
        - **\\*inputs** (Tensor) - What the network takes; the first axis is the batch.

    Outputs:
        Sum of the network's results.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `interleave_num` is not positive, or does not divide the batch size.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, network, interleave_num=2):
        super().__init__(network, interleave_num, "interleave_num")
        self.interleave_num = interleave_num


class GradAccumulationCell(_PartsOfBatch):
    """Cuts batches into micro batches whose gradients add up before the step.

    Args:
        network (Cell): The network, with its loss.
        micro_size (int): Number of micro batches; divides the batch size.

    Inputs:
        - **\\*inputs** (Tensor) - What the network takes; the first axis is the batch.

    Outputs:
        Sum of the network's results.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `micro_size` is not positive, or does not divide the batch size.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, network, micro_size):
        super().__init__(network, micro_size, "micro_size")
        self.micro_size = micro_size


class _VirtualDatasetCell(Cell):
    """A network whose inputs would be cut along the batch between processes; one process takes them whole.

    Args:
        backbone (Cell): The network.
    """

    def __init__(self, backbone):
        require_one_process(type(self).__name__)
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, *inputs) -> Any:
        return self._backbone(*inputs)


class VirtualDatasetCellTriple(_VirtualDatasetCell):
    """The same for networks with three inputs.

    Args:
        backbone (Cell): The network.

    Inputs:
        - **a** (Tensor) - First input.
        - **b** (Tensor) - Second input.
        - **c** (Tensor) - Third input.

    Outputs:
        What the network returns.

    Supported Platforms:
        ``CPU``
    """

    def construct(self, a, b, c) -> Any:
        return self._backbone(a, b, c)
