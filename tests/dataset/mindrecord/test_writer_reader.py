# SPDX-License-Identifier: Apache-2.0
"""FileWriter and FileReader: what is written comes back, and what must not be written is refused."""

import json
import os
import sqlite3
import stat
import struct

import numpy as np
import pytest

from mindspore.mindrecord import (
    SUCCESS,
    FileReader,
    FileWriter,
    MRMAddSchemaError,
    MRMDefineIndexError,
    MRMGetMetaError,
    MRMInvalidSchemaError,
    ParamTypeError,
    ParamValueError,
)

SCHEMA = {
    "name": {"type": "string"},
    "label": {"type": "int32"},
    "big": {"type": "int64"},
    "score": {"type": "float32"},
    "exact": {"type": "float64"},
    "image": {"type": "bytes"},
    "thumb": {"type": "bytes"},
    "mask": {"type": "int64", "shape": [-1]},
    "box": {"type": "float32", "shape": [2, 2]},
}


def make_rows(count, image_bytes=20):
    return [
        {
            "name": f"né{i}",
            "label": i - 3,
            "big": i << 40,
            "score": i / 3,
            "exact": float(i),
            "image": bytes([i % 256]) * image_bytes,
            "thumb": b"" if i % 2 else b"\0x\0",
            "mask": np.arange(i, dtype=np.int64) * 1000 - 5,
            "box": np.full((2, 2), i, np.float32),
        }
        for i in range(count)
    ]


