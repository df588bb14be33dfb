# SPDX-License-Identifier: Apache-2.0
"""The training steps that are compared: what goes in and how it is optimised, the same for every side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy

CLASSES = 10
TOKENS = 1000  # different ones


@dataclass(frozen=True)
class Step:
    """One network, its batch and its optimizer."""

    title: str
    batch: Callable[[numpy.random.Generator], numpy.ndarray]
    examples: int
    optimizer: str = "momentum"  # with a momentum of 0.9; or "adam"
    rate: float = 0.01

    def data(self) -> tuple[numpy.ndarray, numpy.ndarray]:
        """Inputs and labels, the same numbers in every process."""
        generator = numpy.random.default_rng(11)
        inputs = self.batch(generator)
        return inputs, generator.integers(0, CLASSES, self.examples).astype(numpy.int32)


def _normal(*shape: int) -> Callable[[numpy.random.Generator], numpy.ndarray]:
    return lambda generator: generator.standard_normal(shape, dtype=numpy.float32)


def _tokens(*shape: int) -> Callable[[numpy.random.Generator], numpy.ndarray]:
    return lambda generator: generator.integers(0, TOKENS, shape).astype(numpy.int32)


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
    "lstm": Step("LSTM, 2 layers of 512, 32 sequences of 64 steps", _normal(64, 32, 512), 32),
}
