# SPDX-License-Identifier: Apache-2.0
"""Compiled functions called while a gradient is recorded eagerly around them."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from comparison import same

import mindspore as ms
from mindspore import JitConfig, Parameter, Tensor, jit, nn, ops
from mindspore._capture import explain

ROUNDS = 4


def ramp(*shape: int) -> Tensor:
    return Tensor(np.linspace(-1.0, 1.5, int(np.prod(shape))).astype(np.float32).reshape(shape))


def replays(function) -> int:
    """Calls inside a gradient that ran compiled."""
    return sum(entry["runs"] for entry in function._captured._differentiated.report())


def both(case, expect_compiled: bool = True, tolerance: float = 1e-5) -> list:
    """Runs `case(compiled)` eagerly and with `jit`; it returns the same. What `jit` made."""
    made = []

    def compiled(function, **options):
        made.append(jit(function, **options))
        return made[-1]

    ms.set_seed(3)
    expected = case(lambda function, **_: function)
    ms.set_seed(3)
    found = case(compiled)
    same(found, expected, "results", tolerance)
    if expect_compiled:
        assert all(replays(one) >= ROUNDS - 2 for one in made), [explain(one) for one in made]
        assert not any(one._captured._differentiated.reasons for one in made)
    return made


def test_one_output():
    def case(compiled):
        body = compiled(lambda x, w: ops.tanh(x @ w))
        step = ms.value_and_grad(lambda x, w: (body(x * 2, w) ** 2).sum(), (0, 1))
        return [step(ramp(3, 4) * k, ramp(4, 2)) for k in range(ROUNDS)]

    both(case)


def test_one_entry_of_the_tape_is_captured_once():
    def case(compiled):
        body = compiled(lambda x: ops.exp(x) * x)
        step = ms.grad(lambda x: body(body(x)).sum())
        return [step(ramp(5) * k) for k in range(ROUNDS + 2)]

    (one,) = both(case)
    assert one._captured._differentiated.captures == 1


@pytest.mark.parametrize("used", [(0,), (1,), (0, 1), (0, 1, 2)])
def test_outputs_that_nobody_differentiates(used):
    def case(compiled):
        @compiled
        def body(x):
            # The gradient of the first would not be a number if it were asked for.
            return ops.sqrt(x - x), {"b": x * 3}, [ops.sin(x), 7, "text"]

        def total(x):
            a, b, c = body(x)
            return sum((a, b["b"], c[0])[i].sum() for i in used)

        return [ms.value_and_grad(total)(ramp(4) * k) for k in range(ROUNDS)]

    both(case)


def test_other_outputs_are_differentiated_later():
    def case(compiled):
        body = compiled(lambda x: (x * x, x * 3))
        found = []
        for k in range(2 * ROUNDS):
            found.append(ms.grad(lambda x, k=k: body(x)[k % 2].sum())(ramp(3) + k))
        found.append(ms.grad(lambda x: body(x)[0].sum() + body(x)[1].sum())(ramp(3)))
        return found

    both(case)


def test_a_gradient_is_first_wanted_in_a_later_call():
    def case(compiled):
        body = compiled(lambda x: ops.exp(x))
        found = []
        for k in range(ROUNDS):
            found.append(ms.value_and_grad(lambda x: x.sum() + ops.stop_gradient(body(x)).sum())(ramp(3) * k))
        for k in range(ROUNDS):
            found.append(ms.value_and_grad(lambda x: body(x).sum())(ramp(3) * k))
        return found

    both(case)


def test_integer_inputs_and_outputs():
    def case(compiled):
        @compiled
        def body(x, where):
            return x[where], where + 1, ops.topk(x, 2)

        def total(x, where):
            picked, _, (largest, places) = body(x, where)
            return picked.sum() + largest.sum() * 2, places

        step = ms.value_and_grad(total, has_aux=True)
        return [step(ramp(5) * (k + 1), Tensor([0, 2, 2])) for k in range(ROUNDS)]

    both(case)


class Dense(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight, self.bias = Parameter(ramp(4, 3), "weight"), Parameter(ramp(3), "bias")
        self.fixed = Parameter(ramp(3), "fixed", requires_grad=False)

    def construct(self, x):
        return ops.tanh(x @ self.weight + self.bias) * self.fixed


def test_parameters_get_gradients():
    def case(compiled):
        net = Dense()
        run = compiled(lambda x: net(x))
        step = ms.value_and_grad(lambda x: run(x).sum(), 0, net.trainable_params())
        found = []
        for k in range(ROUNDS):
            value, (dx, dw) = step(ramp(2, 4) + k)
            for weight, gradient in zip(net.trainable_params(), dw, strict=True):
                ops.assign(weight, weight - gradient * 0.1)
            found.append((value, dx, dw))
        return found

    both(case)


def test_other_parameters_are_wanted():
    def case(compiled):
        net = Dense()
        run = compiled(lambda x: net(x))
        found = []
        for weights in ([net.weight], [net.bias], [net.weight, net.bias], None):
            for k in range(ROUNDS):
                position = 0 if weights is None or k % 2 else None
                found.append(ms.value_and_grad(lambda x: run(x).sum(), position, weights)(ramp(2, 4) + k))
        return found

    both(case)


def test_method_construct_is_compiled():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense, self.norm = nn.Dense(4, 3), nn.LayerNorm((3,))

        def construct(self, x, k=1):
            return self.norm(self.dense(x)) * k

    def case(compiled):
        kind = type("Net", (Net,), {"construct": compiled(Net.construct)})
        net = kind()
        for i, weight in enumerate(net.get_parameters()):
            weight.set_data(ops.ones_like(weight) / (i + 2))
        step = ms.value_and_grad(
            lambda x: (net(x, k=2) ** 2).sum(), None, ms.ParameterTuple(net.trainable_params())
        )
        return [step(ramp(2, 4) * (k + 1)) for k in range(ROUNDS)]

    both(case)


def test_parameters_as_arguments():
    def case(compiled):
        weight = Parameter(ramp(3), "w")
        body = compiled(lambda x, w: x * w * w)
        step = ms.grad(lambda x: body(x, weight).sum(), 0, [weight])
        return [step(ramp(3) + k) for k in range(ROUNDS)]

    both(case)


def test_inside_two_gradients_it_runs_eagerly():
    def case(compiled):
        body = compiled(lambda x: ops.sin(x) * x)
        inner = ms.grad(lambda x: body(x).sum())
        return [ms.grad(lambda x: inner(x).sum())(ramp(4) + k) for k in range(ROUNDS)]

    (one,) = both(case, expect_compiled=False)
    assert replays(one) == 0


def test_gradient_taken_inside():
    def case(compiled):
        inner = ms.grad(lambda x: (x**3).sum())
        body = compiled(lambda x: inner(x) * x)
        return [ms.grad(lambda x: body(x).sum())(ramp(4) + k) for k in range(ROUNDS)]

    both(case)


class Clipped(nn.Cell):
    def construct(self, x, scale):
        return ops.exp(x) * scale

    def bprop(self, x, scale, out, dout):
        return ops.clamp(dout * out * scale, -0.5, 0.5), out * dout


def test_backward_of_the_users_own():
    def case(compiled):
        clipped = Clipped()
        body = compiled(lambda x, s: clipped(x * 2, s) + x)
        return [ms.grad(lambda x, s: body(x, s).sum(), (0, 1))(ramp(4), ramp(4) * k) for k in range(ROUNDS)]

    both(case)


def test_stop_gradient():
    def case(compiled):
        body = compiled(lambda x: x * ops.stop_gradient(x * 2) + ops.stop_gradient(x))
        return [ms.grad(lambda x: body(x).sum())(ramp(4) + k) for k in range(ROUNDS)]

    both(case)


def test_nothing_to_differentiate():
    def case(compiled):
        body = compiled(lambda x: x * 2)
        constant = ramp(4)
        return [ms.value_and_grad(lambda x: (x * body(constant)).sum())(ramp(4) + k) for k in range(ROUNDS)]

    both(case)


def test_statistics_are_updated_in_place():
    def case(compiled):
        net = nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU())
        for i, weight in enumerate(net.get_parameters()):
            weight.set_data(ramp(*weight.shape) + i)
        net.set_train()
        run = compiled(lambda x: net(x))
        step = ms.value_and_grad(lambda x: (run(x) ** 2).mean(), None, net.trainable_params())
        found = [step(ramp(2, 1, 5, 5) * (k + 1)) for k in range(ROUNDS)]
        return found, [weight.asnumpy() for weight in net.get_parameters()]

    both(case, tolerance=1e-4)


def test_the_same_random_numbers():
    def case(compiled):
        drop = nn.Dropout(p=0.4)
        drop.set_train()
        body = compiled(lambda x: drop(x) * x)
        step = ms.value_and_grad(lambda x: (body(x) * ops.rand(20)).sum())
        return [step(ramp(20)) for _ in range(ROUNDS)]

    both(case)


def test_looks_take_their_ways():
    def case(compiled):
        @compiled
        def body(x):
            if x.sum() > 0:
                return x * x
            return ops.exp(x)

        signs = [1, -1] * ROUNDS
        return [ms.value_and_grad(lambda x: body(x).sum())(ops.abs(ramp(4)) * sign) for sign in signs]

    both(case, expect_compiled=False)


def test_large_looks_run_eagerly():
    def case(compiled):
        @compiled
        def body(x):
            return x * float(x.asnumpy().sum())

        return [ms.value_and_grad(lambda x: body(x).sum())(ramp(400) + k) for k in range(ROUNDS)]

    (one,) = both(case, expect_compiled=False)
    assert "reads the values" in one._captured._differentiated.reasons[0]


def test_inputs_that_come_back():
    def case(compiled):
        body = compiled(lambda x, y: (x, y, y * 2, y, x + 0))
        return [
            ms.grad(lambda x, y: sum(part.sum() * (i + 1) for i, part in enumerate(body(x * 3, y))), (0, 1))(
                ramp(3) + k, ramp(3)
            )
            for k in range(ROUNDS)
        ]

    both(case)


def test_the_same_tensor_twice():
    def case(compiled):
        body = compiled(lambda x, y: (x * y, x))

        def total(x):
            y, z = body(x, x)
            return (y * z).sum() + body(y, y)[0].sum()

        return [ms.grad(total)(ramp(3) + k) for k in range(ROUNDS)]

    both(case)


def test_views_as_arguments():
    def case(compiled):
        body = compiled(lambda x: x * x)
        return [ms.grad(lambda x: body(x.T[1:]).sum())(ramp(3, 4) + k) for k in range(ROUNDS)]

    both(case)


def test_sens_and_products():
    def case(compiled):
        body = compiled(lambda x: ops.sin(x) * 2)
        with_sens = ops.GradOperation(sens_param=True)(lambda x: body(x) * 3)
        found = [with_sens(ramp(4) + k, ramp(4) * 2) for k in range(ROUNDS)]
        for k in range(ROUNDS):
            value, pull = ms.ops.vjp(lambda x: body(x), ramp(4) + k)
            found += [value, pull(ramp(4)), pull(ramp(4) * 2)]
        return found + [ms.ops.jacrev(lambda x: body(x))(ramp(3))]

    both(case)


def test_hooks_of_inner_cells():
    def case(compiled):
        net = nn.SequentialCell(nn.ReLU(), nn.Tanh())
        net[1].register_backward_hook(lambda cell, leaving, arriving: (leaving[0] * 2,))
        body = compiled(lambda x: net(x))
        return [ms.grad(lambda x: body(x).sum())(ramp(4) + k) for k in range(ROUNDS)]

    both(case)


def test_hooks_that_do_something_make_it_eager():
    def case(compiled):
        seen = []
        net = nn.SequentialCell(nn.ReLU(), nn.Tanh())
        net[1].register_backward_hook(lambda cell, leaving, arriving: seen.append(float(leaving[0].sum())))
        body = compiled(lambda x: net(x))
        found = [ms.grad(lambda x: body(x).sum())(ramp(4) + k) for k in range(2 * ROUNDS)]
        return found, len(seen), seen[-1]

    both(case, expect_compiled=False)


def test_hook_of_a_tensor_inside():
    def case(compiled):
        @compiled
        def body(x):
            y = x * 2
            y.register_hook(lambda gradient: gradient * 3)
            return ops.sin(y)

        return [ms.grad(lambda x: body(x).sum())(ramp(4) + k) for k in range(ROUNDS)]

    both(case)


def test_state_with_a_gradient_is_kept_eagerly():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.state = Tensor(0.0)

        def construct(self, x):
            self.state = self.state + (x * x).sum()
            return x * 2

    def case(compiled):
        net = Net()
        run = compiled(lambda x: net(x))

        def total(x):
            net.state = Tensor(0.0)
            y = run(x)
            return (y * net.state).sum()

        return [ms.grad(total)(ramp(4) + k) for k in range(ROUNDS)]

    both(case, expect_compiled=False)


def test_counters_count():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.calls = 0

        def construct(self, x):
            self.calls += 1
            return x * x

    def case(compiled):
        net = Net()
        run = compiled(lambda x: net(x))
        found = [ms.grad(lambda x: run(x).sum())(ramp(4) + k) for k in range(2 * ROUNDS)]
        return found, net.calls

    both(case)


def test_tensors_from_outside():
    def case(compiled):
        held = {}
        body = compiled(lambda y: y * held["h"])

        def total(x):
            held["h"] = x * x
            return body(x * 2).sum()

        return [ms.grad(total)(ramp(4) + k) for k in range(ROUNDS)]

    both(case, expect_compiled=False)


def test_shapes_and_types_change():
    def case(compiled):
        body = compiled(lambda x, k: ops.softmax(x) ** k)
        found = []
        for n in (3, 5, 3, 5, 4):
            for dtype in (ms.float32, ms.float64):
                found.append(ms.grad(lambda x: body(x, 2).sum() + body(x, 3).max())(ramp(n).astype(dtype)))
        return found

    both(case)


def test_a_value_needed_later_is_overwritten():
    body = jit(lambda x: x * x)

    def total(x):
        held = x * 1
        y = body(held)
        held[0] = 5.0
        return y.sum()

    for _ in range(3):  # the square was taken of what stood there before
        np.testing.assert_allclose(ms.grad(total)(ramp(4)).asnumpy(), 2 * ramp(4).asnumpy())


def test_errors_name_the_function():
    @jit
    def body(x):
        return ops.reshape(x, (5,))

    for _ in range(3):
        with pytest.raises(ValueError, match="reshape"):
            ms.grad(lambda x: body(x).sum())(ramp(4))


def test_strict_functions_say_why():
    seen = []

    @jit(jit_config=JitConfig(jit_syntax_level="STRICT"))
    def body(x):
        seen.append(1)
        return x * 2

    ms.grad(lambda x: body(x).sum())(ramp(4))
    with pytest.raises(RuntimeError, match="'.*body inside a gradient' cannot be compiled: it changes"):
        ms.grad(lambda x: body(x).sum())(ramp(4))


def test_values_are_not_kept_alive():
    body = jit(lambda x: ops.exp(ops.sin(x)))
    inputs = []
    for k in range(5):
        x = ramp(1000) + k
        inputs.append(weakref.ref(x))
        ms.grad(lambda x: body(x).sum())(x)
    del x
    gc.collect()
    assert [one() for one in inputs] == [None] * 5


def test_cells_in_graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        net = nn.Dense(4, 3)
        ms.set_context(mode=ms.PYNATIVE_MODE)
        expected = [ms.ops.vjp(net, ramp(2, 4) + k)[1](ramp(2, 3)) for k in range(ROUNDS)]
        ms.set_context(mode=ms.GRAPH_MODE)
        found = [ms.ops.vjp(net, ramp(2, 4) + k)[1](ramp(2, 3)) for k in range(ROUNDS)]
        same(found, expected, "results", 1e-4)
        assert replays(net) >= ROUNDS - 2
        reference = weakref.ref(net)
        del net
        gc.collect()
        assert reference() is None
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def _overwrites(x, u):
    u[0] = x[0, 0] * 3
    return (x * x).sum()


def _overwrites_with_a_number(x, u):
    u[0] = 5.0
    return (x * x).sum()


def _is_overwritten(x, u):
    x[1, 0] = x[0, 1] * 2
    return (u * u).sum() + x.sum()


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (_overwrites, [[20, 4], [0, 8]]),
        (_overwrites_with_a_number, [[2, 4], [0, 8]]),
        (_is_overwritten, [[1, 19], [0, 9]]),
    ],
)
@pytest.mark.parametrize("form", ["eager", "compiled inside", "compiled as a whole"])
def test_an_argument_is_a_view_of_another_one(function, expected, form):
    step = ms.grad(ms.jit(function) if form == "compiled inside" else function)
    step = ms.jit(step) if form == "compiled as a whole" else step
    for _ in range(4):
        x = Tensor(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32))
        assert step(x, x[1]).asnumpy().tolist() == expected
