# SPDX-License-Identifier: Apache-2.0
"""Memory that values of loops may have in common, as they would in Python."""

from __future__ import annotations

from mindspore import _c_expression as _c
from mindspore.common.tensor import Tensor


def address_of(tensor: Tensor) -> int:
    """Which memory a tensor lies in."""
    return _c.memory_state(tensor)[0]


class Aliases:
    """What values of loops inside others may be the same memory as, where such a loop makes no turn."""

    def __init__(self):
        self._pairs: list[tuple[Tensor, Tensor]] = []  # held, so that addresses stay theirs

    def note(self, result: Tensor, other: Tensor) -> None:
        """A loop has left a tensor that may be another one."""
        self._pairs.append((result, other))

    def of(self, address: int) -> set[int]:
        """Addresses of what a tensor with this one may be."""
        found, waiting = {address}, [address]
        while waiting:
            one = waiting.pop()
            others = {address_of(other) for result, other in self._pairs if address_of(result) == one}
            waiting += others - found
            found |= others
        return found
