# SPDX-License-Identifier: Apache-2.0
"""The two parts of numbers in a tensor."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.ops._registry import op

__all__ = ["get_x_and_y", "to_2channel"]


def get_x_and_y(tensor: Tensor) -> tuple[Tensor, Tensor]:
    """Both parts of the numbers in a complex tensor, or in one whose first axis has two elements.

    Args:
        tensor (Tensor): The numbers.

    Returns:
        tuple of two tensors.

    Examples:
        >>> from mindspore import Tensor
        >>> from mindspore.hypercomplex.utils import get_x_and_y
        >>> [part.tolist() for part in get_x_and_y(Tensor([[1.0], [2.0]]))]
        [[1.0], [2.0]]
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"For 'get_x_and_y', the input must be a Tensor, but got {type(tensor).__name__}.")
    if tensor.dtype is mstype.complex64:
        return op.real(tensor), op.imag(tensor)
    if tensor.ndim == 0 or tensor.shape[0] != 2:
        raise ValueError(f"For 'get_x_and_y', the first length must be 2, but got shape {tensor.shape}.")
    return tensor[0], tensor[1]


def to_2channel(real: Tensor, imag: Tensor, dtype=None) -> Tensor:
    """Both parts in one tensor.

    Args:
        real (Tensor): The first part.
        imag (Tensor): The second part.
        dtype (:class:`mindspore.dtype`): complex64, or the type of both parts. Default: ``None``.

    Returns:
        Tensor, complex or with an axis of two elements in front.

    Raises:
        ValueError: `dtype` is another type than that of the parts.
    """
    if dtype is mstype.complex64:
        return op.complex(real, imag)
    if dtype is not None and (dtype != real.dtype or dtype != imag.dtype):
        raise ValueError(
            "dtype must match with data type of the input tensors, but got: "
            f"dtype={dtype}, real.dtype={real.dtype} and imag.dtype={imag.dtype}"
        )
    return op.stack((real, imag), 0)
