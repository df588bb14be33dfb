# SPDX-License-Identifier: Apache-2.0
"""Networks whose loops depend on values, each with inputs that lead to different numbers of turns."""

from __future__ import annotations

import numpy as np

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops


def floats(*values):
    return Tensor(np.array(values, np.float32))


def whole(value: int):
    return Tensor(np.array(value, np.int32))


def growing(x):
    while x.sum() < 100:
        x = x * 2 + 1
    return x


def counting(x, n):
    i = 0
    while i < n:
        x = x + i
        i += 1
    return x, i


def over_range(x, n):
    for i in range(n):
        x = x * 0.5 + i
    return x


def over_range_of_items(x, n):
    total = 0
    for i in range(1, int(n) + 1, 2):
        total = total + x * i
    for _ in range(n.item(), 0, -1):
        x = x + 1
    return total, x


def leaving(x):
    while True:
        x = x * 2 + 1
        if x.sum() > 50:
            break
        x = x - 0.5
    return x


def leaving_a_range(x):
    last = 0
    for i in range(10):
        x = x + i
        last = i
        if x.max() > 12:
            break
    return x, last


def choosing(x):
    i = 0
    while x.sum() < 40:
        if x.min() < 0:
            x = x + 3
        elif i > 2:
            x = x * 2
        else:
            x = x + 1
        i = i + 1
    return x, i


def skipping(x, n):
    total = ops.zeros_like(x)
    i = 0
    while i < n:
        i += 1
        if (total + i).max() > 10:
            continue
        total += x * i
    return total


def nested(x, n):
    i = 0
    while i < n:
        y = x
        while y.sum() < 20:
            y = y * 2 + 1
        x = x + y * 0.125
        i += 1
    return x


def in_a_branch(x, n):
    if x.sum() > 0:
        while x.max() < 30:
            x = x * 3
    else:
        for i in range(n):
            x = x - i
    return x + 1


def branch_behind(x):
    while x.sum() < 9:
        x = x + 1
    if x.max() > 5:
        return x * 10
    return x


def returning(x, n):
    i = 0
    while i < n:
        x = x * 2
        if x.sum() > 30:
            return x, x.sum()
        i += 1
    return -x, x.max()


def with_else(x, n):
    for i in range(n):
        x = x + i
        if x.max() > 8:
            break
    else:
        x = -x
    return x


def guarded(x):
    i = 0
    while i < 4 and x[i] > 0:
        i += 1
    return x * i, i


def not_yet(x):
    is_done = False
    while not is_done:
        x = x + 2
        is_done = x.sum() > 20
    return x


def pairs(x):
    state = (x, x * 2)
    while state[0].sum() < 20:
        first, second = state
        state = (second, first + second)
    return state


def filling(x, n):
    rows = ops.zeros((5, 3), ms.float32)
    for i in range(n):
        rows[i] = x + i
    return rows


def two_in_a_row(x, n):
    y = x
    while x.sum() < 10:
        x = x + 1
    while y.sum() < n:
        y = y + x * 0.5
    return x, y


def by_functions(x, n):
    return ops.WhileLoop()(
        lambda value: value[1].sum() < n, lambda value: (value[1], value[0] + value[1]), (x, x)
    )


def unrolled_around(x):
    for k in (1, 2, 3):
        while x.sum() < 10 * k:
            x = x + k
    return x


def set_inside(x, n):
    i = 0
    while i < n:
        y = x * 2 + i
        x = y - 1
        i += 1
    return y


def restarted(x):
    total = x * 0
    for k in range(1, 4):
        y = x
        while y.sum() < 10:
            y = y + k
        total = total + y
    return total


def decreasing(x):
    i = 0
    while i < 3:
        j = 0
        while x.max() > j:
            x = x - 0.25 * (j + 1)
            j += 1
        x = x + 4
        i += 1
    return x


def leaving_both(x, n):
    for _ in range(n):
        if x.max() > 20:
            break
        for j in range(3):
            x = x + j
            if x.min() > 7:
                break
        else:
            x = x + 0.5
        if x.sum() > 30:
            return x * 100
    return x


def assigning_in_the_condition(x):
    while (total := x.sum()) < 10:
        x = x + total * 0.5 + 1
    return x, total


def whole_numbers(x, n):
    x = x.astype(ms.int32)
    for i in range(n):
        x = x + i
    return x


def fill(rows, x, n):
    for i in range(n):
        rows[i] = rows[i] + x
        if rows.sum() > 60:
            break
        rows[i, 0] = 1.0


