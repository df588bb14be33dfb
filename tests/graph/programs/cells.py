# SPDX-License-Identifier: Apache-2.0
"""Cells: nesting, containers of cells, attributes, parameters."""

from __future__ import annotations

import numpy as np

from mindspore import Parameter, Tensor, nn, ops
from programs import f32, i32, program, ramp


@program((ramp(2, 3),))
class Linear(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(np.ones((3, 2), np.float32)), name="w")
        self.bias = Parameter(Tensor(np.ones((2,), np.float32)), name="b")

    def construct(self, x):
        return x @ self.weight + self.bias


@program((ramp(2, 3),))
class Layers(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.Dense(3, 4)
        self.second = nn.Dense(4, 2)
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.second(self.relu(self.first(x)))


@program((ramp(2, 3),))
class Sequence(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 1))

    def construct(self, x):
        return self.body(x).sum()


@program((ramp(2, 3),))
class ListOfCells(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(3, 3) for _ in range(3)])

    def construct(self, x):
        for k, layer in enumerate(self.layers):
            x = layer(x) + k
        return x, self.layers[1](x), len(self.layers)


@program((ramp(2, 3), 0), (ramp(2, 3), 1))
class ChosenCell(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(3, 3), nn.ReLU()])

    def construct(self, x, k):
        return self.layers[k](x)


@program((ramp(2, 3), i32(0)), (ramp(2, 3), i32(1)))
class CellChosenByATensor(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(3, 3), nn.ReLU()])

    def construct(self, x, k):
        return self.layers[int(k)](x)


@program((ramp(2, 3),))
class TupleOfCells(nn.Cell):
    def __init__(self):
        super().__init__()
        self.pair = (nn.ReLU(), nn.Tanh())
        self.table = {"exp": ops.Exp(), "tanh": nn.Tanh()}

    def construct(self, x):
        return self.pair[0](x) + self.pair[1](x) * self.table["exp"](x) - self.table["tanh"](x)


class _Block(nn.Cell):
    def __init__(self, width, inner=None):
        super().__init__()
        self.dense = nn.Dense(width, width)
        self.inner = inner
        self.width = width

    def construct(self, x):
        y = ops.tanh(self.dense(x)) / self.width
        if self.inner is not None:
            y = self.inner(y)
        return x + y


@program((ramp(2, 3),))
class Nested(nn.Cell):
    def __init__(self):
        super().__init__()
        self.block = _Block(3, _Block(3, _Block(3)))

    def construct(self, x):
        return self.block(x)


@program((f32(1.0, 2.0),), (f32(-1.0, -2.0),))
class BranchOnAValue(nn.Cell):
    def __init__(self):
        super().__init__()
        self.positive, self.negative = nn.Dense(2, 2), nn.Dense(2, 3)

    def construct(self, x):
        if x.sum() > 0:
            return self.positive(x.reshape(1, 2))
        return self.negative(x.reshape(1, 2))


@program((f32(1.0, 2.0),))
class BranchOnAParameter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor([3.0, 4.0]), name="w")

    def construct(self, x):
        if self.weight.sum() > 5:
            return x * self.weight
        return x


class _Base(nn.Cell):
    scale = 2.0

    def __init__(self):
        super().__init__()
        self.shift = 1

    def construct(self, x):
        return self.helper(x) * self.scale

    def helper(self, x):
        return x + self.shift

    @property
    def doubled(self):
        return self.shift * 2


@program((f32(1.0, 2.0),))
class Inherited(_Base):
    scale = 3.0

    def construct(self, x):
        return super().construct(x) + self.doubled

    def helper(self, x):
        return super().helper(x) * 10


@program((f32(1.0, 2.0),))
class MethodsOfACell(nn.Cell):
    def construct(self, x):
        return self.one(x) + self.two(x) + self.three(x)

    def one(self, x):
        return x * 2

    @staticmethod
    def two(x):
        return x * 3

    @classmethod
    def three(cls, x):
        return x * len(cls.__name__)


@program((f32(1.0, 2.0),))
class FirstParameterOfAnotherName(nn.Cell):
    def construct(this, x):
        return x * 2


@program((f32(1.0, 2.0), f32(3.0)), (f32(1.0, 2.0),))
class OptionalArgument(nn.Cell):
    def construct(self, x, y=None):
        return x if y is None else x * y


@program((f32(1.0), f32(2.0), f32(3.0)))
class StarArguments(nn.Cell):
    def construct(self, *values):
        return sum(values), len(values)


@program((f32(1.0),), scale=f32(4.0))
class KeywordArguments(nn.Cell):
    def construct(self, x, *, scale=2.0):
        return x * scale
