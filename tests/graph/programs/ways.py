# SPDX-License-Identifier: Apache-2.0
"""Decisions by values that go many ways: a few common ones, and a long tail of rare ones."""

from __future__ import annotations

import numpy as np

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from programs import script

_BITS = 7
_COMMON = (5, 9, 77)


def _numbers(count: int) -> list[int]:
    """Mostly common ones; the others are all different."""
    generator = np.random.default_rng(3)
    rare = iter(generator.permutation(1 << _BITS))
    return [int(next(rare)) if i % 4 == 3 else _COMMON[i % 3] for i in range(count)]


def _signs(number: int) -> Tensor:
    """A tensor whose elements are positive where the number has a bit."""
    return Tensor([(1.0 + i) * (1 if number >> i & 1 else -1) for i in range(_BITS)], ms.float32)


def _decided(x):
    total = x.sum() * 0
    for i in range(_BITS):
        if x[i] > 0:
            total = total + x[i] * x[i]
        else:
            total = total - ops.sin(x[i])
    return total


@script
def few_common_and_many_rare(compiled):
    run, gradient = compiled(_decided), compiled(ms.grad(_decided))
    return [(run(_signs(n)), gradient(_signs(n))) for n in _numbers(240)]


@script
def other_number_of_turns_each_time(compiled):
    def repeated(x, count):
        turn = ops.zeros((), ms.int32)
        while turn < count:
            x, turn = x * 0.9 + 1, turn + 1
        return x.sum()

    run, gradient = compiled(repeated), compiled(ms.grad(repeated))
    calls = [(Tensor([1.0, 2.0]), Tensor(n, ms.int32)) for n in _numbers(200)]
    return [(run(*given), gradient(*given)) for given in calls]


@script
def hardly_any_way_twice(compiled):
    run, gradient = compiled(_decided), compiled(ms.grad(_decided))
    return [(run(_signs(n)), gradient(_signs(n))) for n in range(100)]


class _Remembers(nn.Cell):
    """Writes a Parameter, counts, keeps a tensor, draws random numbers and prints on its ways."""

    def __init__(self):
        super().__init__()
        self.sum = Parameter(Tensor(0.0), "sum")
        self.calls, self.last = 0, Tensor(0.0)

    def construct(self, x):
        self.calls += 1
        y = ops.dropout(x, 0.5)
        for i in range(_BITS):
            if x[i] > 0:
                self.sum = self.sum + x[i]
                y = y + ops.rand_like(x)
            else:
                self.last = y.sum()
        print("sum", self.sum)
        return y * self.sum + self.last


@script
def rare_ways_have_effects(compiled):
    net = _Remembers()
    values = [net(_signs(n)) for n in _numbers(200)]
    return values, net.sum.value(), net.calls, net.last


@script
def rare_ways_inside_a_gradient(compiled):
    weight = Parameter(Tensor(2.0), "weight")
    run = compiled(lambda x: _decided(x * weight))
    step = ms.value_and_grad(lambda x: run(x) ** 2, 0, [weight])
    return [step(_signs(n)) for n in _numbers(200)]


@script
def arguments_are_handed_back(compiled):
    def chosen(x, items):
        items.append(_decided(x))
        return x, x * 2, items

    run = compiled(chosen)
    found = []
    for n in _numbers(160):
        x, items = _signs(n), [1]
        result = run(x, items)
        found.append((result[0] is x, items, result))
    return found


@script
def rare_ways_raise(compiled):
    def checked(x):
        if _decided(x) > 60:
            raise ValueError("too large")
        return x * 2

    run, found = compiled(checked), []
    for n in _numbers(200):
        try:
            found.append(run(_signs(n)))
        except ValueError as error:
            found.append(str(error))
    return found


@script
def shapes_that_values_decide(compiled):
    def chosen(x):
        positive = ops.masked_select(x, x > 0)
        return positive * 2, ops.nonzero(x > 0).shape[0]

    run = compiled(chosen)
    counts = [(3, 5, 7)[i % 3] if i % 4 else i % 29 for i in range(160)]
    return [run(Tensor(np.where(np.arange(30) < n, 1.0, -1.0), ms.float32)) for n in counts]


@script
def numbers_are_read(compiled):
    run = compiled(lambda x: ops.sin(x) * int(x.sum()))
    return [run(Tensor([1.0, n])) for n in _numbers(200)]


@script
def truth_of_numbers(compiled):
    def decided(x):
        if x.sum():
            return x * 2
        return x - 1

    run = compiled(decided)
    return [run(Tensor([float(n % 5), n * 0.37 * (n % 5)])) for n in range(60)]
