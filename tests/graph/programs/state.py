# SPDX-License-Identifier: Apache-2.0
"""Functions that leave something behind: attributes, lists, counters, globals, arguments."""

from __future__ import annotations

from mindspore import Tensor, nn, ops
from programs import f32, program, script

X = [1.0, 2.0, 3.0]


@program((f32(1.0, 2.0),))
class StoresATensor(nn.Cell):
    def construct(self, x):
        self.state = x * 2
        return self.state + 1


@program((f32(1.0, 2.0),), (f32(3.0, 4.0),))
class AddsUp(nn.Cell):
    def __init__(self):
        super().__init__()
        self.total = Tensor([0.0, 0.0])

    def construct(self, x):
        self.total = self.total + x
        return self.total * 1


@program((f32(1.0, 2.0),))
class StateOrNone(nn.Cell):
    def __init__(self):
        super().__init__()
        self.state = None

    def construct(self, x):
        if self.state is None:
            self.state = x
        else:
            self.state = self.state * 0.5 + x
        return self.state.sum()


class _Memory(nn.Cell):
    def __init__(self):
        super().__init__()
        self.state = Tensor([0.0, 0.0])

    def construct(self, x):
        before = self.state
        self.state = ops.tanh(x + before)
        return before


@program((f32(1.0, 2.0),), (f32(2.0, 2.0),))
class StateOfAChild(nn.Cell):
    def __init__(self):
        super().__init__()
        self.memory = _Memory()

    def construct(self, x):
        return self.memory(x) + self.memory(x * 2)


@program((f32(1.0, 2.0),), (f32(-1.0, 2.0),))
class StateInOneBranch(nn.Cell):
    def __init__(self):
        super().__init__()
        self.state = Tensor([0.0, 0.0])

    def construct(self, x):
        if x[0] > 0:
            self.state = self.state + x
        return self.state * 2


@program((f32(1.0, 2.0),))
class CountsCalls(nn.Cell):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def construct(self, x):
        self.calls += 1
        return x * 2


@script
def counter_is_used(compiled):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.calls = 0

        def construct(self, x):
            self.calls += 1
            return x * self.calls

    net = Net()
    return [net(Tensor(X)) for _ in range(10)], net.calls


@script
def counter_is_used_in_another_branch(compiled):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.calls = 0

        def construct(self, x):
            self.calls += 1
            if x[0] < 0:
                return x * self.count()
            return x

        def count(self):
            return self.calls

    net = Net()
    signs = (1, 1, 1, -1, 1, -1, 1, -1, -1, 1, 1, -1, -1)
    return [net(Tensor(X) * sign) for sign in signs], net.calls


@script
def counters_of_several_kinds(compiled):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.steps, self.time, self.left = 0, 0.0, 100

        def construct(self, x):
            self.steps += 1
            if x[0] > 0:
                self.time = self.time + 0.5
                self.left -= 2
            return x * 2

    net = Net()
    return [net(Tensor(X) * sign) for sign in (1, 1, -1, -1, 1, -1)], net.steps, net.time, net.left


@program((f32(1.0, 2.0),))
class SwitchesAFlag(nn.Cell):
    def __init__(self):
        super().__init__()
        self.flag = False

    def construct(self, x):
        self.flag = not self.flag
        return x if self.flag else -x


@program((f32(1.0, 2.0),))
class RemembersAShape(nn.Cell):
    def construct(self, x):
        self.shape = x.shape
        self.dtype = x.dtype
        return x.reshape(-1) * len(self.shape)


@program((f32(1.0, 2.0),))
class MakesItsWeightLater(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = None

    def construct(self, x):
        if self.weight is None:
            self.weight = ops.ones_like(x) * 3
        return x * self.weight


@program((f32(1.0, 2.0),))
class AppendsToItsList(nn.Cell):
    def __init__(self):
        super().__init__()
        self.seen = []

    def construct(self, x):
        self.seen.append(x * 2)
        return x * len(self.seen)


@program((f32(1.0, 2.0),))
class WritesItsDict(nn.Cell):
    def __init__(self):
        super().__init__()
        self.cache = {}

    def construct(self, x):
        self.cache["x"] = x * 2
        return self.cache["x"] + 1
