# SPDX-License-Identifier: Apache-2.0
"""Layers over single functions of numbers."""

from __future__ import annotations

import math

from mindspore import _checkparam as validator
from mindspore import ops
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn._arguments import flag
from mindspore.nn._description import Argument, documented, shows, takes
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op


def _require_float(owner: str, **values) -> None:
    for name, value in values.items():
        if not isinstance(value, Tensor):
            raise TypeError(f"For '{owner}', the '{name}' must be a Tensor, but got {type(value).__name__}.")
        if value.dtype not in mstype.float_type:
            raise TypeError(
                f"For '{owner}', the '{name}' should be one of {list(mstype.float_type)}, but got "
                f"'{value.dtype}'."
            )


@documented
class DiGamma(Cell):
    """Derivative of the logarithm of the gamma function.

    Inputs:
        - **x** (Tensor) - Of a floating type.

    Outputs:
        Tensor, like `x`.

    Raises:
        TypeError: `x` is not of a floating type.
    """

    def construct(self, x):
        _require_float(self.cls_name, x=x)
        return op.digamma(x)


@documented
class LGamma(Cell):
    """Logarithm of the absolute value of the gamma function.

    Inputs:
        - **x** (Tensor) - Of a floating type.

    Outputs:
        Tensor, like `x`.

    Raises:
        TypeError: `x` is not of a floating type.
    """

    def construct(self, x):
        _require_float(self.cls_name, x=x)
        return op.lgamma(x)


@documented
class IGamma(Cell):
    """Regularised lower incomplete gamma function.

    Inputs:
        - **a** (Tensor) - Shape, above 0.
        - **x** (Tensor) - Upper end of the integral.

    Outputs:
        Tensor, in the common shape.

    Raises:
        TypeError: An input is not of a floating type, or the types differ.
    """

    def construct(self, a, x):
        _require_float(self.cls_name, a=a, x=x)
        if a.dtype != x.dtype:
            raise TypeError(
                f"For '{self.cls_name}', 'a' and 'x' must have one dtype, but got {a.dtype} and {x.dtype}."
            )
        return op.igamma(a, x)


# From this on Stirling's series takes the place of the gamma function.
_LARGE = 8.0
_SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)
_HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)


def _correction(x):
    """lgamma(x) - ((x - 1/2) log(x) - x + log(2 pi) / 2), for large x."""
    r = op.reciprocal(x)
    s = op.square(r)
    total = _SERIES[-1]
    for coefficient in _SERIES[-2::-1]:
        total = s * total + coefficient
    return r * total


def log_beta(x, y):
    """lgamma(x) + lgamma(y) - lgamma(x + y) without cancelling large terms."""
    a, b = op.minimum(x, y), op.maximum(x, y)
    small = op.lgamma(a) + op.lgamma(b) - op.lgamma(a + b)
    safe = op.maximum(b, _LARGE)
    shared = _correction(safe) - _correction(a + safe) - (safe - 0.5) * op.log1p(a / safe)
    one_large = shared + op.lgamma(a) + a - a * op.log(a + safe)
    first = op.maximum(a, _LARGE)
    both_large = (
        shared + _HALF_LOG_TAU - 0.5 * op.log(first) + _correction(first) - first * op.log1p(safe / first)
    )
    return op.where(op.less(b, _LARGE), small, op.where(op.less(a, _LARGE), one_large, both_large))


@documented
class LBeta(Cell):
    """Logarithm of the beta function: ``lgamma(x) + lgamma(y) - lgamma(x + y)``.

    Inputs:
        - **x** (Tensor) - Of a floating type.
        - **y** (Tensor) - Of the same type.

    Outputs:
        Tensor, in the common shape.

    Raises:
        TypeError: An input is not of a floating type, or the types differ.
    """

    def construct(self, x, y):
        _require_float(self.cls_name, x=x, y=y)
        if x.dtype != y.dtype:
            raise TypeError(
                f"For '{self.cls_name}', 'x' and 'y' must have one dtype, but got {x.dtype} and {y.dtype}."
            )
        return log_beta(x, y)


_KEEP_DIMS = flag("keep_dims", "Reduced axes stay, with length 1.")


@takes(
    Argument(
        "axis",
        "Union[int, tuple(int), list(int)]",
        "The axes; () for all.",
        check=check.of_type(int, list, tuple),
    ),
    _KEEP_DIMS,
)
class ReduceLogSumExp(Cell):
    """``log(sum(exp(x)))`` along axes.

    Inputs:
        - **x** (Tensor) - Of a floating type.

    Outputs:
        Tensor, reduced.

    Raises:
        TypeError: An argument has another type, or `x` is not of a floating type.
    """

    def construct(self, x):
        _require_float(self.cls_name, x=x)
        axis = (self.axis,) if isinstance(self.axis, int) else tuple(self.axis)
        return ops.logsumexp(x, axis or tuple(range(x.ndim)), self.keep_dims)


