# SPDX-License-Identifier: Apache-2.0
"""jvp, vjp, Jacobians, Taylor derivatives and vmap."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops


def tensor(*values):
    return Tensor(np.array(values, np.float32))


def test_jvp_of_several_inputs_and_outputs():
    def f(x, y):
        return x * y, x + y

    out, derivative = ms.jvp(f, (tensor(2.0), tensor(3.0)), (tensor(1.0), tensor(10.0)))
    assert [float(t) for t in out] == [6.0, 5.0]
    assert [float(t) for t in derivative] == [23.0, 11.0]


def test_jvp_errors():
    x = tensor(1.0, 2.0)
    with pytest.raises(ValueError, match="v has invalid length: should be 1, but got 2"):
        ms.jvp(ops.sin, x, (x, x))
    with pytest.raises(TypeError, match="Type Join Failed"):
        ms.jvp(ops.sin, x, Tensor([1, 2], ms.int64))
    with pytest.raises(TypeError, match="must be a Tensor, tuple or list of Tensors"):
        ms.jvp(ops.sin, 1.0, x)


def test_vjp_can_be_used_again():
    out, pull = ms.vjp(lambda x, y: x**3 + y, tensor(1.0, 2.0), tensor(0.0, 0.0))
    assert out.asnumpy().tolist() == [1.0, 8.0]
    for factor in (1.0, 2.0):
        dx, dy = pull(tensor(factor, factor))
        assert dx.asnumpy().tolist() == [3.0 * factor, 12.0 * factor]
        assert dy.asnumpy().tolist() == [factor, factor]


def test_vjp_with_weights_and_aux():
    w = Parameter(tensor(4.0), name="w")
    out, pull, aux = ms.vjp(lambda x: (w * x, x), tensor(3.0), weights=[w], has_aux=True)
    inputs, weights = pull(tensor(1.0))
    assert float(out) == 12.0 and float(aux) == 3.0
    assert float(inputs[0]) == 4.0 and float(weights[0]) == 3.0
    with pytest.raises(TypeError, match="The inputs type must be Tensor"):
        ms.vjp(ops.sin, 1.0)


@pytest.mark.parametrize("jacobian", [ms.jacrev, ms.jacfwd])
def test_jacobian_shapes_and_values(jacobian):
    x = Tensor(np.arange(6, dtype=np.float64).reshape(2, 3))
    y = Tensor(np.ones(3, np.float64))
    single = jacobian(lambda x: (x**2).sum(1))(x).asnumpy()
    expected = np.zeros((2, 2, 3))
    for row in range(2):
        expected[row, row] = 2 * x.asnumpy()[row]
    np.testing.assert_allclose(single, expected)
    of_inputs = jacobian(lambda x, y: x * y, (0, 1))(x, y)
    assert [j.shape for j in of_inputs] == [(2, 3, 2, 3), (2, 3, 3)]
    of_outputs = jacobian(lambda x: (x, x * 2))(y)
    assert [j.shape for j in of_outputs] == [(3, 3), (3, 3)]
    of_both = jacobian(lambda x, y: (x * y, y), (0, 1))(y, y)
    assert [[j.shape for j in row] for row in of_both] == [[(3, 3), (3, 3)], [(3, 3), (3, 3)]]
    result, aux = jacobian(lambda x: (x * x, x), has_aux=True)(y)
    assert result.shape == (3, 3) and aux.shape == (3,)
    with pytest.raises(ValueError, match="must belong to"):
        jacobian(ops.sin, 1)(y)


def test_hessian():
    def f(x):
        return (x**3).sum() + x[0] * x[1]

    x = Tensor(np.array([1.0, 2.0]))
    expected = [[6.0, 1.0], [1.0, 12.0]]
    for hessian in (ms.jacfwd(ms.jacrev(f)), ms.jacrev(ms.jacfwd(f)), ms.jacrev(ms.grad(f))):
        np.testing.assert_allclose(hessian(x).asnumpy(), expected)


def test_derivative_and_jet():
    x = Tensor(np.array([0.3, 1.1]))
    out, third = ops.derivative(ops.sin, x, 3)
    np.testing.assert_allclose(out.asnumpy(), np.sin(x.asnumpy()))
    np.testing.assert_allclose(third.asnumpy(), -np.cos(x.asnumpy()))
    with pytest.raises(ValueError, match="should not be less than 1, but got 0"):
        ops.derivative(ops.sin, x, 0)
    series = Tensor(np.stack([np.ones(2), np.zeros(2)]))
    out, terms = ops.jet(ops.exp, x, series)
    np.testing.assert_allclose(terms.asnumpy(), np.stack([np.exp(x.asnumpy())] * 2))


def test_linearize():
    out, push = ops.linearize(lambda x: x**2, tensor(3.0))
    assert float(out) == 9.0
    assert float(push(tensor(1.0))) == 6.0 and float(push(tensor(2.0))) == 12.0


def test_vmap_axes_and_gradient():
    x, y = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)), tensor(1.0, 2.0, 3.0)
    dot = ms.vmap(lambda a, b: (a * b).sum(), (0, None))
    np.testing.assert_allclose(dot(x, y).asnumpy(), x.asnumpy() @ y.asnumpy())
    swapped = ms.vmap(lambda a: a, in_axes=1, out_axes=0)
    np.testing.assert_allclose(swapped(x).asnumpy(), x.asnumpy().T)
    gradient = ms.grad(lambda a: dot(a, y).sum())(x)
    np.testing.assert_allclose(gradient.asnumpy(), np.tile(y.asnumpy(), (2, 1)))
    per_row = ms.vmap(ms.grad(lambda a: (a**2).sum()))
    np.testing.assert_allclose(per_row(x).asnumpy(), 2 * x.asnumpy())
    with pytest.raises(RuntimeError, match="its size must be equal to the number of arguments"):
        ms.vmap(lambda a, b: a, (0,))(x, y)
    with pytest.raises(RuntimeError, match="'axis_size' of each argument"):
        ms.vmap(lambda a, b: a)(x, y)


def test_recompute_repeats_random_numbers():
    class Block(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(4, 4, weight_init="ones")
            self.drop = nn.Dropout(p=0.5)
            self.calls = 0

        def construct(self, x):
            self.calls += 1
            return self.drop(self.fc(x))

    block = Block().set_train()
    weights = block.trainable_params()
    x = Tensor(np.ones((8, 4), np.float32))
    value, (dx, dw) = ms.value_and_grad(lambda x: ms.recompute(block, x), 0, weights)(x)
    kept = (value.asnumpy() != 0) * 2.0
    np.testing.assert_allclose(dx.asnumpy(), kept.sum(1, keepdims=True) * np.ones((8, 4)), rtol=1e-6)
    np.testing.assert_allclose(dw[1].asnumpy(), kept.sum(0), rtol=1e-6)
    assert block.calls == 2
    with pytest.raises(TypeError, match="only support block which inherited from Cell"):
        ms.recompute(ops.sin, x)
