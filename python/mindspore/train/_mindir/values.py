# SPDX-License-Identifier: Apache-2.0
"""Attributes of MindIR messages as Python values."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mindspore.common import dtype as mstype
from mindspore.train._mindir.errors import refuse
from mindspore.train._mindir.tensors import TensorReader, dtype_of

_UINT64 = 13
_TUPLE, _LIST, _DICT = 20, 21, 22
_TENSOR_KINDS = (17, 19)
_INTEGERS = frozenset((2, 3, 4, 5, 6, 7, 9, 12, 13))
_BOOL = 9
# Where a scalar of a kind stands: alone, and inside a sequence.
_FIELDS = {
    **dict.fromkeys(_INTEGERS, ("i", "ints")),
    **dict.fromkeys((1, 10, 16), ("f", "floats")),
    8: ("s", "strings"),
    11: ("d", "doubles"),
}
_NAMED_KINDS = {
    26: "primitive",
    27: "graph",
    28: "partial",
    33: "class",
    34: "name space",
    35: "symbol",
}
_DEEPEST = 100


class Monad:
    """Stands for the order of side effects; carries no value."""

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return self.name


UMONAD, IOMONAD = Monad("UMonad"), Monad("IOMonad")
_CONSTANT_KINDS = {23: UMONAD, 24: IOMONAD, 25: None, 36: None}


@dataclass(frozen=True)
class Named:
    """Something a file knows by its name only; nothing is looked up for it.

    Attributes:
        kind (str): What it is: ``"class"``, ``"symbol"``, …
        name (str): Its name.
    """

    kind: str
    name: str


@dataclass(frozen=True)
class Functor:
    """A registered calculation on shapes, with its state."""

    name: str
    state: object


def text_of(content) -> str:
    """Bytes of a message as text."""
    return bytes(content).decode("utf-8", "surrogateescape")


def value_of(attribute: dict, reader: TensorReader):
    """The value an AttributeProto stands for.

    Args:
        attribute (dict): The message.
        reader (TensorReader): Makes tensors.
    """
    if attribute.get("ref_attr_name"):
        return _old_value(attribute, reader)
    kind = attribute.get("type", 0)
    if kind in _CONSTANT_KINDS:
        return _CONSTANT_KINDS[kind]
    if kind in _FIELDS:
        return _scalar(attribute, kind)
    if kind in _TENSOR_KINDS:
        return _tensor_or_type(attribute, reader)
    if kind in (_TUPLE, _LIST):
        items = [value_of(item, reader) for item in attribute.get("values", ())]
        return items if kind == _LIST else tuple(items)
    if kind == _DICT:
        return {entry.get("name", ""): _entry(entry, reader) for entry in attribute.get("values", ())}
    if kind in _NAMED_KINDS:
        return Named(_NAMED_KINDS[kind], text_of(attribute.get("s", b"")))
    if kind == 38:
        return _functor(attribute.get("functor", {}), reader)
    return Named("value", f"of kind {kind}")


def _entry(entry: dict, reader: TensorReader):
    values = entry.get("values", ())
    if len(values) != 1:
        refuse(f"The entry '{entry.get('name', '')}' of a dictionary has {len(values)} values.")
    return value_of(values[0], reader)


def _functor(message: dict, reader: TensorReader) -> Functor:
    values = [value_of(item, reader) for item in message.get("values", ())]
    return Functor(message.get("name", ""), values[0] if values else None)


def _as_kind(value, kind: int):
    if kind == 8:
        return text_of(value)
    if kind == _BOOL:
        return bool(value)
    return value % (1 << 64) if kind == _UINT64 else value


def _scalar(attribute: dict, kind: int):
    single, plural = _FIELDS[kind]
    if single in attribute:
        return _as_kind(attribute[single], kind)
    items = attribute.get(plural)
    if items:
        return _as_kind(items[0], kind)
    return _as_kind(b"" if kind == 8 else 0, kind)


def _tensor_or_type(attribute: dict, reader: TensorReader):
    tensors = attribute.get("tensors") or ([attribute["t"]] if "t" in attribute else [])
    if not tensors:
        refuse(f"The attribute '{attribute.get('name', '')}' should hold a tensor, but holds none.")
    message = tensors[0]
    if "raw_data" in message or "external_data" in message:
        return reader.tensor(message, f"the constant '{attribute.get('name', '')}'")
    element = dtype_of(message.get("data_type", 0))
    return mstype.TensorType(element) if message.get("name") == "tensor0" else element


# ---- the form of 0.1.0: `ref_attr_name` tells what is where -----------------------------------------

_TOKEN = re.compile(r"Tuple\[|List\[|\]|,|[^\[\],]+")


def _old_value(attribute: dict, reader: TensorReader):
    family, _, structure = attribute["ref_attr_name"].partition(":")
    if family == "Monad":
        return IOMONAD if structure.startswith("IO") else UMONAD
    if family == "none":
        return None
    if family == "scalar":
        leaves = _old_scalars(attribute)
    elif family in ("tensor", "type"):
        leaves = [_tensor_or_type({"tensors": [one]}, reader) for one in attribute.get("tensors", ())]
    else:
        return Named("value", attribute["ref_attr_name"])
    return _old_structure(structure, leaves)


def _old_scalars(attribute: dict) -> list:
    kind = attribute.get("type", 0)
    if kind not in _FIELDS:
        refuse(f"The attribute '{attribute.get('name', '')}' is a scalar of the unknown kind {kind}.")
    single, plural = _FIELDS[kind]
    items = [attribute[single]] if single in attribute else attribute.get(plural, ())
    return [_as_kind(item, kind) for item in items]


def _old_structure(structure: str, leaves: list):
    """Values in the brackets that a text such as ``Tuple[value1,List[value2,],],`` describes."""
    open_lists: list[tuple[list, bool]] = [([], False)]
    following = iter(leaves)
    missing = object()
    for token in _TOKEN.findall(structure):
        if token.endswith("["):
            open_lists.append(([], token == "Tuple["))
            if len(open_lists) > _DEEPEST:
                refuse("Sequences are nested too deeply.")
        elif token == "]":
            items, is_tuple = open_lists.pop()
            if not open_lists:
                refuse(f"The structure '{structure}' has a bracket too many.")
            open_lists[-1][0].append(tuple(items) if is_tuple else items)
        elif token != ",":
            value = next(following, missing)
            if value is missing:
                refuse(f"The structure '{structure}' has more elements than there are values.")
            open_lists[-1][0].append(value)
    if len(open_lists) != 1 or len(open_lists[0][0]) != 1:
        refuse(f"The structure '{structure}' is not one value.")
    return open_lists[0][0][0]
