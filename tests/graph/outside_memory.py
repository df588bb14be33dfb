# SPDX-License-Identifier: Apache-2.0
"""The same for what holds memory or code: arrays, buffers, tensors, cells, functions, modules."""

from __future__ import annotations

import array
import contextvars
import ctypes
import functools
import io
import itertools
import logging
import mmap
import os
import threading
import types
import weakref

import numpy as np
from outside_values import (
    HELD,
    Kind,
    Point,
    assigning,
    calling,
    setting_item,
    sum_of_bytes,
    weighted_sum,
    with_fields,
)

from mindspore import Parameter, Tensor, nn, ops


class MyArray(np.ndarray):
    """An array of a class of its own."""


class Callable1:
    """An object that is called."""

    def __init__(self):
        self.k = 2.0

    def __call__(self, t):
        return t * self.k


class Layer(nn.Cell):
    """A cell with fields of all sorts."""

    def __init__(self):
        super().__init__()
        self.k = 1.5
        self.w = Parameter(Tensor(np.full((2,), 2.0, np.float32)), name="w")
        self.inner = nn.ReLU()
        self.names = ["a"]

    def construct(self, t):
        return self.inner(t * self.k + self.w.sum()) + len(self.names)


def made_function():
    """A function with a variable, a default and an attribute."""
    variable = 2.0

    def scaled(t, plus=1.0, *, minus=0.5):
        return t * variable + plus - minus + getattr(scaled, "extra", 0.0)

    return scaled


def _mapped():
    memory = mmap.mmap(-1, 64)
    memory[:4] = b"\x01\x02\x03\x04"
    return memory


def _large_array():
    return np.zeros((1 << 19,), np.float32)  # 2 MB


def _poke(at):
    def change(value):
        value.reshape(-1)[at] = 7

    return change


def _view_then_base():
    base = np.arange(8.0, dtype=np.float32)
    return base[2:6]


def _through_base(view):
    view.base[3] = 50.0


def _tensor_fields():
    tensor = Tensor(np.ones((2,), np.float32))
    tensor.scale = 2.0
    return tensor


def _use_tensor_fields(value, t):
    return t * value.scale + getattr(value, "shift", 0.0)


def _set_parameter(value):
    def change(parameter):
        parameter.set_data(Tensor(np.full(parameter.shape, value, np.float32)))

    return change


def _set_cell_parameter(layer):
    layer.w.set_data(Tensor(np.full((2,), 9.0, np.float32)))


def _set_closure(function):
    function.__closure__[[*function.__code__.co_freevars].index("variable")].cell_contents = 5.0


def _local():
    value = threading.local()
    value.x = 1.0
    return value


def _variable():
    value = contextvars.ContextVar("x")
    value.set(1.0)
    return value


def _held_get():
    HELD["values"] = {"a": 1.0}
    return HELD["values"].get


def _weak_values():
    HELD["point"] = Point()
    return weakref.WeakValueDictionary(p=HELD["point"])


def _proxy():
    HELD["point"] = Point()
    return weakref.proxy(HELD["point"])


def _logger():
    logger = logging.getLogger("outside_changes")
    logger.setLevel(logging.WARNING)
    return logger


def _environment():
    os.environ["MYCEL_OUTSIDE"] = "2"
    return "MYCEL_OUTSIDE"


def _set_environment(name):
    os.environ[name] = "7"


def _objects(*parts):
    found = np.empty(len(parts), dtype=object)
    for i, part in enumerate(parts):
        found[i] = part
    return found


def _module(**fields):
    return with_fields(types.ModuleType("made"), **fields)


