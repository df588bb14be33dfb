# SPDX-License-Identifier: Apache-2.0
"""Running out of device memory is an error that explains itself, and the process goes on."""

from __future__ import annotations

import re

import numpy as np
import pytest

import mindspore as ms
from mindspore import _c_expression as _c
from mindspore import nn, ops
from mindspore.common.initializer import initializer
from mindspore.ops import _registry

MIB = 1 << 20


@pytest.fixture
def limit():
    """64 MiB more than is in use now."""
    before = _c.memory_statistics("CPU")
    _c.empty_cache("CPU")
    allowed = _c.memory_statistics("CPU")["reserved"] + 64 * MIB
    _c.set_memory_limit("CPU", allowed)
    yield allowed
    _c.set_memory_limit("CPU", before["limit"])


def _asked(text: str) -> int:
    return int(re.search(r"asked for (\d+) bytes", text).group(1))


def _line_of(function) -> str:
    """Where the first line of a function's body is."""
    return f"\n  at {__file__}:{function.__code__.co_firstlineno + 1}"


def big_zeros(mebibytes: int):
    return _registry.function("zeros")((mebibytes * MIB // 4,), _c.float32)


def test_message_says_what_was_asked_and_what_is_there(limit):
    held = big_zeros(24)
    with pytest.raises(MemoryError) as error:
        big_zeros(60)
    text = str(error.value)
    for word in ("asked", "in use", "reserved", "limit", "largest"):
        assert word in text.lower(), f"{word!r} is missing in: {text}"
    assert _asked(text) == 60 * MIB
    assert str(held.nbytes) in text.split("largest", 1)[1], text


def test_process_goes_on(limit):
    for _ in range(20):
        with pytest.raises(MemoryError):
            big_zeros(100)
    small = big_zeros(16)
    assert not small.asnumpy().any()
    assert float((small[:3] + 1).asnumpy().sum()) == 3


def test_failed_call_leaves_nothing_behind(limit):
    operand = big_zeros(40)
    before = _c.memory_statistics("CPU")["in_use"]
    for _ in range(5):
        with pytest.raises(MemoryError):
            operand + 1.0
    assert _c.memory_statistics("CPU")["in_use"] == before
    del operand
    assert big_zeros(50).size == 50 * MIB // 4


def test_cached_blocks_are_given_up_before_failing(limit):
    for size in (5, 9, 17, 30, 45, 60):
        tensor = big_zeros(size)
        assert tensor.nbytes == size * MIB
        del tensor


@pytest.mark.parametrize("shape", [(2**40,), (2**31, 2**31), (2**62, 4), (2**20, 2**20, 2**20)])
def test_absurd_sizes_are_refused(shape):
    with pytest.raises((MemoryError, ValueError)):
        _registry.function("zeros")(shape, _c.float32)
    with pytest.raises((MemoryError, ValueError)):
        _registry.function("tile")(_c.copy_numpy(np.ones(2, np.float32)), shape)


# A length whose tensor needs a block that is larger than itself.
_ODD = 200 * MIB // 4 + 1


def test_message_states_the_exact_size_and_the_line(limit):
    def make():
        return ops.zeros((_ODD,), ms.float32)

    with pytest.raises(MemoryError) as error:
        make()
    assert _asked(str(error.value)) == 4 * _ODD
    assert str(error.value).endswith(_line_of(make))


def test_message_names_the_parameter(limit):
    with pytest.raises(
        MemoryError, match="^For the Parameter 'huge', no room for a tensor of shape"
    ) as error:
        ms.Parameter(initializer("ones", (_ODD,), ms.float32), name="huge")
    assert _asked(str(error.value)) == 4 * _ODD
    with pytest.raises(MemoryError, match="^For the Parameter 'weight', "):
        nn.Dense(1, _ODD)
    small = ms.Parameter(ops.ones(4 * MIB, ms.float32), name="small")
    _c.empty_cache("CPU")
    _c.set_memory_limit("CPU", _c.memory_statistics("CPU")["reserved"] + MIB)
    with pytest.raises(MemoryError, match="^For the Parameter 'small', "):
        small.clone("zeros")


@pytest.mark.parametrize("is_graph", [False, True], ids=["pynative", "graph"])
def test_message_of_a_network(limit, is_graph):
    class Net(nn.Cell):
        def construct(self, x):
            return ops.tile(x * 2.0, (_ODD,)) + 1.0

    ms.set_context(mode=ms.GRAPH_MODE if is_graph else ms.PYNATIVE_MODE)
    try:
        with pytest.raises(MemoryError) as error:
            Net()(ops.ones(1, ms.float32))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    text = str(error.value)
    assert f"({_ODD},)" in text and "'tile'" in text and str(4 * _ODD) in text
    assert _line_of(Net.construct) in text


_kept = []


@ms.jit
def _keeps_and_fails(x):
    _kept.append(x * 3.0)
    return ops.tile(x * 2.0, (_ODD,)) + 1.0


def test_memory_that_runs_out_in_a_compiled_function_ends_nothing(limit):
    _kept.clear()
    with pytest.raises(MemoryError):
        _keeps_and_fails(ops.ones(1, ms.float32))
    # What was to be computed with it says so, and what is computed alone is not touched.
    with pytest.raises(RuntimeError, match="has no values"):
        _kept[0].asnumpy()
    assert float(ops.ones(1, ms.float32).sum()) == 1.0
