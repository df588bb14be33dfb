# SPDX-License-Identifier: Apache-2.0
"""What an operator becomes in a MindIR file: the table of rules, and what rules are written with.

Most operators of the registry are primitives under their public names, with the same attributes; the table
holds rules for the others. A rule is called with a `Call`, adds calls of primitives and returns the values of
the outputs. Values are `Symbol`s: `x * 2 + x.Sqrt()` adds calls of Mul, Sqrt and Add.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from mindspore import _c_expression as _c
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.train._export.captured_network import Node, Value
from mindspore.train._export.folding import is_writing
from mindspore.train._export.operator_use import FLOATS, Expression, RuleTable, WrittenUse
from mindspore.train._mindir.model_writer import ModelWriter
from mindspore.train._mindir.type_numbers import ARGUMENT_NUMBERS

_MASKS = frozenset(("Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"))


@dataclass(frozen=True)
class Plain:
    """An argument that is a Python value in the file too, and no tensor."""

    value: object


class Symbol(Expression):
    """A value of the model being written; methods with capital letters add a call of the primitive."""

    DIVISION = "RealDiv"

    def __init__(self, writer: ModelWriter, name: str, dtype, shape):
        super().__init__(writer, name, dtype)
        self.shape = tuple(shape)

    def add(self, kind: str, *others, dtype=None, shape=None, **attributes) -> Symbol:
        """A call with this as its first argument, with one result.

        Numbers among the others become tensors of this type; tuples, types and `Plain` values stay what they
        are. Without a shape, the result has that of the arguments stretched to each other.
        """
        if shape is None:
            shapes = [other.shape for other in others if isinstance(other, Symbol)]
            shape = np.broadcast_shapes(self.shape, *shapes)
        dtype = dtype or (mstype.bool_ if kind in _MASKS else self.dtype)
        name = self._writer.call(kind, self._names(others), [(dtype, tuple(shape))], **attributes)
        return Symbol(self._writer, name, dtype, shape)

    def several(
        self, kind: str, *others, types: list[tuple], wanted: int | None = None, **attributes
    ) -> list[Symbol]:
        """A call with a tuple of results, whose types are given; the first ones that somebody wants."""
        made = self._writer.call(kind, self._names(others), types, is_tuple=True, **attributes)
        return [
            Symbol(self._writer, self._writer.part(made, i, one), *one)
            for i, one in enumerate(types[:wanted])
        ]

    def joined(self, kind: str, others: list[Symbol], shape, **attributes) -> Symbol:
        """A call whose argument is a tuple of this and the others."""
        members = [self, *others]
        tuple_name = self._writer.tuple_of([m.name for m in members], [(m.dtype, m.shape) for m in members])
        name = self._writer.call(kind, [tuple_name], [(self.dtype, tuple(shape))], **attributes)
        return Symbol(self._writer, name, self.dtype, shape)

    def _names(self, others: tuple) -> list[str]:
        return [self.name, *(self._name(other) for other in others)]

    def _name(self, other) -> str:
        if isinstance(other, Symbol):
            return other.name
        if isinstance(other, Plain):
            return self._writer.constant(other.value)
        if isinstance(other, (int, float, np.number, np.ndarray)):
            return self.number(other).name
        return self._writer.constant(other)

    def number(self, value, dtype=None) -> Symbol:
        """A constant, of this type unless another is named."""
        dtype = dtype or self.dtype
        array = np.asarray(value)
        tensor = Tensor(np.ascontiguousarray(array).reshape(array.shape), dtype)
        return Symbol(self._writer, self._writer.constant(tensor), dtype, array.shape)

    def to(self, dtype) -> Symbol:
        """In another type."""
        return self if dtype == self.dtype else self.cast(dtype)

    def cast(self, dtype) -> Symbol:
        """A conversion, also where the type is known to be the same in this package only."""
        return self.add("Cast", Plain(ARGUMENT_NUMBERS[dtype]), dtype=dtype)

    def reshape(self, shape) -> Symbol:
        """In another shape."""
        shape = tuple(int(size) for size in shape)
        return self if shape == self.shape else self.add("Reshape", shape, shape=shape)

    def transpose(self, order) -> Symbol:
        """With its axes in another order."""
        order = tuple(axis % len(self.shape) for axis in order)
        if order == tuple(range(len(order))):
            return self
        return self.add("Transpose", order, shape=[self.shape[axis] for axis in order])

    def broadcast(self, shape) -> Symbol:
        """Stretched to a shape."""
        shape = tuple(shape)
        return self if shape == self.shape else self._stretched(shape)

    def _stretched(self, shape: tuple[int, ...]) -> Symbol:
        name = self._writer.call("BroadcastTo", [self.name], [(self.dtype, shape)], shape=shape)
        return Symbol(self._writer, name, self.dtype, shape)

    def shaped_like(self, other: Symbol | None, shape: tuple[int, ...]) -> Symbol:
        """Stretched to a shape, which another value has; then without naming it if that should be avoided."""
        if other is None or self.shape == shape or not self._writer.is_for_all_sizes:
            return self.broadcast(shape)
        zeros = other.ZerosLike().to(self.dtype)
        return self.LogicalOr(zeros) if self.dtype == mstype.bool_ else self + zeros

    def take(self, places, axis: int) -> Symbol:
        """Elements at places of one axis, which are a symbol or an array."""
        places = places if isinstance(places, Symbol) else self.number(places, mstype.int32)
        shape = (*self.shape[:axis], *places.shape, *self.shape[axis + 1 :])
        return self.add("Gather", places, Plain(axis), shape=shape, batch_dims=0)

    def where(self, yes, no) -> Symbol:
        """Chooses by this, a mask; one of the two is no number."""
        like = yes if isinstance(yes, Symbol) else no
        yes, no = (v if isinstance(v, Symbol) else like.number(v) for v in (yes, no))
        shape = np.broadcast_shapes(self.shape, yes.shape, no.shape)
        whole = next((one for one in (self, yes, no) if one.shape == shape), None)
        chosen = [one.shaped_like(whole, shape) for one in (self, yes, no)]
        return chosen[0].add("Select", *chosen[1:], dtype=like.dtype, shape=shape)


class Call(WrittenUse):
    """One use of an operator, with the values of its operands."""

    FORMAT = "MindIR"

    def symbol(self, value: Value) -> Symbol:
        """A value of the network."""
        return Symbol(self.writer, self.writer.name_of(value), *self.network.type_of(value))

    def _type_of_number(self, dtype):
        return dtype or self._beside()

    def _beside(self):
        """The type a number has among the other operands."""
        others = [i for i in range(len(self)) if self.has(i) and not self.producer(i).is_number]
        return self.type_of(others[0]) if others else self.dtype

    def wanted(self) -> int:
        """How many of the first outputs must be there for those that are read."""
        return max((i + 1 for i in range(len(self.node.types)) if self.is_read(i)), default=1)

    def constant(self, array, dtype=None) -> Symbol:
        """A constant, in the type of the first output unless another is named."""
        return Symbol(self.writer, "", self.dtype, ()).number(array, dtype)


TABLE = RuleTable()
RULES, rule, formulas, formulas_with = TABLE.rules, TABLE.rule, TABLE.formulas, TABLE.formulas_with

# ---- operators that are primitives ---------------------------------------------------------------------


_NOTHING = {"primitive": ""}


@cache
def _described(name: str) -> dict:
    try:
        return _c.describe_operator(name)
    except RuntimeError:  # a gradient derived from a formula, which the registry does not list
        return _NOTHING


def is_primitive(name: str) -> bool:
    """Whether there is a primitive of the operator's own that only computes."""
    return bool(_described(name)["primitive"]) and not is_writing(name)


