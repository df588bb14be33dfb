# SPDX-License-Identifier: Apache-2.0
"""Norms of vectors and matrices, and what is shrunk to a norm."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, ops

INF = float("inf")
MATRIX = np.array([[1, 2], [3, 4]], np.float32)


@pytest.mark.parametrize("order", [2, -2, "nuc", "fro", 1, -1, INF, -INF])
def test_norms_of_a_matrix(both_modes, order):
    wanted = np.linalg.norm(MATRIX.astype(np.float64), order)
    forms = (
        lambda x: ops.norm(x, order),
        lambda x: ops.matrix_norm(x, order),
        lambda x: x.norm(order),
        lambda x: ops.norm(x, order, dim=(0, 1)),
    )
    for form in forms:
        found = both_modes(form, Tensor(MATRIX))
        assert found.shape == () and found.dtype == ms.float32
        np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-6)


def test_singular_values_are_those_of_the_table(both_modes):
    for order, value in ((2, 5.465), (-2, 0.366), ("nuc", 5.831)):
        assert float(both_modes(lambda x, o=order: ops.norm(x, o), Tensor(MATRIX))) == pytest.approx(
            value, abs=5e-4
        )


@pytest.mark.parametrize("order", [2, -2, "nuc"])
@pytest.mark.parametrize("axes", [(0, 1), (2, 0), (-1, -2)])
def test_norms_of_many_matrices(both_modes, order, axes):
    x = np.random.default_rng(1).normal(size=(3, 4, 5)).astype(np.float32)
    for keep in (False, True):
        found = both_modes(lambda x, k=keep: ops.matrix_norm(x, order, axes, k), Tensor(x))
        np.testing.assert_allclose(found.asnumpy(), np.linalg.norm(x, order, axes, keep), rtol=1e-5)


@pytest.mark.parametrize("order", [2, -2, "nuc", "fro", 1, INF])
def test_gradients_of_matrix_norms(both_modes, order):
    x = np.array([[1.0, 2.0, 0.5], [3.0, -4.0, 1.0]])
    gradient = both_modes.gradient(lambda x: ops.norm(x, order), Tensor(x)).asnumpy()
    step = 1e-6
    for place in np.ndindex(x.shape):
        moved = [x.copy(), x.copy()]
        moved[0][place] += step
        moved[1][place] -= step
        slope = (np.linalg.norm(moved[0], order) - np.linalg.norm(moved[1], order)) / (2 * step)
        assert gradient[place] == pytest.approx(slope, abs=1e-6)


def test_the_gradient_of_a_matrix_without_full_rank_is_finite(both_modes):
    gradient = both_modes.gradient(lambda x: ops.norm(x, "nuc"), Tensor([[3.0, 0.0], [0.0, 0.0]]))
    assert np.isfinite(gradient.asnumpy()).all() and float(gradient[0, 0]) == pytest.approx(1)


@pytest.mark.parametrize("order", [0, 3, None, "x", True])
def test_a_matrix_has_no_other_norm(both_modes, order):
    both_modes.refuse(ValueError, lambda x: ops.matrix_norm(x, order), Tensor(MATRIX), match="'ord'")


def test_a_vector_has_no_norm_with_a_name(both_modes):
    both_modes.refuse(TypeError, lambda x: ops.norm(x, "nuc"), Tensor([1.0, 2.0]), match="vector")


@pytest.mark.parametrize("order", [0, 1, 2, 3, -1, 0.5, INF, -INF])
def test_norms_of_vectors(both_modes, order):
    x = np.array([3.0, -1.0, 4.0, 2.0], np.float32)
    for form in (lambda x: ops.norm(x, order), lambda x: ops.vector_norm(x, order)):
        np.testing.assert_allclose(both_modes(form, Tensor(x)).asnumpy(), np.linalg.norm(x, order), rtol=1e-6)


@pytest.mark.parametrize("order", [None, 0, 1, 2, INF])
def test_the_norm_of_one_number_is_its_size(both_modes, order):
    found = both_modes(lambda x: ops.norm(x, order), Tensor(-3.0))
    assert found.shape == () and float(found) == (1 if order == 0 else 3)


def test_half_precision_does_not_overflow(both_modes):
    x = Tensor([300.0, 400.0], ms.float16)
    assert float(both_modes(ops.norm, x)) == 500
    assert (
        both_modes(lambda x: ops.norm(x, 2), Tensor([[300.0, 0], [0, 400.0]], ms.float16)).dtype == ms.float16
    )
    shrunk = both_modes(lambda x: ops.renorm(x, 2, 0, 1.0), Tensor([[300.0, 400.0]], ms.float16))
    np.testing.assert_allclose(shrunk.asnumpy(), [[0.6, 0.8]], rtol=1e-3)


def test_whole_numbers_and_types(both_modes):
    whole = Tensor([[1, 2], [3, 4]], ms.int32)
    assert both_modes(lambda x: ops.norm(x, 2), whole).dtype == ms.float32
    assert both_modes(lambda x: ops.norm(x, "nuc", dtype=ms.float64), whole).dtype == ms.float64


@pytest.mark.parametrize(
    ("run", "error"),
    [
        (lambda x: ops.matrix_norm(x, "fro", (0, 5)), ValueError),
        (lambda x: ops.matrix_norm(x, "fro", (0, 0)), ValueError),
        (lambda x: ops.matrix_norm(x, "fro", (0,)), ValueError),
        (lambda x: ops.norm(x, 2, dim=(0, 5)), ValueError),
        (lambda x: ops.norm(x, dim=(0, 5)), ValueError),
        (lambda x: ops.norm(x, 2), ValueError),
        (lambda x: ops.vector_norm(x, 2, 5), ValueError),
        (lambda x: ops.renorm(x, 2, 5, 1.0), ValueError),
        (lambda x: ops.renorm(x, 0, 0, 1.0), ValueError),
        (lambda x: ops.renorm(x, 2, 0, -1.0), ValueError),
        (lambda x: ops.Renorm(2, 7, 1.0)(x), ValueError),
        (lambda x: x.renorm(2, -4, 1.0), ValueError),
    ],
)
def test_what_norms_refuse(both_modes, run, error):
    both_modes.refuse(error, run, Tensor(np.ones((2, 3, 4), np.float32)))


def test_what_needs_axes(both_modes):
    alone = Tensor(3.0)
    both_modes.refuse(ValueError, lambda x: ops.renorm(x, 2, 0, 1.0), alone, match="axis")
    both_modes.refuse(ValueError, ops.matrix_norm, alone, match="two axes")
    both_modes.refuse(ValueError, lambda x: ops.norm(x, 1, dim=0), alone, match="dim")
    both_modes.refuse(TypeError, lambda x: ops.norm(3.0, 1), alone, match="Tensor")


def test_renorm(both_modes):
    x = Tensor([[3.0, 4.0], [0.3, 0.4]])
    rows = both_modes(lambda x: ops.renorm(x, 2, 0, 1.0), x)
    np.testing.assert_allclose(rows.asnumpy(), [[0.6, 0.8], [0.3, 0.4]], rtol=1e-6)
    np.testing.assert_allclose(both_modes(lambda x: ops.renorm(x, 2, -2, 1.0), x).asnumpy(), rows.asnumpy())
    assert both_modes(lambda x: ops.renorm(x, 2, 0, 1.0), Tensor([3.0, -4.0, 0.5])).tolist() == pytest.approx(
        [1, -1, 0.5], rel=1e-6
    )
