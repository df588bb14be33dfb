# SPDX-License-Identifier: Apache-2.0
"""Names of graphs, and constants among arguments, as scripts meet them that drive the compiler themselves."""

from __future__ import annotations

import pytest

import mindspore as ms
from mindspore import Tensor, jit, mutable, nn
from mindspore.common import _monad
from mindspore.common.api import _CellGraphExecutor, _MindsporeFunctionExecutor
from mindspore.ops import GradOperation


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Product(nn.Cell):
    def construct(self, x, y):
        return x * y


def same_name(first: tuple, second: tuple) -> bool:
    net = Product()
    cells, functions = _CellGraphExecutor(), _MindsporeFunctionExecutor(net.construct, 0)
    of_cells = cells.compile(net, *first)[0] == cells.compile(net, *second)[0]
    of_functions = functions.compile("construct", *first) == functions.compile("construct", *second)
    assert of_cells == of_functions
    return of_cells


def test_calls_that_differ_in_inputs_have_one_name():
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    assert same_name((x, y), (y, x))
    assert same_name((x, mutable(2)), (x, mutable(3)))
    assert same_name((x, mutable((2, 3))[0]), (x, mutable(3)))
    assert not same_name((x, 2), (x, 3))
    assert not same_name((x, y), (x, Tensor([1.0])))


def test_constant_tensors_are_known_one_by_one():
    x, y, z = Tensor([1.0]), Tensor([3.0], const_arg=True), Tensor([4.0], const_arg=True)
    assert not same_name((x, y), (x, z))
    y.set_const_arg(False)
    z.set_const_arg(False)
    assert same_name((x, y), (x, z))


def test_an_executor_of_a_function_runs_it():
    run = _MindsporeFunctionExecutor(lambda x: x + 1, 0)
    assert float(run(Tensor(1.0))) == 2.0
    with pytest.raises(RuntimeError, match="is not function or method"):
        _MindsporeFunctionExecutor(3, 0)
    with pytest.raises(TypeError, match="needs 1 positional argument, but got 0"):
        run.compile("run")


def test_whether_a_tensor_is_constant_is_yes_or_no():
    with pytest.raises(
        TypeError, match="For 'Tensor', the type of 'const_arg' should be 'bool', but got type 'int'."
    ):
        Tensor([1.0], const_arg=1)
    with pytest.raises(TypeError, match="For 'set_const_arg', .* but got type 'int'."):
        Tensor([1.0]).set_const_arg(1)


def test_constants_get_no_gradient_in_graphs(graph_mode):
    x, y = Tensor([2.0], const_arg=True), Tensor([3.0])

    def product(x, y):
        return x * y

    for _ in range(3):
        assert GradOperation()(product)(x, y) == ()
        assert ms.grad(product)(x, y) == ()
        (by_y,) = GradOperation(get_all=True)(product)(x, y)
        assert float(by_y[0]) == 2.0
    compiled = jit(lambda x, y: GradOperation()(product)(x, y))
    for _ in range(3):
        assert compiled(x, y) == ()
        assert float(compiled(y, x)[0]) == 2.0


def test_constants_get_gradients_elsewhere():
    assert float(ms.grad(lambda x: x * 3)(Tensor([2.0], const_arg=True))[0]) == 3.0


def test_values_that_stand_for_the_order_of_effects():
    compiled = jit(lambda x, order: x + 1)
    assert float(compiled(Tensor(1.0), _monad.U)) == 2.0
    assert type(_monad.IO).__name__ == "IOMonad"
