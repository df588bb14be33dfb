# SPDX-License-Identifier: Apache-2.0
"""The networks of the training steps in the peer's words; networks_ours.py has the same in ours."""

from __future__ import annotations

import models_torch
import torch
from steps import CLASSES, STEPS, TOKENS
from torch import nn
from torch.nn import functional


def lenet() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Conv2d(6, 16, 5),
        nn.ReLU(),
        nn.MaxPool2d(2, 2),
        nn.Flatten(),
        nn.Linear(400, 120),
        nn.ReLU(),
        nn.Linear(120, 84),
        nn.ReLU(),
        nn.Linear(84, CLASSES),
    )


def mlp() -> nn.Module:
    return nn.Sequential(
        nn.Linear(784, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, CLASSES)
    )


def _convolution(inputs: int, outputs: int, size: int, stride: int) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, padding=size // 2, bias=False), nn.BatchNorm2d(outputs)
    )


class Residual(nn.Module):
    """Two convolutions beside a shortcut."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.first = _convolution(inputs, outputs, 3, stride)
        self.second = _convolution(outputs, outputs, 3, 1)
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = _convolution(inputs, outputs, 1, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        inner = self.second(functional.relu(self.first(x), inplace=True))
        return functional.relu(inner + self.shortcut(x), inplace=True)


class ResNet18(nn.Module):
    """Four stages of two residual blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(_convolution(3, 64, 7, 2), nn.ReLU(inplace=True))
        self.pool = nn.MaxPool2d(3, 2, padding=1)
        blocks, inputs = [], 64
        for stage in range(4):
            outputs = 64 << stage
            blocks += [Residual(inputs, outputs, 1 if stage == 0 else 2), Residual(outputs, outputs, 1)]
            inputs = outputs
        self.stages = nn.Sequential(*blocks)
        self.classifier = nn.Linear(512, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.stages(self.pool(self.stem(x)))
        return self.classifier(x.mean((2, 3)))


class EncoderLayer(nn.Module):
    """Attention and two dense layers, each with a shortcut and normalised afterwards."""

    def __init__(self, width: int, heads: int, inner: int) -> None:
        super().__init__()
        self.heads = heads
        self.projections = nn.Linear(width, 3 * width)
        self.joined = nn.Linear(width, width)
        self.wide, self.narrow = nn.Linear(width, inner), nn.Linear(inner, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        split = self.projections(x).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = split.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value)
        x = self.norm1(x + self.joined(mixed.transpose(1, 2).reshape(batch, length, width)))
        return self.norm2(x + self.narrow(functional.gelu(self.wide(x))))


class Encoder(nn.Module):
    """Token and position tables, layers, a classifier of the first token."""

    def __init__(self, layers: int = 4, width: int = 256, length: int = 128) -> None:
        super().__init__()
        self.tokens = nn.Embedding(TOKENS, width)
        nn.init.normal_(self.tokens.weight, std=0.02)
        self.positions = nn.Parameter(torch.zeros(length, width))
        self.norm = nn.LayerNorm(width)
        self.layers = nn.Sequential(*(EncoderLayer(width, 4, 4 * width) for _ in range(layers)))
        self.classifier = nn.Linear(width, CLASSES)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.layers(self.norm(self.tokens(ids) + self.positions))
        return self.classifier(x[:, 0])


class Memory(nn.Module):
    """Two recurrent layers and a classifier of the last step."""

    def __init__(self, width: int = 512) -> None:
        super().__init__()
        self.layers = nn.LSTM(width, width, num_layers=2)
        self.classifier = nn.Linear(width, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.layers(x)[0][-1])


NETWORKS = {
    "lenet": lenet,
    "mlp": mlp,
    "resnet": ResNet18,
    "transformer": Encoder,
    "lstm": Memory,
    **models_torch.NETWORKS,
}


def build(name: str, channels_last: bool = False, compiles: bool = False):
    """The training step of a network, a callable that returns the loss."""
    torch.manual_seed(1)
    step = STEPS[name]
    network = NETWORKS[name]().train()
    inputs, labels = map(torch.from_numpy, step.data())
    labels = labels.long()
    if channels_last:
        network = network.to(memory_format=torch.channels_last)
        inputs = inputs.to(memory_format=torch.channels_last)
    weights = list(network.parameters())
    forward = torch.compile(network) if compiles else network
    optimizer = (
        torch.optim.Adam(weights, step.rate, fused=True)
        if step.optimizer == "adam"
        else torch.optim.SGD(weights, step.rate, momentum=0.9, fused=True)
    )

    def train() -> torch.Tensor:
        optimizer.zero_grad()
        loss = functional.cross_entropy(forward(inputs), labels)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return train


def build_add():
    """One addition of two small tensors."""
    x, y = torch.ones(2, 3), torch.ones(2, 3)
    return lambda: x + y
