# SPDX-License-Identifier: Apache-2.0
"""Borders whose widths are given as pairs."""

from __future__ import annotations

from typing import Any

from mindspore._c_expression import Tensor
from mindspore.ops._registry import op
from mindspore.ops.function._checks import flat_widths
from mindspore.ops.primitive import Primitive, prim_attr_register

__all__ = ["MirrorPad", "Pad"]


class Pad(Primitive):
    """Adds a border of zeros.

    Args:
        paddings (tuple): One pair per axis: width before and after it.

    Inputs:
        - **input_x** (Tensor) - Any tensor.

    Outputs:
        Tensor, larger.

    Raises:
        TypeError: `paddings` is not a tuple of pairs of ints.
        ValueError: A width is negative, or the number of pairs is not that of axes.

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(self, paddings):
        flat_widths("Pad", paddings)

    def __call__(self, input_x: Tensor) -> Tensor:
        return op.pad_constant(input_x, flat_widths(self.name, self.paddings, input_x.ndim))


class MirrorPad(Primitive):
    """Adds a border that mirrors the elements at the edge.

    Args:
        mode (str): ``"REFLECT"`` leaves the edge out, ``"SYMMETRIC"`` repeats it. Default: ``"REFLECT"``.

    Inputs:
        - **input_x** (Tensor) - Any tensor.
        - **paddings** (Tensor) - One pair per axis: width before and after it.

    Outputs:
        Tensor, larger.

    Raises:
        ValueError: `mode` is neither, or a width is too large.

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(self, mode="REFLECT"):
        if mode not in ("REFLECT", "SYMMETRIC"):
            raise ValueError(f"For 'MirrorPad', the 'mode' must be REFLECT or SYMMETRIC, but got {mode}.")

    def __call__(self, input_x: Tensor, paddings: Any) -> Tensor:
        return op.mirror_pad(input_x, flat_widths(self.name, paddings, input_x.ndim), self.mode)