def write(writer: ModelWriter, node: Node) -> list[str]:
    """Adds what a node becomes; returns the names of its outputs."""
    made = RULES.get(node.name, _as_primitive)(Call(writer, node))
    outputs = [made] if isinstance(made, Symbol) else made
    typed = [output.to(kind[0]) for output, kind in zip(outputs, node.types, strict=False)]
    return [output.name for output in typed]


def truth_of(writer: ModelWriter, value: Value) -> str:
    """The name of what a branch is chosen by: a mask without axes."""
    symbol = Symbol(writer, writer.name_of(value), *writer.network.type_of(value))
    symbol = symbol if symbol.dtype == mstype.bool_ else symbol.NotEqual(0)
    return symbol.reshape(()).name


def _operands(call: Call, described: dict) -> list[Symbol]:
    """Operands; those of a calculation by element in one type, as primitives do not convert."""
    if not described["elementwise"]:
        return [call.input(i) for i in range(len(call))]
    wanted = call.common_type() if call.dtype == mstype.bool_ else call.dtype
    is_real = call.dtype in FLOATS or call.dtype == mstype.bool_
    mixed = any(call.has(i) and call.type_of(i) != wanted for i in range(len(call)))
    same_kind = is_real or not mixed or all(call.type_of(i) not in FLOATS for i in range(len(call)))
    return [call.input(i, wanted if mixed and same_kind else None) for i in range(len(call))]


def _as_primitive(call: Call) -> list[Symbol]:
    """The operator under its public name; attributes given in the call come after the tensors."""
    described = _described(call.node.name)
    operands = _operands(call, described)
    while operands and operands[-1] is None:
        operands.pop()
    values = [call.writer.constant(None) if one is None else one.name for one in operands]
    if described["inputs"] and described["inputs"][0]["variadic"]:
        values = [call.writer.tuple_of(values, [(one.dtype, one.shape) for one in operands])]
    attributes = {}
    for attribute in described["attributes"]:
        value = call[attribute["name"]]
        if attribute["in_call"]:
            values.append(call.writer.constant(value))
        else:
            attributes[attribute["name"]] = value
    types = call.node.types
    made = call.writer.call(described["primitive"], values, types, is_tuple=len(types) > 1, **attributes)
    if len(types) == 1:
        return [Symbol(call.writer, made, *types[0])]
    wanted = enumerate(types[: call.wanted()])
    return [Symbol(call.writer, call.writer.part(made, i, kind), *kind) for i, kind in wanted]
