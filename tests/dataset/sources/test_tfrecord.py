# SPDX-License-Identifier: Apache-2.0
"""TFRecord files, schemas, and damage."""

from __future__ import annotations

import gzip
import zlib

import numpy as np
import pytest
from tiny_files import rows, tf_example, tf_record, write

import mindspore.dataset as ds
from mindspore import dtype as mstype


def sample(number: int) -> bytes:
    return tf_example(b=[b"ab", b"c"], f=[0.5, float(number)], i=[number, -number, 7, 8])


def write_file(folder, name="a.data", count=3, first=0):
    return str(write(folder / name, b"".join(tf_record(sample(first + i)) for i in range(count))))


def test_without_schema(tmp_path):
    data = ds.TFRecordDataset(write_file(tmp_path), shuffle=False)
    got = rows(data)
    assert list(got[0]) == ["b", "f", "i"] and len(got) == data.get_dataset_size() == 3
    assert bytes(got[0]["b"]) == b"abc "  # values are made equally long with blanks
    np.testing.assert_array_equal(got[2]["i"], [2, -2, 7, 8])
    assert [got[1][name].dtype for name in "bfi"] == [np.uint8, np.float32, np.int64]


def test_schema_types_and_shapes(tmp_path):
    schema = ds.Schema()
    schema.add_column("i", mstype.int16, [2, -1])
    schema.add_column("b", "string")
    schema.add_column("f", "float64", [2])
    got = rows(ds.TFRecordDataset(write_file(tmp_path), schema, shuffle=False))
    assert list(got[0]) == ["i", "b", "f"]
    np.testing.assert_array_equal(got[1]["i"], np.array([[1, -1], [7, 8]], np.int16))
    assert got[1]["i"].dtype == np.int16 and got[1]["f"].dtype == np.float64
    assert got[0]["b"].tolist() == ["ab", "c"]


def test_bytes_are_padded_to_the_schema(tmp_path):
    schema = ds.Schema()
    schema.add_column("b", "uint8", [-1, 4])
    (row, *_) = rows(ds.TFRecordDataset(write_file(tmp_path), schema, shuffle=False))
    assert row["b"].tolist() == [list(b"ab  "), list(b"c   ")]


def test_columns_list_and_num_rows(tmp_path):
    path = write_file(tmp_path)
    assert list(rows(ds.TFRecordDataset(path, columns_list=["i", "f"], shuffle=False))[0]) == ["i", "f"]
    schema = write(tmp_path / "s.json", '{"numRows": 2, "columns": {"i": {"type": "int32", "rank": 1}}}')
    data = ds.TFRecordDataset(path, str(schema), shuffle=False)
    assert data.get_dataset_size() == 2 and len(rows(data)) == 2
    with pytest.raises(RuntimeError, match="failed to find column name: z"):
        rows(ds.TFRecordDataset(path, columns_list=["z"], shuffle=False))


@pytest.mark.parametrize("kind, pack", [("GZIP", gzip.compress), ("ZLIB", zlib.compress), ("GZIP", bytes)])
def test_packed_files(tmp_path, kind, pack):
    content = b"".join(tf_record(sample(i)) for i in range(4))
    path = write(tmp_path / "a.packed", pack(content))
    data = ds.TFRecordDataset(str(path), shuffle=False, compression_type=kind)
    assert [int(r["i"][0]) for r in rows(data)] == [0, 1, 2, 3]


