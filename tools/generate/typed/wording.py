# SPDX-License-Identifier: Apache-2.0
"""Words that docstrings use for types, as types: "int, tuple or list of int", "Union[int, tuple[int]]"."""

from __future__ import annotations

import re
from collections.abc import Callable

ANY = "{typing:Any}"
CALLABLE = f"{{collections.abc:Callable}}[..., {ANY}]"
TENSOR = "{mindspore.common.tensor:Tensor}"
DTYPE = "{mindspore._c_expression:DType}"
NUMBER = "int | float"

_PLAIN = {
    **dict.fromkeys(("number", "Number", "numbers.Number", "number.Number", "scalar", "Scalar"), NUMBER),
    **dict.fromkeys(("function", "Function", "callable", "Callable"), CALLABLE),
    **dict.fromkeys(("object", "Object", "Any", "any"), ANY),
    **dict.fromkeys(("dtype", "mindspore.dtype", "mstype", "dtype.Number"), DTYPE),
    **dict.fromkeys(("numpy.ndarray", "np.ndarray", "numpy.array", "np.array", "ndarray"), "{numpy:ndarray}"),
    **dict.fromkeys(("numpy.dtype", "np.dtype"), "{numpy.typing:DTypeLike}"),
    **dict.fromkeys(("numpy.generic",), "{numpy:generic}"),
    **dict.fromkeys(("bool", "Bool", "boolean"), "bool"),
    **dict.fromkeys(("str", "string", "String"), "str"),
    **dict.fromkeys(("int", "integer", "Int"), "int"),
    **dict.fromkeys(("float", "inf", "-inf"), "float"),
    **dict.fromkeys(("list", "List"), f"list[{ANY}]"),
    **dict.fromkeys(("tuple", "Tuple"), f"tuple[{ANY}, ...]"),
    **dict.fromkeys(("dict", "Dict"), f"dict[{ANY}, {ANY}]"),
    **dict.fromkeys(("iterable", "Iterable"), f"{{collections.abc:Iterable}}[{ANY}]"),
    **dict.fromkeys(("iterator", "Iterator"), f"{{collections.abc:Iterator}}[{ANY}]"),
    **dict.fromkeys(("sequence", "Sequence"), f"{{collections.abc:Sequence}}[{ANY}]"),
    **dict.fromkeys(("class", "Class", "type"), f"type[{ANY}]"),
    "set": f"set[{ANY}]",
    "OrderedDict": f"dict[str, {ANY}]",
    "enum.Enum": "{enum:Enum}",
    "PyCapsule": ANY,
    "bytes": "bytes",
    "bytearray": "bytearray",
    "complex": "complex",
    "slice": "slice",
    "None": "None",
    "Self": "{typing_extensions:Self}",
    "Ellipsis": "{types:EllipsisType}",
    "module": "{types:ModuleType}",
    "Image": ANY,
    "PIL.Image": ANY,
}
_CONTAINERS = {
    "list": "list",
    "List": "list",
    "set": "set",
    "dict": "dict",
    "Dict": "dict",
    "type": "type",
    "iterable": "{collections.abc:Iterable}",
    "Iterable": "{collections.abc:Iterable}",
    "Iterator": "{collections.abc:Iterator}",
    "sequence": "{collections.abc:Sequence}",
    "Sequence": "{collections.abc:Sequence}",
}
_OF = re.compile(r"^(list|tuple|sequence|set|List|Tuple|Sequence|Iterable)s? of (?:the |two |several )?(.+)$")
_SUBSCRIPT = re.compile(r"^([\w.]+)\s*[\[(](.*)[\])]$")

Resolve = Callable[[str], "str | None"]


def _split(text: str, separators: str = r",") -> list[str]:
    """Parts of a text between separators that stand outside of brackets."""
    parts, depth, start = [], 0, 0
    pattern = re.compile(separators)
    position = 0
    while position < len(text):
        depth += (text[position] in "[(") - (text[position] in "])")
        match = pattern.match(text, position) if depth == 0 else None
        if match:
            parts.append(text[start:position])
            start = position = match.end()
        else:
            position += 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]


