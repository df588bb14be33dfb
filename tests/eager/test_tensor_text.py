# SPDX-License-Identifier: Apache-2.0
"""Text forms of tensors."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        (1.0, ms.float32, "Tensor(shape=[], dtype=Float32, value= 1)"),
        (1 / 3, ms.float32, "Tensor(shape=[], dtype=Float32, value= 0.333333)"),
        (123456789.0, ms.float32, "Tensor(shape=[], dtype=Float32, value= 1.23457e+08)"),
        (1e-5, ms.float32, "Tensor(shape=[], dtype=Float32, value= 1e-05)"),
        (
            [1.0, 2.0],
            ms.float32,
            "Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.00000000e+00])",
        ),
        ([1.0, -2.0], ms.float16, "Tensor(shape=[2], dtype=Float16, value= [ 1.0000e+00, -2.0000e+00])"),
        ([1, -20], ms.int32, "Tensor(shape=[2], dtype=Int32, value= [  1, -20])"),
        ([True, False], ms.bool_, "Tensor(shape=[2], dtype=Bool, value= [ True, False])"),
        ([[1, 2], [3, 4]], ms.int64, "Tensor(shape=[2, 2], dtype=Int64, value=\n[[1, 2],\n [3, 4]])"),
        ([1 + 2j], ms.complex64, "Tensor(shape=[1], dtype=Complex64, value= [1+2j])"),
        ([float("nan")], ms.float32, "Tensor(shape=[1], dtype=Float32, value= [            nan])"),
    ],
)
def test_repr(value, dtype, text):
    assert repr(Tensor(value, dtype)) == text


def test_repr_shortens_long_axes():
    rows = repr(Tensor(np.arange(64).reshape(8, 8))).splitlines()
    assert rows[1] == "[[ 0,  1,  2 ...  5,  6,  7],"
    assert rows[4].strip() == "..."
    assert " ... " in repr(Tensor(np.arange(1001)))
    assert " ... " not in repr(Tensor(np.arange(1000)))


def test_repr_breaks_lines_of_vectors():
    lines = repr(Tensor(np.arange(25))).splitlines()
    assert lines[0].endswith(", ")
    assert lines[1] == " 24])"


@pytest.mark.parametrize("shape", [(), (3,), (2, 2), (0,), (2, 0)])
def test_str_is_that_of_numpy(shape):
    array = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    assert str(Tensor(array)) == str(array)


def test_format_of_a_number():
    assert f"{Tensor(1 / 3):.3f}" == "0.333"
    assert f"{Tensor(0.5)}" == "0.5"


def test_dtype_text():
    assert (str(ms.float32), repr(ms.float32)) == ("Float32", "mindspore.float32")
    assert (str(ms.bool_), repr(ms.bool_)) == ("Bool", "mindspore.bool_")


def test_missing_attribute():
    with pytest.raises(AttributeError, match="^'Tensor' object has no attribute 'absent'"):
        _ = Tensor(1).absent


def test_type_is_called_as_scripts_know_it():
    assert str(type(Tensor(1))) == "<class 'mindspore.common.tensor.Tensor'>"
    assert pickle.loads(pickle.dumps(Tensor)) is Tensor
