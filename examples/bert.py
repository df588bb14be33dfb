# SPDX-License-Identifier: Apache-2.0
"""A BERT-type encoder classifies texts: functional style, clipped gradients, a schedule of learning rates."""

import argparse
import math
import zlib
from pathlib import Path

import numpy as np

import mindspore as ms
import mindspore.dataset as ds
from mindspore import Parameter, nn, ops
from mindspore.common.initializer import TruncatedNormal, initializer

PADDING, FIRST = 0, 1


def dense(inputs, outputs):
    """A layer with the small weights BERT starts from."""
    return nn.Dense(inputs, outputs, weight_init=TruncatedNormal(0.02))


class EncoderLayer(nn.Cell):
    """Attention and two dense layers, each beside a shortcut and normalised afterwards."""

    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (dense(width, width) for _ in range(4))
        self.wide, self.narrow = dense(width, 4 * width), dense(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.dropout, self.gelu = nn.Dropout(p=dropout), nn.GELU(approximate=False)

    def split_heads(self, x):
        batch, length, width = x.shape
        return x.reshape(batch, length, self.heads, width // self.heads).transpose(0, 2, 1, 3)

    def construct(self, x, hidden):
        """`hidden` is very negative where a place is padding and must not be looked at."""
        query, key, value = (self.split_heads(part(x)) for part in (self.query, self.key, self.value))
        scores = ops.matmul(query, key.swapaxes(-1, -2)) / math.sqrt(query.shape[-1]) + hidden
        mixed = ops.matmul(self.dropout(ops.softmax(scores, axis=-1)), value)
        mixed = mixed.transpose(0, 2, 1, 3).reshape(x.shape)
        x = self.norm1(x + self.dropout(self.out(mixed)))
        return self.norm2(x + self.dropout(self.narrow(self.gelu(self.wide(x)))))


class BertClassifier(nn.Cell):
    """Embeddings, layers, and a classifier of what stands above the first token."""

    def __init__(self, tokens, length, classes, width=64, layers=2, heads=4, dropout=0.1):
        super().__init__()
        self.tokens = nn.Embedding(tokens, width, embedding_table=TruncatedNormal(0.02))
        self.places = Parameter(initializer(TruncatedNormal(0.02), (length, width)), name="places")
        self.norm, self.dropout = nn.LayerNorm((width,)), nn.Dropout(p=dropout)
        self.layers = nn.CellList([EncoderLayer(width, heads, dropout) for _ in range(layers)])
        self.pooler, self.classifier = dense(width, width), dense(width, classes)

    def construct(self, ids):
        """Scores of the classes for tokens of shape (N, length)."""
        hidden = (ids == PADDING).astype(ms.float32)[:, None, None, :] * -10000.0
        x = self.dropout(self.norm(self.tokens(ids) + self.places))
        for layer in self.layers:
            x = layer(x, hidden)
        return self.classifier(self.dropout(ops.tanh(self.pooler(x[:, 0]))))


class WarmUpThenDown(nn.learning_rate_schedule.LearningRateSchedule):
    """Up along a line, then down along another."""

    def __init__(self, peak, warm_steps, steps):
        super().__init__()
        self.warm_steps = warm_steps
        self.up, self.down = nn.WarmUpLR(peak, warm_steps), nn.PolynomialDecayLR(peak, 0.0, steps, 1.0)

    def construct(self, global_step):
        return ops.select(global_step < self.warm_steps, self.up(global_step), self.down(global_step))


def read_texts(path, tokens, length):
    """Lines "label<TAB>text": words become numbers by their checksum."""
    rows, labels = [], []
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        label, text = line.split("\t", 1)
        words = [zlib.crc32(word.encode()) % (tokens - 2) + 2 for word in text.lower().split()]
        rows.append(([FIRST, *words] + [PADDING] * length)[:length])
        labels.append(int(label))
    return np.array(rows, np.int32), np.array(labels, np.int32)


def synthetic_texts(tokens, length, rows=256):
    """Texts of any length up to `length`; the class is whether a certain word is among them."""
    rng = np.random.default_rng(0)
    ids = rng.integers(3, tokens, (rows, length)).astype(np.int32)
    labels, sizes = rng.integers(0, 2, rows).astype(np.int32), rng.integers(length // 2, length + 1, rows)
    ids[:, 0] = FIRST
    ids[np.arange(rows), rng.integers(1, length // 2, rows)] = np.where(labels, 2, ids[:, 1])
    ids[np.arange(length) >= sizes[:, None]] = PADDING
    return ids, labels


def main(argv=None):
    """Trains; gives the loss of every step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mode", choices=("graph", "pynative"), default="graph")
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--length", type=int, default=16)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--data", help="file of lines 'label<TAB>text'")
    options = parser.parse_args(argv)

    ms.set_context(mode=ms.GRAPH_MODE if options.mode == "graph" else ms.PYNATIVE_MODE)
    ms.set_seed(1)
    tokens = 8000 if options.data else 100
    texts = (options.data, tokens, options.length)
    ids, labels = read_texts(*texts) if options.data else synthetic_texts(*texts[1:])
    data = ds.NumpySlicesDataset((ids, labels), ["ids", "label"], shuffle=True)
    data = data.batch(options.batch_size, drop_remainder=True)

    network = BertClassifier(tokens, options.length, int(labels.max()) + 1).set_train()
    rate = WarmUpThenDown(options.rate, max(1, options.steps // 10), options.steps)
    optimizer = nn.AdamWeightDecay(network.trainable_params(), learning_rate=rate, weight_decay=0.01)

    def forward(ids, label):
        scores = network(ids)
        return ops.cross_entropy(scores, label), scores

    value_and_grad = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)

    def train_step(ids, label):
        (loss, scores), gradients = value_and_grad(ids, label)
        optimizer(ops.clip_by_global_norm(gradients, 1.0))
        return loss, (scores.argmax(1) == label).astype(ms.float32).mean()

    if options.mode == "graph":
        train_step = ms.jit(train_step)
    losses = []
    data = data.repeat(options.steps // data.get_dataset_size() + 1).take(options.steps)
    for step, (ids, label) in enumerate(data.create_tuple_iterator(num_epochs=1), start=1):
        loss, accuracy = train_step(ids, label)
        losses.append(float(loss))
        if step % max(1, options.steps // 10) == 0:
            print(f"step {step}: loss {losses[-1]:.4f}, accuracy of the batch {float(accuracy):.0%}")
    return losses


if __name__ == "__main__":
    main()
