# SPDX-License-Identifier: Apache-2.0
"""Training steps, optimizers, switches between calls."""

from __future__ import annotations

import numpy as np

import mindspore as ms
from mindspore import Tensor, nn, ops
from programs import ramp, script


def _net():
    return nn.SequentialCell(nn.Dense(3, 4), nn.Tanh(), nn.Dense(4, 1))


def _steps(compiled, make_optimizer, count=5, net=None):
    net = net or _net()
    optimizer = make_optimizer(net)
    loss_function = nn.MSELoss()

    def forward(x, y):
        return loss_function(net(x), y)

    gradient = ms.value_and_grad(forward, None, optimizer.parameters)

    def step(x, y):
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        return loss

    run = compiled(step)
    x, y = Tensor(ramp(4, 3)), Tensor(np.ones((4, 1), np.float32))
    losses = [run(x * (k + 1), y) for k in range(count)]
    return losses, [p + 0 for p in net.get_parameters()], [p + 0 for p in optimizer.get_parameters()]


@script
def sgd(compiled):
    return _steps(compiled, lambda net: nn.SGD(net.trainable_params(), 0.1))


@script
def momentum(compiled):
    return _steps(compiled, lambda net: nn.Momentum(net.trainable_params(), 0.1, 0.9, weight_decay=0.01))


@script
def adam(compiled):
    return _steps(compiled, lambda net: nn.Adam(net.trainable_params(), 0.01))


@script
def adam_weight_decay(compiled):
    return _steps(compiled, lambda net: nn.AdamWeightDecay(net.trainable_params(), 0.01, weight_decay=0.1))


@script
def rms_prop(compiled):
    return _steps(compiled, lambda net: nn.RMSProp(net.trainable_params(), 0.01))


@script
def adagrad(compiled):
    return _steps(compiled, lambda net: nn.Adagrad(net.trainable_params()))


@script
def learning_rate_by_step(compiled):
    rates = nn.exponential_decay_lr(0.1, 0.5, 10, 1, 1)
    return _steps(compiled, lambda net: nn.SGD(net.trainable_params(), rates))


@script
def learning_rate_schedule(compiled):
    return _steps(compiled, lambda net: nn.SGD(net.trainable_params(), nn.ExponentialDecayLR(0.1, 0.9, 2)))


@script
def groups_of_parameters(compiled):
    def make(net):
        weights = [p for p in net.trainable_params() if "bias" not in p.name]
        biases = [p for p in net.trainable_params() if "bias" in p.name]
        return nn.Momentum([{"params": weights, "lr": 0.05}, {"params": biases}], 0.1, 0.9)

    return _steps(compiled, make)


@script
def with_dropout_and_norm(compiled):
    net = nn.SequentialCell(nn.Dense(3, 4), nn.BatchNorm1d(4), nn.Dropout(p=0.5), nn.Dense(4, 1))
    net.set_train()
    return _steps(compiled, lambda n: nn.SGD(n.trainable_params(), 0.1), net=net)


@script
def clipped_gradients(compiled):
    net = _net()
    optimizer = nn.SGD(net.trainable_params(), 0.5)
    gradient = ms.value_and_grad(lambda x: (net(x) ** 2).sum(), None, optimizer.parameters)

    def step(x):
        loss, gradients = gradient(x)
        gradients = ops.clip_by_global_norm(gradients, 0.1)
        optimizer(gradients)
        return loss, gradients

    run = compiled(step)
    return [run(Tensor(ramp(2, 3))) for _ in range(4)]


@script
def loss_scaling(compiled):
    from mindspore.amp import DynamicLossScaler, all_finite

    net = nn.Dense(3, 1)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    scaler = DynamicLossScaler(1024, 2, 2)
    gradient = ms.value_and_grad(lambda x: scaler.scale((net(x) ** 2).sum()), None, optimizer.parameters)

    def step(x):
        loss, gradients = gradient(x)
        finite = all_finite(gradients)
        if finite:
            optimizer(scaler.unscale(gradients))
        scaler.adjust(finite)
        return scaler.unscale(loss), finite

    run = compiled(step)
    return [run(Tensor(ramp(2, 3) * k)) for k in (1, 2, 1e30, 1, 1)], scaler.scale_value


@script
def train_one_step_cell(compiled):
    net = nn.WithLossCell(_net(), nn.MSELoss())
    step = nn.TrainOneStepCell(net, nn.Momentum(net.trainable_params(), 0.1, 0.9))
    step.set_train()
    x, y = Tensor(ramp(4, 3)), Tensor(np.ones((4, 1), np.float32))
    return [step(x, y) for _ in range(4)], [p + 0 for p in net.get_parameters()]


