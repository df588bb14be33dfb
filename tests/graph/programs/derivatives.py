# SPDX-License-Identifier: Apache-2.0
"""Gradients taken inside and outside captured functions."""

from __future__ import annotations

import numpy as np

import mindspore as ms
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops
from programs import f32, program, ramp, script


def _cube(x):
    return (x * x * x).sum()


def _bent(x):
    if x.sum() > 0:
        return (x * x).sum()
    return x.sum() * 3


@program((ramp(3),))
def grad_inside(x):
    return ms.grad(_cube)(x)


@program((ramp(3),), (-ramp(3),))
def grad_of_a_branch(x):
    return ms.grad(_bent)(x)


@program((ramp(3),))
def value_and_grad_inside(x):
    value, gradient = ms.value_and_grad(_cube)(x)
    return value * 2, gradient


@program((ramp(3),))
def second_derivative(x):
    return ms.grad(ms.grad(_cube))(x)


@program((f32(1.5),))
def third_derivative(x):
    return ms.grad(ms.grad(ms.grad(lambda v: v**4)))(x)


@program((ramp(3), ramp(3)))
def several_positions(x, y):
    return ms.grad(lambda a, b: (a * b * b).sum(), (0, 1))(x, y)


@program((ramp(3),))
def with_auxiliary(x):
    return ms.grad(lambda v: ((v * v).sum(), v * 2), has_aux=True)(x)


@program((ramp(3), ramp(3)))
def with_identifiers(x, y):
    found = ms.grad(lambda a, b: (a * b * b).sum(), (0, 1), return_ids=True)(x, y)
    return found, ms.get_grad(found, 1)


@program((ramp(3),))
def gradient_of_several_outputs(x):
    return ms.grad(lambda v: (v * 2, v * v))(x)


@program((ramp(3),))
def grad_operation(x):
    return ops.GradOperation()(_cube)(x), ops.GradOperation(get_all=True)(lambda a, b: a * b)(x, x + 1)


@program((ramp(3), ramp(3)))
def grad_operation_with_a_seed(x, seed):
    return ops.GradOperation(sens_param=True)(lambda v: v * v)(x, seed)


@program((ramp(3),))
def stopped(x):
    return (x * ops.stop_gradient(x * x)).sum()


@program((ramp(3),))
def stopped_and_not(x):
    y = x * x
    return ms.grad(lambda v: (v * ops.stop_gradient(v) + v).sum())(x) + y


@program((ramp(3),))
def loop_of_gradients(x):
    for _ in range(4):
        x = x - 0.1 * ms.grad(_cube)(x)
    return x


@program((ramp(3),), (-ramp(3),))
def gradient_decides(x):
    gradient = ms.grad(_bent)(x)
    if gradient.sum() > 4:
        return gradient
    return -gradient


@program((ramp(3),))
def no_gradient_inside(x):
    with ms._no_grad():
        y = x * 2
    return y


@program((ramp(3), ramp(3)))
def products_with_matrices(x, v):
    out, product = ms.jvp(lambda a: a * a * a, x, v)
    value, pull = ms.vjp(lambda a: a * a, x)
    return out, product, value, pull(v)


@program((ramp(2),))
def jacobian(x):
    return ms.jacrev(lambda a: ops.stack((a[0] * a[1], a[0] ** 2, a[1])))(x)


@program((ramp(3),))
def hook_on_a_tensor(x):
    def inner(v):
        y = v * 2
        y.register_hook(lambda gradient: gradient * 10)
        return (y * y).sum()

    return ms.grad(inner)(x)


@program((ramp(3),))
def unused_argument(x):
    return ms.grad(lambda a, b: a.sum(), (0, 1))(x, x * 2)


