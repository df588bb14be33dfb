# SPDX-License-Identifier: Apache-2.0
"""An operator gives the same bits alone, as in PyNative mode, and as part of a larger formula."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, jit, ops

FUNCTIONS = {
    "tanh": ops.tanh,
    "sigmoid": ops.sigmoid,
    "silu": ops.silu,
    "gelu": lambda x: ops.gelu(x, approximate="none"),
    "gelu by tanh": lambda x: ops.gelu(x, approximate="tanh"),
    "erf": ops.erf,
    "exp": ops.exp,
    "sin": ops.sin,
    "softplus": ops.softplus,
    "mish": ops.mish,
    "elu": ops.elu,
    "log_sigmoid": ops.logsigmoid,
}
RUNS = 4  # formulas become machine code after a few


def _same_bits(expected: Tensor, found: Tensor) -> None:
    np.testing.assert_array_equal(expected.asnumpy().view(np.uint8), found.asnumpy().view(np.uint8))


@pytest.mark.parametrize("size", [1, 7, 16, 33, 128, 5000])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_bits_do_not_depend_on_fusion(name, dtype, size):
    function = FUNCTIONS[name]
    rng = np.random.default_rng(3)
    x, y = (Tensor((3 * rng.standard_normal(size)).astype(dtype)) for _ in range(2))

    def scaled(x, y):
        return function(x) * y

    def total(x, y):
        return scaled(x, y).sum()

    gradient = ms.grad(total, (0, 1))
    compiled, compiled_gradient = jit(scaled), jit(gradient)
    value, slopes = scaled(x, y), gradient(x, y)
    for _ in range(RUNS):
        _same_bits(value, compiled(x, y))
        for expected, found in zip(slopes, compiled_gradient(x, y), strict=True):
            _same_bits(expected, found)
