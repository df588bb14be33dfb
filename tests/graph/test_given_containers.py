# SPDX-License-Identifier: Apache-2.0
"""Lists, dicts and tensors that compiled functions are given and change: the caller's own, in every call."""

from __future__ import annotations

import pytest

import mindspore as ms
from mindspore import JitConfig, Tensor, jit, nn


def runs(function) -> int:
    return sum(entry["runs"] for entry in function._captured.report())


def test_a_list_comes_back_changed():
    @jit
    def filled(items):
        items[0] = items[1] + 1
        return items

    for i in range(5):
        items = [Tensor(0), Tensor(i)]
        assert filled(items) is items
        assert [int(item) for item in items] == [i + 1, i]
    assert runs(filled) == 3  # after the first, which finds out, and the second, which is recorded


def test_a_list_comes_back_as_it_was():
    @jit
    def same(items, x):
        return items, x * 2

    for i in range(4):
        items = [Tensor(i)]
        back, doubled = same(items, Tensor(i))
        assert back is items
        assert int(doubled) == 2 * i
    assert runs(same) == 2


def test_containers_inside_of_results_and_of_each_other():
    @jit
    def nested(outer, inner):
        outer["list"] = inner
        inner.append(inner[0] + 1)
        return {"both": (outer, inner)}, inner

    for i in range(4):
        outer, inner = {}, [Tensor(i)]
        found, back = nested(outer, inner)
        assert found["both"][0] is outer
        assert found["both"][1] is back is inner is outer["list"]
        assert [int(item) for item in inner] == [i, i + 1]
    assert runs(nested) == 2


def test_one_list_given_twice_is_another_kind_of_call():
    @jit
    def second(first, other):
        first.append(Tensor(1))
        return other, len(other)

    for _ in range(3):
        first, other = [Tensor(2)], [Tensor(3)]
        back, length = second(first, other)
        assert back is other
        assert (length, len(first)) == (1, 2)
        back, length = second(first, first)
        assert back is first
        assert length == 3


def test_strict_functions_may():
    @jit(jit_config=JitConfig(jit_syntax_level="STRICT"))
    def longer(items):
        items.insert(0, items[0] * 2)
        return items

    for _ in range(3):
        items = [Tensor(3)]
        assert longer(items) is items
        assert [int(item) for item in items] == [6, 3]


def test_a_subclass_of_list_comes_back_too():
    @jit
    def same(items):
        return items

    for _ in range(3):
        items = ms.mutable([Tensor(1)])
        assert same(items) is items


@pytest.mark.parametrize("steps", [4])
def test_inside_a_gradient_too(steps):
    class Net(nn.Cell):
        @jit
        def construct(self, items):
            items[0] = items[0] * 3
            return items

    net = Net()

    def loss(x):
        items = [x]
        back = net(items)
        assert back is items
        return items[0].sum()

    for _ in range(steps):
        assert float(ms.grad(loss)(Tensor([1.0]))[0]) == 3.0


def taken_over(x, y):
    x.assign_value(y * 2)
    return [x], x.shape


@pytest.mark.parametrize("y", [Tensor([[1, 2]]), Tensor([1.5, 2.5, 3.5])], ids=["shape", "type"])
def test_a_tensor_that_gets_another_shape_or_type(y):
    compiled = jit(taken_over)
    for _ in range(3):
        x = Tensor([1, 2, 3])
        (back,), shape = compiled(x, y)
        assert back is x
        assert shape == x.shape == y.shape
        assert x.dtype is y.dtype
        assert x.asnumpy().tolist() == (y * 2).asnumpy().tolist()
    assert compiled._captured.reasons == ["a tensor it is given gets another shape or type"]


def test_a_tensor_that_gets_another_shape_before_an_error():
    @jit
    def fails(x, y):
        taken_over(x, y)
        return x[5]

    x = Tensor([1, 2, 3])
    with pytest.raises(IndexError):
        fails(x, Tensor([[1, 2]]))
    assert x.asnumpy().tolist() == [[2, 4]]
