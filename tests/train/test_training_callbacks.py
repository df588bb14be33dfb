# SPDX-License-Identifier: Apache-2.0
"""Callbacks: when they are called, what they print, what they change."""

import re

import numpy as np
import pytest
from small_training import model, rows

import mindspore as ms
from mindspore import Tensor, nn
from mindspore.train import (
    Callback,
    EarlyStopping,
    FlopsUtilizationCollector,
    History,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    ReduceLROnPlateau,
    RunContext,
    TimeMonitor,
)
from mindspore.train.callback import _CallbackManager, _InternalCallbackParam

HOOKS = [f"{part}{when}" for part in ("", "epoch_", "step_") for when in ("begin", "end")]


class Watcher(Callback):
    """Notes every call with its own name."""

    def __init__(self, log, name=""):
        self.log, self.name = log, name
        for kind in ("train", "eval"):
            for hook in HOOKS:
                setattr(self, f"on_{kind}_{hook}", self._noting(f"{kind}_{hook}"))

    def _noting(self, text):
        return lambda run_context: self.log.append(self.name + text)

    def __enter__(self):
        self.log.append(self.name + "enter")
        return self

    def __exit__(self, *err):
        self.log.append(self.name + ("fail" if err[0] else "exit"))


class TestCalls:
    def test_order_of_a_training(self, each_mode):
        log = []
        model().fit(2, rows(2), rows(1), callbacks=Watcher(log))
        step = ["train_step_begin", "train_step_end"]
        evaluation = ["enter", "eval_begin", "eval_epoch_begin", "eval_step_begin", "eval_step_end"]
        evaluation += ["eval_epoch_end", "eval_end", "exit"]
        epoch = ["train_epoch_begin", *step, *step, *evaluation, "train_epoch_end"]
        assert log == ["enter", "train_begin", *epoch, *epoch, "train_end", "exit"]

    def test_several_are_called_in_order_and_left_in_reverse(self):
        log = []
        with _CallbackManager([Watcher(log, "a "), Watcher(log, "b ")]) as manager:
            manager.on_train_begin(None)
        assert log == ["a enter", "b enter", "a train_begin", "b train_begin", "b exit", "a exit"]
        log.clear()
        with pytest.raises(ZeroDivisionError), _CallbackManager([Watcher(log, "a "), Watcher(log, "b ")]):
            _ = 1 / 0
        assert log[-2:] == ["b fail", "a fail"]

    def test_one_that_cannot_be_entered_leaves_the_others(self):
        log = []

        class Broken(Callback):
            def __enter__(self):
                raise OSError("no")

        with pytest.raises(OSError), _CallbackManager([Watcher(log), Broken()]):
            pass
        assert log == ["enter", "fail"]

    @pytest.mark.parametrize(
        "callbacks, text",
        [
            (3, "not a Callback or a list of Callback"),
            ("a", "not a Callback or a list of Callback"),
            ([3], "the elements in 'callbacks' must be Callback functions"),
            ([LossMonitor(), None], "the elements in 'callbacks' must be Callback functions"),
        ],
    )
    def test_what_is_no_callback(self, callbacks, text):
        with pytest.raises(TypeError, match=text):
            _CallbackManager(callbacks)

    def test_old_names_serve_training_and_evaluation(self):
        log = []

        class Old(Callback):
            def step_end(self, run_context):
                log.append(run_context.original_args().mode)

        model().train(1, rows(), callbacks=Old())
        model().eval(rows(2), callbacks=Old())
        assert log == ["train"] * 3 + ["eval"] * 2
        with pytest.raises(ValueError, match="Old callback, {'step_end'} methods may not be supported"):
            model().fit(1, rows(), rows(), callbacks=Old())

    def test_facts_of_a_run(self):
        params = _InternalCallbackParam()
        params.answer = 42
        assert params["answer"] == params.get("answer") == params.answer == 42
        assert params.get("absent") is None
        with pytest.raises(KeyError):
            _ = params.absent
        context = RunContext(params)
        assert context.original_args() is params and not context.get_stop_requested()
        context.request_stop()
        assert context.get_stop_requested()
        with pytest.raises(TypeError, match="should be dict type"):
            RunContext(3)

    @pytest.mark.parametrize("by", ["request_stop", "_stop_requested"])
    def test_a_stop_ends_the_training_after_the_step(self, by):
        log = []

        class Stop(Watcher):
            def __init__(self):
                super().__init__(log)
                self.on_train_step_end = self._stop

            def _stop(self, run_context):
                if run_context.original_args().cur_step_num == 2:
                    if by == "request_stop":
                        run_context.request_stop()
                    else:
                        run_context._stop_requested = True

        model().train(5, rows(), callbacks=Stop())
        assert log.count("train_step_begin") == 2
        assert log[-3:] == ["train_epoch_end", "train_end", "exit"]


