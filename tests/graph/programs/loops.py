# SPDX-License-Identifier: Apache-2.0
"""while and for, over tensors, ranges and containers."""

from __future__ import annotations

from mindspore import Tensor, ops
from programs import f32, i32, program, ramp


@program((f32(1.0),), (f32(30.0),))
def while_on_a_tensor(x):
    while x < 100:
        x = x * 3
    return x


@program((f32(1.0),), (f32(9.0),))
def while_counts(x):
    steps = 0
    while x < 10:
        x = x + 2
        steps += 1
    return x, steps


@program((f32(1.0), i32(3)), (f32(1.0), i32(0)))
def while_down_to_zero(x, n):
    while n > 0:
        x = x * 2
        n = n - 1
    return x


@program((f32(1.0),), (f32(50.0),))
def while_with_break(x):
    while True:
        x = x * 2
        if x > 20:
            break
    return x


@program((f32(1.0),), (f32(4.0),))
def while_with_continue(x):
    total = x * 0
    n = 0
    while n < 6:
        n += 1
        if n % 2 == 0:
            continue
        total = total + x * n
    return total


@program((f32(1.0),), (f32(50.0),))
def while_else(x):
    while x < 20:
        x = x * 2
        if x == 8:
            break
    else:
        x = -x
    return x


@program((f32(1.0),), (f32(7.0),))
def while_returns_inside(x):
    while x < 100:
        if x > 6:
            return x, "inside"
        x = x + 3
    return x, "after"


@program((f32(1.0),), (f32(3.0),))
def while_nested(x):
    y = x
    while x < 8:
        while y < x + 3:
            y = y + 1
        x = x + y
    return x, y


@program((f32(1.0),))
def for_over_a_range(x):
    for k in range(4):
        x = x * 2 + k
    return x


@program((f32(1.0), 3), (f32(1.0), 0), (f32(1.0), 5))
def for_over_a_range_of_an_argument(x, n):
    for _ in range(n):
        x = x * 2
    return x


@program((f32(1.0), i32(3)), (f32(1.0), i32(1)))
def for_over_a_range_of_a_tensor(x, n):
    for k in range(int(n)):
        x = x * 2 + k
    return x


@program((f32(1.0), i32(3)), (f32(1.0), i32(1)))
def for_over_a_range_of_an_index_tensor(x, n):
    for k in range(n):
        x = x * 2 + k
    return x


@program((ramp(3, 2),))
def for_over_a_tensor(x):
    total = x[0] * 0
    for row in x:
        total = total + row * row
    return total


@program((ramp(3),))
def for_over_a_vector(x):
    parts = []
    for value in x:
        parts.append(value * 2)
    return parts


@program((f32(2.0),))
def for_over_a_scalar(x):
    for part in x:
        x = x + part
    return x


@program((ramp(4),), (-ramp(4),))
def for_with_a_test_inside(x):
    total = x.sum() * 0
    for value in x:
        if value > 0:
            total = total + value
        else:
            total = total - 2 * value
    return total


@program((ramp(4),), (-ramp(4),))
def for_with_break(x):
    total = x[0] * 0
    for value in x:
        if value > 0.5:
            break
        total = total + value
    return total


@program((ramp(4),), (-ramp(4),))
def for_with_continue(x):
    total = x[0] * 0
    for value in x:
        if value < 0:
            continue
        total = total + value
    return total


@program((ramp(4),), (-ramp(4),))
def for_else(x):
    for value in x:
        if value > 5:
            break
    else:
        return x.sum()
    return x.prod()


@program((ramp(4),), (-ramp(4),))
def for_returns_inside(x):
    for k, value in enumerate(x):
        if value > 0:
            return value, k
    return x.sum(), -1


@program((ramp(3, 3),))
def for_nested(x):
    total = x.sum() * 0
    for i in range(3):
        for j in range(3):
            if i == j:
                continue
            total = total + x[i, j] * (i + 1)
    return total


@program((ramp(3, 3),), (-ramp(3, 3),))
def for_nested_with_break(x):
    total = x.sum() * 0
    for i in range(3):
        for j in range(3):
            if x[i, j] > 0.5:
                break
            total = total + x[i, j]
    return total


@program((ramp(3), ramp(3)))
def for_over_zip(x, y):
    total = x[0] * 0
    for a, b in zip(x, y, strict=True):
        total = total + a * b
    return total


@program((ramp(3),))
def for_over_a_tuple(x):
    for scale, shift in ((1, 2), (3, 4)):
        x = x * scale + shift
    return x


@program((ramp(3),))
def for_over_a_dict(x):
    for name, value in {"a": 1.5, "b": 2.5}.items():
        x = x * value
        if name == "a":
            x = x + 1
    return x


@program((ramp(3),))
def for_over_keys(x):
    table = {"a": x, "b": x * 2}
    total = x * 0
    for key in sorted(table):
        total = total + table[key]
    return total


@program((ramp(3),))
def for_reversed(x):
    y = x * 0
    for k in reversed(range(3)):
        y = y * 2 + x[k]
    return y


@program((ramp(4),))
def accumulates_in_a_list(x):
    seen = []
    for k in range(4):
        seen.append(x[k] if k % 2 else -x[k])
    return ops.stack(seen)


@program((f32(4.0),), (f32(0.3),))
def newton_iterations(x):
    guess = x
    for _ in range(20):
        better = 0.5 * (guess + x / guess)
        if ops.abs(better - guess) < 1e-4:
            break
        guess = better
    return guess


@program((i32(6),), (i32(7),), gradient=False)
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps, n


@program((ramp(2, 4),))
def recurrent(x):
    state = x[:, 0] * 0
    outputs = []
    for t in range(x.shape[1]):
        state = ops.tanh(state * 0.5 + x[:, t])
        outputs.append(state)
    return ops.stack(outputs, 1), state


@program((ramp(2, 4),), (ramp(2, 2),))
def loop_over_a_length(x):
    total = x[:, 0]
    for t in range(1, x.shape[1]):
        total = total * x[:, t]
    return total


@program((f32(1.0), f32(2.0)))
def swap_in_a_loop(a, b):
    for _ in range(5):
        a, b = b, a + b
    return a, b


@program((f32(1.0),))
def loop_variable_after_the_loop(x):
    for k in range(3):
        x = x + k
    return x * k


@program((f32(1.0), f32(5.0)), (f32(4.0), f32(5.0)))
def while_on_two_tensors(x, limit):
    while x < limit and x > 0:
        x = x + 1.5
    return x


@program((f32(1.0),), (f32(3.0),))
def shape_grows_in_a_loop(x):
    parts = x.reshape((1,))
    while parts.sum() < 10:
        parts = ops.concat((parts, parts))
    return parts


@program((f32(0.0),), (f32(2.0),))
def iterator_by_hand(x):
    numbers = iter([1.0, 2.0, 3.0])
    x = x + next(numbers)
    for value in numbers:
        x = x * value
    return x


@program((ramp(2, 3),))
def for_over_a_tensor_made_inside(x):
    for scale in Tensor([1.0, 2.0]):
        x = x * scale
    return x


@program((f32(1.0),), (f32(10.0),))
def do_while(x):
    while True:
        x = x + 4
        if not x < 9:
            return x
