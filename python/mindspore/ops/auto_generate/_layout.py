# SPDX-License-Identifier: Apache-2.0
"""How a tensor's elements lie in memory."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.ops._registry import op


def contiguous(input: Tensor) -> Tensor:
    """The tensor with its elements in row-major order: itself when they are already, else a copy.

    Args:
        input (Tensor): Any tensor.

    Returns:
        Tensor of the same shape and type.
    """
    return input if input.is_contiguous() else op.copy(input)


def copy(input: Tensor) -> Tensor:
    """A dense copy that shares nothing with the input.

    Args:
        input (Tensor): Any tensor.

    Returns:
        Tensor of the same shape and type.
    """
    return op.copy(input)
