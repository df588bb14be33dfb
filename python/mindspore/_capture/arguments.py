# SPDX-License-Identifier: Apache-2.0
"""Lists and dicts given as arguments: the recorded run works on copies, but its changes are the caller's."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore._capture.cell_state import same


class ArgumentContainers:
    """The containers among the arguments of one call.

    Args:
        given (Any): What the caller gave.
        copies (Any): The same with stand-ins for tensors.
    """

    __slots__ = ("_originals", "_pairs")

    def __init__(self, given, copies):
        self._pairs: list = []  # (the caller's container, its copy, content of the copy)
        self._originals: dict = {}  # id of a stand-in or copy -> (it, the caller's object)
        self._collect(given, copies)

    def _collect(self, given, copy) -> None:
        if given is copy:
            return
        self._originals[id(copy)] = (copy, given)
        if isinstance(given, Tensor):
            return
        if isinstance(given, dict):
            self._pairs.append((given, copy, dict(copy)))
            for key, part in given.items():
                self._collect(part, copy[key])
        elif isinstance(given, (tuple, list)):
            if isinstance(given, list):
                self._pairs.append((given, copy, list(copy)))
            for part, other in zip(given, copy, strict=True):
                self._collect(part, other)

    def hand_back(self) -> bool:
        """Does to the caller's containers what was done to the copies; whether anything was."""
        changed = False
        for given, copy, before in self._pairs:
            if isinstance(copy, dict):
                unchanged = list(copy) == list(before) and all(same(copy[key], before[key]) for key in copy)
            else:
                unchanged = len(copy) == len(before) and all(map(same, copy, before))
            if unchanged:
                continue
            changed = True
            if isinstance(copy, dict):
                parts = {key: self._original(part) for key, part in copy.items()}
                given.clear()
                given.update(parts)
            else:
                given[:] = [self._original(part) for part in copy]
        return changed

    def _original(self, part):
        return self._originals.get(id(part), (None, part))[1]
