# SPDX-License-Identifier: Apache-2.0
"""Numbers outside of a function that differ from call to call: after a few values they are inputs."""

from __future__ import annotations

import copy
import threading
import types

import numpy as np
import pytest
from comparison import same

import mindspore as ms
from mindspore import Tensor, nn, ops
from mindspore._capture.numbers import NumberStandIn

X = np.array([[1.0, -2.0, 3.5], [0.25, 4.0, -1.0]], np.float32)


@pytest.fixture(autouse=True)
def _mode():
    before = ms.get_context("mode")
    yield
    ms.set_context(mode=before)


def _same_for_all(function, change, count: int = 40) -> int:
    """Calls a function compiled and not, after each change; how often it was captured."""
    compiled = ms.jit(function)
    x = Tensor(X)
    for i in range(count):
        change(i)
        expected = function(x)
        change(i)  # the function itself may have changed it
        found = compiled(x)
        assert found.dtype == expected.dtype
        assert np.array_equal(found.asnumpy(), expected.asnumpy()), i
    assert not compiled._captured.given_up
    return compiled._captured.captures


HOLDER = types.SimpleNamespace(beta=0.0, step=0)
FACTOR = 0.0


def _set_beta(i):
    HOLDER.beta = i / 80


def _set_step(i):
    HOLDER.step = i


def _set_factor(i):
    global FACTOR
    FACTOR = i / 7


@pytest.mark.parametrize(
    ("function", "change"),
    [
        (lambda x: x * HOLDER.beta + (1 - HOLDER.beta), _set_beta),
        (lambda x: HOLDER.beta - x, _set_beta),
        (lambda x: x < HOLDER.beta, _set_beta),
        (lambda x: x * FACTOR, _set_factor),
        (lambda x: x * HOLDER.step, _set_step),
        (lambda x: x * min(1.0, HOLDER.step / 20), _set_step),
        (lambda x: x * 0.9**HOLDER.step, _set_step),
        (lambda x: x * -HOLDER.beta, _set_beta),
        (lambda x: x * 2 if HOLDER.step > 20 else x * HOLDER.beta, _set_step),
        (lambda x: x[HOLDER.step % 2] * 3, _set_step),
    ],
)
def test_one_graph_for_all_values(function, change):
    assert _same_for_all(function, change) <= 8


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * float(f"{HOLDER.beta:.2f}"),
        lambda x: x * Tensor(HOLDER.beta),
        lambda x: x.astype(ms.float16) * HOLDER.beta,
        lambda x: ops.clamp(x, 0.0, HOLDER.beta),
        lambda x: x * len([HOLDER.beta] * 2),
        lambda x: ops.mul(x, HOLDER.beta),
        lambda x: ops.maximum(x, HOLDER.beta),
        lambda x: x * np.float32(HOLDER.beta),
        lambda x: x * (HOLDER.beta is HOLDER.beta),
        lambda x: x * {HOLDER.beta: 2.0}[HOLDER.beta],
        lambda x: x * np.array([HOLDER.beta]).sum(),
    ],
)
def test_other_uses_are_specialized_by_value(function):
    _same_for_all(function, _set_beta, 12)
    assert type(HOLDER.beta) is float


