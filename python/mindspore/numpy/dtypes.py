# SPDX-License-Identifier: Apache-2.0
"""Types and constants of `mindspore.numpy`, by the module they have in MindSpore."""

from mindspore._spelling import not_in_this_version as _not_in_this_version
from mindspore.common.dtype import (
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

pi = 3.141592653589793
inf = float("inf")
nan = float("nan")
numeric_types = (int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, bool_)

__all__ = [
    "bool_",
    "float16",
    "float32",
    "float64",
    "inf",
    "int16",
    "int32",
    "int64",
    "int8",
    "nan",
    "numeric_types",
    "pi",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
]
__getattr__ = _not_in_this_version(globals())
