# SPDX-License-Identifier: Apache-2.0
"""A write whose source lies in the memory it writes gives what a copy of the source would give."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor, ops

CONTENT = np.arange(16, dtype=np.float32).reshape(4, 4)
INDICES = Tensor(np.array([2, 0, 1, 3], np.int32))
ROWS = Tensor(np.array([[2], [0], [1], [3]], np.int32))


def _parameter() -> Parameter:
    return Parameter(Tensor(CONTENT.copy()), name="p")


# What is done to a Parameter, with something made of a view of it.
WRITES = {
    "assign": lambda p, source: ops.assign(p, source),
    "Assign": lambda p, source: ops.Assign()(p, source),
    "set_data": lambda p, source: p.set_data(source),
    "assign_value": lambda p, source: p.assign_value(source),
    "scatter_update": lambda p, source: ops.scatter_update(p, INDICES, source),
    "scatter_add": lambda p, source: ops.scatter_add(p, INDICES, source),
    "scatter_sub": lambda p, source: ops.ScatterSub()(p, INDICES, source),
    "scatter_mul": lambda p, source: ops.scatter_mul(p, INDICES, source),
    "scatter_max": lambda p, source: ops.scatter_max(p, INDICES, source),
    "scatter_nd_update": lambda p, source: ops.ScatterNdUpdate()(p, ROWS, source),
    "scatter_nd_add": lambda p, source: ops.scatter_nd_add(p, ROWS, source),
    "scatter_nd_sub": lambda p, source: ops.scatter_nd_sub(p, ROWS, source),
    "assign_add": lambda p, source: ops.assign_add(p, source),
    "assign_sub": lambda p, source: ops.assign_sub(p, source),
    "setitem": lambda p, source: p.__setitem__(slice(None), source),
    "index_add": lambda p, source: ops.index_add(p, INDICES, source, 0),
}
VIEWS = {
    "itself": lambda p: p,
    "transposed": lambda p: p.T,
    "swapped": lambda p: ops.swapaxes(p, 0, 1),
    "broadcast row": lambda p: ops.broadcast_to(p[1:2], (4, 4)),
    "part": lambda p: ops.broadcast_to(p[0:1, 1:2], (4, 4)),
}


@pytest.mark.parametrize("mode", ["eager", "compiled"])
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("write", WRITES)
def test_a_view_of_the_target_is_the_source(write, view, mode):
    expected, found = _parameter(), _parameter()
    copy = Tensor(np.array(VIEWS[view](expected).asnumpy()))
    WRITES[write](expected, copy)

    def function(p):
        WRITES[write](p, VIEWS[view](p))
        return p + 0

    (ms.jit(function) if mode == "compiled" else function)(found)
    assert np.array_equal(found.asnumpy(), expected.asnumpy())


@pytest.mark.parametrize("mode", ["eager", "compiled"])
def test_parts_that_overlap(mode):
    x, expected = Tensor(np.arange(8, dtype=np.float32)), np.arange(8, dtype=np.float32)
    expected[2:] = expected[:-2].copy()

    def shift(x):
        x[2:] = x[:-2]
        return x

    (ms.jit(shift) if mode == "compiled" else shift)(x)
    assert np.array_equal(x.asnumpy(), expected)
