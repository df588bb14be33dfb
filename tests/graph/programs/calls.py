# SPDX-License-Identifier: Apache-2.0
"""Functions, methods, closures, lambdas, decorators, arguments, recursion."""

from __future__ import annotations

import functools
import operator

from mindspore import Tensor, ops
from programs import f32, program


def _double(x):
    return x * 2


def _choose(x):
    if x > 0:
        return _double(x)
    return -x


@program((f32(1.0),), (f32(-1.0),))
def callee(x):
    return _double(_choose(x)) + 1


@program((f32(1.0),), (f32(-1.0),))
def inner_function(x):
    def inner(y):
        if y > 0:
            return y * x
        return y

    return inner(x) + inner(x + 3)


@program((f32(1.0),))
def closure_over_a_changing_name(x):
    scale = 2

    def scaled(y):
        return y * scale

    first = scaled(x)
    scale = 5
    return first, scaled(x)


@program((f32(1.0),))
def nonlocal_name(x):
    count = 0

    def add(y):
        nonlocal count
        count += 1
        return y + count

    return add(add(add(x))), count


def _adder(amount):
    def add(x):
        return x + amount

    return add


_add_three = _adder(3)


@program((f32(1.0),))
def closure_made_outside(x):
    return _add_three(x) * 2


@program((f32(1.0),))
def closure_made_inside(x):
    return _adder(4)(x) + _adder(x)(x)


@program((f32(1.0),))
def lambdas(x):
    square = lambda y: y * y
    return square(x) + (lambda a, b=2: a * b)(x)


@program((f32(1.0),))
def late_bound_lambdas(x):
    functions = [lambda y: y * k for k in range(3)]
    return [f(x) for f in functions]


def _twice(function):
    @functools.wraps(function)
    def run(*args, **kwargs):
        return function(function(*args, **kwargs), **kwargs)

    return run


@_twice
def _plus(x, amount=1):
    return x + amount


@program((f32(1.0),))
def decorated(x):
    return _plus(x), _plus(x, amount=5)


def _times(n):
    def decorate(function):
        def run(x):
            for _ in range(n):
                x = function(x)
            return x

        return run

    return decorate


@_times(3)
def _grow(x):
    return x * 1.5


@program((f32(1.0),))
def decorated_with_an_argument(x):
    return _grow(x)


@program((f32(1.0),))
def partial(x):
    return functools.partial(operator.mul, 3)(x) + functools.partial(_plus, amount=2)(x)


_bound = functools.partial(ops.pow, exponent=2)


@program((f32(1.5),))
def partial_made_outside(x):
    return _bound(x)


@program((f32(1.5),))
def reduce(x):
    return functools.reduce(lambda a, b: a * b + x, [x, 2.0, x, 3.0])


@program((f32(1.0), f32(2.0), f32(3.0)))
def star_args(*args):
    total = args[0]
    for value in args[1:]:
        total = total * value
    return total, len(args)


@program((f32(1.0),), scale=f32(2.0), shift=3)
def keyword_arguments(x, scale, shift=1):
    return x * scale + shift


@program((f32(1.0),), scale=f32(2.0), shift=f32(3.0))
def star_keywords(x, **options):
    for name in options:
        x = x * options[name]
    return x, list(options)


@program((f32(1.0), f32(2.0)), (f32(1.0),))
def default_argument(x, y=3.0, *, z=2):
    return x * y + z


@program((f32(1.0),), z=f32(4.0))
def keyword_only(x, *, z):
    return x * z


@program((f32(1.0), f32(2.0)))
def positional_only(x, y, /):
    return x - y


@program((f32(2.0),))
def tensor_as_a_default(x, y=Tensor(5.0)):
    return x * y


@program((f32(2.0),))
def spread_into_a_call(x):
    def inner(a, b, c=0, d=0):
        return a + 2 * b + 3 * c + 4 * d

    parts = (x, x * 2)
    options = {"c": x * 3, "d": 1}
    return inner(*parts, **options)


@program((f32(2.0), 3), (f32(2.0), 0))
def recursion_on_a_constant(x, n):
    if n == 0:
        return x
    return x * recursion_on_a_constant(x, n - 1)


def _halve(x, depth):
    if x < 1:
        return x, depth
    return _halve(x / 2, depth + 1)


@program((f32(9.0),), (f32(0.5),))
def recursion_on_a_tensor(x):
    return _halve(x, 0)


@program((f32(2.0),))
def mutual_recursion(x):
    def even(n):
        return x if n == 0 else odd(n - 1) * 2

    def odd(n):
        return -x if n == 0 else even(n - 1) * 3

    return even(4) + odd(3)
