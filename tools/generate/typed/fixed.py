# SPDX-License-Identifier: Apache-2.0
"""Stubs that nothing can be derived for: types of the extension, and names for types that stubs share."""

from __future__ import annotations

_HEAD = "# SPDX-License-Identifier: Apache-2.0\n# Generated from the package by tools/generate/stubs.py.\n"

_TYPES = '''
"""Types that many arguments have; the module exists for type checkers only."""

from collections.abc import Sequence
from types import EllipsisType
from typing import Any

import numpy as np
from typing_extensions import TypeAlias

from mindspore.common.tensor import Tensor

Operand: TypeAlias = Tensor | bool | int | float | complex
Ints: TypeAlias = int | Sequence[int] | Tensor
Floats: TypeAlias = float | Sequence[float]
ArrayLike: TypeAlias = Operand | np.ndarray[Any, Any] | Sequence[Any]
Index: TypeAlias = int | slice | EllipsisType | Tensor | np.ndarray[Any, Any] | Sequence[Any] | bool | None
'''

_EXTENSION = '''
"""Types of the extension that users meet."""

from typing import final

@final
class DType:
    """Type of the elements of a tensor: `mindspore.float32` and its kin."""
'''

FIXED = {
    "mindspore._typing": _HEAD + _TYPES,
    "mindspore._c_expression": _HEAD + _EXTENSION,
}
