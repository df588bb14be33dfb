# SPDX-License-Identifier: Apache-2.0
"""Types of the inputs, attributes and outputs that the registry of operators describes."""

from __future__ import annotations

from typed.vocabulary import FLOATS, INTS, OPERAND
from typed.wording import DTYPE, NUMBER, TENSOR, with_none

_ATTRIBUTES = {
    "bool": "bool",
    "int": "int",
    "float": "float",
    "str": "str",
    "number": NUMBER,
    "mindspore.dtype": DTYPE,
    "int, tuple or list of int": INTS,
    "float, tuple or list of float": FLOATS,
}


def entry_type(entry: dict) -> str | None:
    """The type of an input or attribute."""
    if "type" in entry:
        kind = _ATTRIBUTES.get(entry["type"])
        return with_none(kind) if kind and not entry["required"] and entry["default"] is None else kind
    if entry["variadic"]:
        return f"{{collections.abc:Sequence}}[{TENSOR}]"
    kind = OPERAND if entry.get("takes_numbers") else TENSOR
    return with_none(kind) if entry["optional"] else kind


def output_type(operator: dict) -> str:
    """The type of what a call gives."""
    outputs = operator["outputs"]
    if any(is_list for _, _, _, is_list in outputs):
        return f"tuple[{TENSOR}, ...]"
    return TENSOR if len(outputs) == 1 else f"tuple[{', '.join([TENSOR] * len(outputs))}]"


def with_numbers(operator: dict, entries: list[dict]) -> list[dict]:
    """The entries; inputs of an elementwise operator of several tensors are marked to take numbers too."""
    mixed = operator["elementwise"] and len(operator["inputs"]) > 1
    return [{**entry, "takes_numbers": mixed} if "type" not in entry else entry for entry in entries]
