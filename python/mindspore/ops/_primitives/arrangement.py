# SPDX-License-Identifier: Apache-2.0
"""Primitives of generated code that arrange tensors."""

from __future__ import annotations

from typing import Any

from mindspore._c_expression import Tensor
from mindspore._world import require_one_process
from mindspore.ops._primitives.composition import composed
from mindspore.ops._registry import op
from mindspore.ops.primitive import Primitive, prim_attr_register

__all__ = ["Scatter", "SplitWithSize", "TensorToScalar", "_VirtualDataset"]


@composed()
def SplitWithSize(self, input, split_size, dim=0) -> tuple:
    """Cuts a tensor into parts of given lengths.

    Inputs:
        - **input** (Tensor) - The tensor.
        - **split_size** (tuple[int]) - Lengths of the parts; their sum is that of the axis.
        - **dim** (int) - The axis. Default: ``0``.

    Outputs:
        Tuple of tensors.

    Supported Platforms:
        ``CPU``
    """
    if not -input.ndim <= dim < input.ndim:
        raise ValueError(
            f"For 'SplitWithSize', 'dim' must be in [{-input.ndim}, {input.ndim}), but got {dim}."
        )
    if sum(split_size) != input.shape[dim]:
        raise ValueError(
            f"For 'SplitWithSize', the sum of 'split_size' must be {input.shape[dim]}, but got {split_size}."
        )
    return op.split_sizes(input, tuple(split_size), dim % input.ndim)


@composed()
def Scatter(self, input, dim, index, src, reduce="none"):
    """Writes elements to places along an axis, or adds them.

    Inputs:
        - **input** (Tensor) - Where to.
        - **dim** (int) - The axis.
        - **index** (Tensor) - A place for every element of `src`.
        - **src** (Tensor) - The elements.
        - **reduce** (str) - ``"none"`` or ``"add"``. Default: ``"none"``.

    Outputs:
        Tensor, shape and type of `input`.

    Supported Platforms:
        ``CPU``
    """
    from mindspore.ops import tensor_scatter_elements

    if not isinstance(reduce, str):
        raise TypeError(f"For 'Scatter', the input 'reduce' should be a str, but got {type(reduce)}.")
    return tensor_scatter_elements(input, index, src, dim, reduce)


@composed()
def TensorToScalar(self, input_x) -> Any:
    """The number in a tensor that has one.

    Inputs:
        - **input_x** (Tensor) - A tensor with one element.

    Outputs:
        int, float or bool.

    Supported Platforms:
        ``CPU``
    """
    if not isinstance(input_x, Tensor) or input_x.size != 1:
        raise ValueError("For 'TensorToScalar', 'input_x' must be a Tensor with one element.")
    return input_x.item()


class _VirtualDataset(Primitive):
    """Marks inputs that are parts of a batch in several processes; one process has the whole."""

    @prim_attr_register
    def __init__(self):
        self.add_prim_attr("order_enforce_skip", True)

    def __call__(self, *args) -> tuple:
        require_one_process("_VirtualDataset")
        return args
