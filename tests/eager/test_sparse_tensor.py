# SPDX-License-Identifier: Apache-2.0
"""COOTensor, CSRTensor, RowTensor and functions of them, beside dense NumPy arrays."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import COOTensor, CSRTensor, RowTensor, SparseTensor, Tensor, jit, nn, ops
from mindspore.ops.operations import _csr_ops


def random_array(shape, seed, density=0.4):
    generator = np.random.default_rng(seed)
    return (generator.normal(size=shape) * (generator.random(shape) < density)).astype(np.float32)


def coo_of(array):
    return Tensor(array).to_coo()


def csr_of(array):
    return Tensor(array).to_csr()


def shuffled(coo, seed=3):
    order = Tensor(np.random.default_rng(seed).permutation(coo.size))
    return COOTensor(coo.indices[order], coo.values[order], coo.shape)


def test_properties_and_text():
    x = COOTensor(Tensor([[0, 1], [1, 2]], ms.int32), Tensor([1, 2], ms.float32), (3, 4))
    assert x.shape == (3, 4) and x.dtype == ms.float32 and x.ndim == 2 and x.size == 2 and x.itemsize == 4
    assert ops.dtype(x) == ms.float32 and x.to_tuple()[2] == (3, 4)
    assert repr(x).startswith("COOTensor(shape=[3, 4], dtype=Float32, indices=Tensor(")
    assert COOTensor(coo_tensor=x).values is x.values
    assert x.astype(ms.int32).dtype == ms.int32
    assert (-x).abs().values.asnumpy().tolist() == [1, 2]
    y = CSRTensor(Tensor([0, 1, 2]), Tensor([0, 1]), Tensor([1.0, 2.0]), (2, 6))
    assert y.indptr.shape == (3,) and len(y.to_tuple()) == 4
    assert CSRTensor(csr_tensor=y).indptr is y.indptr


def test_older_names():
    row = RowTensor(Tensor([0, 2]), Tensor([[1.0, 2.0], [3.0, 4.0]]), dense_shape=(3, 2))
    assert row.dense_shape == row.shape == (3, 2) and RowTensor(row_tensor=row).values is row.values
    old = SparseTensor(Tensor([[0, 1]]), Tensor([1.0]), dense_shape=(2, 2))
    assert isinstance(old, COOTensor) and old.dense_shape == (2, 2)


@pytest.mark.parametrize(
    "error, make",
    [
        (TypeError, lambda: COOTensor([[0, 1]], Tensor([1.0]), (2, 2))),
        (TypeError, lambda: COOTensor(Tensor([[0, 1]]), Tensor([1.0]), [2, 2])),
        (TypeError, lambda: COOTensor(Tensor([[0.0, 1.0]]), Tensor([1.0]), (2, 2))),
        (ValueError, lambda: COOTensor(Tensor([0, 1]), Tensor([1.0]), (2, 2))),
        (ValueError, lambda: COOTensor(Tensor([[0, 1]]), Tensor([1.0]), (2, -2))),
        (TypeError, lambda: COOTensor(Tensor([[0, 1]]), Tensor([1.0, 2.0]), (2, 2))),
        (TypeError, lambda: COOTensor(coo_tensor=Tensor([1.0]))),
        (TypeError, lambda: CSRTensor(Tensor([0.0]), Tensor([0]), Tensor([1.0]), (2, 2))),
        (ValueError, lambda: CSRTensor(Tensor([0, 1]), Tensor([0]), Tensor([1.0]), (2, 2))),
        (ValueError, lambda: CSRTensor(Tensor([0, 1, 1]), Tensor([0]), Tensor([1.0]), (2, 2, 2))),
        (TypeError, lambda: RowTensor(Tensor([0]), Tensor([[1.0]]), (2, 2))),
        (TypeError, lambda: ops.coo_sin(Tensor([1.0]))),
    ],
)
def test_wrong_parts_are_refused(error, make):
    with pytest.raises(error, match="For '"):
        make()


@pytest.mark.parametrize("shape", [(5, 7), (1, 9), (6, 1)])
def test_between_forms(shape):
    array = random_array(shape, 1)
    coo = shuffled(coo_of(array))
    np.testing.assert_array_equal(coo.to_dense(), array)
    np.testing.assert_array_equal(coo.to_csr().to_dense(), array)
    np.testing.assert_array_equal(coo.to_csr().to_coo().to_dense(), array)
    np.testing.assert_array_equal(coo.coalesce().indices, np.argwhere(array))
    np.testing.assert_array_equal(coo_of(random_array((2, 3, 4), 5)).to_dense(), random_array((2, 3, 4), 5))


def test_values_at_the_same_place_are_added():
    twice = COOTensor(Tensor([[1, 1], [0, 1], [1, 1]]), Tensor([2.0, 3.0, 5.0]), (2, 2))
    np.testing.assert_array_equal(twice.to_dense(), [[0, 3], [0, 7]])
    once = twice.coalesce()
    assert once.indices.asnumpy().tolist() == [[0, 1], [1, 1]] and once.values.asnumpy().tolist() == [3, 7]


@pytest.mark.parametrize("make", [coo_of, csr_of])
def test_operators(make):
    a, b = random_array((4, 5), 1), random_array((4, 5), 2)
    dense = np.random.default_rng(0).normal(size=(4, 5)).astype(np.float32)
    x, y, t = make(a), make(b), Tensor(dense)
    np.testing.assert_allclose((x + y).to_dense(), a + b, rtol=1e-6)
    np.testing.assert_allclose((x - y).to_dense(), a - b, rtol=1e-6)
    np.testing.assert_allclose(x + t, a + dense, rtol=1e-6)
    np.testing.assert_allclose(t + x, a + dense, rtol=1e-6)
    np.testing.assert_allclose(x - t, a - dense, rtol=1e-6)
    np.testing.assert_allclose(t - x, dense - a, rtol=1e-6)
    np.testing.assert_allclose((x * t).to_dense(), a * dense, rtol=1e-6)
    np.testing.assert_allclose((t * x).to_dense(), a * dense, rtol=1e-6)
    np.testing.assert_allclose((x / t).to_dense(), a / dense, rtol=1e-6)
    np.testing.assert_allclose((2 * x / 4).to_dense(), a / 2, rtol=1e-6)
    with pytest.raises(TypeError):
        x + "text"


def test_products_and_sums():
    a, b = random_array((4, 5), 1), random_array((5, 3), 2)
    x = csr_of(a)
    np.testing.assert_allclose(x.mm(Tensor(b)), a @ b, rtol=1e-5)
    np.testing.assert_allclose(x.mm(csr_of(b)).to_dense(), a @ b, rtol=1e-5)
    np.testing.assert_allclose(x.mv(Tensor(b[:, :1])), a @ b[:, :1], rtol=1e-5)
    np.testing.assert_allclose(ops.csr_mm(x, Tensor(b.T.copy()), trans_b=True), a @ b, rtol=1e-5)
    np.testing.assert_allclose(ops.csr_mm(x, Tensor(a), trans_a=True), a.T @ a, rtol=1e-5)
    np.testing.assert_allclose(x.sum(1), a.sum(1, keepdims=True), rtol=1e-5)
    np.testing.assert_allclose(x.sum(0), a.sum(0, keepdims=True), rtol=1e-5)
    total = x.add(x, Tensor(2.0), Tensor(-0.5))
    np.testing.assert_allclose(total.to_dense(), 1.5 * a, rtol=1e-5)
    with pytest.raises(ValueError, match="5 rows are needed"):
        x.mm(Tensor(a))


def test_functions():
    a = random_array((4, 5), 1)
    x = coo_of(a)
    np.testing.assert_allclose(ops.coo_sin(x).to_dense(), np.sin(a), rtol=1e-6)
    np.testing.assert_allclose(ops.csr_square(x.to_csr()).to_dense(), a * a, rtol=1e-6)
    np.testing.assert_array_equal(ops.coo_concat((x, x), 1).to_dense(), np.concatenate([a, a], 1))
    kept = ops.coo_add(x, x, Tensor(1.0)).to_dense().asnumpy()
    np.testing.assert_allclose(kept, np.where(np.abs(2 * a) >= 1, 2 * a, 0), rtol=1e-6)
    soft = ops.csr_softmax(x.to_csr(), ms.float32)
    raised = np.where(a != 0, np.exp(a), 0)
    expected = raised / np.maximum(raised.sum(1, keepdims=True), 1e-30)
    np.testing.assert_allclose(soft.to_dense(), expected, rtol=1e-5)


def test_batched_rows():
    values = Tensor([[2.0, 1, 3], [2, 1, 3]])
    x = CSRTensor(Tensor([0, 1, 1, 2, 2]), Tensor([0, 1]), values, (4, 2, 3))
    assert x.to_dense().shape == (4, 2, 3)
    assert x.sum(1).asnumpy()[2].tolist() == [[2, 1, 3]]
    factor = Tensor([[[1.0, 1, 1], [2, 2, 2]]] * 4)
    assert (x * factor).values.asnumpy().tolist() == [[2, 1, 3], [4, 2, 6]]


def test_gradients_reach_the_values():
    indices, values = Tensor([[0, 1], [1, 2]], ms.int32), Tensor([-1.0, 2.0])

    def total(values):
        return (COOTensor(indices, values, (3, 4)).to_csr() * Tensor(np.full((3, 4), 3.0, np.float32))).sum(1)

    assert ms.grad(total)(values).asnumpy().tolist() == [3, 3]
    assert ms.grad(lambda v: COOTensor(indices, v, (3, 4)).abs())(values).asnumpy().tolist() == [-1, 1]


def test_graph_mode():
    @jit
    def double(x, values):
        return COOTensor(x.indices, values * 2, x.shape), x.to_dense() + 1

    x = COOTensor(Tensor([[0, 1], [1, 2]]), Tensor([1.0, 2.0]), (3, 4))
    for values in ([1.0, 2.0], [5.0, 7.0]):
        made, dense = double(x, Tensor(values))
        assert isinstance(made, COOTensor) and made.values.asnumpy().tolist() == [2 * v for v in values]
        assert dense.shape == (3, 4)


def test_primitives_and_layers():
    a, b = random_array((4, 5), 1), random_array((5, 3), 2)
    x = coo_of(a)
    np.testing.assert_array_equal(nn.SparseToDense()(x), a)
    np.testing.assert_array_equal(ops.SparseToDense()(*x.to_tuple()), a)
    np.testing.assert_allclose(ops.SparseTensorDenseAdd()(*x.to_tuple(), Tensor(a)), 2 * a)
    np.testing.assert_allclose(nn.SparseTensorDenseMatmul()(*x.to_tuple(), Tensor(b)), a @ b, rtol=1e-5)
    turned = ops.SparseTensorDenseMatmul(True, True)(*x.to_tuple(), Tensor(a.T.copy()))
    np.testing.assert_allclose(turned, a.T @ a, rtol=1e-5)
    with pytest.raises(ValueError, match="5 rows are needed"):
        ops.SparseTensorDenseMatmul()(*x.to_tuple(), Tensor(a))


def test_places_have_no_gradient():
    indices, values = Tensor([[0, 1], [1, 2]], ms.int32), Tensor([-1.0, 2.0])
    of_all = ops.GradOperation(get_all=True)
    found = of_all(lambda i, v: COOTensor(i, v, (3, 4)).to_tuple())(indices, values)
    assert not found[0].asnumpy().any() and found[1].asnumpy().tolist() == [1, 1]


def test_primitives_of_rows():
    a, b = random_array((4, 5), 1), random_array((5, 3), 2)
    x = csr_of(a)
    parts = x.to_tuple()
    np.testing.assert_allclose(_csr_ops.CSRMM()(*parts, Tensor(b)), a @ b, rtol=1e-5)
    np.testing.assert_allclose(_csr_ops.CSRMV()(*parts, Tensor(b[:, :1])), a @ b[:, :1], rtol=1e-5)
    np.testing.assert_allclose(_csr_ops.CSRReduceSum()(*parts, 1), a.sum(1, keepdims=True), rtol=1e-5)
    np.testing.assert_array_equal(_csr_ops.CSRGather()(x.indptr, x.indices, Tensor(a), x.shape), x.values)
    np.testing.assert_allclose(_csr_ops.CSRMul()(*parts, Tensor(a)), x.values.asnumpy() ** 2, rtol=1e-6)
    np.testing.assert_allclose(_csr_ops.CSRDiv()(*parts, Tensor(a)), np.ones(x.size), rtol=1e-6)
    rows = _csr_ops.CSR2COO()(x.indptr, x.size)
    np.testing.assert_array_equal(rows, np.argwhere(a)[:, 0])
    np.testing.assert_array_equal(_csr_ops.COO2CSR()(rows, 4), x.indptr)
