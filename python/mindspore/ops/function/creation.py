# SPDX-License-Identifier: Apache-2.0
"""Tensors from numbers."""

from __future__ import annotations

import math

from mindspore._c_expression import Tensor
from mindspore._later import defined_names as _defined_names
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.ops.function._checks import takes


def tuple_to_array(input_x: tuple | range) -> Tensor:
    """A tensor with the numbers of a tuple: int32 for ints, float32 for floats.

    Args:
        input_x (Union[tuple, range]): Numbers of one type.

    Returns:
        Tensor with one axis.

    Raises:
        TypeError: `input_x` is not a tuple of numbers of one type.
    """
    if isinstance(input_x, range):
        input_x = tuple(input_x)
    if not isinstance(input_x, tuple):
        raise TypeError(
            f"For 'tuple_to_array', the 'input_x' must be a tuple, but got {type(input_x).__name__}."
        )
    if len({type(item) for item in input_x}) > 1:
        raise TypeError(f"For 'tuple_to_array', all elements must have the same type, but got {input_x}.")
    is_int = bool(input_x) and isinstance(input_x[0], int)
    return Tensor(input_x, mstype.int32 if is_int else mstype.float32)


def scalar_to_tensor(input_x, dtype=mstype.float32) -> Tensor:
    """A 0-d tensor with a number.

    Args:
        input_x (Union[bool, int, float]): The number.
        dtype (mindspore.dtype): Type of the tensor. Default: ``mstype.float32``.
    """
    if not isinstance(input_x, (bool, int, float)):
        raise TypeError(
            f"For 'scalar_to_tensor', the 'input_x' must be a number, but got {type(input_x).__name__}."
        )
    return Tensor(input_x, dtype)


def scalar_to_array(input_x) -> Tensor:
    """A 0-d tensor with a number, float32 for a float and int64 for an int."""
    return Tensor(input_x)


def arange(start=0, end=None, step=1, *, dtype=None) -> Tensor:
    """Numbers from `start` up to `end` in equal steps.

    Args:
        start (Union[float, int, Tensor]): First number, or the end when it is alone. Default: ``0``.
        end (Union[float, int, Tensor]): Where to stop, not included. Default: ``None``.
        step (Union[float, int, Tensor]): Distance of neighbours. Default: ``1``.
        dtype (mindspore.dtype): Type of the result. Default: ``None`` (int64, float32 with a float argument).
    """
    return op.arange(start, end, step, dtype)


def tensor_range(start, end, step) -> Tensor:
    """Numbers from `start` up to `end` in equal steps, in the type of the arguments."""
    return op.range(start, end, step)


def full(size, fill_value, *, dtype=None) -> Tensor:
    """A tensor with all elements equal to `fill_value`.

    Args:
        size (Union[int, tuple, list]): Shape.
        fill_value (number): The value.
        dtype (mindspore.dtype): Type of the elements. Default: ``None`` (the kind of `fill_value`).
    """
    return op.full(size, fill_value, dtype)


def logspace(start, end, steps, base=10, *, dtype=mstype.float32) -> Tensor:
    """Powers of `base` with evenly spaced exponents.

    Args:
        start (Union[float, Tensor]): First exponent.
        end (Union[float, Tensor]): Last exponent.
        steps (int): Number of elements.
        base (int): The base. Default: ``10``.
        dtype (mindspore.dtype): Type of the result. Default: ``mstype.float32``.
    """
    exponents = op.linspace(start, end, steps, mstype.float64)
    return op.cast(op.pow(float(base), exponents), dtype)


def meshgrid(*inputs, indexing="xy") -> tuple:
    """Coordinates of a grid from the coordinates of its axes.

    Args:
        inputs (Tensor): Coordinates along each axis; one tuple of tensors is taken as well.
        indexing (str): 'xy' exchanges the first two axes, 'ij' does not. Default: ``'xy'``.
    """
    if len(inputs) == 1 and isinstance(inputs[0], (tuple, list)):
        inputs = inputs[0]
    return op.meshgrid(list(inputs), indexing=indexing)


def polar(abs, angle) -> Tensor:
    """Complex numbers with the given lengths and angles."""
    kind = mstype.complex128 if abs.dtype is mstype.float64 else mstype.complex64
    real = op.cast(op.mul(abs, op.cos(angle)), kind)
    return op.add(real, op.mul(op.cast(op.mul(abs, op.sin(angle)), kind), 1j))


