# SPDX-License-Identifier: Apache-2.0
"""Inverses, determinants and factors of matrices."""

from __future__ import annotations

import math

from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op

__all__ = [
    "cholesky_solve",
    "inverse",
    "logdet",
    "lu_solve",
    "lu_unpack",
    "matrix_exp",
    "matrix_power",
    "orgqr",
    "ormqr",
    "qr",
]


def inverse(input) -> Tensor:
    """Inverses of square matrices; integers are taken as float32."""
    if mstype.issubclass_(input.dtype, mstype.number) and "Int" in str(input.dtype):
        input = op.cast(input, mstype.float32)
    return op.matrix_inverse(input)


def logdet(input) -> Tensor:
    """Logarithms of determinants; NaN where a determinant is negative."""
    return op.log(op.matrix_determinant(input))


def qr(input, mode="reduced") -> tuple:
    """Factors of matrices: orthonormal columns and an upper triangle.

    Args:
        input (Tensor): Matrices.
        mode (str): ``"reduced"`` or ``"complete"`` (the first factor is square). Default: ``"reduced"``.

    Returns:
        tuple of two tensors.

    Raises:
        ValueError: `mode` is neither.
    """
    if mode not in ("reduced", "complete"):
        raise ValueError(f"For 'qr', the 'mode' must be one of ('reduced', 'complete'), but got {mode}.")
    return op.matrix_qr(input, mode == "complete")


def orgqr(input, input2) -> Tensor:
    """The first columns of the product of reflections, given their vectors and factors."""
    return op.orgqr(input, input2)


def ormqr(input, tau, other, left=True, transpose=False) -> Tensor:
    """Product of `other` with the matrix that reflections make."""
    return op.ormqr(input, tau, other, left, transpose)


def cholesky_solve(input, input2, upper=False) -> Tensor:
    """Solutions of systems whose matrices are given by triangular factors `input2`."""
    return op.cholesky_solve(input, input2, upper)


def lu_solve(b, LU_data, LU_pivots) -> Tensor:  # noqa: N803
    """Solutions of systems whose matrices are given by their LU factors."""
    return op.lu_solve(b, LU_data, LU_pivots)


def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True) -> tuple:  # noqa: N803
    """The permutation and the two triangles of an LU factorisation; None for parts not wanted."""
    permutation, lower, upper = op.lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots)
    if unpack_data:
        return (permutation, lower, upper) if unpack_pivots else (lower, upper)
    return permutation if unpack_pivots else None


def _unit_matrices(input) -> Tensor:
    return op.broadcast_to(op.eye(input.shape[-1], None, input.dtype), input.shape)


def _require_square(name: str, input) -> None:
    if len(input.shape) < 2 or input.shape[-1] != input.shape[-2]:
        raise ValueError(
            f"For '{name}', the last two dimensions of 'input' must be equal, but got {input.shape}."
        )


def matrix_power(input, n) -> Tensor:
    """Product of `n` equal square matrices; for negative `n` of their inverses."""
    if not isinstance(n, int) or isinstance(n, bool):
        raise TypeError(f"For 'matrix_power', the 'n' must be an int, but got {type(n)}.")
    _require_square("matrix_power", input)
    factor = input if n >= 0 else inverse(input)
    n = abs(n)
    result = None
    while n > 0:
        if n % 2 == 1:
            result = factor if result is None else op.matmul(result, factor)
        n //= 2
        if n > 0:
            factor = op.matmul(factor, factor)
    return _unit_matrices(input) if result is None else result


_TERMS = 14  # of the series: the rest is below 1e-15 when the norm is at most 1/2


def matrix_exp(input) -> Tensor:
    """Exponentials of square matrices: a power series of the matrix halved often, squared as often."""
    _require_square("matrix_exp", input)
    if input.size == 0:
        return input
    norm = op.cast(op.reduce_max(op.reduce_sum(op.abs(input), -1)), mstype.float64)
    size = float(norm.asnumpy())
    halvings = max(0, math.ceil(math.log2(size)) + 1) if 0 < size < math.inf else 0
    small = op.mul(input, 0.5**halvings)
    unit = _unit_matrices(input)
    result = unit
    for k in range(_TERMS, 0, -1):
        result = op.add(unit, op.mul(op.matmul(small, result), 1.0 / k))
    for _ in range(halvings):
        result = op.matmul(result, result)
    return result