KINDS = [
    Kind(
        "array",
        lambda: np.arange(4.0, dtype=np.float32),
        lambda v, t: t * float(v.sum()),
        {
            "item": _poke(1),
            "all": lambda v: v.fill(3),
            "+=": lambda v: v.__iadd__(1),
            "shape": assigning("shape", (2, 2)),
            "other": lambda v: v * 2,
        },
    ),
    Kind(
        "shape of an array",
        lambda: np.zeros((2, 3), np.float32),
        lambda v, t: t * v.shape[0],
        {"shape": assigning("shape", (3, 2))},
    ),
    Kind(
        "type of an array",
        lambda: np.ones((4,), np.int32),
        lambda v, t: t * float(v.sum()),
        {"dtype": assigning("dtype", np.float32)},
    ),
    Kind(
        "large array",
        _large_array,
        lambda v, t: t + float(v.sum()),
        {"first": _poke(0), "second": _poke(1), "middle": _poke(262_145), "last": _poke(-1)},
    ),
    Kind(
        "view of an array",
        _view_then_base,
        lambda v, t: t * float(v.sum()),
        {"through its base": _through_base},
    ),
    Kind("strided array", lambda: np.arange(8.0)[::2], lambda v, t: t * float(v.sum()), {"item": _poke(2)}),
    Kind(
        "array of objects",
        lambda: np.array([[1.0], [2.0]], dtype=object),
        lambda v, t: t * v[0][0],
        {"item": lambda v: v.__setitem__((0, 0), 5.0)},
    ),
    Kind(
        "lists in an array",
        lambda: _objects([1.0], [2.0]),
        lambda v, t: t * v[0][0],
        {"inside": lambda v: v[0].append(3.0), "item": lambda v: v[0].__setitem__(0, 6.0)},
    ),
    Kind(
        "records",
        lambda: np.zeros(2, [("a", "f4"), ("b", "i4")]),
        lambda v, t: t + float(v["a"].sum()),
        {"field": lambda v: v["a"].__setitem__(0, 3.0)},
    ),
    Kind(
        "array of a class",
        lambda: np.ones(3).view(MyArray),
        lambda v, t: t * float(v.sum()),
        {"item": _poke(2)},
    ),
    Kind(
        "matrix of flags",
        lambda: np.array([True, False]),
        lambda v, t: t * 2 if v.any() else t,
        {"item": lambda v: v.__setitem__(0, False)},
    ),
    Kind(
        "bytearray",
        lambda: bytearray(b"abc"),
        sum_of_bytes,
        {"item": setting_item(0, 99), "extend": calling("extend", b"d"), "clear": calling("clear")},
    ),
    Kind(
        "array.array",
        lambda: array.array("d", [1.0, 2.0]),
        weighted_sum,
        {"item": setting_item(0, 9.0), "append": calling("append", 3.0)},
    ),
    Kind(
        "memoryview",
        lambda: memoryview(bytearray(b"abc")),
        sum_of_bytes,
        {"item": setting_item(0, 99), "behind": lambda v: v.obj.__setitem__(1, 50)},
    ),
    Kind("mmap", _mapped, lambda v, t: t * v[0] + v[1], {"item": setting_item(0, 9)}),
    Kind(
        "ctypes array",
        lambda: (ctypes.c_float * 3)(1.0, 2.0, 3.0),
        weighted_sum,
        {"item": setting_item(1, 7.0)},
    ),
    Kind(
        "ctypes number",
        lambda: ctypes.c_double(1.5),
        lambda v, t: t * v.value,
        {"value": assigning("value", 2.5)},
    ),
    Kind(
        "tensor",
        lambda: Tensor(np.array([1.0, 2.0], np.float32)),
        lambda v, t: t * v.sum(),
        {
            "item": setting_item(0, 5.0),
            "assign_value": calling("assign_value", Tensor(np.array([5.0, 6.0], np.float32))),
            "through numpy": lambda v: v.asnumpy().fill(4),
            "other": lambda v: v + 1,
            "shape": lambda v: ops.ones((3,)),
        },
    ),
    Kind(
        "large tensor",
        lambda: ops.ones((400,)),
        lambda v, t: t * v.sum(),
        {
            "item": setting_item(300, 5.0),
            "through numpy": lambda v: v.asnumpy().fill(4),
            "assign_value": lambda v: v.assign_value(ops.zeros((400,))) is None or None,
        },
    ),
    Kind(
        "number of a tensor",
        lambda: Tensor(3.0),
        lambda v, t: t * 2 if float(v) > 2 else t,
        {
            "assign_value": calling("assign_value", Tensor(1.0)),
            "through numpy": lambda v: v.asnumpy().fill(1),
        },
    ),
    Kind(
        "attribute of a tensor",
        _tensor_fields,
        _use_tensor_fields,
        {
            "field": assigning("scale", 5.0),
            "new field": assigning("shift", 5.0),
            "deleted": lambda v: delattr(v, "scale"),
        },
    ),
    Kind(
        "question about a tensor",
        lambda: Tensor(np.ones((2, 3), np.float32)),
        lambda v, t: t * (2 if v.is_contiguous() else 3) + v.sum(),
        {"transposed": lambda v: v.T},
    ),
    Kind(
        "parameter",
        lambda: Parameter(Tensor(np.ones((2,), np.float32)), name="p"),
        lambda v, t: t * v.sum(),
        {
            "set_data": _set_parameter(3.0),
            "item": setting_item(0, 5.0),
            "assign": lambda v: ops.assign(v, v * 4)[0] and None,
        },
    ),
    Kind(
        "name of a parameter",
        lambda: Parameter(Tensor(np.ones((2,), np.float32)), name="p"),
        lambda v, t: t * len(v.name),
        {"name": assigning("name", "longer")},
    ),
    Kind(
        "requires_grad",
        lambda: Parameter(Tensor(np.ones((2,), np.float32)), name="p"),
        lambda v, t: t * (2 if v.requires_grad else 3),
        {"off": assigning("requires_grad", False)},
    ),
    Kind(
        "field of a parameter",
        lambda: with_fields(Parameter(Tensor(np.ones((2,), np.float32)), name="p"), k=2.0),
        lambda v, t: t * v.k,
        {"field": assigning("k", 3.0)},
    ),
    Kind(
        "cell",
        Layer,
        lambda v, t: v(t),
        {
            "number": assigning("k", 4.0),
            "parameter": _set_cell_parameter,
            "list": lambda v: v.names.append("b"),
            "cell in it": assigning("inner", nn.Tanh()),
            "new number": assigning("other", 3.0),
            "construct": lambda v: setattr(v, "construct", lambda t: t * 11),
        },
    ),
    Kind(
        "training flag",
        lambda: nn.Dropout(p=0.5).set_train(False),
        lambda v, t: t * (2 if v.training else 3),
        {"on": lambda v: v.set_train(True) and None},
    ),
    Kind(
        "list of cells",
        lambda: nn.CellList([nn.ReLU(), nn.Tanh()]),
        lambda v, t: [t := c(t) for c in v][-1],
        {
            "append": lambda v: v.append(nn.Sigmoid()) and None,
            "item": lambda v: v.__setitem__(0, nn.Sigmoid()),
        },
    ),
    Kind(
        "function",
        made_function,
        lambda v, t: v(t),
        {
            "variable": _set_closure,
            "defaults": assigning("__defaults__", (4.0,)),
            "keyword default": lambda v: v.__kwdefaults__.update(minus=9.0),
            "attribute": assigning("extra", 3.0),
            "another": lambda v: lambda t: t * 17,
        },
    ),
    Kind(
        "partial",
        lambda: functools.partial(made_function(), plus=3.0),
        lambda v, t: v(t),
        {
            "keyword": lambda v: v.keywords.update(plus=8.0),
            "state": lambda v: v.__setstate__((v.func, (), {"plus": 2.0}, {})),
        },
    ),
    Kind("callable object", Callable1, lambda v, t: v(t), {"field": assigning("k", 5.0)}),
    Kind(
        "class",
        lambda: type("Made", (), {"k": 2.0, "f": staticmethod(lambda t: t * 3)}),
        lambda v, t: v.f(t) * v.k,
        {"field": assigning("k", 3.0), "method": lambda v: setattr(v, "f", staticmethod(lambda t: t))},
    ),
    Kind(
        "class of an object",
        lambda: type("Made", (Point,), {})(),
        lambda v, t: v.weigh(t),
        {
            "field": lambda v: setattr(type(v), "scale", 7.0),
            "method": lambda v: setattr(type(v), "weigh", lambda s, t: t * 9),
        },
    ),
    Kind(
        "module",
        lambda: _module(k=2.0),
        lambda v, t: t * v.k,
        {"name": assigning("k", 5.0), "text": lambda v: vars(v).update(k=6.0)},
    ),
    Kind("context variable", _variable, lambda v, t: t * v.get(), {"set": calling("set", 4.0)}),
    Kind("local of a thread", _local, lambda v, t: t * v.x, {"field": assigning("x", 3.0)}),
    Kind("event", threading.Event, lambda v, t: t * 2 if v.is_set() else t * 3, {"set": calling("set")}),
    Kind(
        "generator of numbers",
        lambda: np.random.default_rng(0),
        lambda v, t: t * float(v.random()),
        {"nothing": lambda v: None},
    ),
    Kind(
        "method of a dict",
        _held_get,
        lambda v, t: t * v("a"),
        {"entry": lambda v: HELD["values"].update(a=4.0)},
    ),
    Kind(
        "weak values",
        _weak_values,
        lambda v, t: t * v["p"].x if "p" in v else t,
        {"field": lambda v: setattr(v["p"], "x", 3.0), "gone": lambda v: HELD.pop("point") and None},
    ),
    Kind("weak proxy", _proxy, lambda v, t: t * v.x, {"field": lambda v: setattr(HELD["point"], "x", 3.0)}),
    Kind(
        "level of a logger",
        _logger,
        lambda v, t: t * 2 if v.isEnabledFor(logging.INFO) else t * 3,
        {"level": calling("setLevel", logging.DEBUG)},
    ),
    Kind("environment", _environment, lambda v, t: t * float(os.environ[v]), {"entry": _set_environment}),
    Kind("getenv", _environment, lambda v, t: t * float(os.getenv(v)), {"entry": _set_environment}),
    Kind(
        "times",
        lambda: np.array(["2020-01-01"], "M8[D]"),
        lambda v, t: t * int(v.astype(np.int64)[0]),
        {"item": lambda v: v.fill(np.datetime64("2021-01-01"))},
    ),
    Kind(
        "text in memory",
        lambda: io.StringIO("abc"),
        lambda v, t: t * len(v.getvalue()),
        {"write": calling("write", "abcdef")},
    ),
    Kind("iterator", lambda: itertools.count(), lambda v, t: t * next(v), {"nothing": lambda v: None}),
]
