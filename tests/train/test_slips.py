# SPDX-License-Identifier: Apache-2.0
"""Slips after which a training would change nothing: each is an error, or at least a word."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, log, nn, ops
from mindspore import dataset as ds
from mindspore._settings import telling
from mindspore.experimental import optim
from mindspore.train import Accuracy, Callback, LossMonitor, Model, ModelCheckpoint

MODES = [ms.PYNATIVE_MODE, ms.GRAPH_MODE]


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Dense(3, 4), nn.Dense(4, 2)

    def construct(self, x):
        return self.head(ops.relu(self.body(x)))


@pytest.fixture
def warnings(monkeypatch) -> list[str]:
    """The texts of all warnings."""
    texts: list[str] = []
    monkeypatch.setattr(telling, "_told", set())
    monkeypatch.setattr(log, "warning", lambda text, *parts: texts.append(text % parts if parts else text))
    return texts


@pytest.fixture(params=MODES, ids=["pynative", "graph"])
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


def data():
    random = np.random.default_rng(0)
    rows = random.standard_normal((8, 3)).astype(np.float32), random.integers(0, 2, 8).astype(np.int32)
    return ds.NumpySlicesDataset(rows, ["x", "y"], shuffle=False).batch(4)


def model_of(net=None, loss=None, optimizer=None, **more):
    net = net or Net()
    loss = nn.CrossEntropyLoss() if loss is None else loss
    return Model(net, loss, optimizer or nn.SGD(net.trainable_params(), 0.1), **more)


def is_trained(model, net, **more):
    before = [parameter.asnumpy().copy() for parameter in net.get_parameters()]
    model.train(1, data(), **more)
    after = [parameter.asnumpy() for parameter in net.get_parameters()]
    return [not np.array_equal(a, b) for a, b in zip(before, after, strict=True)]


# Classes instead of objects.

CLASSES = {
    "network": (lambda: Model(Net, nn.CrossEntropyLoss()), "call 'Net'"),
    "loss": (lambda: model_of(loss=nn.CrossEntropyLoss), r"loss_fn=CrossEntropyLoss\(\)"),
    "loss of evaluation": (lambda: nn.WithEvalCell(Net(), nn.MSELoss), r"MSELoss\(\)"),
    "loss beside a network": (lambda: nn.WithLossCell(Net(), nn.MSELoss), r"MSELoss\(\)"),
    "network beside a loss": (lambda: nn.WithLossCell(Net, nn.MSELoss()), r"Net\(\)"),
    "network of gradients": (lambda: nn.ForwardValueAndGrad(Net), r"Net\(\)"),
    "network of a step": (lambda: nn.TrainOneStepCell(Net, nn.SGD(Net().trainable_params())), r"Net\(\)"),
    "optimizer": (lambda: model_of(optimizer=nn.SGD), "call 'SGD'"),
    "optimizer of a step": (lambda: nn.TrainOneStepCell(Net(), nn.SGD), r"SGD\(network.trainable_params"),
    "evaluation network": (
        lambda: model_of(metrics={"acc"}, eval_network=nn.WithEvalCell),
        "call 'WithEvalCell'",
    ),
    "metric": (lambda: model_of(metrics={"acc": Accuracy}), "Call 'Accuracy'"),
    "callback": (
        lambda: model_of().train(1, data(), callbacks=LossMonitor),
        "the class 'LossMonitor': call it",
    ),
    "callbacks": (
        lambda: model_of().train(1, data(), callbacks=[ModelCheckpoint]),
        "'ModelCheckpoint': call it",
    ),
    "data": (lambda: model_of().train(1, ds.NumpySlicesDataset), "the class 'NumpySlicesDataset'"),
}


@pytest.mark.parametrize("slip", CLASSES)
def test_a_class_instead_of_an_object(slip):
    call, text = CLASSES[slip]
    with pytest.raises(TypeError, match=text):
        call()


@pytest.mark.parametrize("wrong", [None, [1, 2], np.ones(3), 3])
def test_what_is_no_data(wrong):
    for call in (
        lambda: model_of().train(1, wrong),
        lambda: model_of(metrics={"acc"}).eval(wrong),
        lambda: model_of(metrics={"acc"}).fit(1, wrong, data()),
    ):
        with pytest.raises(TypeError, match="must be a Dataset, but got"):
            call()


def test_other_types():
    with pytest.raises(TypeError, match="'loss_fn' must be a Cell or a function, but got int"):
        model_of(loss=3)
    with pytest.raises(TypeError, match="type of 'eval_network' should be 'Cell', but got type 'int'"):
        model_of(metrics={"acc"}, eval_network=3)


def test_a_function_may_be_the_loss(mode):
    net = Net()
    assert all(is_trained(model_of(net, lambda x, y: ops.cross_entropy(x, y)), net))


# Optimizers of other networks.


@pytest.mark.parametrize("kind", [nn.SGD, nn.Adam, optim.SGD])
def test_a_model_with_an_optimizer_of_another_network_evaluates_but_does_not_train(kind, mode, warnings):
    """A script may load a fresh network to evaluate it, and hand over the optimizer of the one it trained."""
    model = model_of(optimizer=kind(Net().trainable_params(), 0.1), metrics={"acc"})
    assert len(warnings) == 1 and "none of the 4 parameters of the optimizer" in warnings[0]
    assert 0 <= model.eval(data())["acc"] <= 1
    for sink in (False, True):
        with pytest.raises(ValueError, match="none of the 4 parameters of the optimizer .*body.weight"):
            model.train(1, data(), dataset_sink_mode=sink)


@pytest.mark.parametrize("kind", [nn.SGD, nn.Adam, optim.SGD])
def test_a_step_with_an_optimizer_of_another_network_is_made_but_not_taken(kind, mode, warnings):
    optimizer = kind(Net().trainable_params(), 0.1)
    x, y = Tensor(np.ones((2, 3), np.float32)), Tensor([0, 1])
    plain = nn.TrainOneStepCell(nn.WithLossCell(Net(), nn.CrossEntropyLoss()), optimizer)
    manager = ms.amp.FixedLossScaleManager(drop_overflow_update=True)
    scaled = ms.amp.build_train_network(
        Net(), optimizer, nn.CrossEntropyLoss(), level="O0", loss_scale_manager=manager
    )
    assert [text[:60] for text in warnings] == [
        "For 'TrainOneStepCell', none of the 4 parameters of the opti",
        "For 'TrainOneStepWithLossScaleCell', none of the 4 parameter",
    ]
    for step in (plain, scaled):
        with pytest.raises(ValueError, match="none of the 4 parameters of the optimizer"):
            step(x, y)


def test_an_optimizer_made_before_the_network_was_changed(warnings):
    net = Net()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    net.head = nn.Dense(4, 2)
    model_of(net, optimizer=optimizer)
    assert len(warnings) == 1 and "2 of the 4 parameters" in warnings[0] and "head.weight" in warnings[0]
    net.body = nn.Dense(3, 4)
    with pytest.raises(ValueError, match="made anew after the optimizer"):
        model_of(net, optimizer=optimizer).train(1, data())


def test_some_parameters_are_enough(mode, warnings):
    net = Net()
    assert is_trained(model_of(net, optimizer=nn.SGD(net.head.trainable_params(), 0.1)), net) == [
        *(False, False),
        *(True, True),
    ]
    assert not warnings


def test_parameters_beyond_the_network_are_allowed(warnings):
    net, extra = Net(), ms.Parameter(Tensor([1.0]), name="temperature")
    model_of(net, optimizer=nn.SGD([*net.trainable_params(), extra], 0.1))
    assert not warnings


def test_parameters_of_the_loss_count():
    class Scaled(nn.Cell):
        def __init__(self):
            super().__init__()
            self.scale = ms.Parameter(Tensor([1.0]), name="scale")

        def construct(self, x, y):
            return ops.cross_entropy(x * self.scale, y)

    loss = Scaled()
    model_of(loss=loss, optimizer=nn.SGD([loss.scale], 0.1)).train(1, data())
    assert float(loss.scale[0]) != 1.0


def test_layers_in_a_plain_list_count():
    class Hidden(nn.Cell):
        def __init__(self):
            super().__init__()
            self.body = nn.Dense(3, 4)
            self.heads = {"first": [nn.Dense(4, 2)]}

        def construct(self, x):
            return self.heads["first"][0](self.body(x))

    net = Hidden()
    head = net.heads["first"][0]
    before = head.weight.asnumpy().copy()
    model_of(net, optimizer=nn.SGD(head.trainable_params(), 0.1)).train(1, data())
    assert not np.array_equal(before, head.weight.asnumpy())


# Losses without a gradient.


class Constant(nn.Cell):
    def __init__(self, value):
        super().__init__()
        self.value = value

    def construct(self, x, y):
        return self.value


@pytest.mark.parametrize("value", [None, 1.0, "loss"])
def test_a_loss_that_is_no_tensor(mode, value):
    with pytest.raises(
        TypeError, match=f"must return its loss, a Tensor, but it returned {type(value).__name__}"
    ):
        model_of(loss=Constant(value)).train(1, data())


def test_a_loss_of_whole_numbers(mode):
    with pytest.raises(TypeError, match="the loss must be of a floating type, but it is Int"):
        model_of(loss=lambda x, y: (x.argmax(1) == y).astype(ms.int32).sum()).train(1, data())


def test_a_loss_that_forgets_the_network(mode, warnings):
    net = Net()
    detached = model_of(net, lambda x, y: ops.stop_gradient(ops.cross_entropy(x, y)))
    assert not any(is_trained(detached, net))
    assert sum("no gradient arrives at any of the 4 parameters" in text for text in warnings) == 1


def test_frozen_parameters(warnings):
    net = Net()
    for parameter in net.get_parameters():
        parameter.requires_grad = False
    assert not any(is_trained(model_of(net, optimizer=nn.SGD(net.get_parameters(), 0.1)), net))
    assert "all of them have requires_grad=False" in warnings[0]


def test_several_losses_are_added(mode, warnings):
    net = Net()
    assert all(is_trained(model_of(net, lambda x, y: (ops.cross_entropy(x, y), x)), net))


# Nobody who trains.


def test_no_optimizer(mode, warnings):
    net = Net()
    assert not any(is_trained(Model(net, nn.CrossEntropyLoss()), net))
    assert len(warnings) == 1 and "has changed no parameter" in warnings[0] and "test_slips.py" in warnings[0]


def test_a_network_that_trains_itself(mode, warnings):
    net = Net()
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.SGD(net.trainable_params(), 0.1)
    )
    assert all(is_trained(Model(step), net))

    class ByHand(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = ms.Parameter(Tensor(np.ones(3, np.float32)), name="weight")

        def construct(self, x, y):
            ops.assign_add(self.weight, x.sum(0))
            return self.weight.sum()

    by_hand = ByHand()
    assert is_trained(Model(by_hand), by_hand) == [True]
    assert not warnings


# Arguments that would be passed over.


def test_evaluations_that_never_happen(warnings):
    model_of(metrics={"acc"}).fit(2, data(), data(), valid_frequency=[])
    model_of(metrics={"acc"}).fit(2, data(), data(), valid_frequency=[7])
    assert len(warnings) == 2 and all(
        "no epoch from 1 to 2 is followed by an evaluation" in t for t in warnings
    )
    with pytest.raises(TypeError, match="elements of 'valid_frequency' must be int, but got str"):
        model_of(metrics={"acc"}).fit(2, data(), data(), valid_frequency=["1"])


def test_arguments_without_their_partner(warnings):
    model_of(metrics={"acc"}, eval_indexes=[0, 2, 1])
    model_of().train(1, data(), sink_size=1)
    assert "'eval_indexes=[0, 2, 1]' has no effect" in warnings[0] and "sink_size=1" in warnings[1]


def test_a_hook_with_another_name(warnings):
    class Typo(Callback):
        def on_train_step_ended(self, run_context):
            raise AssertionError

    model_of().train(1, data(), callbacks=Typo())
    assert "'on_train_step_ended'" in warnings[0] and "did you mean 'on_train_step_end'?" in warnings[0]


@pytest.mark.parametrize("epoch", [0, -1, 1.5, True, "1"])
def test_numbers_of_epochs(epoch):
    with pytest.raises((TypeError, ValueError), match="'epoch' must be"):
        model_of().train(epoch, data())


# Something else than what was meant.


@pytest.mark.parametrize(
    "manager, scale, words",
    [
        (ms.FixedLossScaleManager(128, False), 1.0, "128 times as large"),
        (ms.FixedLossScaleManager(128, True), 128.0, "0.0078125 times as large"),
        (None, 1024.0, "0.000976562 times as large"),
    ],
)
def test_a_scale_that_nobody_takes_back(manager, scale, words, warnings):
    net = Net()
    optimizer = nn.SGD(net.trainable_params(), 0.1, loss_scale=scale)
    model_of(net, optimizer=optimizer, loss_scale_manager=manager)
    assert len(warnings) == 1 and words in warnings[0]


@pytest.mark.parametrize(
    "manager, scale",
    [(ms.FixedLossScaleManager(128, False), 128.0), (ms.DynamicLossScaleManager(), 1.0), (None, 1.0)],
)
def test_scales_that_fit(manager, scale, warnings):
    net = Net()
    optimizer = nn.SGD(net.trainable_params(), 0.1, loss_scale=scale)
    model_of(net, optimizer=optimizer, loss_scale_manager=manager)
    assert not warnings


def test_rates_that_are_none():
    parameters = Net().trainable_params()
    with pytest.raises(ValueError, match="must not be empty"):
        nn.SGD(parameters, [])
    for wrong in (
        {"learning_rate": float("nan")},
        {"weight_decay": float("nan")},
        {"loss_scale": float("nan")},
    ):
        with pytest.raises(ValueError, match="but got nan"):
            nn.SGD(parameters, **wrong)


@pytest.mark.parametrize("rate", ["1e-3", "0.1", "fast"])
def test_rates_read_as_text(rate):
    with pytest.raises(ValueError, match=f"the text '{rate}'.*1.0e-3"):
        nn.SGD(nn.Dense(2, 1).trainable_params(), rate)


def test_one_of_several_that_trains_alone(warnings, monkeypatch):
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "4")
    model_of().train(1, data())
    assert len(warnings) == 1 and "OMPI_COMM_WORLD_SIZE=4" in warnings[0] and "Run one process" in warnings[0]
