# SPDX-License-Identifier: Apache-2.0
"""Changes between calls in places where few look for them."""

from __future__ import annotations

import functools
import threading
import types

import mindspore as ms
from mindspore import Parameter, Tensor, nn
from programs import script

X = [1.0, -2.0, 3.0]


class ListWithAttributes(list):
    pass


class NumberWithAttributes(float):
    pass


def _before_and_after(run, *changes) -> list:
    found = [run(Tensor(X)) for _ in range(3)]
    for change in changes:
        change()
        found += [run(Tensor(X)) for _ in range(3)]
    return found


@script
def attributes_of_containers_and_numbers(compiled):
    items, number = ListWithAttributes([1.0]), NumberWithAttributes(1.0)
    items.scale, number.shift = 2.0, 1.0
    run = compiled(lambda x: x * items.scale + number.shift)
    return _before_and_after(run, lambda: setattr(items, "scale", 3.0), lambda: setattr(number, "shift", 5.0))


@script
def attributes_of_tensors(compiled):
    tensor, parameter = Tensor([2.0]), Parameter(Tensor([2.0]), "p")
    tensor.scale, parameter.shift = 2.0, [1.0]
    run = compiled(lambda x: x * tensor.scale + parameter.shift[0])
    return _before_and_after(
        run, lambda: setattr(tensor, "scale", 3.0), lambda: parameter.shift.__setitem__(0, 5.0)
    )


@script
def result_that_is_remembered(compiled):
    box = [2.0]

    @functools.lru_cache
    def factor():
        return box[0]

    factor()  # known before the first capture

    def forget():
        box[0] = 5.0
        factor.cache_clear()

    return _before_and_after(compiled(lambda x: x * factor()), forget)


@script
def event_is_set(compiled):
    event = threading.Event()
    return _before_and_after(compiled(lambda x: x * 2 if event.is_set() else x), event.set, event.clear)


@script
def object_of_another_class(compiled):
    first, second = type("First", (), {"scale": 2.0}), type("Second", (), {"scale": 3.0})
    held = first()
    return _before_and_after(compiled(lambda x: x * held.scale), lambda: setattr(held, "__class__", second))


@script
def class_of_a_class(compiled):
    class Meta(type):
        scale = 2.0

    class Net(metaclass=Meta):
        pass

    return _before_and_after(compiled(lambda x: x * Net.scale), lambda: setattr(Meta, "scale", 3.0))


@script
def fields_behind_the_back_of_a_cell(compiled):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.scale, self.inner = 2.0, nn.ReLU()

        def construct(self, x):
            for cell in self.cells():
                x = cell(x)
            return x * self.scale

    net = Net()
    return _before_and_after(
        net, lambda: vars(net).update(scale=3.0), lambda: net._cells.__setitem__("inner", nn.Tanh())
    )


@script
def containers_of_cells(compiled):
    in_list, in_dict = nn.CellList([nn.ReLU(), nn.Tanh()]), nn.CellDict({"a": nn.ReLU()})
    chain = nn.SequentialCell(nn.Sigmoid(), nn.Tanh())

    def run(x):
        for cell in in_list:
            x = cell(x)
        return chain(in_dict["a"](x))

    return _before_and_after(
        compiled(run),
        lambda: in_list.__setitem__(0, nn.Sigmoid()),
        lambda: in_list.append(nn.Tanh()),
        lambda: in_list.__delitem__(0),
        lambda: in_dict.update({"a": nn.Tanh()}),
        lambda: chain.append(nn.ReLU()),
        lambda: chain.__setitem__(0, nn.Tanh()),
    )


@script
def function_entered_anew(compiled):
    known = {}

    def enter(function):
        known[function.__name__] = function
        return function

    @enter
    def scaled(x):
        return x * 2

    def again():
        @enter
        def scaled(x):
            return x * 7

    return _before_and_after(compiled(lambda x: known["scaled"](x)), again)


@script
def function_for_another_type(compiled):
    @functools.singledispatch
    def scaled(x):
        return x * 2

    return _before_and_after(compiled(lambda x: scaled(x)), lambda: scaled.register(Tensor, lambda x: x * 5))


@script
def descriptor_and_proxy(compiled):
    class First:
        def __get__(self, owner, kind):
            return owner.values[0]

    class Held:
        scale = First()

        def __init__(self):
            self.values = [2.0]

    class Proxy:
        def __init__(self, target):
            object.__setattr__(self, "_target", target)

        def __getattr__(self, name):
            return getattr(self._target, name)

    held, behind = Held(), types.SimpleNamespace(shift=1.0)
    proxy = Proxy(behind)
    return _before_and_after(
        compiled(lambda x: x * held.scale + proxy.shift),
        lambda: held.values.__setitem__(0, 3.0),
        lambda: setattr(behind, "shift", 4.0),
    )


@script
def objects_that_are_equal(compiled):
    class Scale:
        def __init__(self, scale):
            self.scale = scale

        def __eq__(self, other):
            return True

        __hash__ = None

    box = [Scale(2.0)]
    return _before_and_after(compiled(lambda x: x * box[0].scale), lambda: box.__setitem__(0, Scale(9.0)))


@script
def schedule_that_warms_up(compiled):
    schedule, step = nn.WarmUpLR(0.1, 10), Tensor(3, ms.int32)
    return _before_and_after(
        compiled(lambda x: x * schedule(step)),
        lambda: setattr(schedule, "warmup_steps", 5),
        lambda: setattr(schedule, "learning_rate", 0.9),
    )
