# SPDX-License-Identifier: Apache-2.0
"""What an operator becomes in an ONNX file: the table of rules, and what rules are written with.

A rule is called with a `Call`, adds nodes and returns the values of the outputs, one per output that somebody
may read. Values are `Symbol`s: `x * 2 + x.Sqrt()` adds the nodes Mul, Sqrt and Add.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.ops import _registry
from mindspore.train._export.captured_network import Node
from mindspore.train._onnx.element_types import NUMBERS
from mindspore.train._onnx.model_writer import ModelWriter

FLOATS = (mstype.float16, mstype.bfloat16, mstype.float32, mstype.float64)


_NOT_OF_MASKS = frozenset(
    [
        "Abs",
        "Add",
        "Sub",
        "Mul",
        "Max",
        "Min",
        "Neg",
        "Sign",
        "Relu",
        "Pow",
        "Less",
        "LessOrEqual",
        "Greater",
        "GreaterOrEqual",
        "ReduceMax",
        "ReduceMin",
        "ReduceProd",
        "CumSum",
    ]
)


def _wider_type(kind: str, dtype):
    """The type through which a node must go that does not know the operand's own; None: it does."""
    if dtype == mstype.bool_ and kind in _NOT_OF_MASKS:
        return mstype.int32
    if dtype in (mstype.float16, mstype.bfloat16) and kind in ("Celu", "IsInf"):
        return mstype.float32
    return None


class Symbol:
    """A value of the model being written; methods with capital letters add the node of that name."""

    def __init__(self, writer: ModelWriter, name: str, dtype):
        self._writer, self.name, self.dtype = writer, name, dtype

    def __getattr__(self, kind: str):
        if not kind[0].isupper():
            raise AttributeError(kind)
        return lambda *others, **attributes: self.add(kind, *others, **attributes)

    def add(self, kind: str, *others, dtype=None, outputs: int = 1, **attributes):
        """A node with this as its first input; numbers among the others get this type, None is absent."""
        through = _wider_type(kind, self.dtype)
        if through is not None:
            wide = [other.to(through) if isinstance(other, Symbol) else other for other in others]
            result = self.to(through).add(kind, *wide, dtype=dtype, **attributes)
            return result if dtype else result.to(self.dtype)
        names = [self.name, *(self._name(other) for other in others)]
        dtype = dtype or self.dtype
        made = [
            Symbol(self._writer, name, dtype) for name in self._writer.add(kind, names, outputs, **attributes)
        ]
        return made[0] if outputs == 1 else made

    def _name(self, other) -> str:
        if other is None:
            return ""
        return other.name if isinstance(other, Symbol) else self.number(other).name

    def number(self, value) -> Symbol:
        """A constant of this type."""
        return Symbol(self._writer, self._writer.typed_constant(value, self.dtype), self.dtype)

    def ints(self, values) -> Symbol:
        """A constant list of whole numbers, as ONNX takes axes and shapes."""
        values = [int(value) for value in values]
        return Symbol(self._writer, self._writer.constant(np.array(values, np.int64)), mstype.int64)

    def to(self, dtype) -> Symbol:
        """In another type."""
        return self if dtype == self.dtype else self.add("Cast", to=NUMBERS[dtype], dtype=dtype)

    def reshape(self, shape) -> Symbol:
        """In another shape."""
        return self.Reshape(self.ints(shape))

    def where(self, yes, no) -> Symbol:
        """Chooses by this, a mask; one of the two is no number."""
        dtype = yes.dtype if isinstance(yes, Symbol) else no.dtype
        yes, no = (v if isinstance(v, Symbol) else self.to(dtype).number(v) for v in (yes, no))
        return self.Where(yes, no, dtype=dtype)

    def _mask(self, kind: str, other) -> Symbol:
        return self.add(kind, other, dtype=mstype.bool_)

    def __add__(self, other):
        return self.Add(other)

    def __sub__(self, other):
        return self.Sub(other)

    def __mul__(self, other):
        return self.Mul(other)

    def __truediv__(self, other):
        return self.Div(other)

    def __neg__(self):
        return self.Neg()

    def __lt__(self, other):
        return self._mask("Less", other)

    def __gt__(self, other):
        return self._mask("Greater", other)

    def __le__(self, other):
        return self._mask("LessOrEqual", other)

    def __ge__(self, other):
        return self._mask("GreaterOrEqual", other)

    def equals(self, other) -> Symbol:
        """Where both are equal."""
        return self._mask("Equal", other)


