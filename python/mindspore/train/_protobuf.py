# SPDX-License-Identifier: Apache-2.0
"""The encoding of Protocol Buffers, for the few small messages that Python writes and reads itself.

A message is bytes; functions give the bytes of one field, and a message is their concatenation.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator


def varint(value: int) -> bytes:
    """A number as the encoding stores it; a negative one as 64 bits."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def integer(field: int, value: int) -> bytes:
    """A field with a whole number, a truth value or an enumerator."""
    return varint(field << 3) + varint(int(value))


def double(field: int, value: float) -> bytes:
    """A field of 64 bits."""
    return varint(field << 3 | 1) + struct.pack("<d", value)


def real(field: int, value: float) -> bytes:
    """A field of 32 bits."""
    return varint(field << 3 | 5) + struct.pack("<f", value)


def block(field: int, content: bytes | str) -> bytes:
    """A field with text, bytes or a message."""
    if isinstance(content, str):
        content = content.encode("utf-8", "surrogateescape")
    return varint(field << 3 | 2) + varint(len(content)) + content


def mapping(field: int, entries: Iterable[tuple[str, bytes]]) -> bytes:
    """A map from text; the values are given as fields with the number 2."""
    return b"".join(block(field, block(1, key) + value) for key, value in entries)


def fields_of(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Number and content of each field: an int, or bytes.

    Raises:
        ValueError: The bytes are not a message.
    """
    at = 0
    while at < len(message):
        tag, at = _number_at(message, at)
        kind = tag & 7
        if kind == 0:
            value, at = _number_at(message, at)
        elif kind in (1, 2, 5):
            length, at = _number_at(message, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
            if length > len(message) - at:
                raise ValueError(f"a length of {length} bytes goes past the end of the message")
            value, at = message[at : at + length], at + length
        else:
            raise ValueError(f"a field is of the unknown kind {kind}")
        yield tag >> 3, value


def _number_at(message: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(message):
            break
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("a number does not end")
