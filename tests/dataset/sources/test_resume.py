# SPDX-License-Identifier: Apache-2.0
"""Reading of files goes on at a place, without the rows before it being made."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tiny_files import tf_example, tf_record

import mindspore.dataset as ds
from mindspore import mindrecord

ROWS = 40


@pytest.fixture(autouse=True)
def _seed():
    before = ds.config.get_seed()
    ds.config.set_seed(11)
    yield
    ds.config.set_seed(before)


def text(tmp_path, **options):
    for number in range(2):
        lines = [f"line {number * ROWS // 2 + i}\n" for i in range(ROWS // 2)]
        (tmp_path / f"text{number}").write_text("".join(lines))
    return ds.TextFileDataset([str(tmp_path / f"text{number}") for number in range(2)], **options)


def csv(tmp_path, **options):
    (tmp_path / "table.csv").write_text("".join(f'{i},"a\n{i}"\n' for i in range(ROWS)))
    return ds.CSVDataset(
        str(tmp_path / "table.csv"), column_defaults=[0, ""], column_names=["a", "b"], **options
    )


def clue(tmp_path, **options):
    lines = [json.dumps({"sentence1": f"{i}", "sentence2": "b", "label": "0"}) + "\n" for i in range(ROWS)]
    (tmp_path / "clue.json").write_text("".join(lines))
    return ds.CLUEDataset(str(tmp_path / "clue.json"), task="AFQMC", usage="train", **options)


def tfrecord(tmp_path, **options):
    (tmp_path / "data.tfrecord").write_bytes(b"".join(tf_record(tf_example(x=[i])) for i in range(ROWS)))
    return ds.TFRecordDataset(str(tmp_path / "data.tfrecord"), **options)


SOURCES = {"text": text, "csv": csv, "clue": clue, "tfrecord": tfrecord}


def values(iterator):
    return [[np.asarray(column).tolist() for column in row] for row in iterator]


@pytest.mark.parametrize("form", ["rows", "batches", "window", "shards", "limit", "map"])
@pytest.mark.parametrize("shuffle", [False, ds.Shuffle.FILES, ds.Shuffle.GLOBAL])
@pytest.mark.parametrize("kind", sorted(SOURCES))
def test_the_rest_is_the_same(tmp_path, kind, shuffle, form):
    def pipeline():
        options = {"shuffle": shuffle}
        if form == "shards":
            options |= {"num_shards": 2, "shard_id": 1}
            if kind == "tfrecord":
                options["shard_equal_rows"] = True
        if form == "limit":
            options["num_samples"] = 27
        data = SOURCES[kind](tmp_path, **options)
        if form == "window":
            data = data.shuffle(7)
        if form == "map":
            data = data.map(lambda x: x, num_parallel_workers=1)
        return data.batch(3) if form == "batches" else data

    size = pipeline().get_dataset_size()
    for epoch, row in [(0, 1), (0, size - 2), (1, 0), (1, size // 2), (2, size - 1)]:
        whole = pipeline().create_tuple_iterator(num_epochs=3, output_numpy=True)
        for _ in range(epoch):
            values(whole)
        for _ in range(row):
            next(whole)
        state = whole.state()
        rest = values(whole)
        resumed = ds.resume(pipeline(), state, num_epochs=3, output_numpy=True, as_dict=False)
        assert values(resumed) == rest, (epoch, row)


@pytest.mark.parametrize("shuffle", [False, ds.Shuffle.GLOBAL])
def test_rows_before_the_place_are_not_made(tmp_path, shuffle):
    """One of them could not be."""
    table = tmp_path / "table.csv"

    def pipeline():
        return ds.CSVDataset(str(table), column_defaults=[0], column_names=["a"], shuffle=shuffle)

    table.write_text("".join(f"{i}\n" for i in range(ROWS)))
    whole = pipeline().create_tuple_iterator(num_epochs=1, output_numpy=True)
    given = [int(next(whole)[0]) for _ in range(30)]
    state, rest = whole.state(), values(whole)
    table.write_text("".join("no number\n" if i == given[17] else f"{i}\n" for i in range(ROWS)))
    resumed = ds.resume(pipeline(), state, num_epochs=1, output_numpy=True, as_dict=False)
    assert values(resumed) == rest
    with pytest.raises(RuntimeError, match="reading a row failed"):
        values(pipeline().create_tuple_iterator(num_epochs=1, output_numpy=True))


def test_mindrecord_goes_on_without_its_rows_before(tmp_path):
    path = str(tmp_path / "data.mindrecord")
    writer = mindrecord.FileWriter(path)
    writer.add_schema({"a": {"type": "int32"}}, "numbers")
    writer.write_raw_data([{"a": i} for i in range(ROWS)])
    writer.commit()
    whole = ds.MindDataset(path, shuffle=True).create_tuple_iterator(num_epochs=1, output_numpy=True)
    for _ in range(25):
        next(whole)
    state, rest = whole.state(), values(whole)
    resumed = ds.resume(ds.MindDataset(path, shuffle=True), state, 1, True, as_dict=False)
    assert values(resumed) == rest
