# SPDX-License-Identifier: Apache-2.0
"""MNIST and its kin, CIFAR, STL-10, Semeion, USPS."""

from __future__ import annotations

import numpy as np
import pytest
from tiny_files import idx, rows, write

import mindspore.dataset as ds


def digits(count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    numbers = np.random.default_rng(seed)
    return numbers.integers(0, 256, (count, 28, 28), np.uint8), numbers.integers(0, 10, count).astype(
        np.uint8
    )


def write_mnist(folder, prefix: str, count: int, seed: int = 0):
    images, labels = digits(count, seed)
    write(folder / f"{prefix}-images-idx3-ubyte", idx(images))
    write(folder / f"{prefix}-labels-idx1-ubyte", idx(labels))
    return images, labels


@pytest.mark.parametrize("name", ["MnistDataset", "FashionMnistDataset", "KMnistDataset"])
def test_mnist_parts(tmp_path, name):
    train = write_mnist(tmp_path, "train", 3, 1)
    test = write_mnist(tmp_path, "t10k", 2, 2)
    got = rows(getattr(ds, name)(str(tmp_path), "train", shuffle=False))
    assert [r["label"].dtype for r in got] == [np.uint32] * 3
    for row, image, label in zip(got, *train, strict=True):
        np.testing.assert_array_equal(row["image"][..., 0], image)
        assert row["label"] == label
    everything = rows(getattr(ds, name)(str(tmp_path), shuffle=False))
    assert [int(r["label"]) for r in everything] == [*test[1], *train[1]]


def test_emnist_chooses_the_split(tmp_path):
    images, labels = write_mnist(tmp_path, "emnist-letters-test", 2)
    got = rows(ds.EMnistDataset(str(tmp_path), "letters", "test", shuffle=False))
    np.testing.assert_array_equal([r["image"][..., 0] for r in got], images)
    with pytest.raises(ValueError, match="Input name is not within the valid set"):
        ds.EMnistDataset(str(tmp_path), "words")


@pytest.mark.parametrize("compat", [True, False])
def test_qmnist_labels(tmp_path, compat):
    images, _ = digits(2)
    labels = np.arange(16, dtype=np.int32).reshape(2, 8)
    write(tmp_path / "qmnist-test-images-idx3-ubyte", idx(images))
    write(tmp_path / "qmnist-test-labels-idx2-int", idx(labels))
    got = rows(ds.QMnistDataset(str(tmp_path), "test", compat, shuffle=False))
    np.testing.assert_array_equal([r["label"] for r in got], labels[:, 0] if compat else labels)


@pytest.mark.parametrize(
    "damage, words",
    [
        (lambda data: data[:-1], "says to have 3"),
        (lambda data: b"\1" + data[1:], "not an IDX file"),
        (lambda data: data[:9], "failed to read"),
        (lambda data: data[:4] + b"\xff\xff\xff\xff" + data[8:], "says to have 4294967295"),
        (lambda data: data[:8] + b"\0\0\0\x1d" + data[12:], "wrong shape of image"),
    ],
)
def test_mnist_damaged_file_is_told(tmp_path, damage, words):
    images, _ = write_mnist(tmp_path, "train", 3)
    write(tmp_path / "train-images-idx3-ubyte", damage(idx(images)))
    with pytest.raises(RuntimeError, match=words):
        rows(ds.MnistDataset(str(tmp_path), "train", shuffle=False))


def test_mnist_number_of_labels_must_fit(tmp_path):
    write_mnist(tmp_path, "train", 3)
    write(tmp_path / "train-labels-idx1-ubyte", idx(np.zeros(2, np.uint8)))
    with pytest.raises(RuntimeError, match="2 labels for 3 images"):
        rows(ds.MnistDataset(str(tmp_path), "train", shuffle=False))


def test_mnist_empty_folder(tmp_path):
    with pytest.raises(RuntimeError, match="MnistDataset API can't read the data file"):
        rows(ds.MnistDataset(str(tmp_path)))


def test_cifar_planes_become_pixels(tmp_path):
    planes = np.random.default_rng(0).integers(0, 256, (2, 3, 32, 32), np.uint8)
    ten = b"".join(bytes([label]) + plane.tobytes() for label, plane in zip([7, 9], planes, strict=True))
    write(tmp_path / "data_batch_1.bin", ten)
    got = rows(ds.Cifar10Dataset(str(tmp_path), shuffle=False))
    np.testing.assert_array_equal([r["image"] for r in got], planes.transpose(0, 2, 3, 1))
    assert [int(r["label"]) for r in got] == [7, 9]
    write(tmp_path / "test.bin", b"".join(bytes([1, 2 + i]) + p.tobytes() for i, p in enumerate(planes)))
    hundred = rows(ds.Cifar100Dataset(str(tmp_path), "test", shuffle=False))
    assert [(int(r["coarse_label"]), int(r["fine_label"])) for r in hundred] == [(1, 2), (1, 3)]


def test_cifar_errors(tmp_path):
    with pytest.raises(RuntimeError, match=r"cifar\(.bin\) files are missing"):
        rows(ds.Cifar10Dataset(str(tmp_path)))
    write(tmp_path / "data_batch_1.bin", b"\0" * 3000)
    with pytest.raises(RuntimeError, match="not a multiple"):
        rows(ds.Cifar10Dataset(str(tmp_path)))
    with pytest.raises(
        ValueError, match=r"Input usage is not within the valid set of \['train', 'test', 'all'\]"
    ):
        ds.Cifar10Dataset(str(tmp_path), "eval")


def test_stl10_labels(tmp_path):
    image = np.random.default_rng(0).integers(0, 256, (96, 96, 3), np.uint8)
    stored = image.transpose(2, 1, 0).tobytes()
    write(tmp_path / "train_X.bin", stored)
    write(tmp_path / "train_y.bin", b"\3")
    write(tmp_path / "unlabeled_X.bin", stored)
    got = rows(ds.STL10Dataset(str(tmp_path), "train+unlabeled", shuffle=False))
    np.testing.assert_array_equal(got[0]["image"], image)
    assert [int(r["label"]) for r in got] == [2, -1]


def test_semeion_and_usps(tmp_path):
    pixels = [i % 2 for i in range(256)]
    flags = [1 if i == 4 else 0 for i in range(10)]
    line = " ".join(f"{p:.4f}" for p in pixels) + " " + " ".join(map(str, flags))
    write(tmp_path / "semeion.data", line + " \n")
    (row,) = rows(ds.SemeionDataset(str(tmp_path)))
    assert row["image"].shape == (16, 16) and row["image"][0, 1] == 1 and row["label"] == 4
    write(tmp_path / "usps", "5 " + " ".join(f"{i + 1}:{p}" for i, p in enumerate(pixels)) + "\n")
    (row,) = rows(ds.USPSDataset(str(tmp_path), "train", shuffle=False))
    assert row["image"].shape == (16, 16, 1) and row["image"][0, 1, 0] == 255 and row["label"] == 4
    write(tmp_path / "semeion.data", "1 2 3\n")
    with pytest.raises(RuntimeError, match="line 1: expected 266 numbers"):
        rows(ds.SemeionDataset(str(tmp_path)))


def test_photo_tour_patches(tmp_path):
    picture = np.random.default_rng(0).integers(0, 256, (1024, 1024), np.uint8)
    from PIL import Image

    folder = tmp_path / "liberty"
    folder.mkdir()
    Image.fromarray(picture).save(folder / "patches0000.bmp")
    write(folder / "info.txt", "0 0\n0 0\n1 0\n")
    write(folder / "m50_100000_100000_0.txt", "0 0 0 1 0 0 0\n0 0 0 2 1 0 0\n")
    train = rows(ds.PhotoTourDataset(str(tmp_path), "liberty", "train", shuffle=False))
    np.testing.assert_array_equal(train[2]["image"][..., 0], picture[:64, 128:192])
    test = rows(ds.PhotoTourDataset(str(tmp_path), "liberty", "test", shuffle=False))
    assert [int(r["matches"]) for r in test] == [1, 0]
    write(folder / "m50_100000_100000_0.txt", "0 0 0 77 0 0 0\n")
    with pytest.raises(RuntimeError, match="two numbers of patches"):
        rows(ds.PhotoTourDataset(str(tmp_path), "liberty", "test", shuffle=False))


def test_fake_images_are_the_same_for_the_same_seed():
    first, second = (rows(ds.FakeImageDataset(3, (4, 5, 3), 2, seed, shuffle=False)) for seed in (1, 1))
    np.testing.assert_array_equal(first[2]["image"], second[2]["image"])
    assert first[0]["image"].shape == (4, 5, 3) and all(r["label"] < 2 for r in first)
    other = rows(ds.FakeImageDataset(3, (4, 5, 3), 2, 2, shuffle=False))
    assert (other[0]["image"] != first[0]["image"]).any()
