# SPDX-License-Identifier: Apache-2.0
"""Cells, objects, defaults and tensors are changed between the calls of a function that uses them."""

from __future__ import annotations

import functools

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from programs import ramp, script

X = [1.0, 2.0, 3.0]


def _thrice(run, *args):
    return [run(*args) for _ in range(3)]


@script
def class_attribute_of_a_cell(compiled):
    class Net(nn.Cell):
        scale = 2.0

        def construct(self, x):
            return x * self.scale

    net = Net()
    found = _thrice(net, Tensor(X))
    Net.scale = 3.0
    return found + _thrice(net, Tensor(X))


@script
def attribute_of_a_cell(compiled):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.scale = 2.0
            self.inner = nn.LeakyReLU(0.1)

        def construct(self, x):
            return self.inner(x * self.scale)

    net = Net()
    found = _thrice(net, Tensor(X))
    net.scale = -3.0
    found += _thrice(net, Tensor(X))
    net.inner = nn.Tanh()
    return found + _thrice(net, Tensor(X))


@script
def list_of_a_cell(compiled):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.sizes = [1.0, 2.0]
            self.options = {"scale": {"x": 2.0}}

        def construct(self, x):
            for size in self.sizes:
                x = x * size
            return x * self.options["scale"]["x"]

    net = Net()
    found = _thrice(net, Tensor(X))
    net.sizes.append(4.0)
    found += _thrice(net, Tensor(X))
    net.options["scale"]["x"] = 3.0
    return found + _thrice(net, Tensor(X))


@script
def cell_used_by_a_function(compiled):
    net = nn.SequentialCell(nn.Dense(3, 3), nn.Dropout(p=0.5))
    run = compiled(lambda x: net(x.reshape(1, 3)))
    found = _thrice(run, Tensor(X))
    net.set_train()
    found += _thrice(run, Tensor(X))
    net[0].weight.set_data(ops.ones_like(net[0].weight))
    net.set_train(False)
    return found + _thrice(run, Tensor(X))


@script
def parameter_set_between_calls(compiled):
    net = nn.Dense(3, 2)
    x = Tensor(ramp(2, 3))
    found = _thrice(net, x)
    net.weight.set_data(net.weight * 3)
    found += _thrice(net, x)
    ops.assign(net.bias, Tensor([5.0, 6.0]))
    found += _thrice(net, x)
    net.weight[0] = 1.0
    return found + _thrice(net, x)


@script
def parameter_replaced(compiled):
    net = nn.Dense(3, 2, has_bias=False)
    x = Tensor(ramp(2, 3))
    found = _thrice(net, x)
    net.weight = Parameter(net.weight * 2, name="weight")
    return found + _thrice(net, x)


@script
def parameter_gets_another_shape(compiled):
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    run = compiled(lambda x: (x * p.sum(), p.shape))
    found = _thrice(run, Tensor(X))
    p.set_data(Tensor([1.0, 2.0, 3.0]), slice_shape=True)
    found += _thrice(run, Tensor(X))
    p.set_data(Tensor([4.0, 5.0, 6.0]))
    return found + _thrice(run, Tensor(X))


@script
def parameters_get_another_type(compiled):
    net = nn.Dense(3, 2)
    x = Tensor(ramp(2, 3))
    found = _thrice(net, x)
    for parameter in net.get_parameters():
        parameter.set_dtype(ms.float16)
    return found + _thrice(net, x.astype(ms.float16))


@script
def parameter_gets_another_shape_inside(compiled):
    p = Parameter(Tensor([1.0, 2.0]), name="p")

    def grow(x):
        p.set_data(ops.concat((p, p[:1])), slice_shape=True)
        return x * p.sum()

    run = compiled(grow)
    return [run(Tensor(X)) for _ in range(6)], p + 0


@script
def default_argument_changed(compiled):
    def scaled(x, factors=[2.0]):
        return x * factors[0]

    run = compiled(lambda x: scaled(x))
    found = _thrice(run, Tensor(X))
    scaled.__defaults__[0][0] = 4.0
    found += _thrice(run, Tensor(X))
    scaled.__defaults__ = ([6.0],)
    return found + _thrice(run, Tensor(X))


@script
def own_default_argument_changed(compiled):
    def scaled(x, factors=[2.0], *, shift={"s": 1.0}):
        return x * factors[0] + shift["s"]

    run = compiled(scaled)
    found = _thrice(run, Tensor(X))
    scaled.__defaults__[0][0] = 4.0
    found += _thrice(run, Tensor(X))
    scaled.__kwdefaults__["shift"]["s"] = 6.0
    return found + _thrice(run, Tensor(X))


@script
def partial_of_a_list(compiled):
    factors = [2.0]
    scaled = functools.partial(lambda f, x: x * f[0], factors)
    run = compiled(lambda x: scaled(x))
    found = _thrice(run, Tensor(X))
    factors[0] = 3.0
    return found + _thrice(run, Tensor(X))


