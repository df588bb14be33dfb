# SPDX-License-Identifier: Apache-2.0
"""What a compiled function reads outside may change between two calls: it is never stale."""

from __future__ import annotations

import builtins
import itertools
import types

import numpy as np
import pytest
from outside_changes import KINDS, programs

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops


@pytest.fixture(autouse=True)
def _mode():
    before = ms.get_context("mode")
    yield
    ms.set_context(mode=before)


def _compiled(function):
    if isinstance(function, nn.Cell):
        ms.set_context(mode=ms.GRAPH_MODE)
        return function
    return ms.jit(function)


def _is_same(a, b) -> bool:
    if isinstance(a, type) or isinstance(b, type):
        return a is b
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


_BY_KIND = {name: list(group) for name, group in itertools.groupby(programs(), lambda each: each.kind.name)}


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_nothing_is_stale(kind):
    stale = []
    for program in _BY_KIND[kind]:
        ms.set_context(mode=ms.PYNATIVE_MODE)
        expected = program.results(None)
        found = program.results(_compiled)
        if not all(map(_is_same, expected, found)):
            stale.append(str(program))
    assert not stale


def test_there_are_many_programs():
    assert sum(map(len, _BY_KIND.values())) >= 500


def _ones(*shape):
    return Tensor(np.ones(shape, np.float32))


@pytest.mark.parametrize("module", [ops, np, np.linalg, builtins], ids=lambda module: module.__name__)
def test_a_function_of_a_package_is_replaced(module, monkeypatch):
    name = {ops: "relu", np: "sum", np.linalg: "norm", builtins: "len"}[module]

    @ms.jit
    def function(x):
        return ops.relu(x) * float(np.sum([1, 2])) + float(np.linalg.norm([3.0, 4.0])) + len((1, 2))

    x = Tensor([-1.0, 2.0])
    first = function(x).asnumpy()
    assert np.array_equal(function(x).asnumpy(), first)
    replaced = (lambda t: t * 10) if module is ops else (lambda parts: 7)
    monkeypatch.setattr(module, name, replaced)
    assert not np.array_equal(function(x).asnumpy(), first)


def test_a_global_comes_to_hide_what_is_built_in(monkeypatch):
    @ms.jit
    def function(x):
        return x * max(2, 3)

    x = _ones(2)
    assert function(x).asnumpy().tolist() == [3, 3]
    monkeypatch.setitem(globals(), "max", min)
    assert function(x).asnumpy().tolist() == [2, 2]


def test_which_arguments_are_one_object():
    @ms.jit
    def function(q, k):
        return q * 2 if q is k else q * 3

    a, b = _ones(2), _ones(2)
    for _ in range(3):
        assert function(a, a).asnumpy()[0] == 2
        assert function(a, b).asnumpy()[0] == 3


def test_attributes_of_arguments():
    @ms.jit
    def function(x):
        return x * getattr(x, "scale", 1.0)

    x = _ones(2)
    assert function(x).asnumpy()[0] == 1
    x.scale = 5.0
    assert function(x).asnumpy()[0] == 5
    x.scale = 6.0
    assert function(x).asnumpy()[0] == 6
    y = _ones(2)
    y.scale = 7.0
    assert function(y).asnumpy()[0] == 7
    del x.scale
    assert function(x).asnumpy()[0] == 1


def test_attributes_that_a_function_sets():
    outside = _ones(2)

    @ms.jit
    def function(x):
        x.seen = True
        outside.seen = True
        y = x + outside
        y.tag = "mine"
        return y

    for _ in range(3):
        x = _ones(2)
        y = function(x)
        assert x.seen
        assert outside.seen
        assert y.tag == "mine"
        del outside.seen


@pytest.mark.parametrize("kind", [bytearray, lambda content: memoryview(bytearray(content)).obj])
def test_a_buffer_is_not_held(kind):
    held = kind(b"abc")

    @ms.jit
    def function(x):
        return x * len(held)

    x = _ones(2)
    assert function(x).asnumpy()[0] == 3
    held.extend(b"defg")
    assert function(x).asnumpy()[0] == 7


def test_an_array_too_large_to_be_compared_is_read_eagerly():
    held = np.zeros(9 << 20, np.float32)
    unused = types.SimpleNamespace(large=np.zeros(9 << 20, np.float32), scale=2.0)

    @ms.jit
    def reads(x):
        return x + float(held[5_000_000])

    @ms.jit
    def only_reaches(x):
        return x * unused.scale

    x = _ones(2)
    assert reads(x).asnumpy()[0] == 1
    held[5_000_000] = 3
    assert reads(x).asnumpy()[0] == 4
    assert only_reaches(x).asnumpy()[0] == 2
    unused.scale = 4.0
    assert only_reaches(x).asnumpy()[0] == 4


@pytest.mark.parametrize("read", [lambda y: y.ndim, lambda y: len(y.shape)], ids=["ndim", "len"])
def test_rank_of_what_was_squeezed(read):
    @ms.jit
    def function(x):
        y = x.squeeze()
        return y.sum() * 100 if read(y) == 1 else y.sum()

    for rows in (8, 7, 6, 5, 4, 1, 3, 1):
        x = _ones(rows, 3)
        assert function(x).asnumpy() == (300 if rows == 1 else 3 * rows)


def test_layout_of_arguments():
    @ms.jit
    def function(x):
        return x * (2 if x.is_contiguous() else 3)

    x = _ones(2, 2)
    for _ in range(2):
        assert function(x).asnumpy()[0, 0] == 2
        assert function(x.T).asnumpy()[0, 0] == 3


def test_a_renamed_parameter():
    parameter = Parameter(_ones(2), name="first")

    @ms.jit
    def function(x):
        return x * (2 if parameter.name == "first" else 3)

    assert function(_ones(2)).asnumpy()[0] == 2
    parameter.name = "second"
    assert function(_ones(2)).asnumpy()[0] == 3


def test_numbers_of_numpy_as_arguments():
    @ms.jit
    def function(x, k):
        return x / k

    with np.errstate(divide="ignore"):
        assert function(_ones(1), np.float64(0.0)).asnumpy()[0] == np.inf
        assert function(_ones(1), np.float64(-0.0)).asnumpy()[0] == -np.inf


class _Self(list):
    """A list that may hold itself."""


@pytest.mark.parametrize("kind", [list, dict, _Self])
@pytest.mark.parametrize("is_cell", [False, True])
def test_containers_that_contain_themselves(kind, is_cell):
    held = kind()
    if kind is dict:
        held["self"] = held
    else:
        held.append(held)

    class Net(nn.Cell):
        def construct(self, x, parts):
            return x * len(parts)

    if is_cell:
        ms.set_context(mode=ms.GRAPH_MODE)
    call = Net() if is_cell else ms.jit(lambda x, parts: x * len(parts))
    with pytest.raises(ValueError, match="contain itself"):
        call(_ones(2), held)


def test_a_result_that_contains_itself():
    @ms.jit
    def function(x):
        parts = [x * 2]
        parts.append(parts)
        return parts

    for _ in range(2):
        parts = function(_ones(2))
        assert parts[1] is parts
        assert parts[0].asnumpy()[0] == 2
