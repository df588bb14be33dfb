# SPDX-License-Identifier: Apache-2.0
"""Several processes never train several models without a word: what would involve the others is an error."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor, communication, nn, ops
from mindspore._world import sign_of_others

SIGNS = [
    {"RANK_SIZE": "8"},
    {"RANK_SIZE": "eight"},
    {"RANK_ID": "3"},
    {"MS_WORKER_NUM": "2", "MS_ROLE": "MS_WORKER"},
    {"MS_ROLE": "MS_SCHED", "MS_WORKER_NUM": "1"},
    {"MS_ROLE": "MS_PSERVER"},
    {"MS_SERVER_NUM": "1"},
    {"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "0"},
    {"PMI_SIZE": "2", "PMI_RANK": "0"},
    {"PMIX_RANK": "1"},
    {"MV2_COMM_WORLD_SIZE": "2"},
    {"SLURM_STEP_NUM_TASKS": "2"},
    {"WORLD_SIZE": "2", "LOCAL_RANK": "0"},
]
NO_SIGNS = [
    {},
    {"RANK_SIZE": "1", "RANK_ID": "0"},
    {"RANK_SIZE": ""},
    {"MS_ROLE": "MS_WORKER", "MS_WORKER_NUM": "1"},
    {"OMPI_COMM_WORLD_SIZE": "1", "OMPI_COMM_WORLD_RANK": "0"},
    {"WORLD_SIZE": "8"},  # nobody's rank: a variable of something else
    {"RANK_TABLE_FILE": "nowhere.json"},
]


def in_graph_mode(call):
    def run():
        ms.set_context(mode=ms.GRAPH_MODE)
        return call()

    return run


def placed(cell, name, value):
    setattr(cell, name, value)


ENTRIES = {
    "init": communication.init,
    "data_parallel": lambda: ms.set_auto_parallel_context(parallel_mode="data_parallel"),
    "auto_parallel": lambda: ms.set_auto_parallel_context(parallel_mode="auto_parallel"),
    "semi_auto_parallel": in_graph_mode(
        lambda: ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel")
    ),
    "hybrid_parallel": in_graph_mode(lambda: ms.set_auto_parallel_context(parallel_mode="hybrid_parallel")),
    "gradients_mean": lambda: ms.set_auto_parallel_context(gradients_mean=True),
    "parallel_optimizer": lambda: ms.set_auto_parallel_context(enable_parallel_optimizer=True),
    "parameter_broadcast": lambda: ms.set_auto_parallel_context(parameter_broadcast=True),
    "algorithm": lambda: ms.set_algo_parameters(fully_use_devices=False),
    "parameter server": in_graph_mode(lambda: ms.set_ps_context(enable_ps=True)),
    "servers": lambda: ms.set_ps_context(server_num=1),
    "SyncBatchNorm": lambda: nn.SyncBatchNorm(3),
    "DistributedGradReducer": lambda: nn.DistributedGradReducer([Parameter(Tensor([1.0]))]),
    "PipelineGradReducer": lambda: nn.PipelineGradReducer([Parameter(Tensor([1.0]))]),
    "PipelineCell": lambda: nn.PipelineCell(nn.Dense(2, 2), 2),
    "AdaSum": lambda: nn.AdaSumByGradWrapCell(nn.SGD(nn.Dense(2, 2).trainable_params())),
    "Cell.shard": lambda: nn.Dense(2, 2).shard(((1, 1),)),
    "Primitive.shard": lambda: ops.MatMul().shard(((1, 1), (1, 1))),
    "Primitive.set_stage": lambda: ops.ReLU().set_stage(1),
    "Cell.place": lambda: nn.Dense(2, 2).place("MS_WORKER", 0),
    "Primitive.place": lambda: ops.ReLU().place("MS_WORKER", 0),
    "pipeline_stage": lambda: placed(nn.Dense(2, 2), "pipeline_stage", 1),
    "set_comm_fusion": lambda: nn.Dense(2, 2).set_comm_fusion(2),
    "set_broadcast_flag": lambda: nn.Dense(2, 2).set_broadcast_flag(),
    "set_auto_parallel": lambda: nn.Dense(2, 2).set_auto_parallel(),
    "set_data_parallel": in_graph_mode(lambda: nn.Dense(2, 2).set_data_parallel()),
    "layerwise_parallel": lambda: Parameter(Tensor([1.0]), layerwise_parallel=True),
    "EmbeddingLookup": lambda: nn.EmbeddingLookup(4, 2, slice_mode="table_row_slice"),
    "AllReduce": lambda: ops.AllReduce()(Tensor([1.0])),
    "Broadcast": lambda: ops.Broadcast(0)((Tensor([1.0]),)),
    "Barrier": lambda: ops.Barrier()(),
}


@pytest.fixture(autouse=True)
def _left_alone():
    yield
    communication.release()


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_entry_refuses(entry, monkeypatch):
    monkeypatch.setenv("RANK_SIZE", "8")
    with pytest.raises(NotImplementedError, match="do not train together|no parameter server") as caught:
        ENTRIES[entry]()
    assert isinstance(caught.value, RuntimeError)  # what MindSpore raises when a job cannot be joined


@pytest.mark.parametrize(
    "entry", [name for name in ENTRIES if name not in ("parameter server", "Cell.shard")]
)
def test_one_process_goes_on(entry):
    ENTRIES[entry]()


@pytest.mark.parametrize("sign", SIGNS, ids=str)
def test_signs_of_others(sign, monkeypatch):
    for name, value in sign.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(NotImplementedError, match="several processes are meant .*Run one process"):
        communication.init()
    with pytest.raises(RuntimeError, match="has not been inited"):
        communication.get_rank()


@pytest.mark.parametrize("sign", NO_SIGNS, ids=str)
def test_no_sign_of_others(sign, monkeypatch):
    for name, value in sign.items():
        monkeypatch.setenv(name, value)
    assert sign_of_others() == ""
    communication.init()
    assert (communication.get_rank(), communication.get_group_size()) == (0, 1)


def test_a_rank_table(monkeypatch, tmp_path):
    for count in (1, 2):
        file = tmp_path / f"ranks_{count}.json"
        devices = [{"device_id": str(i), "rank_id": str(i)} for i in range(count)]
        file.write_text(json.dumps({"server_list": [{"server_id": "host", "device": devices}]}))
        monkeypatch.setenv("RANK_TABLE_FILE", str(file))
        assert bool(sign_of_others()) == (count > 1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: ms.set_auto_parallel_context(device_num=2),
        lambda: ms.set_auto_parallel_context(global_rank=1),
        lambda: ms.set_auto_parallel_context(pipeline_stages=2),
        lambda: nn.DistributedGradReducer([Parameter(Tensor([1.0]))], degree=8),
        lambda: nn.SyncBatchNorm(3, process_groups=[[0, 1], [2, 3]]),
        lambda: nn.Dense(2, 2).place("MS_WORKER", 1),
        lambda: ops.ReLU().place("MS_WORKER", 1),
    ],
)
def test_arguments_that_mean_others(call):
    with pytest.raises(NotImplementedError, match="do not train together"):
        call()


def test_strategies_that_divide(warnings):
    ops.MatMul().shard(((2, 1), (1, 4)))  # without a parallel mode it is passed over, as ever
    assert "stand_alone mode" in warnings[0] and "test_several_processes.py" in warnings[0]
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel")
    ops.MatMul().shard(((1, 1), (1, 1)))
    assert nn.Dense(2, 2).shard(((1, 1),)).in_channels == 2
    with pytest.raises(NotImplementedError, match="strategy=2"):
        ops.MatMul().shard(((2, 1), (1, 1)))
    with pytest.raises(NotImplementedError, match="strategy=8"):
        nn.Dense(2, 2).shard(((1, 1),), parameter_plan={"weight": (8, 1)})


@pytest.mark.parametrize(
    "strategies, error, text",
    [
        ((3,), TypeError, "in_strategy must be tuple type, but got:<class 'int'>"),
        ((((1, 1), (1, 1)), 3), TypeError, "out_strategy must be tuple type"),
        (((1, (1, 1)),), TypeError, "must be tuple/Layout type, but got:<class 'int'>"),
        ((((2, "a"),),), TypeError, "the value of strategy must be int type, but got:<class 'str'>"),
        ((None, ((1, 1),)), ValueError, "need to set in_strategy"),
    ],
)
def test_strategies_are_checked(strategies, error, text):
    with pytest.raises(error, match=text):
        ops.MatMul().shard(*strategies)


def test_places_are_checked():
    for role, rank in (("worker", 0), ("MS_WORKER", -1), ("MS_WORKER", True)):
        with pytest.raises(ValueError, match="place"):
            ops.ReLU().place(role, rank)


def test_a_group_that_does_not_exist():
    with pytest.raises(RuntimeError, match="The group|the group other does not exist"):
        ops.AllReduce(group="other")(Tensor([1.0]))


PROGRAM = """
import numpy as np
import mindspore as ms
from mindspore import communication, nn
communication.init()
ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
print("trains alone")
"""


def test_a_whole_program():
    def run(**variables):
        return subprocess.run(
            [sys.executable, "-c", PROGRAM], env={**os.environ, **variables}, capture_output=True, text=True
        )

    assert run().stdout.strip() == "trains alone"
    refused = run(OMPI_COMM_WORLD_SIZE="2", OMPI_COMM_WORLD_RANK="1")
    assert refused.returncode == 1 and refused.stdout == ""
    assert "NotImplementedError: For 'init', several processes are meant" in refused.stderr


def test_reducers_of_one_process_pass_gradients_on():
    gradients = (Tensor(np.ones(3, np.float32)),)
    reducer = nn.DistributedGradReducer([Parameter(Tensor(np.ones(3, np.float32)))], mean=True, degree=1)
    np.testing.assert_array_equal(reducer(gradients)[0].asnumpy(), gradients[0].asnumpy())
