# SPDX-License-Identifier: Apache-2.0
"""What a training tells in the log: INFO says what happened, once each; nothing tells of every step."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mindspore

_PROGRAM = """
import numpy as np
import mindspore as ms
from mindspore import dataset, nn
from mindspore.train import Model

ms.set_context(mode=ms.GRAPH_MODE)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(4, 3)

    def construct(self, x):
        return self.fc(x) * 0.5

class Looking(nn.Cell):
    def construct(self, x):
        return ms.Tensor(x.asnumpy() * 2)

net = Net()
rows = (np.ones((40, 4), np.float32), np.zeros(40, np.int32))
data = dataset.NumpySlicesDataset(rows, ["x", "y"]).batch(4)
model = Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params(), 0.01))
model.train(3, data, dataset_sink_mode=False)
ms.save_checkpoint(net, "net.ckpt")
ms.load_checkpoint("net.ckpt", net)
for _ in range(3):
    Looking()(ms.Tensor(np.ones((40, 40), np.float32)))
"""


def _lines(tmp_path, level: int) -> list[str]:
    environment = {**os.environ, "GLOG_v": str(level), "MYCEL_CODE_CACHE": str(tmp_path / "cache")}
    environment["PYTHONPATH"] = str(Path(mindspore.__file__).resolve().parents[1])
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return [line for line in done.stderr.splitlines() if re.match(r"\[[A-Z]+\] ", line)]


_TOLD_ONCE = (
    r"Training of 'Net' begins: epochs 1 to 3, 10 steps each, row by row\.",
    r"Training ends after 30 steps in [\d.]+ s\.",
    r"Data begins to flow: BatchDataset, 3 epochs\.",
    r"net\.ckpt is saved: 2 entries, \d+ bytes, in [\d.]+ ms\.",
    r"net\.ckpt is loaded: 2 entries in [\d.]+ ms\.",
    r"'TrainOneStepCell' is captured, the 1\. kind of call: recorded in [\d.]+ ms, compiled and run in",
    r"'TrainOneStepCell': \d+ recorded operators are compiled to \d+ in [\d.]+ ms, \d+ bytes",
    r"\[WARNING\].*'Looking' is not compiled and runs like PyNative mode",
)


def test_info_tells_what_happened(tmp_path):
    lines = _lines(tmp_path, 1)
    for told in _TOLD_ONCE:
        found = [line for line in lines if re.search(told, line)]
        assert len(found) >= 1 if "Looking" in told else len(found) == 1, (told, lines)
    assert len(lines) < 40, lines  # thirty steps have left no line of their own


@pytest.mark.parametrize("level, kinds", [(2, {"[WARNING]"}), (3, set())])
def test_higher_levels_leave_it_out(tmp_path, level, kinds):
    assert {line.split(" ")[0] for line in _lines(tmp_path, level)} == kinds
