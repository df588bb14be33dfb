# SPDX-License-Identifier: Apache-2.0
"""Samplers that users write: they choose the rows, whatever else the source was told."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore.dataset as ds
from mindspore import log


class Every:
    """Every second number, as an iterable that knows its length."""

    def __init__(self, rows: int) -> None:
        self.rows = rows

    def __iter__(self):
        return iter(range(0, self.rows, 2))

    def __len__(self) -> int:
        return (self.rows + 1) // 2


def rows_of(**arguments) -> list[int]:
    data = ds.GeneratorDataset(range(8), ["x"], **arguments)
    return [row[0].item() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


@pytest.mark.parametrize("shuffle", [None, False, True])
def test_shuffle_is_the_samplers_business(shuffle):
    assert rows_of(sampler=Every(8), shuffle=shuffle) == [0, 2, 4, 6]
    assert rows_of(sampler=[5, 3, 1], shuffle=shuffle) == [5, 3, 1]
    assert rows_of(sampler=Every(8), shuffle=shuffle, num_samples=2) == [0, 2]


def test_shards_do_not_divide_it_and_that_is_said(monkeypatch):
    said = []
    monkeypatch.setattr(log, "warning", said.append)
    assert rows_of(sampler=Every(8), num_shards=2, shard_id=1) == [0, 2, 4, 6]
    assert len(said) == 1 and "choose the rows of one shard" in said[0]


@pytest.mark.parametrize("more", [{"shuffle": False}, {"num_samples": 2}, {"num_shards": 2, "shard_id": 0}])
def test_a_sampler_of_the_package_takes_no_second_opinion(more):
    with pytest.raises(ValueError, match="Conflicting arguments during sampler assignments"):
        rows_of(sampler=ds.SequentialSampler(), **more)


class Groups(ds.Sampler):
    """Arrays of numbers, turned round by one group with every epoch."""

    def __init__(self, groups: list) -> None:
        super().__init__(len(groups))
        self.groups = groups
        self.epochs = 0

    def __iter__(self):
        turn = self.epochs % len(self.groups)
        self.epochs += 1
        return iter(self.groups[turn:] + self.groups[:turn])


class Squares:
    """A source that makes several rows at once, given their numbers."""

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index) -> tuple:
        assert isinstance(index, np.ndarray)
        return (index**2,)


@pytest.mark.parametrize("kind", [np.array, list, tuple])
@pytest.mark.parametrize("workers", [{}, {"num_parallel_workers": 2}])
def test_numbers_in_groups_reach_the_source_as_arrays(kind, workers):
    data = ds.GeneratorDataset(Squares(), ["x"], sampler=Groups([kind([0, 1]), kind([3, 2])]), **workers)
    iterator = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    epochs = [[row[0].tolist() for row in iterator] for _ in range(2)]
    assert epochs == [[[0, 1], [9, 4]], [[9, 4], [0, 1]]]


def test_groups_are_counted_and_groups_of_one_are_groups():
    data = ds.GeneratorDataset(Squares(), ["x"], sampler=Groups([np.array([3]), np.array([1])]))
    rows = [row[0].tolist() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    assert rows == [[9], [1]]
    assert data.get_dataset_size() == 2


def test_groups_of_rows_in_memory():
    data = ds.NumpySlicesDataset(np.arange(6) * 10, sampler=Groups([np.array([0, 5]), np.array([2, 3])]))
    rows = [row[0].tolist() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    assert rows == [[0, 50], [20, 30]]


def test_groups_of_different_lengths_are_refused():
    data = ds.GeneratorDataset(Squares(), ["x"], sampler=Groups([np.array([0, 1]), np.array([2])]))
    with pytest.raises(RuntimeError, match="Fetched indices can not be converted to a valid ndarray"):
        list(data.create_tuple_iterator(num_epochs=1))


def test_a_sampler_is_asked_once_for_an_epoch():
    sampler = Groups([5, 6, 7])
    data = ds.GeneratorDataset(range(8), ["x"], sampler=sampler)
    iterator = data.create_tuple_iterator(num_epochs=2, output_numpy=True)
    assert [[row[0].item() for row in iterator] for _ in range(2)] == [[5, 6, 7], [6, 7, 5]]
    assert sampler.epochs == 2


def test_what_a_sampler_raises_is_told_where_the_epoch_begins():
    class Failing(ds.Sampler):
        def __iter__(self):
            raise KeyError("no such list")

    with pytest.raises(RuntimeError, match="sampler failed[\\s\\S]*no such list"):
        list(ds.GeneratorDataset(range(3), ["x"], sampler=Failing(3)).create_tuple_iterator(num_epochs=1))
