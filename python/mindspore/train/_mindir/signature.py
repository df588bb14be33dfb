# SPDX-License-Identifier: Apache-2.0
"""What a network takes and gives: checks of inputs, and results as users know them."""

from __future__ import annotations

import numbers
from dataclasses import dataclass

from mindspore.common.parameter import Parameter
from mindspore.common.sparse_tensor import COOTensor, CSRTensor
from mindspore.common.tensor import Tensor
from mindspore.ops._registry import op
from mindspore.train._mindir.tensors import dtype_of

_TUPLE, _LIST, _CSR, _COO = 20, 21, 30, 31
_ANY_RANK = -2
_SEQUENCES = ("Tuple", "List")
_NUMBERS = {"Int": numbers.Integral, "Float": numbers.Real, "Bool": bool}


@dataclass(frozen=True)
class Input:
    """An input of a graph.

    Attributes:
        name (str): Its name without that of the graph.
        kind (str): ``"Tensor"``, or the type the file names, such as ``"Tuple"``; empty: nothing is known.
        dtype (mindspore.dtype): Of a tensor; None: any.
        dims (tuple): Shape of a tensor; None: any.
    """

    name: str
    kind: str = ""
    dtype: object = None
    dims: tuple | None = None

    @property
    def is_monad(self) -> bool:
        """Whether it carries no value."""
        return "Monad" in self.kind

    def check(self, value) -> None:
        """Sees that a value is what the network was exported for."""
        if self.kind == "Tensor":
            self._check_tensor(value)
        elif self.kind in _SEQUENCES and not isinstance(value, (tuple, list)):
            self._refuse("a tuple", value)
        elif self.kind in _NUMBERS and not isinstance(value, (_NUMBERS[self.kind], Tensor)):
            self._refuse(f"a number ({self.kind})", value)

    def _check_tensor(self, value) -> None:
        if not isinstance(value, Tensor):
            self._refuse("a Tensor", value)
        if self.dtype is not None and value.dtype != self.dtype:
            raise TypeError(
                f"For 'GraphCell', the input '{self.name}' should have the type {self.dtype} it was exported "
                f"with, but got {value.dtype}."
            )
        if self.dims is None or _ANY_RANK in self.dims:
            return
        shape = value.shape
        fits = len(shape) == len(self.dims) and all(
            dim < 0 or dim == length for dim, length in zip(self.dims, shape, strict=True)
        )
        if not fits:
            raise ValueError(
                f"For 'GraphCell', the input '{self.name}' should have the shape {self.dims} it was exported "
                f"with (-1: any length), but got {shape}."
            )

    def _refuse(self, expected: str, value) -> None:
        raise TypeError(
            f"For 'GraphCell', the input '{self.name}' should be {expected}, but got {type(value).__name__}."
        )


def input_of(message: dict) -> Input:
    """What a ValueInfoProto tells about an input."""
    name = message.get("name", "")
    name = name.partition(":")[2] or name
    tensors = message.get("tensor")
    if not tensors:
        return Input(name, message.get("denotation", ""))
    number = tensors[0].get("data_type", 0)
    dtype = dtype_of(number) if number else None
    return Input(name, "Tensor", dtype, tuple(tensors[0].get("dims", ())))


def result_of(attribute: dict):
    """Where sparse tensors are in a result type: nothing, the class, or parts of a tuple."""
    kind = attribute.get("type", 0)
    if kind in (_COO, _CSR):
        return COOTensor if kind == _COO else CSRTensor
    if kind in (_TUPLE, _LIST) and not attribute.get("seq_info", {}).get("is_dyn_len"):
        parts = [result_of(part) for part in attribute.get("values", ())]
        return ("tuple", parts) if any(parts) else None
    return None


def as_result(value, plan):
    """A value as users get it: tuples that stand for sparse tensors are made such, parameters are copied."""
    if isinstance(value, Parameter):
        return op.copy(value)
    if not isinstance(value, (tuple, list)):
        return value
    is_nested = isinstance(plan, tuple) and len(plan[1]) == len(value)
    parts = plan[1] if is_nested else [None] * len(value)
    items = [as_result(one, part) for one, part in zip(value, parts, strict=True)]
    if plan in (COOTensor, CSRTensor):
        return plan(*items)
    return items if isinstance(value, list) else tuple(items)
