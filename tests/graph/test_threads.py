# SPDX-License-Identifier: Apache-2.0
"""Compiled functions that several threads call at once, and that decide by values."""

from __future__ import annotations

import os
import random
import threading
import time

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops

_THREADS = 8
_SECONDS = float(os.environ.get("MYCEL_STRESS_SECONDS", "2"))


def _decide(x):
    if x.sum() > 0:
        return x * 2
    return x - 1


def _decide_twice(x):
    y = x * 3 if x[0] > x[1] else x + 5
    if y.mean() > 2:
        y = ops.tanh(y)
    return y


def _loop(x):
    count = 0
    while x.sum() < 20 and count < 6:
        x = x + 2
        count += 1
    return x * count


def _write(x):
    y = x * 1
    if y[0] > 0:
        y[1] = 7
    return y.sum() + y


def _several(x, k):
    if (x > k).any():
        return x * k, x.shape
    return x - k, x.shape


class _Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 3, weight_init="ones", bias_init="zeros")

    @ms.jit
    def construct(self, x):
        y = self.dense(x.reshape(1, 3))
        if y.sum() > 0:
            return ops.relu(y)
        return y


def _programs() -> list:
    """(the function, the same compiled, makes arguments)"""
    net = _Net()
    alone = _Net()
    alone.construct = _Net.construct.__wrapped__.__get__(alone)

    def vector(rng):
        size = 3 if rng.random() < 0.8 else rng.randrange(2, 6)
        return (Tensor(np.array([rng.uniform(-3, 3) for _ in range(size)], np.float32)),)

    def three(rng):
        return (Tensor(np.array([rng.uniform(-3, 3) for _ in range(3)], np.float32)),)

    def with_number(rng):
        return (*vector(rng), rng.choice([0, 1, 0.5, rng.random()]))

    found = [(each, ms.jit(each), vector) for each in (_decide, _decide_twice, _loop, _write)]
    return [*found, (_several, ms.jit(_several), with_number), (alone, net, three)]


def _is_same(a, b) -> bool:
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_is_same, a, b))
    return np.array_equal(a.asnumpy(), b.asnumpy()) if isinstance(a, Tensor) else a == b


def _on_all_threads(work) -> None:
    threads = [threading.Thread(target=work, args=(n,)) for n in range(_THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("seed", range(2))
def test_random_functions_on_several_threads(seed):
    programs, failures = _programs(), []
    until = time.monotonic() + _SECONDS

    def work(number: int) -> None:
        rng = random.Random(seed * 100 + number)
        try:
            while time.monotonic() < until and not failures:
                function, compiled, make = rng.choice(programs)
                args = make(rng)
                if rng.random() < 0.1:
                    time.sleep(rng.random() / 1000)
                found, expected = compiled(*args), function(*args)
                if not _is_same(found, expected):
                    failures.append((getattr(function, "__name__", function), args, found, expected))
        except BaseException as error:
            failures.append(error)
            raise

    _on_all_threads(work)
    assert not failures


def test_one_function_is_given_up_while_others_call_it():
    """Its ways are cleared while runs of other threads go through them."""
    function = ms.jit(lambda x: x * 2 if float(x.sum()) > 0 else x * float(x[0]))
    failures = []

    def work(number: int) -> None:
        rng = random.Random(number)
        for _ in range(120):
            content = np.array([rng.uniform(-3, 3) for _ in range(3)], np.float32)
            x = Tensor(content)
            expected = x * 2 if float(x.sum()) > 0 else x * float(x[0])
            if not np.array_equal(function(x).asnumpy(), expected.asnumpy()):
                failures.append(content)

    _on_all_threads(work)
    assert not failures
