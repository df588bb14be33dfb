# SPDX-License-Identifier: Apache-2.0
"""Containers, comprehensions, texts and built-in functions."""

from __future__ import annotations

import collections
import dataclasses
import enum

from programs import f32, program, ramp

Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Pair:
    first: object
    second: object = 2

    def total(self):
        return self.first + self.second


@dataclasses.dataclass(frozen=True)
class Frozen:
    value: object


class Kind(enum.Enum):
    SUM = 1
    PRODUCT = 2


@program((ramp(3),))
def returns_a_tuple(x):
    return x, x * 2, (x.sum(), 3, "text", None)


@program((ramp(3),))
def returns_a_list(x):
    return [x, [x * 2, 1.5], True]


@program((ramp(3),))
def returns_a_dict(x):
    return {"loss": x.sum(), "parts": {"a": x, 3: x * 2}, "n": len(x)}


@program((ramp(3),))
def returns_a_set(x):
    return {1, 2, x.shape[0]}


@program((ramp(3),))
def returns_a_named_tuple(x):
    return Point(x, y=x * 2)


@program((ramp(3),))
def returns_a_data_class(x):
    return Pair(x * 2), Pair(x, [x, x + 1])


@program((ramp(3),))
def returns_a_frozen_data_class(x):
    return Frozen(x * 2)


@program((ramp(3),))
def returns_an_ordered_dict(x):
    return collections.OrderedDict([("b", x), ("a", x * 2)])


@program((ramp(3),))
def returns_a_default_dict(x):
    table = collections.defaultdict(list)
    table["a"].append(x)
    table["b"].append(x * 2)
    table["a"].append(x * 3)
    return table


@program((ramp(3),))
def returns_an_argument(x):
    return x


@program((ramp(3),))
def returns_an_argument_twice(x):
    return x, x, [x]


@program(((f32(1.0), f32(2.0)),), ((f32(5.0), f32(2.0)),))
def takes_a_tuple(pair):
    a, b = pair
    return a * b


@program(([f32(1.0), f32(2.0)],), ([f32(5.0), f32(2.0), f32(3.0)],))
def takes_a_list(values):
    return sum(values) * len(values)


@program(({"a": f32(1.0), "b": f32(2.0)},), ({"b": f32(1.0), "a": f32(2.0)},))
def takes_a_dict(table):
    return table["a"] - table["b"], list(table)


@program((Point(f32(1.0), f32(2.0)),), (Point(f32(5.0), f32(2.0)),))
def takes_a_named_tuple(point):
    return point.x * point.y, point


@program(({"deep": [f32(1.0), (f32(2.0), 3)]},))
def takes_nested_containers(table):
    first, (second, third) = table["deep"]
    return first + second * third


@program((Kind.SUM, f32(2.0, 3.0)), (Kind.PRODUCT, f32(2.0, 3.0)))
def takes_an_enumeration(kind, x):
    return x.sum() if kind is Kind.SUM else x.prod()


@program((ramp(3),))
def data_class_inside(x):
    pair = Pair(x)
    pair.second = pair.total()
    return pair.total()


@program((ramp(3),))
def data_class_replaced(x):
    pair = dataclasses.replace(Pair(x), second=x * 5)
    return dataclasses.astuple(Pair(1, 2)), pair.total()


@program((ramp(4),))
def list_methods(x):
    values = [x[0], x[1]]
    values.append(x[2])
    values.extend([x[3], x[0]])
    values.insert(0, x[2] * 2)
    last = values.pop()
    values.reverse()
    values[1] = last * 3
    del values[0]
    return values, len(values)


@program((ramp(4),))
def list_slices(x):
    values = list(x)
    values[1:3] = [values[0]]
    return values[::-1], values[-1], values * 2


@program((ramp(4),))
def dict_methods(x):
    table = {"a": x}
    table["b"] = x * 2
    table.update(c=x * 3)
    table.setdefault("d", x * 4)
    gone = table.pop("a")
    return table.get("missing", gone), sorted(table), list(table.values()), "b" in table


@program((ramp(4),))
def dict_merge(x):
    return {**{"a": x}, "b": 1} | {"c": x * 2}


@program((ramp(4),))
def set_operations(x):
    return {1, 2} | {x.ndim}, {1, 2} & {2, 3}, {k % 2 for k in range(4)}, frozenset((1, 2))


@program((ramp(4),))
def list_comprehension(x):
    return [v * k for k, v in enumerate(x) if k != 2]


@program((ramp(4),), (-ramp(4),))
def comprehension_with_a_tensor_test(x):
    return [v * 2 for v in x if v > 0]


@program((ramp(4),))
def dict_comprehension(x):
    return {f"k{i}": x[i] * i for i in range(3)}


@program((ramp(3, 3),))
def nested_comprehension(x):
    return [[x[i, j] * 2 for j in range(i + 1)] for i in range(3)]


@program((ramp(3),))
def two_clauses(x):
    return sum(a * b for a in x for b in (1, 2))


@program((ramp(3),))
def generator_expression(x):
    return tuple(v + 1 for v in x)
