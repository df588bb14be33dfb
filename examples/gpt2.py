# SPDX-License-Identifier: Apache-2.0
"""A GPT-2-type language model of bytes: functional style, accumulated gradients, sampling."""

import argparse
import math
from pathlib import Path

import numpy as np

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import Normal, initializer

BYTES = 256
SYNTHETIC = b"the quick brown fox jumps over the lazy dog. " * 40


class Block(nn.Cell):
    """Attention to what came before, then two dense layers; each normalised first and beside a shortcut."""

    def __init__(self, width, heads, dropout, layers):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        small = Normal(0.02 / math.sqrt(2 * layers))  # what is added to the stream of shortcuts
        self.attend = nn.Dense(width, 3 * width, weight_init=Normal(0.02))
        self.mix = nn.Dense(width, width, weight_init=small)
        self.wide = nn.Dense(width, 4 * width, weight_init=Normal(0.02))
        self.narrow = nn.Dense(4 * width, width, weight_init=small)
        self.dropout, self.gelu = nn.Dropout(p=dropout), nn.GELU()

    def construct(self, x, future):
        """`future` is True where a place may not look."""
        batch, length, width = x.shape
        parts = self.attend(self.norm1(x)).reshape(batch, length, 3, self.heads, width // self.heads)
        query, key, value = parts.transpose(2, 0, 3, 1, 4)
        scores = ops.matmul(query, key.swapaxes(-1, -2)) / math.sqrt(width // self.heads)
        weights = ops.softmax(scores.masked_fill(future, -1e9), axis=-1)
        mixed = ops.matmul(self.dropout(weights), value).transpose(0, 2, 1, 3).reshape(x.shape)
        x = x + self.dropout(self.mix(mixed))
        return x + self.dropout(self.narrow(self.gelu(self.wide(self.norm2(x)))))


class GPT(nn.Cell):
    """The table of tokens serves twice: it embeds what is read and scores what may follow."""

    def __init__(self, length, width=64, layers=2, heads=4, dropout=0.0):
        super().__init__()
        self.length = length
        self.tokens = Parameter(initializer(Normal(0.02), (BYTES, width)), name="tokens")
        self.places = Parameter(initializer(Normal(0.01), (length, width)), name="places")
        self.blocks = nn.CellList([Block(width, heads, dropout, layers) for _ in range(layers)])
        self.norm, self.dropout = nn.LayerNorm((width,)), nn.Dropout(p=dropout)
        self.future = Tensor(np.triu(np.ones((length, length), bool), 1))

    def construct(self, ids):
        """Scores of the next byte after each of (N, length) bytes."""
        length = ids.shape[1]
        x = self.dropout(ops.gather(self.tokens, ids, 0) + self.places[:length])
        for block in self.blocks:
            x = block(x, self.future[:length, :length])
        return ops.matmul(self.norm(x), self.tokens.T)


class Accumulator(nn.Cell):
    """Adds up gradients; every `times` calls the optimizer gets their mean, clipped."""

    def __init__(self, optimizer, times, clip_norm=1.0):
        super().__init__(auto_prefix=False)
        self.optimizer, self.times, self.clip_norm = optimizer, times, clip_norm
        self.sums = optimizer.parameters.clone(prefix="sums", init="zeros")

    def construct(self, gradients, update):
        """`update` says whether this is the last batch before an update."""
        for place, gradient in enumerate(gradients):
            ops.assign_add(self.sums[place], gradient / self.times)
        if update:
            self.optimizer(ops.clip_by_global_norm(self.sums, self.clip_norm))
            for total in self.sums:
                ops.assign(total, ops.zeros_like(total))
        return update


def sample(network, start, count, rng):
    """Continues a text byte by byte."""
    network.set_train(False)
    ids = list(start)
    for _ in range(count):
        scores = network(Tensor([ids[-network.length :]], ms.int32))[0, -1]
        chances = ops.softmax(scores / 0.7, axis=-1).asnumpy().astype(np.float64)
        ids.append(int(rng.choice(BYTES, p=chances / chances.sum())))
    return bytes(ids).decode("utf-8", "replace")


def main(argv=None):
    """Trains and writes a text; gives the loss of every step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mode", choices=("graph", "pynative"), default="graph")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--accumulate", type=int, default=2, help="batches per update")
    parser.add_argument("--length", type=int, default=32)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--sample", type=int, default=40, help="bytes to write at the end")
    parser.add_argument("--data", help="file of text")
    options = parser.parse_args(argv)

    ms.set_context(mode=ms.GRAPH_MODE if options.mode == "graph" else ms.PYNATIVE_MODE)
    ms.set_seed(1)
    rng = np.random.default_rng(1)
    text = np.frombuffer(Path(options.data).read_bytes() if options.data else SYNTHETIC, np.uint8)

    network = GPT(options.length, options.width, options.layers).set_train()
    updates = max(1, options.steps // options.accumulate)
    rate = nn.cosine_decay_lr(options.rate / 10, options.rate, updates, 1, updates)
    optimizer = nn.AdamWeightDecay(network.trainable_params(), rate, beta2=0.95, weight_decay=0.1)
    accumulator = Accumulator(optimizer, options.accumulate)

    def forward(ids, following):
        return ops.cross_entropy(network(ids).reshape(-1, BYTES), following.reshape(-1))

    value_and_grad = ms.value_and_grad(forward, None, optimizer.parameters)

    def train_step(ids, following, update):
        loss, gradients = value_and_grad(ids, following)
        accumulator(gradients, update)
        return loss

    if options.mode == "graph":
        train_step = ms.jit(train_step)
    losses = []
    for step in range(1, options.steps + 1):
        starts = rng.integers(0, len(text) - options.length, options.batch_size)
        rows = np.stack([text[start : start + options.length + 1] for start in starts]).astype(np.int32)
        loss = train_step(Tensor(rows[:, :-1]), Tensor(rows[:, 1:]), step % options.accumulate == 0)
        losses.append(float(loss))
        if step % max(1, options.steps // 10) == 0:
            print(f"step {step}: loss {losses[-1]:.4f}")
    if options.sample:
        print(sample(network, bytes(text[:8]), options.sample, rng))
    return losses


if __name__ == "__main__":
    main()
