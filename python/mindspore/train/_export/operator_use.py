# SPDX-License-Identifier: Apache-2.0
"""What rules are written with that say what an operator of a captured network becomes in a model file."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.train._export.captured_network import CapturedNetwork, Node, Value

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

    def strided_places(self, shape: tuple[int, ...]) -> np.ndarray:
        """Flat positions, in the whole, of a window of this shape that lies in it with any strides."""
        places = np.full(shape, self["offset"], np.int64)
        for axis, stride in enumerate(self["strides"]):
            along = np.arange(shape[axis]).reshape([-1 if i == axis else 1 for i in range(len(shape))])
            places = places + along * stride
        return places

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


class Expression:
    """A value of the model being written; methods with capital letters add a node of that name.

    Args:
        writer (object): Puts the model together.
        name (str): The value's name in the model.
        dtype (mindspore.dtype): Its type.
    """

    DIVISION, LESS_EQUAL, GREATER_EQUAL = "Div", "LessEqual", "GreaterEqual"

    def __init__(self, writer, name: str, dtype):
        self._writer, self.name, self.dtype = writer, name, dtype

    def __getattr__(self, kind: str):
        if not kind[0].isupper():
            raise AttributeError(kind)
        return lambda *others, **attributes: self.add(kind, *others, **attributes)

    def add(self, kind: str, *others, **attributes):
        """A node with this as its first operand."""
        raise NotImplementedError

    def _mask(self, kind: str, other) -> Expression:
        return self.add(kind, other, dtype=mstype.bool_)

    def __add__(self, other):
        return self.add("Add", other)

    def __sub__(self, other):
        return self.add("Sub", other)

    def __mul__(self, other):
        return self.add("Mul", other)

    def __truediv__(self, other):
        return self.add(self.DIVISION, other)

    def __neg__(self):
        return self.add("Neg")

    def __lt__(self, other):
        return self._mask("Less", other)

    def __gt__(self, other):
        return self._mask("Greater", other)

    def __le__(self, other):
        return self._mask(self.LESS_EQUAL, other)

    def __ge__(self, other):
        return self._mask(self.GREATER_EQUAL, other)

    def equals(self, other) -> Expression:
        """Where both are equal."""
        return self._mask("Equal", other)


class WrittenUse(OperatorUse):
    """One use of an operator, with the values of its operands in the model being written.

    Args:
        writer (object): Puts the model together.
        node (Node): The operator.
    """

    FORMAT = ""

    def __init__(self, writer, node: Node):
        super().__init__(writer.network, node)
        self.writer = writer

    def symbol(self, value: Value) -> Expression:
        """A value of the network."""
        raise NotImplementedError

    def constant(self, array, dtype=None) -> Expression:
        """A constant, in the type of the first output unless another is named."""
        raise NotImplementedError

    def input(self, i: int = 0, dtype=None) -> Expression | None:
        """An operand, in a type where one is named; None where it is absent."""
        if not self.has(i):
            return None
        source = self.producer(i)
        if source.is_number and dtype is not None:
            return self.constant(source.tensor.asnumpy(), dtype)
        symbol = self.symbol(self.node.operands[i])
        return symbol if dtype is None else symbol.to(dtype)

    def inputs(self, dtype=None) -> list[Expression]:
        """All operands that are there."""
        return [self.input(i, dtype) for i in range(len(self)) if self.has(i)]

    def refuse(self, why: str):
        """Says that this use has no counterpart in the format."""
        raise TypeError(
            f"'{self.node.name}' at {self.node.place()} cannot be written as {self.FORMAT}: {why}."
        )


Rule = Callable[[WrittenUse], "Expression | list[Expression]"]


class RuleTable:
    """What operators become in a format."""

    def __init__(self):
        self.rules: dict[str, Rule] = {}

    def rule(self, *names: str) -> Callable[[Rule], Rule]:
        """Registers a rule for operators."""

        def register(function: Rule) -> Rule:
            for name in names:
                self.rules[name] = function
            return function

        return register

    def formulas(self, **table: Callable) -> None:
        """Operators written as formulas of their operands, which have the type of the result."""
        for name, formula in table.items():
            self.rules[name] = lambda call, formula=formula: formula(*call.inputs(call.dtype))

    def formulas_with(self, **table: Callable) -> None:
        """The same for operators with attributes, which the formula gets as a use of it in front."""
        for name, formula in table.items():
            self.rules[name] = lambda call, formula=formula: formula(call, *call.inputs(call.dtype))
