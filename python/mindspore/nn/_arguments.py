# SPDX-License-Identifier: Apache-2.0
"""Arguments that many cells take."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.nn import _checks as check
from mindspore.nn._description import Argument

INITIAL = "Union[Tensor, str, Initializer, numbers.Number]"
LENGTHS = "Union[int, tuple[int]]"

DTYPE = Argument("dtype", ":class:`mindspore.dtype`", "Type of the parameters.", mstype.float32)
HAS_BIAS = Argument("has_bias", "bool", "Whether there is a bias.", True, check.boolean)
WEIGHT_INIT = Argument("weight_init", INITIAL, "Initial weight.", None)
BIAS_INIT = Argument("bias_init", INITIAL, "Initial bias.", None)
REDUCTION = Argument("reduction", "str", '``"mean"``, ``"sum"`` or ``"none"``.', "mean")


def positive_int(name: str, text: str, *default: int) -> Argument:
    """An argument that is a positive int."""
    return Argument(name, "int", text, *default, check=check.positive_int)


def flag(name: str, text: str, default: bool = False) -> Argument:
    """An argument that is a bool."""
    return Argument(name, "bool", text, default, check.boolean)
