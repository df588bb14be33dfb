# SPDX-License-Identifier: Apache-2.0
"""Corners: buffers from outside, library calls with effects, hooks that print, names looked up by text."""

from __future__ import annotations

import array
import collections
import sys
import threading
import types
import weakref

import numpy as np

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from programs import f32, program, ramp, script

X = [1.0, 2.0, 3.0]
factor = 2.0


def _thrice(run, *args):
    return [run(*args) for _ in range(3)]


@script
def buffer_from_outside(compiled):
    buffer = ops.zeros((3,), ms.float32)

    def store(x, k):
        buffer[k] = x.sum()
        return buffer * 2

    run = compiled(store)
    return [run(Tensor(X) * k, k % 3) for k in range(7)], buffer


@script
def set_data_inside(compiled):
    p = Parameter(Tensor(X), name="p")

    def step(x):
        p.set_data(p * 2 + x)
        return p + 1

    return _thrice(compiled(step), Tensor(X)), p + 0


@script
def seed_set_inside(compiled):
    def draw(x):
        ms.set_seed(11)
        return x * ops.standard_normal((3,))

    return _thrice(compiled(draw), Tensor(X))


@script
def training_switched_inside(compiled):
    net = nn.Dropout(p=0.5)

    def both(x):
        net.set_train(True)
        y = net(x)
        net.set_train(False)
        return y + net(x)

    return _thrice(compiled(both), Tensor(X)), net.training


@script
def requires_grad_switched_inside(compiled):
    p = Parameter(Tensor(X), name="p")

    def freeze(x):
        p.requires_grad = not p.requires_grad
        return x * p

    run = compiled(freeze)
    return [run(Tensor(X)) for _ in range(7)], p.requires_grad


@script
def hook_prints(compiled):
    def inner(x):
        y = x * 2
        y.register_hook(lambda gradient: print("gradient", gradient))
        return (y * y).sum()

    run = compiled(lambda x: ms.grad(inner)(x))
    return [run(Tensor(X) * k) for k in (1, 2, 3)]


@script
def hook_stores(compiled):
    seen = []

    def inner(x):
        y = x * 2
        y.register_hook(lambda gradient: seen.append(gradient))
        return (y * y).sum()

    run = compiled(lambda x: ms.grad(inner)(x))
    return [run(Tensor(X) * k) for k in (1, 2, 3)], seen


@script
def hook_on_an_argument(compiled):
    gradient = ms.grad(lambda x: (x * x).sum())
    found = []
    for k in range(4):
        x = Tensor(X)
        if k % 2:
            x.register_hook(lambda g: g * 10)
        found.append(gradient(x))
    return found


@script
def names_by_text(compiled):
    global factor
    run, found = compiled(lambda x: x * globals()["factor"] + eval("factor")), []
    for value in (2.0, 2.0, 5.0, 5.0):
        factor = value
        found.append(run(Tensor(X)))
    return found


@script
def attributes_by_text(compiled):
    options = types.SimpleNamespace(scale=2.0)
    run, found = compiled(lambda x: x * getattr(options, "sca" + "le") + vars(options)["scale"]), []
    for value in (2.0, 2.0, 5.0, 5.0):
        options.scale = value
        found.append(run(Tensor(X)))
    return found


settings = types.ModuleType("settings")
settings.rate = 2.0


@script
def attribute_of_a_module(compiled):
    run, found = compiled(lambda x: x * settings.rate), []
    for value in (2.0, 2.0, 5.0, 5.0):
        settings.rate = value
        found.append(run(Tensor(X)))
    return found


@script
def other_containers(compiled):
    queue, numbers = collections.deque([1.0, 2.0]), array.array("d", [1.0, 2.0])
    letters, chain = bytearray(b"ab"), collections.ChainMap({"a": 1.0}, {"b": 2.0})
    kinds = {1, 2}

    def total(x):
        return x * queue[0] + numbers[1] + letters[0] + chain["a"] * chain["b"] + sum(kinds)

    run, found = compiled(total), _thrice(compiled(total), Tensor(X))

    def change():
        queue[0] = 5.0
        yield
        numbers[1] = 7.0
        yield
        letters[0] = 99
        yield
        chain.maps[1]["b"] = 4.0
        yield
        kinds.add(30)
        yield

    for _ in change():
        found += _thrice(run, Tensor(X))
    return found


@script
def weakly_held(compiled):
    class Box:
        value = 2.0

    box = Box()
    reference = weakref.ref(box)
    run = compiled(lambda x: x * reference().value)
    found = _thrice(run, Tensor(X))
    box.value = 3.0
    return found + _thrice(run, Tensor(X))


