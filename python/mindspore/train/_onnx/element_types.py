# SPDX-License-Identifier: Apache-2.0
"""Numbers by which ONNX knows types of elements."""

from __future__ import annotations

from mindspore.common import dtype as mstype

NUMBERS = {
    mstype.float32: 1,
    mstype.uint8: 2,
    mstype.int8: 3,
    mstype.uint16: 4,
    mstype.int16: 5,
    mstype.int32: 6,
    mstype.int64: 7,
    mstype.bool_: 9,
    mstype.float16: 10,
    mstype.float64: 11,
    mstype.uint32: 12,
    mstype.uint64: 13,
    mstype.complex64: 14,
    mstype.complex128: 15,
    mstype.bfloat16: 16,
}