def sequence_mask(lengths, maxlen=None) -> Tensor:
    """For every length a row of as many True as it says, then False.

    Args:
        lengths (Tensor): The lengths.
        maxlen (int): Length of the rows. Default: ``None`` (the largest length).
    """
    if maxlen is None:
        maxlen = int(op.reduce_max(lengths)) if lengths.size else 0
    return op.less(op.arange(0, maxlen, 1, lengths.dtype), op.expand_dims(lengths, -1))


def _triangle_indices(row: int, col: int, offset: int, dtype, keep_lower: bool) -> Tensor:
    below = op.less_equal(
        op.arange(0, col, 1, mstype.int64),
        op.add(op.expand_dims(op.arange(0, row, 1, mstype.int64), 1), offset if keep_lower else offset - 1),
    )
    chosen = below if keep_lower else op.logical_not(below)
    return op.cast(op.transpose(op.nonzero(chosen), (1, 0)), dtype)


def tril_indices(row, col, offset=0, *, dtype=mstype.int64) -> Tensor:
    """Rows and columns of the lower triangle of a `row` x `col` matrix, shape (2, count)."""
    return _triangle_indices(row, col, offset, dtype, True)


def triu_indices(row, col, offset=0, *, dtype=mstype.int64) -> Tensor:
    """Rows and columns of the upper triangle of a `row` x `col` matrix, shape (2, count)."""
    return _triangle_indices(row, col, offset, dtype, False)


@takes(x=1)
def vander(x, N=None) -> Tensor:
    """The Vandermonde matrix: decreasing powers of `x` in its columns."""
    count = x.shape[-1] if N is None else N
    exponents = op.arange(count - 1, -1, -1, mstype.int64)
    return op.pow(op.expand_dims(x, -1), exponents)


def _window_length(name: str, length, periodic: bool) -> tuple[int, int]:
    length = int(length)
    if length < 0:
        raise ValueError(f"For '{name}', the 'window_length' must not be negative, but got {length}.")
    return length, length if periodic else length - 1


def _cosine_window(name: str, length, periodic: bool, weights: tuple, dtype) -> Tensor:
    """Sum of cosines: weights[0] - weights[1] cos(t) + weights[2] cos(2 t)."""
    length, period = _window_length(name, length, periodic)
    if length <= 1:
        return op.ones((length,), dtype)
    angle = op.mul(op.arange(0, length, 1, mstype.float64), 2 * math.pi / period)
    total = op.full((length,), weights[0], mstype.float64)
    for k, weight in enumerate(weights[1:], 1):
        total = op.add(total, op.mul(op.cos(op.mul(angle, k)), weight * (-1) ** k))
    return op.cast(total, dtype)


def hann_window(window_length, periodic=True, *, dtype=None) -> Tensor:
    """Hann window: a raised cosine that reaches zero."""
    return _cosine_window("hann_window", window_length, periodic, (0.5, 0.5), dtype or mstype.float64)


def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None) -> Tensor:
    """Hamming window: alpha - beta cos(t)."""
    return _cosine_window("hamming_window", window_length, periodic, (alpha, beta), dtype or mstype.float32)


def blackman_window(window_length, periodic=True, *, dtype=None) -> Tensor:
    """Blackman window: a sum of three cosines."""
    return _cosine_window(
        "blackman_window", window_length, periodic, (0.42, 0.5, 0.08), dtype or mstype.float32
    )


def bartlett_window(window_length, periodic=True, *, dtype=None) -> Tensor:
    """Bartlett window: a triangle."""
    length, period = _window_length("bartlett_window", window_length, periodic)
    if length <= 1:
        return op.ones((length,), dtype or mstype.float32)
    ramp = op.sub(op.mul(op.arange(0, length, 1, mstype.float64), 2.0 / period), 1.0)
    return op.cast(op.sub(1.0, op.abs(ramp)), dtype or mstype.float32)


def kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None) -> Tensor:
    """Kaiser window: a ratio of Bessel functions."""
    import numpy as np

    length, period = _window_length("kaiser_window", window_length, periodic)
    values = np.kaiser(period + 1, float(beta))[:length] if length > 1 else np.ones(length)
    return Tensor(values, dtype or mstype.float64)


__all__ = _defined_names(globals())
