# SPDX-License-Identifier: Apache-2.0
"""and, or, not, in, comparisons, assert, exceptions, with."""

from __future__ import annotations

import contextlib

from mindspore import Tensor, ops
from programs import f32, i32, program, ramp

BOTH = [(f32(1.0), f32(1.0)), (f32(1.0), f32(-1.0)), (f32(-1.0), f32(1.0)), (f32(-1.0), f32(-1.0))]


@program(*BOTH)
def and_of_two(x, y):
    if x > 0 and y > 0:
        return x + y
    return x - y


@program(*BOTH)
def or_of_two(x, y):
    if x > 0 or y > 0:
        return x * y
    return x - y


@program(*BOTH)
def not_and_or(x, y):
    if not (x > 0 and not y > 0) or x == y:
        return x
    return y


@program((f32(0.0), f32(2.0)), (f32(3.0), f32(2.0)))
def or_gives_an_operand(x, y):
    return x or y


@program((f32(0.0), f32(2.0)), (f32(3.0), f32(2.0)))
def and_gives_an_operand(x, y):
    return x and y


@program((f32(0.0),), (f32(3.0),), gradient=False)
def not_of_a_tensor(x):
    return not x


@program((f32(3.0), None), (f32(3.0), f32(0.5)))
def or_with_none(x, y):
    y = y or 2.0
    return x * y


@program((f32(3.0),), (f32(7.0),))
def chain_of_three(x):
    if 1 < x <= 5:
        return x
    return x * x


@program((i32(3),), (i32(7),), gradient=False)
def in_a_list(x):
    return x in [1, 2, 3], 5 in (1, 2), "a" in {"a": 1}, "b" not in "abc"


@program((i32([1, 2, 3]),), (i32([4, 5, 6]),), gradient=False)
def in_a_tensor(x):
    return 2 in x


@program((f32(3.0),))
def is_and_is_not(x):
    y = None
    if y is None and x is not None:
        y = x
    return y is x, y


@program((f32(3.0),), (f32(-3.0),))
def assert_holds_or_not(x):
    assert x > 0, "must be positive"
    return ops.log(x)


@program((f32(3.0),), (f32(-3.0),))
def assert_without_text(x):
    assert x > 0
    return ops.log(x)


@program((f32(3.0),), (f32(-3.0),))
def raise_on_a_value(x):
    if x < 0:
        raise ValueError("negative")
    return ops.sqrt(x)


@program((f32(3.0),), (f32(-3.0),))
def raise_with_the_value(x):
    if x < 0:
        raise ValueError(f"negative: {x}")
    return ops.sqrt(x)


class _OwnError(Exception):
    pass


@program((f32(3.0),), (f32(-3.0),))
def raise_an_own_class(x):
    if x < 0:
        raise _OwnError("negative", 1)
    return ops.sqrt(x)


@program((f32(3.0),), (f32(-3.0),))
def try_and_except(x):
    try:
        if x < 0:
            raise ValueError("negative")
        return ops.sqrt(x)
    except ValueError:
        return x * 0


@program((f32(3.0),), (f32(-3.0),))
def try_except_as(x):
    try:
        if x < 0:
            raise KeyError("negative")
        text = "fine"
    except (KeyError, ValueError) as error:
        text = str(error)
    return x * 2, text


@program((f32(3.0),), (f32(-3.0),))
def try_else_finally(x):
    way = []
    try:
        way.append("try")
        if x < 0:
            raise RuntimeError
        y = x * 2
    except RuntimeError:
        way.append("except")
        y = x * 3
    else:
        way.append("else")
        y = y + 1
    finally:
        way.append("finally")
        y = y * 10
    return y, way


@program((f32(3.0),))
def finally_with_return(x):
    try:
        return x * 2
    finally:
        x = x * 5


@program((f32(3.0),), (f32(-3.0),))
def nested_try(x):
    try:
        try:
            if x < 0:
                raise ValueError("inner")
            y = x
        except KeyError:
            y = x * 100
    except ValueError:
        y = x * 7
    return y


@program((f32(3.0),), (f32(-3.0),))
def raise_again(x):
    try:
        if x < 0:
            raise ValueError("first")
    except ValueError as error:
        raise TypeError("second") from error
    return x


@program((f32(3.0),))
def division_by_zero_is_caught(x):
    try:
        y = 1 / 0
    except ZeroDivisionError:
        y = x
    return y


@program((ramp(2, 3), ramp(2, 3)), (ramp(2, 3), ramp(2, 2)))
def shapes_that_do_not_fit(x, y):
    try:
        return x + y
    except ValueError:
        return x


@program((ramp(2, 3), ramp(2, 2)))
def shapes_that_do_not_fit_uncaught(x, y):
    return x + y


@contextlib.contextmanager
def _scaled(x, factor):
    yield x * factor


class _Steps:
    def __init__(self):
        self.steps = []

    def __enter__(self):
        self.steps.append("in")
        return self

    def __exit__(self, *exception):
        self.steps.append("out")
        return True


@program((f32(3.0),))
def with_a_generator(x):
    with _scaled(x, 3) as y:
        return y + 1


@program((f32(3.0),), (f32(-3.0),))
def with_swallows(x):
    with _Steps() as steps:
        if x < 0:
            raise ValueError
        steps.steps.append("through")
    return x * len(steps.steps), steps.steps


@program((f32(3.0),), (f32(-3.0),))
def with_suppress(x):
    y = x
    with contextlib.suppress(ValueError):
        if x < 0:
            raise ValueError
        y = x * 2
    return y


@program((f32(3.0),))
def with_two(x):
    with _scaled(x, 2) as y, _scaled(y, 5) as z:
        return x + y + z


@program((f32(1.0, 2.0), f32(1.0, 2.0)), (f32(1.0, 2.0), f32(1.0, 3.0)))
def equality_of_all(x, y):
    if (x == y).all():
        return x.sum()
    return (x - y).abs().sum()


@program((f32(1.0),))
def comparison_with_other_kinds(x):
    return x == "text", x != "text", x == None, [1] == [1]


@program((f32(1.0, -2.0),), gradient=False)
def comparisons_as_values(x):
    return x > 0, x >= 1, x < 0, x <= -2, x == 1, x != 1, ~(x > 0), (x > 0) & (x < 3), (x > 0) | (x < 0)


@program((f32(1.0, -2.0),), (f32(1.0, 2.0),))
def any_and_all_of_a_list(x):
    flags = [v > 0 for v in x]
    if all(flags):
        return x * 2
    if any(flags):
        return x * 3
    return x


@program((f32(1.0),), (f32(-1.0),))
def any_with_a_generator(x):
    return x if any(x > k for k in (0, 1, 2)) else -x


@program((f32(1.0),), (f32(-1.0),))
def bool_of_a_comparison(x):
    flag = bool(x > 0)
    return x * flag, flag


@program((f32(3.0),), (f32(-3.0),))
def short_circuit(x):
    seen = []

    def look(value, name):
        seen.append(name)
        return value > 0

    result = look(x, "first") and look(x - 5, "second")
    return bool(result), seen


@program((f32(3.0),))
def xor_of_flags(x):
    return (x > 0) ^ (x > 5), True ^ False, Tensor(True) & (x > 1)
