# SPDX-License-Identifier: Apache-2.0
"""What `Tensor(...)` makes of its arguments."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, ops


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1, ms.int64),
        ([1, 2], ms.int64),
        (1.5, ms.float32),
        ([1, 2.5], ms.float32),
        ([np.float64(1)], ms.float32),
        (True, ms.bool_),
        ([True, 2], ms.int64),
        (1j, ms.complex128),
        (2**63, ms.uint64),
        ([], ms.float32),
        (np.float64(1), ms.float64),
        (np.zeros(2), ms.float64),
        (np.zeros(2, np.int16), ms.int16),
    ],
)
def test_tensor_default_dtype(value, dtype):
    assert Tensor(value).dtype is dtype


@pytest.mark.parametrize("dtype", ms.dtype.all_types)
def test_tensor_takes_every_dtype(dtype):
    tensor = Tensor([0, 1, 2], dtype)
    assert tensor.dtype is dtype
    assert tensor.astype(ms.float32).tolist() == ([0, 1, 1] if dtype is ms.bool_ else [0, 1, 2])


def test_tensor_conversion_wraps_and_truncates():
    assert Tensor(300, ms.int8).item() == 44
    assert Tensor(1.7, ms.int32).item() == 1
    assert Tensor([-1.7, 1e20], ms.int32).tolist() == [-1, 2**31 - 1]


def test_tensor_python_floats_keep_double_precision_for_float64():
    assert Tensor(0.1, ms.float64).item() == 0.1
    assert Tensor([0.1], ms.float64).item() == 0.1


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"input_data": None}, TypeError, "the type of 'input_data' should be one of"),
        ({"input_data": "a"}, TypeError, "the type of 'input_data' should be one of"),
        ({"input_data": range(3)}, TypeError, "the type of 'input_data' should be one of"),
        ({"input_data": [[1, 2], [3]]}, TypeError, "contain unsupported element"),
        ({"input_data": ["a"]}, TypeError, "contain unsupported element"),
        ({"input_data": np.array([object()])}, TypeError, "element at index"),
        ({"input_data": 1, "dtype": np.float32}, TypeError, "the 'dtype' should be one of"),
        ({"input_data": 1, "dtype": "float32"}, TypeError, "the 'dtype' should be one of"),
        ({"input_data": 1, "shape": (1,)}, ValueError, "'shape' should be set to None"),
        ({"init": lambda a: None}, ValueError, "must have values at the same time"),
    ],
)
def test_tensor_refuses(arguments, error, text):
    with pytest.raises(error, match=text):
        Tensor(**arguments)


def test_tensor_of_array_copies_and_from_numpy_shares():
    array = np.zeros(3, np.float32)
    copied, shared = Tensor(array), Tensor.from_numpy(array)
    array[0] = 5
    assert copied.tolist() == [0, 0, 0]
    assert shared.tolist() == [5, 0, 0]


def test_array_keeps_its_elements_when_its_tensor_is_written():
    array = np.zeros(3, np.float32)
    shared = Tensor.from_numpy(array)
    seen, part = shared.asnumpy(), shared[1:]
    shared[0] = 5
    array[1] = 7
    assert array.tolist() == seen.tolist() == [0, 7, 0]
    assert shared.tolist() == [5, 0, 0]
    assert part.tolist() == [0, 0]
    shared[2] = 9
    assert part.tolist() == [0, 9]


def test_array_keeps_its_elements_when_a_part_of_its_tensor_is_written():
    array = np.zeros(3, np.float32)
    shared = Tensor.from_numpy(array)
    shared[1:][0] = 5
    shared[Tensor([2])] = 6
    assert array.tolist() == [0, 0, 0]
    assert shared.tolist() == [0, 5, 6]


def test_memory_of_an_array_outlives_the_array_where_somebody_looks_at_it():
    shared = Tensor.from_numpy(np.arange(100_000, dtype=np.float32))
    seen = shared.asnumpy()
    shared[0] = 1
    del shared
    assert seen[-1] == 99_999


@pytest.mark.parametrize("copy", [Tensor, lambda x: Tensor(x, x.dtype), ops.Identity()])
def test_copies_of_a_tensor_do_not_see_each_other(copy):
    first = Tensor([1.0, 2.0])
    second = copy(first)
    second[0] = 7
    first[1] = 9
    assert first.tolist() == [1, 9]
    assert second.tolist() == [7, 2]


def test_tensor_of_parameter_follows_it():
    parameter = ms.Parameter(Tensor([0.0, 0.0]))
    followed = Tensor(parameter)
    ops.assign(parameter, Tensor([1.0, 1.0]))
    assert followed.tolist() == [1, 1]


def test_tensor_of_tensors_is_their_stack():
    assert Tensor([Tensor(1), Tensor(2)]).tolist() == [1, 2]


def test_tensor_of_strided_and_foreign_endian_arrays():
    array = np.arange(6, dtype=">i4").reshape(2, 3).T
    assert Tensor(array).tolist() == [[0, 3], [1, 4], [2, 5]]


def test_lazy_tensor_fills_itself_when_it_is_used():
    calls = []

    def init(array):
        calls.append(array.shape)
        array[...] = 3

    lazy = Tensor(shape=(2, 3), dtype=ms.float32, init=init)
    assert (lazy.shape, lazy.dtype, lazy.ndim, lazy.size, lazy.has_init) == ((2, 3), ms.float32, 2, 6, True)
    assert not calls
    assert (lazy + 1).tolist() == [[4] * 3] * 2
    assert calls == [(2, 3)]
    assert not lazy.has_init
    assert lazy.init_data() is lazy


def test_placeholder_has_no_data():
    placeholder = Tensor(shape=(None, 3), dtype=ms.float32)
    assert placeholder.shape == (-1, 3)
    with pytest.raises(RuntimeError):
        placeholder.asnumpy()
