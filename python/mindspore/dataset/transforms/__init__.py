# SPDX-License-Identifier: Apache-2.0
"""Transforms of values of any kind."""

from mindspore._later import imported_later as _imported_later
from mindspore.dataset.transforms.transforms import (
    Compose,
    Concatenate,
    Duplicate,
    Fill,
    Mask,
    OneHot,
    PadEnd,
    Plugin,
    RandomApply,
    RandomChoice,
    RandomOrder,
    Relational,
    Slice,
    TypeCast,
    Unique,
    not_random,
)

__all__ = [
    "Compose",
    "Concatenate",
    "Duplicate",
    "Fill",
    "Mask",
    "OneHot",
    "PadEnd",
    "Plugin",
    "RandomApply",
    "RandomChoice",
    "RandomOrder",
    "Relational",
    "Slice",
    "TypeCast",
    "Unique",
    "not_random",
]

_MODULES = "c_transforms py_transforms transforms validators"
__getattr__, __dir__ = _imported_later(
    globals(),
    {"mindspore.dataset.transforms.transforms": "PyTensorOperation TensorOperation"},
    _MODULES.split(),
)
