# SPDX-License-Identifier: Apache-2.0
"""The few names of MindSpore's data extension that libraries reach. Ours is `_c_data`, whose names differ."""

from __future__ import annotations

from mindspore._spelling import not_in_this_version as _not_in_this_version

# Names of the numbers a column can hold, and of all a column can be declared to hold.
NUMBER_TYPES = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
)
COLUMN_TYPES = (*NUMBER_TYPES, "string")
_NAMES = (*COLUMN_TYPES, "bytes", "unknown")


class DataType:
    """An element type of a column, by its name. Equal names are equal types.

    Args:
        name (str): The name; an empty one, or one that is no type, is unknown.
    """

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name if name in _NAMES else "unknown"

    def __str__(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"DataType({self._name!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DataType) and self._name == other._name

    def __hash__(self) -> int:
        return hash(self._name)


__getattr__ = _not_in_this_version(globals())