def write(path, rows, schema=SCHEMA, shards=1, index=None, overwrite=False, batches=1):
    writer = FileWriter(str(path), shards, overwrite)
    writer.add_schema(schema, "text")
    if index:
        writer.add_index(index)
    each = -(-len(rows) // batches)
    for begin in range(0, len(rows), max(each, 1)):
        assert writer.write_raw_data(rows[begin : begin + each]) == SUCCESS
    assert writer.commit() == SUCCESS


def read(path, **arguments):
    reader = FileReader(str(path) if not isinstance(path, list) else path, **arguments)
    rows = list(reader.get_next())
    assert len(rows) == reader.len()
    reader.close()
    return rows


def assert_same(got, expected):
    assert len(got) == len(expected)
    for one, other in zip(got, expected, strict=True):
        assert one.keys() == other.keys()
        for name, value in other.items():
            assert type(one[name]) is type(value), name
            if isinstance(value, np.ndarray):
                assert one[name].dtype == value.dtype
                assert one[name].shape == value.shape
                assert (one[name] == value).all()
            else:
                assert one[name] == value


def test_every_type_comes_back(tmp_path):
    rows = make_rows(12)
    write(tmp_path / "a.mindrecord", rows)
    assert_same(read(tmp_path / "a.mindrecord"), rows)
    assert FileReader(str(tmp_path / "a.mindrecord")).schema() == SCHEMA
    mode = stat.S_IMODE(os.stat(tmp_path / "a.mindrecord").st_mode)
    assert mode == 0o600


def test_chosen_columns(tmp_path):
    rows = make_rows(3)
    write(tmp_path / "a", rows)
    got = read(tmp_path / "a", columns=["mask", "label"])
    assert_same(got, [{"mask": row["mask"], "label": row["label"]} for row in rows])
    with pytest.raises(RuntimeError, match="column name: nothing can not found in schema"):
        FileReader(str(tmp_path / "a"), columns=["nothing"])
    with pytest.raises(ParamTypeError):
        FileReader(str(tmp_path / "a"), columns="label")


def test_shards_are_numbered_and_read_in_order(tmp_path):
    rows = make_rows(23)
    write(tmp_path / "s", rows, shards=11)
    names = [f"s{i:02}" for i in range(11)]
    assert sorted(os.listdir(tmp_path)) == sorted(names + [name + ".db" for name in names])
    assert_same(read(tmp_path / "s05"), rows)
    assert_same(read([str(tmp_path / "s00"), str(tmp_path / "s01")]), rows[:5])
    os.remove(tmp_path / "s07")
    with pytest.raises(RuntimeError, match="do not rename the mindrecord file"):
        FileReader(str(tmp_path / "s05"))


def test_layout_of_a_small_file(tmp_path):
    """Field by field, as other implementations read it."""
    writer = FileWriter(str(tmp_path / "a"))
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema(
        {"z": {"type": "int32"}, "b": {"type": "bytes"}, "v": {"type": "int32", "shape": [-1]}}, "d"
    )
    writer.write_raw_data([{"z": 200, "b": b"xy", "v": np.array([1, -300, 70000], np.int32)}])
    writer.commit()
    content = (tmp_path / "a").read_bytes()
    length = struct.unpack("<Q", content[:8])[0]
    text = content[8 : 8 + length].decode()
    header = json.loads(text)
    assert list(header) == [
        "header_size",
        "index_fields",
        "page",
        "page_size",
        "compression_size",
        "schema",
        "shard_addresses",
        "shard_id",
        "statistics",
        "version",
    ]
    assert text.replace(" ", "") == text
    assert header["version"] == "3.0"
    assert header["statistics"] is None
    assert header["index_fields"] == [{"index_field": "z", "schema_id": 0}]
    assert header["schema"][0]["blob_fields"] == ["b", "v"]
    blob, raw = header["page"]
    compressed = b"\0\0\0\3" + bytes([0b00011000]) + struct.pack("<bhi", 1, -300, 70000)
    fields = struct.pack(">Q", 2) + b"xy" + struct.pack(">Q", len(compressed)) + compressed
    assert content[1 << 14 :][: blob["page_size"]] == struct.pack("<Q", len(fields)) + fields
    packed = b"\x81\xa1z\xcc\xc8"
    assert content[(1 << 14) + (1 << 15) :] == struct.pack("<Q", len(packed)) + packed
    assert raw["row_group_ids"] == [{"id": 0, "offset": 0}]
    with sqlite3.connect(tmp_path / "a.db") as database:
        assert database.execute("SELECT * FROM SHARD_NAME").fetchall() == [("a",)]
        assert database.execute("SELECT * FROM INDEXES").fetchall() == [
            (0, 1, 0, 8 + len(packed), 0, 0, 0, 8 + len(fields), 0, 200)
        ]


def test_many_batches_over_many_pages(tmp_path):
    rows = make_rows(200, image_bytes=700)
    writer = FileWriter(str(tmp_path / "a"), 2)
    writer.set_header_size(1 << 15)
    writer.set_page_size(1 << 15)
    writer.add_schema(SCHEMA)
    for begin in range(0, 200, 10):
        writer.write_raw_data(rows[begin : begin + 10])
    writer.commit()
    expected = [row for begin in range(0, 200, 10) for row in rows[begin : begin + 5]]
    expected += [row for begin in range(0, 200, 10) for row in rows[begin + 5 : begin + 10]]
    assert_same(read(tmp_path / "a0"), expected)


def test_append_and_append_again(tmp_path):
    rows = make_rows(30)
    write(tmp_path / "a", rows[:10])
    for begin in (10, 20):
        writer = FileWriter.open_for_append(str(tmp_path / "a"))
        writer.write_raw_data(rows[begin : begin + 10])
        writer.commit()
    assert_same(read(tmp_path / "a"), rows)
    writer.write_raw_data(rows[:1])
    writer.commit()
    assert len(read(tmp_path / "a")) == 31
    with pytest.raises(RuntimeError, match="is not exists"):
        FileWriter.open_for_append(str(tmp_path / "missing"))


def test_parallel_writer_makes_sets_of_their_own(tmp_path):
    rows = make_rows(40)
    writer = FileWriter(str(tmp_path / "p"), 2)
    writer.add_schema(SCHEMA)
    for begin in range(0, 40, 10):
        writer.write_raw_data(rows[begin : begin + 10], True)
    with pytest.raises(RuntimeError, match="must be consistent"):
        writer.write_raw_data(rows)
    writer.commit()
    assert_same(read(tmp_path / "p0"), rows[:10] + rows[20:30])
    assert_same(read([str(tmp_path / "p0"), str(tmp_path / "p1")])[20:], rows[10:20] + rows[30:])


def test_existing_files_are_kept_unless_overwrite(tmp_path):
    rows = make_rows(4)
    write(tmp_path / "a", rows)
    with pytest.raises(RuntimeError, match="mindrecord files already exist"):
        write(tmp_path / "a", rows[:1])
    assert_same(read(tmp_path / "a"), rows)
    write(tmp_path / "a", rows[:1], overwrite=True)
    assert_same(read(tmp_path / "a"), rows[:1])
    (tmp_path / "b.db").write_bytes(b"")
    with pytest.raises(RuntimeError, match="mindrecord files already exist"):
        write(tmp_path / "b", rows)


def test_flushed_files_take_no_more_rows(tmp_path):
    writer = FileWriter(str(tmp_path / "a"))
    writer.add_schema({"x": {"type": "int32"}})
    writer.commit()
    assert read(tmp_path / "a") == []
    with pytest.raises(RuntimeError, match="Not allowed to call `write_raw_data` on flushed"):
        writer.write_raw_data([{"x": 1}])


@pytest.mark.parametrize(
    "array, words",
    [
        (np.zeros(6, np.float64), "float64"),
        (np.zeros(6, np.int32), "int32"),
        (np.zeros((3, 2), np.float32), r"\(3, 2\)"),
        (np.zeros(6, np.float32), r"\(6,?\)"),
        (np.zeros((2, 4), np.float32), r"\(2, 4\)"),
        (np.zeros((2, 3), ">f4"), ">f4"),
    ],
)
def test_array_that_disagrees_with_the_schema_is_an_error(tmp_path, array, words):
    writer = FileWriter(str(tmp_path / "a"))
    writer.add_schema({"v": {"type": "float32", "shape": [2, 3]}})
    good = np.ones((2, 3), np.float32)
    with pytest.raises(RuntimeError, match=f"Row 1: field 'v' is float32 with shape .2, 3.*{words}"):
        writer.write_raw_data([{"v": good}, {"v": array}])
    writer.write_raw_data([{"v": good}, {"v": good[None]}, {"v": np.asfortranarray(good)}])
    writer.commit()
    assert_same(read(tmp_path / "a"), [{"v": good}] * 3)


def test_flat_numbers_fit_an_open_length(tmp_path):
    schema = {"v": {"type": "int64", "shape": [2, -1]}, "w": {"type": "int64", "shape": [-1]}}
    write(tmp_path / "a", [{"v": np.arange(6), "w": np.arange(3)[None]}], schema)
    assert_same(read(tmp_path / "a"), [{"v": np.arange(6).reshape(2, 3), "w": np.arange(3)}])
    writer = FileWriter(str(tmp_path / "b"))
    writer.add_schema(schema)
    with pytest.raises(RuntimeError, match="There is no valid data which can be written"):
        writer.write_raw_data([{"v": np.zeros((3, 2), np.int64), "w": np.arange(3)}])


@pytest.mark.parametrize("shape", [(6,), (2, 3), (3, 1, 2), (1, 6), (0, 4), (2, 0, 3)])
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_an_open_list_takes_arrays_of_any_rank_and_keeps_them_flat(tmp_path, shape, dtype):
    array = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    write(
        tmp_path / "a", [{"v": array}, {"v": np.asfortranarray(array)}], {"v": {"type": dtype, "shape": [-1]}}
    )
    assert_same(read(tmp_path / "a"), [{"v": array.reshape(-1)}] * 2)


@pytest.mark.parametrize(
    "change",
    [
        {"label": 1 << 31},
        {"label": True},
        {"label": 1.0},
        {"label": np.int64(1)},
        {"score": 1},
        {"name": b"x"},
        {"image": "x"},
        {"mask": [1, 2]},
        {"big": 1 << 63},
        {"name": "\ud800"},
    ],
)
def test_rows_of_other_types_are_left_out(tmp_path, change):
    rows = make_rows(3)
    before = dict(rows[1] | change)
    writer = FileWriter(str(tmp_path / "a"))
    writer.add_schema(SCHEMA)
    given = [rows[0], before, rows[2]]
    writer.write_raw_data(given)
    assert given[1] is before
    with pytest.raises(RuntimeError, match="There is no valid data which can be written by 'write_raw_data'"):
        writer.write_raw_data([before])
    writer.commit()
    assert_same(read(tmp_path / "a"), [rows[0], rows[2]])


def test_numpy_scalars_and_further_keys(tmp_path):
    schema = {"a": {"type": "int32"}, "b": {"type": "float32"}, "c": {"type": "float64"}}
    row = {"a": np.int32(-5), "b": np.float32(0.1), "c": np.float64(0.1), "more": object()}
    write(tmp_path / "a", [row], schema)
    assert_same(read(tmp_path / "a"), [{"a": -5, "b": float(np.float32(0.1)), "c": 0.1}])


def test_special_numbers(tmp_path):
    values = [float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 3.0, 1e300, 5e-324, 1e-30]
    write(tmp_path / "a", [{"x": value} for value in values], {"x": {"type": "float64"}})
    got = [row["x"] for row in read(tmp_path / "a")]
    assert struct.pack("9d", *got) == struct.pack("9d", *values)


def test_empty_values_of_a_single_blob_field(tmp_path):
    rows = [{"x": b""}, {"x": b"1"}, {"x": b""}]
    write(tmp_path / "a", rows, {"x": {"type": "bytes"}})
    assert_same(read(tmp_path / "a"), rows)
    rows = [{"x": np.zeros(0, np.int32)}, {"x": np.arange(3, dtype=np.int32)}]
    write(tmp_path / "b", rows, {"x": {"type": "int32", "shape": [-1]}})
    assert_same(read(tmp_path / "b"), rows)


def test_big_rows(tmp_path):
    rows = [{"x": b"1" * (40 << 20)}, {"x": b"2"}]
    write(tmp_path / "a", rows, {"x": {"type": "bytes"}})
    assert_same(read(tmp_path / "a"), rows)
    writer = FileWriter(str(tmp_path / "b"))
    writer.set_page_size(1 << 15)
    writer.add_schema({"x": {"type": "bytes"}})
    with pytest.raises(RuntimeError, match="Page size: 32768 is too small.*set_page_size"):
        writer.write_raw_data(rows)


@pytest.mark.parametrize(
    "schema",
    [
        {},
        [],
        {"x": {"type": "int8"}},
        {"x": {"type": "string", "shape": [1]}},
        {"x": {"type": "int32", "shape": [0]}},
        {"x": {"type": "int32", "shape": [-1, -1]}},
        {"x": {"type": "int32", "shape": 3}},
        {"x": {}},
        {"x y": {"type": "int32"}},
        {"x": {"type": "int32", "size": 3}},
        {"x": {"type": int}},
        {1: {"type": "int32"}},
    ],
)
def test_wrong_schemas(tmp_path, schema):
    with pytest.raises(MRMInvalidSchemaError, match="Schema format is error"):
        FileWriter(str(tmp_path / "a")).add_schema(schema)


def test_order_of_calls_and_arguments(tmp_path):
    path = str(tmp_path / "a")
    writer = FileWriter(path)
    with pytest.raises(MRMGetMetaError, match="Failed to get meta info"):
        writer.add_index(["x"])
    with pytest.raises(MRMGetMetaError):
        writer.commit()
    writer.add_schema({"x": {"type": "int32"}, "b": {"type": "bytes"}, "1x": {"type": "int32"}})
    with pytest.raises(MRMAddSchemaError):
        writer.add_schema({"x": {"type": "int32"}})
    with pytest.raises(MRMDefineIndexError):
        writer.add_index(["b"])
    for wrong in (["nothing"], ["x", "x"], ["1x"]):
        with pytest.raises(RuntimeError):
            writer.add_index(wrong)
    for wrong in ("x", [], [1]):
        with pytest.raises(ParamTypeError):
            writer.add_index(wrong)
    for wrong in ({}, [1], "x"):
        with pytest.raises(ParamTypeError):
            writer.write_raw_data(wrong)
    with pytest.raises(RuntimeError):
        writer.write_raw_data([])
    with pytest.raises(TypeError, match="The parameter `parallel_writer` must be bool."):
        writer.write_raw_data([{"x": 1}], 1)
    for size in (0, 1 << 13, (1 << 14) + 2, 1 << 28):
        with pytest.raises(RuntimeError, match="header size"):
            writer.set_header_size(size)
    with pytest.raises(RuntimeError, match="page size"):
        writer.set_page_size(1 << 14)
    for arguments in (
        (None,),
        ("",),
        ("a/",),
        ("a*",),
        (" a",),
        (path, None),
        (path, "2"),
        (path, 0),
        (path, 1001),
    ):
        with pytest.raises(ParamValueError):
            FileWriter(*arguments)
    with pytest.raises(ParamValueError, match="Parameter overwrite's type is not bool."):
        FileWriter(path, 1, 1)
    for consumers in (None, "4", 0, 129):
        with pytest.raises(ParamValueError):
            FileReader(path, consumers)
