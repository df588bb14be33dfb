# SPDX-License-Identifier: Apache-2.0
"""Networks people train, in the peer's words; models_ours.py has the same in ours."""

from __future__ import annotations

import torch
from steps import BERT_TOKENS, GPT_TOKENS
from torch import nn
from torch.nn import functional

CLASSES = 1000


def _normalised(inputs: int, outputs: int, size: int, stride: int, groups: int = 1, activation=None):
    layers = [
        nn.Conv2d(inputs, outputs, size, stride, padding=size // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
    ]
    return nn.Sequential(*layers, *([activation] if activation is not None else []))


class Bottleneck(nn.Module):
    """Three convolutions beside a shortcut."""

    def __init__(self, inputs: int, width: int, stride: int) -> None:
        super().__init__()
        outputs = 4 * width
        self.first = _normalised(inputs, width, 1, 1, activation=nn.ReLU(inplace=True))
        self.second = _normalised(width, width, 3, stride, activation=nn.ReLU(inplace=True))
        self.third = _normalised(width, outputs, 1, 1)
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = _normalised(inputs, outputs, 1, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.relu(self.third(self.second(self.first(x))) + self.shortcut(x), inplace=True)


class ResNet50(nn.Module):
    """Four stages of 3, 4, 6 and 3 blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = _normalised(3, 64, 7, 2, activation=nn.ReLU(inplace=True))
        self.pool = nn.MaxPool2d(3, 2, padding=1)
        blocks, inputs = [], 64
        for stage, count in enumerate((3, 4, 6, 3)):
            for i in range(count):
                width = 64 << stage
                blocks.append(Bottleneck(inputs, width, 2 if stage and i == 0 else 1))
                inputs = 4 * width
        self.stages = nn.Sequential(*blocks)
        self.classifier = nn.Linear(inputs, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.stages(self.pool(self.stem(x))).mean((2, 3)))


class InvertedResidual(nn.Module):
    """Wider, by channel, narrower; beside a shortcut where shapes allow."""

    def __init__(self, inputs: int, outputs: int, stride: int, widening: int) -> None:
        super().__init__()
        inner = inputs * widening
        layers = (
            [] if widening == 1 else [_normalised(inputs, inner, 1, 1, activation=nn.ReLU6(inplace=True))]
        )
        layers.append(_normalised(inner, inner, 3, stride, inner, nn.ReLU6(inplace=True)))
        layers.append(_normalised(inner, outputs, 1, 1))
        self.layers = nn.Sequential(*layers)
        self.has_shortcut = stride == 1 and inputs == outputs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.layers(x) if self.has_shortcut else self.layers(x)


INVERTED_STAGES = (  # widening, channels, blocks, first stride
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)


class MobileNetV2(nn.Module):
    """Seven stages of inverted residuals."""

    def __init__(self) -> None:
        super().__init__()
        layers, inputs = [_normalised(3, 32, 3, 2, activation=nn.ReLU6(inplace=True))], 32
        for widening, outputs, count, stride in INVERTED_STAGES:
            for i in range(count):
                layers.append(InvertedResidual(inputs, outputs, stride if i == 0 else 1, widening))
                inputs = outputs
        layers.append(_normalised(inputs, 1280, 1, 1, activation=nn.ReLU6(inplace=True)))
        self.layers = nn.Sequential(*layers)
        self.classifier = nn.Linear(1280, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.layers(x).mean((2, 3)))


class Attention(nn.Module):
    """Heads side by side, by the peer's own kernel."""

    def __init__(self, width: int, heads: int, is_causal: bool = False) -> None:
        super().__init__()
        self.heads, self.is_causal = heads, is_causal
        self.projections = nn.Linear(width, 3 * width)
        self.joined = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        split = self.projections(x).view(batch, length, 3, self.heads, width // self.heads)
        query, key, value = split.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=self.is_causal)
        return self.joined(mixed.transpose(1, 2).reshape(batch, length, width))


class BertLayer(nn.Module):
    """Attention and two dense layers, normalised after each."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.attention = Attention(width, 12)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.narrow(functional.gelu(self.wide(x))))


def _table(rows: int, width: int) -> nn.Embedding:
    table = nn.Embedding(rows, width)
    nn.init.normal_(table.weight, std=0.02)
    return table


class Bert(nn.Module):
    """The base size, with a classifier of the first token."""

    def __init__(self, layers: int = 12, width: int = 768, length: int = 128) -> None:
        super().__init__()
        self.tokens = _table(BERT_TOKENS, width)
        self.positions = nn.Parameter(torch.zeros(length, width))
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.Sequential(*(BertLayer(width) for _ in range(layers)))
        self.pooler, self.classifier = nn.Linear(width, width), nn.Linear(width, 2)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.layers(self.norm(self.tokens(ids) + self.positions))
        return self.classifier(torch.tanh(self.pooler(x[:, 0])))


class GptLayer(nn.Module):
    """Attention and two dense layers, normalised before each."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.attention = Attention(width, 12, True)
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.narrow(functional.gelu(self.wide(self.norm2(x)), approximate="tanh"))


class Gpt2(nn.Module):
    """The small size; the token table is also the last layer."""

    def __init__(self, layers: int = 12, width: int = 768, length: int = 256) -> None:
        super().__init__()
        self.tokens = _table(GPT_TOKENS, width)
        self.positions = nn.Parameter(torch.zeros(length, width))
        self.layers = nn.Sequential(*(GptLayer(width) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.norm(self.layers(self.tokens(ids) + self.positions))
        return functional.linear(x.reshape(-1, x.shape[-1]), self.tokens.weight)


NETWORKS = {"resnet50": ResNet50, "mobilenet": MobileNetV2, "bert": Bert, "gpt2": Gpt2}
