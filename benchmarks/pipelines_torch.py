# SPDX-License-Identifier: Apache-2.0
"""PyTorch's side of pipelines.py: the best of its numbers of workers."""

from __future__ import annotations

import json
import os
import sys
import time

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset

ROWS = 200_000
BATCH = 64


class Rows(Dataset):
    """A small array and a number for every index."""

    def __len__(self) -> int:
        return ROWS

    def __getitem__(self, index: int):
        return np.array([index, index + 1], dtype=np.float32), index


class Mapped(Dataset):
    """Rows of 16 numbers, to each of which one is added, and a number for each."""

    def __init__(self) -> None:
        self.x, self.y = np.random.rand(ROWS, 16).astype(np.float32), np.arange(ROWS)

    def __len__(self) -> int:
        return ROWS

    def __getitem__(self, index: int):
        return self.x[index] + 1, self.y[index]


def build(case: str, folder: str) -> tuple[Dataset, bool, tuple[int, ...]]:
    """The data set, whether it is shuffled, and the numbers of workers to try."""
    if case == "rows":
        return Rows(), False, (0, 1)
    if case == "rows 2 workers":
        return Rows(), False, (2,)
    if case == "map 2 workers":
        return Mapped(), False, (2,)
    if case == "arrays":
        return TensorDataset(torch.rand(ROWS, 16), torch.arange(ROWS)), True, (0, 2)
    from torchvision import datasets, transforms

    steps = [
        transforms.RandomResizedCrop(224),
        transforms.RandomHorizontalFlip(),
        transforms.ToTensor(),
        transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
    ]
    pictures = datasets.ImageFolder(os.path.join(folder, "pictures"), transforms.Compose(steps))
    return pictures, True, (0, 2)


def main() -> None:
    data, shuffle, workers = build(sys.argv[1], sys.argv[2])
    torch.set_num_threads(2)
    fastest = float("inf")
    for count in workers:
        loader = DataLoader(
            data, batch_size=BATCH, shuffle=shuffle, num_workers=count, persistent_workers=count > 0
        )
        for _ in range(2):
            begin = time.perf_counter()
            for _ in loader:
                pass
            fastest = min(fastest, time.perf_counter() - begin)
    print(json.dumps({"rate": len(data) / fastest}))


if __name__ == "__main__":
    main()
