# SPDX-License-Identifier: Apache-2.0
"""Older import paths lead to the same names."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, ops


def test_composite_is_a_package():
    from mindspore.ops import composite
    from mindspore.ops.composite import base

    assert composite.GradOperation is ops.GradOperation
    assert base.GradOperation is ops.GradOperation
    assert base.HyperMap is ops.HyperMap
    with pytest.raises(AttributeError):
        composite.no_such_name  # noqa: B018


def test_flags_stay_with_the_function():
    from mindspore.ops.composite import add_flags, core

    @core(loop=True)
    def function(x):
        return x

    assert function._func_graph_flags == {"core": True, "loop": True}
    assert add_flags(function, loop=False)._func_graph_flags["loop"] is False
    assert function(3) == 3


def test_contiguous_and_copy():
    from mindspore.ops.auto_generate import contiguous, copy

    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    turned = ops.transpose(x, (1, 0))
    assert contiguous(x) is x
    assert contiguous(turned).is_contiguous()
    np.testing.assert_array_equal(contiguous(turned).asnumpy(), x.asnumpy().T)
    twin = copy(x)
    twin[0, 0] = 9
    assert x[0, 0] == 0
    np.testing.assert_array_equal(ms.grad(lambda t: copy(t) * t)(x).asnumpy(), 2 * x.asnumpy())


def test_primitive_keeps_user_data():
    primitive = ops.ReLU()
    assert primitive.get_user_data("note") is None
    primitive.set_user_data("note", (1, 2))
    assert primitive.get_user_data("note") == (1, 2)


def test_array_on_the_right_is_refused():
    x = Tensor([1.0, 2.0])
    array = np.array([1.0, 2.0], np.float32)
    with pytest.raises(TypeError, match="ndarray"):
        x + array  # noqa: B018
    with pytest.raises(TypeError, match="ndarray"):
        x @ array  # noqa: B018
    assert isinstance(array + x, Tensor)


def test_function_with_its_own_backward():
    from mindspore.ops.function.grad.grad_func import custom_vjp

    @custom_vjp
    def scaled(x, y):
        return 2 * x + y

    x, y = Tensor(1.0), Tensor(2.0)
    with pytest.raises(RuntimeError, match="defbwd"):
        scaled(x, y)
    scaled.defbwd(lambda x, y, out, dout: (3 * dout, out * dout))
    assert scaled(x, y) == 4.0
    gradients = ms.grad(scaled, (0, 1))(x, y)
    assert [float(g) for g in gradients] == [3.0, 4.0]
