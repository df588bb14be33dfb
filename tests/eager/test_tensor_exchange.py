# SPDX-License-Identifier: Apache-2.0
"""Tensors and other libraries."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor

_NUMPY_TYPES = [dtype for dtype in ms.dtype.all_types if dtype is not ms.bfloat16]


@pytest.mark.parametrize("dtype", _NUMPY_TYPES)
def test_numpy_round_trip(dtype):
    array = np.array([[0, 1], [2, 3]]).astype(ms.dtype_to_nptype(dtype))
    tensor = Tensor(array)
    assert tensor.dtype is dtype
    assert tensor.asnumpy().dtype == array.dtype
    np.testing.assert_array_equal(tensor.asnumpy(), array)
    np.testing.assert_array_equal(tensor.T.asnumpy(), array.T)


def test_asnumpy_shares_host_memory():
    tensor = Tensor([1.0, 2.0])
    tensor.asnumpy()[0] = 9
    assert tensor.tolist() == [9, 2]


def test_bfloat16_comes_back_as_float32():
    tensor = Tensor([1.5, 3.0], ms.bfloat16)
    assert tensor.asnumpy().dtype == np.float32
    assert tensor.tolist() == [1.5, 3.0]


def test_numpy_functions_take_tensors():
    np.testing.assert_allclose(np.sin(Tensor([1.0])), np.sin(np.float32([1.0])))
    assert np.asarray(Tensor([1, 2]), dtype=np.float64).dtype == np.float64


def test_conversions_to_python():
    assert Tensor([[1, 2]]).tolist() == [[1, 2]]
    assert Tensor(2.5).tolist() == 2.5
    assert (int(Tensor(3.7)), float(Tensor([2])), bool(Tensor([0]))) == (3, 2.0, False)
    assert [10, 20, 30][Tensor(1)] == 20
    with pytest.raises(ValueError, match="ambiguous"):
        bool(Tensor([1, 2]))
    with pytest.raises(ValueError, match="Only one element tensors"):
        Tensor([1, 2]).item()
    with pytest.raises(ValueError, match="Only integer tensors"):
        [1, 2][Tensor(1.0)]
    with pytest.raises(TypeError, match="Not support len of a 0-D tensor"):
        len(Tensor(1))


def test_comparison_with_strangers_is_a_plain_answer():
    tensor = Tensor([1, 2])
    assert (tensor == None) is False  # noqa: E711
    assert (tensor != "a") is True
    assert 1 in tensor
    assert 5 not in tensor


@pytest.mark.parametrize("dtype", ms.dtype.all_types)
def test_pickle_and_copies(dtype):
    tensor = Tensor([0, 1, 2], dtype)
    tensor.note = "kept"
    for other in (pickle.loads(pickle.dumps(tensor)), copy.copy(tensor), copy.deepcopy(tensor)):
        assert other.dtype is dtype
        assert other.tolist() == tensor.tolist()
        other[0] = 1
        assert tensor[0] == 0
    assert pickle.loads(pickle.dumps(tensor)).note == "kept"
    assert pickle.loads(pickle.dumps(dtype)) is dtype


def test_dlpack_shares_memory_both_ways():
    tensor = Tensor([[1.0, 2.0], [3.0, 4.0]])
    array = np.from_dlpack(tensor)
    tensor[0, 0] = 9
    assert array[0, 0] == 9
    array = np.zeros((2, 2), np.float32)
    back = ms.utils.dlpack.from_dlpack(array)
    back[1, 1] = 8
    assert array[1, 1] == 8
    assert ms.utils.dlpack.from_dlpack(ms.utils.dlpack.to_dlpack(tensor.T)).tolist() == tensor.T.tolist()


def test_buffer_protocol():
    tensor = Tensor([1, 2, 3], ms.int32)
    memoryview(tensor)[1] = 7
    assert tensor.tolist() == [1, 7, 3]
    assert memoryview(ms.ops.zeros((1, 0, 2**62), ms.float32)).shape == (1, 0, 2**62)


def test_whole_tensor_updates_rebind():
    first = second = Tensor([1.0])
    first += 1
    assert (first.tolist(), second.tolist()) == ([2], [1])
