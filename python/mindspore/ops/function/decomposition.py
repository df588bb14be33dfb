# SPDX-License-Identifier: Apache-2.0
"""Inverses, determinants and factors of matrices."""

from __future__ import annotations

import math

from mindspore._c_expression import Tensor
from mindspore._later import defined_names as _defined_names
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.ops.function._checks import takes


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


def svd(input, full_matrices=False, compute_uv=True):
    """Singular values of matrices, and their vectors.

    Args:
        input (Tensor): Matrices.
        full_matrices (bool): Whether the matrices of vectors are square. Default: ``False``.
        compute_uv (bool): Whether the vectors are wanted. Default: ``True``.

    Returns:
        ``(s, u, v)`` with the vectors as columns of `u` and `v`, or `s` alone.
    """
    values, left, right = op.svd_factors(input, full_matrices, True)
    return (values, left, right) if compute_uv else values


@takes(input=(2, 2), A=(1, 2))
def lstsq(input, A) -> Tensor:  # noqa: N803
    """The x for which `input` @ x is nearest to `A`; the shortest one when there are many.

    Args:
        input (Tensor): Matrix of shape (M, N) and full rank.
        A (Tensor): Right sides, of shape (M,) or (M, K).

    Returns:
        Tensor of shape (N, K).

    Raises:
        ValueError: The shapes do not fit.
    """
    if input.ndim != 2 or A.ndim not in (1, 2) or input.shape[0] != A.shape[0]:
        raise ValueError(
            f"For 'lstsq', 'input' must be a matrix and 'A' have as many rows, but got {input.shape} and "
            f"{A.shape}."
        )
    dtype = input.dtype
    if dtype == mstype.float16:
        input, A = op.cast(input, mstype.float32), op.cast(A, mstype.float32)  # noqa: N806
    right = op.expand_dims(A, -1) if A.ndim == 1 else A
    if input.shape[0] >= input.shape[1]:
        q, r = op.matrix_qr(input, False)
        result = op.matrix_triangular_solve(r, op.matmul(_adjoint(q), right), False, False)
    else:
        q, r = op.matrix_qr(_adjoint(input), False)
        result = op.matmul(q, op.matrix_triangular_solve(r, right, False, True))
    return op.cast(result, dtype)


def _adjoint(matrix) -> Tensor:
    turned = op.transpose(matrix, (*range(matrix.ndim - 2), matrix.ndim - 1, matrix.ndim - 2))
    return op.conj(turned) if matrix.dtype in (mstype.complex64, mstype.complex128) else turned


def pinv(x, *, atol=None, rtol=None, hermitian=False) -> Tensor:
    """Pseudo-inverses of matrices: singular values that are too small count as 0.

    Args:
        x (Tensor): Matrices.
        atol (Union[float, Tensor]): Absolute bound. Default: ``None``.
        rtol (Union[float, Tensor]): Bound relative to the largest singular value; by default the longer side
            times the precision of the type, or 0 when `atol` is given. Default: ``None``.
        hermitian (bool): Whether the matrices are known to be Hermitian. Default: ``False``.

    Returns:
        Tensor with the last two axes exchanged.
    """
    if x.ndim < 2:
        raise ValueError(f"For 'pinv', 'x' must have at least 2 axes, but got {x.shape}.")
    if x.size == 0:
        return op.zeros_like(_adjoint(x))
    values, left, right = op.svd_factors(x, False, True)
    if rtol is None:
        precision = 2.0**-52 if values.dtype == mstype.float64 else 2.0**-23
        rtol = 0.0 if atol is not None else max(x.shape[-2:]) * precision
    bound = op.maximum(op.mul(op.reduce_max(values, -1, True), rtol), 0.0 if atol is None else atol)
    kept = op.greater(values, bound)
    inverted = op.where(
        kept, op.reciprocal(op.where(kept, values, op.ones_like(values))), op.zeros_like(values)
    )
    scaled = op.mul(right, op.cast(op.expand_dims(inverted, -2), x.dtype))
    return op.matmul(scaled, _adjoint(left))


__all__ = _defined_names(globals())
