# SPDX-License-Identifier: Apache-2.0
"""``Cell.recompute``: less is kept for backward in both modes, and the gradients are the same."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops


class Block(nn.Cell):
    """Some calls that each keep a value."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(32, 32)

    def construct(self, x):
        for _ in range(6):
            x = ops.tanh(self.dense(x))
        return x


class Net(nn.Cell):
    """Blocks in a row."""

    def __init__(self, is_again):
        super().__init__()
        ms.set_seed(3)
        self.blocks = nn.CellList([Block() for _ in range(6)])
        for block in self.blocks if is_again else ():
            block.recompute()

    def construct(self, x):
        for block in self.blocks:
            x = block(x)
        return x.sum()


def found_with(is_again, is_compiled):
    """(gradients, most bytes in use meanwhile)"""
    net = Net(is_again)
    step = ms.grad(net, None, net.trainable_params())
    function = ms.jit(lambda x: step(x)) if is_compiled else step
    x = Tensor(np.random.default_rng(0).standard_normal((2048, 32)).astype(np.float32))
    function(x)
    before = ms.hal.memory_allocated()
    ms.hal.reset_max_memory_allocated()
    gradients = [one.asnumpy() for one in function(x)]
    return gradients, ms.hal.max_memory_allocated() - before


@pytest.mark.parametrize("is_compiled", [False, True], ids=["pynative", "compiled"])
def test_less_is_kept(is_compiled):
    kept, most = found_with(False, is_compiled)
    again, less = found_with(True, is_compiled)
    for one, other in zip(kept, again, strict=True):
        np.testing.assert_array_equal(one, other)
    assert less < 0.6 * most


def test_in_turns_of_a_loop():
    """Such a loop is compiled turn by turn."""
    block = Block()
    block.recompute()

    def function(x, n):
        return ops.WhileLoop()(lambda s: s[0] < n, lambda s: (s[0] + 1, block(s[1])), (Tensor(0), x))[1].sum()

    x = Tensor(np.random.default_rng(0).standard_normal((4, 32)).astype(np.float32))
    step = ms.grad(function, 0, block.trainable_params())
    compiled = ms.jit(lambda x, n: step(x, n))
    for n in (3, 1, 3):
        wanted, got = step(x, Tensor(n)), compiled(x, Tensor(n))
        np.testing.assert_array_equal(got[0].asnumpy(), wanted[0].asnumpy())
        for one, other in zip(got[1], wanted[1], strict=True):
            np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-6)
