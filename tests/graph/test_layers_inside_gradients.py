# SPDX-License-Identifier: Apache-2.0
"""Layers, writes, errors and switches in compiled functions that are called inside an eager gradient."""

from __future__ import annotations

import collections

from test_calls_inside_gradients import ROUNDS, both, ramp

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops


def filled(cell: nn.Cell) -> nn.Cell:
    for parameter in cell.get_parameters():
        parameter.set_data(ramp(*parameter.shape).astype(parameter.dtype) * 0.3)
    return cell


def gradients_of(run, cell, *shape: int, rounds: int = ROUNDS) -> list:
    step = ms.value_and_grad(lambda x: run(x).sum(), 0, cell.trainable_params())
    return [step(ramp(*shape) + k) for k in range(rounds)]


def test_computed_again_inside():
    def case(compiled):
        net = filled(nn.SequentialCell(nn.Dense(4, 4), nn.Tanh()))
        net[0].recompute()
        return gradients_of(compiled(lambda x: net(x)), net, 2, 4)

    both(case)


def test_computed_again_around():
    def case(compiled):
        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.run = compiled(lambda x: ops.dropout(x, 0.5) * x)

            def construct(self, x):
                return self.run(x)

        net = Net()
        net.set_train()
        net.recompute()
        return [ms.grad(lambda x: net(x).sum())(ramp(20) + k) for k in range(ROUNDS)]

    both(case, expect_compiled=False)


def test_another_compute_type():
    def case(compiled):
        net = filled(nn.Dense(4, 4)).to_float(ms.float16)
        return gradients_of(compiled(lambda x: net(x)), net, 2, 4)

    both(case, tolerance=1e-3)


def test_recurrent_layer():
    def case(compiled):
        net = filled(nn.LSTM(3, 4, batch_first=True))
        return gradients_of(compiled(lambda x: net(x)[0]), net, 2, 5, 3)

    both(case)


def test_training_switched_on_and_off():
    def case(compiled):
        net = filled(nn.SequentialCell(nn.Dense(4, 4), nn.Dropout(p=0.5), nn.BatchNorm1d(4)))
        run, found = compiled(lambda x: net(x)), []
        step = ms.value_and_grad(lambda x: run(x).sum(), 0, net.trainable_params())
        for k in range(3 * ROUNDS):
            net.set_train(k % 2 == 0)
            found.append(step(ramp(3, 4) + k))
        return found, [parameter.asnumpy() for parameter in net.get_parameters()]

    both(case)


def test_gradients_of_a_parameter_switched_on_and_off():
    def case(compiled):
        net = filled(nn.Dense(4, 4))
        run, found = compiled(lambda x: net(x)), []
        for k in range(2 * ROUNDS):
            net.weight.requires_grad = k % 3 != 0
            found.append(ms.value_and_grad(lambda x: run(x).sum(), 0, [net.weight, net.bias])(ramp(2, 4) + k))
        return found

    both(case)


def test_the_same_function_for_several_layers():
    def case(compiled):
        layers = [filled(nn.Dense(4, 4)) for _ in range(3)]
        weights = [weight for layer in layers for weight in layer.trainable_params()]
        run = compiled(lambda layer, x: ops.tanh(layer(x)))

        def total(x):
            for layer in layers:
                x = run(layer, x)
            return x.sum()

        return [ms.value_and_grad(total, 0, weights)(ramp(2, 4) + k) for k in range(ROUNDS)]

    both(case)


def test_parameters_of_other_types():
    def case(compiled):
        half = Parameter(ramp(3).astype(ms.float16), "half")
        whole = Parameter(Tensor([1, 2, 3], ms.int32), "whole", requires_grad=False)
        run = compiled(lambda x: x * half * whole)
        return [ms.grad(lambda x: run(x).sum(), 0, [half])(ramp(3) + k) for k in range(ROUNDS)]

    both(case, tolerance=1e-3)


def test_nothing_is_recorded_in_a_part():
    def case(compiled):
        def body(x):
            with ms.no_grad():
                y = x * 3
            return y * x

        run = compiled(body)

        def total(x):
            with ms.no_grad():
                y = run(x)
            return (run(x) * y).sum()

        return [ms.grad(total)(ramp(4) + k) for k in range(ROUNDS)]

    both(case)


def test_results_and_copies_are_written():
    def case(compiled):
        def body(x):
            x = x * 1
            x[1] = x[0] * 3
            return ops.exp(x)

        run = compiled(body)

        def total(x):
            y = run(x)
            y[0] = 5.0
            return (y * y).sum()

        return [ms.grad(total)(ramp(4) + k) for k in range(ROUNDS)]

    both(case)


def test_a_parameter_is_written_between_two_calls():
    def case(compiled):
        weight = Parameter(ramp(3), "w")
        run = compiled(lambda x: x * weight * weight)

        def total(x):
            y = run(x)
            ops.assign(weight, weight * 0.5)
            return (y * run(x)).sum()

        return [ms.grad(total, 0, [weight])(ramp(3) + k) for k in range(ROUNDS)], weight.asnumpy()

    both(case)


def test_errors_forward_and_backward():
    def case(compiled):
        def body(x, fails):
            if x.sum() > 100:
                raise ValueError("too large")
            y = x * 2

            def hook(gradient):
                if fails:
                    raise KeyError("in the hook")
                return gradient * 3

            y.register_hook(hook)
            return y * y

        run, found = compiled(body), []
        for factor, fails in (
            (1, False),
            (1, False),
            (1000, False),
            (1, True),
            (1, False),
            (1, True),
            (2, False),
        ):
            try:
                found.append(ms.grad(lambda x, f=fails: run(x, f).sum())(ops.abs(ramp(3)) * factor))
            except (KeyError, ValueError) as error:
                found.append(type(error).__name__)
        return found

    both(case, expect_compiled=False)


def test_shapes_that_values_decide():
    def case(compiled):
        run = compiled(lambda x: ops.masked_select(x, x > 0) * 2)
        return [ms.grad(lambda x: run(x).sum())(ramp(6) - k * 0.3) for k in range(2 * ROUNDS)]

    both(case, expect_compiled=False)


def test_what_cannot_be_cut_out_stays_with_the_outer_gradient():
    class Doubled(nn.Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            return (dout * 3,)

    def case(compiled):
        net, held = filled(nn.SequentialCell(nn.Dense(4, 4), Doubled(), nn.Dense(4, 4))), {}
        run = compiled(lambda x: net(x) * held["factor"])

        def total(x):
            held["factor"] = x * x  # a tensor from outside that a gradient goes to
            return run(x).sum()

        step = ms.value_and_grad(total, 0, net.trainable_params())
        found = [step(ramp(2, 4) + k) for k in range(ROUNDS)]
        return found + [ms.ops.vjp(net, ramp(2, 4) + k)[1](ramp(2, 4)) for k in range(ROUNDS)]

    both(case, expect_compiled=False)
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        both(case, expect_compiled=False)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


def test_containers_in_and_out():
    pair = collections.namedtuple("pair", "a b")

    def case(compiled):
        run = compiled(lambda p, d: (pair(p.a * d["k"], p.b), {"z": p.b * 2}))

        def total(a, b):
            first, second = run(pair(a, b), {"k": b})
            return (first.a * first.b).sum() + second["z"].sum()

        return [ms.grad(total, (0, 1))(ramp(3) + k, ramp(3)) for k in range(ROUNDS)]

    both(case)
