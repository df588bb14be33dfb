# SPDX-License-Identifier: Apache-2.0
"""Running out of device memory is an error that explains itself, and the process goes on."""

from __future__ import annotations

import re

import numpy as np
import pytest

from mindspore import _c_expression as _c
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


def big_zeros(mebibytes: int):
    return _registry.function("zeros")((mebibytes * MIB // 4,), _c.float32)


def test_message_says_what_was_asked_and_what_is_there(limit):
    held = big_zeros(24)
    with pytest.raises(MemoryError) as error:
        big_zeros(60)
    text = str(error.value)
    for word in ("asked", "in use", "reserved", "limit", "largest"):
        assert word in text.lower(), f"{word!r} is missing in: {text}"
    asked = re.search(r"asked for (\d+) bytes", text)
    assert asked and int(asked.group(1)) >= 60 * MIB, text
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