def union(parts: list[str]) -> str:
    """Either of several types; None comes last."""
    kinds: list[str] = []
    for part in parts:
        kinds += [kind for kind in _split(part, r"\|") if kind not in kinds]
    if ANY in kinds:
        return ANY
    return " | ".join([kind for kind in kinds if kind != "None"] + ["None"] * ("None" in kinds))


def with_none(kind: str) -> str:
    """The type, or None."""
    return union([kind, "None"])


def _subscript(name: str, inside: str, resolve: Resolve) -> str | None:
    parts = _split(inside)
    if name in ("Union", "union"):
        return _all(parts, resolve)
    if name == "Optional":
        kind = type_of_words(inside, resolve)
        return kind and with_none(kind)
    if name in ("Tensor", "Parameter"):  # what is in brackets tells the type of the elements
        return resolve(name)
    if name in ("Callable", "function"):
        return CALLABLE
    kinds = [type_of_words(part, resolve) for part in parts if part != "..."]
    if None in kinds or not kinds:
        return None
    if name in ("tuple", "Tuple"):
        return f"tuple[{kinds[0]}, ...]" if len(kinds) == 1 else f"tuple[{', '.join(kinds)}]"
    if name in ("dict", "Dict") and len(kinds) == 2:
        return f"dict[{kinds[0]}, {kinds[1]}]"
    return f"{_CONTAINERS[name]}[{union(kinds)}]" if name in _CONTAINERS else None


def _all(parts: list[str], resolve: Resolve) -> str | None:
    kinds = [type_of_words(part, resolve) for part in parts]
    return None if None in kinds or not kinds else union(kinds)


def _enumeration(words: str, resolve: Resolve) -> str | None:
    """ "int, tuple or list of int": what stands after "of" belongs to all containers before it."""
    parts = _split(words, r",? or |, | \| ")
    last = _OF.match(parts[-1])
    if last:
        element = last.group(2)
        parts = [f"{part} of {element}" if part.lower() in ("list", "tuple") else part for part in parts]
    return _all(parts, resolve)


def type_of_words(words: str, resolve: Resolve) -> str | None:
    """The type that the words mean; None when they are not understood.

    Args:
        words (str): As in a docstring, for instance "Union[int, tuple[int]], optional".
        resolve (Callable): Gives the type for the name of a class, or None.
    """
    words = re.sub(r":\w+:`~?([^`]*)`", r"\1", words).replace("`", "").strip()
    words = re.sub(r",? *optional$|^optional,? *", "", words).strip().rstrip(".")
    if words in _PLAIN or re.fullmatch(r"\{[^{}]*\}", words):
        return _PLAIN.get(words, words)
    if re.fullmatch(r"[\"'].*?[\"']", words):
        return "str"
    if re.fullmatch(r"-?\d+", words) or words in ("True", "False"):
        return "bool" if words[0] in "TF" else "int"
    match = _SUBSCRIPT.match(words)
    if match and _closes_at_end(words[match.start(2) - 1 :]):
        return _subscript(match.group(1), match.group(2), resolve)
    if len(_split(words, r",? or |, | \| ")) > 1:
        return _enumeration(words, resolve)
    match = _OF.match(words)
    if match:
        return _subscript(match.group(1), match.group(2), resolve)
    found = resolve(words.rpartition(".")[2]) if re.fullmatch(r"[\w.]+", words) else None
    if found is None and words.endswith("s") and re.fullmatch(r"\w+", words):
        return type_of_words(words[:-1], resolve)
    return found


def _closes_at_end(text: str) -> bool:
    """Whether the bracket a text begins with is closed by its last character."""
    depth = 0
    for position, character in enumerate(text):
        depth += (character in "[(") - (character in "])")
        if depth == 0:
            return position == len(text) - 1
    return False


def covariant(kind: str) -> str:
    """The type of an argument: a list of objects of a derived class will do as well."""
    return re.sub(r"\blist(?=\[\{mindspore|\[dict)", "{collections.abc:Sequence}", kind)
