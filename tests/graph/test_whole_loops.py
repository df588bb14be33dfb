# SPDX-License-Identifier: Apache-2.0
"""Python's own loops in compiled functions: those that look at values often become one node each."""

from __future__ import annotations

import types

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from mindspore._capture import explain


def same(found, expected) -> bool:
    if isinstance(expected, (tuple, list)):
        return type(found) is type(expected) and all(map(same, found, expected))
    if isinstance(expected, Tensor):
        return found.dtype == expected.dtype and found.asnumpy().tobytes() == expected.asnumpy().tobytes()
    return type(found) is type(expected) and found == expected


def check(function, *calls) -> ms.jit:
    """Calls a function in both modes; the compiled one."""
    plain = types.FunctionType(
        function.__code__, function.__globals__, "plain", function.__defaults__, function.__closure__
    )
    compiled = ms.jit(function)
    for call in calls:
        arguments, others = ([Tensor(np.array(one)) for one in call] for _ in range(2))
        assert same(compiled(*arguments), plain(*others)), call
        assert same(arguments, others), call  # what was written into them
    return compiled


def segments(compiled) -> list[int]:
    return [entry["segments"] for entry in compiled._captured.report()]


def limits(*values: float) -> list:
    return [(np.zeros(4, np.float32), np.float32(value)) for value in values]


def counted(x, n):
    i = 0
    while x.sum() < n:
        x = x + 1.5
        i += 1
    return x, i


def test_other_numbers_of_turns_are_no_new_program():
    compiled = check(counted, *limits(400, 1000, 500, 20, 3000))
    before = compiled._captured.captures
    for limit in (77, 2222, 5000, 13):
        compiled(Tensor(np.zeros(4, np.float32)), Tensor(limit, ms.float32))
    assert compiled._captured.captures == before
    assert max(segments(compiled)) <= 2  # with a turn; the second is what follows


def test_no_turn_leaves_the_tensors_as_they_are():
    def kept(x, n):
        y = x
        while x.sum() < n:
            x = x + 1.5
        x[0] = 9.0  # without a turn, that is `y` too
        return x, y

    check(kept, *limits(400, 1000, 0, 500, -1, 0))


def test_a_loop_is_left():
    def left(x, n):
        for i in range(500):  # noqa: B007
            x = x + 1.5
            if x.sum() >= n:
                break
        else:
            return x
        return x * i

    def returned(x, n):
        k = 0
        while True:
            x, k = x + 1.5, k + 2
            if x.sum() >= n:
                return x, k

    for function in (left, returned):
        compiled = check(function, *limits(400, 1000, 500, 20, 3000, 1))
        assert max(segments(compiled)) <= 5


def test_decisions_in_a_turn():
    def steps(x):
        n, high, steps = x[0], x[1], 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            if n > high:
                high = n
            steps += 1
        return high, steps

    check(steps, *[([n, 1],) for n in (27, 97, 871, 6171, 1, 7)])


def test_rows_are_written_in_turns():
    def filled(x, n):
        i, most = 0, x.sum()
        while most < n:
            x[i] = x[i - 1] + 1 if i > 0 else 1.0
            i += 1
            most = x.max()
        return most, x

    check(filled, *[(np.zeros(64, np.float32), np.float32(n)) for n in (60, 50, 63, 20, 1, 40)])


def test_state_is_read_as_a_whole_and_written_in_parts():
    """As of kept keys: what was read before a write keeps what it saw, whoever reads it later."""

    def kept(x, n):
        keys, i = ops.zeros((2, 3, 40, 4)), Tensor(0, ms.int32)
        total, before = ops.zeros((3, 4)), ops.zeros((3, 40, 4))
        while i < n:
            for layer in range(2):
                old = keys[layer]
                keys[layer, :, i] = x + total
                total = total * 0.5 + keys[layer].sum(1) - keys[1 - layer, :, i]
                before = before + old
            i = i + 1
        return total, keys, before

    check(kept, *[(np.full((3, 4), 0.01, np.float32), np.int32(n)) for n in (30, 39, 8, 0, 25, 31, 12)])


def test_loops_in_loops_and_in_functions():
    def within(y, k):
        turns = 0
        while y.max() < k:
            y, turns = y + 0.5, turns + 1
        return y, turns

    def nested(x, n):
        total = 0
        while x.sum() < n:
            x, turns = within(x, x.max() + 3)
            total += turns
        return x, total

    check(nested, *limits(400, 1000, 500, 20, 3000))


def test_numbers_are_what_they_are_in_python():
    def mixed(x, n):
        rate, i, done = 1.0, 3, False
        while not done:
            x = x + rate * 0.25 + i
            rate = rate * 1.001 if i % 2 else rate / 2
            i = i + 1
            done = x.sum() > n
        return x * rate, i - 1, rate

    check(mixed, *limits(4000, 10000, 500, 20, 30000))


