# SPDX-License-Identifier: Apache-2.0
"""Gradients with respect to tuples, lists and dicts of tensors have the form of these."""

from __future__ import annotations

import pytest

import mindspore as ms
from mindspore import Tensor, jit, mutable
from mindspore.ops import GradOperation


def product(parts):
    return parts[0] * parts[1][0] * 2


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


def numbers(structure):
    if isinstance(structure, Tensor):
        return float(structure)
    if isinstance(structure, dict):
        return {key: numbers(part) for key, part in structure.items()}
    return type(structure)(map(numbers, structure))


def test_nested_sequences(mode):
    given = mutable((Tensor(3.0), [Tensor(5.0), Tensor(7.0)]))
    for _ in range(3):
        assert numbers(ms.grad(product)(given)) == (10.0, [6.0, 0.0])
        assert numbers(GradOperation()(product)(given)) == (10.0, [6.0, 0.0])


def test_dicts(mode):
    given = mutable({"a": Tensor(3.0), "b": (Tensor(5.0),)})
    for _ in range(3):
        found = ms.grad(lambda d: d["a"] * d["b"][0] ** 2)(given)
        assert numbers(found) == {"a": 25.0, "b": (30.0,)}


def test_beside_tensors(mode):
    def sum_of_products(x, parts, y):
        return x * parts[0] + y * parts[1]

    arguments = (Tensor(2.0), mutable([Tensor(3.0), Tensor(4.0)]), Tensor(5.0))
    for _ in range(3):
        found = ms.grad(sum_of_products, (0, 1, 2))(*arguments)
        assert numbers(found) == (3.0, [2.0, 5.0], 4.0)
        assert numbers(GradOperation(get_all=True)(sum_of_products)(*arguments)) == (3.0, [2.0, 5.0], 4.0)
        value, found = ms.value_and_grad(sum_of_products, 1)(*arguments)
        assert float(value) == 26.0
        assert numbers(found) == [2.0, 5.0]


def test_all_inputs_are_tensors_and_what_is_called_mutable():
    def scaled(x, pair):
        return x * pair[0]

    found = GradOperation(get_all=True)(scaled)(Tensor(2.0), (Tensor(3.0), 1))
    assert numbers(found) == (3.0,)


def test_in_a_compiled_function():
    @jit
    def gradient(parts):
        return ms.grad(product)(parts)

    for value in (3.0, 4.0, 5.0):
        found = gradient(mutable((Tensor(value), [Tensor(5.0)])))
        assert numbers(found) == (10.0, [2 * value])
    assert gradient._captured.captures == 1


def test_of_a_compiled_function():
    compiled = jit(product)
    for value in (3.0, 4.0, 5.0):
        assert numbers(ms.grad(compiled)(mutable((Tensor(value), [Tensor(5.0)])))) == (10.0, [2 * value])


def test_numbers_among_them_are_refused():
    with pytest.raises(TypeError, match=r"a part of an argument is _?[Ff]loat. Give Tensor\(1.5\)"):
        ms.grad(lambda parts: parts[0] * parts[1])(mutable((Tensor(1.0), 1.5)))
    with pytest.raises(TypeError, match=r"argument 0 is list. Give its tensors .* or mutable"):
        ms.grad(lambda parts: parts[0])([Tensor(1.0)])
