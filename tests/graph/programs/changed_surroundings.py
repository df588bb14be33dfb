# SPDX-License-Identifier: Apache-2.0
"""Objects of the package's own classes, modules, settings and the like are changed between calls."""

from __future__ import annotations

import collections
import contextvars
import dataclasses
import functools
import os
import sys
import threading
import types

import mindspore as ms
from mindspore import Tensor, nn, ops
from programs import ramp, script

X = [1.0, -2.0, 3.0]
settings = types.ModuleType("changed_settings")
settings.scale = 2.0
settings.inner = types.ModuleType("changed_settings.inner")
settings.inner.shift = 1.0
sys.modules["changed_settings"] = settings
sys.modules["changed_settings.inner"] = settings.inner


def _thrice(run, *args):
    return [run(*args) for _ in range(3)]


def _changing(run, change, values, *args) -> list:
    """What a function gives for each of these values of something outside, first and last the same."""
    found = []
    for value in (*values, values[0]):
        change(value)
        found += _thrice(run, *args)
    return found


def _setting(holder, name: str):
    return functools.partial(setattr, holder, name)


# ---- layers, losses, optimizers, schedules of ours -----------------------------------------------


@script
def numbers_of_layers(compiled):
    norm, drop, leaky = nn.LayerNorm((3,), epsilon=1e-5), nn.Dropout(p=0.5), nn.LeakyReLU(0.2)
    drop.set_train()
    run = compiled(lambda x: norm(leaky(drop(x))))
    x = Tensor(ramp(2, 3))
    found = _changing(run, _setting(norm, "epsilon"), (1e-5, 0.5), x)
    found += _changing(run, _setting(drop, "keep_prob"), (0.5, 0.9), x)
    return found + _changing(run, drop.set_train, (True, False), x)


@script
def numbers_of_a_loss(compiled):
    loss = nn.HuberLoss(delta=0.5)
    run = compiled(lambda x, y: loss(x, y))
    found = _changing(run, _setting(loss, "delta"), (0.5, 2.0), Tensor(X), Tensor([0.0, 0.0, 0.0]))
    return found + _changing(run, _setting(loss, "reduction"), ("mean", "sum"), Tensor(X), Tensor(X) * 2)


@script
def loss_with_a_factor(compiled):
    class Weighted(nn.LossBase):
        factor = 1.0

        def construct(self, x, y):
            return self.get_loss(ops.abs(x - y)) * self.factor

    loss = Weighted("sum")
    run = compiled(lambda x, y: loss(x, y))
    return _changing(run, _setting(loss, "factor"), (1.0, 3.0), Tensor(X), Tensor([0.0, 1.0, 2.0]))


@script
def schedule_is_changed(compiled):
    schedule = nn.CosineDecayLR(0.01, 0.1, 10)
    run = compiled(lambda step: schedule(step))
    step = Tensor(3, ms.int32)
    found = _changing(run, _setting(schedule, "max_lr"), (0.1, 0.5), step)
    return found + _changing(run, _setting(schedule, "decay_steps"), (10, 7), step)


@script
def optimizer_is_changed(compiled):
    net = nn.Dense(3, 1)
    net.weight.set_data(Tensor(ramp(1, 3)))
    optimizer = nn.SGD(net.trainable_params(), 0.1, momentum=0.5)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    x, y = Tensor(ramp(4, 3)), Tensor(ramp(4, 1))
    found = []
    for rate in (0.1, 0.2, 0.1):
        optimizer.learning_rate.set_data(Tensor(rate))
        found += _thrice(step, x, y)
    step.sens = 2.0
    return found + _thrice(step, x, y) + [net.weight.asnumpy()]


@script
def primitive_is_changed(compiled):
    axis = types.SimpleNamespace(keep=True)
    total = ops.ReduceSum(keep_dims=True)
    run = compiled(lambda x: total(x, 1) * axis.keep)
    found = _thrice(run, Tensor(ramp(2, 3)))
    total = ops.ReduceSum(keep_dims=False)
    return found + _thrice(run, Tensor(ramp(2, 3)))


