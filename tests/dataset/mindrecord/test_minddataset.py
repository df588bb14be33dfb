# SPDX-License-Identifier: Apache-2.0
"""MindDataset: columns, orders, shards, padding."""

import os

import numpy as np
import pytest

import mindspore.dataset as ds
from mindspore.mindrecord import FileWriter, set_enc_key, set_enc_mode


@pytest.fixture(autouse=True)
def seed():
    before = ds.config.get_seed()
    ds.config.set_seed(1)
    yield
    ds.config.set_seed(before)


@pytest.fixture(name="file")
def ten_rows(tmp_path):
    return write(tmp_path / "a", 10)


def write(path, count, shards=1):
    writer = FileWriter(str(path), shards)
    writer.add_schema({"i": {"type": "int32"}, "c": {"type": "string"}, "b": {"type": "bytes"}})
    writer.write_raw_data([{"i": i, "c": "xyz"[i % 3], "b": bytes([i, 0])} for i in range(count)])
    writer.commit()
    return str(path)


def numbers(data, epochs=1):
    iterator = data.create_dict_iterator(num_epochs=epochs, output_numpy=True)
    passes = [[int(row["i"]) for row in iterator] for _ in range(epochs)]
    return passes if epochs > 1 else passes[0]


def test_columns_and_types(tmp_path):
    writer = FileWriter(str(tmp_path / "a"))
    fields = {
        "f": {"type": "float32"},
        "d": {"type": "float64"},
        "s": {"type": "string"},
        "b": {"type": "bytes"},
    }
    fields |= {
        "i": {"type": "int64"},
        "v": {"type": "int32", "shape": [-1]},
        "m": {"type": "float32", "shape": [2, 1]},
    }
    writer.add_schema(fields)
    v, m = np.array([1, -70000, 3], np.int32), np.ones((2, 1), np.float32)
    writer.write_raw_data([{"f": 0.1, "d": 0.1, "s": "é", "b": b"a\0b\0", "i": -5, "v": v, "m": m}])
    writer.commit()
    data = ds.MindDataset(str(tmp_path / "a"))
    assert data.get_col_names() == ["b", "d", "f", "i", "m", "s", "v"]
    row = next(data.create_dict_iterator(num_epochs=1, output_numpy=True))
    assert row["f"] == np.float32(0.1)
    assert row["f"].dtype == np.float32
    assert row["d"] == 0.1
    assert row["s"] == "é"
    assert row["i"].dtype == np.int64
    assert row["b"].shape == (1,)
    assert row["v"].dtype == np.int32
    assert (row["v"] == v).all()
    assert row["m"].shape == (2, 1)
    chosen = ds.MindDataset([str(tmp_path / "a")], ["v", "f"])
    assert chosen.get_col_names() == ["v", "f"]
    with pytest.raises(RuntimeError, match="column name: q can not found in schema"):
        ds.MindDataset(str(tmp_path / "a"), ["q"]).get_dataset_size()


def test_orders(file):
    assert numbers(ds.MindDataset(file), 3) == [
        [8, 0, 4, 7, 1, 9, 6, 5, 2, 3],
        [7, 1, 6, 3, 4, 2, 9, 8, 5, 0],
        [2, 0, 3, 7, 1, 9, 8, 4, 6, 5],
    ]
    assert numbers(ds.MindDataset(file, shuffle=False)) == list(range(10))
    shards = [numbers(ds.MindDataset(file, num_shards=3, shard_id=i)) for i in range(3)]
    assert shards == [[8, 7, 6, 3], [0, 1, 5, 8], [4, 9, 2, 0]]
    shards = [numbers(ds.MindDataset(file, num_shards=3, shard_id=i, shuffle=False)) for i in range(3)]
    assert shards == [[0, 3, 6, 9], [1, 4, 7, 0], [2, 5, 8, 1]]
    assert numbers(ds.MindDataset(file, num_samples=4, shuffle=False)) == [0, 1, 2, 3]
    assert len(numbers(ds.MindDataset(file, num_samples=6))) == 6
    assert numbers(ds.MindDataset(dataset_file=file, shuffle=False)) == list(range(10))


def test_orders_do_not_depend_on_workers(file):
    orders = [numbers(ds.MindDataset(file, num_parallel_workers=workers), 2) for workers in (1, 2, 4, 8)]
    assert all(order == orders[0] for order in orders)


def test_shuffled_files(tmp_path):
    write(tmp_path / "a", 10, 2)
    file = str(tmp_path / "a0")
    within = ds.MindDataset(file, shuffle=ds.Shuffle.INFILE)
    assert numbers(within) == [4, 3, 1, 0, 2, 9, 8, 6, 5, 7]
    files = numbers(ds.MindDataset(file, shuffle=ds.Shuffle.FILES), 3)
    assert [order[0] for order in files] == [5, 0, 5]
    assert numbers(ds.MindDataset([str(tmp_path / "a1")], shuffle=False)) == [5, 6, 7, 8, 9]
    for unit in (ds.Shuffle.FILES, ds.Shuffle.INFILE):
        with pytest.raises(ValueError, match="cannot be specified at the same time"):
            ds.MindDataset(file, shuffle=unit, num_samples=3)


