# SPDX-License-Identifier: Apache-2.0
"""What stands in checkpoint files, read by a decoder that knows nothing but the tables of the format."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, save_checkpoint

VALUE, TAG, TENSOR, DIMS, TYPE, CONTENT = 1, 1, 2, 1, 2, 3
TYPES = {
    "Bool": np.bool_,
    **{f"{sign}Int{bits}": f"{sign.lower()}int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)},
    **{f"Float{bits}": f"float{bits}" for bits in (16, 32, 64)},
}


def number_at(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (content[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if content[at - 1] < 0x80:
            return value, at


def fields(content: bytes) -> list[tuple[int, int | bytes]]:
    """Numbers and values of all fields, in their order."""
    found, at = [], 0
    while at < len(content):
        tag, at = number_at(content, at)
        value, at = number_at(content, at)
        assert tag & 7 in (0, 2)
        if tag & 7 == 2:
            assert at + value <= len(content)
            value, at = content[at : at + value], at + value
        found.append((tag >> 3, value))
    return found


def records(content: bytes) -> list[tuple[str, str, list[int], bytes]]:
    """Name, type, axes and content of every record; the fields must stand as the format says."""
    found = []
    for number, value in fields(content):
        assert number == VALUE
        (tag, name), (kind, tensor) = fields(value)
        assert (tag, kind) == (TAG, TENSOR)
        *dims, (type_field, type_name), (content_field, data) = fields(tensor)
        assert (type_field, content_field) == (TYPE, CONTENT)
        assert all(field == DIMS for field, _ in dims)
        found.append((name.decode(), type_name.decode(), [size for _, size in dims], data))
    return found


@pytest.mark.parametrize("crc_check", [False, True])
def test_every_record(tmp_path, crc_check):
    path = tmp_path / "net.ckpt"
    values = np.arange(-3, 9).reshape(3, 4) * 1.5
    arrays = {name: values.astype(kind) for name, kind in TYPES.items()}
    arrays |= {"ü.名": np.float32(2.5), "none": np.zeros((0, 3), np.int16), "one": np.ones((1,), np.int64)}
    entries = [{"name": name, "data": Tensor(array)} for name, array in arrays.items()]
    entries.append({"name": "half", "data": Tensor([1.0, -2.0], ms.bfloat16)})
    append = {"epoch_num": 3, "rate": 0.5, "flag": True, "note": "grün \U0001f600", "": ""}
    save_checkpoint(entries, str(path), append_dict=append, crc_check=crc_check)
    content = path.read_bytes()
    if crc_check:
        content, mark, stated = content[:-17], content[-17:-10], content[-10:]
        assert mark == b"crc_num" and int.from_bytes(stated, "big") == zlib.crc32(content)
    found = records(content)
    assert [record[0] for record in found] == [*arrays, "half", *append]
    for (name, kind, dims, data), array in zip(found, arrays.values(), strict=False):
        assert np.dtype(TYPES[kind]) == array.dtype and dims == list(array.shape), name
        assert data == array.tobytes(), name
    assert [record[1:] for record in found[len(arrays) :]] == [
        ("BFloat16", [2], bytes.fromhex("803f00c0")),
        ("Int64", [], (3).to_bytes(8, "little")),
        ("Float32", [], np.float32(0.5).tobytes()),
        ("Bool", [], b"\1"),
        ("str", [0], append["note"].encode("utf-32-le")),
        ("str", [0], bytes(4)),
    ]


def test_a_list_of_nothing_is_a_file_of_nothing(tmp_path):
    save_checkpoint([], str(tmp_path / "net.ckpt"))
    assert Path(tmp_path / "net.ckpt").read_bytes() == b""
