# SPDX-License-Identifier: Apache-2.0
"""Transforms of values of any kind."""

from mindspore._later import imported_later as _imported_later
from mindspore._later import star_names as _star_names
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

_BASES = "PyTensorOperation TensorOperation"
_MODULES = "c_transforms py_transforms transforms validators"
__getattr__, __dir__ = _imported_later(
    globals(),
    {"mindspore.dataset.transforms.transforms": _BASES},
    _MODULES.split(),
)
__all__ = _star_names(__dir__(), [*_MODULES.split(), *_BASES.split()])
