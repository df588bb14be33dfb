# SPDX-License-Identifier: Apache-2.0
"""Inverses, determinants and factors of matrices beside NumPy."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, ops

TYPES = [np.float32, np.float64, np.complex64, np.complex128]


def matrices(dtype, shape=(3, 5, 5)):
    generator = np.random.default_rng(7)
    real = generator.standard_normal(shape)
    if np.issubdtype(dtype, np.complexfloating):
        return (real + 1j * generator.standard_normal(shape)).astype(dtype)
    return real.astype(dtype)


def close(actual, expected):
    double = expected.dtype in (np.float64, np.complex128)
    np.testing.assert_allclose(actual.asnumpy(), expected, *((1e-9, 1e-10) if double else (2e-4, 2e-5)))


def adjoint(a):
    return np.conj(np.swapaxes(a, -1, -2))


@pytest.mark.parametrize("dtype", TYPES)
def test_inverse_and_determinants(dtype):
    a = matrices(dtype)
    close(ops.inverse(Tensor(a)), np.linalg.inv(a))
    close(ops.MatrixInverse(adjoint=True)(Tensor(a)), np.linalg.inv(adjoint(a)))
    close(Tensor(a).det(), np.linalg.det(a))
    sign, logarithm = Tensor(a).slogdet()
    expected_sign, expected_logarithm = np.linalg.slogdet(a)
    close(sign, expected_sign)
    close(logarithm, expected_logarithm.astype(dtype))
    close(ops.matrix_power(Tensor(a), -2), np.linalg.matrix_power(a, -2))
    close(ops.matrix_power(Tensor(a), 0), np.linalg.matrix_power(a, 0))


@pytest.mark.parametrize("dtype", TYPES)
def test_solve(dtype):
    a, b = matrices(dtype), matrices(dtype, (3, 5, 2))
    close(ops.matrix_solve(Tensor(a), Tensor(b)), np.linalg.solve(a, b))
    close(ops.MatrixSolve(adjoint=True)(Tensor(a), Tensor(b)), np.linalg.solve(adjoint(a), b))
    upper = np.triu(a) + 4 * np.eye(5, dtype=dtype)
    close(ops.MatrixTriangularSolve(lower=False)(Tensor(upper), Tensor(b)), np.linalg.solve(upper, b))


@pytest.mark.parametrize("dtype", TYPES)
def test_cholesky(dtype):
    a = matrices(dtype)
    a = a @ adjoint(a) + np.eye(5, dtype=dtype)
    lower = np.linalg.cholesky(a)
    close(Tensor(a).cholesky(), lower)
    close(ops.cholesky(Tensor(a), upper=True), adjoint(lower))
    close(ops.cholesky_inverse(Tensor(lower)), np.linalg.inv(a))
    b = matrices(dtype, (3, 5, 2))
    close(ops.cholesky_solve(Tensor(b), Tensor(adjoint(lower).copy()), upper=True), np.linalg.solve(a, b))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5), (2, 4, 3)])
def test_qr(dtype, shape):
    a = matrices(dtype, shape)
    for mode in ("reduced", "complete"):
        for actual, expected in zip(ops.qr(Tensor(a), mode), np.linalg.qr(a, mode), strict=True):
            close(actual, expected)


@pytest.mark.parametrize("dtype", TYPES)
def test_reflections(dtype):
    a, b = matrices(dtype, (2, 5, 3)), matrices(dtype, (2, 5, 2))
    vectors, factors = ops.geqrf(Tensor(a))
    q, r = np.linalg.qr(a, "complete")
    close(Tensor(np.triu(vectors.asnumpy())), r)
    close(ops.orgqr(vectors, factors), q[..., :3])
    close(ops.ormqr(vectors, factors, Tensor(b)), q @ b)
    close(ops.ormqr(vectors, factors, Tensor(b), transpose=True), adjoint(q) @ b)
    close(ops.ormqr(vectors, factors, Tensor(adjoint(b).copy()), left=False), adjoint(b) @ q)


def test_lu_parts():
    lu, pivots = Tensor(np.array([[4, 1], [0.5, 3]], np.float64)), Tensor(np.array([2, 2], np.int32))
    permutation, lower, upper = ops.lu_unpack(lu, pivots)
    matrix = (permutation @ lower @ upper).asnumpy()
    np.testing.assert_allclose(matrix, [[2, 3.5], [4, 1]])
    b = np.array([[1.0], [2.0]])
    close(ops.lu_solve(Tensor(b), lu, pivots), np.linalg.solve(matrix, b))
    with pytest.raises(ValueError, match="pivots"):
        ops.lu_solve(Tensor(b), lu, Tensor(np.array([3, 2], np.int32)))


def test_matrix_exp():
    a = matrices(np.float64, (2, 4, 4)) * 3
    values, vectors = np.linalg.eig(a)
    expected = ((vectors * np.exp(values)[:, None]) @ np.linalg.inv(vectors)).real
    np.testing.assert_allclose(ops.matrix_exp(Tensor(a)).asnumpy(), expected, 1e-8)


def test_gradient_through_a_product():
    a = matrices(np.float64, (3, 3))

    def loss(x):
        return ops.cholesky(ops.matmul(x, x.T) + 1.0).sum() + ops.qr(x)[1].sum() + ops.logdet(x @ x.T)

    gradient = ms.grad(loss)(Tensor(a)).asnumpy()
    step = 1e-6
    for place in np.ndindex(3, 3):
        moved = np.zeros((3, 3))
        moved[place] = step
        difference = (loss(Tensor(a + moved)) - loss(Tensor(a - moved))).asnumpy() / (2 * step)
        np.testing.assert_allclose(gradient[place], difference, 1e-5, 1e-6)


@pytest.mark.parametrize("function", [ops.inverse, ops.cholesky])
def test_singular_matrices_are_refused(function):
    with pytest.raises(RuntimeError):
        function(Tensor(np.zeros((2, 2), np.float32)))
    with pytest.raises(ValueError, match="equal"):
        function(Tensor(np.ones((2, 3), np.float32)))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (2, 3, 5)])
def test_singular_values(dtype, shape):
    a = matrices(dtype, shape)
    for full in (False, True):
        values, left, right = ops.svd(Tensor(a), full)
        close(values, np.linalg.svd(a, compute_uv=False))
        count = values.shape[-1]
        left, right = left.asnumpy(), right.asnumpy()
        assert left.shape[-1] == (shape[-2] if full else count)
        np.testing.assert_allclose(
            adjoint(left) @ left, np.eye(left.shape[-1]) + 0 * left[..., :1, :1], atol=1e-5
        )
        rebuilt = (left[..., :count] * values.asnumpy()[..., None, :]) @ adjoint(right[..., :count])
        np.testing.assert_allclose(rebuilt, a, 1e-4, 1e-5)
    close(ops.svd(Tensor(a), compute_uv=False), np.linalg.svd(a, compute_uv=False))
    close(ops.pinv(Tensor(a)), np.linalg.pinv(a))


def test_singular_vectors_of_a_matrix_without_rank():
    values, left, _ = ops.svd(Tensor(np.ones((4, 3))), True)
    np.testing.assert_allclose(values.asnumpy(), [12**0.5, 0, 0], atol=1e-12)
    np.testing.assert_allclose((left.T @ left).asnumpy(), np.eye(4), atol=1e-12)
    np.testing.assert_allclose(ops.pinv(Tensor(np.ones((2, 2)))).asnumpy(), np.full((2, 2), 0.25), 1e-12)


@pytest.mark.parametrize("shape", [(5, 3), (3, 5)])
def test_nearest_solutions(shape):
    a, b = matrices(np.float64, shape), matrices(np.float64, (shape[0], 2))
    expected = np.linalg.lstsq(a, b, rcond=None)[0]
    close(Tensor(a).lstsq(Tensor(b)), expected)
    close(ops.lstsq(Tensor(a), Tensor(b[:, 0].copy())), expected[:, :1])
    penalty = ops.Lstsq(l2_regularizer=0.5)(Tensor(a), Tensor(b)).asnumpy()
    np.testing.assert_allclose(penalty, np.linalg.solve(a.T @ a + 0.5 * np.eye(shape[1]), a.T @ b), 1e-8)
