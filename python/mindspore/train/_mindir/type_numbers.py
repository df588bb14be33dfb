# SPDX-License-Identifier: Apache-2.0
"""Numbers by which MindIR files know types: of tensors, and as arguments of primitives."""

from __future__ import annotations

import numpy as np

from mindspore.common import dtype as mstype

# DataType of the file -> type, and how NumPy sees the bytes.
DATA_TYPES = {
    1: (mstype.float32, np.float32),
    2: (mstype.uint8, np.uint8),
    3: (mstype.int8, np.int8),
    4: (mstype.uint16, np.uint16),
    5: (mstype.int16, np.int16),
    6: (mstype.int32, np.int32),
    7: (mstype.int64, np.int64),
    8: (mstype.string, None),
    9: (mstype.bool_, np.bool_),
    10: (mstype.float16, np.float16),
    11: (mstype.float64, np.float64),
    12: (mstype.uint32, np.uint32),
    13: (mstype.uint64, np.uint64),
    14: (mstype.complex64, np.complex64),
    15: (mstype.complex128, np.complex128),
    16: (mstype.bfloat16, np.uint16),
    17: (mstype.float64, np.float64),
}
# The same the other way; of two numbers of a type the first is the one that is written.
DATA_NUMBERS = {dtype: number for number, (dtype, _) in reversed(DATA_TYPES.items())}

# Numbers of types in primitive-function form; those from 46 on moved when the 8-bit floats came.
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
OLD_COMPLEX = {48: mstype.complex64, 49: mstype.complex128}
NEW_COMPLEX = {51: mstype.complex64, 52: mstype.complex128}
VERSION_OF_NEW_COMPLEX = (2, 7)
ARGUMENT_NUMBERS = {dtype: number for number, dtype in {**ARGUMENT_TYPES, **OLD_COMPLEX}.items()}
