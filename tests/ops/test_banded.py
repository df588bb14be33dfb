# SPDX-License-Identifier: Apache-2.0
"""Bands of diagonals."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, ops


def diagonals_by_hand(matrix, low, high, padding, align):
    above, below = align.split("_")
    rows = [np.diagonal(matrix, d) for d in range(high, low - 1, -1)]
    width = max(map(len, rows))
    result = np.full((len(rows), width), padding, matrix.dtype)
    for line, (d, row) in enumerate(zip(range(high, low - 1, -1), rows, strict=True)):
        left = (d >= 0 and above == "LEFT") or (d <= 0 and below == "LEFT")
        start = 0 if left else width - len(row)
        result[line, start : start + len(row)] = row
    return result


@pytest.mark.parametrize("align", ["RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"])
@pytest.mark.parametrize("shape", [(3, 4), (4, 3), (4, 4)])
def test_take_and_put_back(shape, align):
    matrix = np.arange(1, 1 + shape[0] * shape[1], dtype=np.float32).reshape(shape)
    band = Tensor([-1, 2])
    taken = ops.matrix_diag_part(Tensor(matrix), band, 0.5, align)
    np.testing.assert_array_equal(taken.asnumpy(), diagonals_by_hand(matrix, -1, 2, 0.5, align))
    zeros = Tensor(np.zeros(shape, np.float32))
    put = ops.matrix_set_diag(zeros, taken, band, align)
    kept = np.triu(np.tril(matrix, 2), -1)
    np.testing.assert_array_equal(put.asnumpy(), kept)
    made = ops.matrix_diag(taken, band, shape[0], shape[1], 0, align)
    np.testing.assert_array_equal(made.asnumpy(), kept)


def test_single_diagonal_and_gradient():
    x = Tensor(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32))
    made = ops.MatrixDiagV3()(x, Tensor(1), Tensor(-1), Tensor(-1), Tensor(9.0))
    assert made.shape == (2, 3, 3)
    np.testing.assert_array_equal(np.diagonal(made.asnumpy(), 1, 1, 2), x.asnumpy())
    gradient = ms.grad(lambda t: (ops.matrix_diag(t) ** 2).sum())(x)
    np.testing.assert_array_equal(gradient.asnumpy(), 2 * x.asnumpy())


def test_diagonals_that_do_not_exist():
    x = Tensor(np.ones((2, 3), np.float32))
    with pytest.raises(ValueError, match="k"):
        ops.matrix_diag_part(x, 3, 0)
    with pytest.raises(ValueError, match="align"):
        ops.matrix_diag_part(x, 0, 0, "MIDDLE")
    with pytest.raises(ValueError, match="shape"):
        ops.matrix_set_diag(x, Tensor(np.ones(3, np.float32)))
    with pytest.raises(ValueError, match="fit"):
        ops.matrix_diag(Tensor(np.ones(3, np.float32)), 0, 4, 4)
