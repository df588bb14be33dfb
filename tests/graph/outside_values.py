# SPDX-License-Identifier: Apache-2.0
"""Values that a function may find outside: what a Python object can be, and what can happen to it."""

from __future__ import annotations

import collections
import dataclasses
import decimal
import enum
import fractions
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import mindspore as ms
from mindspore import Tensor


class Kind(NamedTuple):
    """A kind of value."""

    name: str
    make: Callable[[], Any]
    use: Callable[[Any, Tensor], Any]  # what the function computes with it
    changes: dict[str, Callable[[Any], Any]]  # in place, giving None; or giving what stands there instead


class Point:
    """An ordinary object."""

    scale = 1.0

    def __init__(self, x=1.0, y=2.0):
        self.x, self.y = x, y

    def weigh(self, t):
        """A method."""
        return t * self.x + self.y * self.scale


class Slotted:
    """An object without a dict."""

    __slots__ = ("x", "y")

    def __init__(self, x=1.0, y=2.0):
        self.x, self.y = x, y


class Computed:
    """An object whose attribute is a property."""

    def __init__(self):
        self._x = 1.0

    @property
    def x(self):
        """A property."""
        return self._x * 2


class Dynamic:
    """An object that makes up attributes."""

    def __init__(self):
        self.known = {"x": 1.0}

    def __getattr__(self, name):
        return self.__dict__["known"][name]


@dataclasses.dataclass
class Record:
    """A dataclass."""

    x: float = 1.0
    parts: list = dataclasses.field(default_factory=lambda: [1.0, 2.0])


class Pair(NamedTuple):
    """A named tuple."""

    x: float
    rest: list


class Colour(enum.Enum):
    """An enumeration."""

    RED = 1
    BLUE = 2


class MyList(list):
    """A list with an attribute."""


class MyDict(dict):
    """A dict with an attribute."""


class MyFloat(float):
    """A float with an attribute."""


def assigning(name, value):
    def change(holder):
        setattr(holder, name, value)

    return change


def _rebind(value):
    return lambda _: value() if callable(value) else value


def _numbers(*values):
    return {f"to {value!r}": _rebind(value) for value in values}


def weighted_sum(parts, t):
    total = t
    for weight, part in enumerate(parts):
        total = total * 1.5 + part * (weight + 1)
    return total


def _sum_items(parts, t):
    total = t
    for key, part in parts.items():
        total = total * 1.5 + part + len(str(key))
    return total


def sum_of_bytes(value, t):
    return t + sum(b * (i % 7 + 1) for i, b in enumerate(bytes(value)))


def setting_item(key, value):
    def change(holder):
        holder[key] = value

    return change


def calling(name, *args):
    def change(holder):
        getattr(holder, name)(*args)

    return change


def _del_item(key):
    def change(holder):
        del holder[key]

    return change


def _ior(other):
    def change(holder):
        holder |= other

    return change


def _iadd(other):
    def change(holder):
        holder += other

    return change


def _reorder(holder):
    items = list(holder.items())
    holder.clear()
    holder.update(reversed(items))


def _write(key, value):
    def change(holder):
        holder[key] = value

    return change


def _ordered_pair():
    return collections.OrderedDict(a=1.0, b=2.0)


def _set_code(function):
    def other(t, plus=1.0, *, minus=0.5):
        return t - variable - plus - minus if scaled else t

    variable = scaled = 1.0
    function.__code__ = other.__code__.replace(co_freevars=function.__code__.co_freevars)


def _chain():
    return collections.ChainMap({"a": 1.0}, {"a": 2.0, "b": 3.0})


_DICT_CHANGES = {
    "entry": setting_item("a", 5.0),
    "new entry": setting_item("zz", 5.0),
    "deleted": _del_item("a"),
    "update": calling("update", {"a": 8.0}),
    "update by keyword": lambda d: d.update(b=-1.0),
    "pop": calling("pop", "a"),
    "clear": calling("clear"),
    "setdefault": calling("setdefault", "q", 4.0),
    "|=": _ior({"a": 3.5}),
    "|= new": _ior({"new": 3.5}),
    "order": _reorder,
    "popitem": calling("popitem"),
    "kind of number": setting_item("a", 1),
    "minus zero": setting_item("z", -0.0),
}


_LIST_CHANGES = {
    "item": setting_item(0, 5.0),
    "last item": setting_item(-1, 5.0),
    "append": calling("append", 5.0),
    "extend": calling("extend", [5.0]),
    "insert": calling("insert", 0, 3.0),
    "pop": calling("pop"),
    "remove": calling("remove", 2.0),
    "clear": calling("clear"),
    "reverse": calling("reverse"),
    "sort": lambda v: v.sort(reverse=True),
    "+=": _iadd([9.0]),
    "*=": lambda v: v.__imul__(2),
    "slice": setting_item(slice(0, 2), [7.0]),
    "del": _del_item(0),
}


