# SPDX-License-Identifier: Apache-2.0
"""Numbers by which arguments of primitives in MindIR files know types."""

from __future__ import annotations

from mindspore.common import dtype as mstype

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
