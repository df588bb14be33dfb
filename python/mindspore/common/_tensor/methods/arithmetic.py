# SPDX-License-Identifier: Apache-2.0
"""Element by element operations whose parameters have names of their own."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.common._tensor.methods._named import named_methods
from mindspore.ops._registry import op
from mindspore.ops.function import linear


def mul(self, value) -> Tensor:
    """Product."""
    return op.mul(self, value)


def sub(self, y) -> Tensor:
    """Difference."""
    return op.sub(self, y)


def subtract(self, other, *, alpha=1) -> Tensor:
    """self - alpha * other."""
    return op.subtract(self, other, alpha)


def div(self, value, *, rounding_mode=None) -> Tensor:
    """Quotient, rounded as asked."""
    return linear.div(self, value, rounding_mode=rounding_mode)


def true_divide(self, value) -> Tensor:
    """Quotient."""
    return op.div(self, value)


def remainder(self, divisor) -> Tensor:
    """Remainder with the sign of the divisor."""
    return op.floor_mod(self, divisor)


def float_power(self, other) -> Tensor:
    """Power, computed as float64."""
    return op.float_power(self, other)


def matmul(self, tensor2) -> Tensor:
    """Matrix product."""
    return op.matmul(self, tensor2)


def ge(self, x) -> Tensor:
    """Whether the elements are greater or equal."""
    return op.greater_equal(self, x)


def gt(self, x) -> Tensor:
    """Whether the elements are greater."""
    return op.greater(self, x)


def isclose(self, x2, rtol=1e-05, atol=1e-08, equal_nan=False) -> Tensor:
    """Whether the elements are equal up to a tolerance."""
    return op.isclose(self, x2, rtol, atol, equal_nan)


def approximate_equal(self, other, tolerance=1e-05) -> Tensor:
    """Whether the elements differ by less than a tolerance."""
    return op.approximate_equal(self, other, tolerance)


def xlogy(self, y) -> Tensor:
    """self * log(y), and 0 where the tensor is 0."""
    return op.xlogy(self, y)


def xdivy(self, y) -> Tensor:
    """self / y, and 0 where the tensor is 0."""
    return op.xdivy(self, y)


def addcdiv(self, tensor1, tensor2, value=1) -> Tensor:
    """self + value * tensor1 / tensor2."""
    return op.addcdiv_scaled(self, tensor1, tensor2, value)


def addcmul(self, tensor1, tensor2, value=1) -> Tensor:
    """self + value * tensor1 * tensor2."""
    return op.addcmul_scaled(self, tensor1, tensor2, value)


def clamp(self, min=None, max=None) -> Tensor:
    """Elements limited to an interval."""
    return op.clamp(self, min, max)


def softmax(self, axis, dtype=None) -> Tensor:
    """Exponentials along an axis, divided by their sum."""
    return op.softmax(self if dtype is None else op.cast(self, dtype), axis)


def hardshrink(self, lambd=0.5) -> Tensor:
    """Elements with an absolute value up to `lambd` set to zero."""
    return op.hard_shrink(self, lambd)


def soft_shrink(self, lambd=0.5) -> Tensor:
    """Elements moved towards zero by `lambd`, at most to zero."""
    return op.soft_shrink(self, lambd)


def fmax(self, other) -> Tensor:
    """The larger element, ignoring NaN."""
    return op.fmax(self, other)


def fmin(self, other) -> Tensor:
    """The smaller element, ignoring NaN."""
    return op.fmin(self, other)


def ldexp(self, other) -> Tensor:
    """self * 2 ** other."""
    return op.ldexp(self, other)


def round_(self, ndigits=None) -> Tensor:
    """Nearest whole numbers, or with so many decimals; halves to even digits.

    Args:
        ndigits (int): Digits after the point, negative ones before it. Default: ``None``, none.
    """
    return op.round(self) if ndigits is None else op.round_decimals(self, ndigits)


def divmod_(self, other) -> tuple:
    """Quotient rounded towards minus infinity, and remainder with the sign of the divisor."""
    return self // other, self % other


def _reversed_divmod(self, other) -> tuple:
    """The same with the tensor as divisor."""
    return other // self, other % self


def trunc_(self) -> int:
    """The only element without its fraction, for `math.trunc`."""
    return int(self)


def _in_place(name: str):
    """`a += b` makes a new tensor, which takes the name; Python goes on where the operands do not fit."""

    def update(self, other) -> Tensor:
        return getattr(Tensor, name)(self, other)

    return update


METHODS = {
    **named_methods(globals()),
    "__divmod__": divmod_,
    "__iadd__": _in_place("__add__"),
    "__ifloordiv__": _in_place("__floordiv__"),
    "__imatmul__": _in_place("__matmul__"),
    "__imod__": _in_place("__mod__"),
    "__imul__": _in_place("__mul__"),
    "__isub__": _in_place("__sub__"),
    "__rdivmod__": _reversed_divmod,
    "__round__": round_,
    "__trunc__": trunc_,
    "clip": clamp,
    "divide": div,
    "multiply": mul,
}