@script
def method_of_a_layer_class(compiled):
    net, before = nn.SequentialCell(nn.ReLU6(), nn.Tanh()), nn.ReLU6.construct
    run, found = compiled(lambda x: net(x)), []
    try:
        for method in (before, lambda self, x: x * 10, before):
            nn.ReLU6.construct = method
            found += _thrice(run, Tensor(X))
    finally:
        nn.ReLU6.construct = before
    return found


@script
def layers_in_a_list(compiled):
    layers = [nn.ELU(1.0), {"second": (nn.LeakyReLU(0.1),)}]
    run = compiled(lambda x: layers[1]["second"][0](layers[0](x)))
    found = _thrice(run, Tensor(X))
    layers[1]["second"] = (nn.LeakyReLU(0.3),)
    found += _thrice(run, Tensor(X))
    layers[1]["second"][0].alpha = 0.5
    layers[1]["second"][0].select = 2.0
    layers[0] = nn.Tanh()
    return found + _thrice(run, Tensor(X))


# ---- modules -------------------------------------------------------------------------------------


@script
def module_imported_inside(compiled):
    def scaled(x):
        import changed_settings
        from changed_settings.inner import shift

        return x * changed_settings.scale + shift

    run = compiled(scaled)
    found = _changing(run, _setting(settings, "scale"), (2.0, 5.0), Tensor(X))
    return found + _changing(run, _setting(settings.inner, "shift"), (1.0, 4.0), Tensor(X))


@script
def module_inside_a_module(compiled):
    run = compiled(lambda x: x + settings.inner.shift)
    return _changing(run, _setting(settings.inner, "shift"), (1.0, 4.0), Tensor(X))


@script
def module_in_a_variable(compiled):
    local, held = settings, {"module": settings}

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.module = settings

        def construct(self, x):
            return x * self.module.scale

    net, found = Net(), []
    for run in (compiled(lambda x: x * local.scale), compiled(lambda x: x * held["module"].scale), net):
        found += _changing(run, _setting(settings, "scale"), (2.0, 3.0), Tensor(X))
    return found


@script
def module_asked_by_name(compiled):
    run = compiled(lambda x: x * getattr(settings, "scale"))  # noqa: B009
    return _changing(run, _setting(settings, "scale"), (2.0, 3.0), Tensor(X))


@script
def module_is_given_on(compiled):
    def scaled(x, module):
        return x * module.scale

    run = compiled(lambda x: scaled(x, settings))
    return _changing(run, _setting(settings, "scale"), (2.0, 3.0), Tensor(X))


# ---- functions -----------------------------------------------------------------------------------


@script
def attribute_of_a_function(compiled):
    def scaled(x):
        return x * scaled.scale

    scaled.scale = 2.0
    run = compiled(scaled)
    return _changing(run, _setting(scaled, "scale"), (2.0, 3.0), Tensor(X))


@script
def attribute_of_a_compiled_function(compiled):
    @compiled
    def scaled(x):
        return x * scaled.scale

    scaled.scale = 2.0
    return _changing(scaled, _setting(scaled, "scale"), (2.0, 3.0), Tensor(X))


@script
def keyword_defaults_replaced(compiled):
    def scaled(x, *, k=2.0):
        return x * k

    run = compiled(lambda x: scaled(x))
    found = _thrice(run, Tensor(X))
    scaled.__kwdefaults__["k"] = 3.0
    found += _thrice(run, Tensor(X))
    scaled.__kwdefaults__ = {"k": 4.0}
    return found + _thrice(run, Tensor(X))


@script
def keywords_of_a_partial(compiled):
    scaled = functools.partial(lambda x, k, add: x * k + add[0], k=2.0, add=[1.0])
    run = compiled(lambda x: scaled(x))
    found = _thrice(run, Tensor(X))
    scaled.keywords["k"] = 3.0
    found += _thrice(run, Tensor(X))
    scaled.keywords["add"][0] = 4.0
    return found + _thrice(run, Tensor(X))