@script
def own_training_cell(compiled):
    class Step(nn.Cell):
        def __init__(self, net):
            super().__init__()
            self.net = net
            self.weights = ms.ParameterTuple(net.trainable_params())
            self.optimizer = nn.SGD(self.weights, 0.1)
            self.gradient = ops.GradOperation(get_by_list=True)

        def construct(self, x):
            loss = self.net(x)
            gradients = self.gradient(self.net, self.weights)(x)
            return ops.depend(loss, self.optimizer(gradients))

    class Loss(nn.Cell):
        def __init__(self):
            super().__init__()
            self.body = _net()

        def construct(self, x):
            return (self.body(x) ** 2).mean()

    net = Loss()
    step = Step(net)
    return [step(Tensor(ramp(4, 3))) for _ in range(4)], [p + 0 for p in net.get_parameters()]


@script
def accumulated_gradients(compiled):
    net = nn.Dense(3, 1)
    parameters = net.trainable_params()
    sums = [ms.Parameter(ops.zeros_like(p), name=f"sum_{p.name}") for p in parameters]
    optimizer = nn.SGD(parameters, 0.1)
    gradient = ms.grad(lambda x: net(x).sum(), None, ms.ParameterTuple(parameters))

    def add(x):
        for total, part in zip(sums, gradient(x), strict=True):
            ops.assign_add(total, part)
        return sums[0] + 0

    def apply():
        optimizer(tuple(s / 2 for s in sums))
        for total in sums:
            ops.assign(total, ops.zeros_like(total))
        return [p + 0 for p in parameters]

    add, apply = compiled(add), compiled(apply)
    found = []
    for k in range(6):
        found.append(add(Tensor(ramp(2, 3) * k)))
        if k % 2:
            found.append(apply())
    return found


@script
def frozen_layers(compiled):
    net = _net()
    for p in net[0].get_parameters():
        p.requires_grad = False
    return _steps(compiled, lambda n: nn.SGD(n.trainable_params(), 0.1), net=net)


@script
def train_and_evaluate(compiled):
    net = nn.SequentialCell(nn.Dense(3, 4), nn.BatchNorm1d(4), nn.Dropout(p=0.5))
    x = Tensor(ramp(4, 3))
    found = []
    for mode in (True, False, True, False):
        net.set_train(mode)
        found += [net(x), net(x)]
    return found


@script
def early_stopping(compiled):
    net = nn.Dense(3, 1)
    optimizer = nn.SGD(net.trainable_params(), 0.001)
    gradient = ms.value_and_grad(lambda x: (net(x) ** 2).sum(), None, optimizer.parameters)

    def step(x, limit):
        loss, gradients = gradient(x)
        if loss < limit:
            return loss, True
        optimizer(gradients)
        return loss, False

    run = compiled(step)
    return [run(Tensor(ramp(2, 3)), Tensor(limit)) for limit in (0.0, 0.0, 1e9, 0.0, 1e9)]


@script
def whole_epoch_in_one_call(compiled):
    net = nn.Dense(3, 1)
    optimizer = nn.SGD(net.trainable_params(), 0.001)
    gradient = ms.value_and_grad(lambda x: (net(x) ** 2).sum(), None, optimizer.parameters)

    def epoch(data):
        losses = []
        for x in data:
            loss, gradients = gradient(x.expand_dims(0))
            optimizer(gradients)
            losses.append(loss)
        return ops.stack(losses)

    run = compiled(epoch)
    return [run(Tensor(ramp(4, 3))) for _ in range(3)]


@script
def two_networks(compiled):
    maker, critic = nn.Dense(2, 3), nn.Dense(3, 1)
    of_maker = nn.SGD(maker.trainable_params(), 0.1)
    of_critic = nn.SGD(critic.trainable_params(), 0.1)
    maker_loss = ms.value_and_grad(lambda z: -critic(maker(z)).mean(), None, of_maker.parameters)
    critic_loss = ms.value_and_grad(
        lambda z, x: (critic(maker(z)) - critic(x)).mean(), None, of_critic.parameters
    )

    def step(z, x):
        first, gradients = critic_loss(z, x)
        of_critic(gradients)
        second, gradients = maker_loss(z)
        of_maker(gradients)
        return first, second

    run = compiled(step)
    found = [run(Tensor(ramp(4, 2)), Tensor(ramp(4, 3))) for _ in range(4)]
    return found, [p + 0 for p in maker.get_parameters()] + [p + 0 for p in critic.get_parameters()]
