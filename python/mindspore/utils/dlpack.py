# SPDX-License-Identifier: Apache-2.0
"""Tensors from and to other libraries without copying."""

from __future__ import annotations

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor


def to_dlpack(tensor: Tensor):
    """A DLPack capsule on the memory of a tensor.

    Args:
        tensor (Tensor): A tensor in host memory.

    Returns:
        The capsule; it keeps the memory alive.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"For 'to_dlpack', the input must be a Tensor, but got {type(tensor).__name__}.")
    return tensor.__dlpack__()


def from_dlpack(dlpack) -> Tensor:
    """A tensor on the memory of a DLPack capsule, or of an object that offers one.

    Args:
        dlpack (Union[PyCapsule, object]): The capsule or object.

    Returns:
        Tensor that shares the memory.
    """
    return _c.from_dlpack(dlpack)
