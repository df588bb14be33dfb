# SPDX-License-Identifier: Apache-2.0
"""Times the first call of a compiled training step with a batch of a size it has never seen.

Once as a capture of each size, once from what was learnt with sizes as symbols, and for comparison a call
with a size that is known. The kernel library has made its code for these sizes before, in a pass that does
not count: that costs the same in every mode. Seconds of the calling thread, one thread computes; medians.
"""

from __future__ import annotations

import statistics
import time

import numpy as np

import mindspore as ms
from mindspore import Tensor, nn
from mindspore import _c_expression as _c
from mindspore._capture import sizes

FIRST, COUNT = 9, 24
_learn = sizes.learn


class Lenet(nn.Cell):
    """LeNet-5 on pictures of 32 x 32."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5, pad_mode="valid"), nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.pool, self.relu, self.flatten = nn.MaxPool2d(2, 2), nn.ReLU(), nn.Flatten()
        self.dense = nn.SequentialCell(
            nn.Dense(400, 120), nn.ReLU(), nn.Dense(120, 84), nn.ReLU(), nn.Dense(84, 10)
        )

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        return self.dense(self.flatten(self.pool(self.relu(self.conv2(x)))))


class Transformer(nn.Cell):
    """Two encoder layers of 64."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
        self.embedding, self.encoder, self.head = (
            nn.Dense(32, 64),
            nn.TransformerEncoder(layer, 2),
            nn.Dense(64, 10),
        )

    def construct(self, x):
        return self.head(self.encoder(self.embedding(x)).mean(axis=1))


def mlp() -> nn.Cell:
    """Three dense layers."""
    return nn.SequentialCell(nn.Dense(784, 128), nn.ReLU(), nn.Dense(128, 64), nn.ReLU(), nn.Dense(64, 10))


NETWORKS = {"MLP": (mlp, (784,)), "LeNet-5": (Lenet, (1, 32, 32)), "Transformer": (Transformer, (16, 32))}


def seconds(call, args: tuple) -> float:
    """Of one call."""
    start = time.thread_time()
    call(*args)
    return time.thread_time() - start


def measure(network: nn.Cell, shape: tuple) -> tuple[float, float]:
    """(first call with a new size, second call with it), after a few sizes."""
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    step = nn.TrainOneStepCell(nn.WithLossCell(network, loss), nn.Adam(network.trainable_params(), 1e-3))
    step.set_train()
    new, known = [], []
    for n in range(FIRST - 4, FIRST + COUNT):
        args = Tensor(np.ones((n, *shape), np.float32)), Tensor(np.zeros(n, np.int32))
        times = seconds(step, args), seconds(step, args)
        if n >= FIRST:
            new.append(times[0])
            known.append(times[1])
    return statistics.median(new), statistics.median(known)


def main() -> None:
    """Prints a row per network."""
    ms.set_context(mode=ms.GRAPH_MODE)
    _c.set_compute_threads(1)
    print("| training step | captured, ms | from what was learnt, ms | known size, ms |\n|---|--:|--:|--:|")
    for name, (make, shape) in NETWORKS.items():
        sizes.learn = lambda *_: None
        measure(make(), shape)
        captured, _ = measure(make(), shape)
        sizes.learn = _learn
        learnt, known = measure(make(), shape)
        print(f"| {name} | {captured * 1e3:.2f} | {learnt * 1e3:.2f} | {known * 1e3:.2f} |")


if __name__ == "__main__":
    main()
