# SPDX-License-Identifier: Apache-2.0
"""Classes, methods, generators and tables of functions."""

from __future__ import annotations

import functools

from mindspore import ops
from programs import f32, program, ramp


def _double(x):
    return x * 2


class _Scaler:
    factor = 3

    def __init__(self, shift):
        self.shift = shift

    def __call__(self, x):
        return x * self.factor + self.shift

    def apply(self, x):
        return self(x) + self.bonus

    @property
    def bonus(self):
        return self.shift * 2

    @staticmethod
    def half(x):
        return x / 2

    @classmethod
    def by_factor(cls, x):
        return x * cls.factor


_scaler = _Scaler(1.5)


@program((f32(2.0),))
def object_from_outside(x):
    return _scaler(x) + _scaler.apply(x)


@program((f32(2.0),))
def object_made_inside(x):
    own = _Scaler(x)
    return own(x) + own.apply(x)


@program((f32(2.0),))
def static_and_class_methods(x):
    return _Scaler.half(x) + _scaler.by_factor(x) + _Scaler.by_factor(x)


_method = _scaler.apply
_methods = {"apply": _scaler.apply, "call": _scaler}


@program((f32(2.0),))
def bound_methods(x):
    return _method(x) + _methods["apply"](x) * _methods["call"](x)


class _Further(_Scaler):
    def __call__(self, x):
        return super().__call__(x) * 2


@program((f32(2.0),))
def inherited_methods(x):
    return _Further(1)(x), _Further(2).apply(x)


@program((f32(2.0),))
def class_made_inside(x):
    class Local:
        def __init__(self, value):
            self.value = value

        def double(self):
            return self.value * 2

    return Local(x).double()


@program((f32(2.0),))
def operators_of_a_class(x):
    class Pair:
        def __init__(self, a, b):
            self.a, self.b = a, b

        def __add__(self, other):
            return Pair(self.a + other.a, self.b + other.b)

        def __getitem__(self, k):
            return (self.a, self.b)[k]

        def __len__(self):
            return 2

    both = Pair(x, x * 2) + Pair(x, x * 3)
    return both[0], both[1], len(both)


def _count_up(x):
    for k in range(3):
        yield x * k


@program((f32(2.0),))
def generator_function(x):
    return list(_count_up(x))


@program((f32(2.0),))
def generator_with_send(x):
    def running():
        total = x
        while True:
            given = yield total
            if given is None:
                return
            total = total + given

    source = running()
    next(source)
    first = source.send(x)
    return first, source.send(x * 2)


@program((f32(2.0),))
def yield_from(x):
    def both():
        yield from _count_up(x)
        yield x

    return sum(both())


@program((ramp(3),))
def functions_in_a_table(x):
    table = {"exp": ops.exp, "twice": _double, "own": lambda y: y - 1}
    for name in ("own", "twice", "exp"):
        x = table[name](x)
    return x


@program((ramp(3),))
def function_as_an_argument(x):
    def apply(f, *values):
        return f(*values)

    return apply(ops.add, x, x), apply(_double, x)


@program((ramp(3), ops.exp), (ramp(3), _double))
def function_given(x, f):
    return f(x) + 1


@functools.lru_cache
def _table(n):
    return [k * 1.5 for k in range(n)]


@program((ramp(3),))
def cached_function(x):
    return x * _table(3)[2]


@program((ramp(3),))
def returns_nothing(x):
    x * 2


@program((ramp(3),))
def compose(x):
    def chain(*functions):
        return functools.reduce(lambda f, g: lambda v: g(f(v)), functions)

    return chain(ops.exp, ops.neg, _double)(x)
