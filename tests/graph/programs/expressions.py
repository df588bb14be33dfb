# SPDX-License-Identifier: Apache-2.0
"""Assignments of all kinds, texts, built-in functions, NumPy."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

import mindspore as ms
from mindspore import Tensor, ops
from programs import f32, i32, program, ramp


@dataclasses.dataclass
class Pair:
    first: object
    second: object = 2


@program((ramp(5),))
def star_unpacking(x):
    first, *middle, last = x
    return first + last, middle, [*middle, first], (*middle, last)


@program((ramp(2, 2),))
def nested_unpacking(x):
    (a, b), (c, d) = x
    return a * d - b * c


@program((ramp(3),))
def walrus(x):
    if (total := x.sum()) > 0:
        return total
    return [y := x * 2, y + 1]


@program((f32(1.0),), (f32(-1.0),))
def walrus_in_a_loop(x):
    n = 0
    while (x := x + 2) < 6:
        n += 1
    return x, n


@program((f32(1.0), 0), (f32(1.0), 1), (f32(1.0), 9))
def match_a_number(x, n):
    match n:
        case 0:
            return x
        case 1 | 2:
            return x * 2
        case _:
            return x * 3


@program((f32(1.0), ("add", 2)), (f32(1.0), ("mul", 3)), (f32(1.0), {"op": "neg"}))
def match_structures(x, command):
    match command:
        case ("add", amount):
            return x + amount
        case ("mul", amount) if amount > 2:
            return x * amount
        case {"op": name}:
            return -x, name
    return None


@program((f32(1.0),), (f32(-1.0),))
def match_with_a_tensor_guard(x):
    match Pair(x):
        case Pair(first=value) if value > 0:
            return value * 2
        case _:
            return x


@program((ramp(3),))
def augmented(x):
    y = x
    y += 1
    y *= x
    y -= 0.5
    y /= 2
    y **= 2
    return y, x


@program((ramp(3),))
def augmented_on_a_list(x):
    values = [x]
    values += [x * 2]
    values[0] += 1
    table = {"a": x}
    table["a"] *= 3
    return values, table


@program((ramp(3),))
def texts(x):
    return f"{x.shape} {x.dtype} {len(x):03d}", "{}-{}".format(1, "a"), "%s %d" % ("b", 2), "ab"[0] + "c" * 2


@program((i32([1, 2]),), gradient=False)
def text_of_a_tensor(x):
    return str(x), f"{x}", repr(x * 2)


@program((f32(1.5),), (f32(2.5),), gradient=False)
def numbers_of_a_tensor(x):
    return float(x), int(x), x.item(), round(float(x), 1), bool(x)


@program((ramp(4),), (-ramp(4),))
def min_and_max(x):
    return max(x[0], x[1]), min(x), max(1, 2), max(x, key=lambda v: -v)


@program((ramp(4),), (-ramp(4),))
def sorted_values(x):
    return sorted(x, key=lambda v: float(v)), sorted([3, 1, 2], reverse=True)


@program((ramp(4),))
def sum_map_filter(x):
    doubled = map(lambda v: v * 2, x)
    odd = filter(lambda k: k % 2, range(5))
    return sum(doubled), list(odd), sum([x, x], x)


@program((ramp(4),))
def zip_and_enumerate(x):
    pairs = list(zip(x, (1, 2, 3, 4), "abcd", strict=True))
    return [a * b for a, b, _ in pairs], dict(enumerate("ab")), [c for _, _, c in pairs]


@program((ramp(4),))
def abs_round_pow_divmod(x):
    return abs(x), pow(x, 2), divmod(7, 2), round(2.567, 2), x // 1, x % 2, -x, +x


@program((ramp(4), 3), (ramp(4), 2.5), (ramp(4), "a"))
def isinstance_tests(x, other):
    if isinstance(other, int):
        return x * other
    if isinstance(other, (float, complex)) and isinstance(x, Tensor):
        return x + other
    return type(other).__name__, isinstance(x, ms.Parameter), callable(other)


@program((ramp(4),))
def getattr_and_hasattr(x):
    name = "sum" if hasattr(x, "sum") else "mean"
    pair = Pair(x)
    setattr(pair, "second", 5)
    return getattr(x, name)(), getattr(pair, "missing", 7), getattr(pair, "second")


@program((ramp(2, 3),))
def shape_arithmetic(x):
    rows, columns = x.shape
    return x.reshape((rows * columns,)) / math.sqrt(rows), math.prod(x.shape), x.size // 2, x.ndim


@program((ramp(2, 3),))
def numpy_on_constants(x):
    table = np.linspace(0, 1, 3).astype(np.float32)
    table[0] = 5
    return x * Tensor(table), np.sin(1.0), int(np.prod(x.shape)), np.float32(2) * x


@program((f32(1.5, 2.5),), (f32(3.5, 2.5),))
def numpy_on_a_tensor(x):
    values = x.asnumpy()
    return x * float(values.max()), values.sum()


@program((f32(1.5, 2.5),), gradient=False)
def numpy_result(x):
    return np.cos(x.asnumpy())


@program((ramp(3),))
def constants_only(x):
    return Tensor([1.0, 2.0]), ops.ones((2,), ms.float32), 5, Tensor(3) + 1


@program((ramp(3),))
def all_kinds_of_constants(x):
    return 1, 2.5, 3j, "a", b"b", None, True, ..., slice(1, 2), range(3), int, ms.float32, x.dtype


@program((ramp(3),))
def chained_assignment(x):
    a = b = c = x * 2
    a = a + 1
    return a, b, c is b


@program((ramp(3),))
def annotated_assignment(x: Tensor) -> Tensor:
    y: Tensor = x * 2
    z: int
    z = 3
    return y * z


@program((ramp(3),))
def deleted_names(x):
    y = x * 2
    z = y + 1
    del y
    try:
        return y
    except NameError:
        return z


@program((ramp(3),))
def exec_and_eval(x):
    return eval("x * 2 + len(x)"), locals()["x"] * 2


@program((ramp(3),))
def import_inside(x):
    import math as own
    from functools import reduce

    return x * own.pi + reduce(lambda a, b: a + b, [1, 2, 3])
