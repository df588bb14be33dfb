# SPDX-License-Identifier: Apache-2.0
"""Rules for operators, by kind of operator."""

from mindspore.train._mindir.operators import RULES
from mindspore.train._mindir.rules import (
    elementwise,
    indices,
    layers,
    products,
    recurrent,
    reductions,
    shapes,
)

__all__ = ["RULES", "elementwise", "indices", "layers", "products", "recurrent", "reductions", "shapes"]
