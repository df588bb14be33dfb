# SPDX-License-Identifier: Apache-2.0
"""Indexing against NumPy: reading, writing, errors and gradients."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mindspore as ms
from mindspore import Tensor


def _array(shape):
    return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)


def _as_tensors(index):
    if isinstance(index, tuple):
        return tuple(map(_as_tensors, index))
    return Tensor(index) if isinstance(index, np.ndarray) else index


@st.composite
def _indices(draw):
    """(shape, index) with every kind of part; True and False are left out: they mean something else here."""
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    joint = tuple(draw(st.lists(st.integers(1, 3), max_size=2)))
    index, axis = [], 0
    has_ellipsis = False
    while axis < len(shape) and draw(st.booleans()) | (axis == 0):
        length = shape[axis]
        kind = draw(st.sampled_from(["int", "slice", "array", "list", "none", "ellipsis", "mask"]))
        if kind == "none":
            index.append(None)
            continue
        if kind == "ellipsis":
            if not has_ellipsis:
                index.append(Ellipsis)
                has_ellipsis = True
                axis += draw(st.integers(0, len(shape) - axis - 1))
            continue
        if has_ellipsis:
            break
        if kind == "int":
            index.append(draw(st.integers(-length, length - 1)))
        elif kind == "slice":
            bound = st.none() | st.integers(-length - 1, length + 1)
            step = draw(st.none() | st.integers(-2, 2).filter(bool))
            index.append(slice(draw(bound), draw(bound), step))
        elif kind == "mask":
            count = int(np.prod(joint))
            bits = (
                [i < count for i in range(length)] if len(joint) < 2 and count <= length else [True] * length
            )
            index.append(np.array(bits))
        elif kind == "list":
            index.append([draw(st.integers(-length, length - 1)) for _ in range(joint[-1] if joint else 1)])
        else:
            numbers = draw(st.lists(st.integers(-length, length - 1), min_size=1, max_size=9))
            index.append(np.resize(np.array(numbers), joint or (1,)))
        axis += 1
    return shape, tuple(index)


@settings(max_examples=300, deadline=None)
@given(_indices())
def test_read_and_write_follow_numpy(case):
    shape, index = case
    array = _array(shape)
    try:
        expected = array[index]
    except IndexError:
        with pytest.raises((IndexError, ValueError)):
            Tensor(array)[_as_tensors(index)]
        return
    tensor = Tensor(array)
    np.testing.assert_array_equal(tensor[_as_tensors(index)].asnumpy(), expected)
    flat = [part for part in index if isinstance(part, (list, np.ndarray))]
    if len({str(part) for part in flat}) != len(flat):
        return  # equal positions may be written twice
    tensor[_as_tensors(index)] = 100.0
    array[index] = 100.0
    np.testing.assert_array_equal(tensor.asnumpy(), array)


@pytest.mark.parametrize(
    ("index", "shape"),
    [
        (np.array([0, 1]), (2, 3, 4)),
        ((0, slice(None), np.array([0, 1])), (2, 3)),
        ((slice(None), np.array([0, 1])), (2, 2, 4)),
        ((slice(None), np.array([[0, 1]]), np.array([[2], [3]])), (2, 2, 2)),
        ((np.array([0]), None, np.array([1])), (1, 1, 4)),
        ((None, np.array([0, 1, 1])), (1, 3, 3, 4)),
        ((Ellipsis, [0, 1]), (2, 3, 2)),
    ],
)
def test_read_shape(index, shape):
    assert Tensor(_array((2, 3, 4)))[_as_tensors(index)].shape == shape


def test_masks_over_several_axes():
    array = _array((2, 3, 4))
    mask = array[:, :, 0] > 5
    np.testing.assert_array_equal(Tensor(array)[Tensor(mask)].asnumpy(), array[mask])
    np.testing.assert_array_equal(Tensor(array)[Tensor(mask), 1].asnumpy(), array[mask, 1])
    assert Tensor(array)[Tensor(array > 99)].shape == (0,)


def test_true_adds_an_axis_and_false_an_empty_one():
    tensor = Tensor(_array((2, 3)))
    assert tensor[True].shape == (1, 2, 3)
    assert tensor[False].shape == (0, 2, 3)
    assert Tensor(1.0)[None].shape == (1,)
    assert Tensor(1.0)[...].shape == ()


def test_tensors_that_are_true_or_false_do_the_same():
    x = Tensor(_array((2, 3)))
    assert x[Tensor(True)].shape == (1, 2, 3)
    assert x[Tensor(True), 0].shape == (1, 3)
    assert x[Tensor(False)].shape == (0, 2, 3)
    x[Tensor(False)] = 1
    np.testing.assert_array_equal(x.asnumpy(), _array((2, 3)))
    x[Tensor(True)] = 7
    assert (x.asnumpy() == 7).all()


def test_mixed_lists_take_bools_as_numbers():
    assert Tensor([5, 6, 7])[[True, 2]].tolist() == [6, 7]
    assert Tensor([5, 6, 7])[[True, False, True]].tolist() == [5, 7]


@pytest.mark.parametrize(
    ("index", "error", "text"),
    [
        (5, IndexError, "index 5 is out of bounds for dimension with size 2"),
        ([5], IndexError, "out of bounds for dimension"),
        (Tensor([5]), IndexError, "out of bounds for dimension"),
        ([], IndexError, "the list can't be empty"),
        ((0, 0, 0), IndexError, "too many indices for tensor of dimension2"),
        ((0, 0, [0]), IndexError, "too many indices for tensor of dimension2"),
        ((Ellipsis, Ellipsis), IndexError, "single ellipsis"),
        ((Ellipsis, [0], Ellipsis), IndexError, "single ellipsis"),
        (slice(None, None, 0), ValueError, "'strides' cannot contain 0"),
        ([True, False, True], IndexError, "corresponding boolean dimension is 3"),
        (Tensor([True, False, True]), ValueError, "does not match the shape of the indexed data"),
        (Tensor([0.5]), IndexError, "must be int or bool"),
        (0.5, IndexError, "Only support integers"),
        ("a", IndexError, "Only support integers"),
        (np.array([0]), IndexError, "Only support integers.*Make it a Tensor"),
        (np.int64(0), IndexError, "Only support integers.*with int"),
        ((Tensor([0, 1]), Tensor([0, 1, 0])), ValueError, "broadcast"),
    ],
)
def test_read_errors(index, error, text):
    with pytest.raises(error, match=text.replace("(", r"\(")):
        Tensor(_array((2, 3)))[index]


def test_zero_dimensional_tensors_cannot_be_iterated():
    for use in (lambda t: t[0], list, lambda t: t[[0]]):
        with pytest.raises(TypeError, match="Cannot iterate over a scalar tensor"):
            use(Tensor(1.0))


def test_write_converts_and_broadcasts():
    tensor = Tensor(np.zeros((2, 3), np.int32))
    tensor[Tensor([0])] = [1.7, 2, 3]
    assert tensor.tolist() == [[1, 2, 3], [0, 0, 0]]
    tensor[tensor > 1] = True
    assert tensor.tolist() == [[1, 1, 1], [0, 0, 0]]
    tensor[..., [0, 2]] += 5
    assert tensor.tolist() == [[6, 1, 6], [5, 0, 5]]


def test_write_refuses_what_does_not_fit():
    tensor = Tensor(np.zeros((2, 3), np.float32))
    with pytest.raises(TypeError, match="only support numbers, Tensor, tuple, list as value"):
        tensor[Tensor([0])] = np.zeros(3)
    with pytest.raises(ValueError, match="cannot be empty"):
        tensor[Tensor([0])] = []
    with pytest.raises(ValueError, match="broadcast"):
        tensor[Tensor([0])] = [1.0, 2.0]


def test_writing_nothing_is_allowed():
    tensor = Tensor(_array((2, 3)))
    tensor[False] = 9
    tensor[0:0] = 9
    np.testing.assert_array_equal(tensor.asnumpy(), _array((2, 3)))


def test_a_write_into_an_indexed_copy_reaches_its_origin():
    tensor = Tensor(np.zeros((2, 2), np.float32))
    tensor[Tensor([0])][0] = 5
    assert tensor.tolist() == [[5, 5], [0, 0]]
    tensor[1][0] = 3
    assert tensor.tolist() == [[5, 5], [3, 0]]


def test_gradients_flow_through_reads_and_writes():
    def read(x):
        return (x[Tensor([0, 0, 1])] ** 2).sum()

    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert ms.ops.grad(read)(x).tolist() == [[4, 8], [6, 8]]

    def write(x, v):
        y = x * 2
        y[y > 5] = v
        y[:, Tensor([0])] = v * 3
        return (y * y).sum()

    dx, dv = ms.ops.grad(write, (0, 1))(x, Tensor(1.0))
    assert dx.tolist() == [[0, 16], [0, 0]]
    assert dv.item() == 2 + 2 * 9 * 2


LISTS = [
    [0, Tensor(1)],
    [Tensor(1), Tensor(0)],
    [slice(None), Tensor(1)],
    [slice(None), 1],
    [0, None],
    [0, ...],
    [Tensor([0, 1])],
    [[0, 1], Tensor([1, 0])],
    [Tensor([True, False]), 2],
]


@pytest.mark.parametrize("index", LISTS, ids=str)
def test_a_list_of_more_than_numbers_means_the_tuple(both_modes, index):
    a = Tensor(np.arange(6).reshape(2, 3))
    found, wanted = both_modes(lambda a: (a[index], a[tuple(index)]), a)
    assert found.shape == wanted.shape and found.tolist() == wanted.tolist()

    def written(a, place):
        b = a * 1
        b[place] = 9
        return b

    assert both_modes(lambda a: written(a, index), a).tolist() == written(a, tuple(index)).tolist()


def test_a_list_of_numbers_is_one_index(both_modes):
    a = Tensor(np.arange(6).reshape(2, 3))
    assert both_modes(lambda a: a[[0, 1]], a).shape == (2, 3)
    assert both_modes(lambda a: a[[[0, 1], [1, 0]]], a).shape == (2, 2, 3)
    assert both_modes(lambda a: a[[True, False]], a).tolist() == [[0, 1, 2]]