@script
def partial_is_compiled(compiled):
    factors = [2.0]

    def scaled(f, x, power=1):
        return (x * f[0]) ** power

    run = compiled(functools.partial(scaled, factors, power=2))
    found = _thrice(run, Tensor(X))
    factors[0] = 3.0
    return found + _thrice(run, Tensor(X))


@script
def bound_method_in_a_list(compiled):
    class Worker:
        def __init__(self):
            self.factor = 2.0

        def apply(self, x):
            return x * self.factor

    worker = Worker()
    steps = [worker.apply]
    run = compiled(lambda x: steps[0](x))
    found = _thrice(run, Tensor(X))
    worker.factor = 4.0
    return found + _thrice(run, Tensor(X))


@script
def bound_method_is_compiled(compiled):
    class Worker:
        def __init__(self):
            self.factor = 2.0

        def apply(self, x):
            return x * self.factor

    worker = Worker()
    run = compiled(worker.apply)
    found = _thrice(run, Tensor(X))
    worker.factor = 4.0
    return found + _thrice(run, Tensor(X))


@script
def object_with_slots(compiled):
    class Worker:
        __slots__ = ("factor",)

        def __init__(self):
            self.factor = 2.0

    worker = Worker()
    run = compiled(lambda x: x * worker.factor)
    found = _thrice(run, Tensor(X))
    worker.factor = 4.0
    return found + _thrice(run, Tensor(X))


@script
def tensor_in_an_outer_list(compiled):
    held = [Tensor([1.0, 1.0, 1.0]), {"t": Tensor(2.0)}]
    run = compiled(lambda x: x * held[0] + held[1]["t"])
    found = _thrice(run, Tensor(X))
    held[0] = Tensor([2.0, 3.0, 4.0])
    found += _thrice(run, Tensor(X))
    held[0][1] = 9.0
    held[1]["t"] = Tensor(7.0)
    return found + _thrice(run, Tensor(X))


@script
def outer_tensor_written(compiled):
    held = Tensor([1.0, 1.0, 1.0])
    run = compiled(lambda x: x * held)
    found = _thrice(run, Tensor(X))
    held[0] = 5.0
    return found + _thrice(run, Tensor(X))


@script
def outer_tensor_read_by_python(compiled):
    limit = Tensor(2.0)
    flag = Tensor([1, 0, 1])

    def clipped(x):
        y = x if flag[0] else -x
        return y * float(limit)

    run = compiled(clipped)
    found = _thrice(run, Tensor(X))
    ops.assign(limit, Tensor(5.0))
    found += _thrice(run, Tensor(X))
    flag[0] = 0
    return found + _thrice(run, Tensor(X))


@script
def outer_parameter_read_by_python(compiled):
    limit = Parameter(Tensor(2.0), name="limit")
    run = compiled(lambda x: x * float(limit))
    found = _thrice(run, Tensor(X))
    limit.set_data(Tensor(5.0))
    return found + _thrice(run, Tensor(X))


@script
def view_of_an_outer_tensor(compiled):
    held = Tensor(ramp(3, 3))
    row, column = held[1], held[:, 1]
    run = compiled(lambda x: (x * row, x * column, x * held))
    found = _thrice(run, Tensor(X))
    held[1, 1] = 50.0
    return found + _thrice(run, Tensor(X))


@script
def parts_of_an_outer_tensor_are_exchanged(compiled):
    held = Tensor(ramp(3, 200))
    row = held[1]

    def moved(x):
        held[0] = held[1]
        held[2] = row
        held[1] = x
        return held.sum()

    run = compiled(moved)
    return [run(Tensor(float(k))) for k in range(4)], held


@script
def branch_after_a_change(compiled):
    """The way that is not taken relies on something else."""
    first, second = [1.0], [2.0]

    def choose(x):
        if x[0] > 0:
            return x * first[0]
        return x * second[0]

    run, found = compiled(choose), []
    plus, minus = Tensor(X), -Tensor(X)
    found += [run(plus), run(minus), run(plus), run(minus)]
    first[0] = 10.0
    found += [run(plus), run(minus), run(plus), run(minus)]
    second[0] = 20.0
    return found + [run(plus), run(minus), run(plus), run(minus)]


@script
def precision_changed(compiled):
    net = nn.Dense(3, 2)
    x = Tensor(ramp(2, 3))
    found = _thrice(net, x)
    net.to_float(ms.float16)
    return found + _thrice(net, x)


@script
def hook_added_and_removed(compiled):
    net = nn.ReLU()
    found = _thrice(net, Tensor(X))
    handle = net.register_forward_hook(lambda cell, inputs, output: output * 3)
    found += _thrice(net, Tensor(X))
    handle.remove()
    return found + _thrice(net, Tensor(X))


@script
def mode_switched(compiled):
    class Net(nn.Cell):
        def construct(self, x):
            return x * 2

    net, found, before = Net(), [], ms.get_context("mode")
    for mode in (ms.PYNATIVE_MODE, before, ms.PYNATIVE_MODE, before):
        ms.set_context(mode=mode)
        found += _thrice(net, Tensor(X))
    return found
