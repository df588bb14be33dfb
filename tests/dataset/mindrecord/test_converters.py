# SPDX-License-Identifier: Apache-2.0
"""Converters of known data sets, over tiny files in their formats."""

import gzip
import io
import os
import pickle
import struct
from types import SimpleNamespace

import numpy as np
import pytest

from mindspore.mindrecord import (
    SUCCESS,
    Cifar10ToMR,
    Cifar100ToMR,
    CsvToMR,
    FileReader,
    ImageNetToMR,
    MnistToMR,
    TFRecordToMR,
)


def rows(path):
    return list(FileReader(str(path)).get_next())


def picture(value):
    image = pytest.importorskip("PIL.Image")
    return np.asarray(image.open(io.BytesIO(value)))


def cifar_batch(path, count, labels):
    colours = np.repeat(np.arange(count * 3, dtype=np.uint8)[:, None] * 10, 1024, axis=1).reshape(count, 3072)
    with open(path, "wb") as file:
        pickle.dump({b"data": colours, **labels}, file, protocol=2)


def test_cifar10(tmp_path):
    for number in (1, 2):
        cifar_batch(tmp_path / f"data_batch_{number}", 2, {b"labels": [number, 7]})
    cifar_batch(tmp_path / "test_batch", 1, {b"labels": [3]})
    assert Cifar10ToMR(str(tmp_path), str(tmp_path / "out")).transform(["label"]) == SUCCESS
    got = rows(tmp_path / "out")
    assert [(row["id"], row["label"]) for row in got] == [(0, 1), (1, 7), (2, 2), (3, 7)]
    image = picture(got[1]["data"])
    assert image.shape == (32, 32, 3)
    assert abs(image.astype(int) - [30, 40, 50]).max() < 8
    assert [row["label"] for row in rows(tmp_path / "out_test")] == [3]


def test_cifar100(tmp_path):
    for name in ("train", "test"):
        cifar_batch(tmp_path / name, 3, {b"fine_labels": [5, 6, 7], b"coarse_labels": [1, 1, 2]})
    assert Cifar100ToMR(str(tmp_path), str(tmp_path / "out")).transform() == SUCCESS
    assert [(row["fine_label"], row["coarse_label"]) for row in rows(tmp_path / "out_test")] == [
        (5, 1),
        (6, 1),
        (7, 2),
    ]


def test_pickled_files_cannot_run_anything(tmp_path):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "sprung"),)

    for name in ("data_batch_1", "test_batch"):
        with open(tmp_path / name, "wb") as file:
            pickle.dump({b"data": Trap(), b"labels": []}, file)
    with pytest.raises(RuntimeError, match="has no place"):
        Cifar10ToMR(str(tmp_path), str(tmp_path / "out")).transform()
    assert not (tmp_path / "sprung").exists()


def test_mnist(tmp_path):
    for part, count in (("train", 4), ("t10k", 2)):
        pictures = np.full((count, 28, 28), 90, np.uint8)
        with gzip.open(tmp_path / f"{part}-images-idx3-ubyte.gz", "wb") as file:
            file.write(struct.pack(">IIII", 0x803, count, 28, 28) + pictures.tobytes())
        with gzip.open(tmp_path / f"{part}-labels-idx1-ubyte.gz", "wb") as file:
            file.write(struct.pack(">II", 0x801, count) + bytes(range(count)))
    assert MnistToMR(str(tmp_path), str(tmp_path / "m")).transform() == SUCCESS
    got = rows(tmp_path / "m_train.mindrecord")
    assert [row["label"] for row in got] == [0, 1, 2, 3]
    assert abs(picture(got[0]["data"]).astype(int) - 90).max() < 4
    assert len(rows(tmp_path / "m_test.mindrecord")) == 2
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / "train-images-idx3-ubyte").write_bytes(
        struct.pack(">IIII", 0x803, 5, 28, 28) + bytes(9)
    )
    with pytest.raises(RuntimeError, match="must hold 3920 bytes"):
        MnistToMR(str(tmp_path / "cut"), str(tmp_path / "n")).transform()


