# SPDX-License-Identifier: Apache-2.0
"""What the message of a failed call has to say."""

from __future__ import annotations

import re

from allowances import OTHER_WORDS

from mindspore._spelling import BEHIND_SYNTAX


def names_of(operator: dict) -> set[str]:
    """What a message may call the operator: its own name and those of its forms."""
    names = {operator["name"], operator["function"], operator["primitive"], operator["method"]}
    names.add(BEHIND_SYNTAX.get(operator["name"], ""))
    return names.union(operator["function_aliases"], operator["primitive_aliases"]) - {""}


def unnamed(operator: dict, text: str) -> str | None:
    """What is wrong with a message that should begin with the name of the operator that was called."""
    if text.startswith(OTHER_WORDS.get(operator["name"], "\0")):
        return None
    found = re.match(r"For '([\w.]+)'|(\w+)\(\) ", text)
    if not found:
        return f"the message does not say which operator: {text!r}"
    name = found[1] or found[2]
    return None if name in names_of(operator) else f"the message names {name!r}: {text!r}"
