# SPDX-License-Identifier: Apache-2.0
"""Safetensors files: bytes as the format says, and refusal of everything else."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest

import mindspore as ms
from mindspore import _c_expression as _c

ARRAYS = {
    "b": np.arange(6, dtype=np.float32).reshape(2, 3),
    "a": np.array(3, np.int64),
    "flag": np.array([True, False]),
    "half": np.array([1.5], np.float16),
    "none": np.zeros((0, 4), np.int8),
    "ü": np.array([1 + 2j], np.complex64),
}


def write(path, arrays=None, metadata=()):
    arrays = ARRAYS if arrays is None else arrays
    _c.write_safetensors(str(path), [(k, ms.Tensor(v)) for k, v in arrays.items()], list(metadata))


def read(path) -> dict:
    file = _c.SafetensorsFile(str(path))
    return {name: file.tensor(i).asnumpy() for i, name in enumerate(file.names())}


def parts(content: bytes) -> tuple[dict, bytes]:
    (length,) = struct.unpack("<Q", content[:8])
    return json.loads(content[8 : 8 + length]), content[8 + length :]


def joined(header, data: bytes) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def test_what_is_written_is_what_the_format_says(tmp_path):
    path = tmp_path / "w.safetensors"
    write(path, metadata=[("format", "ms")])
    header, data = parts(path.read_bytes())
    assert header.pop("__metadata__") == {"format": "ms"}
    assert list(header) == ["ü", "a", "b", "half", "none", "flag"]  # the widest first
    assert (len(path.read_bytes()) - len(data)) % 8 == 0
    for name, described in header.items():
        begin, end = described["data_offsets"]
        assert data[begin:end] == ARRAYS[name].tobytes()
        assert described["shape"] == list(ARRAYS[name].shape)


def test_everything_comes_back(tmp_path):
    path = tmp_path / "w.safetensors"
    write(path)
    found = read(path)
    assert sorted(found) == sorted(ARRAYS)
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype


def test_an_older_file_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "w.safetensors"
    write(path)
    write(path, {"x": np.ones(2, np.float32)})
    assert list(read(path)) == ["x"]
    assert [file.name for file in tmp_path.iterdir()] == ["w.safetensors"]


def test_floats_of_eight_bits_become_float32(tmp_path):
    path = tmp_path / "w.safetensors"
    header = {
        "x": {"dtype": "F8_E4M3", "shape": [4], "data_offsets": [0, 4]},
        "y": {"dtype": "F8_E5M2", "shape": [4], "data_offsets": [4, 8]},
    }
    path.write_bytes(joined(header, bytes([0x38, 0x01, 0xC0, 0x7F, 0x3C, 0x01, 0xC0, 0x7C])))
    found = read(path)
    np.testing.assert_array_equal(found["x"], np.float32([1, 2**-9, -2, np.nan]))
    np.testing.assert_array_equal(found["y"], np.float32([1, 2**-16, -2, np.inf]))


def test_a_type_the_format_lacks_is_refused(tmp_path):
    with pytest.raises(TypeError, match="Complex128"):
        write(tmp_path / "w.safetensors", {"x": np.ones(1, np.complex128)})
    assert list(tmp_path.iterdir()) == []


ONE = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
DAMAGED = {
    "empty": b"",
    "short": b"\x01",
    "long header": struct.pack("<Q", 2**63) + b"{}",
    "no JSON": joined(b"{", b""),
    "no object": joined(b"[]", b""),
    "deep": joined(b"[" * 10000, b""),
    "type": joined({"x": {**ONE, "dtype": "Q9"}}, bytes(8)),
    "shape": joined({"x": {**ONE, "shape": [3]}}, bytes(8)),
    "negative": joined({"x": {**ONE, "shape": [-2]}}, bytes(8)),
    "product": joined({"x": {**ONE, "shape": [2**40, 2**40]}}, bytes(8)),
    "cut": joined({"x": ONE}, bytes(7)),
    "more": joined({"x": ONE}, bytes(9)),
    "backwards": joined({"x": {**ONE, "data_offsets": [8, 0]}}, bytes(8)),
    "overlap": joined({"x": ONE, "y": ONE}, bytes(8)),
    "gap": joined({"x": {**ONE, "data_offsets": [8, 16]}}, bytes(16)),
    "twice": joined(
        b'{"x":' + json.dumps(ONE).encode() + b',"x":' + json.dumps(ONE).encode() + b"}", bytes(8)
    ),
    "metadata": joined({"__metadata__": {"a": 1}}, b""),
    "missing": joined({"x": {"dtype": "F32"}}, b""),
}


@pytest.mark.parametrize("case", sorted(DAMAGED))
def test_damaged_files_are_refused(tmp_path, case):
    path = tmp_path / "w.safetensors"
    path.write_bytes(DAMAGED[case])
    with pytest.raises(ValueError, match="is no safetensors file, or is damaged"):
        _c.SafetensorsFile(str(path))


def test_checksum_counts_names_and_contents(tmp_path):
    import zlib

    path = tmp_path / "w.safetensors"
    write(path, {"b": np.ones(2, np.float32), "a": np.zeros(1, np.uint8)})
    expected = zlib.crc32(b"a\0b" + np.ones(2, np.float32).tobytes())
    assert _c.SafetensorsFile(str(path)).checksum() == expected
