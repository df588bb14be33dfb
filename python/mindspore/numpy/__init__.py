# SPDX-License-Identifier: Apache-2.0
"""Functions with the names and arguments of NumPy, on tensors."""

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
from mindspore.numpy import _arrays, _elementwise
from mindspore.numpy._arrays import *  # noqa: F403
from mindspore.numpy._elementwise import *  # noqa: F403

pi = 3.141592653589793
inf = float("inf")
nan = float("nan")
numeric_types = (int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, bool_)

__getattr__ = _not_in_this_version(globals(), near="mindspore.ops")
__all__ = [*_arrays.__all__, *_elementwise.__all__]  # noqa: PLE0604
