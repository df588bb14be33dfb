# SPDX-License-Identifier: Apache-2.0
"""Inputs of a network that have axes of unknown size."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mindspore.common._structure import map_tensors, tensors_in
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell


def described_inputs(net, inputs: tuple) -> tuple:
    """The inputs, or what `set_inputs` said of them."""
    told = net.get_inputs() if isinstance(net, Cell) else None
    return tuple(told) if told and len(told) == len(inputs) else inputs


def has_unknown_sizes(net, inputs: tuple) -> bool:
    """Whether an input, or what `set_inputs` said of it, leaves a size open."""
    return any(-1 in tensor.shape for tensor in tensors_in(described_inputs(net, inputs)))


def filled_inputs(inputs: tuple, size_of: Callable[[int, int], int]) -> tuple:
    """Inputs full of ones whose unknown axes have sizes.

    Args:
        inputs (tuple): The inputs.
        size_of (Callable): The size of an axis, given the number of the tensor and of the axis.
    """
    numbers = iter(range(len(tensors_in(inputs))))

    def filled(tensor: Tensor) -> Tensor:
        number = next(numbers)
        shape = [size_of(number, axis) if size == -1 else size for axis, size in enumerate(tensor.shape)]
        return Tensor(np.ones(shape), tensor.dtype)

    return map_tensors(filled, inputs)