class TestMonitors:
    def test_losses(self, each_mode, capsys):
        model().fit(2, rows(), rows(), callbacks=[LossMonitor(2)])
        lines = capsys.readouterr().out.splitlines()
        assert [re.sub(r"[\d.]+$|\{.*", "", line) for line in lines] == [
            "epoch: 1 step: 2, loss is ",
            "Eval result: epoch 1, metrics: ",
            "epoch: 2 step: 1, loss is ",
            "epoch: 2 step: 3, loss is ",
            "Eval result: epoch 2, metrics: ",
        ]
        assert lines[1].endswith("}") and "'mae': " in lines[1]

    @pytest.mark.parametrize("value, text", [(1.0, "1.0"), ((Tensor([2.0, 4.0]), 1), "3.0"), ([0.5], "0.5")])
    def test_what_counts_as_loss(self, value, text, capsys):
        params = _InternalCallbackParam(cur_step_num=5, batch_num=3, cur_epoch_num=2, net_outputs=value)
        LossMonitor().step_end(RunContext(params))
        assert capsys.readouterr().out == f"epoch: 2 step: 2, loss is {text}\n"

    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    def test_losses_that_are_not_finite(self, value):
        params = _InternalCallbackParam(cur_step_num=5, batch_num=3, cur_epoch_num=2)
        params.net_outputs = Tensor(np.float32(value))
        with pytest.raises(ValueError, match="In epoch: 2 step: 2, loss is NAN or INF, training process"):
            LossMonitor(0).step_end(RunContext(params))

    @pytest.mark.parametrize("value, error", [(-1, ValueError), (1.5, TypeError), (True, TypeError)])
    def test_arguments(self, value, error):
        with pytest.raises(error):
            LossMonitor(value)

    def test_times(self, capsys):
        model().fit(1, rows(), rows(), callbacks=[TimeMonitor(data_time=True)])
        lines = capsys.readouterr().out.splitlines()
        pattern = r" epoch time: +\d+\.\d{3} ms, per step time: +\d+\.\d{3} ms \(data time: +\d+\.\d{3} ms\)"
        assert re.fullmatch("Eval" + pattern, lines[0]) and re.fullmatch("Train" + pattern, lines[1])
        with pytest.raises(TypeError):
            TimeMonitor(data_time=1)

    def test_a_monitor_that_keeps_its_own_time(self):
        class Epochs(TimeMonitor):
            """Does not call the constructor of its base, as subclasses from before `data_time`."""

            def __init__(self):
                self.ended = []

            def epoch_begin(self, run_context):
                self.begun = run_context.original_args().cur_epoch_num

            def epoch_end(self, run_context):
                self.ended.append(self.begun)

        epochs = Epochs()
        model().train(2, rows(), callbacks=epochs)
        assert epochs.ended == [1, 2]

    def test_history_and_functions(self):
        history, ends = History(), []
        end = LambdaCallback(
            on_train_epoch_end=lambda context: ends.append(context.original_args().cur_epoch_num)
        )
        model().fit(2, rows(), rows(), callbacks=[history, end])
        assert history.epoch == {"epoch": [1, 2]} and ends == [1, 2]
        assert list(history.history) == ["net_output", "mae"]
        assert all(len(values) == 2 for values in history.history.values())

    def test_operations(self, capsys):
        model().train(1, rows(), callbacks=[FlopsUtilizationCollector(3, 1000)])
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == "Full model flops is 12, full hardware flops is 12."  # 3 · 2 · 2 · 1
        assert re.fullmatch(r"Train per step time: +[\d.]+ ms, mfu:[\d.]+ % hfu:[\d.]+ %", lines[1])


def run_epochs(callback, values, name="eval_loss", **facts):
    """Gives a callback a value per epoch; the epoch that was the last."""
    params = _InternalCallbackParam(**facts)
    context = RunContext(params)
    with _CallbackManager(callback) as manager:
        manager.on_train_begin(context)
        for epoch, value in enumerate(values, 1):
            params.cur_epoch_num, params.eval_results = epoch, {name: value}
            manager.on_train_epoch_end(context)
            if context.get_stop_requested():
                break
        manager.on_train_end(context)
    return params.cur_epoch_num


