# SPDX-License-Identifier: Apache-2.0
"""grad, value_and_grad and GradOperation: values, shapes of results, errors."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops


def tensor(*values):
    return Tensor(np.array(values, np.float32))


def numbers(structure):
    """The same structure with lists in place of tensors."""
    if isinstance(structure, Tensor):
        return structure.asnumpy().tolist()
    if isinstance(structure, tuple):
        return tuple(numbers(part) for part in structure)
    return structure


def product(x, y):
    return x * y * y


X, Y = tensor(2.0), tensor(3.0)


def weight(name="w"):
    return Parameter(tensor(5.0, 7.0), name=name)


@pytest.mark.parametrize(
    "position, expected",
    [(0, [9.0]), (1, [12.0]), ((1,), [12.0]), ((0, 1), ([9.0], [12.0])), ((1, 0), ([12.0], [9.0]))],
)
def test_grad_shape_follows_positions(position, expected):
    assert numbers(ms.grad(product, position)(X, Y)) == expected


def test_grad_drops_arguments_that_are_no_tensors():
    def f(x, factor, y):
        return x * factor * y

    assert numbers(ms.grad(f, (0, 1, 2))(X, 2, Y)) == ([6.0], [4.0])
    assert numbers(ms.grad(f, (0, 1))(X, 2, Y)) == [6.0]
    assert ops.GradOperation(get_all=True)(lambda x: x * x)(3.0) == ()


@pytest.mark.parametrize(
    "value, said",
    [
        (3.0, r"argument 0 is float. Give Tensor\(3.0\)"),
        (3, r"argument 0 is int. Give Tensor\(3\)"),
        (np.float32(3), "argument 0 is float32"),
        ([Tensor(3.0)], "argument 0 is list. Give its tensors"),
        (None, "argument 0 is NoneType"),
    ],
)
@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_gradient_needs_a_tensor(mode, value, said):
    def f(x):
        return Tensor(2.0)

    ms.set_context(mode=mode)
    try:
        for gradient in (ms.grad(f), ms.grad(f, (0,)), ms.value_and_grad(f), ops.GradOperation()(f)):
            for _ in range(2):
                with pytest.raises(TypeError, match=said):
                    gradient(value)
        with pytest.raises(TypeError, match="argument 1 is int"):
            ms.grad(lambda x, n: x * n, 1)(X, n=2)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert numbers(ms.grad(lambda n: weight() * n, 0, [])(2.0)) == ((), ())


def test_grad_of_weights():
    w, v = weight(), weight("v")

    def f(x):
        return w * x

    x = tensor(1.0, 2.0)
    assert numbers(ms.grad(f, None, w)(x)) == [1.0, 2.0]
    assert numbers(ms.grad(f, None, [w])(x)) == ([1.0, 2.0],)
    assert numbers(ms.grad(f, None, ParameterTuple([w, v]))(x)) == ([1.0, 2.0], [0.0, 0.0])
    assert numbers(ms.grad(f, None, [w, w])(x)) == ([1.0, 2.0], [1.0, 2.0])
    assert ms.grad(f, None, [])(x) == ()
    assert numbers(ms.grad(f, 0, w)(x)) == ([5.0, 7.0], [1.0, 2.0])
    assert numbers(ms.grad(f, 0, [w])(x)) == ([5.0, 7.0], ([1.0, 2.0],))


def test_grad_of_frozen_weight_is_zero():
    w = Parameter(tensor(1.0), name="w", requires_grad=False)
    assert numbers(ms.grad(lambda x: w * x, None, w)(X)) == [0.0]


def test_value_and_grad_returns_what_the_function_returned():
    value, gradient = ms.value_and_grad(lambda x: {"a": x * x, "b": 3})(X)
    assert numbers(value["a"]) == [4.0] and value["b"] == 3
    assert numbers(gradient) == [4.0]


def test_outputs_are_summed():
    assert numbers(ms.grad(lambda x, y: (x**2 + y, x))(X, Y)) == [5.0]


def test_has_aux_differentiates_the_first_output():
    def f(x, y):
        return x * y, x, y * 2

    gradient, aux = ms.grad(f, 0, has_aux=True)(X, Y)
    assert numbers(gradient) == [3.0]
    assert numbers(aux) == ([2.0], [6.0])
    value, gradient = ms.value_and_grad(f, 0, has_aux=True)(X, Y)
    assert numbers(value) == ([6.0], [2.0], [6.0])
    with pytest.raises(ValueError, match="requires more than one outputs"):
        ms.grad(lambda x: x, has_aux=True)(X)


def test_return_ids_and_get_grad():
    w = weight()
    found = ms.grad(lambda x, y: w * x * y, (0, 1), [w], return_ids=True)(tensor(1.0, 1.0), tensor(2.0, 2.0))
    assert numbers(found) == (((0, [10.0, 14.0]), (1, [5.0, 7.0])), (("w", [2.0, 2.0]),))
    assert numbers(ms.get_grad(found, 1)) == [5.0, 7.0]
    assert numbers(ms.get_grad(found, w)) == [2.0, 2.0]
    assert numbers(ms.grad(product, 1, return_ids=True)(X, Y)) == (1, [12.0])
    with pytest.raises(RuntimeError, match="Can not find the gradient for position or Parameter"):
        ms.get_grad(found, 7)
    with pytest.raises(TypeError, match="should be an integer or a Parameter"):
        ms.get_grad(found, "w")


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        ((None, None), ValueError, "can not be None at the same time"),
        (((), None), RuntimeError, "grad_position should not be empty when grad by position"),
        (((0, 0), None), ValueError, "There are duplicate positions"),
        ((-1, None), ValueError, "grad_position must be >= 0."),
        (([0], None), TypeError, "the 'grad_position' must be int or tuple"),
        (((0, "1"), None), TypeError, "the element in 'grad_position' must be int"),
        ((0, None, 1), TypeError, "the 'has_aux' should be bool, but got int"),
    ],
)
def test_grad_checks_its_arguments(arguments, error, text):
    with pytest.raises(error, match=text):
        ms.grad(product, *arguments)


def test_position_beyond_arguments():
    with pytest.raises(RuntimeError, match="Position index 2 is exceed input size."):
        ms.grad(product, 2)(X, Y)


def test_keyword_arguments_count_in_signature_order():
    assert numbers(ms.grad(product, 1)(X, y=Y)) == [12.0]
    assert numbers(ms.grad(product, (0, 1))(y=Y, x=X)) == ([9.0], [12.0])


def test_same_tensor_twice_gets_a_gradient_per_argument():
    assert numbers(ms.grad(product, (0, 1))(X, X)) == ([4.0], [8.0])


def test_higher_order():
    def cube(x):
        return x**3

    assert numbers(ms.grad(ms.grad(cube))(X)) == [12.0]
    assert numbers(ms.grad(ms.grad(ms.grad(cube)))(X)) == [6.0]
    penalty = ms.grad(lambda x: cube(x) + ms.grad(cube)(x) ** 2)
    assert numbers(penalty(X)) == [12.0 + 2 * 12.0 * 12.0]


def test_unconnected_input_gets_zeros_of_its_type():
    gradient = ms.grad(lambda x, y: y)(Tensor(np.ones((2, 3), np.float16)), Y)
    assert gradient.shape == (2, 3) and gradient.dtype == ms.float16
    assert not gradient.asnumpy().any()


def test_integer_input_keeps_its_type():
    gradient = ms.grad(lambda x, y: x * y)(Tensor([1, 2], ms.int32), tensor(1.5, 2.5))
    assert gradient.dtype == ms.int32 and gradient.asnumpy().tolist() == [1, 2]


def test_exception_ends_the_recording():
    def fail(x):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        ms.grad(fail)(X)
    assert numbers(ms.grad(product)(X, Y)) == [9.0]


def test_numpy_cuts_the_gradient_and_tensor_of_tensor_does_not():
    assert numbers(ms.grad(lambda x: Tensor(x.asnumpy()) * 2)(X)) == [0.0]
    assert numbers(ms.grad(lambda x: Tensor(x) * 2)(X)) == [2.0]
    assert numbers(ms.grad(lambda x: ops.stop_gradient(x) * x)(X)) == [2.0]


def test_no_grad():
    def f(x):
        with ms.no_grad():
            constant = x * x
        return constant * x

    assert numbers(ms.grad(f)(X)) == [4.0]
    with (
        ms.no_grad(),
        pytest.raises(RuntimeError, match="In no_grad context, you can not calculate gradient"),
    ):
        ms.grad(product)(X, Y)


def test_assign_in_forward_separates_old_and_new_value():
    w = Parameter(tensor(2.0), name="w")

    def f(x):
        y = w * x
        ops.assign(w, x * 10)
        return y + w * x

    gradient = ms.grad(f)(tensor(3.0))
    assert numbers(gradient) == [2.0 + 30.0]
    assert numbers(w) == [30.0]


def test_returning_a_parameter():
    w = weight()
    assert numbers(ms.grad(lambda x: w, None, w)(X)) == [1.0, 1.0]


def test_grad_operation_forms():
    w = weight()

    def f(x, n, y):
        return w * x * n * y

    x, y = tensor(1.0, 2.0), tensor(3.0, 4.0)
    assert numbers(ops.GradOperation()(f)(x, 2, y)) == [30.0, 56.0]
    assert numbers(ops.GradOperation(get_all=True)(f)(x, 2, y)) == ([30.0, 56.0], [10.0, 28.0])
    assert numbers(ops.GradOperation(get_by_list=True)(f, w)(x, 2, y)) == [6.0, 16.0]
    assert numbers(ops.GradOperation(get_by_list=True)(f, [w])(x, 2, y)) == ([6.0, 16.0],)
    both = ops.GradOperation(get_all=True, get_by_list=True)(f, [w])(x, 2, y)
    assert numbers(both) == (([30.0, 56.0], [10.0, 28.0]), ([6.0, 16.0],))
    assert ops.GradOperation()(lambda: w)() == ()


def test_grad_operation_sens():
    square = ops.GradOperation(sens_param=True)(lambda x: x * x)
    x = tensor(1.0, 2.0)
    assert numbers(square(x, tensor(1.0, 10.0))) == [2.0, 40.0]
    assert numbers(square(x, sens=tensor(1.0, 10.0))) == [2.0, 40.0]
    assert numbers(square(x, 3.0)) == [6.0, 12.0]
    with pytest.raises(ValueError, match="The shape should be"):
        square(x, tensor(1.0, 2.0, 3.0))
    with pytest.raises(TypeError, match="The dtype should be Float32, but got Int32"):
        square(x, Tensor([1, 2], ms.int32))
    pair = ops.GradOperation(sens_param=True)(lambda x: (x * x, x))
    assert numbers(pair(x, (tensor(1.0, 1.0), tensor(5.0, 6.0)))) == [7.0, 10.0]
    with pytest.raises(RuntimeError, match="sens gradient's size should be same"):
        pair(x, (tensor(1.0, 1.0),))


def test_grad_operation_checks_its_flags():
    with pytest.raises(TypeError, match="the 'get_all' should be bool, but got int"):
        ops.GradOperation(get_all=1)


def test_grad_operation_without_weights_takes_those_used():
    class Half(nn.Cell):
        def __init__(self):
            super().__init__()
            self.used, self.idle = weight("used"), weight("idle")

        def construct(self, x):
            return self.used * x

    found = ops.GradOperation(get_by_list=True)(Half())(tensor(1.0, 2.0))
    assert numbers(found) == ([1.0, 2.0],)
