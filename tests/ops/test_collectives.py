# SPDX-License-Identifier: Apache-2.0
"""Collectives of one process, and their refusal to stand in for those of several."""

import numpy as np
import pytest

from mindspore import Tensor, ops

ONE_TENSOR = [
    ops.AllReduce(),
    ops.AllGather(),
    ops.ReduceScatter(),
    ops.Reduce(0),
    ops.CollectiveGather(0),
    ops.CollectiveScatter(),
    ops.AlltoAll(1, 0, 0),
]


def name_of(primitive):
    return type(primitive).__name__


@pytest.fixture(autouse=True)
def no_launcher(monkeypatch):
    for variable in ("RANK_SIZE", "MS_WORKER_NUM", "OMPI_COMM_WORLD_SIZE"):
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize("variable", ["RANK_SIZE", "MS_WORKER_NUM", "OMPI_COMM_WORLD_SIZE"])
@pytest.mark.parametrize("primitive", ONE_TENSOR, ids=name_of)
def test_several_processes_are_refused(primitive, variable, monkeypatch):
    monkeypatch.setenv(variable, "2")
    with pytest.raises(RuntimeError, match=f"^For '{name_of(primitive)}', .*{variable}=2"):
        primitive(Tensor(np.ones(4, np.float32)))


def test_others_refuse_as_well(monkeypatch):
    monkeypatch.setenv("RANK_SIZE", "8")
    with pytest.raises(RuntimeError, match="'Broadcast'"):
        ops.Broadcast(0)((Tensor([1.0]),))
    with pytest.raises(RuntimeError, match="'Barrier'"):
        ops.Barrier()()


@pytest.mark.parametrize("size", [None, "1"])
@pytest.mark.parametrize("primitive", ONE_TENSOR, ids=name_of)
def test_one_process_has_it_all(primitive, size, monkeypatch):
    if size:
        monkeypatch.setenv("RANK_SIZE", size)
    x = np.arange(4, dtype=np.float32)
    np.testing.assert_array_equal(primitive(Tensor(x)).asnumpy(), x)