class TestPlateaus:
    @pytest.mark.parametrize(
        "values, options, last",
        [
            ([3, 2, 2, 2, 1], {"patience": 2}, 4),
            ([3, 2, 1, 0, -1], {"patience": 1}, 5),
            ([3, 2], {}, 1),
            ([1, 2, 3, 3, 3], {"patience": 2, "mode": "max"}, 5),
            ([1.0, 0.95, 0.91, 0.5], {"patience": 2, "min_delta": 0.1}, 3),
            ([0.0, 1.0, 1.0], {"patience": 1}, 2),
        ],
    )
    def test_early_end(self, values, options, last):
        assert run_epochs(EarlyStopping(**options), values) == last

    @pytest.mark.parametrize(
        "baseline, values, patience, last",
        [
            (0.3, [0.6, 0.5, 0.7, 0.5, 0.6], 2, 5),
            (0.55, [0.6, 0.3, 0.5, 0.5], 2, 3),
            (0.9, [0.1, 0.5, 0.7], 3, 3),
        ],
    )
    def test_baseline(self, baseline, values, patience, last):
        callback = EarlyStopping("accuracy", patience=patience, baseline=baseline)
        assert run_epochs(callback, values, "accuracy") == last

    def test_best_weights_come_back(self, capsys):
        net = nn.Dense(1, 1)
        callback = EarlyStopping(patience=2, restore_best_weights=True, verbose=True)
        params = _InternalCallbackParam(train_network=net)
        context = RunContext(params)
        for epoch, value in enumerate([3.0, 1.0, 2.0, 2.0], 1):
            net.weight.set_data(Tensor([[float(epoch)]], ms.float32))
            params.cur_epoch_num, params.eval_results = epoch, {"eval_loss": value}
            callback.on_train_epoch_end(context)
        callback.on_train_end(context)
        assert context.get_stop_requested() and float(net.weight.asnumpy()[0, 0]) == 2.0
        assert capsys.readouterr().out.splitlines() == [
            "Restoring model weights from the end of the best epoch.",
            "Epoch 00004: early stopping",
        ]

    @pytest.mark.parametrize(
        "values, options, rates",
        [
            ([1.0, 1.1, 1.2], {"patience": 2}, [1, 1, 0.1]),
            ([1.0, 1.1, 0.9, 1.0, 1.1], {"patience": 2}, [1, 1, 1, 1, 0.1]),
            ([1.0, 1.1, 1.0, 1.0, 1.1, 1.2], {"patience": 2, "cooldown": 2}, [1, 1, 0.1, 0.1, 0.1, 0.01]),
            ([1.0, 1.1, 1.1, 1.1], {"patience": 1, "min_lr": 0.05, "factor": 0.2}, [1, 0.2, 0.05, 0.05]),
        ],
    )
    def test_reduction(self, values, options, rates, capsys):
        optimizer = nn.SGD(nn.Dense(1, 1).trainable_params(), 1.0)
        seen = []
        watch = LambdaCallback(
            on_train_epoch_end=lambda _: seen.append(float(optimizer.learning_rate.asnumpy()))
        )
        reduce = ReduceLROnPlateau(verbose=True, **options)
        run_epochs([reduce, watch], values, optimizer=optimizer)
        np.testing.assert_allclose(seen, rates, rtol=1e-6)
        for line in capsys.readouterr().out.splitlines():
            assert re.fullmatch(
                r"Epoch 0000\d: ReduceLROnPlateau reducing learning rate to [\d.e-]{1,12}\.", line
            )

    @pytest.mark.parametrize(
        "make, error",
        [
            (lambda: EarlyStopping(mode="up"), ValueError),
            (lambda: EarlyStopping(patience=-1), ValueError),
            (lambda: EarlyStopping(patience=1.5), TypeError),
            (lambda: EarlyStopping(monitor=1), TypeError),
            (lambda: EarlyStopping(verbose=1), TypeError),
            (lambda: ReduceLROnPlateau(factor=1.0), ValueError),
            (lambda: ReduceLROnPlateau(factor=1), TypeError),
            (lambda: ReduceLROnPlateau(cooldown=-1), ValueError),
            (lambda: ReduceLROnPlateau(min_lr="a"), TypeError),
        ],
    )
    def test_arguments(self, make, error):
        with pytest.raises(error):
            make()

    def test_rates_of_steps(self, each_mode):
        seen = []

        def halve(rate, step):
            seen.append((rate, step))
            return rate / 2

        model(0.1).train(1, rows(), callbacks=[LearningRateScheduler(halve)])
        assert seen == [(0.1, 1), (0.05, 2), (0.025, 3)]
        for callback in (LearningRateScheduler(halve), ReduceLROnPlateau("loss")):
            with pytest.raises(ValueError, match="does not support dynamic learning rate"):
                model([0.1, 0.1, 0.1]).train(1, rows(), callbacks=[callback])
