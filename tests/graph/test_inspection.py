# SPDX-License-Identifier: Apache-2.0
"""What `get_code_extra` and its like tell about functions marked with ``mode="PIJit"``."""

from __future__ import annotations

import gc
import weakref

import pytest
from mindspore._c_expression import (
    get_code_extra,
    jit_mode_pi_compile,
    jit_mode_pi_disable,
    jit_mode_pi_enable,
    update_pijit_default_config,
)

import mindspore as ms
from mindspore import Tensor, jit, nn


@pytest.fixture
def switched_back():
    yield
    jit_mode_pi_enable()
    update_pijit_default_config()


def numbers():
    while True:
        yield 1


ENDLESS = numbers()


def test_a_function_that_is_not_marked_has_nothing_to_tell():
    assert get_code_extra(numbers) is None
    assert get_code_extra(3) is None


def test_the_marked_function_itself_tells_although_the_mark_is_gone():
    def doubled(x):
        return x + x

    compiled = jit(doubled, mode="PIJit")
    assert get_code_extra(doubled) == {"stat": "GRAPH_CANDIDATE", "compile_count_": 0, "break_count_": 0}
    for _ in range(3):
        compiled(Tensor([1.0]))
    del compiled
    gc.collect()
    told = get_code_extra(doubled)
    assert (told["stat"], told["compile_count_"], told["break_count_"]) == ("GRAPH_CALLABLE", 1, 0)
    assert told["code"]["call_count_"] == 3
    assert "doubled" in told["code"]["phase_"]
    assert "compiled_code_" not in told["code"]
    assert told["code"]["guard_"] == "(Tensor[Float32](1,))"


def test_kinds_of_calls_and_decisions_are_counted():
    @jit(mode="PIJit")
    def chosen(x):
        if x.sum() > 0:
            return x * 2
        return x - 1

    for value in (1.0, 2.0, -1.0, -2.0):
        chosen(Tensor([value]))
    told = get_code_extra(chosen)
    assert (told["compile_count_"], told["break_count_"], told["code"]["call_count_"]) == (2, 1, 4)
    chosen(Tensor([1.0, 2.0]))
    told = get_code_extra(chosen)
    assert (told["compile_count_"], told["break_count_"]) == (3, 2)


def test_what_runs_as_python_is_a_break_and_no_graph():
    @jit(mode="PIJit")
    def counted(x):
        return x + next(ENDLESS)

    counted(Tensor([1.0]))
    told = get_code_extra(counted)
    assert (told["stat"], told["break_count_"]) == ("NEVER_COMPILE", 1)


def test_code_stands_for_the_graph_where_it_is_asked_for_or_does_more():
    class Net(nn.Cell):
        @jit(mode="PIJit", jit_config={"interpret_captured_code": True})
        def construct(self, x):
            return x + 1

    def filled(items):
        items[0] = items[0] + 1
        return items

    net = Net()
    net(Tensor([1.0]))
    code = get_code_extra(net.construct)["code"]
    assert code["compiled_code_"].co_name == "construct"
    assert "phase_" not in code
    jit(filled, mode="PIJit")([Tensor(1)])
    told = get_code_extra(filled)
    assert told["code"]["compiled_code_"] is filled.__code__
    assert told["break_count_"] == 0


def test_calls_inside_a_gradient_count_too():
    @jit(mode="PIJit")
    def square(x):
        return x * x

    step = ms.grad(lambda x: square(x).sum())
    for _ in range(3):
        step(Tensor([1.0, 2.0]))
    told = get_code_extra(square)
    assert told["stat"] == "GRAPH_CALLABLE"
    assert told["code"]["call_count_"] >= 2


def test_functions_can_be_switched_off_and_on(switched_back):
    runs = []

    @jit(mode="PIJit")
    def noted(x):
        runs.append(x)
        return x + 1

    def plain(x):
        return x + 1

    plain_compiled = jit(plain, mode="PIJit")
    plain_compiled(Tensor([1.0]))
    assert jit_mode_pi_disable()
    assert not jit_mode_pi_disable()
    assert float(plain_compiled(Tensor([1.0]))[0]) == 2.0
    noted(Tensor([1.0]))
    assert len(runs) == 1
    assert get_code_extra(noted)["stat"] == "GRAPH_CANDIDATE"
    assert get_code_extra(plain)["code"]["call_count_"] == 1
    assert jit_mode_pi_enable()
    assert not jit_mode_pi_enable()
    plain_compiled(Tensor([1.0]))
    assert get_code_extra(plain)["code"]["call_count_"] == 2


def test_options_are_known_or_warned_of(switched_back, capfd):
    update_pijit_default_config(interpret_captured_code=True, enable_dynamic_shape=True)

    @jit(mode="PIJit")
    def grown(x):
        return x + 1

    grown(Tensor([1.0]))
    assert "compiled_code_" in get_code_extra(grown)["code"]
    jit(numbers_in, mode="PIJit", jit_config={"no_such_option": 1})
    assert "unknown PIJit options: no_such_option:1" in capfd.readouterr().err


def numbers_in(x):
    return x


def test_plain_calls_cannot_be_compiled():
    assert jit_mode_pi_compile(numbers_in, {}, None) is False


def test_a_method_does_not_keep_its_object():
    class Net(nn.Cell):
        def construct(self, x):
            return x + 1

    net = Net()
    compiled = jit(net.construct, mode="PIJit")
    compiled(Tensor([1.0]))
    assert get_code_extra(compiled)["code"]["call_count_"] == 1
    there = weakref.ref(net)
    del net, compiled
    gc.collect()
    assert there() is None


def test_subclasses_read_the_declared_inputs_under_the_other_name():
    net = nn.Dense(2, 3)
    assert net._dynamic_shape_inputs is None
    net.set_inputs(Tensor(shape=[None, 2], dtype=ms.float32))
    assert net._dynamic_shape_inputs is net.get_inputs()
