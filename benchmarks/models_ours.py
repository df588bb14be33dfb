# SPDX-License-Identifier: Apache-2.0
"""Networks people train, in our words; models_torch.py has the same in the peer's."""

from __future__ import annotations

import math

import numpy
from steps import BERT_TOKENS, GPT_TOKENS

import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore.common.initializer import Normal

CLASSES = 1000


def _normalised(inputs: int, outputs: int, size: int, stride: int, groups: int = 1, activation=None):
    layers = [
        nn.Conv2d(inputs, outputs, size, stride, pad_mode="pad", padding=size // 2, group=groups),
        nn.BatchNorm2d(outputs),
    ]
    return nn.SequentialCell(*layers, *([activation] if activation is not None else []))


class Bottleneck(nn.Cell):
    """Three convolutions beside a shortcut."""

    def __init__(self, inputs: int, width: int, stride: int) -> None:
        super().__init__()
        outputs = 4 * width
        self.first = _normalised(inputs, width, 1, 1, activation=nn.ReLU())
        self.second = _normalised(width, width, 3, stride, activation=nn.ReLU())
        self.third = _normalised(width, outputs, 1, 1)
        self.shortcut = nn.Identity()
        if stride != 1 or inputs != outputs:
            self.shortcut = _normalised(inputs, outputs, 1, stride)

    def construct(self, x: Tensor) -> Tensor:
        return ops.relu(self.third(self.second(self.first(x))) + self.shortcut(x))


class ResNet50(nn.Cell):
    """Four stages of 3, 4, 6 and 3 blocks."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = _normalised(3, 64, 7, 2, activation=nn.ReLU())
        self.pool = nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)
        blocks, inputs = [], 64
        for stage, count in enumerate((3, 4, 6, 3)):
            for i in range(count):
                width = 64 << stage
                blocks.append(Bottleneck(inputs, width, 2 if stage and i == 0 else 1))
                inputs = 4 * width
        self.stages = nn.SequentialCell(*blocks)
        self.classifier = nn.Dense(inputs, CLASSES)

    def construct(self, x: Tensor) -> Tensor:
        return self.classifier(self.stages(self.pool(self.stem(x))).mean((2, 3)))


class InvertedResidual(nn.Cell):
    """Wider, by channel, narrower; beside a shortcut where shapes allow."""

    def __init__(self, inputs: int, outputs: int, stride: int, widening: int) -> None:
        super().__init__()
        inner = inputs * widening
        layers = [] if widening == 1 else [_normalised(inputs, inner, 1, 1, activation=nn.ReLU6())]
        layers.append(_normalised(inner, inner, 3, stride, inner, nn.ReLU6()))
        layers.append(_normalised(inner, outputs, 1, 1))
        self.layers = nn.SequentialCell(*layers)
        self.has_shortcut = stride == 1 and inputs == outputs

    def construct(self, x: Tensor) -> Tensor:
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


class MobileNetV2(nn.Cell):
    """Seven stages of inverted residuals."""

    def __init__(self) -> None:
        super().__init__()
        layers, inputs = [_normalised(3, 32, 3, 2, activation=nn.ReLU6())], 32
        for widening, outputs, count, stride in INVERTED_STAGES:
            for i in range(count):
                layers.append(InvertedResidual(inputs, outputs, stride if i == 0 else 1, widening))
                inputs = outputs
        layers.append(_normalised(inputs, 1280, 1, 1, activation=nn.ReLU6()))
        self.layers = nn.SequentialCell(*layers)
        self.classifier = nn.Dense(1280, CLASSES)

    def construct(self, x: Tensor) -> Tensor:
        return self.classifier(self.layers(x).mean((2, 3)))


class Attention(nn.Cell):
    """Heads side by side; with a mask, tokens see those before them only."""

    def __init__(self, width: int, heads: int, causal_length: int = 0) -> None:
        super().__init__()
        self.heads, self.scale = heads, 1 / math.sqrt(width // heads)
        self.query, self.key, self.value = (nn.Dense(width, width) for _ in range(3))
        self.joined = nn.Dense(width, width)
        self.mask = None
        if causal_length:
            hidden = numpy.triu(numpy.full((causal_length, causal_length), -1e9, numpy.float32), 1)
            self.mask = Tensor(hidden)

    def _split(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        return x.reshape(batch, length, self.heads, width // self.heads).transpose(0, 2, 1, 3)

    def construct(self, x: Tensor) -> Tensor:
        query, key, value = self._split(self.query(x)), self._split(self.key(x)), self._split(self.value(x))
        scores = ops.matmul(query, key.transpose(0, 1, 3, 2)) * self.scale
        if self.mask is not None:
            scores = scores + self.mask
        mixed = ops.matmul(ops.softmax(scores, -1), value)
        return self.joined(mixed.transpose(0, 2, 1, 3).reshape(x.shape))


class BertLayer(nn.Cell):
    """Attention and two dense layers, normalised after each."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.attention = Attention(width, 12)
        self.wide, self.narrow = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm((width,), epsilon=1e-12), nn.LayerNorm((width,), epsilon=1e-12)
        self.gelu = nn.GELU(approximate=False)

    def construct(self, x: Tensor) -> Tensor:
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.narrow(self.gelu(self.wide(x))))


class Bert(nn.Cell):
    """The base size, with a classifier of the first token."""

    def __init__(self, layers: int = 12, width: int = 768, length: int = 128) -> None:
        super().__init__()
        self.tokens = nn.Embedding(BERT_TOKENS, width, embedding_table=Normal(0.02))
        self.positions = ms.Parameter(ops.zeros((length, width)), name="positions")
        self.norm = nn.LayerNorm((width,), epsilon=1e-12)
        self.layers = nn.SequentialCell(*(BertLayer(width) for _ in range(layers)))
        self.pooler = nn.Dense(width, width, activation="tanh")
        self.classifier = nn.Dense(width, 2)

    def construct(self, ids: Tensor) -> Tensor:
        x = self.layers(self.norm(self.tokens(ids) + self.positions))
        return self.classifier(self.pooler(x[:, 0]))


class GptLayer(nn.Cell):
    """Attention and two dense layers, normalised before each."""

    def __init__(self, width: int, length: int) -> None:
        super().__init__()
        self.attention = Attention(width, 12, length)
        self.wide, self.narrow = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)
        self.norm1, self.norm2 = nn.LayerNorm((width,), epsilon=1e-5), nn.LayerNorm((width,), epsilon=1e-5)
        self.gelu = nn.GELU(approximate=True)

    def construct(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.narrow(self.gelu(self.wide(self.norm2(x))))


class Gpt2(nn.Cell):
    """The small size; the token table is also the last layer."""

    def __init__(self, layers: int = 12, width: int = 768, length: int = 256) -> None:
        super().__init__()
        self.tokens = nn.Embedding(GPT_TOKENS, width, embedding_table=Normal(0.02))
        self.positions = ms.Parameter(ops.zeros((length, width)), name="positions")
        self.layers = nn.SequentialCell(*(GptLayer(width, length) for _ in range(layers)))
        self.norm = nn.LayerNorm((width,), epsilon=1e-5)

    def construct(self, ids: Tensor) -> Tensor:
        x = self.norm(self.layers(self.tokens(ids) + self.positions))
        x = x.reshape(-1, x.shape[-1])
        return ops.matmul(x, self.tokens.embedding_table.T)


NETWORKS = {"resnet50": ResNet50, "mobilenet": MobileNetV2, "bert": Bert, "gpt2": Gpt2}
