# SPDX-License-Identifier: Apache-2.0
"""What one call costs when there is hardly anything to compute."""

from __future__ import annotations

from cases import case, choose


def overhead(name: str):
    return case(name, "overhead", group="overhead")


@overhead("add 2x3")
def _(side):
    a, b = side.normal(2, 3), side.normal(2, 3)
    return lambda: a + b


@overhead("mul 2x3 by number")
def _(side):
    a = side.normal(2, 3)
    return lambda: a * 2.0


@overhead("relu 2x3")
def _(side):
    a = side.normal(2, 3)
    relu = side.ops.relu if side.name == "ours" else side.torch.relu
    return lambda: relu(a)


@overhead("matmul 4x4")
def _(side):
    a, b = side.normal(4, 4), side.normal(4, 4)
    matmul = side.ops.matmul if side.name == "ours" else side.torch.matmul
    return lambda: matmul(a, b)


@overhead("reshape 4x6")
def _(side):
    a = side.normal(4, 6)
    return lambda: a.reshape((3, 8))


@overhead("slice 8x6")
def _(side):
    a = side.normal(8, 6)
    return lambda: a[1:3]


@overhead("sum 2x3")
def _(side):
    a = side.normal(2, 3)
    return lambda: a.sum()


@overhead("chain of 10")
def _(side):
    a, b = side.normal(2, 3), side.normal(2, 3)
    relu = side.ops.relu if side.name == "ours" else side.torch.relu
    tanh = side.ops.tanh if side.name == "ours" else side.torch.tanh

    def chain():
        x = a + b
        x = x * 0.5
        x = relu(x)
        x = x - b
        x = tanh(x)
        x = x.reshape((3, 2))
        x = x * x
        x = x + 1.0
        x = x[0:2]
        return x.sum()

    return chain


def _mlp(side):
    x = side.normal(32, 64)
    weights = [side.normal(64, 128), side.normal(128), side.normal(128, 10), side.normal(10)]
    matmul, relu = (
        (side.ops.matmul, side.ops.relu) if side.name == "ours" else (side.torch.matmul, side.torch.relu)
    )

    def loss(w1, b1, w2, b2):
        hidden = relu(matmul(x, w1) + b1)
        return (matmul(hidden, w2) + b2).mean()

    run = side.value_and_gradients(loss, weights)
    return lambda: run(*weights)


case("MLP 32x64 forward and backward", "overhead", group="mlp")(_mlp)


@case("MLP 32x64 forward", "overhead", group="mlp")
def _(side):
    x = side.normal(32, 64)
    w1, b1, w2, b2 = side.normal(64, 128), side.normal(128), side.normal(128, 10), side.normal(10)
    ours = side.name == "ours"
    matmul, relu = (side.ops.matmul, side.ops.relu) if ours else (side.torch.matmul, side.torch.relu)
    return choose(
        side,
        lambda: matmul(relu(matmul(x, w1) + b1), w2) + b2,
        lambda: matmul(relu(matmul(x, w1) + b1), w2) + b2,
    )
