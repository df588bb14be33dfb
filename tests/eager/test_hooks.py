# SPDX-License-Identifier: Apache-2.0
"""Hooks on tensors, parameters and cells; custom backward of cells."""

import functools

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops


def tensor(*values):
    return Tensor(np.array(values, np.float32))


def test_tensor_hook_replaces_keeps_and_goes_away():
    seen = []

    def hook(gradient):
        seen.append(float(gradient))
        return gradient * 10

    def f(x, remove=False):
        y = x * 2
        handle = y.register_hook(hook)
        if remove:
            handle.remove()
        return y * 3

    assert float(ms.grad(f)(tensor(1.0))) == 60.0 and seen == [3.0]
    assert float(ms.grad(f)(tensor(1.0), True)) == 6.0 and seen == [3.0]


def test_hook_on_input_and_on_parameter():
    x, w = tensor(2.0), Parameter(tensor(5.0), name="w")
    x.register_hook(lambda gradient: gradient + 1)
    handle = w.register_hook(lambda gradient: None)
    other = w.register_hook(lambda gradient: gradient * 2)
    dx, dw = ms.grad(lambda x: w * x, 0, w)(x)
    assert float(dx) == 6.0 and float(dw) == 4.0
    handle.remove()
    other.remove()
    assert float(ms.grad(lambda x: w * x, None, w)(x)) == 2.0


@pytest.mark.parametrize("hook", [1, nn.ReLU(), functools.partial(abs)])
def test_hook_must_be_a_function(hook):
    with pytest.raises(TypeError, match="must be python function"):
        tensor(1.0).register_hook(hook)
    with pytest.raises(TypeError, match="must be python function"):
        nn.ReLU().register_forward_hook(hook)


def test_hook_of_two_parameters_is_refused():
    with pytest.raises(TypeError, match="arg num is not equal to 1"):
        tensor(1.0).register_hook(lambda a, b: a)


def test_forward_hooks_are_chained_and_differentiated():
    net = nn.ReLU()
    net.register_forward_pre_hook(lambda cell, inputs: inputs[0] * 2)
    handle = net.register_forward_hook(lambda cell, inputs, output: output + 1)
    net.register_forward_hook(lambda cell, inputs, output: output * 10)
    assert float(net(tensor(1.0))) == 30.0
    assert float(ms.grad(net)(tensor(1.0))) == 20.0
    handle.remove()
    assert float(net(tensor(1.0))) == 20.0


def test_backward_hook_sees_both_gradients_and_replaces_one():
    net, seen = nn.ReLU(), []

    def hook(cell_id, grad_input, grad_output):
        seen.append((cell_id.split("(")[0], float(grad_input[0]), float(grad_output[0])))
        return (grad_output[0] * 100,)

    handle = net.register_backward_hook(hook)
    assert float(ms.grad(lambda x: net(x * 2) * 3)(tensor(1.0))) == 600.0
    assert seen == [("ReLU", 3.0, 3.0)]
    handle.remove()
    assert float(ms.grad(lambda x: net(x * 2) * 3)(tensor(1.0))) == 6.0


def test_insert_gradient_of_and_hook_backward():
    clip = ops.InsertGradientOf(lambda dout: ops.clip_by_value(dout, -1.0, 1.0))
    assert float(ms.grad(lambda x: clip(x) * 5)(tensor(1.0))) == 1.0
    hook = ops.HookBackward(lambda gradients: gradients[0] * 2)
    assert float(ms.grad(lambda x: hook(x) * 5)(tensor(1.0))) == 10.0


class Scaled(nn.Cell):
    """Multiplies, with a gradient that says it went through `bprop`."""

    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return out * dout, x * dout * 100


def test_bprop_replaces_the_gradient():
    dx, dy = ms.grad(Scaled(), (0, 1))(tensor(2.0), tensor(3.0))
    assert float(dx) == 6.0 and float(dy) == 200.0


def test_bprop_is_differentiated_itself():
    class Square(nn.Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            return (out / x * 2 * dout,)

    assert float(ms.grad(ms.grad(Square()))(tensor(3.0))) == pytest.approx(2.0)


def test_bprop_gives_weight_gradients():
    class Weighted(nn.Cell):
        def __init__(self, answers):
            super().__init__()
            self.w, self.answers = Parameter(tensor(4.0), name="w"), answers

        def construct(self, x):
            return self.w * x

        def bprop(self, x, out, dout):
            gradients = (self.w * dout,)
            return (gradients, {self.w: dout * 7}) if self.answers else gradients

    for answers, expected in ((True, 7.0), (False, 0.0)):
        net = Weighted(answers)
        dx, dw = ms.grad(net, 0, net.w)(tensor(2.0))
        assert float(dx) == 4.0 and float(dw) == expected


def test_bprop_errors():
    class Few(Scaled):
        def bprop(self, x, y, out, dout):
            return (dout,)

    with pytest.raises(TypeError, match="which is: 2, but got:1"):
        ms.grad(Few())(tensor(2.0), tensor(3.0))

    class Wrong(nn.Cell):
        def construct(self, x):
            return x * 1

        def bprop(self, x, out, dout):
            return (tensor(1.0, 2.0, 3.0),)

    with pytest.raises(RuntimeError, match="does not fit"):
        ms.grad(Wrong())(tensor(1.0, 2.0))
    ms.set_context(check_bprop=True)
    try:
        with pytest.raises(ValueError, match="should have the same shape as the 0th argument"):
            ms.grad(Wrong())(tensor(1.0, 2.0))
    finally:
        ms.set_context(check_bprop=False)
