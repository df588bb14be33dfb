# SPDX-License-Identifier: Apache-2.0
"""Trains LeNet-5 on Fashion-MNIST in PyNative mode, evaluates it and draws the loss curve.

Run by `bash quickstart.sh`. Ends with status 1 if the network does not learn.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import mindspore as ms
from mindspore import Tensor, nn, ops

CLASSES = ["T-shirt", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Boot"]
LEAST_ACCURACY = 0.88


class LeNet5(nn.Cell):
    """Two convolutions and three dense layers, after LeCun et al. (1998), with ReLU and max pooling."""

    def __init__(self, classes: int = 10) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="pad", padding=2)
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.relu = nn.ReLU()
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(16 * 5 * 5, 120)
        self.fc2 = nn.Dense(120, 84)
        self.fc3 = nn.Dense(84, classes)

    def construct(self, x: Tensor) -> Tensor:
        """Scores of each class for images of shape (N, 1, 28, 28)."""
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)


class Batches:
    """Images and labels in batches, shuffled anew for every epoch when a generator is given."""

    def __init__(self, images: np.ndarray, labels: np.ndarray, size: int, shuffle=None) -> None:
        self.images, self.labels, self.size, self.shuffle = images, labels, size, shuffle

    def __len__(self) -> int:
        return -(-len(self.labels) // self.size)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        order = np.arange(len(self.labels))
        if self.shuffle is not None:
            self.shuffle.shuffle(order)
        for start in range(0, len(order), self.size):
            rows = order[start : start + self.size]
            yield Tensor(self.images[rows]), Tensor(self.labels[rows])


class ProgressBar:
    """A bar on a terminal, nothing elsewhere."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.shown = sys.stdout.isatty()

    def update(self, done: int, text: str) -> None:
        """Draws the state after `done` of the steps."""
        if self.shown and (done % 20 == 0 or done == self.total):
            filled = 30 * done // self.total
            print(
                f"\r  [{'#' * filled}{'.' * (30 - filled)}] {done}/{self.total} {text} ", end="", flush=True
            )

    def clear(self) -> None:
        """Removes the bar, so that a line can take its place."""
        if self.shown:
            print("\r" + " " * 78 + "\r", end="")


def read_idx(path: Path) -> np.ndarray:
    """An array from a gzipped IDX file: magic number with type and rank, dimensions, bytes."""
    content = gzip.decompress(path.read_bytes())
    zeros, kind, rank = int.from_bytes(content[:2], "big"), content[2], content[3]
    if zeros != 0 or kind != 8:
        raise ValueError(f"{path} is not an IDX file of bytes")
    shape = np.frombuffer(content, ">i4", count=rank, offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * rank).reshape(shape)


def load(folder: Path, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Images as float32 (N, 1, 28, 28) with mean 0 and deviation 1, and labels as int32."""
    images = read_idx(folder / f"{part}-images-idx3-ubyte.gz").astype(np.float32) / 255
    labels = read_idx(folder / f"{part}-labels-idx1-ubyte.gz").astype(np.int32)
    return (images[:, np.newaxis] - np.float32(0.2860)) / np.float32(0.3530), labels


def train(net: LeNet5, batches: Batches, test: Batches, epochs: int) -> list[float]:
    """Trains, prints a line per epoch, returns the loss of every step."""
    steps = epochs * len(batches)
    # From the full rate down to zero along half a cosine: the last epoch settles.
    rates = [0.5 * 0.002 * (1 + np.cos(np.pi * step / steps)) for step in range(steps)]
    optimizer = nn.Adam(net.trainable_params(), learning_rate=[float(rate) for rate in rates])

    def forward(images: Tensor, labels: Tensor) -> Tensor:
        return ops.cross_entropy(net(images), labels)

    step = ms.value_and_grad(forward, None, optimizer.parameters)
    losses: list[float] = []
    for epoch in range(1, epochs + 1):
        net.set_train()
        start, bar = time.perf_counter(), ProgressBar(len(batches))
        for done, (images, labels) in enumerate(batches, start=1):
            loss, gradients = step(images, labels)
            optimizer(gradients)
            losses.append(float(loss.asnumpy()))
            bar.update(done, f"loss {losses[-1]:.3f}")
        bar.clear()
        mean, seconds = float(np.mean(losses[-len(batches) :])), time.perf_counter() - start
        accuracy = evaluate(net, test)
        print(
            f"epoch {epoch}/{epochs}: loss {mean:.4f}, test accuracy {accuracy:.2%}, "
            f"{len(batches.labels) / seconds:,.0f} images/s, {seconds:.1f} s",
            flush=True,
        )
    return losses


def evaluate(net: LeNet5, batches: Batches) -> float:
    """Share of images whose highest score is the right class."""
    net.set_train(False)
    right = sum(
        int((net(images).asnumpy().argmax(1) == labels.asnumpy()).sum()) for images, labels in batches
    )
    return right / len(batches.labels)


def show_predictions(net: LeNet5, images: np.ndarray, labels: np.ndarray, count: int = 8) -> None:
    """Prints what the network sees in the first few test images."""
    net.set_train(False)
    probabilities = ops.softmax(net(Tensor(images[:count])), axis=1).asnumpy()
    print("some test images:")
    for label, row in zip(labels[:count], probabilities, strict=True):
        guess = int(row.argmax())
        mark = "right" if guess == label else f"wrong, it is {CLASSES[label]}"
        print(f"  {CLASSES[guess]:<9} {row[guess]:6.1%}  {mark}")


def draw_losses(losses: list[float], path: Path) -> None:
    """Saves the loss of every step, and its running mean, as an image."""
    window = min(50, len(losses))
    mean = np.convolve(losses, np.ones(window) / window, mode="valid")
    figure = Figure(figsize=(7, 4), layout="tight")
    axes = figure.subplots()
    axes.plot(losses, color="lightsteelblue", linewidth=0.5, label="each step")
    axes.plot(np.arange(window - 1, len(losses)), mean, color="navy", label=f"mean of {window} steps")
    axes.set(xlabel="step", ylabel="loss", title="LeNet-5 on Fashion-MNIST")
    axes.set_ylim(bottom=0)
    axes.legend()
    figure.savefig(path, dpi=120)


def main() -> int:
    """Trains, evaluates, predicts, draws; status 1 if the accuracy is too low."""
    parser = argparse.ArgumentParser(description="LeNet-5 on Fashion-MNIST")
    parser.add_argument("--data", type=Path, default=Path("/usr/share/datasets/fashion-mnist"))
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--curve", type=Path, default=Path("quickstart_loss.png"))
    options = parser.parse_args()

    ms.set_context(mode=ms.PYNATIVE_MODE)
    ms.set_seed(1)
    images, labels = load(options.data, "train")
    test_images, test_labels = load(options.data, "t10k")
    test = Batches(test_images, test_labels, 1000)
    shuffle = np.random.default_rng(1)

    net = LeNet5()
    print(f"mindspore {ms.__version__}: {len(labels)} training and {len(test_labels)} test images")
    losses = train(net, Batches(images, labels, options.batch_size, shuffle), test, options.epochs)
    accuracy = evaluate(net, test)
    show_predictions(net, test_images, test_labels)
    draw_losses(losses, options.curve)
    print(f"loss curve: {options.curve}")
    print(f"test accuracy: {accuracy:.2%} (at least {LEAST_ACCURACY:.0%} expected)")
    return 0 if accuracy >= LEAST_ACCURACY else 1


if __name__ == "__main__":
    sys.exit(main())
