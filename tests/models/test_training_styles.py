# SPDX-License-Identifier: Apache-2.0
"""The ways to write a training step, of today and of earlier releases: all give one loss curve."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, ops
from mindspore.ops import composite, functional
from mindspore.train import (
    Callback,
    DatasetHelper,
    FixedLossScaleManager,
    Model,
    connect_network_with_dataset,
    data_sink,
)

EPOCHS, ROWS, BATCH = 3, 48, 12
STEPS = EPOCHS * ROWS // BATCH


def make_data():
    rng = np.random.default_rng(0)
    images = rng.normal(size=(ROWS, 1, 8, 8)).astype(np.float32)
    labels = (images.mean((1, 2, 3)) > 0).astype(np.int32)
    return ds.NumpySlicesDataset((images, labels), ["image", "label"], shuffle=False).batch(BATCH)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, has_bias=True)
        self.norm = nn.BatchNorm2d(4)
        self.dense = nn.Dense(4 * 8 * 8, 2)

    def construct(self, x):
        return self.dense(nn.Flatten()(ops.relu(self.norm(self.conv(x)))))


class Recorder(Callback):
    needs_step = True

    def __init__(self):
        self.losses = []

    def on_train_step_end(self, run_context):
        outputs = run_context.original_args().net_outputs
        self.losses.append(float((outputs[0] if isinstance(outputs, tuple) else outputs).asnumpy()))


def rows():
    iterator = make_data().create_tuple_iterator(num_epochs=EPOCHS)
    for _ in range(EPOCHS):
        yield from iterator


def with_model(net, loss, optimizer, **options):
    recorder = Recorder()
    Model(net, loss, optimizer, **options).train(EPOCHS, make_data(), recorder)
    return recorder.losses


def functions(net, loss, optimizer):
    gradients_of = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)

    @ms.jit
    def step(x, y):
        value, gradients = gradients_of(x, y)
        return ops.depend(value, optimizer(gradients))

    net.set_train()
    return [float(step(*row)) for row in rows()]


def auxiliary_results(net, loss, optimizer):
    def forward(x, y):
        scores = net(x)
        return loss(scores, y), scores

    gradients_of = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)
    losses = []
    net.set_train()
    for x, y in rows():
        (value, scores), gradients = gradients_of(x, y)
        assert scores.shape == (BATCH, 2)
        optimizer(gradients)
        losses.append(float(value))
    return losses


def training_cell(net, loss, optimizer):
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
    return [float(step(*row)) for row in rows()]


def gradient_operation(net, loss, optimizer):
    class Step(nn.TrainOneStepCell):
        def construct(self, *inputs):
            value = self.network(*inputs)
            sens = ops.Fill()(ops.DType()(value), ops.Shape()(value), self.sens)
            gradients = self.grad(self.network, self.weights)(*inputs, sens)
            return functional.depend(value, self.optimizer(self.grad_reducer(gradients)))

    step = Step(nn.WithLossCell(net, loss), optimizer).set_train()
    return [float(step(*row)) for row in rows()]


def scaled_by_hand(net, loss, optimizer):
    scale = composite.MultitypeFuncGraph("scale")

    @scale.register("Tensor", "Tensor")
    def _scale(factor, gradient):
        return gradient * ops.Reciprocal()(factor)

    class Step(nn.TrainOneStepWithLossScaleCell):
        def construct(self, *inputs):
            value = self.network(*inputs)
            status, sense = self.start_overflow_check(value, self.scale_sense)
            sens = ops.ones_like(value) * functional.cast(sense, value.dtype)
            gradients = self.grad(self.network, self.weights)(*inputs, sens)
            gradients = self.hyper_map(functional.partial(scale, sense), gradients)
            if not self.process_loss_scale(self.get_overflow_status(status, gradients)):
                value = functional.depend(value, self.optimizer(gradients))
            return value

    update = nn.FixedLossScaleUpdateCell(1024)
    step = Step(nn.WithLossCell(net, loss), optimizer, update).set_train()
    return [float(step(*row)) for row in rows()]


def accumulated_halves(net, loss, optimizer):
    """Each batch as one of two equal parts: the mean of two equal gradients is the gradient."""
    sums = optimizer.parameters.clone(prefix="sums", init="zeros")
    gradients_of = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
    add, clear = ops.HyperMap(), ops.HyperMap()

    @ms.jit
    def step(x, y, update):
        value, gradients = gradients_of(x, y)
        add(ops.partial(lambda total, one: ops.assign_add(total, one / 2)), sums, gradients)
        if update:
            optimizer(sums)
            clear(lambda total: ops.assign(total, ops.zeros_like(total)), sums)
        return value

    net.set_train()
    losses = []
    for row in rows():
        losses.append(float(step(*row, False)))
        step(*row, True)
    return losses


def sinking_function(net, loss, optimizer):
    gradients_of = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)

    def step(x, y):
        value, gradients = gradients_of(x, y)
        optimizer(gradients)
        return value

    net.set_train()
    process = data_sink(step, make_data(), sink_size=1, jit_config=ms.JitConfig())
    return [float(process()) for _ in range(STEPS)]


def sinking_loop(net, loss, optimizer):
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()
    helper = DatasetHelper(make_data(), dataset_sink_mode=True, sink_size=1, epoch_num=STEPS)
    connected, losses = connect_network_with_dataset(step, helper), []
    for _ in range(STEPS):
        losses += [float(connected(*row)) for row in helper]
    return losses


STYLES = {
    "model": with_model,
    "functions": functions,
    "auxiliary results": auxiliary_results,
    "training cell": training_cell,
    "training cell in a model": lambda net, loss, optimizer: with_model(
        nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer), None, None
    ),
    "network with its loss in a model": lambda net, loss, optimizer: with_model(
        nn.WithLossCell(net, loss), None, optimizer
    ),
    "scaled in a model": lambda net, loss, optimizer: with_model(
        net, loss, optimizer, loss_scale_manager=FixedLossScaleManager(1024.0)
    ),
    "gradient operation": gradient_operation,
    "scaled by hand": scaled_by_hand,
    "accumulated halves": accumulated_halves,
    "sinking function": sinking_function,
    "sinking loop": sinking_loop,
}


def losses_of(style: str, mode: int) -> list[float]:
    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    ms.set_seed(4)
    try:
        net = Net()
        optimizer = nn.Momentum(net.trainable_params(), nn.cosine_decay_lr(0.001, 0.02, STEPS, 4, 3), 0.9)
        return STYLES[style](net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), optimizer)
    finally:
        ms.set_context(mode=before)


@pytest.fixture(scope="module")
def curve():
    """The losses of the plainest way."""
    return losses_of("training cell", ms.PYNATIVE_MODE)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
@pytest.mark.parametrize("style", STYLES)
def test_one_loss_curve(style, mode, curve):
    losses = losses_of(style, mode)
    assert len(losses) == STEPS and losses[-1] < 0.7 * losses[0]
    np.testing.assert_allclose(losses, curve, rtol=1e-5)
