# SPDX-License-Identifier: Apache-2.0
"""What variables are after a decision, whichever way was taken."""

from __future__ import annotations

from mindspore._capture.loops.turns import UNSET
from mindspore._capture.loops.variables import Variable, described, flatten, is_number

SAME = "(same)"  # names of what a turn has written into


def merged(outcomes: list[dict], place: str, network: str) -> tuple[dict, list[Variable]]:
    """Values that are the same on all ways, and variables for those that are not.

    Args:
        outcomes (list[dict]): Values by name, on every way.
        place (str): The user's line.
        network (str): How messages call the network.

    Raises:
        RuntimeError: A variable is of another type or shape on another way.
    """
    same, variables = {}, []
    for name in dict.fromkeys(name for outcome in outcomes for name in outcome if name != SAME):
        found = [outcome.get(name, UNSET) for outcome in outcomes]
        if all(_is_same(found[0], one) for one in found):
            same[name] = found[0]
            continue
        present = [one for one in found if one is not UNSET]
        variable = Variable.of(name, present[0])
        try:
            while sum(variable.takes(one, place) for one in present) < len(present):
                pass  # until the type is one that all numbers have room in
        except TypeError as failure:
            raise RuntimeError(
                f"'{network}' cannot be exported: after the decision at {place}, '{name}' is "
                f"{' or '.join(dict.fromkeys(map(described, present)))}. It must have one type and shape on "
                "all ways."
            ) from failure
        variables.append(variable)
    return same, variables


def _is_same(one, other) -> bool:
    if one is UNSET or other is UNSET:
        return one is other
    ours: list = []
    theirs: list = []
    if flatten(one, ours) != flatten(other, theirs):
        return False
    return all(
        a is b or (is_number(a) and type(a) is type(b) and a == b) for a, b in zip(ours, theirs, strict=True)
    )