@takes(
    Argument("axis", "Union[int, tuple(int), None]", "The axes; None: all.", None),
    Argument("keep_dims", "Union[bool, None]", "Reduced axes stay, with length 1; None: no.", None),
)
class Moments(Cell):
    """Mean and variance.

    Inputs:
        - **x** (Tensor) - Of a floating type.

    Outputs:
        tuple, mean and variance, like `x`.

    Raises:
        TypeError: An argument has another type, or `x` is not of a floating type.
    """

    def _set_up(self, axis, keep_dims) -> None:
        if axis is None:
            axis = ()
        validator.check_value_type("axis", axis, [int, tuple], self.cls_name)
        axes = (axis,) if isinstance(axis, int) else axis
        for value in axes:
            validator.check_value_type("axis", value, [int], self.cls_name)
        self.axis = axes
        self.keep_dims = False if keep_dims is None else check.boolean(keep_dims, "keep_dims", self.cls_name)

    def construct(self, x):
        _require_float(self.cls_name, x=x)
        wide = op.cast(x, mstype.float32) if x.dtype in (mstype.float16, mstype.bfloat16) else x
        centre = op.reduce_mean(wide, self.axis, True)
        variance = op.reduce_mean(op.square(wide - centre), self.axis, self.keep_dims)
        mean = centre if self.keep_dims else op.reduce_mean(wide, self.axis)
        return op.cast(mean, x.dtype), op.cast(variance, x.dtype)


@takes(
    Argument("axis", "Union[tuple, int]", "The axes; () for all.", (), check.of_type(int, tuple)), _KEEP_DIMS
)
class Norm(Cell):
    """Square root of the sum of squares.

    Inputs:
        - **x** (Tensor) - Numbers.

    Outputs:
        Tensor, reduced.

    Raises:
        TypeError: An argument has another type.
    """

    def construct(self, x):
        axis = (self.axis,) if isinstance(self.axis, int) else self.axis
        return op.sqrt(op.reduce_sum(op.square(x), axis, self.keep_dims))

    extend_repr = shows("axis keep_dims")


def _factor(value, name: str, owner: str) -> float:
    if not check.of_type(int, float)(value, name, owner) > 0:
        raise ValueError(f"For '{owner}', the '{name}' must be greater than 0, but got {value}.")
    if math.isinf(value):
        raise ValueError(f"For '{owner}', the '{name}' must be finite, but got {value}.")
    return value


@takes(Argument("scale", "Union[int, float]", "Factor, above 0.", check=_factor))
class L1Regularizer(Cell):
    """``scale * sum(abs(weights))``.

    Inputs:
        - **weights** (Tensor) - Numbers.

    Outputs:
        Tensor, one number, at least float32.

    Raises:
        TypeError: `scale` is no number, or `weights` are truth values.
        ValueError: `scale` is not positive or not finite.
    """

    def construct(self, weights):
        if not isinstance(weights, Tensor) or weights.dtype == mstype.bool_:
            kind = weights.dtype if isinstance(weights, Tensor) else type(weights).__name__
            raise TypeError(f"For '{self.cls_name}', the 'weights' must be numbers, but got {kind}.")
        total = op.reduce_sum(op.abs(weights)) * self.scale
        return total if total.dtype == mstype.float64 else op.cast(total, mstype.float32)


_NUMBERS = "Union[list(int), tuple(int), int]"


@takes(
    Argument("shift", _NUMBERS, "How far, per axis.", check=check.of_type(int, tuple, list)),
    Argument("axis", _NUMBERS, "The axes.", check=check.of_type(int, tuple, list)),
)
class Roll(Cell):
    """Moves elements along axes; what leaves at one end enters at the other.

    Inputs:
        - **input_x** (Tensor) - Any tensor.

    Outputs:
        Tensor, like `input_x`.

    Raises:
        TypeError: `shift` or `axis` has another type.
        ValueError: They do not have as many elements, or an axis is out of range.
    """

    def _set_up(self, shift, axis) -> None:
        self.shift = (shift,) if isinstance(shift, int) else tuple(shift)
        self.axis = (axis,) if isinstance(axis, int) else tuple(axis)
        if len(self.shift) != len(self.axis):
            raise ValueError(
                f"For '{self.cls_name}', 'shift' and 'axis' must have as many elements, but got {shift} and "
                f"{axis}."
            )

    def construct(self, input_x):
        return ops.roll(input_x, self.shift, self.axis)


__all__ = ["DiGamma", "IGamma", "LBeta", "LGamma", "Moments", "ReduceLogSumExp"]
