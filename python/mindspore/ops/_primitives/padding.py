# SPDX-License-Identifier: Apache-2.0
"""Borders whose widths are given as pairs."""

from __future__ import annotations

from typing import Any

from mindspore._c_expression import Tensor
from mindspore.ops._registry import op
from mindspore.ops.primitive import Primitive, prim_attr_register

__all__ = ["MirrorPad", "Pad"]


def _flat(name: str, paddings, rank: int | None = None) -> tuple[int, ...]:
    """Width before and after each axis in one row, from pairs or from such a row."""
    if isinstance(paddings, Tensor):
        paddings = paddings.asnumpy().tolist()
    if not isinstance(paddings, (tuple, list)):
        raise TypeError(f"For '{name}', the 'paddings' must be a tuple of pairs, but got {type(paddings)}.")
    flat: list[int] = []
    for entry in paddings:
        if isinstance(entry, (tuple, list)):
            if len(entry) != 2:
                raise ValueError(f"For '{name}', the 'paddings' must consist of pairs, but got {paddings}.")
            flat += entry
        else:
            flat.append(entry)
    for width in flat:
        if isinstance(width, bool) or not isinstance(width, int):
            raise TypeError(f"For '{name}', the 'paddings' must hold ints, but got {paddings}.")
        if width < 0:
            raise ValueError(f"For '{name}', the 'paddings' must not be negative, but got {paddings}.")
    if rank is not None and len(flat) != 2 * rank:
        raise ValueError(f"For '{name}', the 'paddings' must have {rank} pairs, but got {paddings}.")
    return tuple(flat)


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
        _flat("Pad", paddings)

    def __call__(self, input_x: Tensor) -> Tensor:
        return op.pad_constant(input_x, _flat(self.name, self.paddings, input_x.ndim))


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
        return op.mirror_pad(input_x, _flat(self.name, paddings, input_x.ndim), self.mode)