def filling_for_others(x, n):
    rows = ops.ones((5, 3), ms.float32)
    same = rows
    fill(rows, x, n)
    fill(rows, x * 2, 5)
    return same, rows * 2


@ms.jit
def compiled(x):
    while x.sum() < 10:
        x = x + 1
    return x


def helper(x, limit):
    while x.sum() < limit:
        x = x * 1.5 + 1
    return x


def calling(x, n):
    return helper(x, n) - helper(x * 2, 7)


class Refining(nn.Cell):
    """Weights in the body and in the condition."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 3, weight_init="ones")
        self.limit = Parameter(Tensor(40.0), name="limit")
        self.scale = 0.5

    def _step(self, x):
        return ops.relu(self.dense(x)) * self.scale + 1

    def construct(self, x):
        """Goes on until it is large enough."""
        turns = 0
        while x.sum() < self.limit:
            x = self._step(x)
            turns += 1
        return self.dense(x), turns


class Deep(nn.Cell):
    """The cell with the loop is called by one of the package."""

    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(nn.Dense(3, 3, weight_init="ones"), Shrinking())

    def construct(self, x):
        """Layer by layer."""
        return self.layers(x) * 2


class Shrinking(nn.Cell):
    """Halves until small."""

    def construct(self, x):
        """Halves."""
        while ops.abs(x).max() > self._limit():
            x = x / 2
        return x

    def _limit(self):
        return 0.75


THREE = (floats(0.5, 1, -0.25), floats(7, 8, 9), floats(90, 20, 5))
NUMBERED = tuple((x, whole(n)) for x, n in zip(THREE, (3, 1, 0), strict=True)) + ((THREE[0], whole(5)),)
CASES = {
    "growing": (lambda: growing, THREE),
    "counting": (lambda: counting, NUMBERED),
    "over a range": (lambda: over_range, NUMBERED),
    "over a range of items": (lambda: over_range_of_items, (NUMBERED[0], NUMBERED[1], NUMBERED[3])),
    "leaving": (lambda: leaving, THREE),
    "leaving a range": (lambda: leaving_a_range, THREE),
    "choosing": (lambda: choosing, (*THREE, floats(-20, 3, 4))),
    "skipping": (lambda: skipping, NUMBERED),
    "nested": (lambda: nested, NUMBERED),
    "in a branch": (lambda: in_a_branch, (*NUMBERED, (floats(-3, 1, 0), whole(4)))),
    "branch behind": (lambda: branch_behind, (*THREE, floats(0, 0, 0))),
    "returning": (lambda: returning, NUMBERED),
    "with else": (lambda: with_else, NUMBERED),
    "guarded": (lambda: guarded, (floats(1, 1, -1, 1), floats(1, 2, 3, 4), floats(-1, 1, 1, 1))),
    "not yet": (lambda: not_yet, THREE),
    "pairs": (lambda: pairs, THREE),
    "filling": (lambda: filling, NUMBERED),
    "two in a row": (lambda: two_in_a_row, NUMBERED),
    "by functions": (lambda: by_functions, NUMBERED),
    "unrolled around": (lambda: unrolled_around, THREE),
    "set inside": (lambda: set_inside, (NUMBERED[0], NUMBERED[1])),
    "restarted": (lambda: restarted, THREE),
    "decreasing": (lambda: decreasing, THREE),
    "leaving both": (
        lambda: leaving_both,
        (
            *NUMBERED,
            (floats(-1, 0, 0), whole(20)),
            (floats(7, 8, 1), whole(20)),
            (floats(30, 1, 1), whole(3)),
        ),
    ),
    "assigning in the condition": (lambda: assigning_in_the_condition, THREE),
    "whole numbers": (lambda: whole_numbers, NUMBERED),
    "filling for others": (lambda: filling_for_others, NUMBERED),
    "compiled": (lambda: compiled, THREE),
    "calling": (lambda: calling, NUMBERED),
    "refining": (Refining, (floats([0.5, 1, -0.25]), floats([30, 8, 9]))),
    "deep": (Deep, (floats([0.5, 1, -0.25]), floats([30, 8, 9]))),
}


def inputs_of(name: str) -> list[tuple]:
    """Inputs of a case."""
    return [given if isinstance(given, tuple) else (given,) for given in CASES[name][1]]


def arrays(results) -> list[np.ndarray]:
    """What a network gives, numbers too."""
    results = results if isinstance(results, tuple) else (results,)
    return [one.asnumpy() if isinstance(one, Tensor) else np.array(one) for one in results]
