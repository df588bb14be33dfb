# SPDX-License-Identifier: Apache-2.0
"""A training that can be killed and resumed, as a program: writes its losses and a sum over all parameters.

Every run is a process of its own, forked from one that has imported all and done nothing. For a case such as
``graph-sink-ckpt``, what the runs print is in ``whole.txt``, ``killed.txt`` and ``resumed.txt`` of the case's
folder, and how they ended in ``statuses.json``::

    python resumed_training.py folder case case ...
"""

import hashlib
import json
import os
import signal
import sys
import traceback
from pathlib import Path

import numpy as np

import mindspore as ms
from mindspore import dataset as ds
from mindspore import nn
from mindspore.train import (
    Callback,
    CheckpointConfig,
    DynamicLossScaleManager,
    Model,
    ModelCheckpoint,
    resume_training,
)

EPOCHS, ROWS, BATCH, SAVED_EVERY, KILLED_AT = 4, 40, 4, 3, 17  # ten steps in an epoch


class Net(nn.Cell):
    """Dropout twice, once with a seed of its own, and a batch normalisation."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Dense(6, 16), nn.Dense(16, 3)
        self.norm = nn.BatchNorm1d(16)
        self.dropout, self.relu = nn.Dropout(p=0.4), nn.ReLU()

    def construct(self, x):
        hidden = self.dropout(self.relu(self.norm(self.first(x))))
        noise = ms.ops.standard_normal(hidden.shape) * 0.01
        return self.second(self.dropout(hidden + noise))


class Losses(Callback):
    """Prints every loss, and kills the program when told."""

    def __init__(self, killed_at=None):
        super().__init__()
        self.killed_at = killed_at

    def on_train_step_end(self, run_context):
        params = run_context.original_args()
        outputs = params.net_outputs
        step = (
            (params.cur_epoch_num - 1) * params.batch_num + (params.cur_step_num - 1) % params.batch_num + 1
        )
        numbers = [np.asarray(value.asnumpy()).tobytes().hex() for value in outputs]
        print(step, *numbers, flush=True)
        if self.killed_at is not None and step >= self.killed_at:
            os.kill(os.getpid(), signal.SIGKILL)


def data() -> ds.Dataset:
    generator = np.random.default_rng(1)
    columns = (
        generator.standard_normal((ROWS, 6)).astype(np.float32),
        generator.integers(0, 3, ROWS).astype(np.int32),
    )
    rows = ds.NumpySlicesDataset(columns, ["x", "y"], shuffle=True).shuffle(10)
    return rows.map(lambda x: x + np.float32(0.5), "x").batch(BATCH)


def train(folder: str, case: str, action: str) -> None:
    mode, sink, file_format = case.split("-")
    ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
    ms.set_seed(11)
    net, rows = Net(), data()
    scale = DynamicLossScaleManager(2.0**126, 2, 4)  # too large at first, and grows again
    optimizer = nn.Adam(net.trainable_params(), nn.exponential_decay_lr(0.05, 0.9, 40, 10, 1))
    loss = nn.CrossEntropyLoss()
    model = Model(net, loss, optimizer, loss_scale_manager=scale)
    config = CheckpointConfig(
        save_checkpoint_steps=SAVED_EVERY,
        keep_checkpoint_max=2,
        append_info=["epoch_num", "training_state"],
        format=file_format,
    )
    callbacks = [ModelCheckpoint("net", folder, config), Losses(KILLED_AT if action == "killed" else None)]
    done = 0
    if action == "resumed":
        newest = max(Path(folder).glob(f"net-*.{file_format}"), key=lambda path: path.stat().st_mtime_ns)
        done = resume_training(str(newest), model, rows)
    model.train(EPOCHS, rows, callbacks, dataset_sink_mode=sink == "sink", initial_epoch=done)
    total = hashlib.sha256()
    for parameter in model.train_network.get_parameters():
        total.update(parameter.name.encode() + parameter.asnumpy().tobytes())
    print("end", total.hexdigest(), scale.get_loss_scale(), np.random.rand(), float(ms.ops.rand(1)[0]))


def started(folder: Path, case: str, action: str) -> int:
    """A run in a process of its own."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        os.dup2(os.open(folder / f"{action}.txt", os.O_WRONLY | os.O_CREAT, 0o600), 1)
        files = folder / ("whole" if action == "whole" else "part")
        files.mkdir(exist_ok=True)
        train(str(files), case, action)
        sys.stdout.flush()
        status = 0
    except BaseException:
        traceback.print_exc()
    os._exit(status)


def main(folder: str, *cases: str) -> None:
    """All runs of all cases."""
    for case in cases:
        place = Path(folder, case)
        place.mkdir()
        children = {action: started(place, case, action) for action in ("killed", "whole")}
        statuses = {"killed": os.waitpid(children["killed"], 0)[1]}
        children["resumed"] = started(place, case, "resumed")
        for action in ("whole", "resumed"):
            statuses[action] = os.waitpid(children[action], 0)[1]
        codes = {action: os.waitstatus_to_exitcode(status) for action, status in statuses.items()}
        (place / "statuses.json").write_text(json.dumps(codes))


if __name__ == "__main__":
    main(*sys.argv[1:])
