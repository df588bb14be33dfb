# SPDX-License-Identifier: Apache-2.0
"""Strict functions: what needs Python at run time is an error that names the line and a cure."""

from __future__ import annotations

import inspect
import time

import numpy as np
import pytest

import mindspore as ms
from mindspore import JitConfig, Parameter, Tensor, jit, nn, ops
from mindspore._capture import explain

X = [1.0, 2.0, 3.0]
total = 0


def strict(function):
    return jit(function, jit_config=JitConfig(jit_syntax_level="STRICT"))


def line_of(function, text: str) -> str:
    """Where the line of a function is that holds this text."""
    lines, first = inspect.getsourcelines(inspect.unwrap(function))
    return f"{__file__}:{first + next(i for i, line in enumerate(lines) if text in line)}"


def refuses(function, marked: str | None, *args, error=RuntimeError, says: str = "") -> None:
    for _ in range(3):  # every call, not only the first
        with pytest.raises(error) as raised:
            function(*args)
        text = str(raised.value)
        assert says in text, text
        assert "jit_syntax_level='LAX'" in text, text
        if marked is not None:
            assert line_of(function, marked) in text, text


def test_numbers_of_tensors_are_not_read():
    @strict
    def scaled(x):
        y = x * 2
        return y * float(y.sum())  # here

    refuses(scaled, "# here", Tensor(X), says="reads the value of a tensor")


def test_arrays_of_tensors_are_not_read():
    @strict
    def scaled(x):
        return Tensor(np.sin(x.asnumpy()))  # here

    refuses(scaled, "# here", Tensor(X), says="return it and read it afterwards")


@pytest.mark.parametrize("value", [1.0, -1.0])
def test_decisions_are_taken(value):
    @strict
    def decided(x):
        count = 0
        while x.sum() < 4 and not x.sum() > 100:
            x = x + 1
            count += 1
        if bool(x.max() > 3) or any([x.min() > 3]):
            return x * 2, count
        assert x.sum() != 0
        return (x, count) if x.sum() > 0 else (x - 1, count)

    expected = inspect.unwrap(decided)(Tensor(X) * value)
    for _ in range(3):
        found = decided(Tensor(X) * value)
        np.testing.assert_allclose(found[0].asnumpy(), expected[0].asnumpy())
        assert found[1] == expected[1]


@strict
def turned(x, count):
    turn = ops.zeros((), ms.int32)
    steps = []  # with which the loop is no node of its own
    while turn < count:  # here
        x, turn = x * 2, turn + 1
        steps.append(x)
    return x


def test_decisions_may_go_any_number_of_ways():
    for count in range(100):
        assert float(turned(Tensor(1.0), Tensor(count, ms.int32))) == 2.0**count
    said = explain(turned)
    assert "runs eagerly: decisions by values went a new way" in said
    assert line_of(turned, "# here") in said


def test_calls_may_be_of_any_number_of_kinds():
    joined = strict(lambda x, name: (x * 2, name))
    for i in range(100):
        assert joined(Tensor(1.0), f"name {i}")[1] == f"name {i}"
    assert "arguments or what it uses differ from call to call" in explain(joined)


def test_values_may_decide_shapes():
    chosen = strict(lambda x: x[x > 0] * 2)
    for count in range(1, 60):
        assert chosen(Tensor(np.arange(60) - count, ms.float32)).shape == (59 - count,)


def test_truth_of_numbers_is_a_decision():
    decided = strict(lambda x: x * 2 if x else x - 1)
    for i in range(60):
        assert float(decided(Tensor(i * 0.5))) == (float(i) if i else -1.0)
    assert decided._captured.captures == 2


def test_rare_ways_do_nothing_forbidden():
    kept = []

    @strict
    def keeps(x, count):
        turn = ops.zeros((), ms.int32)
        while turn < count:
            x, turn = x * 2, turn + 1
        if turn == 61:
            kept.append(1)  # here
        return x

    for count in [*range(40), *range(8)]:
        keeps(Tensor(1.0), Tensor(count, ms.int32))
    refuses(keeps, "# here", Tensor(1.0), Tensor(61, ms.int32), says="it changes the variable 'kept'")
    assert float(keeps(Tensor(1.0), Tensor(3, ms.int32))) == 8.0