class Annealed(nn.Cell):
    """Counts its own steps; somebody else sets an epoch and a weight."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
        self.beta, self.epoch, self.step = 0.0, 0, 0

    def construct(self, x):
        y = self.dense(x)
        self.step += 1
        weight = min(1.0, self.step / 20)
        if self.epoch > 5:
            y = y * 2
        return (y * self.beta + (1 - self.beta)).sum() + weight * y.mean() * 0.9**self.step


def test_a_counter_an_epoch_and_a_weight_stay_compiled():
    eager, compiled = Annealed(), Annealed()
    x = Tensor(X)
    for i in range(100):
        for net, mode in ((eager, ms.PYNATIVE_MODE), (compiled, ms.GRAPH_MODE)):
            ms.set_context(mode=mode)
            net.beta, net.epoch = i / 80, i // 4
        ms.set_context(mode=ms.PYNATIVE_MODE)
        expected = eager(x).asnumpy()
        ms.set_context(mode=ms.GRAPH_MODE)
        assert compiled(x).asnumpy() == expected
        assert compiled.step == eager.step
        assert type(compiled.step) is int
    captured = compiled._captured
    assert not captured.given_up
    assert captured.captures <= 16


def test_the_gradient_of_a_step_with_a_weight():
    class Loss(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(3, 1, weight_init="ones", bias_init="zeros")
            self.beta = 0.0

        @ms.jit
        def construct(self, x):
            return (self.dense(x) * self.beta).sum()

    loss = Loss()
    step = ms.value_and_grad(lambda x: loss(x) * 2, None, loss.trainable_params())
    for i in range(20):
        loss.beta = i / 9
        _, gradients = step(Tensor(X))
        np.testing.assert_allclose(gradients[0].asnumpy()[0], 2 * i / 9 * X.sum(0), rtol=1e-5, atol=1e-6)


def test_a_failing_run_leaves_the_number():
    holder = types.SimpleNamespace(beta=0.0)

    @ms.jit
    def function(x):
        if holder.beta > 3:
            raise ValueError("too much")
        return x * holder.beta

    for i in range(8):
        holder.beta = i / 2
        if holder.beta > 3:
            with pytest.raises(ValueError, match="too much"):
                function(Tensor(X))
        else:
            assert np.array_equal(function(Tensor(X)).asnumpy(), (Tensor(X) * holder.beta).asnumpy())
        assert type(holder.beta) is float
        assert holder.beta == i / 2


def test_another_thread_sees_numbers():
    holder = types.SimpleNamespace(beta=0.0)
    seen, stop = [], threading.Event()

    def look():
        while not stop.is_set():
            seen.append(holder.beta * 2)

    thread = threading.Thread(target=look)
    thread.start()
    function = ms.jit(lambda x: x * holder.beta)
    for i in range(60):
        holder.beta = i / 4
        assert np.array_equal(function(Tensor(X)).asnumpy(), (Tensor(X) * (i / 4)).asnumpy())
    stop.set()
    thread.join()
    assert all(type(value) is float for value in seen)


def test_numbers_that_other_threads_assign():
    """Whatever a call has read, later ones are not bound to it."""
    holder = types.SimpleNamespace(beta=0.0)
    stop = threading.Event()

    def assign():
        i = 0
        while not stop.is_set():
            holder.beta = (i % 50) / 4
            i += 1

    function = ms.jit(lambda x: x * holder.beta)
    thread = threading.Thread(target=assign)
    thread.start()
    possible = {tuple((Tensor(X) * (i / 4)).asnumpy().ravel().tolist()) for i in range(50)}
    for _ in range(200):
        assert tuple(function(Tensor(X)).asnumpy().ravel().tolist()) in possible
    stop.set()
    thread.join()
    for i in range(8):
        holder.beta = i / 8
        assert np.array_equal(function(Tensor(X)).asnumpy(), (Tensor(X) * (i / 8)).asnumpy())
        assert type(holder.beta) is float


def test_several_threads_with_a_number():
    holders = [types.SimpleNamespace(beta=0.0) for _ in range(4)]
    functions = [ms.jit(lambda x, holder=holder: x * holder.beta) for holder in holders]
    failures = []

    def work(holder, function):
        for i in range(60):
            holder.beta = i / 4
            if not np.array_equal(function(Tensor(X)).asnumpy(), (Tensor(X) * (i / 4)).asnumpy()):
                failures.append(i)

    threads = [threading.Thread(target=work, args=pair) for pair in zip(holders, functions, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_counter_that_starts_again():
    def make():
        holder = types.SimpleNamespace(step=0)

        def function(x):
            holder.step += 1
            if holder.step >= 7:
                holder.step = 0
            return x * holder.step

        return holder, function

    eager_holder, eager = make()
    holder, function = make()
    compiled = ms.jit(function)
    for _ in range(40):
        expected = eager(Tensor(X)).asnumpy()
        assert np.array_equal(compiled(Tensor(X)).asnumpy(), expected)
        assert holder.step == eager_holder.step
        assert type(holder.step) is int


N = types.SimpleNamespace()
TABLE = {"c": 0}


def _caught_division(x):
    try:
        is_large = 1 / N.k > 0.3
    except ZeroDivisionError:
        is_large = None
    return x * 3 if is_large is None else x * 2 if is_large else x


def _caught_error(x):
    try:
        return x * float(np.sin(N.k))
    except TypeError:
        return x


def _two(x):
    return x - N.k, ops.maximum(x, N.b + 0.5)


def _with_a_name(x):
    key = "".join("c")
    TABLE[key] = 2
    return x * 1


def _counts(x):
    N.k += 1
    return x * N.k


def _kept(x, seen=[]):  # noqa: B006
    seen.append(N.k)
    return x * sum(type(value) is NumberStandIn for value in seen)


@pytest.mark.parametrize(
    ("function", "values"),
    [
        (lambda x: x * N.k, [0, 1, 2, 3, 4, Tensor([6.0, 2.0, 1.0]), Tensor([7.0, 2.0, 1.0]), 5]),
        (lambda x: x if N.k is None else x * (N.k + 1), [0, 1, 2, 3, 4, None, 6]),
        (lambda x: x * (2**N.k) if N.k < 64 else x, [0, 1, 2, 3, 4, 5, 10**10]),
        (lambda x: x * (1 << N.k) if N.k >= 0 else x, [0, 1, 2, 3, 4, -1]),
        (lambda x: (x * N.k, type(N.k).__name__, str(np.asarray(N.k).dtype)), [0.5, 1.5, 2.5, 3.5, 4, 5.5]),
        (lambda x: x * copy.copy(N.k), [0.5, 1.5, 2.5, 3.5, 4.5]),
        (lambda x: (x * N.k, (N.k, {"q": N.k})), [0.5, 1.5, 2.5, 3.5, 4.5]),
        (lambda x: x * N.k, [1, 2.0, True, 3, -0.0, float("nan"), 2**70, 4, 5.0]),
        (_caught_division, [5, 4, 3, 2, 0, 1, 7, 2]),
        (_caught_error, [0.1, 0.2, 0.3, 0.4, 0.5]),
        (_two, [0, 0.5, 3.0, 3.0, 1, 3.0, 2, 0.25]),
        (_with_a_name, list(range(8))),
        (_counts, [0.0, 2.0, 3, 0.1, 0.2, 1e16, float("inf"), 5.0, 7]),
        (_kept, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]),
    ],
)
def test_whatever_stands_there(function, values):
    compiled = ms.jit(function)
    for i, value in enumerate(values):
        outcomes = []
        for call in (function, compiled):
            N.k, N.b, TABLE["c"] = value, (0.5, 2, 1)[i % 3], i % 4
            outcomes.append((call(Tensor(X)), N.k, TABLE["c"]))
        same(outcomes[1], outcomes[0], f"{value}")
        assert type(outcomes[1][1]) is type(outcomes[0][1])


def test_an_error_in_a_call_with_numbers_happens_once():
    counts = types.SimpleNamespace(c=0)

    @ms.jit
    def function(x, k):
        if x.shape[0] > 2:
            counts.c += 1
            raise ValueError
        return x * k

    for i in range(6):
        function(Tensor(X), i / 3)
    for i in range(3):
        with pytest.raises(ValueError):
            function(Tensor(np.zeros((3, 3), np.float32)), i / 3)
        assert counts.c == i + 1


def test_an_import_inside_stays_compiled():
    @ms.jit
    def function(x):
        import colorsys
        import statistics

        return x * colorsys.ONE_THIRD + statistics.mean([1, 2])

    for _ in range(4):
        function(Tensor(X))
    assert not function._captured.reasons
    assert function._captured.captures == 1


class _Seeing:
    """Whose operators see what they are given."""

    def __init__(self):
        self.seen = []

    def __mul__(self, other):
        self.seen.append(type(other).__name__)
        return 2.0 * other


def test_an_operator_of_a_class_of_ones_own_is_not_compiled():
    holder, seeing = types.SimpleNamespace(beta=0.0), _Seeing()
    function = ms.jit(lambda x: x * (seeing * holder.beta))
    for i in range(8):
        holder.beta = i / 4
        assert np.array_equal(function(Tensor(X)).asnumpy(), (Tensor(X) * (2.0 * (i / 4))).asnumpy())
    assert len(seeing.seen) == 8
