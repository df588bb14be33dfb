# SPDX-License-Identifier: Apache-2.0
"""Inputs that are part of an exported network: numbers, texts and the like were folded into its graph.

The file says which, so that the network can be called as it was when it was exported, and a call with another
number is refused instead of being given the result of the old one.
"""

from __future__ import annotations

import json

from mindspore.common._structure import tensors_in

_KEY = "folded_inputs"


def folded_in(inputs: tuple) -> list[dict]:
    """Entries of `user_info` that tell of the inputs of an export that hold no tensor; mostly none."""
    folded = {i: value for i, value in enumerate(inputs) if not tensors_in((value,))}
    if not folded:
        return []
    try:
        return [{"key": _KEY, "value": json.dumps(folded)}]
    except (TypeError, ValueError):  # something that a file cannot hold
        return []


def without_folded(arguments: tuple, user_info: dict) -> tuple:
    """The arguments that are inputs of the graph.

    Args:
        arguments (tuple): Of a call.
        user_info (dict): Of the file.

    Raises:
        ValueError: A number is not the one that was folded.
    """
    folded = _read(user_info.get(_KEY, "{}"))
    for place, value in folded.items():
        given = arguments[int(place)] if int(place) < len(arguments) else value
        if _plain(given) != value or isinstance(given, bool) != isinstance(value, bool):
            raise ValueError(
                f"For 'GraphCell', input {place} was {value!r} when the network was exported and is part of "
                f"it, but got {given!r}: export it again, or give a Tensor there."
            )
    return tuple(one for i, one in enumerate(arguments) if str(i) not in folded)


def _read(text: str) -> dict:
    try:
        folded = json.loads(text)
    except (ValueError, RecursionError):
        folded = None
    if not isinstance(folded, dict) or not all(place.isdecimal() for place in folded):
        raise ValueError(
            f"For 'GraphCell', the entry '{_KEY}' of the file's 'user_info' is damaged: {text[:80]!r}."
        )
    return folded


def _plain(value):
    """As it comes out of a file."""
    return [_plain(part) for part in value] if isinstance(value, (tuple, list)) else value
