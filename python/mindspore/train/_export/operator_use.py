# SPDX-License-Identifier: Apache-2.0
"""One use of an operator in a captured network, for rules that say what it becomes in a model file."""

from __future__ import annotations

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.train._export.captured_network import CapturedNetwork, Node

FLOATS = (mstype.float16, mstype.bfloat16, mstype.float32, mstype.float64)


class OperatorUse:
    """What rules ask about a node: `use["axis"]` is an attribute.

    Args:
        network (CapturedNetwork): The network.
        node (Node): An operator of it.
    """

    def __init__(self, network: CapturedNetwork, node: Node):
        self.network, self.node = network, node
        self.dtype, self.shape = node.dtype, node.shape

    def __getitem__(self, attribute: str):
        return self.node.attributes[attribute]

    def __len__(self) -> int:
        return len(self.node.operands)

    def has(self, i: int) -> bool:
        """Whether an operand is there."""
        return i < len(self.node.operands) and self.node.operands[i] is not None

    def type_of(self, i: int):
        """An operand's type."""
        return self.network.type_of(self.node.operands[i])[0]

    def shape_of(self, i: int = 0) -> tuple[int, ...]:
        """An operand's shape."""
        return self.network.type_of(self.node.operands[i])[1]

    def producer(self, i: int) -> Node:
        """What computes an operand."""
        return self.network.node(self.node.operands[i])

    def users(self, output: int) -> list[Node]:
        """Operators that read an output."""
        value = (self.node.id, output)
        return [node for node in self.network.nodes if value in node.operands]

    def is_read(self, output: int) -> bool:
        """Whether somebody reads an output."""
        value = (self.node.id, output)
        return value in self.network.results or bool(self.users(output))

    def common_type(self):
        """The type in which operands of different types are compared."""
        present = [i for i in range(len(self)) if self.has(i)]
        known = [self.type_of(i) for i in present if not self.producer(i).is_number]
        known = known or [self.type_of(i) for i in present]
        complex_types = [dtype for dtype in known if dtype in (mstype.complex64, mstype.complex128)]
        if complex_types:
            return max(complex_types, key=_width)
        floats = [dtype for dtype in known if dtype in FLOATS]
        if floats:
            return floats[0] if len(set(floats)) == 1 else max(floats[0], mstype.float32, key=_width)
        if any(self.type_of(i) in FLOATS for i in present):
            return mstype.float32
        return max(known, key=_width)


def _width(dtype) -> int:
    return 0 if dtype == mstype.bool_ else np.dtype(mstype.dtype_to_nptype(dtype)).itemsize
