# SPDX-License-Identifier: Apache-2.0
"""Files as torch.save writes them, put together by hand: PyTorch is not needed to test that we read them."""

from __future__ import annotations

import io
import struct
import zipfile

import numpy as np

STORAGES = {
    "float32": "FloatStorage",
    "int64": "LongStorage",
    "float16": "HalfStorage",
    "bool": "BoolStorage",
}
MAGIC = 0x1950A86A20F9469CFC6C


def text(value: str) -> bytes:
    """A text as pickles hold it."""
    encoded = value.encode()
    return b"X" + struct.pack("<I", len(encoded)) + encoded


def integer(value: int) -> bytes:
    """A number of any size."""
    if -(2**31) <= value < 2**31:
        return b"J" + struct.pack("<i", value)
    size = value.bit_length() // 8 + 1
    return b"\x8a" + bytes([size]) + value.to_bytes(size, "little", signed=True)


def name(module: str, function: str) -> bytes:
    """A global."""
    return f"c{module}\n{function}\n".encode()


def row(*items: bytes) -> bytes:
    """A tuple."""
    return b"(" + b"".join(items) + b"t"


def call(function: bytes, *items: bytes) -> bytes:
    """A function called with arguments."""
    return function + row(*items) + b"R"


def ordered(pairs: dict[str, bytes]) -> bytes:
    """An OrderedDict, with an attribute as state dicts have it."""
    body = b"".join(text(key) + value for key, value in pairs.items())
    return (
        call(name("collections", "OrderedDict"))
        + b"("
        + body
        + b"u"
        + b"}"
        + text("_metadata")
        + b"}"
        + b"sb"
    )


def tensor(key: str, kind: str, shape, strides, offset: int = 0, count: int = 0, old: bool = False) -> bytes:
    """A tensor in a storage."""
    storage = [text("storage"), name("torch", STORAGES[kind]), text(key), text("cpu"), integer(count)]
    storage += [b"N"] if old else []
    sizes, steps = (row(*map(integer, values)) for values in (shape, strides))
    rebuild = name("torch._utils", "_rebuild_tensor_v2")
    return call(rebuild, row(*storage) + b"Q", integer(offset), sizes, steps, b"\x89", ordered({}))


def pickle(body: bytes) -> bytes:
    """A whole pickle."""
    return b"\x80\x02" + body + b"."


def archive(body: bytes, storages: dict[str, np.ndarray], packed: bool = False) -> bytes:
    """The layout of later versions."""
    out = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
    with zipfile.ZipFile(out, "w", method) as file:
        file.writestr("net/data.pkl", pickle(body))
        for key, array in storages.items():
            file.writestr(f"net/data/{key}", array.tobytes())
        file.writestr("net/version", "3\n")
    return out.getvalue()


def sequence(body: bytes, storages: dict[str, np.ndarray]) -> bytes:
    """The layout of earlier versions."""
    parts = [pickle(integer(MAGIC)), pickle(integer(1001)), pickle(b"}"), pickle(body)]
    parts.append(pickle(b"](" + b"".join(map(text, storages)) + b"e"))
    parts += [struct.pack("<q", array.size) + array.tobytes() for array in storages.values()]
    return b"".join(parts)
