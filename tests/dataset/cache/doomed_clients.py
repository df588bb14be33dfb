# SPDX-License-Identifier: Apache-2.0
"""Makes processes that run cached pipelines until somebody kills them.

    python doomed_clients.py FOLDER

Every line "KIND PORT SESSION" from standard input makes one; its process id is the answer. FOLDER holds the
data and, per kind, the digests of the right rows. A client that reads anything else leaves a file "wrong".
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import signal
import sys

import numpy as np

import mindspore.dataset as ds
from mindspore.dataset import transforms, vision

KINDS = ("serve", "build", "spill", "processes")
EPOCHS = 2  # the second one is of rows that are there


@transforms.not_random
def shifted(x):
    """Python's part of a cached map."""
    return x + 1


def pipeline(kind: str, folder: pathlib.Path, cache: ds.DatasetCache | None) -> ds.Dataset:
    """The pipeline of that kind; None: the same without a cache."""
    if kind == "build":
        return ds.TextFileDataset(str(folder / "lines.txt"), shuffle=False, cache=cache)
    pictures = ds.ImageFolderDataset(str(folder / "pictures"), shuffle=False)
    if kind == "spill":
        return pictures.map(vision.Decode(), "image", cache=cache)
    if kind == "processes":
        return pictures.map(
            shifted, "label", cache=cache, num_parallel_workers=2, python_multiprocessing=True
        )
    return ds.ImageFolderDataset(str(folder / "pictures"), shuffle=False, cache=cache)


def cache_of(kind: str, port: int, session: int) -> ds.DatasetCache:
    """The cache of a pipeline of that kind; one kind has more rows than may stay in memory."""
    is_small = kind == "spill"
    return ds.DatasetCache(session, port=port, size=1 if is_small else 0, spilling=is_small)


def digests(data: ds.Dataset) -> list[str]:
    """One for every row of every epoch: types, shapes and bytes."""
    found = []
    iterator = data.create_tuple_iterator(num_epochs=EPOCHS, output_numpy=True)
    for _ in range(EPOCHS):
        for row in iterator:
            values = [np.ascontiguousarray(value) for value in row]
            content = repr([(value.dtype.str, value.shape, value.tobytes()) for value in values])
            found.append(hashlib.sha1(content.encode()).hexdigest())
    return found


def live(kind: str, folder: pathlib.Path, port: int, session: int) -> None:
    """Reads again and again; ends when the server does."""
    right = json.loads((folder / f"{kind}.json").read_text())
    try:
        while True:
            if digests(pipeline(kind, folder, cache_of(kind, port, session))) != right:
                (folder / "wrong").write_text(kind)
                return
    except RuntimeError:
        return


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    for line in sys.stdin:
        kind, port, session = line.split()
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            nothing = os.open(os.devnull, os.O_RDWR)
            for number in range(3):
                os.dup2(nothing, number)
            live(kind, folder, int(port), int(session))
            os._exit(0)
        print(child, flush=True)


if __name__ == "__main__":
    main()
