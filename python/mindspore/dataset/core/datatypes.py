# SPDX-License-Identifier: Apache-2.0
"""From types of NumPy and MindSpore to the names that columns have."""

from __future__ import annotations

import numpy as np

from mindspore._c_dataengine import NUMBER_TYPES, DataType
from mindspore.common import dtype as mstype


def nptype_to_detype(type_: type | np.dtype | str) -> DataType | None:
    """The type of a column with elements of a NumPy type; None when no column can have it."""
    dtype = np.dtype(type_)
    if dtype == np.dtype("str"):
        return DataType("string")
    return DataType(dtype.name) if dtype.name in NUMBER_TYPES else None


def mstype_to_detype(type_: mstype.DType) -> DataType:
    """The type of a column with elements of a type of MindSpore.

    Raises:
        NotImplementedError: If it is no type of MindSpore.
        KeyError: If no column can have it.
    """
    if type_ is mstype.string:
        return DataType("string")
    if not isinstance(type_, mstype.DType):
        raise NotImplementedError(
            f"A type of MindSpore is needed, such as mindspore.float32, but got {type_}."
        )
    name = np.dtype(mstype.dtype_to_nptype(type_)).name
    if name not in NUMBER_TYPES:
        raise KeyError(type_)
    return DataType(name)


def mstypelist_to_detypelist(type_list: list) -> list:
    """The list itself, each type replaced; None becomes the unknown type."""
    type_list[:] = [DataType("") if one is None else mstype_to_detype(one) for one in type_list]
    return type_list
