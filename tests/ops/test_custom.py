# SPDX-License-Identifier: Apache-2.0
"""Operators whose body is a Python function: the language of kernels, and what runs it."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, ops
from mindspore.ops import kernel

MODES = [ms.PYNATIVE_MODE, ms.GRAPH_MODE]


@pytest.fixture(params=MODES, ids=["pynative", "graph"], autouse=True)
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


@kernel
def waves(x, y):
    twice = allocate(x.shape, x.dtype)  # noqa: F821
    out = output_tensor(x.shape, x.dtype)  # noqa: F821
    for i in parallel(x.shape[0]):  # noqa: F821
        with attr("unroll", 4):  # noqa: F821
            for j in vectorize(x.shape[1]):  # noqa: F821
                twice[i, j] = 2 * x[i, j]
                out[i, j] = sin(twice[i, j]) * rsqrt(y[i, j]) + erf(x[i, j]) + ceil_div(i + 3, 2)  # noqa: F821
    return out


def doubled(x):
    out = output_tensor(x.shape, x.dtype)  # noqa: F821
    for i in range(x.shape[0]):
        out[i] = x[i] * 2
    return out


def square(x):
    out = output_tensor(x.shape, x.dtype)  # noqa: F821
    for place in grid(x.shape):  # noqa: F821
        out[place] = x[place] * x[place]
    return out


def test_a_kernel_computes_alone_and_as_an_operator():
    x = np.array([[0.0, 0.5, 1.0], [1.5, 2.0, 2.5]], np.float32)
    y = np.full((2, 3), 4.0, np.float32)
    error = np.array([[0.0, 0.5204999, 0.8427008], [0.9661051, 0.9953223, 0.9995930]])
    want = np.sin(2 * x) / 2 + error + 2
    np.testing.assert_allclose(waves(x, y), want, atol=1e-6)
    np.testing.assert_allclose(ops.Custom(waves)(Tensor(x), Tensor(y)).asnumpy(), want, atol=1e-6)


def test_akg_runs_the_language_of_kernels():
    def bprop(x, out, dout):
        return (dout * ops.Custom(doubled, lambda x: x, lambda x: x, func_type="akg")(x),)

    op = ops.Custom(square, lambda x: x, lambda x: x, func_type="akg", bprop=bprop)
    x = Tensor(np.array([1.0, 4.0, 9.0], np.float32))
    np.testing.assert_array_equal(op(x).asnumpy(), [1, 16, 81])
    np.testing.assert_array_equal(ms.grad(op)(x).asnumpy(), [2, 8, 18])


@pytest.mark.parametrize("func_type", ["tbe", "aicpu", "aot", "julia"])
def test_what_needs_a_compiler_says_what_to_write_instead(func_type):
    with pytest.raises(NotImplementedError, match="'hybrid' .ops.kernel. or 'pyfunc'"):
        ops.Custom("./add.so:CustomAdd", lambda x: x, lambda x: x, func_type=func_type)
