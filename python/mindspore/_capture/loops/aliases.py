# SPDX-License-Identifier: Apache-2.0
"""Variables that a turn writes into, and others that would see it because they lie in the same memory."""

from __future__ import annotations

from mindspore import _c_expression as _c
from mindspore._capture.loops.turns import Turns
from mindspore.common._structure import tensors_in


def memory_of(values: dict) -> dict[str, list[tuple]]:
    """The tensors of variables, each with where it lies and how often that was written into."""
    return {
        name: [(each, _c.memory_state(each)) for each in tensors_in(value)] for name, value in values.items()
    }


def written_since(before: dict[str, list[tuple]]) -> set[str]:
    """Names of variables whose tensors have been written into."""
    return {
        name
        for name, tensors in before.items()
        if any(_c.memory_state(tensor) != state for tensor, state in tensors)
    }


def check_aliases(turns: Turns, written: set[str], values: dict, network: str) -> None:
    """RuntimeError if a variable that is written into lies in the memory of another one.

    Each variable of a loop is a value of its own, so the other one would stay what it was.

    Args:
        turns (Turns): The loop.
        written (set[str]): Names of the variables that a turn writes into.
        values (dict): Variables between two turns.
        network (str): How messages call the network.
    """
    users: dict[int, list[str]] = {}
    if written:
        for name, tensors in memory_of(_visible(turns, values)).items():
            for _, (address, _) in tensors:
                users.setdefault(address, []).append(name)
    for names in users.values():
        one = next((name for name in names if name in written), None)
        if one is not None and len(names) > 1:
            names.remove(one)
            raise _shared(turns, one, names[0], network)


def check_containers(turns: Turns, values: dict, network: str) -> None:
    """The same for lists and dicts whose items a turn assigns."""
    visible = _visible(turns, values)
    for name in turns.written:
        if isinstance(visible.get(name), (list, dict)):
            others = [other for other in visible if other != name and visible[other] is visible[name]]
            if others:
                raise _shared(turns, name, others[0], network)


def _visible(turns: Turns, values: dict) -> dict:
    """What a turn may read."""
    outer = {name: turns.around[name] for name in turns.reads if name in turns.around}
    return outer | {name: values[name] for name in turns.names if name in values}


def _shared(turns: Turns, one: str, other: str, network: str) -> RuntimeError:
    return RuntimeError(
        f"'{network}' cannot be exported: the loop at {turns.place} writes into '{one}', which has the same "
        f"memory as '{other}'. Let one of them be a copy."
    )