def test_numbers_become_tensors():
    def made(x, n):
        i, rate = 0, 0.3
        while x.sum() < n:
            step = Tensor(i)
            step += 1  # memory of its own: the number stays
            x = x + Tensor(i, ms.float32) + Tensor(rate) + ops.cast(step, ms.float32)
            rate *= 1.25
            i += 1
        return x, i, rate

    compiled = check(made, *limits(1e5, 1e6, 1e4))
    before = compiled._captured.captures
    check_again = [compiled(*map(Tensor, call)) for call in limits(1e3, 1e7)]
    assert compiled._captured.captures == before and check_again[0][1] < check_again[1][1]


@pytest.mark.parametrize("case", ["list", "large", "attribute", "many"])
def test_what_is_declined_means_the_same(case):
    holder = types.SimpleNamespace(last=None)

    def listed(x, n):
        out = []
        while x.sum() < n:
            x = x + 1.5
            out.append(x)
        return out

    def growing(x, n):
        a, b = 0, 1
        while x.sum() < n:
            x, a, b = x + 1.5, b, a + b
        return x, a

    def noting(x, n):
        while x.sum() < n:
            x = x + 1.5
            holder.last = 1
        return x

    def changing(x, n):
        while x.sum() < n:
            x = ops.concat((x, x + 1))
        return x

    function = {"list": listed, "large": growing, "attribute": noting, "many": changing}[case]
    check(function, *limits(400, 1000, 900, 400))


def test_gradients_go_through():
    def loss(x, w):
        i = 0
        while x.sum() < 40:
            x = ops.tanh(x @ w) + x + 0.1
            if x.max() > 3:
                x = x * 0.9
            i += 1
            if i > 60:
                break
        return (x * x).sum()

    rng = np.random.default_rng(3)
    x, w = rng.standard_normal((2, 4)).astype("f"), rng.standard_normal((4, 4)).astype("f")
    expected = ms.grad(loss, (0, 1))(Tensor(x), Tensor(w))
    compiled = ms.jit(lambda x, w: ms.grad(loss, (0, 1))(x, w))
    for _ in range(4):
        found = compiled(Tensor(x), Tensor(w))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


class Decoder(nn.Cell):
    """Continues a text, with keys of the past in tables that it writes into."""

    def __init__(self):
        super().__init__()
        rng = np.random.default_rng(5)
        self.tokens = Parameter(Tensor(rng.standard_normal((32, 8)).astype("f")))
        self.mix = Parameter(Tensor(rng.standard_normal((8, 16)).astype("f")))
        self.at = Tensor(np.arange(128))

    def step(self, token, i, caches):
        x = self.tokens[token].reshape(1, 8)
        for table in caches:
            key, value = ops.split(x @ self.mix, 8, axis=1)
            table[i] = key[0]
            seen = ops.where(self.at > i, Tensor(-1e9, ms.float32), (table * value).sum(1))
            x = x + (ops.softmax(seen, 0).reshape(1, -1) @ table)
        return (x @ self.tokens.T)[0]

    def construct(self, token, limit, end):
        caches = [ops.zeros((128, 8), ms.float32) for _ in range(2)]
        text, i = ops.zeros(128, ms.int64), 0
        while i < limit:
            token = self.step(token, i, caches).argmax().astype(ms.int64)
            text[i] = token
            if token == end:
                break
            i += 1
        return text, i


def test_a_text_is_continued():
    def run(mode, *lengths):
        ms.set_context(mode=mode)
        net = Decoder()
        net.set_train(False)
        return [net(Tensor(3), Tensor(n), Tensor(-1)) for n in lengths], net

    try:
        expected, _ = run(ms.PYNATIVE_MODE, 40, 100, 70, 99)
        found, net = run(ms.GRAPH_MODE, 40, 100, 70, 99)
        assert same(found, expected)
        before = net._captured.captures
        net(Tensor(3), Tensor(55), Tensor(-1))
        assert net._captured.captures == before
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_code_stays_the_users():
    compiled = check(counted, *limits(400, 1000))
    assert "loops" not in explain(compiled)
    x, turns = counted(Tensor(np.zeros(4, np.float32)), Tensor(30.0))  # as any function of Python
    assert turns == 5
    assert x.asnumpy().tolist() == [7.5] * 4
    with pytest.raises(TypeError):
        counted(Tensor(1.0))


def counted_inside(x, n):
    while x.sum() < n:
        x = x + 1
        while x[0] < x[1] + 8:
            x[0] = x[0] + 1
            if x[2] > 3:
                x[1] = 0
    return x


def test_loops_inside_others_are_recorded_in_a_bounded_number_of_runs(monkeypatch):
    monkeypatch.setattr("mindspore._capture.loops.whole_loops._MOST_RUNS", 6)
    compiled = check(counted_inside, *limits(300, 900, 500, 800))
    reasons = list(compiled._captured._tries.reasons.values())
    assert "has more than 6 ways through its turns and those of loops inside it" in reasons, reasons
