# SPDX-License-Identifier: Apache-2.0
"""Training that was killed goes on as if nothing had happened; random numbers can be put back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mindspore as ms
from mindspore import dataset as ds
from mindspore import nn, ops
from mindspore.train import CheckpointConfig, Model, ModelCheckpoint, resume_training

PROGRAM = Path(__file__).with_name("resumed_training.py")


CASES = ["pynative-plain-ckpt", "graph-plain-safetensors", "graph-sink-ckpt"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The folder of all runs of all cases."""
    folder = tmp_path_factory.mktemp("runs")
    done = subprocess.run([sys.executable, str(PROGRAM), str(folder), *CASES], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder, done.stderr


@pytest.mark.parametrize("case", CASES)
def test_resumed_training_is_the_same_to_the_bit(runs, case):
    folder, errors = runs[0] / case, runs[1]
    assert json.loads((folder / "statuses.json").read_text()) == {"killed": -9, "whole": 0, "resumed": 0}, (
        errors
    )
    expected, first_part, second_part = (
        (folder / f"{action}.txt").read_text().splitlines() for action in ("whole", "killed", "resumed")
    )
    assert expected[: len(first_part)] == first_part
    assert second_part == expected[-len(second_part) :]
    if "-plain-" in case:
        assert second_part[0].split()[0] == "16"  # in the middle of an epoch
        assert {line.split()[2] for line in expected[:-1]} == {"00", "01"}  # some steps overflowed


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 1)

    def construct(self, x):
        return self.dense(x)


def model_and_data(rows=8):
    net = Net()
    data = ds.NumpySlicesDataset((np.ones((rows, 2), np.float32), np.ones((rows, 1), np.float32)), ["x", "y"])
    return Model(net, nn.MSELoss(), nn.Adam(net.trainable_params())), data.batch(2)


def test_what_cannot_be_resumed_is_refused(tmp_path):
    ms.set_seed(1)
    model, data = model_and_data()
    for name, settings in {
        "plain": {},
        "part": {"append_info": ["training_state"], "saved_network": model.network},
        "good": {"append_info": ["training_state", {"more": 1}]},
    }.items():
        config = CheckpointConfig(save_checkpoint_steps=3, **settings)
        model.train(1, data, ModelCheckpoint(name, str(tmp_path), config))
    with pytest.raises(ValueError, match="no state of a training"):
        resume_training(str(tmp_path / "plain-1_3.ckpt"), model, data)
    with pytest.raises(ValueError, match="lacks .* parameters of the training network"):
        resume_training(str(tmp_path / "part-1_3.ckpt"), model, data)
    with pytest.raises(ValueError, match="must have the 4 steps"):
        resume_training(str(tmp_path / "good-1_3.ckpt"), *model_and_data(rows=4))
    assert resume_training(str(tmp_path / "good-1_3.ckpt"), model, data) == 0
    assert data.get_init_step() == 3
    assert resume_training(str(tmp_path / "good-1_4.ckpt"), model, data) == 1
    assert data.get_init_step() == 4
    model.train(2, data, initial_epoch=1)
    assert data.get_init_step() == 0  # the next training is a whole one


DRAWS = {
    "dropout": lambda: ops.dropout(ops.ones((50,)), 0.5),
    "normal": lambda: ops.standard_normal((20,)),
    "uniform": lambda: ops.rand(20),
    "integers": lambda: ops.randint(0, 1000, (20,)),
    "order": lambda: ops.randperm(20),
    "gamma": lambda: ops.gamma((5,), ms.Tensor([1.0]), ms.Tensor([2.0]), 7),
    "chosen": lambda: ops.multinomial(ops.ones((30,)) / 30, 20),
    "own seed": lambda: ops.uniform((20,), ms.Tensor(0.0), ms.Tensor(1.0), seed=5),
    "truth": lambda: ops.bernoulli(ops.ones((30,)) / 2),
}


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "graph"])
def test_the_state_of_random_numbers_comes_back(compiled):
    draws = {name: ms.jit(draw) if compiled else draw for name, draw in DRAWS.items()}

    def numbers():
        return {name: [draw().asnumpy() for _ in range(2)] for name, draw in draws.items()}

    ms.set_seed(3)
    numbers()  # somewhere in the middle of every sequence
    state = ms.get_rng_state()
    expected, others = numbers(), numbers()
    ms.set_seed(4)
    numbers()
    ms.set_rng_state(state)
    found = numbers()
    for name in DRAWS:
        np.testing.assert_array_equal(found[name], expected[name], name)
        assert not np.array_equal(found[name][0], found[name][1]), name
        assert not np.array_equal(others[name], expected[name]), name
