# SPDX-License-Identifier: Apache-2.0
"""Loops that are one node of a compiled function."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops


def whole(value):
    return Tensor(value, ms.int64)


def halving(x, n):
    """Numbers and vectors in one loop."""

    def turn(value):
        i, y, total = value
        y = ops.sin(y) * 0.5 + total
        return i + 1, y, total + y.sum()

    return ops.WhileLoop()(lambda value: value[0] < n, turn, (whole(0), x, Tensor(0.25, ms.float32)))


def swapping(x, n):
    """Values that change places, and one that stays."""
    first = {"i": whole(0), "a": x, "b": x * 2, "kept": (x + 1, "text", 3)}

    def turn(state):
        return {"i": state["i"] + 1, "a": state["b"], "b": state["a"] + state["b"], "kept": state["kept"]}

    return ops.WhileLoop()(lambda state: state["i"] < n, turn, first)


def nested(x, n):
    """A loop whose turns are loops."""

    def inner(state):
        i, y = state
        _, y = ops.WhileLoop()(lambda s: s[0] < i, lambda s: (s[0] + 1, s[1] * 0.9 + 0.1), (whole(0), y))
        return i + 1, y

    return ops.WhileLoop()(lambda state: state[0] < n, inner, (whole(0), x))[1]


def writing_items(x, n):
    """Items of a loop value are assigned."""

    def turn(state):
        i, rows = state
        rows = rows.copy()
        rows[i % 3] = rows[i % 3] + 1
        return i + 1, rows

    return ops.WhileLoop()(lambda state: state[0] < n, turn, (whole(0), x))[1]


def looking(x, n):
    """The condition looks at a value, so the loop is compiled turn by turn."""
    return ops.WhileLoop()(lambda s: bool(s[0] < n), lambda s: (s[0] + 1, s[1] + s[0]), (whole(0), x))[1]


def counting_in_python(x, n):
    """What changes is no tensor."""
    return ops.WhileLoop()(lambda s: s[0] < 4, lambda s: (s[0] + 1, s[1] * s[0]), (1, x))


def growing(x, n):
    """A value changes its shape."""
    return ops.WhileLoop()(lambda v: v.sum() < n, lambda v: ops.cat((v, v)), x)


FUNCTIONS = [halving, swapping, nested, writing_items, looking, counting_in_python, growing]


def arrays(value) -> list:
    if isinstance(value, Tensor):
        return [value.asnumpy()]
    if isinstance(value, dict):
        value = list(value.values())
    return [one for part in value for one in arrays(part)] if isinstance(value, (tuple, list)) else [value]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_modes_agree_bit_by_bit(function):
    compiled = ms.jit(function)
    for turns in (0, 1, 2, 7, 2, 30, 0):
        x = Tensor(np.linspace(0.5, 2, 3, dtype=np.float32))
        expected, got = arrays(function(x, whole(turns))), arrays(compiled(x, whole(turns)))
        for one, other in zip(got, expected, strict=True):
            assert type(one) is type(other)
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("function", [halving, swapping, nested, writing_items])
def test_any_number_of_turns_is_one_program(function):
    compiled = ms.jit(function)
    graphs = []
    ms._c_expression.set_graph_watcher(lambda name, *_: graphs.append(name) if name == "final" else None)
    try:
        for turns in (3, 0, 50, 1):
            compiled(Tensor([1.0, 2.0, 3.0]), whole(turns))
    finally:
        ms._c_expression.set_graph_watcher(None)
    assert len(graphs) == 1


def test_results_share_no_memory_with_arguments():
    def unchanged(x):
        return ops.WhileLoop()(lambda s: s[0] < 0, lambda s: s, (whole(0), x))[1]

    for function in (unchanged, ms.jit(unchanged)):
        x = Tensor([1.0, 2.0])
        y = function(x)
        y[0] = 9.0
        assert x.asnumpy().tolist() == [1, 2]


def test_parameters_are_written_turn_by_turn():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = Parameter(Tensor([1.0, 2.0]), name="weight")

        def construct(self, n):
            def turn(i):
                ops.assign(self.weight, self.weight * 1.5)
                return i + self.weight.sum().astype(ms.int64)

            return ops.WhileLoop()(lambda i: i < n, turn, whole(0)), self.weight.sum()

    results = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        net = Net()
        made = [net(whole(n)) for n in (20, 100, 0)]
        results.append([[float(one) for one in pair] for pair in made] + [net.weight.asnumpy().tolist()])
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert results[0] == results[1]


def test_gradients_go_through_loops():
    def function(x, n):
        return ops.WhileLoop()(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * s[1] * 0.9), (whole(0), x))[
            1
        ].sum()

    x = Tensor([0.5, 1.1])
    expected = ms.grad(function)(x, whole(3)).asnumpy()
    np.testing.assert_array_equal(
        ms.jit(lambda x, n: ms.grad(function)(x, n))(x, whole(3)).asnumpy(), expected
    )
    np.testing.assert_array_equal(ms.grad(ms.jit(function))(x, whole(3)).asnumpy(), expected)


def test_an_error_names_the_line_and_the_turn():
    @ms.jit
    def reading(x, i):
        return ops.WhileLoop()(
            lambda s: s[0].sum() < 100,
            lambda s: (s[0] + 1, s[1] + ops.gather(x, s[0], 0)),
            (i, x[:1]),
        )

    with pytest.raises((ValueError, IndexError), match=r"(?s)test_loop_nodes.py:\d+.*turn 4"):
        reading(Tensor([1.0, 2.0, 3.0]), Tensor([0]))


def test_an_error_in_a_loop_of_a_turn_names_both_turns():
    def row_by_row(x, n):
        def turn(state):
            i, total = state
            inner = ops.WhileLoop()(
                lambda s: s[0] < i, lambda s: (s[0] + 1, s[1] + ops.gather(x, s[0], 0)), (whole(0), total)
            )
            return i + 1, inner[1]

        return ops.WhileLoop()(lambda s: s[0] < n, turn, (whole(0), x[0]))[1]

    x = Tensor([1.0, 2.0, 3.0])
    compiled = ms.jit(row_by_row)
    assert float(compiled(x, whole(4))) == float(row_by_row(x, whole(4)))
    with pytest.raises((ValueError, IndexError), match=r"test_loop_nodes.py:\d+"):
        compiled(x, whole(6))  # what was compiled is left: PyNative mode says where
    with pytest.raises((ValueError, IndexError), match=r"(?s)test_loop_nodes.py:\d+.*turn 4 of.*turn 5 of"):
        ms.jit(row_by_row)(x, whole(6))
    with pytest.raises((ValueError, IndexError), match=r"(?s)turn 4 of.*turn 5 of"):
        ms.jit(lambda x, n: ms.grad(row_by_row)(x, n))(x, whole(6))


def test_an_error_in_a_turn_that_is_not_made_is_none():
    @ms.jit
    def mistaken(x, n):
        return ops.WhileLoop()(lambda v: v.sum() > n, lambda v: v @ ops.ones((7, 7), ms.float32), x)

    assert mistaken(Tensor([1.0, 2.0]), whole(100)).asnumpy().tolist() == [1, 2]


def test_ctrl_c_ends_a_loop():
    @ms.jit
    def endless(x):
        return ops.WhileLoop()(lambda v: v.sum() > 0, lambda v: v * 1.0, x)

    # A shell's background jobs ignore it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            endless(Tensor([1.0]))
    finally:
        signal.signal(signal.SIGINT, before)
    timer.join()
    assert endless(Tensor([-1.0])).asnumpy().tolist() == [-1]  # it can be called again


def test_threads_run_one_loop():
    compiled = ms.jit(halving)
    x = Tensor([1.0, 2.0, 3.0])
    expected = {n: arrays(halving(x, whole(n))) for n in (0, 5, 40)}
    compiled(x, whole(5))
    wrong = []

    def work():
        for n, wanted in list(expected.items()) * 20:
            for one, other in zip(arrays(compiled(x, whole(n))), wanted, strict=True):
                wrong.extend([n] * (not np.array_equal(one, other)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: ops.WhileLoop()(1, lambda v: v, 1), "'cond_func' must be a function"),
        (lambda: ops.WhileLoop()(lambda v: v, None, 1), "'loop_func' must be a function"),
        (lambda: ops.ForiLoop()(0.5, 1, lambda i, v: v, 1), "'lower' must be an int or a Tensor"),
        (lambda: ops.Scan()(lambda c, x: (c, x), 0, 3), "'xs' must be a tuple, a list or None"),
        (lambda: ops.Scan()(lambda c, x: (c, x), 0, None), "'length' must be an int"),
    ],
)
def test_arguments_that_do_not_fit(call, text):
    with pytest.raises(TypeError, match=text):
        call()


def test_counted_loops():
    def summed(n, x):
        return ops.ForiLoop()(0, n, lambda i, v: v + i, x)

    for function in (summed, ms.jit(summed)):
        assert function(4, Tensor([1.0])).asnumpy().tolist() == [7]
    carry, results = ops.Scan()(
        lambda total, x: (total + x, total * x), Tensor(1.0), [Tensor(2.0), Tensor(3.0)]
    )
    assert float(carry) == 6
    assert [float(one) for one in results] == [2, 9]
    assert ops.Scan()(lambda c, x: (c + 1, c), 0, None, 3) == (3, [0, 1, 2])


def scaled_by_numbers(n, x):
    def turn(i, state):
        y, total = state
        return ops.sin(y * i) + total, total + y.sum() * 0.1

    return ops.ForiLoop()(1, n, turn, (x, Tensor(0.5)))


def counted_as_python_counts(n, x):
    """The number is used for more than arithmetic with tensors."""
    return ops.ForiLoop()(0, n, lambda i, y: y + x[i % 2] * (i + 1), x, False)


@pytest.mark.parametrize("function", [scaled_by_numbers, counted_as_python_counts])
def test_counted_loops_with_any_number_of_turns(function):
    compiled = ms.jit(function)
    x = Tensor([0.5, 1.5])
    gradient = ms.grad(lambda x, n: arrays_sum(function(n, x)))
    compiled_gradient = ms.jit(lambda x, n: ms.grad(lambda x: arrays_sum(function(n, x)))(x))
    for turns in (4, 1, 0, 9):
        for one, other in zip(
            arrays(compiled(whole(turns), x)), arrays(function(whole(turns), x)), strict=True
        ):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(
            compiled_gradient(x, whole(turns)).asnumpy(), gradient(x, whole(turns)).asnumpy()
        )


def arrays_sum(value):
    return (value[0] * value[1]).sum() if isinstance(value, tuple) else value.sum()


def test_a_counted_loop_is_one_program():
    compiled = ms.jit(scaled_by_numbers)
    graphs = []
    ms._c_expression.set_graph_watcher(lambda name, *_: graphs.append(name) if name == "final" else None)
    try:
        for turns in (3, 1, 50, 7):
            compiled(whole(turns), Tensor([1.0, 2.0]))
    finally:
        ms._c_expression.set_graph_watcher(None)
    assert len(graphs) == 1


def counted_in_python(n, x):
    i = whole(0)
    while i < n:
        i, x = i + 1, x * 0.5 + 1
    return x


def listed_in_python(n, x):
    i, kept = whole(0), []  # with the list, the loop is no node of its own
    while i < n:
        i, x = i + 1, x * 0.5 + 1
        kept.append(i)
    return x


def test_a_long_loop_of_python_is_left_to_it(capfd):
    compiled = ms.jit(listed_in_python)
    x = Tensor([1.0, 3.0])
    expected = listed_in_python(whole(2500), x).asnumpy()
    for _ in range(4):
        np.testing.assert_array_equal(compiled(whole(2500), x).asnumpy(), expected)
    told = capfd.readouterr().err
    assert "looks at values 2048 times in one call" in told
    assert "ops.WhileLoop" in told
    assert "test_loop_nodes.py" in told


def test_short_ones_stay_compiled_beside_it():
    compiled = ms.jit(counted_in_python)
    x = Tensor([1.0, 3.0])
    for turns in (3, 5, 2500, 3, 5, 2500, 4, 5):
        expected = counted_in_python(whole(turns), x).asnumpy()
        np.testing.assert_array_equal(compiled(whole(turns), x).asnumpy(), expected)
    graphs = []
    ms._c_expression.set_graph_watcher(lambda *_: graphs.append(1))
    try:
        compiled(whole(3), x)
        compiled(whole(5), x)
    finally:
        ms._c_expression.set_graph_watcher(None)
    assert not graphs  # nothing is compiled again


def writing_what_is_given(x, n):
    def turn(state):
        i, rows, other = state
        rows[0] = rows[0] + 1
        return i + 1, rows, other + rows

    return ops.WhileLoop()(lambda state: state[0] < n, turn, (whole(0), x, x))


def returning_one_twice(x, n):
    weight = x * 2
    made = ops.WhileLoop()(lambda s: s[0] < n, lambda s: (s[0] + 1, weight, weight), (whole(0), x, x))
    made[1][0] = 9.0
    return (*made, weight)


@pytest.mark.parametrize("function", [writing_what_is_given, returning_one_twice])
def test_memory_is_shared_alike_in_both_modes(function):
    compiled = ms.jit(function)
    for turns in (0, 1, 3):
        both = []
        for call in (function, compiled):
            x = Tensor([1.0, 2.0])
            both.append([one.tolist() for one in [*arrays(call(x, whole(turns))), x.asnumpy()]])
        assert both[0] == both[1]


class Counter:
    """Something that turns may change."""

    def __init__(self):
        self.count = 0


def test_what_turns_change_besides_tensors_is_changed_by_each():
    seen, table, counter, total = [], {"n": 0}, Counter(), 0

    def appending(state):
        seen.append(1)
        return state[0] + 1, state[1] * 2

    def assigning_entries(state):
        table["n"] = table["n"] + 1
        return state[0] + 1, state[1] * 2

    def assigning_attributes(state):
        counter.count += 1
        return state[0] + 1, state[1] * 2

    def assigning_variables(state):
        nonlocal total
        total += 1
        return state[0] + 1, state[1] * 2

    for turn in (appending, assigning_entries, assigning_attributes, assigning_variables):
        ms.jit(lambda x, n, turn=turn: ops.WhileLoop()(lambda s: s[0] < n, turn, (whole(0), x)))(
            Tensor([1.0]), whole(3)
        )
    assert (len(seen), table, counter.count, total) == (3, {"n": 3}, 3, 3)


def test_a_long_loop_of_a_strict_function_is_no_error():
    strict = ms.jit(counted_in_python, jit_config=ms.JitConfig(jit_syntax_level="STRICT"))
    x = Tensor([1.0, 3.0])
    expected = counted_in_python(whole(2500), x).asnumpy()
    for _ in range(2):
        np.testing.assert_array_equal(strict(whole(2500), x).asnumpy(), expected)
