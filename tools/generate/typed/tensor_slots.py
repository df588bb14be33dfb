# SPDX-License-Identifier: Apache-2.0
"""Members of Tensor that C defines: operators, conversions and the properties of memory."""

from __future__ import annotations

from typed.vocabulary import OPERAND
from typed.wording import ANY, DTYPE, TENSOR

_BINARY = "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift"
_UNARY = "neg pos abs invert"
_COMPARISONS = "lt le gt ge eq ne"
_INDEX = "{mindspore._typing:Index}"

METHODS: dict[str, tuple[str, str]] = {  # name -> (parameters after self, result)
    **{
        f"__{prefix}{name}__": (f"other: {OPERAND}, /", TENSOR)
        for name in _BINARY.split()
        for prefix in ("", "r")
    },
    **dict.fromkeys(("__pow__", "__rpow__"), (f"other: {OPERAND}, mod: None = None, /", TENSOR)),
    **{f"__i{name}__": (f"other: {OPERAND}, /", "{typing_extensions:Self}") for name in _BINARY.split()},
    **{f"__{name}__": ("", TENSOR) for name in _UNARY.split()},
    **{f"__{name}__": (f"other: {ANY}, /", TENSOR) for name in _COMPARISONS.split()},
    "__bool__": ("", "bool"),
    "__int__": ("", "int"),
    "__float__": ("", "float"),
    "__complex__": ("", "complex"),
    "__index__": ("", "int"),
    "__len__": ("", "int"),
    "__hash__": ("", "int"),
    "__getitem__": (f"index: {_INDEX}, /", TENSOR),
    "__setitem__": (
        f"index: {_INDEX}, value: {OPERAND} | {{numpy:ndarray}} | list[{ANY}] | tuple[{ANY}, ...], /",
        "None",
    ),
    "asnumpy": ("", f"{{numpy:ndarray}}[{ANY}, {ANY}]"),
    "is_contiguous": ("", "bool"),
    "storage_offset": ("", "int"),
}
# `object` promises a bool.
DIFFERENT_FROM_OBJECT = ("__eq__", "__ne__")

PROPERTIES = {
    "shape": "tuple[int, ...]",
    "dtype": DTYPE,
    "ndim": "int",
    "size": "int",
    "nbytes": "int",
    "itemsize": "int",
    "strides": "tuple[int, ...]",
}
