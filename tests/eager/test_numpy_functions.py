# SPDX-License-Identifier: Apache-2.0
"""mindspore.numpy against NumPy."""

import numpy as np
import pytest

import mindspore as ms
import mindspore.numpy as mnp
from mindspore import Tensor

A = np.arange(6, dtype=np.float32).reshape(2, 3)
B = np.array([[1.0, -2.0, 3.0], [0.5, 2.0, -1.0]], np.float32)
CASES = [
    ("arange", (1, 7, 2), {}),
    ("zeros", ((2, 3),), {}),
    ("ones", (4,), {}),
    ("full", ((2, 2), 7), {}),
    ("eye", (2, 3, 1), {}),
    ("tri", (3, 2), {}),
    ("linspace", (0, 1, 5), {}),
    ("diag", (A[0], 1), {}),
    ("reshape", (A, -1), {}),
    ("transpose", (A,), {}),
    ("swapaxes", (A, 0, 1), {}),
    ("expand_dims", (A, (0, 2)), {}),
    ("broadcast_to", (A[0], (4, 3)), {}),
    ("concatenate", ((A, B), 1), {}),
    ("concatenate", ((A, B), None), {}),
    ("stack", ((A, B), -1), {}),
    ("tile", (A, 2), {}),
    ("repeat", (A, 2), {}),
    ("repeat", (A, [1, 2], 0), {}),
    ("roll", (A, 1), {}),
    ("roll", (A, (1, 1), (0, 1)), {}),
    ("where", (A > 2, A, B), {}),
    ("clip", (A, 1, 4), {}),
    ("around", (B * 1.26, 1), {}),
    ("sum", (A, 0), {"keepdims": True}),
    ("mean", (A, 1), {}),
    ("dot", (A, B.T), {}),
    ("tensordot", (A, B, ((1,), (1,))), {}),
    ("matmul", (A, B.T), {}),
    ("triu", (A,), {}),
    ("tril", (A, 1), {}),
    ("exp", (B,), {}),
    ("absolute", (B,), {}),
    ("sign", (B,), {}),
    ("tanh", (B,), {}),
    ("add", (A, B), {}),
    ("minimum", (A, B), {}),
    ("power", (A, 2), {}),
    ("less", (A, B), {}),
]


def _ours(value):
    if isinstance(value, np.ndarray):
        return Tensor(value)
    return tuple(_ours(v) for v in value) if isinstance(value, tuple) else value


@pytest.mark.parametrize(("name", "args", "options"), CASES)
def test_functions(name, args, options):
    got = getattr(mnp, name)(*_ours(args), **options)
    expected = getattr(np, name)(*args, **options)
    np.testing.assert_allclose(got.asnumpy(), expected, 1e-5, 1e-6)


def test_split_and_types():
    parts = mnp.split(Tensor(A), 3, 1)
    assert [part.shape for part in parts] == [(2, 1)] * 3
    with pytest.raises(ValueError):
        mnp.split(Tensor(A), 2, 1)
    assert mnp.array([1, 2]).dtype == ms.int32 and mnp.array([1.0]).dtype == mnp.float32
    assert mnp.arange(3).dtype == ms.int32 and mnp.add(Tensor(A), 1, dtype=mnp.float16).dtype == ms.float16
    assert mnp.randn(2, 3).shape == (2, 3) and mnp.rand(4).shape == (4,)
    assert mnp.randint(5, shape=(3,)).dtype == ms.int32
