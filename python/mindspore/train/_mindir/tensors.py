# SPDX-License-Identifier: Apache-2.0
"""Tensors of MindIR files: in the message itself or in a file beside it."""

from __future__ import annotations

import math
import os
import sys

import numpy as np

from mindspore import _c_expression as _c
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.train._mindir.errors import refuse
from mindspore.train._mindir.type_numbers import DATA_TYPES

_NOT_COMPRESSED = 0
_FRONT_BYTES = 64  # of a data file; the first one tells the byte order


def dtype_of(number: int):
    """The type of a DataType number."""
    if number not in DATA_TYPES:
        refuse(f"The data type {number} is not supported.")
    return DATA_TYPES[number][0]


def shape_of(message: dict, what: str) -> tuple[int, ...]:
    """The shape of a tensor that has data."""
    dims = tuple(message.get("dims", ()))
    if any(dim < 0 for dim in dims):
        refuse(f"The shape of {what} is {list(dims)}, which has negative lengths.")
    return dims


class TensorReader:
    """Makes tensors from messages.

    Args:
        folder (str): Folder of the MindIR file; data files must lie in it.
        decrypt (Callable): Plain bytes of an encrypted file's content; None if nothing is encrypted.
    """

    def __init__(self, folder: str, decrypt=None):
        self._folder = os.path.realpath(folder)
        self._decrypt = decrypt
        self._plain: dict[str, bytes] = {}  # decrypted data files

    def tensor(self, message: dict, what: str) -> Tensor:
        """The tensor of a TensorProto.

        Args:
            message (dict): The message.
            what (str): What it is, for errors.
        """
        dims = shape_of(message, what)
        number = message.get("data_type", 0)
        dtype, element = DATA_TYPES.get(number, (None, None))
        if element is None:
            refuse(f"The data type {number} of {what} is not supported.")
        if message.get("compression_type", _NOT_COMPRESSED) != _NOT_COMPRESSED:
            refuse(f"The data of {what} is compressed, which is not supported.")
        size = math.prod(dims) * np.dtype(element).itemsize
        content = self._content(message, size, what)
        if len(content) != size:
            refuse(f"The data of {what} should have {size} bytes, but has {len(content)}.")
        array = np.frombuffer(content, element).reshape(dims)
        if element is np.bool_:
            array = array.view(np.uint8) != 0
        tensor = _c.copy_numpy(array)
        return _c.reinterpret(tensor, mstype.bfloat16) if dtype is mstype.bfloat16 else tensor

    def _content(self, message: dict, size: int, what: str):
        if "raw_data" in message:
            return message["raw_data"]
        if "external_data" not in message:
            if size:
                refuse(f"The data of {what} is missing.")
            return b""
        place = message["external_data"]
        location, offset = place.get("location", ""), place.get("offset", 0)
        length = place.get("length", size)
        if length != size or offset < 0:
            refuse(
                f"The data of {what} is said to be {length} bytes at {offset}, but should be {size} bytes."
            )
        path = self._checked_path(location, what)
        if self._decrypt is None:
            return _read_part(path, offset, size, what)
        if path not in self._plain:
            self._plain[path] = self._decrypt(_read_whole(path))
        _check_front(self._plain[path][:_FRONT_BYTES], path)
        return memoryview(self._plain[path])[offset : offset + size]

    def _checked_path(self, location: str, what: str) -> str:
        """The file of that name, which must lie in the folder of the MindIR file."""
        if not location or "\0" in location or os.path.isabs(location):
            refuse(f"The file name '{location!r}' of the data of {what} is not allowed.")
        path = os.path.realpath(os.path.join(self._folder, location))
        if os.path.commonpath((path, self._folder)) != self._folder:
            refuse(f"The data of {what} is in '{location}', outside the folder of the MindIR file.")
        if not os.path.isfile(path):
            refuse(f"The data file '{location}' of {what} does not exist.")
        return path

    def forget_files(self) -> None:
        """Lets go of the content of data files."""
        self._plain.clear()


def _read_whole(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as failure:
        refuse(f"The data file '{path}' cannot be read: {failure.strerror}.")


def _read_part(path: str, offset: int, size: int, what: str) -> bytes:
    try:
        with open(path, "rb") as file:
            _check_front(file.read(_FRONT_BYTES), path)
            if offset + size > os.fstat(file.fileno()).st_size:
                refuse(f"The data file '{path}' ends before the data of {what}.")
            file.seek(offset)
            return file.read(size)
    except OSError as failure:
        refuse(f"The data file '{path}' cannot be read: {failure.strerror}.")


def _check_front(front: bytes, path: str) -> None:
    if len(front) < _FRONT_BYTES:
        refuse(f"The data file '{path}' is too short.")
    if bool(front[0]) != (sys.byteorder == "little"):
        refuse(f"The data file '{path}' has another byte order than this machine.")
