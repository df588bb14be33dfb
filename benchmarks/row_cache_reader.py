# SPDX-License-Identifier: Apache-2.0
"""A process of row_cache.py: reads a cached pipeline, or copies its rows, and says how fast.

python benchmarks/row_cache_reader.py CASE FOLDER PORT SESSION WORKERS
"""

from __future__ import annotations

import json
import mmap
import os
import sys
import time
from collections.abc import Callable

import numpy as np

import mindspore.dataset as ds
from mindspore.dataset import vision

BATCH = 64
SIZE = 224
EPOCHS = 5  # after the first; of those that only read, the fastest counts
SECONDS = 2.0  # that readers of one cache read beside each other

MEAN, DEVIATION = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]


def evaluation(folder: str, cache: ds.DatasetCache, workers: int) -> ds.Dataset:
    """Nothing random: all of it is cached."""
    data = ds.ImageFolderDataset(os.path.join(folder, "pictures"), shuffle=True, num_parallel_workers=workers)
    steps = [
        vision.Decode(),
        vision.Resize(256),
        vision.CenterCrop(SIZE),
        vision.Normalize(MEAN, DEVIATION),
        vision.HWC2CHW(),
    ]
    data = data.map(steps, "image", cache=cache, num_parallel_workers=workers)
    return data.batch(BATCH, num_parallel_workers=workers)


def training(folder: str, cache: ds.DatasetCache, workers: int) -> ds.Dataset:
    """Decoded pictures are cached, what is random comes after."""
    data = ds.ImageFolderDataset(os.path.join(folder, "pictures"), shuffle=True, num_parallel_workers=workers)
    data = data.map(vision.Decode(), "image", cache=cache, num_parallel_workers=workers)
    steps = [
        vision.RandomResizedCrop(SIZE),
        vision.RandomHorizontalFlip(0.5),
        vision.Normalize(MEAN, DEVIATION),
        vision.HWC2CHW(),
    ]
    data = data.map(steps, "image", num_parallel_workers=workers)
    return data.batch(BATCH, num_parallel_workers=workers)


def epoch_rates(data: ds.Dataset, epochs: int) -> list[float]:
    """Rows per second of every epoch."""
    rows = data.get_dataset_size() * BATCH
    iterator = data.create_tuple_iterator(num_epochs=epochs)
    rates = []
    for _ in range(epochs):
        begin = time.perf_counter()
        for _ in iterator:
            pass
        rates.append(rows / (time.perf_counter() - begin))
    return rates


def copying(rows: int, is_shared: bool) -> Callable[[], float]:
    """Copies rows of the same size, in random order, into the memory of one batch; gives rows per second.

    They lie in shared memory, as the cache's do, or in the process's own, which has larger pages.
    """
    shape = (rows, 3, SIZE, SIZE)
    if is_shared:
        descriptor = os.memfd_create("rows", os.MFD_CLOEXEC)
        size = int(np.prod(shape)) * 4
        os.ftruncate(descriptor, size)
        source = np.frombuffer(mmap.mmap(descriptor, size), np.float32).reshape(shape)
        source[:] = 1
    else:
        source = np.ones(shape, np.float32)
    order = np.random.default_rng(0).permutation(rows)
    batch = np.ones((BATCH, 3, SIZE, SIZE), np.float32)

    def epoch() -> float:
        begin = time.perf_counter()
        for number, row in enumerate(order):
            batch[number % BATCH] = source[row]
        return rows / (time.perf_counter() - begin)

    return epoch


def steady_rate(epochs: Callable[[], list[float]]) -> float:
    """The mean rate of what is done again and again beside another process."""
    wait_for_the_others()
    end, rates = time.perf_counter() + SECONDS, []
    while time.perf_counter() < end:
        rates += epochs()
    return float(np.mean(rates))


def wait_for_the_others() -> None:
    print("ready", flush=True)
    sys.stdin.readline()


def main() -> None:
    case, folder, port, session, workers = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
    cache = ds.DatasetCache(session, port=port)
    if case.startswith("copy"):
        copies = copying(len(os.listdir(os.path.join(folder, "pictures", "class"))), case != "copy own")
        if case == "copy again":
            rate = steady_rate(lambda: [copies()])
        else:
            wait_for_the_others()
            rate = max(copies() for _ in range(EPOCHS))
        print(json.dumps({"rate": rate}))
        return
    data = (training if case.startswith("training") else evaluation)(folder, cache, workers)
    if case.endswith("again"):
        epoch_rates(data, 1)  # maps all memory, as any reader does once
        print(json.dumps({"rate": steady_rate(lambda: epoch_rates(data, EPOCHS))}))
    else:
        wait_for_the_others()
        rates = epoch_rates(data, 1 + EPOCHS)
        print(json.dumps({"first": rates[0], "second": max(rates[1:])}))


if __name__ == "__main__":
    main()
