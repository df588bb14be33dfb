# SPDX-License-Identifier: Apache-2.0
"""How often functions are captured, and what people are told about it."""

from __future__ import annotations

import copy
import cProfile
import gc
import inspect
import sys
import threading
import weakref

import numpy as np
import pytest

import mindspore as ms
from mindspore import JitConfig, Tensor, jit, nn, ops
from mindspore._capture import explain
from mindspore._capture import function as capture

X = [1.0, 2.0, 3.0]


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def captures(function) -> int:
    return function._captured.captures


def test_a_branch_is_captured_once_per_way():
    @jit
    def divided(loss, response):
        if response == 0:
            return loss
        return loss / response

    for _ in range(5):
        assert float(divided(Tensor(6.0), Tensor(0.0))) == 6.0
        assert float(divided(Tensor(6.0), Tensor(2.0))) == 3.0
        assert float(divided(Tensor(9.0), Tensor(3.0))) == 3.0
    assert captures(divided) == 2


def test_common_ways_stay_compiled_beside_rare_ones():
    @jit
    def repeated(x, count):
        turn = ops.zeros((), ms.int32)
        steps = []  # with which the loop is no node of its own
        while turn < count:
            x, turn = x + 1, turn + 1
            steps.append(x)
        return x

    def run(count):
        assert float(repeated(Tensor(1.0), Tensor(count, ms.int32))) == 1.0 + count

    for count in range(80):
        run(count)
        run(3)
    before = captures(repeated)
    for _ in range(5):
        run(3)
    assert captures(repeated) == before
    said = explain(repeated)
    assert "of these ran eagerly from there on" in said
    assert f"{__file__}:{inspect.unwrap(repeated).__code__.co_firstlineno + 4}" in said


def test_ways_share_what_they_rely_on():
    table = {"scale": 2.0}

    @jit
    def repeated(x, count):
        turn = ops.zeros((), ms.int32)
        while turn < count:
            x, turn = x * table["scale"], turn + 1
        return x

    for count in (1, 2, 3, 4, 3, 2):
        assert float(repeated(Tensor(1.0), Tensor(count, ms.int32))) == 2.0**count
    table["scale"] = 3.0
    for count in (1, 2, 3, 4, 3, 2):
        assert float(repeated(Tensor(1.0), Tensor(count, ms.int32))) == 3.0**count


def test_positions_and_counts_do_not_matter():
    table = Tensor(np.arange(20), ms.float32)

    @jit
    def chosen(x, i):
        x = x * table[i]
        x[x > 5] = 5
        x[i] = -1
        return x

    for i in range(20):
        wanted = np.minimum(np.arange(20) * float(i), 5)
        wanted[i] = -1
        found = chosen(Tensor(np.arange(20), ms.float32), Tensor(i, ms.int32))
        np.testing.assert_array_equal(found.asnumpy(), wanted)
    assert captures(chosen) == 1


def test_values_of_tensors_do_not_matter():
    @jit
    def double(x, others):
        return x * 2 + others["a"]

    for k in range(10):
        double(Tensor(X) * k, {"a": Tensor(float(k))})
    assert captures(double) == 1


def test_shapes_and_types_do_matter_once_each():
    double = jit(lambda x: x * 2)
    for _ in range(3):
        for shape in ((2,), (3,), (2, 2)):
            double(ops.ones(shape, ms.float32))
            double(ops.ones(shape, ms.int32))
    assert captures(double) == 6


def test_a_switch_and_back_replays(graph_mode):
    net = nn.SequentialCell(nn.Dense(3, 3), nn.Dropout(p=0.5))
    x = Tensor(np.ones((1, 3), np.float32))
    for _ in range(3):
        net.set_train(True)
        net(x)
        net.set_train(False)
        net(x)
    assert captures(net) <= 3  # the first time, the flag itself is new


def test_updates_of_parameters_need_no_capture(graph_mode):
    net = nn.Dense(3, 2)
    x = Tensor(np.ones((1, 3), np.float32))
    for k in range(5):
        net.weight.set_data(ops.ones_like(net.weight) * k)
        assert float(net(x)[0, 0]) == pytest.approx(3 * k + float(net.bias[0]))
    assert captures(net) == 1


def test_state_is_captured_not_refused(graph_mode):
    class Mean(nn.Cell):
        def __init__(self):
            super().__init__()
            self.total, self.calls = Tensor(0.0), 0

        def construct(self, x):
            self.total = self.total + x
            self.calls += 1
            return self.total

    mean = Mean()
    for k in range(20):
        assert float(mean(Tensor(1.0))) == k + 1
    assert mean.calls == 20
    assert captures(mean) == 2
    assert not mean._captured.reasons


