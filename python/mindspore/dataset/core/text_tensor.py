# SPDX-License-Identifier: Apache-2.0
"""Values of columns that are no numbers, as Python sees them."""

from __future__ import annotations

import linecache
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
        return leaves(value, _text_tensor)
    array = value if isinstance(value, np.ndarray) else np.asarray(value)
    if array.dtype.kind == "O":
        return value
    return TextTensor(array) if array.dtype.kind in "US" else Tensor(array)


def leaves(value: Any, leaf: Any) -> Any:
    """A dict as an iterator gives it: containers stay, what is in them becomes arrays or Tensors."""
    if isinstance(value, dict):
        return {key: leaves(item, leaf) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(leaves(item, leaf) for item in value)
    return leaf(value)


def _traceback(failure: BaseException) -> str:
    """The exception with its frames. Written out here: the library's own function parses source lines to
    underline parts of them, and parsing on two threads at once confuses the interpreter."""
    frames = []
    step = failure.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        line = linecache.getline(code.co_filename, step.tb_lineno, step.tb_frame.f_globals).strip()
        frames.append(f'  File "{code.co_filename}", line {step.tb_lineno}, in {code.co_name}\n')
        if line:
            frames.append(f"    {line}\n")
        step = step.tb_next
    name = type(failure).__name__
    notes = "".join(f"{note}\n" for note in getattr(failure, "__notes__", []))
    cause = "" if failure.__cause__ is None else _traceback(failure.__cause__) + "\n"
    return f"{cause}{name}: Traceback (most recent call last):\n{''.join(frames)}{name}: {failure}\n{notes}"


_probe = np.arange(6, dtype=np.float32).reshape(2, 3)
_c_data.set_helpers(_array, _texts, _text_array, _text_tensor, _traceback, _probe)