def test_samplers(file):
    assert numbers(ds.MindDataset(file, sampler=ds.SubsetSampler([3, 1, 7]))) == [3, 1, 7]
    assert numbers(ds.MindDataset(file, sampler=ds.SequentialSampler(2, 3))) == [2, 3, 4]
    assert sorted(numbers(ds.MindDataset(file, sampler=ds.SubsetRandomSampler([3, 1, 7])))) == [1, 3, 7]
    by_class = ds.MindDataset(file, sampler=ds.PKSampler(2, class_column="c"))
    assert [number % 3 for number in numbers(by_class)] == [0, 0, 1, 1, 2, 2]
    assert by_class.get_dataset_size() == 6
    with pytest.raises(RuntimeError, match="index field"):
        numbers(ds.MindDataset(file, sampler=ds.PKSampler(2, class_column="b")))
    with pytest.raises(RuntimeError, match="out of bound"):
        numbers(ds.MindDataset(file, sampler=ds.SubsetSampler([10])))
    for wrong in (ds.WeightedRandomSampler([1.0] * 10), [1, 2], ds.IterSampler([1, 2])):
        with pytest.raises(ValueError, match="The sampler is not supported yet."):
            ds.MindDataset(file, sampler=wrong)


def test_padding(file):
    sample = {"i": -1, "b": b"pad"}

    def shard(number, **arguments):
        return ds.MindDataset(
            file,
            ["i", "b"],
            num_shards=3,
            shard_id=number,
            padded_sample=sample,
            num_padded=2,
            **arguments,
        )

    assert [numbers(shard(i, shuffle=False)) for i in range(3)] == [
        [0, 3, 6, 9],
        [1, 4, 7, -1],
        [2, 5, 8, -1],
    ]
    assert [numbers(shard(i)) for i in range(3)] == [[8, 7, 6, -1], [0, -1, 5, 1], [4, 9, 2, 3]]
    assert shard(0).get_dataset_size() == 4
    row = list(shard(1, shuffle=False).create_dict_iterator(num_epochs=1, output_numpy=True))[-1]
    assert row["i"].dtype == np.int32
    assert row["b"].tolist() == [b"pad"]


@pytest.mark.parametrize(
    "error, words, arguments",
    [
        (RuntimeError, "requires num_padded", {"padded_sample": {"i": 1}, "columns_list": ["i"]}),
        (RuntimeError, "requires columns_list", {"padded_sample": {"i": 1}, "num_padded": 1}),
        (RuntimeError, "padded_sample is not", {"num_padded": 1}),
        (ValueError, "num_padded=-1", {"padded_sample": {"i": 1}, "columns_list": ["i"], "num_padded": -1}),
        (
            ValueError,
            "cannot match",
            {"padded_sample": {"i": 1}, "columns_list": ["i", "c"], "num_padded": 1},
        ),
        (
            RuntimeError,
            "can not be divisible by the value of 'num_shards'",
            {
                "padded_sample": {"i": 1},
                "columns_list": ["i"],
                "num_padded": 1,
                "num_shards": 3,
                "shard_id": 0,
            },
        ),
        (RuntimeError, "requires shard_id", {"num_shards": 2}),
        (ValueError, "shard_id", {"num_shards": 2, "shard_id": 2}),
        (TypeError, "shuffle must be of boolean or enum", {"shuffle": "global"}),
        (RuntimeError, "sampler and shuffle", {"sampler": ds.RandomSampler(), "shuffle": True}),
    ],
)
def test_arguments_that_do_not_go_together(file, error, words, arguments):
    with pytest.raises(error, match=words):
        ds.MindDataset(file, **arguments).get_dataset_size()


def test_files_that_cannot_be_read(tmp_path, file):
    with pytest.raises(ValueError, match="does not exist or permission denied"):
        ds.MindDataset(str(tmp_path / "nothing"))
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(RuntimeError, match="Invalid file, the size of mindrecord file: "):
        ds.MindDataset(str(tmp_path / "empty"))
    os.remove(file + ".db")
    assert len(numbers(ds.MindDataset(file))) == 10


def test_encrypted_files(tmp_path):
    set_enc_key("0123456789abcdef")
    set_enc_mode("AES-CBC")
    try:
        file = write(tmp_path / "a", 10)
        data = ds.MindDataset(file, shuffle=False)
        assert numbers(data) == list(range(10))
    finally:
        set_enc_key(None)
        set_enc_mode()
    with pytest.raises(RuntimeError, match="is encrypted"):
        ds.MindDataset(file)


def test_bytes_of_several_columns_are_decoded(tmp_path):
    from mindspore import _c_data
    from mindspore.dataset import vision

    image = np.full((6, 5, 3), 100, np.uint8)
    coded = _c_data.encode_jpeg(image, 95).tobytes()
    writer = FileWriter(str(tmp_path / "a"))
    writer.add_schema({"x": {"type": "bytes"}, "y": {"type": "bytes"}})
    writer.write_raw_data([{"x": coded, "y": coded}] * 3)
    writer.commit()
    data = ds.MindDataset(str(tmp_path / "a"))
    for column in ("x", "y"):
        data = data.map(vision.Decode(), column)
    for row in data.batch(3).create_dict_iterator(num_epochs=1, output_numpy=True):
        assert row["x"].shape == row["y"].shape == (3, 6, 5, 3)
