# SPDX-License-Identifier: Apache-2.0
"""`Model`: what it runs, in which order callbacks hear of it, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import dataset, nn, ops
from mindspore.train import Callback, DatasetHelper, Model, connect_network_with_dataset, data_sink
from mindspore.train.callback import RunContext

ROWS, BATCH = 24, 4
MODES = (ms.PYNATIVE_MODE, ms.GRAPH_MODE)


@pytest.fixture(params=MODES, ids=("pynative", "graph"))
def mode(request):
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=before)


def batches(columns: int = 2):
    generator = np.random.default_rng(3)
    inputs = generator.standard_normal((ROWS, 6)).astype(np.float32)
    labels = (inputs.sum(1) > 0).astype(np.int32)
    arrays = (inputs, labels, labels)[:columns]
    names = ["data", "label", "more"][:columns]
    return dataset.NumpySlicesDataset(arrays, names, shuffle=False).batch(BATCH)


def network() -> nn.Cell:
    ms.set_seed(5)
    return nn.SequentialCell(nn.Dense(6, 8), nn.Tanh(), nn.Dense(8, 2))


def loss() -> nn.Cell:
    return nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")


def model(**more) -> Model:
    net = network()
    return Model(net, loss(), nn.Momentum(net.trainable_params(), 0.1, 0.9), **more)


class Diary(Callback):
    """Writes down every hook with the numbers it finds."""

    def __init__(self, stop_at: int | None = None):
        self.entries, self.losses, self.stop_at = [], [], stop_at

    def on_train_step_end(self, run_context: RunContext):
        params = run_context.original_args()
        self.entries.append(("step", params.cur_epoch_num, params.cur_step_num))
        self.losses.append(float(params.net_outputs.asnumpy()))
        if params.cur_step_num == self.stop_at:
            run_context.request_stop()

    def on_train_begin(self, run_context):
        self.entries.append(("begin", run_context.original_args().cur_step_num))

    def on_train_epoch_begin(self, run_context):
        self.entries.append(("epoch", run_context.original_args().cur_epoch_num))

    def on_train_epoch_end(self, run_context):
        self.entries.append(("epoch end", run_context.original_args().get("eval_results")))

    def on_train_end(self, run_context):
        self.entries.append("end")

    def on_eval_begin(self, run_context):
        self.entries.append(("eval", run_context.original_args().mode))

    def on_eval_end(self, run_context):
        self.entries.append("eval end")

    def __enter__(self):
        self.entries.append("enter")
        return self

    def __exit__(self, *error):
        self.entries.append("exit")


def test_order_of_hooks(mode):
    diary = Diary()
    model().train(2, batches().take(2), callbacks=diary)
    of_epoch = lambda e, first: [  # noqa: E731
        ("epoch", e),
        ("step", e, first),
        ("step", e, first + 1),
        ("epoch end", None),
    ]
    assert diary.entries == ["enter", ("begin", 0), *of_epoch(1, 1), *of_epoch(2, 3), "end", "exit"]


def test_evaluation_stands_before_the_end_of_the_epoch(mode):
    diary = Diary()
    model(metrics={"acc", "loss"}).fit(2, batches().take(1), batches(), valid_frequency=2, callbacks=[diary])
    kinds = [entry if isinstance(entry, str) else entry[0] for entry in diary.entries]
    evaluation = ["enter", "eval", "eval end", "exit"]
    first = ["enter", "begin", "epoch", "step", "epoch end", "epoch", "step"]
    assert kinds == [*first, *evaluation, "epoch end", "end", "exit"]
    results = diary.entries[-3][1]
    assert set(results) == {"acc", "loss", "eval_loss"}
    assert 0 <= results["acc"] <= 1


def test_modes_and_sinking_give_the_same_losses():
    found = {}
    for chosen in MODES:
        for sinks in (False, True):
            ms.set_context(mode=chosen)
            diary, trained = Diary(), model()
            trained.train(3, batches(), callbacks=diary, dataset_sink_mode=sinks)
            found[chosen, sinks] = diary.losses, trained.predict_network[0].weight.asnumpy()
    ms.set_context(mode=ms.PYNATIVE_MODE)
    losses, weights = found[ms.PYNATIVE_MODE, False]
    assert len(losses) == 18
    for (chosen, sinks), (others, other_weights) in found.items():
        whole = chosen == ms.GRAPH_MODE and sinks
        np.testing.assert_allclose(others, losses[5::6] if whole else losses, rtol=1e-5)
        np.testing.assert_allclose(other_weights, weights, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(("sink_size", "steps"), [(-1, [6, 12]), (2, [2, 4]), (9, [9, 18])])
def test_sinking_calls_tell_callbacks_once(sink_size, steps):
    ms.set_context(mode=ms.GRAPH_MODE)
    diary = Diary()
    model().train(2, batches(), callbacks=diary, dataset_sink_mode=True, sink_size=sink_size)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert [entry[2] for entry in diary.entries if entry[0] == "step"] == steps


def test_a_callback_may_ask_for_every_step_of_a_sinking_call():
    ms.set_context(mode=ms.GRAPH_MODE)
    diary = Diary()
    diary.needs_step = True
    model().train(1, batches(), callbacks=diary, dataset_sink_mode=True)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert len(diary.losses) == 6


def test_a_stop_ends_after_the_step_with_all_ends(mode):
    diary = Diary(stop_at=2)
    model().train(3, batches(), callbacks=diary)
    assert diary.entries[-4:] == [("step", 1, 2), ("epoch end", None), "end", "exit"]


def test_initial_epoch_counts_on(mode):
    diary = Diary()
    model().train(3, batches().take(1), callbacks=diary, initial_epoch=2)
    assert ("step", 3, 1) in diary.entries
    assert len(diary.losses) == 1


def test_uneven_last_batch_is_compiled_on_the_way():
    ms.set_context(mode=ms.GRAPH_MODE)
    diary = Diary()
    generator = np.random.default_rng(3)
    arrays = generator.standard_normal((10, 6)).astype(np.float32), np.zeros(10, np.int32)
    rows = dataset.NumpySlicesDataset(arrays, ["data", "label"], shuffle=False).batch(4)
    model().train(2, rows, callbacks=diary, dataset_sink_mode=True)
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert [entry[2] for entry in diary.entries if entry[0] == "step"] == [3, 6]


def test_network_that_trains_itself_returns_several_losses(mode):
    class WithTwoLosses(nn.Cell):
        def __init__(self, net):
            super().__init__(auto_prefix=False)
            self.net, self.loss = net, loss()

        def construct(self, data, label):
            out = self.net(data)
            return self.loss(out, label), ops.square(out).mean()

    class Step(nn.Cell):
        def __init__(self, net, optimizer):
            super().__init__(auto_prefix=False)
            self.net, self.optimizer = net, optimizer
            self.grad = ops.GradOperation(get_by_list=True, sens_param=True)

        def construct(self, data, label):
            losses = self.net(data, label)
            ones = tuple(ops.ones_like(one) for one in losses)
            gradients = self.grad(self.net, self.optimizer.parameters)(data, label, ones)
            self.optimizer(gradients)
            return losses

    seen = []

    class Collect(Callback):
        def step_end(self, run_context):
            seen.append([float(one.asnumpy()) for one in run_context.original_args().net_outputs])

    net = network()
    Model(net=Step(WithTwoLosses(net), nn.SGD(net.trainable_params(), 0.1))).train(2, batches(), Collect())
    assert len(seen) == 12
    assert sum(seen[-1]) < sum(seen[0])


def test_evaluation_and_prediction(mode):
    trained = model(metrics={"acc": nn.Accuracy(), "loss": nn.Loss()})
    trained.train(5, batches())
    results = trained.eval(batches())
    assert set(results) == {"acc", "loss"}
    inputs = next(batches().create_tuple_iterator(num_epochs=1))[0]
    assert trained.predict(inputs).shape == (BATCH, 2)
    assert not trained.predict_network.training


def test_own_evaluation_network_and_indexes(mode):
    net = network()

    class Evaluation(nn.Cell):
        def construct(self, data, label):
            return label, net(data), loss()(net(data), label)

    found = Model(net, eval_network=Evaluation(), eval_indexes=[2, 1, 0], metrics={"acc", "loss"}).eval(
        batches()
    )
    expected = Model(net, loss(), metrics={"acc", "loss"}).eval(batches())
    assert found["acc"] == expected["acc"]
    assert found["loss"] == pytest.approx(expected["loss"], rel=1e-6)


def test_build_changes_nothing(mode):
    trained = model(metrics={"acc"})
    before = [parameter.asnumpy().copy() for parameter in trained.train_network.get_parameters()]
    trained.build(batches(), batches())
    after = [parameter.asnumpy() for parameter in trained.train_network.get_parameters()]
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


def test_loops_by_hand(mode):
    net = network()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss()), nn.SGD(net.trainable_params(), 0.1)).set_train()
    helper = DatasetHelper(batches(), dataset_sink_mode=True, sink_size=3, epoch_num=2)
    connected = connect_network_with_dataset(step, helper)
    calls = 0
    for _ in range(2):
        for inputs in helper:
            outputs = connected(*inputs)
            calls += 1
    assert calls == (2 if mode == ms.GRAPH_MODE else 6)
    assert outputs.shape == ()
    assert helper.sink_size() == (3 if mode == ms.GRAPH_MODE else 1)
    types, shapes = helper.types_shapes()
    assert types == [ms.float32, ms.int32]
    assert [tuple(shape) for shape in shapes] == [(BATCH, 6), (BATCH,)]
    with pytest.raises(ValueError, match="connected to other network"):
        connect_network_with_dataset(network(), helper)
    with pytest.raises(RuntimeError, match="non-sink mode"):
        connect_network_with_dataset(step, DatasetHelper(batches(), dataset_sink_mode=False))


def test_data_sink_runs_a_function_over_rows(mode):
    seen = []
    process = data_sink(lambda data, label: seen.append(data.shape) or label, batches(), sink_size=4)
    for _ in range(3):
        assert process().shape == (BATCH,)
    assert len(seen) == 12


def _refusals():
    net = network()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    manager = ms.FixedLossScaleManager()
    good = lambda **more: Model(net, loss(), optimizer, **more)  # noqa: E731
    rows = batches()
    return {
        "network": (lambda: Model(3), TypeError, "type of 'network' should be 'Cell'"),
        "keyword": (lambda: Model(net, foo=1), ValueError, "but got 'foo'"),
        "optimizer": (lambda: Model(net, loss(), 3), TypeError, "'optimizer'"),
        "scale": (lambda: Model(net, loss_scale_manager=manager), ValueError, "'optimizer' can not be None"),
        "level": (lambda: Model(net, amp_level="O2"), ValueError, "'optimizer' is None"),
        "metrics": (lambda: Model(net, metrics={"acc"}), ValueError, "`eval_network` must not be None"),
        "metrics type": (lambda: good(metrics=["acc"]), TypeError, "must be None, dict or set"),
        "indexes": (
            lambda: good(metrics={"acc"}, eval_network=net, eval_indexes=(0, 1, 2)),
            ValueError,
            "eval_indexes",
        ),
        "epoch": (lambda: good().train(0, rows), ValueError, "'epoch'"),
        "epoch type": (lambda: good().train("1", rows), TypeError, "'epoch'"),
        "sinking": (lambda: good().train(1, rows, dataset_sink_mode=1), TypeError, "dataset_sink_mode"),
        "sink size": (lambda: good().train(1, rows, sink_size=0), ValueError, "sink_size"),
        "initial epoch": (lambda: good().train(1, rows, initial_epoch=1), ValueError, "must bigger than"),
        "columns": (lambda: good().train(1, batches(3)), ValueError, "two elements, but got 3"),
        "arguments": (lambda: Model(net).train(1, rows), TypeError, r"2 columns \['data', 'label'\]"),
        "callbacks": (lambda: good().train(1, rows, callbacks=[1]), TypeError, "must be Callback"),
        "frequency": (lambda: good().fit(1, rows, rows, valid_frequency="1"), TypeError, "valid_frequency"),
        "no metrics": (lambda: good().eval(rows), ValueError, "'metrics' can not be None or empty"),
        "fit metrics": (lambda: good().fit(1, rows, rows), ValueError, "'metrics' can not be None"),
        "prediction": (lambda: good().predict(np.ones(3)), TypeError, "types of input data"),
        "empty": (
            lambda: good().predict(ms.Tensor(np.ones((0, 6), np.float32))),
            ValueError,
            "can not be empty",
        ),
        "layout": (lambda: good().infer_predict_layout(), RuntimeError, "GRAPH MODE"),
    }


@pytest.mark.parametrize("case", sorted(_refusals()))
def test_refusals(case):
    call, error, text = _refusals()[case]
    with pytest.raises(error, match=text):
        call()
