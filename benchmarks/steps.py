# SPDX-License-Identifier: Apache-2.0
"""The training steps that are compared: what goes in and how it is optimised, the same for every side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy

CLASSES = 10
TOKENS = 1000  # different ones
BERT_TOKENS, GPT_TOKENS = 30522, 50257


@dataclass(frozen=True)
class Step:
    """One network, its batch and its optimizer."""

    title: str
    batch: Callable[[numpy.random.Generator], numpy.ndarray]
    examples: int
    optimizer: str = "momentum"  # with a momentum of 0.9; or "adam"
    rate: float = 0.01
    classes: int = CLASSES
    is_model: bool = False  # a whole model, also compared with the peer's compiler

    def data(self) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Inputs and labels, the same numbers in every process."""
        generator = numpy.random.default_rng(11)
        inputs = self.batch(generator)
        return inputs, generator.integers(0, self.classes, self.examples).astype(numpy.int32)


def _normal(*shape: int) -> Callable[[numpy.random.Generator], numpy.ndarray]:
    return lambda generator: generator.standard_normal(shape, dtype=numpy.float32)


def _tokens(*shape: int, below: int = TOKENS) -> Callable[[numpy.random.Generator], numpy.ndarray]:
    return lambda generator: generator.integers(0, below, shape).astype(numpy.int32)


STEPS = {
    "lenet": Step("LeNet-5, 32 images of 28x28", _normal(32, 1, 28, 28), 32),
    "mlp": Step("MLP 784-1024-1024-10, 128 rows", _normal(128, 784), 128),
    "resnet": Step("ResNet-18, 8 images of 224x224", _normal(8, 3, 224, 224), 8),
    "transformer": Step(
        "Transformer encoder, 4 layers of 256, 16 texts of 128",
        _tokens(16, 128),
        16,
        optimizer="adam",
        rate=1e-4,
    ),
    "lstm": Step("LSTM, 2 layers of 512, 32 sequences of 64 steps", _normal(64, 32, 512), 32, is_model=True),
    "resnet50": Step(
        "ResNet-50, 16 images of 224x224", _normal(16, 3, 224, 224), 16, classes=1000, is_model=True
    ),
    "mobilenet": Step(
        "MobileNetV2, 16 images of 224x224", _normal(16, 3, 224, 224), 16, classes=1000, is_model=True
    ),
    "bert": Step(
        "BERT-base, 4 texts of 128",
        _tokens(4, 128, below=BERT_TOKENS),
        4,
        optimizer="adam",
        rate=1e-5,
        classes=2,
        is_model=True,
    ),
    "gpt2": Step(
        "GPT-2 small, 1 text of 256",
        _tokens(1, 256, below=GPT_TOKENS),
        256,
        optimizer="adam",
        rate=1e-5,
        classes=GPT_TOKENS,
        is_model=True,
    ),
}
