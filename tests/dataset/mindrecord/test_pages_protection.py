# SPDX-License-Identifier: Apache-2.0
"""MindPage, encryption, hash check, errors."""

import json
import os
import pickle

import pytest

from mindspore import mindrecord
from mindspore.mindrecord import FileReader, FileWriter, MindPage, MRMDefineCategoryError, ParamTypeError

KEY = "0123456789abcdef"


@pytest.fixture(autouse=True)
def plain_settings():
    yield
    mindrecord.set_enc_key(None)
    mindrecord.set_enc_mode()
    mindrecord.set_dec_mode(None)
    mindrecord.set_hash_mode(None)


def write(path, shards=1):
    writer = FileWriter(str(path), shards)
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema({"label": {"type": "int64"}, "name": {"type": "string"}, "x": {"type": "float64"}})
    writer.write_raw_data([{"label": i % 12, "name": f"n{i}", "x": i / 2} for i in range(30)])
    writer.commit()


def names(path):
    return [row["name"] for row in FileReader(str(path)).get_next()]


def test_rows_by_value(tmp_path):
    write(tmp_path / "a", 3)
    page = MindPage(str(tmp_path / "a1"))
    assert page.candidate_fields == ["label", "name", "x"]
    with pytest.raises(MRMDefineCategoryError):
        page.read_category_info()
    with pytest.raises(ParamTypeError):
        page.category_field = 3
    with pytest.raises(MRMDefineCategoryError):
        page.category_field = "nothing"
    page.category_field = "label"
    told = json.loads(page.read_category_info())
    assert told["key"] == "label_0"
    assert [entry["name"] for entry in told["categories"]] == sorted(str(i) for i in range(12))
    assert told["categories"][2] == {"count": 2, "id": 2, "name": "10"}
    assert [row["name"] for row in page.read_at_page_by_id(2, 0, 5)] == ["n10", "n22"]
    assert [row["name"] for row in page.read_at_page_by_name("3", 1, 2)] == ["n27"]
    with pytest.raises(RuntimeError, match=r"category_id: 12 must be in the range \[0, 12\]"):
        page.read_at_page_by_id(12, 0, 1)
    with pytest.raises(RuntimeError, match="category_name: 99 could not found"):
        page.read_at_page_by_name("99", 0, 1)
    with pytest.raises(RuntimeError, match="page: 7"):
        page.read_at_page_by_id(0, 7, 5)
    for wrong in (("0", 0, 1), (0, "0", 1), (0, 0, 0), (-1, 0, 1)):
        with pytest.raises(mindrecord.ParamValueError):
            page.read_at_page_by_id(*wrong)
    page.category_field = "x"
    assert [row["name"] for row in page.read_at_page_by_name("3.0", 0, 9)] == ["n6"]


@pytest.mark.parametrize("mode", ["AES-GCM", "AES-CBC", "SM4-CBC"])
@pytest.mark.parametrize("hashed", [None, "sha256", "sha3_512"])
def test_protected_files(tmp_path, mode, hashed):
    mindrecord.set_enc_key(KEY)
    mindrecord.set_enc_mode(mode)
    mindrecord.set_hash_mode(hashed)
    write(tmp_path / "a")
    for name in ("a", "a.db"):
        content = (tmp_path / name).read_bytes()
        assert content.endswith(mode.encode() + b"ENCRYPT")
        assert b"label" not in content
    assert names(tmp_path / "a") == [f"n{i}" for i in range(30)]
    more = FileWriter.open_for_append(str(tmp_path / "a"))
    more.write_raw_data([{"label": 1, "name": "last", "x": 0.5}])
    more.commit()
    assert names(tmp_path / "a")[-1] == "last"
    assert sorted(os.listdir(tmp_path)) == ["a", "a.db"]
    mindrecord.set_enc_key("0123456789abcdeX")
    with pytest.raises(RuntimeError, match="Failed to decrypt data, please check if enc_key"):
        FileReader(str(tmp_path / "a"))
    mindrecord.set_enc_key(None)
    with pytest.raises(RuntimeError, match="The mindrecord file is encrypted. You need to configure"):
        FileReader(str(tmp_path / "a"))


