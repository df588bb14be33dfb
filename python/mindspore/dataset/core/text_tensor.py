# SPDX-License-Identifier: Apache-2.0
"""Values of columns that are no numbers, as Python sees them."""

from __future__ import annotations

import traceback
from typing import Any

import numpy as np

from mindspore import _c_data
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor


class TextTensor(Tensor):
    """A Tensor of strings: it can be looked at and given to NumPy, nothing can be computed with it."""

    def __new__(cls, array: np.ndarray) -> TextTensor:
        return Tensor.__new__(cls)

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def asnumpy(self) -> np.ndarray:
        return self._array

    numpy = asnumpy

    @property
    def dtype(self) -> Any:
        return mstype.string

    @property
    def shape(self) -> tuple[int, ...]:
        return self._array.shape

    @property
    def ndim(self) -> int:
        return self._array.ndim

    @property
    def size(self) -> int:
        return self._array.size

    def tolist(self) -> Any:
        return self._array.tolist()

    def item(self, *index: Any) -> Any:
        return self._array.item(*index)

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, index: Any) -> Any:
        picked = self._array[index]
        return TextTensor(np.asarray(picked))

    def __eq__(self, other: Any) -> Any:
        return self._array == (other._array if isinstance(other, TextTensor) else other)

    def __ne__(self, other: Any) -> Any:
        return self._array != (other._array if isinstance(other, TextTensor) else other)

    __hash__ = None

    def __str__(self) -> str:
        return str(self._array)

    def __repr__(self) -> str:
        return f"Tensor(shape={list(self.shape)}, dtype=String, value= {self._array!r})"


def _array(value: Any) -> np.ndarray:
    """Whatever a user's function returned, as an array; what NumPy can only box is refused by the caller."""
    if isinstance(value, (list, tuple)):
        value = [item.asnumpy() if isinstance(item, Tensor) else item for item in value]
    try:
        return np.asarray(value)
    except ValueError:  # rows of unequal length
        return np.empty(0, dtype=object)


def _texts(array: np.ndarray) -> tuple[list, tuple[int, ...], bool]:
    return array.ravel().tolist(), array.shape, array.dtype.kind == "S"


def _text_array(values: list, shape: tuple[int, ...], is_bytes: bool) -> np.ndarray:
    if not values:
        return np.empty(shape, dtype="S1" if is_bytes else "U1")
    if is_bytes:  # the length is kept, also of what ends with zeros
        width = max(max(len(value) for value in values), 1)
        return np.array(values, dtype=f"S{width}").reshape(shape)
    return np.array(values).reshape(shape)


def _text_tensor(value: Any) -> Any:
    """Text as a Tensor; in a dict every array inside."""
    if isinstance(value, dict):
        return {key: _text_tensor(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return TextTensor(value) if value.dtype.kind in "US" else Tensor(value)
    return value


def _traceback(failure: BaseException) -> str:
    text = getattr(failure, "_worker_traceback", None)  # from a process where the user's frames are
    text = text or "".join(traceback.format_exception(type(failure), failure, failure.__traceback__))
    return f"{type(failure).__name__}: {text}"


_probe = np.arange(6, dtype=np.float32).reshape(2, 3)
_c_data.set_helpers(_array, _texts, _text_array, _text_tensor, _traceback, _probe)