def test_gradients_at_top_level_are_captured(graph_mode, monkeypatch):
    kept = []
    monkeypatch.setattr(
        capture, "every_captured", type("Kept", (), {"add": lambda self, one: kept.append(one)})()
    )
    net = nn.Dense(3, 1)
    for function in (
        ms.grad(net),
        ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params()),
        ops.GradOperation(get_by_list=True)(net, ms.ParameterTuple(net.trainable_params())),
    ):
        kept.clear()
        for _ in range(5):
            function(Tensor(np.ones((2, 3), np.float32)))
        assert [one.captures for one in kept] == [1]
        assert sum(entry["runs"] for entry in kept[0].report()) == 3


def test_gradients_of_compiled_functions_are_captured():
    function = jit(lambda x: (x * x).sum())
    gradient = ms.grad(function)
    for k in range(4):
        np.testing.assert_allclose(gradient(Tensor(X) * k).asnumpy(), 2 * k * np.array(X))
    assert captures(function) == 0  # what was compiled is the gradient, with the function inside


def test_functions_that_never_repeat_are_given_up(capfd):
    scaled = jit(lambda x, k: x * len(k))
    for k in range(60):
        assert float(scaled(Tensor(2.0), "k" * k)) == 2.0 * k
    assert "differ from call to call" in scaled._captured.given_up
    assert captures(scaled) < 60
    assert "runs eagerly" in explain(scaled)


def test_explain_names_the_reason():
    seen = []

    @jit
    def keeps(x):
        seen.append(x)
        return x * 2

    keeps(Tensor(X))
    keeps(Tensor(X))
    assert len(seen) == 2
    assert "it changes the variable 'seen'" in explain(keeps)


def test_strict_functions_do_not_fall_back():
    seen = []

    @jit(jit_config=JitConfig(jit_syntax_level="STRICT"))
    def keeps(x):
        seen.append(1)
        return x * 2

    with pytest.raises(RuntimeError, match="cannot be compiled: it changes the variable 'seen'"):
        keeps(Tensor(X))


def test_an_error_leaves_the_other_ways_alone():
    @jit
    def root(x):
        if x < 0:
            raise ValueError("negative")
        return ops.sqrt(x)

    for _ in range(3):
        assert float(root(Tensor(4.0))) == 2.0
        with pytest.raises(ValueError, match="negative"):
            root(Tensor(-4.0))
    root(Tensor(9.0))
    assert sum(entry["runs"] for entry in root._captured.report()) == 3


def test_cells_are_freed(graph_mode):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner, self.state, self.sizes = nn.Dense(3, 3), Tensor(0.0), [1, 2]

        def construct(self, x):
            self.state = self.state + x.sum()
            return self.inner(x)

    net = Net()
    references = [weakref.ref(net), weakref.ref(net.inner.weight)]
    for _ in range(4):
        net(Tensor(np.ones((1, 3), np.float32)))
    references.append(weakref.ref(net._captured))
    del net
    gc.collect()
    assert [reference() for reference in references] == [None] * 3


def test_copies_are_captured_on_their_own(graph_mode):
    net, x = nn.SequentialCell(nn.Dense(3, 3), nn.ReLU()), Tensor(np.ones((1, 3), np.float32))
    for _ in range(2):
        net(x)
        ops.vjp(net, x)
    for copied in (copy.copy(net), copy.deepcopy(net)):
        copied.insert(0, nn.Tanh())
        for _ in range(2):
            np.testing.assert_allclose(copied(x).asnumpy(), net(ops.tanh(x)).asnumpy(), 1e-6)
        assert copied._captured is not net._captured


def test_errors_do_not_keep_values_alive():
    class Box:
        pass

    box = Box()
    reference = weakref.ref(box)

    @jit
    def fails(x, held):
        raise ValueError("no")

    with pytest.raises(ValueError):
        fails(Tensor(X), box)
    del box
    gc.collect()
    assert reference() is None


def test_a_profiler_goes_on_after_a_capture():
    profiler = cProfile.Profile()
    double = jit(lambda x: x * 2)

    def after_the_capture():
        return sorted([3, 1, 2])

    profiler.enable()
    double(Tensor(X))
    after_the_capture()
    profiler.disable()
    names = [entry.code.co_name for entry in profiler.getstats() if hasattr(entry.code, "co_name")]
    assert "after_the_capture" in names


def test_another_thread_may_draw_from_numpy():
    """Loaders do; NumPy's state is one for all threads."""
    enough, interval = threading.Event(), sys.getswitchinterval()

    def draw():
        while not enough.is_set():
            np.random.random()

    @jit
    def many(x):
        for _ in range(200):
            x = x + 1
        return x

    thread = threading.Thread(target=draw)
    thread.start()
    sys.setswitchinterval(1e-5)
    try:
        before = np.random.get_state()[2]
        for _ in range(3):
            many(Tensor(X))
        assert np.random.get_state()[2] != before
    finally:
        sys.setswitchinterval(interval)
        enough.set()
        thread.join()
    assert captures(many) == 1 and many._captured.reasons == []