def _plain_dict():
    return {"a": 1.0, "b": 2.0, "z": 0.0}


def _nested():
    return {"a": [1.0, {"b": (2.0, [3.0])}]}


def _use_nested(value, t):
    inner = value["a"][1]["b"]
    return t * value["a"][0] + inner[0] + weighted_sum(inner[1], t)


def _change_nested(value):
    value["a"][1]["b"][1].append(4.0)


def _divide(value, t):
    return t / value


class Other(Point):
    """Another class of the same shape."""

    scale = 30.0


HELD: dict = {}


class Holding:
    """Looks at a dict that only `HELD` can reach."""

    def __init__(self, mapping):
        HELD["values"] = mapping
        self.values, self.keys, self.items = mapping.values(), mapping.keys(), mapping.items()
        self.proxy = types.MappingProxyType(mapping)


def with_fields(holder, **fields):
    for name, value in fields.items():
        setattr(holder, name, value)
    return holder


KINDS = [
    Kind("int", lambda: 3, lambda v, t: t * v + v, _numbers(4, 3.0, True, -3, 2**40)),
    Kind("float", lambda: 0.0, _divide, _numbers(-0.0, 1.5, float("nan"), float("inf"), 0)),
    Kind("nan", lambda: float("nan"), lambda v, t: t * v, _numbers(1.0)),
    Kind("bool", lambda: True, lambda v, t: t * 2 if v else t * 3, _numbers(False, 0, 1)),
    Kind("complex", lambda: 1 + 2j, lambda v, t: t * v.real + v.imag, _numbers(2 + 2j, complex(1, -2))),
    Kind("text", lambda: "abc", lambda v, t: t * len(v) if v.startswith("a") else t, _numbers("abcd", "xyz")),
    Kind("bytes", lambda: b"abc", sum_of_bytes, _numbers(b"abd", b"")),
    Kind("none", lambda: None, lambda v, t: t if v is None else t * v, _numbers(2.0)),
    Kind("tuple", lambda: (1.0, 2.0), weighted_sum, _numbers((1.0, 3.0), (1.0,), (1, 2.0), (-0.0, 2.0))),
    Kind("range", lambda: range(3), weighted_sum, _numbers(range(4), range(0, 6, 2))),
    Kind("slice", lambda: slice(0, 1), lambda v, t: t[v].sum(), _numbers(slice(0, 2), slice(1, 2))),
    Kind(
        "fraction",
        lambda: fractions.Fraction(1, 2),
        lambda v, t: t * float(v),
        _numbers(fractions.Fraction(1, 3)),
    ),
    Kind(
        "decimal",
        lambda: decimal.Decimal("0.5"),
        lambda v, t: t * float(v),
        _numbers(decimal.Decimal("0.25")),
    ),
    Kind(
        "numpy number",
        lambda: np.float32(2),
        lambda v, t: t * float(v),
        _numbers(np.float32(3), np.float64(2.5)),
    ),
    Kind("enum", lambda: Colour.RED, lambda v, t: t * 2 if v is Colour.RED else t, _numbers(Colour.BLUE)),
    Kind("dtype", lambda: ms.float32, lambda v, t: t.astype(v) / 3, _numbers(ms.float16, ms.float64)),
    Kind("list", lambda: [1.0, 2.0], weighted_sum, _LIST_CHANGES),
    Kind("list of a class", lambda: MyList([1.0, 2.0]), weighted_sum, _LIST_CHANGES),
    Kind("dict", _plain_dict, _sum_items, _DICT_CHANGES),
    Kind("minus zero in a dict", _plain_dict, lambda v, t: t / v["z"], {"entry": setting_item("z", -0.0)}),
    Kind("length of a dict", _plain_dict, lambda v, t: t * len(v), _DICT_CHANGES),
    Kind("keys of a dict", _plain_dict, lambda v, t: weighted_sum(map(len, v), t), _DICT_CHANGES),
    Kind("dict of a class", lambda: MyDict(a=1.0, b=2.0), _sum_items, _DICT_CHANGES),
    Kind("ordered dict", _ordered_pair, _sum_items, {**_DICT_CHANGES, "move": calling("move_to_end", "a")}),
    Kind("default dict", lambda: collections.defaultdict(float, a=1.0, b=2.0), _sum_items, _DICT_CHANGES),
    Kind(
        "counter",
        lambda: collections.Counter("aab"),
        _sum_items,
        {
            "update": calling("update", "b"),
            "subtract": calling("subtract", "a"),
            "entry": setting_item("a", 9),
        },
    ),
    Kind(
        "chain of dicts",
        _chain,
        lambda v, t: t * v["a"] + v["b"],
        {
            "entry": setting_item("a", 5.0),
            "behind": lambda v: v.maps[1].update(b=9.0),
            "maps": lambda v: v.maps.pop(0),
        },
    ),
    Kind(
        "set",
        lambda: {1.0, 2.0},
        lambda v, t: t * sum(v) + len(v),
        {
            "add": calling("add", 5.0),
            "remove": calling("remove", 1.0),
            "|=": _ior({7.0}),
            "clear": calling("clear"),
            "-=": lambda v: v.__isub__({1.0}),
            "^=": lambda v: v.__ixor__({1.0, 9.0}),
        },
    ),
    Kind(
        "frozen set",
        lambda: frozenset((1.0, 2.0)),
        lambda v, t: t * sum(v),
        {"other": _rebind(frozenset((3.0,)))},
    ),
    Kind(
        "deque",
        lambda: collections.deque([1.0, 2.0]),
        weighted_sum,
        {
            "append": calling("append", 3.0),
            "left": calling("appendleft", 3.0),
            "rotate": calling("rotate", 1),
            "pop": calling("pop"),
            "item": setting_item(1, 8.0),
        },
    ),
    Kind(
        "values of a dict",
        lambda: Holding({"a": 1.0}).values,
        weighted_sum,
        {
            "entry": lambda v: v.mapping and HELD["values"].update(a=4.0),
            "new": lambda v: HELD["values"].update(n=4.0),
        },
    ),
    Kind(
        "keys view",
        lambda: Holding({"a": 1.0}).keys,
        lambda v, t: t * len(v),
        {"new": lambda v: HELD["values"].update(n=4.0)},
    ),
    Kind(
        "items view",
        lambda: Holding({"a": 1.0}).items,
        lambda v, t: t * len(v) + sum(b for _, b in v),
        {"entry": lambda v: HELD["values"].update(a=4.0)},
    ),
    Kind(
        "mapping proxy",
        lambda: Holding({"a": 1.0}).proxy,
        lambda v, t: t * v["a"],
        {"entry": lambda v: HELD["values"].update(a=4.0)},
    ),
    Kind(
        "namespace",
        lambda: types.SimpleNamespace(x=1.0),
        lambda v, t: t * v.x,
        {"field": assigning("x", 3.0)},
    ),
    Kind(
        "object",
        Point,
        lambda v, t: t * v.x + v.y + v.scale,
        {
            "field": assigning("x", 3.0),
            "minus zero": assigning("y", -0.0),
            "over the class": assigning("scale", 3.0),
            "class": lambda v: setattr(v, "__class__", Other),
            "__dict__": lambda v: v.__dict__.update(x=9.0),
            "new __dict__": lambda v: setattr(v, "__dict__", {"x": 4.0, "y": 5.0}),
        },
    ),
    Kind(
        "method", lambda: Point().weigh, lambda v, t: v(t), {"field": lambda v: setattr(v.__self__, "x", 6.0)}
    ),
    Kind("slots", Slotted, lambda v, t: t * v.x + v.y, {"field": assigning("x", 3.0)}),
    Kind("property", Computed, lambda v, t: t * v.x, {"field behind it": assigning("_x", 3.0)}),
    Kind(
        "made-up attribute",
        Dynamic,
        lambda v, t: t * v.x,
        {"source": lambda v: v.known.update(x=6.0), "real one": assigning("x", 3.0)},
    ),
    Kind(
        "dataclass",
        Record,
        lambda v, t: t * v.x + sum(v.parts),
        {"field": assigning("x", 3.0), "list in it": lambda v: v.parts.append(3.0)},
    ),
    Kind(
        "named tuple",
        lambda: Pair(1.0, [2.0]),
        lambda v, t: t * v.x + sum(v.rest),
        {"list in it": lambda v: v.rest.append(3.0), "other": lambda v: v._replace(x=7.0)},
    ),
    Kind(
        "attribute of a list",
        lambda: with_fields(MyList([1.0]), k=2.0),
        lambda v, t: t * v.k,
        {"field": assigning("k", 3.0)},
    ),
    Kind(
        "attribute of a dict",
        lambda: with_fields(MyDict(a=1.0), k=2.0),
        lambda v, t: t * v.k,
        {"field": assigning("k", 3.0)},
    ),
    Kind(
        "attribute of a number",
        lambda: with_fields(MyFloat(1.0), k=2.0),
        lambda v, t: t * v.k * float(v),
        {"field": assigning("k", 3.0), "other": lambda v: with_fields(MyFloat(2.0), k=2.0)},
    ),
    Kind(
        "nested",
        _nested,
        _use_nested,
        {"innermost": _change_nested, "middle": lambda v: v["a"].__setitem__(0, 6.0)},
    ),
]
