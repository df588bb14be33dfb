# SPDX-License-Identifier: Apache-2.0
"""Random operators give the same numbers in the same order; print keeps its place."""

from __future__ import annotations

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from programs import f32, program, ramp, script


@program((ramp(4),))
def one_after_the_other(x):
    a = ops.standard_normal((4,))
    b = ops.uniform((4,), Tensor(0.0), Tensor(1.0))
    return a * x, b + x, ops.standard_normal((2,))


@program((ramp(40),))
def dropout(x):
    return ops.dropout(x, p=0.5, training=True)


@program((ramp(4),), (-ramp(4),))
def in_one_branch_only(x):
    if x[0] > 0:
        x = x + ops.standard_normal((4,))
    return x * ops.standard_normal((4,))


@program((ramp(4),))
def in_a_loop(x):
    for _ in range(3):
        x = x + ops.standard_normal((4,))
    return x


@program()
def nothing_but_random_numbers():
    return ops.standard_normal((3,)), ops.randint(0, 10, (4,)), ops.rand(2), ops.randn(2, 2)


@program((ramp(4),))
def unused_random_numbers(x):
    ops.standard_normal((4,))
    return x * ops.standard_normal((4,))


@program((ramp(4),))
def random_number_decides(x):
    if ops.standard_normal((1,)) > 0:
        return x
    return -x


@program((ramp(8),))
def permutation(x):
    return x[ops.randperm(8)]


@program((ramp(20),))
class DropoutLayers(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Dropout(p=0.3), nn.Dropout(p=0.6)
        self.set_train()

    def construct(self, x):
        return self.first(x) + self.second(x)


@program((f32(1.0, 2.0),))
def prints(x):
    print("before", x)
    y = x * 2
    print("after", y, 3, sep="|", end="!\n")
    return y


@program((f32(1.0),), (f32(-1.0),))
def prints_in_branches(x):
    if x > 0:
        print("positive", x)
    else:
        print("negative", x * 2)
    print("end")
    return x


@program((f32(1.0),))
def prints_in_a_loop(x):
    for k in range(3):
        x = x * 2
        print(k, x)
    return x


@program((f32(1.0, 2.0),))
def prints_texts(x):
    print(f"value {x}", "shape %s" % (x.shape,))
    print({"x": x}, [x, (x,)])
    print()
    return x


@program((f32(1.0, 2.0),))
class PrintsBetweenAssignments(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p = Parameter(Tensor([0.0, 0.0]), name="p", requires_grad=False)

    def construct(self, x):
        print("p", self.p)
        ops.assign_add(self.p, x)
        print("p", self.p + 0)
        return self.p * 2


@program((f32(1.0, 2.0),))
def print_operator(x):
    ops.Print()("operator", x * 2)
    return x


@program((f32(3.0),), (f32(-3.0),))
def prints_before_raising(x):
    print("start", x)
    if x < 0:
        raise ValueError("negative")
    return x


@script
def the_same_seed_again(compiled):
    def draw(x):
        return x + ops.standard_normal((3,))

    run, found = compiled(draw), []
    for seed in (1, 2, 1):
        ms.set_seed(seed)
        found += [run(Tensor([1.0, 2.0, 3.0])), run(Tensor([1.0, 2.0, 3.0]))]
    return found


@script
def eager_and_captured_share_one_stream(compiled):
    def draw(x):
        return x * ops.standard_normal((2,))

    run = compiled(draw)
    x = Tensor([1.0, 2.0])
    return [run(x), ops.standard_normal((2,)), run(x), ops.standard_normal((2,)), run(x)]


@script
def two_functions_in_turn(compiled):
    first = compiled(lambda x: x + ops.standard_normal((2,)))
    second = compiled(lambda x: x * ops.rand(2))
    x = Tensor([1.0, 2.0])
    return [f(x) for _ in range(3) for f in (first, second)]


@script
def two_generators(compiled):
    a = compiled(lambda: ops.standard_normal((2,), seed=3))
    return [a(), a(), ops.standard_normal((2,), seed=3), a()]