@pytest.mark.parametrize("hashed", [None, "sha256"])
@pytest.mark.parametrize("mode", ["AES-CBC", "SM4-CBC"])
def test_a_wrong_key_is_named_even_when_its_padding_fits(tmp_path, unnoticed_key, mode, hashed):
    mindrecord.set_enc_key(KEY)
    mindrecord.set_enc_mode(mode)
    mindrecord.set_hash_mode(hashed)
    write(tmp_path / "a")
    content = (tmp_path / "a").read_bytes()
    first_piece = content[4 : 4 + int.from_bytes(content[:4], "big")]
    mindrecord.set_enc_key(unnoticed_key(first_piece, mode).decode())
    with pytest.raises(RuntimeError, match="Failed to decrypt data, please check if enc_key"):
        FileReader(str(tmp_path / "a"))


def test_hash_finds_a_changed_byte(tmp_path):
    mindrecord.set_hash_mode("sha384")
    write(tmp_path / "a")
    content = bytearray((tmp_path / "a").read_bytes())
    content[-100] ^= 1
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(RuntimeError, match=" hash check fail. "):
        FileReader(str(tmp_path / "a"))
    mindrecord.set_hash_mode(None)
    with pytest.raises(RuntimeError, match="The mindrecord file is hashed. You need to configure"):
        FileReader(str(tmp_path / "a"))
    write(tmp_path / "b")
    mindrecord.set_hash_mode("sha384")
    with pytest.raises(RuntimeError, match="The mindrecord file is not hashed. You can set"):
        FileReader(str(tmp_path / "b"))
    mindrecord.set_hash_mode(None)
    mindrecord.set_enc_key(KEY)
    with pytest.raises(RuntimeError, match="The mindrecord file is not encrypted. You can set"):
        FileReader(str(tmp_path / "b"))
    with pytest.raises(RuntimeError, match="automatic sharding function is unavailable"):
        FileWriter(str(tmp_path / "c"), 2)


def turn(source, size, target, key):
    """A cipher good enough for a test: every byte is turned by the key's first."""
    content = source.read()[:size]
    if content.endswith(b"UDF-ENCENCRYPT"):
        content = content[:-18]
    target.write(bytes(byte ^ ord(key[0]) for byte in content))


@pytest.mark.parametrize("cipher", [None, "AES-GCM", turn])
def test_functions_of_users(tmp_path, cipher):
    def fold(data, previous):
        return (sum(data) + int.from_bytes(previous or b"\0", "big")).to_bytes(8, "big")

    mindrecord.set_hash_mode(fold)
    if cipher is not None:
        mindrecord.set_enc_key(KEY)
        mindrecord.set_enc_mode(cipher)
        mindrecord.set_dec_mode(cipher)
    path = tmp_path / "a"
    writer = FileWriter(str(path))
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema({"x": {"type": "int32"}})
    writer.write_raw_data([{"x": i} for i in range(9)])
    writer.commit()
    assert [row["x"] for row in FileReader(str(path)).get_next()] == list(range(9))
    more = FileWriter.open_for_append(str(path))
    more.write_raw_data([{"x": 9}])
    more.commit()
    assert [row["x"] for row in FileReader(str(path)).get_next()] == list(range(10))
    assert sorted(os.listdir(tmp_path)) == ["a", "a.db"]
    if cipher is turn:
        mindrecord.set_dec_mode(None)
        with pytest.raises(RuntimeError, match="(?i)both"):
            FileReader(str(path))


def test_settings_are_checked():
    for wrong in (b"0" * 16, "short", 5):
        with pytest.raises(ValueError):
            mindrecord.set_enc_key(wrong)
    for function in (mindrecord.set_enc_mode, mindrecord.set_dec_mode):
        with pytest.raises(ValueError):
            function("ROT13")
    with pytest.raises(ValueError):
        mindrecord.set_enc_mode(None)
    with pytest.raises(ValueError):
        mindrecord.set_hash_mode("md5")


def test_errors_tell_name_and_number():
    error = mindrecord.ParamValueError("too small")
    assert str(error) == "[ParamValueError]: Invalid parameter value. too small"
    assert error.error_code == (1 << 30) | (1 << 28) | (42 << 17) | (1 << 12) | 2
    assert str(mindrecord.MRMCommitError()) == "[MRMCommitError]: Failed to commit."
    assert mindrecord.MRMInvalidSchemaError("x").error_code & 0xFFF == 200
    assert isinstance(error, mindrecord.MindRecordException)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is mindrecord.ParamValueError
    assert str(again) == str(error)
    with pytest.raises(TypeError):
        mindrecord.ParamTypeError("one")