@script
def code_of_a_function_replaced(compiled):
    def helper(x):
        return x * 2

    run = compiled(lambda x: helper(x))
    found = _thrice(run, Tensor(X))
    helper.__code__ = (lambda x: x * 5).__code__
    return found + _thrice(run, Tensor(X))


# ---- settings of the process ---------------------------------------------------------------------


@script
def environment_is_read(compiled):
    run = compiled(lambda x: x * float(os.environ.get("CHANGED_SCALE", "1")))
    try:
        return _changing(
            run, functools.partial(os.environ.__setitem__, "CHANGED_SCALE"), ("2", "3"), Tensor(X)
        )
    finally:
        del os.environ["CHANGED_SCALE"]


@script
def settings_are_read(compiled):
    before = ms.get_context("max_call_depth")
    run = compiled(lambda x: x * ms.get_context("max_call_depth"))
    try:
        return _changing(run, lambda depth: ms.set_context(max_call_depth=depth), (10, 20), Tensor(X))
    finally:
        ms.set_context(max_call_depth=before)


@script
def context_variable(compiled):
    variable = contextvars.ContextVar("scale", default=2.0)
    run = compiled(lambda x: x * variable.get())
    return _changing(run, variable.set, (2.0, 3.0), Tensor(X))


@script
def variable_of_a_thread(compiled):
    local = threading.local()
    local.scale = 2.0
    run = compiled(lambda x: x * local.scale)
    return _changing(run, _setting(local, "scale"), (2.0, 3.0), Tensor(X))


# ---- objects -------------------------------------------------------------------------------------


@dataclasses.dataclass
class Options:
    scale: float = 2.0
    parts: list = dataclasses.field(default_factory=lambda: [1.0, {"k": 2.0}])

    @property
    def total(self):
        return self.scale * self.parts[1]["k"]


@script
def property_of_changing_fields(compiled):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.options = {"all": [Options(), Options(3.0)]}

        @property
        def factor(self):
            return sum(each.total for each in self.options["all"])

        def construct(self, x):
            return x * self.factor

    net = Net()
    found = _thrice(net, Tensor(X))
    net.options["all"][1].scale = 1.0
    found += _thrice(net, Tensor(X))
    net.options["all"][0].parts[1]["k"] = 7.0
    return found + _thrice(net, Tensor(X))


@script
def unusual_containers(compiled):
    held = (
        collections.OrderedDict(a=1.0),
        collections.defaultdict(float, a=2.0),
        collections.UserDict(a=3.0),
        collections.Counter(a=4),
        types.SimpleNamespace(a=5.0),
        collections.ChainMap({"a": 6.0}),
        collections.UserList([7.0]),
    )

    def total(x):
        parts = [one.a if isinstance(one, types.SimpleNamespace) else one["a"] for one in held[:-1]]
        return x * sum(parts) + held[-1][0]

    run = compiled(total)
    found = _thrice(run, Tensor(X))
    for one in held[:-1]:
        if isinstance(one, types.SimpleNamespace):
            one.a = 10.0
        else:
            one["a"] = 10
        found += _thrice(run, Tensor(X))
    held[-1].append(1.0)
    held[-1][0] = 2.0
    return found + _thrice(run, Tensor(X))


@script
def value_computed_once(compiled):
    class Config:
        scale = 2.0

        @functools.cached_property
        def factor(self):
            return self.scale * 2

    config = Config()
    run = compiled(lambda x: x * config.factor)
    found = _thrice(run, Tensor(X))
    config.factor = 9.0
    found += _thrice(run, Tensor(X))
    del config.factor
    Config.scale = 5.0
    return found + _thrice(run, Tensor(X))


@script
def object_given_as_an_argument(compiled):
    options = Options()
    run = compiled(lambda x, given: x * given.total)
    found = _thrice(run, Tensor(X), options)
    options.scale = 5.0
    found += _thrice(run, Tensor(X), options)
    options.parts[1] = {"k": 1.0}
    return found + _thrice(run, Tensor(X), options)
