# SPDX-License-Identifier: Apache-2.0
"""A row that does not come is told of, with what to do."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import mindspore.dataset as ds
from mindspore.dataset.engine import _profile

LATE = "the dataset is too slow"


class Slow:
    """The third row takes its time."""

    def __init__(self, seconds):
        self._seconds = seconds

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return (self(np.int64(index)),)

    def __call__(self, x):
        if x == 2:
            time.sleep(self._seconds)
        return x


def numbers(name):
    return ds.NumpySlicesDataset(np.arange(4), [name], shuffle=False)


# Every one has its own name for the column: a line that was written before would not be written again.
PIPELINES = {
    "generator": lambda slow, name: ds.GeneratorDataset(slow, [name], shuffle=False),
    "generator in threads": lambda slow, name: ds.GeneratorDataset(
        slow, [name], shuffle=False, num_parallel_workers=2, python_multiprocessing=False
    ),
    "map": lambda slow, name: numbers(name).map(slow, num_parallel_workers=1),
    "map in threads": lambda slow, name: numbers(name).map(slow, num_parallel_workers=2),
    "batch": lambda slow, name: numbers(name).batch(4, per_batch_map=lambda x, info: ([slow(v) for v in x],)),
    "processes": lambda slow, name: numbers(name).map(
        slow, num_parallel_workers=2, python_multiprocessing=True
    ),
}


def test_the_usual_limit_is_that_of_the_reference():
    assert _profile.LATE_SECONDS == 25


@pytest.mark.parametrize("name", sorted(PIPELINES))
def test_a_late_row_is_told_of(name, monkeypatch, capfd):
    monkeypatch.setattr(_profile, "LATE_SECONDS", 0.1)
    rows = list(PIPELINES[name](Slow(0.4), name).create_tuple_iterator(num_epochs=1, output_numpy=True))
    assert len(rows) in (1, 4)
    text = capfd.readouterr().err
    assert "A reader has been waiting for data for" in text and f"{LATE}. It has the columns {name} " in text
    assert "num_parallel_workers" in text and "Dataset.save" in text
    assert text.count(LATE) <= 3  # after the limit, twice the limit, and so on


def test_a_late_worker_is_named(monkeypatch, capfd):
    monkeypatch.setattr(_profile, "LATE_SECONDS", 0.1)
    list(PIPELINES["processes"](Slow(0.8), "worker").create_tuple_iterator(num_epochs=1))
    text = capfd.readouterr().err
    assert "is too slow: the pipeline has been waiting for data from it for" in text
    assert "worker process" in text and "num_parallel_workers" in text


def test_it_is_told_while_the_row_is_still_awaited(monkeypatch, capfd):
    """Also by a function that never returns, on the reader's own thread."""
    monkeypatch.setattr(_profile, "LATE_SECONDS", 0.05)
    told, text = threading.Event(), []

    def hangs(x):
        told.wait(20)
        return x

    def read():
        list(numbers("hangs").map(hangs, num_parallel_workers=1).create_tuple_iterator(num_epochs=1))

    reader = threading.Thread(target=read)
    reader.start()
    deadline = time.monotonic() + 20
    while LATE not in "".join(text) and time.monotonic() < deadline:
        time.sleep(0.01)
        text.append(capfd.readouterr().err)
    told.set()
    reader.join()
    assert LATE in "".join(text)


def test_a_reader_that_comes_late_itself_is_told_nothing(monkeypatch, capfd):
    monkeypatch.setattr(_profile, "LATE_SECONDS", 0.2)
    for _ in numbers("reader").map(lambda x: x, num_parallel_workers=1).create_tuple_iterator(num_epochs=1):
        time.sleep(0.3)
    assert LATE not in capfd.readouterr().err
