# SPDX-License-Identifier: Apache-2.0
"""Primitives about shapes, types and order of execution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.ops.function import creation, values
from mindspore.ops.primitive import Primitive, prim_attr_register

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


class _Plain(Primitive):
    """A primitive without attributes."""

    def __init__(self):
        super().__init__(type(self).__name__)


class Shape(_Plain):
    """Length of every axis of a tensor, as a tuple."""

    def __call__(self, x) -> tuple[int, ...]:
        return values.shape(x)


class DType(_Plain):
    """Type of a tensor's elements."""

    def __call__(self, x) -> Any:
        return values.dtype(x)


class Rank(_Plain):
    """Number of axes."""

    def __call__(self, x) -> Any:
        return values.rank(x)


class Size(_Plain):
    """Number of elements."""

    def __call__(self, input_x) -> int:
        return values.size(input_x)


class TensorShape(_Plain):
    """Length of every axis, as an int64 tensor."""

    def __call__(self, input_x):
        return values.dyn_shape(input_x)


class DynamicShape(Primitive):
    """Length of every axis, as an int64 tensor."""

    @prim_attr_register
    def __init__(self, dtype=9):
        pass

    def __call__(self, tensor):
        return values.dyn_shape(tensor)


class Depend(_Plain):
    """`value`, after `expr` has been computed."""

    def __call__(self, value: Any, expr) -> Any:
        return value


class UpdateState(_Plain):
    """`value`, after `expr` has been computed."""

    def __call__(self, value: Any, expr) -> Any:
        return value


class Load(_Plain):
    """The value a parameter has now: later writes to the parameter do not reach it."""

    def __call__(self, variable: Tensor, u: Any = None) -> Tensor:
        return op.copy(variable)


class StopGradient(_Plain):
    """`value` as a constant: no gradient flows through it."""

    def __call__(self, value):
        return values.stop_gradient(value)


class Partial(_Plain):
    """A function with some of its arguments given."""

    def __call__(self, *args, **kwargs) -> Callable:
        return values.partial(*args, **kwargs)


class identity(_Plain):  # noqa: N801  (the name that `ops.operations` has for it)
    """The value itself; `mindspore.ops.identity` is one of it."""

    def __call__(self, x: Any) -> Any:
        return x


class IdentityN(_Plain):
    """The tensors themselves."""

    def __call__(self, x: Sequence[Tensor]) -> tuple:
        return tuple(x)


class TupleToArray(_Plain):
    """A tensor with the numbers of a tuple."""

    def __call__(self, input_x):
        return creation.tuple_to_array(input_x)


class ScalarToTensor(_Plain):
    """A 0-d tensor with a number."""

    def __call__(self, x, dtype=mstype.float32):
        return creation.scalar_to_tensor(x, dtype)


class ScalarToArray(_Plain):
    """A 0-d tensor with a number."""

    def __call__(self, x):
        return creation.scalar_to_array(x)


class ScalarCast(_Plain):
    """A Python number in the Python type of a dtype."""

    def __call__(self, input_x, input_y) -> int | float | bool:
        return values.scalar_cast(input_x, input_y)
