# SPDX-License-Identifier: Apache-2.0
"""Tensors as ONNX files store them: raw bytes, typed fields, or a part of another file."""

from __future__ import annotations

import math
import os

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.train._onnx.element_types import DTYPES

_MOST_AXES = 64
_FIELD_OF = {
    1: "float_data",
    7: "int64_data",
    11: "double_data",
    12: "uint64_data",
    13: "uint64_data",
    14: "float_data",
    15: "double_data",
}  # all other types lie in int32_data
_BITS_IN_INT32 = {10: np.uint16, 16: np.uint16}  # float16 and bfloat16 as their bits


class Known:
    """A value that the file gives, or that follows from shapes: an array, and a tensor on demand."""

    def __init__(self, array: np.ndarray, tensor: Tensor | None = None):
        self.array = np.asarray(array)
        self._tensor = tensor
        # NumPy has no bfloat16; its values stand in the array, but results would have another type.
        self.has_own_type = tensor is None or tensor.dtype != mstype.bfloat16

    @property
    def tensor(self) -> Tensor:
        """The value for operators."""
        return Tensor(self.array) if self._tensor is None else self._tensor


class TensorReader:
    """Reads the tensors of one model.

    Args:
        path (str): The model's file; tensors in other files must lie in its folder or below.
    """

    def __init__(self, path: str):
        self.name = f"The ONNX file '{path}'"
        self._folder = os.path.realpath(os.path.dirname(os.path.abspath(path)))

    def read(self, message: dict) -> Tensor:
        """The tensor of a message.

        Raises:
            ValueError: The message contradicts itself, or what it refers to is not there.
        """
        name = message.get("name", "")
        number = message.get("data_type", 0)
        if number not in DTYPES:
            raise self.error(
                f"tensor '{name}' has elements of type {number}, which is unknown or not supported"
            )
        shape = tuple(message.get("dims", []))
        if any(size < 0 for size in shape) or len(shape) > _MOST_AXES:
            raise self.error(f"tensor '{name}' has the impossible shape {shape[:_MOST_AXES]}")
        stored = np.uint16 if number == 16 else mstype.dtype_to_nptype(DTYPES[number])
        array = self._elements(message, name, number, np.dtype(stored), math.prod(shape)).reshape(shape)
        if number == 16:
            wide = (
                (array.astype(np.uint32) << 16).view(np.float32) if array.size else array.astype(np.float32)
            )
            return Tensor(wide).astype(mstype.bfloat16)
        return Tensor(np.ascontiguousarray(array).reshape(shape))

    def _elements(self, message: dict, name: str, number: int, dtype: np.dtype, count: int) -> np.ndarray:
        if message.get("data_location", 0) == 1:
            content = self._from_file(message, name, count * dtype.itemsize)
        elif "raw_data" in message:
            content = message["raw_data"]
        else:
            return self._from_field(message, name, number, dtype, count)
        if len(content) != count * dtype.itemsize:
            raise self.error(
                f"tensor '{name}' needs {count * dtype.itemsize} bytes by its shape, but has {len(content)}"
            )
        return np.frombuffer(bytes(content), dtype.newbyteorder("<")).astype(dtype, copy=False)

    def _from_field(self, message: dict, name: str, number: int, dtype: np.dtype, count: int) -> np.ndarray:
        values = message.get(_FIELD_OF.get(number, "int32_data"), [])
        parts = 2 if number in (14, 15) else 1
        if len(values) != count * parts:
            raise self.error(
                f"tensor '{name}' needs {count} elements by its shape, but has {len(values) // parts}"
            )
        if number in (14, 15):
            pairs = np.array(values, np.float64).reshape(-1, 2)
            return (pairs[:, 0] + 1j * pairs[:, 1]).astype(dtype)
        if number in _BITS_IN_INT32:
            bits = (np.array(values, np.int64) & 0xFFFF).astype(_BITS_IN_INT32[number])
            return bits.view(dtype)
        if number == 13:
            return np.array(values, np.int64).view(np.uint64)
        return np.array(values, np.float64 if dtype.kind == "f" else np.int64).astype(dtype)

    def _from_file(self, message: dict, name: str, needed: int) -> bytes:
        entries = {entry.get("key"): entry.get("value", "") for entry in message.get("external_data", [])}
        path = self._checked_path(entries.get("location", ""), name)
        try:
            offset = int(entries.get("offset") or 0)
            length = int(entries.get("length") or needed)
        except ValueError:
            raise self.error(f"the place of tensor '{name}' in its file is not a number") from None
        if length != needed:
            raise self.error(
                f"tensor '{name}' needs {needed} bytes by its shape, but its file gives it {length}"
            )
        if offset < 0 or offset + needed > os.path.getsize(path):
            raise self.error(f"tensor '{name}' reaches over the end of '{os.path.basename(path)}'")
        with open(path, "rb") as file:
            file.seek(offset)
            return file.read(needed)

    def _checked_path(self, location: str, name: str) -> str:
        """The file of a location; it may not leave the model's folder, also not by a link."""
        if not location or "\0" in location or os.path.isabs(location):
            raise self.error(f"the file {location!r} of tensor '{name}' is not beside the model")
        path = os.path.realpath(os.path.join(self._folder, location))
        if os.path.commonpath([path, self._folder]) != self._folder:
            raise self.error(f"the file '{location}' of tensor '{name}' lies outside the model's folder")
        if not os.path.isfile(path):
            raise self.error(f"the file '{location}' of tensor '{name}' does not exist")
        return path

    def error(self, what: str) -> ValueError:
        """An error that names the file."""
        return ValueError(f"{self.name} cannot be read: {what}.")
