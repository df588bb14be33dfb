# SPDX-License-Identifier: Apache-2.0
"""The networks of the training steps in our words; networks_torch.py has the same in the peer's."""

from __future__ import annotations

import math

import models_ours
from steps import CLASSES, STEPS, TOKENS

import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore.common.initializer import Normal


class LeNet5(nn.Cell):
    """Two convolutions and three dense layers."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.SequentialCell(
            nn.Conv2d(1, 6, 5, pad_mode="pad", padding=2, has_bias=True),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
            nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True),
            nn.ReLU(),
            nn.MaxPool2d(2, 2),
        )
        self.flatten = nn.Flatten()
        self.classifier = nn.SequentialCell(
            nn.Dense(400, 120), nn.ReLU(), nn.Dense(120, 84), nn.ReLU(), nn.Dense(84, CLASSES)
        )

    def construct(self, x: Tensor) -> Tensor:
        return self.classifier(self.flatten(self.features(x)))


def mlp() -> nn.Cell:
    return nn.SequentialCell(
        nn.Dense(784, 1024), nn.ReLU(), nn.Dense(1024, 1024), nn.ReLU(), nn.Dense(1024, CLASSES)
    )


def _convolution(inputs: int, outputs: int, size: int, stride: int) -> nn.Cell:
    return nn.SequentialCell(
        nn.Conv2d(inputs, outputs, size, stride, pad_mode="pad", padding=size // 2),
        nn.BatchNorm2d(outputs),
    )


class Residual(nn.Cell):
    """Two convolutions beside a shortcut."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.first = _convolution(inputs, outputs, 3, stride)
        self.second = _convolution(outputs, outputs, 3, 1)
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = _convolution(inputs, outputs, 1, stride)

    def construct(self, x: Tensor) -> Tensor:
        inner = self.second(ops.relu(self.first(x)))
        return ops.relu(inner + self.shortcut(x))


class ResNet18(nn.Cell):
    """Four stages of two residual blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.SequentialCell(_convolution(3, 64, 7, 2), nn.ReLU())
        self.pool = nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)
        blocks, inputs = [], 64
        for stage in range(4):
            outputs = 64 << stage
            blocks += [Residual(inputs, outputs, 1 if stage == 0 else 2), Residual(outputs, outputs, 1)]
            inputs = outputs
        self.stages = nn.SequentialCell(*blocks)
        self.classifier = nn.Dense(512, CLASSES)

    def construct(self, x: Tensor) -> Tensor:
        x = self.stages(self.pool(self.stem(x)))
        return self.classifier(x.mean((2, 3)))


class EncoderLayer(nn.Cell):
    """Attention and two dense layers, each with a shortcut and normalised afterwards."""

    def __init__(self, width: int, heads: int, inner: int) -> None:
        super().__init__()
        self.heads, self.scale = heads, 1 / math.sqrt(width // heads)
        self.query, self.key, self.value = (nn.Dense(width, width) for _ in range(3))
        self.joined = nn.Dense(width, width)
        self.wide, self.narrow = nn.Dense(width, inner), nn.Dense(inner, width)
        self.norm1, self.norm2 = nn.LayerNorm((width,), epsilon=1e-5), nn.LayerNorm((width,), epsilon=1e-5)
        self.gelu = nn.GELU(approximate=False)

    def _split(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        return x.reshape(batch, length, self.heads, width // self.heads).transpose(0, 2, 1, 3)

    def construct(self, x: Tensor) -> Tensor:
        query, key, value = self._split(self.query(x)), self._split(self.key(x)), self._split(self.value(x))
        scores = ops.matmul(query, key.transpose(0, 1, 3, 2)) * self.scale
        mixed = ops.matmul(ops.softmax(scores, -1), value)
        x = self.norm1(x + self.joined(mixed.transpose(0, 2, 1, 3).reshape(x.shape)))
        return self.norm2(x + self.narrow(self.gelu(self.wide(x))))


class Encoder(nn.Cell):
    """Token and position tables, layers, a classifier of the first token."""

    def __init__(self, layers: int = 4, width: int = 256, length: int = 128) -> None:
        super().__init__()
        self.tokens = nn.Embedding(TOKENS, width, embedding_table=Normal(0.02))
        self.positions = ms.Parameter(ops.zeros((length, width)), name="positions")
        self.norm = nn.LayerNorm((width,), epsilon=1e-5)
        self.layers = nn.SequentialCell(*(EncoderLayer(width, 4, 4 * width) for _ in range(layers)))
        self.classifier = nn.Dense(width, CLASSES)

    def construct(self, ids: Tensor) -> Tensor:
        x = self.layers(self.norm(self.tokens(ids) + self.positions))
        return self.classifier(x[:, 0])


class Memory(nn.Cell):
    """Two recurrent layers and a classifier of the last step."""

    def __init__(self, width: int = 512) -> None:
        super().__init__()
        self.layers = nn.LSTM(width, width, num_layers=2)
        self.classifier = nn.Dense(width, CLASSES)

    def construct(self, x: Tensor) -> Tensor:
        return self.classifier(self.layers(x)[0][-1])


NETWORKS = {
    "lenet": LeNet5,
    "mlp": mlp,
    "resnet": ResNet18,
    "transformer": Encoder,
    "lstm": Memory,
    **models_ours.NETWORKS,
}


def build(name: str, graph: bool):
    """The training step of a network, a callable that returns the loss."""
    ms.set_seed(1)
    step = STEPS[name]
    network = NETWORKS[name]().set_train()
    weights = network.trainable_params()
    optimizer = (
        nn.Adam(weights, step.rate) if step.optimizer == "adam" else nn.Momentum(weights, step.rate, 0.9)
    )
    differentiated = ms.value_and_grad(
        lambda x, y: ops.cross_entropy(network(x), y), None, optimizer.parameters
    )

    def train(x: Tensor, y: Tensor) -> Tensor:
        loss, gradients = differentiated(x, y)
        optimizer(gradients)
        return loss

    inputs, labels = map(Tensor, step.data())
    chosen = ms.jit(train) if graph else train
    return lambda: chosen(inputs, labels)


def build_add(graph: bool):
    """One addition of two small tensors."""

    def add(x: Tensor, y: Tensor) -> Tensor:
        return x + y

    x, y = ops.ones((2, 3)), ops.ones((2, 3))
    chosen = ms.jit(add) if graph else add
    return lambda: chosen(x, y)
