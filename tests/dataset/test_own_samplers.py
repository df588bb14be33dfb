# SPDX-License-Identifier: Apache-2.0
"""Samplers that users write: they choose the rows, whatever else the source was told."""

from __future__ import annotations

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
