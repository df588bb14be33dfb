# SPDX-License-Identifier: Apache-2.0
"""NumPy's numbers, arrays and functions beside tensors: right values, and no gradient cut without a word."""

from __future__ import annotations

import math
import operator
import warnings

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, ops

X = Tensor([1.0, 2.0, 3.0])
NUMBERS = [np.float16(2), np.float32(2), np.float64(2), np.int32(2), np.int64(2), np.uint8(2), np.bool_(True)]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda n: type(n).__name__)
def test_a_number_on_the_left_keeps_the_gradient(both_modes, number):
    gradient = both_modes.gradient(lambda x: number * (x * x).sum(), X)
    np.testing.assert_array_equal(gradient.asnumpy(), 2 * float(number) * X.asnumpy())


@pytest.mark.parametrize("number", NUMBERS[1:5], ids=lambda n: type(n).__name__)
@pytest.mark.parametrize(
    "run", [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod]
)
def test_either_side_gives_the_same_type(both_modes, run, number):
    for x in (X, Tensor([1, 2, 3], ms.int32)):
        left, right = both_modes(lambda x: (run(number, x), run(x, number)), x)
        assert isinstance(left, Tensor) and left.dtype == right.dtype
        np.testing.assert_allclose(left.asnumpy(), run(float(number), x.asnumpy()), rtol=1e-6)


@pytest.mark.parametrize(
    "run", [operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge]
)
def test_comparisons_give_tensors(both_modes, run):
    found = both_modes(lambda x: run(np.float32(2), x), X)
    assert found.dtype == ms.bool_ and found.tolist() == run(2, X.asnumpy()).tolist()
    assert both_modes(lambda x: run(np.full(3, 2.0), x), X).tolist() == found.tolist()


def test_an_array_on_the_left(both_modes):
    rows = np.arange(6, dtype=np.float32).reshape(2, 3)
    for run in (operator.add, operator.mul, operator.pow):
        found = both_modes(lambda x, f=run: f(rows, x), X)
        np.testing.assert_allclose(found.asnumpy(), run(rows, X.asnumpy()))
    np.testing.assert_allclose(both_modes(lambda x: rows @ x, X).asnumpy(), rows @ X.asnumpy())
    gradient = both_modes.gradient(lambda x: (rows * x).sum(), X)
    np.testing.assert_array_equal(gradient.asnumpy(), rows.sum(0))
    assert both_modes(lambda x: rows.astype(np.float64) + x, X).dtype == ms.float64
    mask = both_modes(lambda x: np.array([True, False, True]) & (x > 1), X)
    assert mask.tolist() == [False, False, True]


def test_an_array_on_the_right_is_refused(both_modes):
    both_modes.refuse(TypeError, lambda x: x * np.ones(3, np.float32), X, match="turn it into a Tensor")


def test_an_array_that_is_added_to(both_modes):
    array = np.ones(3, np.float32)
    array += X
    assert isinstance(array, np.ndarray) and array.tolist() == [2, 3, 4]

    def added(x):
        array = np.ones(3, np.float32)
        array += x
        return x.sum()

    with pytest.raises(RuntimeError, match=r"numpy\.add.*cut the gradient"):
        ms.grad(added)(X)


FUNCTIONS = [
    np.mean,
    np.sum,
    np.prod,
    np.max,
    np.min,
    np.std,
    np.var,
    np.any,
    np.all,
    np.argmax,
    np.median,
    np.cumsum,
    np.sort,
    np.sin,
    np.exp,
    np.transpose,
    np.squeeze,
    np.nonzero,
    np.ravel,
    np.linalg.norm,
    np.size,
    np.shape,
    np.ndim,
    np.zeros_like,
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_functions_work_on_the_values(function):
    found, wanted = function(X), function(X.asnumpy())
    assert type(found) is type(wanted)
    np.testing.assert_array_equal(found, wanted)


def test_functions_of_several_tensors():
    np.testing.assert_array_equal(np.concatenate([X, [4.0]]), [1, 2, 3, 4])
    np.testing.assert_array_equal(np.where(X > 1, X, 0), [0, 2, 3])
    assert np.allclose(X, X) and np.array_equal(X.asnumpy(), X)
    np.testing.assert_array_equal(np.maximum.reduce(X), 3)
    target = np.zeros(3)
    np.copyto(target, X)
    np.testing.assert_array_equal(target, [1, 2, 3])


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (lambda x: np.mean(x), lambda x: np.full(3, 1 / 3)),
        (lambda x: np.sum(np.sin(x)), np.cos),
        (lambda x: np.sum(np.square(x), axis=0), lambda x: 2 * x),
        (lambda x: np.dot(x, x), lambda x: 2 * x),
        (lambda x: np.concatenate([x, x]).sum(), lambda x: np.full(3, 2.0)),
        (lambda x: np.add(x, x).sum(), lambda x: np.full(3, 2.0)),
    ],
)
def test_inside_a_gradient_tensors_stay_tensors(both_modes, function, slope):
    gradient = both_modes.gradient(function, X)
    np.testing.assert_allclose(gradient.asnumpy(), slope(X.asnumpy()), rtol=1e-6)


