# SPDX-License-Identifier: Apache-2.0
"""Cells that write their parameters, that hook and that recompute."""

from __future__ import annotations

import numpy as np

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from programs import f32, i32, program, ramp


@program((f32(1.0, 2.0),))
class AssignsAParameter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.total = Parameter(Tensor([0.0, 0.0]), name="total", requires_grad=False)

    def construct(self, x):
        ops.assign_add(self.total, x)
        return self.total * 2


@program((f32(1.0, 2.0),))
class AssignsByAttribute(nn.Cell):
    def __init__(self):
        super().__init__()
        self.last = Parameter(Tensor([0.0, 0.0]), name="last", requires_grad=False)

    def construct(self, x):
        before = self.last + 0
        self.last = x * 2
        return before, self.last + 1


@program((f32(1.0, 2.0),), (f32(-1.0, 2.0),))
class AssignsInABranch(nn.Cell):
    def __init__(self):
        super().__init__()
        self.count = Parameter(Tensor(0, ms.int32), name="count", requires_grad=False)

    def construct(self, x):
        if x[0] > 0:
            ops.assign_add(self.count, Tensor(1, ms.int32))
        return x * self.count


@program((f32(1.0),), gradient=False)
class CountsInAParameter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.count = Parameter(Tensor(0, ms.int32), name="count", requires_grad=False)

    def construct(self, x):
        self.count += 1
        if self.count > 4:
            return x * 100
        return x


@program((f32(1.0, 2.0),))
class WritesPartOfAParameter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = Parameter(Tensor(np.zeros((3, 2), np.float32)), name="t", requires_grad=False)

    def construct(self, x):
        self.table[1] = x
        return self.table.sum()


@program((f32(1.0, 2.0),))
class ReadsBeforeAndAfterAssign(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p = Parameter(Tensor([1.0, 1.0]), name="p", requires_grad=False)

    def construct(self, x):
        before = self.p * x
        ops.assign(self.p, before + 1)
        after = self.p * x
        ops.assign(self.p, after)
        return before, after, self.p + 0


@program((f32(1.0, 2.0),))
class ReturnsAParameter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p = Parameter(Tensor([1.0, 1.0]), name="p")

    def construct(self, x):
        return self.p, x * self.p


@program((f32(1.0, 2.0),))
class MovingAverage(nn.Cell):
    def __init__(self):
        super().__init__()
        self.mean = Parameter(Tensor(0.0), name="mean", requires_grad=False)
        self.momentum = 0.9

    def construct(self, x):
        if self.training:
            ops.assign(self.mean, self.mean * self.momentum + x.mean() * (1 - self.momentum))
        return x - self.mean


@program((ramp(4, 3, 4, 4),))
class Convolutions(nn.Cell):
    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(3, 2, 3)
        self.norm = nn.BatchNorm2d(2)
        self.pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.set_train()

    def construct(self, x):
        return self.flatten(self.pool(ops.relu(self.norm(self.convolution(x)))))


@program((i32([[0, 1], [2, 1]]),), gradient=False)
class Embeddings(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(4, 3)
        self.norm = nn.LayerNorm((3,))

    def construct(self, ids):
        return self.norm(self.table(ids)).sum(-1)


@program((ramp(2, 3, 4),))
class Recurrent(nn.Cell):
    def __init__(self):
        super().__init__()
        self.of_input, self.of_state = nn.Dense(4, 5), nn.Dense(5, 5)

    def construct(self, x):
        state = ops.zeros((2, 5), ms.float32)
        for t in range(3):
            state = ops.tanh(self.of_input(x[:, t]) + self.of_state(state))
        return state


@program((f32(1.0, 2.0),))
class CellMadeInside(nn.Cell):
    def construct(self, x):
        return nn.ReLU()(x) + nn.LeakyReLU(alpha=0.1)(-x) + ops.Add()(x, x)


@program((f32(1.0, 2.0),))
class TensorAttribute(nn.Cell):
    def __init__(self):
        super().__init__()
        self.mask = Tensor([1.0, 0.0])
        self.options = {"scale": 2.0, "sizes": [1, 2]}

    def construct(self, x):
        return x * self.mask * self.options["scale"] + self.options["sizes"][1]


@program((f32(1.0, 2.0),))
class ShapesInAttributes(nn.Cell):
    def __init__(self):
        super().__init__()
        self.shape = (2, 1)
        self.reshape = ops.Reshape()
        self.loss = nn.MSELoss()

    def construct(self, x):
        return self.loss(self.reshape(x, self.shape), ops.zeros((2, 1), x.dtype))


@program((f32(1.0, 2.0),))
class SharedCell(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = nn.Dense(2, 2)
        self.b = self.a

    def construct(self, x):
        y = x.reshape(1, 2)
        return self.b(self.a(y))


@program((f32(1.0, 2.0),))
class HalfPrecision(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 2).to_float(ms.float16)

    def construct(self, x):
        return self.dense(x.reshape(1, 2))


@program((ramp(2, 3),))
class JitMethod(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 3)

    @ms.jit
    def construct(self, x):
        return self.dense(x) * 2


@program((f32(1.0, 2.0),))
class Hooked(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = nn.ReLU()
        self.inner.register_forward_pre_hook(lambda cell, inputs: (inputs[0] * 2,))
        self.inner.register_forward_hook(lambda cell, inputs, output: output + 1)

    def construct(self, x):
        return self.inner(x)


@program((f32(1.0, 2.0),))
class BackwardHooked(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = nn.Tanh()
        self.inner.register_backward_hook(lambda name, arriving, leaving: (leaving[0] * 3,))

    def construct(self, x):
        return self.inner(x * x)


@program((f32(1.0, 2.0),))
class OwnBackward(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * 100 + out,)


@program((f32(1.0, 2.0), f32(3.0, 4.0)))
class OwnBackwardInside(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = OwnBackward()
        self.weight = Parameter(Tensor([2.0, 3.0]), name="w")

    def construct(self, x, y):
        return self.inner(x * self.weight) + self.inner(y)


@program((f32(1.0, 2.0),))
class Recomputed(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 2)
        self.dense.recompute()

    def construct(self, x):
        return ops.tanh(self.dense(x.reshape(1, 2)))


@program((ramp(3, 4),), (ramp(3, 4) - 3,))
class KeepsAQueue(nn.Cell):
    """What is read through a view before it is replaced counts for gradients."""

    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(ramp(4, 4)), name="weight")
        self.queue = Parameter(Tensor(ramp(3, 4)), name="queue", requires_grad=False)

    def construct(self, x):
        keys = x @ self.weight
        old = self.queue.T
        scores = keys @ self.queue.T
        ops.assign(self.queue, keys)
        return scores.sum() + (x @ old).sum() + self.queue.sum()


@program((ramp(3, 4),), (ramp(3, 4) - 9,))
class CopiesAParameterAndDecides(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(ramp(3, 4)), name="weight")
        self.copy = Parameter(Tensor(ramp(3, 4)), name="copy", requires_grad=False)

    def construct(self, x):
        self.weight[0, 0] = x[1, 1]
        largest = self.weight.max()
        ops.assign(self.copy, self.weight)
        if x.sum() > 0:
            largest = largest * 2
        return x * largest + self.copy