def test_packed_file_that_is_cut_off(tmp_path):
    content = gzip.compress(b"".join(tf_record(sample(i)) for i in range(4)))
    path = write(tmp_path / "a.gz", content[: len(content) // 2])
    with pytest.raises(RuntimeError, match="not valid TFRecordDataset files|end early"):
        rows(ds.TFRecordDataset(str(path), shuffle=False, compression_type="GZIP"))


@pytest.mark.parametrize(
    "schema, words",
    [
        (("i", "int64", [3]), "Column shape of i defined in schema does not match"),
        (("i", "string", None), "feature name: i does not match the predefined type in schema"),
        (("b", "int32", None), "feature name: b does not match the predefined type in schema"),
        (("i", "int64", [-1, -1]), "more than one unknown dimension"),
        (("z", "int64", None), "Feature name: z is required in schema"),
        (("b", "uint8", [-1, 1]), "Column shape of b defined in schema does not match"),
    ],
)
def test_schema_that_does_not_fit(tmp_path, schema, words):
    given = ds.Schema()
    given.add_column(*schema)
    with pytest.raises(RuntimeError, match=words):
        rows(ds.TFRecordDataset(write_file(tmp_path), given, shuffle=False))


def test_damage_is_told_with_its_place(tmp_path):
    good = tf_record(sample(1)) * 3
    size = len(good) // 3
    flipped = bytearray(good)
    flipped[size + 20] ^= 1
    with pytest.raises(RuntimeError, match=f"record at offset {size}: the checksum of the record"):
        rows(ds.TFRecordDataset(str(write(tmp_path / "a", bytes(flipped))), shuffle=False))
    with pytest.raises(RuntimeError, match=f"record at offset {2 * size}"):
        rows(ds.TFRecordDataset(str(write(tmp_path / "b", good[:-3])), shuffle=False))
    lying = bytearray(tf_record(sample(0))[:12])
    with pytest.raises(RuntimeError, match="cannot be opened, or are not valid TFRecordDataset files"):
        rows(ds.TFRecordDataset(str(write(tmp_path / "c", bytes(lying))), shuffle=False))


def test_record_that_is_no_example(tmp_path):
    path = write(tmp_path / "a", tf_record(sample(0)) + tf_record(b"\x0a\xff\xff\xff\xff\x0f"))
    with pytest.raises(RuntimeError, match="not a tf.Example"):
        rows(ds.TFRecordDataset(str(path), shuffle=False))


def test_random_bytes_never_crash(tmp_path):
    numbers = np.random.default_rng(0)
    for trial in range(60):
        data = bytearray(b"".join(tf_record(sample(i)) for i in range(3)))
        for place in numbers.integers(0, len(data), 1 + trial % 5):
            data[place] = numbers.integers(0, 256)
        path = write(tmp_path / f"f{trial}", bytes(data[: len(data) - trial % 7]))
        try:
            rows(ds.TFRecordDataset(str(path), shuffle=False))
        except RuntimeError as error:
            assert str(path) in str(error)


def test_arguments(tmp_path):
    with pytest.raises(ValueError, match="The following patterns did not match any files"):
        ds.TFRecordDataset(str(tmp_path / "none*"))
    path = write_file(tmp_path)
    with pytest.raises(ValueError, match="can only be either '' .no compression., 'ZLIB', or 'GZIP'"):
        ds.TFRecordDataset(path, compression_type="ZIP")
    with pytest.raises(ValueError, match="number of dataset files cannot be less than num_shards"):
        ds.TFRecordDataset(path, num_shards=2, shard_id=0, compression_type="GZIP")


def test_packed_shards_need_the_promised_rows(tmp_path):
    for name in ("a.gz", "b.gz"):
        write(tmp_path / name, gzip.compress(b"".join(tf_record(sample(i)) for i in range(4))))
    given = {"num_shards": 2, "shard_id": 1, "shuffle": False, "compression_type": "GZIP"}
    assert len(rows(ds.TFRecordDataset(str(tmp_path / "*.gz"), num_samples=3, **given))) == 3
    with pytest.raises(RuntimeError, match="does not meet minimum rows per shard requirement"):
        rows(ds.TFRecordDataset(str(tmp_path / "*.gz"), num_samples=5, **given))


def test_schema_object():
    schema = ds.Schema()
    schema.add_column("a", "uint8")
    schema.add_column("b", mstype.float32, [2, 3])
    other = ds.Schema()
    import json

    other.from_json(json.loads(schema.to_json()))
    assert other.columns == schema.columns
    assert ds.Schema.get_num_rows(schema) == 0
    with pytest.raises(TypeError, match="Unknown column type"):
        schema.add_column("c", "quaternion")
    with pytest.raises(TypeError, match="Expected non-empty string for column name"):
        schema.add_column("", "int8")
    with pytest.raises(RuntimeError, match="Column's name is missing"):
        schema.parse_columns([{"type": "int8"}])
    with pytest.raises(RuntimeError, match="Column's type is missing"):
        schema.parse_columns({"x": {}})
    with pytest.raises(RuntimeError, match='"columns" node is required'):
        schema.from_json({})
    with pytest.raises(TypeError, match="path: 1 is not string"):
        ds.Schema(1)


def test_broken_schema_file(tmp_path):
    with pytest.raises(RuntimeError, match="failed to load and parse JSON schema"):
        ds.Schema(str(write(tmp_path / "s.json", "{")))
    with pytest.raises(RuntimeError, match='"columns" field is missing'):
        ds.Schema(str(write(tmp_path / "s.json", "{}")))
