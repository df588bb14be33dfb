# SPDX-License-Identifier: Apache-2.0
"""Primitives that are functions with arguments given beforehand, and steps for some rows."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor, ops


def array(*values, dtype=np.float32):
    return Tensor(np.array(values, dtype))


def test_forms_of_functions():
    np.testing.assert_array_equal(
        ops.Gcd()(array(12, 18, dtype=np.int64), array(8, 27, dtype=np.int64)), [4, 9]
    )
    np.testing.assert_array_equal(ops.TrilIndices(2, 2)().asnumpy(), np.tril_indices(2, 0, 2))
    np.testing.assert_array_equal(ops.CountNonZero(dims=[0])(array(0, 1, 2)).asnumpy(), 2)
    np.testing.assert_array_equal(ops.PopulationCount()(array(7, 8, dtype=np.int16)).asnumpy(), [3, 1])
    values, places = ops.ListDiff()(array(1, 2, 3, 4), array(2, 4))
    np.testing.assert_array_equal(values.asnumpy(), [1, 3])
    np.testing.assert_array_equal(places.asnumpy(), [0, 2])
    filled = ops.FillDiagonal(5.0, wrap=True)(Tensor(np.zeros((5, 2), np.float32))).asnumpy()
    expected = np.zeros((5, 2), np.float32)
    np.fill_diagonal(expected, 5.0, wrap=True)
    np.testing.assert_array_equal(filled, expected)
    places = ops.UnravelIndex()(array(2, 5, 7, dtype=np.int32), array(3, 3, dtype=np.int32))
    np.testing.assert_array_equal(places.asnumpy(), np.unravel_index([2, 5, 7], (3, 3)))
    with pytest.raises(TypeError, match="required"):
        ops.MatrixPower()
    with pytest.raises(TypeError, match="unexpected"):
        ops.Gcd(depth=2)


def test_running_logarithm():
    x = np.array([0.5, 1.0, -2.0, 3.0], np.float32)
    running = np.logaddexp.accumulate(x)
    np.testing.assert_allclose(ops.CumulativeLogsumexp()(Tensor(x), Tensor(0)).asnumpy(), running, 1e-5)
    shifted = ops.CumulativeLogsumexp(exclusive=True)(Tensor(x), Tensor(0)).asnumpy()
    np.testing.assert_allclose(shifted[1:], running[:-1], 1e-5)
    backwards = ops.CumulativeLogsumexp(reverse=True)(Tensor(x), Tensor(0)).asnumpy()
    np.testing.assert_allclose(backwards, np.logaddexp.accumulate(x[::-1])[::-1], 1e-5)


def test_segments():
    x, ids = Tensor(np.array([[1.0, 4], [2, 3], [5, 6]], np.float32)), array(0, 0, 2, dtype=np.int32)
    np.testing.assert_array_equal(ops.SegmentSum()(x, ids).asnumpy(), [[3, 7], [0, 0], [5, 6]])
    np.testing.assert_array_equal(ops.SegmentMean()(x, ids).asnumpy(), [[1.5, 3.5], [0, 0], [5, 6]])
    np.testing.assert_array_equal(ops.SegmentMax()(x, ids).asnumpy(), [[2, 4], [0, 0], [5, 6]])
    with pytest.raises(ValueError, match="sorted"):
        ops.SegmentSum()(x, array(1, 0, 2, dtype=np.int32))


@pytest.mark.parametrize("range_max", [6, 10**6])
def test_candidates(range_max):
    true = Tensor(np.array([[1], [3]], np.int64))
    drawn, true_count, drawn_count = ops.UniformCandidateSampler(
        1, 4, True, range_max, seed=5, remove_accidental_hits=True
    )(true)
    classes = drawn.asnumpy()
    assert len(set(classes.tolist())) == 4
    assert not set(classes.tolist()) & {1, 3}
    assert ((classes >= 0) & (classes < range_max)).all()
    assert true_count.shape == (2, 1)
    assert drawn_count.shape == (4,)
    drawn, *_ = ops.log_uniform_candidate_sampler(true, 1, 4, True, range_max, seed=5)
    assert len(set(drawn.asnumpy().tolist())) == 4
    with pytest.raises(ValueError, match="range_max"):
        ops.uniform_candidate_sampler(true, 1, 7, True, 6)


def test_adam_of_some_rows():
    def fresh():
        return [Parameter(Tensor(np.ones((3, 2), np.float32)), name=n) for n in ("var", "m", "v")]

    rates = (0.9, 0.999, 0.1, 0.9, 0.999, 1e-8)
    gradient, indices = Tensor(np.full((3, 2), 0.5, np.float32)), array(0, 2, 2, dtype=np.int32)
    whole = np.array([[0.5, 0.5], [0, 0], [1, 1]], np.float32)
    m, v = 0.9 + 0.1 * whole, 0.999 + 0.001 * whole**2
    step = 0.1 * np.sqrt(1 - 0.999) / (1 - 0.9) * m / (np.sqrt(v) + 1e-8)
    states = fresh()
    ops.FusedSparseAdam()(*states, *rates, gradient, indices)
    np.testing.assert_allclose(states[0].asnumpy(), 1 - step, 1e-5)
    states = fresh()
    ops.FusedSparseLazyAdam()(*states, *rates, gradient, indices)
    step[1] = 0
    np.testing.assert_allclose(states[0].asnumpy(), 1 - step, 1e-5)
    np.testing.assert_allclose(states[1].asnumpy()[1], 1)
    with pytest.raises(TypeError, match="indices"):
        ops.FusedSparseAdam()(*states, *rates, gradient, array(0, 2, 2))
    with pytest.raises(ValueError, match="row"):
        ops.FusedSparseAdam()(*states, *rates, gradient, array(0, 2, dtype=np.int32))


def test_adagrad_of_some_rows():
    var, accum = (Parameter(Tensor(np.ones((2, 2), np.float32)), name=n) for n in ("var", "accum"))
    ops.SparseApplyAdagrad(0.1)(var, accum, Tensor(np.ones((1, 2), np.float32)), array(1, dtype=np.int32))
    np.testing.assert_allclose(var.asnumpy(), [[1, 1], [1 - 0.1 / 2**0.5] * 2], 1e-6)
    np.testing.assert_allclose(accum.asnumpy(), [[1, 1], [2, 2]])


def test_gradients_as_primitives():
    from mindspore.ops.operations import _grad_ops

    x, dy = array(0.3, -0.4, 0.6), array(1.0, 2.0, 3.0)
    pulled = ms.grad(lambda t: (ops.atan(t) * dy).sum())(x).asnumpy()
    np.testing.assert_allclose(_grad_ops.AtanGrad()(x, dy).asnumpy(), pulled, 1e-6)
    np.testing.assert_allclose(_grad_ops.SigmoidGrad()(x, dy).asnumpy(), (dy * x * (1 - x)).asnumpy(), 1e-6)
    np.testing.assert_allclose(_grad_ops.ReluGrad()(dy, x).asnumpy(), [1, 0, 3])
    whole = _grad_ops.StridedSliceGrad()(array(1, 2), (5,), (1,), (5,), (2,))
    np.testing.assert_array_equal(whole.asnumpy(), [0, 1, 0, 2, 0])
    np.testing.assert_array_equal(_grad_ops.BiasAddGrad()(Tensor(np.ones((2, 3, 4)))).asnumpy(), [8, 8, 8])


def test_gradient_of_the_largest():
    from mindspore.ops.operations import _grad_ops

    x = Tensor(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4))
    values, places = ops.MaxPoolWithArgmax(2, 2)(x)
    found = _grad_ops.MaxPoolGradWithArgmax(2, 2)(x, ops.ones_like(values), places).asnumpy()
    assert np.flatnonzero(found).tolist() == [5, 7, 13, 15]


def test_identity_is_a_class_among_the_operations():
    """`ops.identity` is called with a value; what `ops.operations` has of that name is made first."""
    same = ops.operations.identity()
    x = Tensor([1.0, 2.0])
    assert same(x) is x and ops.identity(x) is x
    assert ops.functional.identity is ops.identity
    np.testing.assert_array_equal(ms.jit(lambda value: same(value) * 2)(x).asnumpy(), [2, 4])