def test_attributes_are_not_assigned():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.state, self.parameter = Tensor(0.0), Parameter(Tensor(0.0), "p")
            self.set_jit_config(JitConfig(jit_syntax_level="STRICT"))

        def construct(self, x):
            self.parameter = self.parameter + x
            self.state = self.state + x  # here
            return self.state

    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        net = Net()
        with pytest.raises(TypeError, match="In JIT strict mode, .* must be of the Parameter type") as raised:
            net(Tensor(1.0))
        assert line_of(Net.construct, "# here") in str(raised.value)
        with pytest.raises(TypeError):
            net(Tensor(1.0))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_parameters_are_assigned():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.parameter = Parameter(Tensor(0.0), "p")
            self.set_jit_config(JitConfig(jit_syntax_level="STRICT"))

        def construct(self, x):
            self.parameter = self.parameter + x
            return self.parameter * 2

    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        net = Net()
        assert [float(net(Tensor(1.0))) for _ in range(3)] == [2.0, 4.0, 6.0]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_globals_are_not_assigned():
    @strict
    def counts(x):
        global total
        total = total + 1  # here
        return x * total

    refuses(counts, "# here", Tensor(X), says="it changes the global 'total'")


def test_outer_lists_do_not_grow():
    seen = []

    @strict
    def keeps(x):
        seen.append(x)  # here
        return x * 2

    refuses(keeps, "# here", Tensor(X), says="keep it in a Parameter")


def test_given_lists_may_change():
    @strict
    def keeps(x, items):
        items.insert(0, x * 2)
        return x, items.pop()

    for i in range(4):
        items = [1, i]
        assert keeps(Tensor(X), items)[1] == i
        assert float(items[0][1]) == 4.0 and items[1:] == [1]


def test_lists_of_cells_do_not_change():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.table, self.seen = {"x": 1}, [1]
            self.set_jit_config(JitConfig(jit_syntax_level="STRICT"))

        def construct(self, x, key):
            if key is None:
                self.seen.append(2)
            else:
                self.table[key] = 3
            return x

    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        for key, name in (("x", "table"), ("y", "table"), (None, "seen")):
            with pytest.raises(TypeError, match=f"it changes 'self.{name}'"):
                Net()(Tensor(X), key)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_the_clock_is_not_read():
    @strict
    def timed(x):
        return x * time.time()  # here

    refuses(timed, "# here", Tensor(X), says="Pass the number as an argument")


def test_arrays_are_not_arguments():
    @strict
    def scaled(x):
        return Tensor(x) * 2

    refuses(scaled, None, np.ones(3, np.float32), says="Pass a Tensor")


def test_iterators_are_not_returned():
    @strict
    def parts(x):
        return iter([x * k for k in range(3)])

    refuses(parts, None, Tensor(X), says="iterator")


def test_printing_and_random_numbers_are_compiled(capfd):
    @strict
    def noisy(x):
        print("sum", x.sum())
        return ops.dropout(x, 0.5) + x.shape[0]

    for _ in range(3):
        noisy(Tensor(X))
    assert capfd.readouterr().out.count("sum") == 3


def test_the_level_of_the_context():
    @jit
    def scaled(x):
        return x * float(x.sum())

    lax = jit(inspect.unwrap(scaled), jit_config=JitConfig(jit_syntax_level="LAX"))
    ms.set_context(jit_syntax_level=ms.STRICT)
    try:
        with pytest.raises(RuntimeError, match="reads the value of a tensor"):
            scaled(Tensor(X))
        assert float(lax(Tensor(X))[0]) == 6.0
    finally:
        ms.set_context(jit_syntax_level=ms.LAX)
    assert float(scaled(Tensor(X))[0]) == 6.0


def test_the_environment_decides_first(monkeypatch):
    lax = jit(lambda x: x * float(x.sum()), jit_config=JitConfig(jit_syntax_level="LAX"))
    monkeypatch.setenv("MS_DEV_JIT_SYNTAX_LEVEL", "0")
    with pytest.raises(RuntimeError, match="reads the value of a tensor"):
        lax(Tensor(X))
    monkeypatch.setenv("MS_DEV_JIT_SYNTAX_LEVEL", "2")
    assert float(lax(Tensor(X))[0]) == 6.0
