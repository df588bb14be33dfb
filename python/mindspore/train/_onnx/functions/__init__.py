# SPDX-License-Identifier: Apache-2.0
"""What operators of ONNX files compute, by kind of operator."""

from mindspore.train._onnx.functions import (
    elementwise,
    indices,
    known_values,
    layers,
    quantised,
    recurrent,
    reductions,
    resizing,
    shapes,
)
from mindspore.train._onnx.functions.table import FUNCTIONS, Attributes, numbers_of, tensor_of

known_values.stay_known()

__all__ = [
    "FUNCTIONS",
    "Attributes",
    "elementwise",
    "indices",
    "known_values",
    "layers",
    "numbers_of",
    "quantised",
    "recurrent",
    "reductions",
    "resizing",
    "shapes",
    "tensor_of",
]
