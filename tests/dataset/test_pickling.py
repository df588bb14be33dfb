# SPDX-License-Identifier: Apache-2.0
"""Datasets travel to other processes."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

import mindspore as ms
import mindspore.dataset as ds
from mindspore.dataset import transforms


def plus_one(x):
    return x + 1


def is_even(x):
    return x % 2 == 0


def length(x):
    return int(x)


def negative(columns, info):
    return ([-value for value in columns],)


class Squares:
    """A source that can be pickled."""

    def __len__(self):
        return 5

    def __getitem__(self, index):
        return (np.int32(index * index),)


def numbers():
    return ds.NumpySlicesDataset(
        {"a": np.arange(6, dtype=np.int32), "b": np.arange(6.0)}, num_parallel_workers=1, shuffle=False
    )


PIPELINES = {
    "slices": numbers,
    "generator": lambda: ds.GeneratorDataset(Squares(), ["x"], shuffle=False),
    "generator in processes": lambda: ds.GeneratorDataset(
        Squares(), ["x"], shuffle=False, num_parallel_workers=2
    ),
    "padded": lambda: ds.PaddedDataset([{"a": np.zeros(2)}, {"a": np.ones(2)}]),
    "map": lambda: numbers().map(plus_one, "a"),
    "native map": lambda: numbers().map(transforms.TypeCast(ms.float32), "a"),
    "batch": lambda: numbers().batch(4),
    "batch with a function": lambda: numbers().batch(4, per_batch_map=negative, input_columns=["a"]),
    "padded batch": lambda: numbers().padded_batch(4),
    "bucket": lambda: numbers().bucket_batch_by_length(["a"], [3], [2, 2], element_length_function=length),
    "filter": lambda: numbers().filter(is_even, "a"),
    "shuffle": lambda: numbers().shuffle(3),
    "take and skip": lambda: numbers().skip(1).take(3),
    "repeat": lambda: numbers().repeat(2),
    "zip": lambda: ds.zip((numbers(), numbers().rename(["a", "b"], ["c", "d"]))),
    "concat": lambda: numbers() + numbers(),
    "project": lambda: numbers().project(["b"]),
    "split": lambda: numbers().split([4, 2], randomize=False)[0],
    "sampler": lambda: ds.NumpySlicesDataset(np.arange(9), sampler=ds.SequentialSampler(2, 4)),
}


def rows(data):
    return [
        [np.asarray(column) for column in row]
        for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    ]


@pytest.mark.parametrize("used", [False, True], ids=["fresh", "used"])
@pytest.mark.parametrize("name", sorted(PIPELINES))
def test_a_pickled_dataset_gives_the_same_rows(name, used):
    ds.config.set_seed(3)
    data = PIPELINES[name]()
    if used:  # what it opened for itself does not travel
        rows(data)
    copy = pickle.loads(pickle.dumps(data))
    np.testing.assert_equal(rows(copy), rows(data))


def test_a_waiting_dataset_waits_again():
    waiting = numbers().sync_wait("go", num_batch=2)
    copy = pickle.loads(pickle.dumps(waiting))
    iterator = copy.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert [int(next(iterator)[0]) for _ in range(2)] == [0, 1]
    copy.sync_update("go", num_batch=5)  # the end is behind the gate, too
    assert [int(row[0]) for row in iterator] == [2, 3, 4, 5]


def test_another_process_reads_a_dataset_that_is_in_use():
    data = ds.NumpySlicesDataset(np.arange(6), shuffle=False).batch(2)
    rows(data)
    program = "import pickle, sys; print([row[0].tolist() for row in pickle.load(sys.stdin.buffer)])"
    done = subprocess.run(
        [sys.executable, "-c", program], input=pickle.dumps(data), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode().strip() == "[[0, 1], [2, 3], [4, 5]]"


def test_an_iterator_says_what_to_send_instead():
    with pytest.raises(TypeError, match=r"Send the dataset and what 'state\(\)' gives"):
        pickle.dumps(numbers().create_tuple_iterator())
