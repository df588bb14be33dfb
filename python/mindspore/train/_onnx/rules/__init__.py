# SPDX-License-Identifier: Apache-2.0
"""Rules for operators, by kind of operator."""

from mindspore.train._onnx.operators import RULES
from mindspore.train._onnx.rules import (
    elementwise,
    indices,
    labels,
    layers,
    products,
    recurrent,
    reductions,
    shapes,
)

__all__ = [
    "RULES",
    "elementwise",
    "indices",
    "labels",
    "layers",
    "products",
    "recurrent",
    "reductions",
    "shapes",
]