@program((ramp(2, 3),))
class WeightGradients(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = nn.Dense(3, 2)
        self.weights = ParameterTuple(self.net.trainable_params())
        self.gradient = ops.GradOperation(get_by_list=True)

    def construct(self, x):
        return self.gradient(self.net, self.weights)(x)


@program((ramp(2, 3),))
class GradientCell(nn.Cell):
    def __init__(self):
        super().__init__()
        self.net = nn.SequentialCell(nn.Dense(3, 3), nn.Tanh(), nn.Dense(3, 1))

    def construct(self, x):
        return ms.grad(self.net)(x)


def _small_net():
    return nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 1))


@script
def top_level_grad_of_a_function(compiled):
    gradient = ms.grad(_bent)
    return [gradient(Tensor(k * ramp(3))) for k in (1, -1, 2, -2, 1)]


@script
def top_level_grad_of_a_compiled_function(compiled):
    gradient = ms.grad(compiled(_bent))
    return [gradient(Tensor(k * ramp(3))) for k in (1, -1, 2, -2, 1)]


@script
def top_level_value_and_grad_of_a_cell(compiled):
    net = _small_net()
    run = ms.value_and_grad(net, 0, net.trainable_params())
    return [run(Tensor(k * ramp(2, 3))) for k in (1, 2, 3)]


@script
def top_level_weights_only(compiled):
    net = _small_net()
    run = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())
    found = [run(Tensor(ramp(2, 3)))]
    net[0].weight.set_data(net[0].weight * 2)
    return found + [run(Tensor(ramp(2, 3)))]


@script
def top_level_grad_operations(compiled):
    net = _small_net()
    weights = ParameterTuple(net.trainable_params())
    x, seed = Tensor(ramp(2, 3)), Tensor(np.ones((2, 1), np.float32) * 3)
    by_list = ops.GradOperation(get_by_list=True)(net, weights)
    everything = ops.GradOperation(get_all=True, get_by_list=True, sens_param=True)(net, weights)
    return [by_list(x), by_list(x), everything(x, seed), everything(x, seed), everything(x, sens=seed)]


@script
def top_level_higher_order(compiled):
    second = ms.grad(ms.grad(_cube))
    return [second(Tensor(k * ramp(3))) for k in (1, 2, 3)]


@script
def top_level_has_aux(compiled):
    run = ms.value_and_grad(lambda x: ((x * x).sum(), {"x": x * 3}), has_aux=True)
    return [run(Tensor(k * ramp(3))) for k in (1, 2, 3)]


@script
def requires_grad_changed(compiled):
    net = nn.Dense(3, 1)
    run = ms.grad(net, None, ParameterTuple(net.trainable_params()))
    x = Tensor(ramp(2, 3))
    found = [run(x), run(x)]
    net.bias.requires_grad = False
    return found + [run(x), run(x)]


@script
def gradients_of_changed_globals(compiled):
    factor = [2.0]
    run = ms.grad(lambda x: (x * factor[0]).sum())
    x = Tensor(ramp(3))
    found = [run(x), run(x)]
    factor[0] = 5.0
    return found + [run(x), run(x)]


class _OwnBackward(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * 7,)


@script
def own_backward_in_a_function(compiled):
    cell = _OwnBackward()
    run = compiled(lambda x: ms.grad(lambda v: cell(v * 2))(x))
    return [run(Tensor(k * ramp(3))) for k in (1, 2, 3)]


@script
def gradient_function_as_an_argument(compiled):
    def step(gradient, x):
        return x - gradient(x)

    run, gradient = compiled(step), ms.grad(_cube)
    return [run(gradient, Tensor(ramp(3))) for _ in range(3)]


@script
def weight_is_an_argument(compiled):
    weight = Parameter(Tensor([2.0, 3.0, 4.0]), name="w")
    run = compiled(lambda w, x: ms.grad(lambda a, b: (a * b).sum(), (0, 1))(w, x))
    x = Tensor(ramp(3))
    found = [run(weight, x), run(weight, x)]
    weight.set_data(weight * 2)
    return found + [run(weight, x)]
