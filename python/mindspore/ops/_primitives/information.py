# SPDX-License-Identifier: Apache-2.0
"""Primitives about shapes, types and order of execution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._primitives.composition import composed
from mindspore.ops._registry import op
from mindspore.ops.function import creation, values

__all__ = [
    "DType",
    "Depend",
    "DynamicShape",
    "IdentityN",
    "Load",
    "Partial",
    "Rank",
    "ScalarCast",
    "ScalarToArray",
    "ScalarToTensor",
    "Shape",
    "Size",
    "StopGradient",
    "TensorShape",
    "TupleToArray",
    "UpdateState",
]


@composed()
def Shape(self, x) -> tuple[int, ...]:
    """Length of every axis of a tensor, as a tuple."""
    return values.shape(x)


@composed()
def DType(self, x) -> Any:
    """Type of a tensor's elements."""
    return values.dtype(x)


@composed()
def Rank(self, x) -> Any:
    """Number of axes."""
    return values.rank(x)


@composed()
def Size(self, input_x) -> int:
    """Number of elements."""
    return values.size(input_x)


@composed()
def TensorShape(self, input_x):
    """Length of every axis, as an int64 tensor."""
    return values.dyn_shape(input_x)


@composed(dtype=9)
def DynamicShape(self, tensor):
    """Length of every axis, as an int64 tensor."""
    return values.dyn_shape(tensor)


@composed()
def Depend(self, value: Any, expr) -> Any:
    """`value`, after `expr` has been computed."""
    return value


@composed()
def UpdateState(self, value: Any, expr) -> Any:
    """`value`, after `expr` has been computed."""
    return value


@composed()
def Load(self, variable: Tensor, u: Any = None) -> Tensor:
    """The value a parameter has now: later writes to the parameter do not reach it."""
    return op.copy(variable)


@composed()
def StopGradient(self, value):
    """`value` as a constant: no gradient flows through it."""
    return values.stop_gradient(value)


@composed()
def Partial(self, *args, **kwargs) -> Callable:
    """A function with some of its arguments given."""
    return values.partial(*args, **kwargs)


@composed()
def identity(self, x: Any) -> Any:
    """The value itself; `mindspore.ops.identity` is one of it."""
    return x


@composed()
def IdentityN(self, x: Sequence[Tensor]) -> tuple:
    """The tensors themselves."""
    return tuple(x)


@composed()
def TupleToArray(self, input_x):
    """A tensor with the numbers of a tuple."""
    return creation.tuple_to_array(input_x)


@composed()
def ScalarToTensor(self, x, dtype=mstype.float32):
    """A 0-d tensor with a number."""
    return creation.scalar_to_tensor(x, dtype)


@composed()
def ScalarToArray(self, x):
    """A 0-d tensor with a number."""
    return creation.scalar_to_array(x)


@composed()
def ScalarCast(self, input_x, input_y) -> int | float | bool:
    """A Python number in the Python type of a dtype."""
    return values.scalar_cast(input_x, input_y)
