# SPDX-License-Identifier: Apache-2.0
"""Writes weights as PyTorch reads them: an archive of a pickle that describes tensors, and their bytes."""

from __future__ import annotations

import struct
import sys
import zipfile

from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.train._export.atomic_file import atomic_file

_STORAGES = {
    mstype.float64: "DoubleStorage",
    mstype.float32: "FloatStorage",
    mstype.float16: "HalfStorage",
    mstype.bfloat16: "BFloat16Storage",
    mstype.int64: "LongStorage",
    mstype.int32: "IntStorage",
    mstype.int16: "ShortStorage",
    mstype.int8: "CharStorage",
    mstype.uint8: "ByteStorage",
    mstype.bool_: "BoolStorage",
    mstype.complex64: "ComplexFloatStorage",
    mstype.complex128: "ComplexDoubleStorage",
}


def write_torch(path: str, weights: dict[str, Tensor]) -> None:
    """Writes a ``state_dict``.

    Args:
        path (str): The file.
        weights (dict): Tensors by name.

    Raises:
        ValueError: PyTorch has no tensors of a type.
    """
    for name, value in weights.items():
        if value.dtype not in _STORAGES:
            raise ValueError(f"PyTorch has no tensors of the type {value.dtype}, which '{name}' has.")
    with atomic_file(path, 0o644) as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", _pickle(weights))
        archive.writestr("archive/byteorder", sys.byteorder)
        for number, value in enumerate(weights.values()):
            with archive.open(f"archive/data/{number}", "w", force_zip64=True) as entry:
                entry.write(value.get_bytes())
        archive.writestr("archive/version", "3\n")


# ---- the pickle: instructions of protocol 2 -------------------------------------------------------------


def _pickle(weights: dict[str, Tensor]) -> bytes:
    items = b"".join(_text(name) + _tensor(str(i), value) for i, (name, value) in enumerate(weights.items()))
    return b"\x80\x02" + _empty_dict() + b"(" + items + b"u."


def _tensor(key: str, value: Tensor) -> bytes:
    """A call that puts a tensor together from its storage, shape and strides."""
    strides = [1] * value.ndim
    for axis in range(value.ndim - 2, -1, -1):
        strides[axis] = strides[axis + 1] * max(1, value.shape[axis + 1])
    storage = [_text("storage"), _name("torch", _STORAGES[value.dtype]), _text(key), _text("cpu")]
    place = _tuple(*storage, _integer(value.size)) + b"Q"
    shape, steps = _tuple(*map(_integer, value.shape)), _tuple(*map(_integer, strides))
    return (
        _name("torch._utils", "_rebuild_tensor_v2")
        + _tuple(place, _integer(0), shape, steps, b"\x89", _empty_dict())
        + b"R"
    )


def _name(module: str, function: str) -> bytes:
    return f"c{module}\n{function}\n".encode()


def _empty_dict() -> bytes:
    return _name("collections", "OrderedDict") + b")R"


def _tuple(*items: bytes) -> bytes:
    return b"(" + b"".join(items) + b"t"


def _text(value: str) -> bytes:
    encoded = value.encode("utf-8", "surrogatepass")
    return b"X" + struct.pack("<I", len(encoded)) + encoded


def _integer(value: int) -> bytes:
    if value < 1 << 31:
        return b"J" + struct.pack("<i", value)
    size = value.bit_length() // 8 + 1
    return b"\x8a" + bytes([size]) + value.to_bytes(size, "little", signed=True)
