# SPDX-License-Identifier: Apache-2.0
"""Writes the smallest files of the formats that sources read."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import numpy as np
from PIL import Image

_POLYNOMIAL = 0x82F63B78


def crc32c(data: bytes) -> int:
    """CRC-32C, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (_POLYNOMIAL if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data: bytes) -> bytes:
    """The checksum as a TFRecord file holds it."""
    crc = crc32c(data)
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def tf_record(data: bytes) -> bytes:
    """One record."""
    length = struct.pack("<Q", len(data))
    return length + masked(length) + data + masked(data)


def varint(value: int) -> bytes:
    """A number of the wire format."""
    value &= 2**64 - 1
    out = b""
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number: int, content: bytes) -> bytes:
    """A field that holds bytes."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def tf_example(**features: list) -> bytes:
    """A tf.Example of lists of int, float or bytes."""
    entries = b""
    for name, values in features.items():
        if isinstance(values[0], bytes):
            feature = field(1, b"".join(field(1, value) for value in values))
        elif isinstance(values[0], float):
            feature = field(2, field(1, struct.pack(f"<{len(values)}f", *values)))
        else:
            feature = field(3, field(1, b"".join(varint(value) for value in values)))
        entries += field(1, field(1, name.encode()) + field(2, feature))
    return field(1, entries)


def idx(array: np.ndarray) -> bytes:
    """An IDX file of bytes or 32-bit numbers."""
    code = {1: 0x08, 4: 0x0C}[array.itemsize]
    head = struct.pack(">HBB", 0, code, array.ndim) + struct.pack(f">{array.ndim}I", *array.shape)
    return head + array.astype(array.dtype.newbyteorder(">")).tobytes()


def jpeg(colour: tuple[int, int, int] = (200, 30, 40), size: tuple[int, int] = (8, 6)) -> bytes:
    """A picture of one colour; size is width and height."""
    out = io.BytesIO()
    Image.new("RGB", size, colour).save(out, "JPEG")
    return out.getvalue()


def wave(samples: np.ndarray, rate: int = 8000, tag: int = 1) -> bytes:
    """A WAV file of (time, channels) samples."""
    channels, width = samples.shape[1], samples.itemsize
    form = struct.pack("<HHIIHH", tag, channels, rate, rate * channels * width, channels * width, 8 * width)
    data = samples.tobytes()
    return (
        b"RIFF"
        + struct.pack("<I", 36 + len(data))
        + b"WAVEfmt "
        + struct.pack("<I", 16)
        + form
        + b"data"
        + struct.pack("<I", len(data))
        + data
    )


def write(path: Path, content: bytes | str) -> Path:
    """Writes a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def rows(dataset) -> list[dict]:
    """All rows of one epoch as arrays."""
    return list(dataset.create_dict_iterator(num_epochs=1, output_numpy=True))
