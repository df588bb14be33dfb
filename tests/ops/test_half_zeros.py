# SPDX-License-Identifier: Apache-2.0
"""Zeros of 16-bit floats keep their sign, wherever they stand."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, ops


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16], ids=str)
@pytest.mark.parametrize("length", [1, 3, 8, 9, 17])
def test_the_sign_of_zeros(dtype, length):
    zeros, numbers = Tensor([-0.0] * length, dtype), Tensor([1.5] * length, dtype)
    single, number = Tensor(-0.0, dtype), Tensor(1.5, dtype)
    for made in (
        zeros * numbers,
        zeros / numbers,
        zeros * number,
        numbers * single,
        single / numbers,
        zeros + zeros,
        single - zeros * -1,
        ops.sub(zeros, Tensor(0.0, dtype)),
    ):
        assert np.signbit(made.astype(ms.float32).asnumpy()).all()
