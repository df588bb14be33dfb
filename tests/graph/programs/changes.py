# SPDX-License-Identifier: Apache-2.0
"""What a captured function uses is changed between its calls, or by it."""

from __future__ import annotations

import types

from mindspore import Tensor, ops
from programs import script

X = [1.0, 2.0, 3.0]
scale = 1.0
table = {"a": 1.0}
numbers = [1.0, 2.0]


def helper(x):
    return x * 2


def _thrice(run, *args):
    return [run(*args) for _ in range(3)]


@script
def global_number(compiled):
    global scale
    run, found = compiled(lambda x: x * scale), []
    for value in (1.0, 2.0, 1.0, 3.0):
        scale = value
        found += _thrice(run, Tensor(X))
    return found


@script
def global_function(compiled):
    global helper
    run, found, before = compiled(lambda x: helper(x)), [], helper
    found += _thrice(run, Tensor(X))
    helper = ops.exp
    found += _thrice(run, Tensor(X))
    helper = before
    return found + _thrice(run, Tensor(X))


@script
def global_dict(compiled):
    run, found = compiled(lambda x: x * table["a"]), []
    for value in (1.0, 2.0, 1.0):
        table["a"] = value
        found += _thrice(run, Tensor(X))
    return found


@script
def global_list(compiled):
    run, found = compiled(lambda x: x * sum(numbers)), []
    found += _thrice(run, Tensor(X))
    numbers.append(5.0)
    found += _thrice(run, Tensor(X))
    numbers.pop()
    return found + _thrice(run, Tensor(X))


@script
def variable_of_a_closure(compiled):
    factor = 2.0
    run = compiled(lambda x: x * factor)
    found = _thrice(run, Tensor(X))
    factor = 7.0
    return found + _thrice(run, Tensor(X))


@script
def number_in_a_nested_list(compiled):
    settings = [{"rates": [1.0, 2.0]}]
    run = compiled(lambda x: x * settings[0]["rates"][1])
    found = _thrice(run, Tensor(X))
    settings[0]["rates"][1] = 9.0
    return found + _thrice(run, Tensor(X))


@script
def field_of_an_object(compiled):
    options = types.SimpleNamespace(scale=2.0, deep=types.SimpleNamespace(shift=1.0))
    run = compiled(lambda x: x * options.scale + options.deep.shift)
    found = _thrice(run, Tensor(X))
    options.scale = 3.0
    found += _thrice(run, Tensor(X))
    options.deep.shift = 5.0
    return found + _thrice(run, Tensor(X))


@script
def attribute_of_a_class(compiled):
    class Options:
        scale = 2.0

        def apply(self, x):
            return x * self.scale

    options = Options()
    run = compiled(lambda x: options.apply(x))
    found = _thrice(run, Tensor(X))
    Options.scale = 3.0
    return found + _thrice(run, Tensor(X))


@script
def attribute_of_a_base_class(compiled):
    class Base:
        scale = 2.0

    class Options(Base):
        pass

    run = compiled(lambda x: x * Options.scale)
    found = _thrice(run, Tensor(X))
    Base.scale = 3.0
    return found + _thrice(run, Tensor(X))


@script
def method_replaced(compiled):
    class Worker:
        def apply(self, x):
            return x * 2

    worker = Worker()
    run = compiled(lambda x: worker.apply(x))
    found = _thrice(run, Tensor(X))
    Worker.apply = lambda self, x: x * 5
    return found + _thrice(run, Tensor(X))


@script
def tensor_written_after_use(compiled):
    def run(x):
        made = ops.zeros((3,))
        before = made + x
        made[0] = x[0]
        return before, made

    run = compiled(run)
    return [run(Tensor(X) * factor) for factor in (1, 2, 3)]


@script
def tensor_written_after_a_look(compiled):
    def run(x):
        made = ops.ones((3,))
        before = made * x
        if before.sum() > 0:
            made[1] = x[2]
        return before, made

    run = compiled(run)
    return [run(Tensor(X) * factor) for factor in (1, 2, 3)]
