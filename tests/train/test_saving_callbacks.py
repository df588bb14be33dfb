# SPDX-License-Identifier: Apache-2.0
"""Callbacks that save what is trained."""

import contextlib
import os
import signal

import numpy as np
import pytest
from small_training import model, rows

import mindspore as ms
from mindspore import Tensor
from mindspore.train import (
    BackupAndRestore,
    Callback,
    CheckpointConfig,
    History,
    LambdaCallback,
    ModelCheckpoint,
    OnRequestExit,
)


def test_names_and_numbers(each_mode, tmp_path):
    info = ["epoch_num", {"step_num": 100, "note": "text"}]
    config = CheckpointConfig(2, keep_checkpoint_max=3, append_info=info)
    callback = ModelCheckpoint("net", str(tmp_path), config)
    model().train(3, rows(), callbacks=callback)
    graph = ["net-graph.meta"] if each_mode == ms.GRAPH_MODE else []
    assert sorted(os.listdir(tmp_path)) == [
        "net-2_1.ckpt",
        "net-2_3.ckpt",
        "net-3_2.ckpt",
        "net-3_3.ckpt",
    ][1:] + (graph)
    assert callback.latest_ckpt_file_name == str(tmp_path / "net-3_3.ckpt")
    loaded = ms.load_checkpoint(callback.latest_ckpt_file_name)
    names = [
        "weight",
        "bias",
        "global_step",
        "learning_rate",
        "momentum",
        "moments.weight",
        "moments.bias",
    ]
    assert list(loaded) == [*names, "epoch_num", "step_num", "note"]
    assert (int(loaded["epoch_num"]), int(loaded["step_num"]), loaded["note"]) == (3, 109, "text")
    assert int(loaded["global_step"].asnumpy()[0]) == 9


def test_files_of_other_runs_stay(tmp_path):
    for name in ("net-1_1.ckpt", "net_3-1_1.ckpt", "netto-1_1.ckpt", "net-x_1.ckpt"):
        (tmp_path / name).write_text("")
    config = CheckpointConfig(1, keep_checkpoint_max=1)
    model().train(1, rows(), callbacks=ModelCheckpoint("net", str(tmp_path), config))
    assert "net_4-1_3.ckpt" in os.listdir(tmp_path) and len(os.listdir(tmp_path)) == 5


def test_threads(tmp_path):
    config = CheckpointConfig(1, keep_checkpoint_max=2, async_save=True)
    model().train(2, rows(), callbacks=ModelCheckpoint("net", str(tmp_path), config))
    assert sorted(os.listdir(tmp_path)) == ["net-2_2.ckpt", "net-2_3.ckpt"]
    assert ms.check_checkpoint(str(tmp_path / "net-2_3.ckpt"))


def test_functions_give_names(tmp_path):
    callback = ModelCheckpoint(
        lambda params: f"step{params.cur_step_num}",
        lambda params: str(tmp_path / "deep"),
        CheckpointConfig(2),
    )
    model().train(1, rows(), callbacks=callback)
    assert sorted(os.listdir(tmp_path / "deep")) == ["step2.ckpt", "step3.ckpt"]


def test_exceptions(tmp_path):
    class Fail(Callback):
        def on_train_step_end(self, run_context):
            if run_context.original_args().cur_step_num == 5:
                raise OverflowError("too much")

    config = CheckpointConfig(100, exception_save=True)
    with pytest.raises(OverflowError, match="too much"):
        model().train(3, rows(), callbacks=[ModelCheckpoint("net", str(tmp_path), config), Fail()])
    assert os.listdir(tmp_path) == ["net-2_2_breakpoint.ckpt"]


@pytest.mark.parametrize(
    "numbers, policy",
    [
        ((1, 5, 3, 7), (1, None, 3, None)),
        ((0, 5, 0, 7), (0, 5, 0, 7)),
        ((1, 0, 0, 0), (1, None, 1, 0)),
        ((None, 3, None, None), (None, 3, 1, None)),
    ],
)
def test_policy(numbers, policy):
    assert tuple(CheckpointConfig(*numbers).get_checkpoint_policy().values())[:4] == policy


