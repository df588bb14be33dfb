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
    folded = {i: _written(value) for i, value in enumerate(inputs) if not tensors_in((value,))}
    return [{"key": _KEY, "value": json.dumps(folded)}] if folded else []


def without_folded(arguments: tuple, user_info: dict) -> tuple:
    """The arguments that are inputs of the graph.

    Args:
        arguments (tuple): Of a call.
        user_info (dict): Of the file.

    Raises:
        ValueError: A number is not the one that was folded.
    """
    folded = {int(place): text for place, text in _read(user_info.get(_KEY, "{}")).items()}
    for place, text in folded.items():
        if place >= len(arguments):
            continue
        given = arguments[place]
        if text is None or _written(given) != text:
            was = f"was {text}" if text is not None else "was of a kind that a file does not hold"
            raise ValueError(
                f"For 'GraphCell', input {place} {was} when the network was exported and is part of it, but "
                f"got {given!r}: leave such inputs out, or export the network again with a Tensor there."
            )
    return tuple(one for i, one in enumerate(arguments) if i not in folded)


def _written(value) -> str | None:
    """A text that tells a value from every other, 1 from 1.0; None when there is none."""
    try:
        return json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return None


def _read(text: str) -> dict:
    try:
        folded = json.loads(text)
    except (ValueError, RecursionError):
        folded = None
    is_right = isinstance(folded, dict) and all(
        place.isdecimal() and (text is None or isinstance(text, str)) for place, text in folded.items()
    )
    if not is_right:
        raise ValueError(
            f"For 'GraphCell', the entry '{_KEY}' of the file's 'user_info' is damaged: {text[:80]!r}."
        )
    return folded
