# SPDX-License-Identifier: Apache-2.0
"""What an operator becomes in an ONNX file: the table of rules, and what rules are written with.

A rule is called with a `Call`, adds nodes and returns the values of the outputs, one per output that somebody
may read. Values are `Symbol`s: `x * 2 + x.Sqrt()` adds the nodes Mul, Sqrt and Add.
"""

from __future__ import annotations

import numpy as np

from mindspore.common import dtype as mstype
from mindspore.ops import _registry
from mindspore.train._export.captured_network import Value
from mindspore.train._export.operator_use import Expression, RuleTable, WrittenUse
from mindspore.train._onnx.element_types import NUMBERS

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


class Symbol(Expression):
    """A value of the model being written; methods with capital letters add the node of that name."""

    LESS_EQUAL, GREATER_EQUAL = "LessOrEqual", "GreaterOrEqual"

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


class Call(WrittenUse):
    """One use of an operator."""

    FORMAT = "ONNX"

    def symbol(self, value: Value) -> Symbol:
        """A value of the network."""
        return Symbol(self.writer, self.writer.name_of(value), self.network.type_of(value)[0])

    def constant(self, array, dtype=None) -> Symbol:
        """A constant, in the type of the first output unless another is named."""
        dtype = dtype or self.dtype
        return Symbol(self.writer, self.writer.typed_constant(array, dtype), dtype)

    def refuse_parameter(self, i: int) -> None:
        """Refuses operators that would change a parameter of the network."""
        if _registry.describe(self.node.name)["effects"] and self.producer(i).kind == "parameter":
            self.refuse(f"it changes '{self.producer(i).name or 'a tensor'}', and files keep no state")


TABLE = RuleTable()
RULES, rule, formulas, formulas_with = TABLE.rules, TABLE.rule, TABLE.formulas, TABLE.formulas_with


def same(**kinds: str) -> None:
    """Operators that differ from nodes in their name only."""
    for name, kind in kinds.items():
        RULES[name] = lambda call, kind=kind: call.input(0, call.dtype).add(
            kind, *call.inputs(call.dtype)[1:]
        )