def test_imagenet(tmp_path):
    for folder, files in (("n1", ["b.jpg", "a.jpg"]), ("n2", ["c.jpg"])):
        (tmp_path / "images" / folder).mkdir(parents=True)
        for name in files:
            (tmp_path / "images" / folder / name).write_bytes(name.encode())
    (tmp_path / "map.txt").write_text("0 n1\n1 n2\n2 n3\n")
    converter = ImageNetToMR(str(tmp_path / "map.txt"), str(tmp_path / "images"), str(tmp_path / "out"), 2)
    assert converter.transform() == SUCCESS
    got = rows(tmp_path / "out0")
    assert [(row["label"], row["file_name"], row["image"]) for row in got] == [
        (0, "a.jpg", b"a.jpg"),
        (0, "b.jpg", b"b.jpg"),
        (1, "c.jpg", b"c.jpg"),
    ]


def test_csv(tmp_path):
    (tmp_path / "t.csv").write_text('name,age,size,ok\n"Ada, L",36,1.5,True\nBob,7,,False\n')
    assert CsvToMR(str(tmp_path / "t.csv"), str(tmp_path / "out")).transform() == SUCCESS
    first, second = rows(tmp_path / "out")
    assert first == {"name": "Ada, L", "age": 36, "size": 1.5, "ok": 1}
    assert second["size"] != second["size"]
    assert CsvToMR(str(tmp_path / "t.csv"), str(tmp_path / "two"), ["age"]).transform() == SUCCESS
    assert rows(tmp_path / "two") == [{"age": 36}, {"age": 7}]
    with pytest.raises(ValueError, match="column nothing does not exist"):
        CsvToMR(str(tmp_path / "t.csv"), str(tmp_path / "x"), ["nothing"]).transform()
    with pytest.raises(ValueError, match="must be list of str"):
        CsvToMR(str(tmp_path / "t.csv"), str(tmp_path / "x"), ["age", 2])


def varint(value):
    out = b""
    value &= (1 << 64) - 1
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def example(**features):
    entries = b""
    for name, value in features.items():
        if isinstance(value, bytes):
            feature = field(1, field(1, value))
        elif isinstance(value[0], float):
            feature = field(2, field(1, struct.pack(f"<{len(value)}f", *value)))
        else:
            feature = field(3, field(1, b"".join(varint(number) for number in value)))
        entries += field(1, field(1, name.encode()) + field(2, feature))
    return field(1, entries)


def test_tfrecord(tmp_path):
    content = b""
    for number in range(3):
        record = example(
            **{"image/data": b"\xff\0" * number, "name": f"n{number}".encode()},
            label=[-number],
            score=[0.5],
            ids=[1, -2, number << 40],
        )
        content += struct.pack("<Q", len(record)) + bytes(4) + record + bytes(4)
    (tmp_path / "a.tfrecord").write_bytes(content)
    one = {"shape": [], "dtype": "int64"}
    features = {
        "image/data": one | {"dtype": "string"},
        "name": one | {"dtype": "string"},
        "label": one,
        "score": {"shape": [1], "dtype": "float32"},
        "ids": {"shape": [3], "dtype": "int64"},
    }
    features = {name: SimpleNamespace(**value) for name, value in features.items()}
    converter = TFRecordToMR(str(tmp_path / "a.tfrecord"), str(tmp_path / "out"), features, ["image/data"])
    assert converter.transform() == SUCCESS
    got = rows(tmp_path / "out")
    assert [row["image_data"] for row in got] == [b"", b"\xff\0", b"\xff\0\xff\0"]
    assert [(row["name"], row["label"], row["score"]) for row in got] == [
        ("n0", 0, 0.5),
        ("n1", -1, 0.5),
        ("n2", -2, 0.5),
    ]
    assert got[2]["ids"].tolist() == [1, -2, 2 << 40]
    (tmp_path / "b.tfrecord").write_bytes(content[:-30])
    with pytest.raises(RuntimeError, match="cut short"):
        list(TFRecordToMR(str(tmp_path / "b.tfrecord"), "x", features, ["image/data"]).tfrecord_iterator())
    with pytest.raises(ValueError, match="bytes_fields"):
        list(TFRecordToMR(str(tmp_path / "a.tfrecord"), "x", features).tfrecord_iterator())
    with pytest.raises(ValueError):
        TFRecordToMR("a", "b", features, ["label"])
    features["ids"].shape = [4]
    with pytest.raises(ValueError, match="ids"):
        TFRecordToMR(str(tmp_path / "a.tfrecord"), str(tmp_path / "c"), features, ["image/data"]).transform()