class Call:
    """One use of an operator."""

    def __init__(self, writer: ModelWriter, node: Node):
        self.writer, self.node = writer, node
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
        return self.writer.network.type_of(self.node.operands[i])[0]

    def shape_of(self, i: int = 0) -> tuple[int, ...]:
        """An operand's shape."""
        return self.writer.network.type_of(self.node.operands[i])[1]

    def producer(self, i: int) -> Node:
        """What computes an operand."""
        return self.writer.network.node(self.node.operands[i])

    def users(self, output: int) -> list[Node]:
        """Operators that read an output."""
        value = (self.node.id, output)
        return [node for node in self.writer.network.nodes if value in node.operands]

    def is_read(self, output: int) -> bool:
        """Whether somebody reads an output."""
        return bool(self.users(output))

    def input(self, i: int = 0, dtype=None) -> Symbol | None:
        """An operand, in a type where one is named; None where it is absent."""
        if not self.has(i):
            return None
        value = self.node.operands[i]
        number = self.writer.network.node(value)
        if dtype is not None and number.is_number:
            name = self.writer.typed_constant(number.tensor.asnumpy(), dtype)
            return Symbol(self.writer, name, dtype)
        symbol = Symbol(self.writer, self.writer.name_of(value), self.type_of(i))
        return symbol if dtype is None else symbol.to(dtype)

    def inputs(self, dtype=None) -> list[Symbol]:
        """All operands that are there."""
        return [self.input(i, dtype) for i in range(len(self)) if self.has(i)]

    def constant(self, array, dtype=None) -> Symbol:
        """A constant, in the type of the first output unless another is named."""
        dtype = dtype or self.dtype
        return Symbol(self.writer, self.writer.typed_constant(array, dtype), dtype)

    def common_type(self):
        """The type in which operands of different types are compared."""
        known = [self.type_of(i) for i in range(len(self)) if not self.producer(i).is_number]
        known = known or [self.type_of(i) for i in range(len(self))]
        floats = [dtype for dtype in known if dtype in FLOATS]
        if floats:
            return floats[0] if len(set(floats)) == 1 else max(floats[0], mstype.float32, key=_width)
        if any(self.type_of(i) in FLOATS for i in range(len(self))):
            return mstype.float32
        return max(known, key=_width)

    def refuse_parameter(self, i: int) -> None:
        """Refuses operators that would change a parameter of the network."""
        if _registry.describe(self.node.name)["effects"] and self.producer(i).kind == "parameter":
            self.refuse(f"it changes '{self.producer(i).name or 'a tensor'}', and files keep no state")

    def refuse(self, why: str):
        """Says that this use has no counterpart in ONNX."""
        raise TypeError(f"'{self.node.name}' at {self.node.place()} cannot be written as ONNX: {why}.")


def _width(dtype) -> int:
    return 0 if dtype == mstype.bool_ else np.dtype(mstype.dtype_to_nptype(dtype)).itemsize


Rule = Callable[[Call], "Symbol | list[Symbol]"]
RULES: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Registers a rule for operators."""

    def register(function: Rule) -> Rule:
        for name in names:
            RULES[name] = function
        return function

    return register


def formulas(**table: Callable) -> None:
    """Operators written as formulas of their operands, which have the type of the result."""
    for name, formula in table.items():
        RULES[name] = lambda call, formula=formula: formula(*call.inputs(call.dtype))


def formulas_with(**table: Callable) -> None:
    """The same for operators with attributes, which the formula gets as a `Call` in front."""
    for name, formula in table.items():
        RULES[name] = lambda call, formula=formula: formula(call, *call.inputs(call.dtype))


def same(**kinds: str) -> None:
    """Operators that differ from nodes in their name only."""
    for name, kind in kinds.items():
        RULES[name] = lambda call, kind=kind: call.input(0, call.dtype).add(
            kind, *call.inputs(call.dtype)[1:]
        )
