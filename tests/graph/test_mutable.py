# SPDX-License-Identifier: Apache-2.0
"""What `mutable` means for compiled functions."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from mindspore import Tensor, jit, mutable, ops
from mindspore.ops import functional as F
from mindspore.ops.operations import _sequence_ops as sequence_ops
from mindspore.ops.primitive import constexpr


def captures(function) -> int:
    return function._captured.captures


def test_a_mutable_number_is_an_input_from_the_first_call_on():
    @jit
    def scaled(x, k):
        return x * k

    for k in range(50):
        assert float(scaled(Tensor([2.0]), mutable(k + 0.5))[0]) == 2 * k + 1
    assert captures(scaled) == 1


def test_where_the_number_itself_is_needed_equal_ones_are_one_kind():
    @jit
    def repeated(x, k):
        for _ in range(k):
            x = x + 1
        return x

    for k in (1, 2, 3, 1, 2, 3, 1, 2, 3):
        assert int(repeated(Tensor(0), mutable(k))) == k
    assert captures(repeated) <= 4


def test_equal_numbers_in_a_mutable_tuple_are_one_kind():
    @jit
    def scaled(pair):
        return pair[0] * pair[1]

    for i in range(40):
        assert int(scaled(mutable((Tensor(i), 2)))) == 2 * i
    assert captures(scaled) == 1


def test_what_is_known_before_a_graph_runs():
    @jit
    def asked(x, k):
        marked = mutable(3)
        return (
            ops.isconstant(x),
            ops.isconstant(x + 1),
            ops.isconstant(k),
            ops.isconstant((1, marked)),
            ops.isconstant([x]),
            ops.isconstant({"a": x}),
            (
                ops.isconstant(marked + 1),
                ops.isconstant(2**marked),
                ops.isconstant(-marked),
                ops.isconstant(marked / 2),
            ),
            (ops.isconstant(x.shape), ops.isconstant(2), ops.isconstant("a"), ops.isconstant(Tensor([1]))),
        )

    found = asked(Tensor([1]), mutable(2))
    assert not any(found[:6])
    assert found[6] == (False,) * 4
    assert found[7] == (True,) * 4
    assert ops.isconstant(Tensor([1]))


def test_lengths_that_may_change_are_remembered():
    @jit
    def asked():
        a, b = mutable([1, 2, 3], True), [4]
        results = (a + b, b + a, a * 2, 2 * a, a[1:], mutable([1, 2])[mutable(1) :], mutable((1,)) + (2,))
        return tuple(map(F.is_sequence_shape_unknown, results)), F.is_sequence_value_unknown(a + b)

    lengths, value = asked()
    assert lengths == (True,) * 6 + (False,)
    assert value


def test_positions_in_such_sequences_are_not_constant():
    @jit
    def asked():
        a = mutable((5, 6, 6), True)
        return a.count(6), a.index(6), ops.isconstant(a.count(6)), ops.isconstant(a.index(6))

    assert asked() == (2, 1, False, False)


def test_outside_of_graphs_results_are_ordinary():
    assert type(mutable(2) + 1) is int
    assert type(mutable([1], True) + [2]) is list
    assert type(1.5 * mutable(2.0)) is float
    assert mutable(2) ** 3 == 8
    assert mutable([1, 2, 3])[1:] == [2, 3]
    assert pickle.loads(pickle.dumps(mutable((1, 2.0), True))) == (1, 2.0)
    assert np.asarray(mutable([1, 2])).tolist() == [1, 2]
    assert ops.reshape(Tensor([1, 2]), mutable((2, 1))).shape == (2, 1)


def test_elements_of_a_sequence_that_may_grow_are_alike():
    def error(function):
        with pytest.raises((TypeError, ValueError, RuntimeError)) as caught:
            jit(function)()
        return caught.value

    def another_type():
        items = mutable([1, 2], True)
        items[0] = 1.5

    def another_shape():
        return mutable([(1, 2), (3, 4)], True) + [(1, 2, 3)]

    def appended():
        mutable([Tensor([1])], True).append(Tensor([1.0]))

    def slices():
        mutable([1, 2], True)[0:1] = [2, 3.0]

    assert isinstance(error(another_type), TypeError)
    assert isinstance(error(another_shape), TypeError)
    assert isinstance(error(appended), TypeError)
    assert isinstance(error(slices), ValueError)
    assert isinstance(error(lambda: mutable([1, 2.5], True)), ValueError)
    assert isinstance(error(lambda: mutable(mutable([1], True), False)), RuntimeError)


def test_what_is_given_is_checked_too():
    def first(items):
        return items[0]

    assert jit(first)(mutable([1, 2.5])) == 1
    with pytest.raises(ValueError, match="the element type of dynamic length array must be the same"):
        jit(first)(mutable([1, 2.5], True))


def test_a_mutable_tensor_is_no_constant():
    x = Tensor([1.0], const_arg=True)
    assert mutable((x,))[0] is x
    assert not x.const_arg


def test_a_list_that_contains_itself_is_refused():
    items: list = []
    items.append(items)
    with pytest.raises(TypeError, match="self-reference"):
        mutable(items)


def test_questions_about_other_things():
    with pytest.raises(TypeError, match="tuple or list"):
        F.is_sequence_shape_unknown(3)
    with pytest.raises(TypeError, match="variable length sequence"):
        F.is_dynamic_sequence_element_unknown([])
    assert F.is_dynamic_sequence_element_unknown(mutable([], True))


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("SequenceAdd", ([1], [2]), [1, 2]),
        ("SequenceAddOffset", ((1, 2), (3,)), (0, 2)),
        ("SequenceMul", ((1, 2), 2), (1, 2, 1, 2)),
        ("SequenceSlice", ((1, 2, 3), 0, 3, 2), (1, 3)),
        ("SequenceCount", ((1, 2, 1), 1), 2),
        ("SequenceIndex", ((1, 2, 1), 1, 1), 2),
        ("SequenceMax", ((1, 3, 2),), 3),
        ("SequenceMin", ([4, 3],), 3),
        ("SequenceZerosLike", ((1, [2.0]),), (0, [0.0])),
        ("InSequence", (2, (1, 2)), True),
        ("sequence_len", ([1, 2],), 2),
        ("ListAppend", ([1], 2), [1, 2]),
        ("ListInsert", ([1, 3], 1, 2), [1, 2, 3]),
        ("TensorToTuple", (Tensor([1, 2]),), (1, 2)),
        ("TensorToList", (Tensor([1.5]),), [1.5]),
        ("make_range", (1, 7, 2), (1, 3, 5)),
        ("shape_mul", ((2, 3, 4),), 24),
        ("tuple_lt", ((1, 2), (1, 3)), True),
        ("list_greater_equal", ([1], [2]), False),
    ],
)
def test_sequences_as_primitives(name, arguments, expected):
    assert getattr(sequence_ops, name)()(*arguments) == expected


def test_sequences_of_tensors_as_primitives():
    parts = (Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))
    assert sequence_ops.SequenceAddN()(parts).asnumpy().tolist() == [4.0, 6.0]
    assert sequence_ops.SequenceStack(1)(parts).asnumpy().tolist() == [[1.0, 3.0], [2.0, 4.0]]
    assert [int(part[0]) for part in sequence_ops.SequenceUnstack()(Tensor([[1], [2]]))] == [1, 2]
    assert sequence_ops.TupleToTensor()((1, 2)).asnumpy().tolist() == [1, 2]
    with pytest.raises(TypeError, match="For 'ListToTensor', the input must be a list, but got tuple."):
        sequence_ops.ListToTensor()((1, 2))


def test_a_constant_function_is_given_what_is_known():
    given = []

    @constexpr
    def kept(*values):
        given.append(values)
        return len(values[0])

    @jit
    def asked(x):
        items = mutable([Tensor([1]), 2])
        return kept((1, x, [x + 1, 3]), x.shape), kept(items), kept([Tensor([1])], x)

    x = Tensor([1, 2])
    assert asked(x) == (3, 2, 1)
    assert given[0] == ((1, None, [None, 3]), (2,))
    assert given[1] == ([None, None],)
    assert isinstance(given[2][0][0], Tensor)
    assert isinstance(given[2][1], Tensor)
    given.clear()
    assert kept((1, x)) == 2
    assert given[0][0][1] is x