@pytest.mark.parametrize("function", [np.median, np.diff, np.maximum.reduce, np.linalg.norm])
def test_what_would_cut_a_gradient_is_an_error(both_modes, function):
    def loss(x):
        return x.sum() * float(np.asarray(function(x)).ravel()[0])

    for run in (ms.grad(loss), ms.jit(ms.grad(loss))):
        with pytest.raises(RuntimeError, match="would cut the gradient"):
            run(X)
    assert float(loss(X)) == pytest.approx(float(X.sum()) * float(np.ravel(function(X.asnumpy()))[0]))


def test_only_values_are_meant():
    gradient = ms.grad(lambda x: x.sum() * float(np.median(x.asnumpy())))(X)
    assert gradient.tolist() == [2, 2, 2]


PLAIN = {"float": float, "sqrt": math.sqrt, "array": np.array, "asarray": np.asarray}


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_value_of_a_differentiated_tensor_is_told_once_a_line(name):
    run, place = PLAIN[name], f"program_with_{name}.py"
    scope = {"run": run}
    exec(compile("def loss(x):\n  run(x.sum())\n  return x.sum()", place, "exec"), scope)
    with pytest.warns(UserWarning, match="has no gradient") as told:
        ms.grad(scope["loss"])(X)
        ms.grad(scope["loss"])(X)
    assert [(warning.filename, warning.lineno) for warning in told] == [(place, 2)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(X.sum())
        ms.grad(lambda x: x.sum() * x.sum().item() + int(x.sum()))(X)


def test_rounding(both_modes):
    x = Tensor([1.234, -2.567, 1000.5])
    assert both_modes(round, x).tolist() == [1, -3, 1000]
    np.testing.assert_allclose(both_modes(lambda x: round(x, 2), x).asnumpy(), [1.23, -2.57, 1000.5])
    np.testing.assert_allclose(both_modes(lambda x: round(x, -2), x).asnumpy(), [0, 0, 1000])
    half = both_modes(lambda x: round(x, 3), Tensor([1000.123, 1e4], ms.float16))
    assert half.dtype == ms.float16 and np.isfinite(half.asnumpy()).all()
    assert both_modes(lambda x: round(x, 400), x).tolist() == x.tolist()
    assert both_modes(lambda x: round(x, -400), x).tolist() == [0, 0, 0]
    whole = Tensor([15, 25, -14], ms.int32)
    assert both_modes(lambda x: round(x, -1), whole).tolist() == [20, 20, -10]
    assert both_modes(lambda x: round(x, 2), whole).tolist() == [15, 25, -14]
    with pytest.raises(TypeError):
        round(x, 1.5)


def test_divmod(both_modes):
    for a, b in ((Tensor([7.0, -7.0]), 2), (7, Tensor([2.0, -2.0])), (Tensor([7]), Tensor([-2]))):
        quotient, rest = both_modes(lambda a=a, b=b: divmod(a, b))
        plain = [v.asnumpy() if isinstance(v, Tensor) else v for v in (a, b)]
        np.testing.assert_array_equal(quotient.asnumpy(), np.divmod(*plain)[0])
        np.testing.assert_array_equal(rest.asnumpy(), np.divmod(*plain)[1])
    with pytest.raises(TypeError):
        divmod(X, "x")


def test_single_numbers():
    assert math.trunc(Tensor(-2.7)) == -2 and math.floor(Tensor(2.7)) == 2 and math.ceil(Tensor(2.2)) == 3
    assert complex(Tensor(1 + 2j)) == 1 + 2j and complex(Tensor(3)) == 3
    with pytest.raises(TypeError, match="real number"):
        float(Tensor(1 + 2j))
    with pytest.raises(TypeError, match="modulus"):
        pow(Tensor(2), 3, 5)


@pytest.mark.parametrize("text", ["x", b"x", bytearray(b"x")])
def test_a_text_is_not_repeated(both_modes, text):
    for value in (Tensor(3), Tensor([1.0, 2.0])):
        both_modes.refuse(TypeError, lambda x: x * text, value, match="unsupported operand")
        both_modes.refuse(TypeError, lambda x: text * x, value, match="unsupported operand")
    both_modes.refuse(TypeError, lambda x: x + "x", X)
    assert both_modes(lambda x: [1, 2] * x, Tensor(3)).tolist() == [3, 6]


@pytest.mark.parametrize("dtype", [ms.bool_, ms.int8, ms.int32, ms.uint8, ms.float16, ms.float32])
def test_not_is_logical(both_modes, dtype):
    found = both_modes(lambda x: ~x, Tensor([1, 0, 5], dtype))
    assert found.dtype == ms.bool_ and found.tolist() == [False, True, False]


def test_the_bits_are_inverted_by_name(both_modes):
    assert both_modes(ops.invert, Tensor([1, 0], ms.int32)).tolist() == [-2, -1]
    assert both_modes(lambda x: x.invert(), Tensor([1, 0], ms.int32)).tolist() == [-2, -1]
