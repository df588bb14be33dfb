# SPDX-License-Identifier: Apache-2.0
"""Numbers by which MindIR files know types: of tensors, and as arguments of primitives."""

from __future__ import annotations

from mindspore.common import dtype as mstype

# Of tensors.
DATA_NUMBERS = {
    mstype.float32: 1,
    mstype.uint8: 2,
    mstype.int8: 3,
    mstype.uint16: 4,
    mstype.int16: 5,
    mstype.int32: 6,
    mstype.int64: 7,
    mstype.string: 8,
    mstype.bool_: 9,
    mstype.float16: 10,
    mstype.float64: 11,
    mstype.uint32: 12,
    mstype.uint64: 13,
    mstype.complex64: 14,
    mstype.complex128: 15,
    mstype.bfloat16: 16,
}

# Numbers of types in primitive-function form.
ARGUMENT_TYPES = {
    30: mstype.bool_,
    32: mstype.int8,
    33: mstype.int16,
    34: mstype.int32,
    35: mstype.int64,
    37: mstype.uint8,
    38: mstype.uint16,
    39: mstype.uint32,
    40: mstype.uint64,
    42: mstype.float16,
    43: mstype.float32,
    44: mstype.float64,
    45: mstype.bfloat16,
}
# Complex numbers as they were before; a file tells the release that wrote it.
ARGUMENT_NUMBERS = {dtype: number for number, dtype in ARGUMENT_TYPES.items()} | {
    mstype.complex64: 48,
    mstype.complex128: 49,
}
