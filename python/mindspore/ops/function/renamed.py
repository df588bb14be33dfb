# SPDX-License-Identifier: Apache-2.0
"""Functions whose parameters have other names than those of their operators."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore._later import defined_names as _defined_names
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op


def transpose(input, input_perm) -> Tensor:
    """Axes in another order.

    Args:
        input (Tensor): Any tensor.
        input_perm (tuple[int]): For every axis of the result the axis of the input.
    """
    return op.transpose(input, input_perm)


def permute(input, axis) -> Tensor:
    """Axes in another order.

    Args:
        input (Tensor): Any tensor.
        axis (tuple(int)): For every axis of the result the axis of the input.
    """
    return op.transpose(input, axis)


def fill(type, shape, value) -> Tensor:
    """A tensor with all elements equal to `value`.

    Args:
        type (mindspore.dtype): Type of the elements; None takes the kind of `value`.
        shape (Union(Tensor, tuple[int])): Shape.
        value (Union(Tensor, number.Number, bool)): The value.
    """
    return op.fill(type, shape, value)


def normal(shape, mean, stddev, seed=None) -> Tensor:
    """Numbers from a normal distribution.

    Args:
        shape (tuple): Shape of the result, before `mean` and `stddev` stretch it.
        mean (Union[Tensor, int, float]): The mean.
        stddev (Union[Tensor, int, float]): The standard deviation.
        seed (int): Seed of this call. Default: ``None``.
    """
    return op.normal(shape=shape, mean=mean, stddev=stddev, seed=seed)


def conv2d(input, weight, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1) -> Tensor:
    """Convolution over (N, C, H, W) with weights (C_out, C_in / groups, KH, KW)."""
    return op.conv2d_function(input, weight, bias, stride, pad_mode, padding, dilation, groups)


def addcdiv(input, tensor1, tensor2, value=1) -> Tensor:
    """input + value * tensor1 / tensor2."""
    return op.addcdiv_scaled(input, tensor1, tensor2, value)


def addcmul(input, tensor1, tensor2, value=1) -> Tensor:
    """input + value * tensor1 * tensor2."""
    return op.addcmul_scaled(input, tensor1, tensor2, value)


def arcsin(x) -> Tensor:
    """Angle whose sine is `x`."""
    return op.asin(x)


def inv(x) -> Tensor:
    """1 / x."""
    return op.reciprocal(x)


def isfinite(x) -> Tensor:
    """Whether the elements are neither infinite nor NaN."""
    return op.isfinite(x)


def floor_div(x, y) -> Tensor:
    """Quotient rounded towards minus infinity."""
    return op.floor_div(x, y)


def floor_mod(x, y) -> Tensor:
    """Remainder with the sign of the divisor."""
    return op.floor_mod(x, y)


def truncate_mod(x, y) -> Tensor:
    """Remainder with the sign of the dividend."""
    return op.truncate_mod(x, y)


def true_divide(dividend, divisor) -> Tensor:
    """Quotient."""
    return op.div(dividend, divisor)


def tensor_div(x, y) -> Tensor:
    """Quotient."""
    return op.div(x, y)


def tensor_mod(x, y) -> Tensor:
    """Remainder with the sign of the divisor."""
    return op.floor_mod(x, y)


def tensor_sub(x, y) -> Tensor:
    """Difference."""
    return op.sub(x, y)


def tensor_expm1(input) -> Tensor:
    """exp(x) - 1."""
    return op.expm1(input)


def reduce_sum(x, axis=()) -> Tensor:
    """Sum along axes, all of them for an empty tuple."""
    return op.reduce_sum(x, axis)


def reduce_mean(x, axis=()) -> Tensor:
    """Mean along axes, all of them for an empty tuple."""
    return op.reduce_mean(x, axis)


def reduce_max(x, axis=()) -> Tensor:
    """Largest element along axes, all of them for an empty tuple."""
    return op.reduce_max(x, axis)


def reduce_min(x, axis=()) -> Tensor:
    """Smallest element along axes, all of them for an empty tuple."""
    return op.reduce_min(x, axis)


def random_poisson(shape, rate, seed=None, dtype=mstype.float32) -> Tensor:
    """Numbers from a Poisson distribution; `shape` comes before the shape of `rate`."""
    return op.random_poisson(shape, rate, seed=seed or 0, dtype=dtype)


def random_gamma(shape, alpha, seed=None) -> Tensor:
    """Numbers from a gamma distribution with rate 1."""
    return op.random_gamma(shape, alpha, seed=seed or 0)


def unstack(input_x, axis=0) -> tuple:
    """Slices along an axis, which disappears."""
    return op.unbind(input_x, axis)


def zeros_like(input, *, dtype=None) -> Tensor:
    """Zeros in the shape and type of `input`."""
    return op.zeros_like(input, dtype)


def ones_like(input, *, dtype=None) -> Tensor:
    """Ones in the shape and type of `input`."""
    return op.ones_like(input, dtype)


def full_like(input, fill_value, *, dtype=None) -> Tensor:
    """One value in the shape and type of `input`."""
    return op.full_like(input, fill_value, dtype)


def nansum(input, axis=None, keepdims=False, *, dtype=None) -> Tensor:
    """Sum of the elements that are numbers."""
    return op.nansum(input, axis, keepdims, dtype)


__all__ = _defined_names(globals())
