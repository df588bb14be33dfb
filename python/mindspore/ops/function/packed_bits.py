# SPDX-License-Identifier: Apache-2.0
"""Eight yes-or-no answers in a byte, the first in the lowest bit."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op


def _places() -> Tensor:
    return Tensor([1, 2, 4, 8, 16, 32, 64, 128], mstype.int32)


def unpack_bits(packed) -> Tensor:
    """The bits of bytes as a tensor with one axis, 0 or 1, int32."""
    bytes_ = op.reshape(op.cast(packed, mstype.int32), (-1, 1))
    return op.reshape(op.floor_mod(op.floor_div(bytes_, _places()), 2), (-1,))


def pack_bits(bits) -> Tensor:
    """The bytes of bits, as many as are needed and a multiple of 16; what is too much is 0."""
    count = bits.size
    missing = -count % 128
    flat = op.pad_constant(op.reshape(op.cast(bits, mstype.int32), (count,)), (0, missing), 0)
    return op.cast(op.reduce_sum(op.mul(op.reshape(flat, (-1, 8)), _places()), (1,)), mstype.uint8)
