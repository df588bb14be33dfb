# SPDX-License-Identifier: Apache-2.0
"""Functions that change globals, variables, arguments and objects around them."""

from __future__ import annotations

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from programs import ramp, script

calls = 0
last = None
memory = []
X = [1.0, 2.0, 3.0]


def _often(run, *args):
    return [run(*args) for _ in range(5)]


class _Memory(nn.Cell):
    def __init__(self):
        super().__init__()
        self.state = Tensor([0.0, 0.0])

    def construct(self, x):
        before = self.state
        self.state = ops.tanh(x + before)
        return before


@script
def counter_of_a_module(compiled):
    global calls
    calls = 0

    def count(x):
        global calls
        calls += 1
        return x * 2

    run = compiled(count)
    return _often(run, Tensor(X)), calls


@script
def global_tensor(compiled):
    global last
    last = None

    def keep(x):
        global last
        last = x * 2
        return last + 1

    run = compiled(keep)
    return _often(run, Tensor(X)), last


@script
def variable_of_an_outer_function(compiled):
    total = Tensor([0.0, 0.0, 0.0])

    def add(x):
        nonlocal total
        total = total + x
        return total * 2

    run = compiled(add)
    return _often(run, Tensor(X)), total


@script
def outer_list_grows(compiled):
    memory.clear()

    def keep(x):
        memory.append(x * 2)
        return x

    run = compiled(keep)
    found = [run(Tensor(X) * k) for k in range(4)]
    return found, list(memory)


@script
def list_argument_grows(compiled):
    def keep(values, x):
        values.append(x * 2)
        return x + len(values)

    run, found, values = compiled(keep), [], []
    for k in range(4):
        found.append(run(values, Tensor(X) * k))
    return found, values


@script
def list_argument_is_changed(compiled):
    def scale(values):
        for k, value in enumerate(values):
            values[k] = value * 2
        return sum(values)

    run, values = compiled(scale), [Tensor(1.0), Tensor(2.0)]
    found = [run(values) for _ in range(3)]
    return found, values


@script
def dict_argument_is_changed(compiled):
    def enter(table, x):
        table["y"] = x * 2
        return table["x"] + 1

    run, table = compiled(enter), {"x": Tensor(1.0)}
    found = [run(table, Tensor(3.0)) for _ in range(3)]
    return found, table


@script
def object_argument_is_changed(compiled):
    class State:
        def __init__(self):
            self.value = Tensor(1.0)

    def step(state, x):
        state.value = state.value * 2 + x
        return state.value + 1

    run, state = compiled(step), State()
    found = [run(state, Tensor(3.0)) for _ in range(4)]
    return found, state.value


@script
def state_handed_through(compiled):
    def step(state, x):
        return {"sum": state["sum"] + x, "n": state["n"] + 1}

    run, state = compiled(step), {"sum": Tensor(0.0), "n": Tensor(0)}
    for k in range(5):
        state = run(state, Tensor(float(k)))
    return state


@script
def state_set_from_outside(compiled):
    net = _Memory()
    x = Tensor([1.0, 2.0])
    found = _often(net, x)
    net.state = Tensor([5.0, 5.0])
    found += _often(net, x)
    return found, net.state


@script
def state_gets_another_shape(compiled):
    class Grows(nn.Cell):
        def __init__(self):
            super().__init__()
            self.seen = Tensor([0.0])

        def construct(self, x):
            if self.seen.shape[0] < 4:
                self.seen = ops.concat((self.seen, x))
            return self.seen.sum()

    net = Grows()
    return _often(net, Tensor([2.0])), net.seen


@script
def state_is_the_argument(compiled):
    class Keeps(nn.Cell):
        def __init__(self):
            super().__init__()
            self.before = Tensor([0.0, 0.0, 0.0])

        def construct(self, x):
            difference = x - self.before
            self.before = x
            return difference

    net = Keeps()
    return [net(Tensor(X) * k) for k in (1, 3, 6, 10)], net.before


@script
def state_and_gradient(compiled):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = Parameter(Tensor(X), name="w")
            self.seen = Tensor(0.0)

        def construct(self, x):
            y = (x * self.weight).sum()
            self.seen = ops.stop_gradient(y)
            return y * y

    net = Net()
    run = ms.value_and_grad(net, 0, net.trainable_params())
    return [run(Tensor(X) * k) for k in (1, 2, 3)], net.seen


@script
def new_object_each_call(compiled):
    class Box:
        def __init__(self, value):
            self.value = value
            self.log = []

        def add(self, x):
            self.value = self.value + x
            self.log.append("added")
            return self

    def work(x):
        box = Box(x)
        box.add(x).add(x * 2)
        return box.value, box.log

    return _often(compiled(work), Tensor(X))


@script
def local_containers_change(compiled):
    def work(x):
        seen, table = [], {}

        def note(name, value):
            seen.append(name)
            table[name] = value

        note("a", x)
        note("b", x * 2)
        return seen, table

    return _often(compiled(work), Tensor(X))


@script
def raised_after_an_update(compiled):
    net = nn.Dense(3, 1)

    def step(x):
        ops.assign_add(net.bias, Tensor([1.0]))
        if x.sum() < 0:
            raise ValueError("negative")
        return net.bias + 0

    run, found = compiled(step), []
    for k in (1, -1, 1, -1, 1):
        try:
            found.append(run(Tensor(ramp(3)) * k))
        except ValueError as error:
            found.append(str(error))
    return found, net.bias + 0
