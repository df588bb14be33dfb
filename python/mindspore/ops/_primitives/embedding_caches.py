# SPDX-License-Identifier: Apache-2.0
"""Primitives for tables of which several caches hold parts: where rows stand in these parts."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.ops.primitive import Primitive, prim_attr_register

__all__ = ["PadAndShift", "SubAndFilter"]


class SubAndFilter(Primitive):
    """Numbers minus an offset, of which only those from 0 to below a maximum are kept.

    Inputs:
        - **input_x** (Tensor) - The numbers, (N,).
        - **max_num** (int) - What a number must be below after the subtraction.
        - **offset** (int) - What is subtracted.

    Outputs:
        tuple, the differences that are kept, and which of the numbers these were.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> from mindspore import Tensor, ops
        >>> kept, places = ops.SubAndFilter()(Tensor([1, 5, 9, 6, 15]), 10, 5)
        >>> kept.asnumpy().tolist(), places.asnumpy().tolist()
        ([0, 4, 1], [1, 2, 3])
    """

    @prim_attr_register
    def __init__(self):
        """Initialize SubAndFilter."""

    def __call__(self, input_x: Tensor, max_num: int, offset: int) -> tuple[Tensor, Tensor]:
        moved = op.sub(input_x, offset)
        kept = op.logical_and(op.greater_equal(moved, 0), op.less(moved, max_num))
        places = op.reshape(op.nonzero(kept), (-1,))
        return op.gather(moved, places, 0), op.cast(places, mstype.int32)


class PadAndShift(Primitive):
    """A row of -1 in which the first elements of a tensor stand in one of several parts.

    Inputs:
        - **input_x** (Tensor) - The elements, (N,).
        - **cum_sum_arr** (Tensor) - Where the parts begin, and at its end the length of the row.
        - **shift_idx** (int) - The part in which the elements stand.

    Outputs:
        Tensor, the row, of the type of `input_x`.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> from mindspore import Tensor, ops
        >>> ops.PadAndShift()(Tensor([9, 13, -1, -1]), Tensor([0, 3, 5]), 1).asnumpy().tolist()
        [-1, -1, -1, 9, 13]
    """

    @prim_attr_register
    def __init__(self):
        """Initialize PadAndShift."""

    def __call__(self, input_x: Tensor, cum_sum_arr: Tensor, shift_idx: int) -> Tensor:
        bounds = [int(bound) for bound in cum_sum_arr.asnumpy()]
        if not 0 <= shift_idx < len(bounds) - 1:
            raise ValueError(
                f"For 'PadAndShift', 'shift_idx' must be in [0, {len(bounds) - 1}), but got {shift_idx}."
            )
        begin, end, length = bounds[shift_idx], bounds[shift_idx + 1], bounds[-1]
        before, after = (op.fill(input_x.dtype, (count,), -1) for count in (begin, length - end))
        return op.concat((before, input_x[: end - begin], after), 0)