@script
def compiled_method_of_a_class(compiled):
    class Worker:
        def __init__(self):
            self.scale, self.total = 2.0, Tensor(0.0)

        def work(self, x):
            self.total = self.total + x.sum()
            return x * self.scale

    Worker.work = compiled(Worker.work)
    first, second = Worker(), Worker()
    found = _thrice(first.work, Tensor(X)) + _thrice(second.work, Tensor(X))
    second.scale = 5.0
    found += _thrice(first.work, Tensor(X)) + _thrice(second.work, Tensor(X))
    return found, first.total, second.total


@script
def dynamic_attributes(compiled):
    class Options:
        def __init__(self):
            self._data = {"scale": 2.0}

        def __getattr__(self, name):
            try:
                return self.__dict__["_data"][name]
            except KeyError:
                raise AttributeError(name) from None

    options = Options()
    run = compiled(lambda x: x * options.scale)
    found = _thrice(run, Tensor(X))
    options._data["scale"] = 4.0
    return found + _thrice(run, Tensor(X))


@script
def iterator_as_an_argument(compiled):
    run = compiled(lambda x, values: x * sum(values))
    numbers = iter([1.0, 2.0])
    return [run(Tensor(X), numbers), run(Tensor(X), numbers), run(Tensor(X), iter([4.0]))]


@script
def several_threads(compiled):
    run = compiled(lambda x: x * 2 if x.sum() > 0 else x - 1)
    found = {}

    def work(k):
        found[k] = [run(Tensor(X) * (k - 2)) for _ in range(20)][-1]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [found[k] for k in range(4)]


@program((ramp(3),))
def thread_inside(x):
    found = []
    worker = threading.Thread(target=lambda: found.append(3.0))
    worker.start()
    worker.join()
    return x * found[0]


@program((f32(1.0, 2.0),))
class SubclassedList(nn.Cell):
    class Layers(nn.CellList):
        def total(self, x):
            return sum(layer(x) for layer in self)

    def __init__(self):
        super().__init__()
        self.layers = self.Layers([nn.Tanh(), nn.ReLU()])

    def construct(self, x):
        return self.layers.total(x)


@program((f32(1.0, 2.0),))
class CellDictInside(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellDict({"a": nn.Tanh(), "b": nn.ReLU()})

    def construct(self, x):
        for name in self.layers.keys():
            x = self.layers[name](x) + 1
        return x


@program((f32(1.0, 2.0),))
class ReturnsItself(nn.Cell):
    def construct(self, x):
        return x, self.training, type(self).__name__


@script
def warns(compiled):
    import warnings

    def work(x):
        warnings.warn("careful", stacklevel=1)
        return x * 2

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = _thrice(compiled(work), Tensor(X))
    return found, len(caught)


@script
def writes_to_stdout(compiled):
    def work(x):
        sys.stdout.write("written\n")
        return x * 2

    return _thrice(compiled(work), Tensor(X))


@script
def array_attribute(compiled):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.table = np.array([1.0, 2.0, 3.0], np.float32)

        def construct(self, x):
            return x * Tensor(self.table)

    net = Net()
    found = _thrice(net, Tensor(X))
    net.table[1] = 50.0
    return found + _thrice(net, Tensor(X))


@script
def constant_tensor_changed_by_the_caller(compiled):
    run = compiled(lambda x: (x * 2, Tensor([1.0, 2.0])))
    first = run(Tensor(X))
    first[1][0] = 100.0
    second = run(Tensor(X))
    second[1][0] = 200.0
    return first, second, run(Tensor(X))


@script
def array_changed_by_the_caller(compiled):
    run, found = compiled(lambda x: (x * 2, np.ones(2))), []
    for _ in range(3):
        array_ = run(Tensor(X))[1]
        array_ += 1
        found.append(array_)
    return found


@script
def global_made_inside(compiled):
    def work(x):
        global made_inside
        made_inside = x * 2
        return made_inside + 1

    found = _thrice(compiled(work), Tensor(X))
    return found, globals().pop("made_inside")


@script
def set_changed_by_the_caller(compiled):
    run, found = compiled(lambda x: (x * 2, {1, 2}, {"k": {3}})), []
    for _ in range(3):
        _, one, table = run(Tensor(X))
        found.append((sorted(one), sorted(table["k"])))
        one.add(9)
        table["k"].add(9)
    return found