@pytest.mark.parametrize(
    "options, error",
    [
        ({"save_checkpoint_steps": 0, "keep_checkpoint_max": 0}, ValueError),
        ({"save_checkpoint_steps": -1}, ValueError),
        ({"save_checkpoint_steps": 1.5}, TypeError),
        ({"integrated_save": 1}, TypeError),
        ({"saved_network": 1}, TypeError),
        ({"append_info": 1}, TypeError),
        ({"append_info": ["rate"]}, ValueError),
        ({"append_info": [{}, {}]}, TypeError),
        ({"append_info": [{"a": [1]}]}, TypeError),
        ({"enc_key": 1}, ValueError),
        ({"exception_save": 1}, TypeError),
    ],
)
def test_arguments(options, error):
    with pytest.raises(error):
        CheckpointConfig(**options)


@pytest.mark.parametrize(
    "options, error",
    [
        ({"prefix": "a/b"}, ValueError),
        ({"prefix": 1}, ValueError),
        ({"directory": 1}, TypeError),
        ({"config": 1}, TypeError),
    ],
)
def test_arguments_of_the_callback(options, error):
    with pytest.raises(error):
        ModelCheckpoint(**options)


def test_backup(tmp_path):
    file = tmp_path / "backup.ckpt"

    class Fail(Callback):
        def on_train_epoch_begin(self, run_context):
            if run_context.original_args().cur_epoch_num == 2:
                raise KeyboardInterrupt

    first, second = model(), model()
    with contextlib.suppress(KeyboardInterrupt):
        first.train(2, rows(), callbacks=[BackupAndRestore(str(tmp_path)), Fail()])
    assert file.exists()
    seen = []
    look = LambdaCallback(
        on_train_epoch_begin=lambda _: seen.append(second.predict(Tensor(np.ones((1, 2), np.float32))))
    )
    second.train(1, rows(), callbacks=[BackupAndRestore(str(tmp_path)), look])
    np.testing.assert_array_equal(
        seen[0].asnumpy(), first.predict(Tensor(np.ones((1, 2), np.float32))).asnumpy()
    )
    assert not file.exists() and tmp_path.exists()
    for options, error in (({"save_freq": "step"}, TypeError), ({"save_freq": 0}, ValueError)):
        with pytest.raises(error):
            BackupAndRestore(str(tmp_path), **options)


def test_signals(tmp_path):
    steps = []

    def send(run_context):
        steps.append(run_context.original_args().cur_step_num)
        if len(steps) == 2:
            os.kill(os.getpid(), signal.SIGUSR1)

    before = signal.getsignal(signal.SIGUSR1)
    callback = OnRequestExit(directory=str(tmp_path), save_mindir=False, sig=signal.SIGUSR1)
    model().train(9, rows(), callbacks=[LambdaCallback(on_train_step_begin=send), callback])
    assert steps == [1, 2] and os.listdir(tmp_path) == ["Net_train.ckpt"]
    assert signal.getsignal(signal.SIGUSR1) == before
    again = model()
    again.train(1, rows(), callbacks=callback)  # goes on with what was saved
    assert int(again.train_network.optimizer.global_step.asnumpy()[0]) == 5
    with pytest.raises(ValueError, match="SIGKILL"):
        OnRequestExit(sig=signal.SIGKILL)


def test_a_training_goes_on_where_it_stopped(each_mode, tmp_path):
    whole, parts, history = model(0.1), model(0.1), [History(), History(), History()]
    whole.train(4, rows(), callbacks=history[0])
    config = CheckpointConfig(3, append_info=["epoch_num"])
    saver = ModelCheckpoint("net", str(tmp_path), config)
    parts.train(2, rows(), callbacks=[history[1], saver])
    saved, again = ms.load_checkpoint(saver.latest_ckpt_file_name), model(0.1)
    assert ms.load_param_into_net(again.train_network, saved) == ([], ["epoch_num"])
    again.train(4, rows(), callbacks=history[2], initial_epoch=int(saved["epoch_num"]))
    losses = [entry.history["net_output"] for entry in history]
    np.testing.assert_array_equal(losses[0], losses[1] + losses[2])
