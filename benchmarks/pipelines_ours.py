# SPDX-License-Identifier: Apache-2.0
"""Our side of pipelines.py, and MindSpore's: the scripts are the same."""

from __future__ import annotations

import json
import os
import sys
import time

import numpy as np

import mindspore.dataset as ds
from mindspore.dataset import vision

ROWS = 200_000
BATCH = 64


class Rows:
    """A small array and a number for every index."""

    def __len__(self) -> int:
        return ROWS

    def __getitem__(self, index: int):
        return np.array([index, index + 1], dtype=np.float32), index


def plus_one(x: np.ndarray) -> np.ndarray:
    """What worker processes do with a small row."""
    return x + 1


def small_arrays() -> tuple[np.ndarray, np.ndarray]:
    """Rows of 16 numbers, and a number for each."""
    return np.random.rand(ROWS, 16).astype(np.float32), np.arange(ROWS)


def jpeg(folder: str) -> ds.Dataset:
    """The usual training pipeline of image classifiers."""
    data = ds.ImageFolderDataset(os.path.join(folder, "pictures"), shuffle=True, num_parallel_workers=2)
    steps = [
        vision.Decode(),
        vision.RandomResizedCrop(224),
        vision.RandomHorizontalFlip(0.5),
        vision.Normalize([123.675, 116.28, 103.53], [58.395, 57.12, 57.375]),
        vision.HWC2CHW(),
    ]
    return data.map(steps, "image", num_parallel_workers=2).batch(BATCH, num_parallel_workers=2)


def build(case: str, folder: str) -> tuple[ds.Dataset, float]:
    """The pipeline, and how much an epoch counts."""
    if case == "rows":
        return ds.GeneratorDataset(Rows(), ["x", "y"], shuffle=False).batch(BATCH), ROWS
    if case == "rows 2 workers":
        data = ds.GeneratorDataset(Rows(), ["x", "y"], shuffle=False, num_parallel_workers=2)
        return data.batch(BATCH), ROWS
    if case == "map 2 workers":
        data = ds.NumpySlicesDataset(small_arrays(), ["x", "y"], shuffle=False)
        data = data.map(plus_one, ["x"], python_multiprocessing=True, num_parallel_workers=2)
        return data.batch(BATCH), ROWS
    if case == "arrays":
        return ds.NumpySlicesDataset(small_arrays(), ["x", "y"], shuffle=True).batch(BATCH), ROWS
    if case == "record":
        path = os.path.join(folder, "record")
        return ds.MindDataset(path, ["data"], shuffle=False), os.path.getsize(path) / 1e6
    return jpeg(folder), len(os.listdir(os.path.join(folder, "pictures", "class")))


def main() -> None:
    data, amount = build(sys.argv[1], sys.argv[2])
    fastest = float("inf")
    iterator = data.create_tuple_iterator(num_epochs=3)
    for _ in range(3):
        begin = time.perf_counter()
        for _ in iterator:
            pass
        fastest = min(fastest, time.perf_counter() - begin)
    print(json.dumps({"rate": amount / fastest}))


if __name__ == "__main__":
    main()
