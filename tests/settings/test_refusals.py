# SPDX-License-Identifier: Apache-2.0
"""What is refused is refused: with an error, or with one warning that names the user's line."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import mindspore as ms
from mindspore import nn, ops
from mindspore._settings import families
from mindspore._settings.family import Store
from mindspore._settings.setting import NO_DEFAULT, State
from mindspore.dataset import config
from mindspore.train import Model

SAMPLES = {
    "memory_offload": "ON",
    "env_config_path": None,  # a file is needed: below
    "strategy_ckpt_config": {"save_file": "strategy.ckpt"},
    "offload_cpu_size": "2GB",
    "offload_disk_size": "2GB",
    "host_mem_block_size": "2GB",
    "offload_param": "cpu",
    "offload_checkpoint": "disk",
}
SETTERS = {
    "set_context": ms.set_context,
    "set_auto_parallel_context": ms.set_auto_parallel_context,
    "set_ps_context": ms.set_ps_context,
    "set_offload_context": lambda **settings: ms.set_offload_context(settings),
    "set_algo_parameters": ms.parallel.set_algo_parameters,
}


def another_value(setting):
    """A valid value that is not the default."""
    if setting.name in SAMPLES:
        return SAMPLES[setting.name]
    kind = setting.kinds[0] if setting.kinds else type(setting.default)
    if setting.default is NO_DEFAULT or kind is bool:
        return not setting.default if setting.default is not NO_DEFAULT else True
    return {int: lambda: setting.default + 1, float: lambda: 0.5, str: lambda: "other"}[kind]()


REFUSED = [
    pytest.param(family, setting, id=f"{family.call}-{setting.name}")
    for family in families()
    if isinstance(family, Store)
    for setting in family.settings.values()
    if setting.state is State.REFUSED and SAMPLES.get(setting.name, "") is not None
]


@pytest.mark.parametrize(("family", "setting"), REFUSED)
def test_a_refused_setting_says_so(family, setting, warnings):
    if setting.name == "enable_ps":
        ms.set_context(mode=ms.GRAPH_MODE)
    value = another_value(setting)
    if setting.error is not None:
        with pytest.raises(setting.error):
            SETTERS[family.call](**{setting.name: value})
        assert family.values.get(setting.name) != value
        return
    for _ in range(3):
        SETTERS[family.call](**{setting.name: value})
    told = [text for text in warnings if setting.name in text]
    assert len(told) == 1 and "has no effect" in told[0]
    assert f"{os.path.basename(__file__)}:" in told[0]  # the line that asked


@pytest.mark.parametrize(("family", "setting"), REFUSED)
def test_a_default_asks_for_nothing(family, setting, warnings):
    if setting.default is NO_DEFAULT or setting.default is None or setting.name.startswith("offload_"):
        return
    default = "OFF" if setting.name == "memory_offload" else setting.default
    SETTERS[family.call](**{setting.name: default})
    assert not warnings


def test_a_switch_that_is_off_asks_for_nothing(warnings):
    ms.set_context(enable_compile_cache=False, memory_offload="OFF", grad_for_scalar=False)
    ms.jit(lambda x: x, hash_args=np.ones(3))
    assert not warnings


@pytest.mark.parametrize(
    ("call", "name", "instead"),
    [
        ("set_context", "enable_loop_sink", "dataset_sink_mode"),
        ("set_context", "save_ms_model", "mindspore.export"),
        ("set_context", "parallel_mode", "It is a setting of 'set_auto_parallel_context'"),
        ("set_context", "device_targt", "Did you mean 'device_target'"),
        ("set_auto_parallel_context", "mirror_mean", "It was removed: it is 'gradients_mean'"),
        ("set_auto_parallel_context", "cast_before_mirror", "gradient_fp32_sync"),
        ("set_auto_parallel_context", "device_target", "It is a setting of 'set_context'"),
        ("set_ps_context", "enable_fl", "mindspore_federated"),
    ],
)
def test_a_name_that_is_not_there_tells_what_replaces_it(call, name, instead):
    with pytest.raises(ValueError, match=f"keyword (argument )?{name} is not recognized!.*{instead}"):
        SETTERS[call](**{name: True})


def test_none_leaves_a_setting_of_the_context_alone():
    ms.set_context(op_timeout=None)
    assert ms.get_context("op_timeout") == 900
    with pytest.raises(TypeError, match="'device_num' must be <class 'int'>, but got <class 'NoneType'>"):
        ms.set_auto_parallel_context(device_num=None)


def test_every_line_hears_of_it(warnings):
    ms.set_context(enable_compile_cache=True)
    ms.set_context(enable_compile_cache=True)
    assert len(warnings) == 2 and warnings[0] != warnings[1]


def test_harmless_settings_stay_silent(warnings):
    ms.set_context(
        op_timeout=5,
        deterministic="ON",
        memory_optimize_level="O1",
        inter_op_parallel_num=4,
        enable_graph_kernel=True,
        pynative_synchronize=True,
        support_binary=True,
        debug_level=1,
        reserve_class_name_in_scope=False,
    )
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, device_num=1)
    ms.set_auto_parallel_context(
        enable_parallel_optimizer=True, full_batch=True, comm_fusion={"openstate": True}
    )
    config.set_auto_offload(True)
    assert not warnings


def test_settings_of_other_devices_are_passed_over_as_always(warnings):
    ms.set_context(mempool_block_size="2GB", ascend_config={"anything": 1})
    assert [("only supports devices in" in text) for text in warnings] == [True, True]
    assert ms.get_context("mempool_block_size") == 1.0


def test_the_cpu_keeps_the_number_an_accelerator_had():
    ms.set_context(device_target="CPU", device_id=5)
    assert ms.get_context("device_id") == 5
    assert (ms.Tensor([1.0]) + 1).asnumpy() == 2
    with pytest.raises(ValueError, match=r"'device_id' must be in range \[0, 4095\], but got 4096"):
        ms.set_context(device_id=4096)


def test_recorder_of_running_data(warnings, tmp_path):
    file = tmp_path / "settings.json"
    file.write_text("{}")
    ms.set_context(env_config_path=str(file))
    assert "no recorder" in warnings[0]


@pytest.mark.parametrize(
    "settings, error, text",
    [
        ({"comm_fusion": {"x": {}}}, KeyError, "comm fusion type must be"),
        ({"pipeline_config": {"x": 1}}, ValueError, r"Unknown config: \['x'\]"),
        ({"parallel_optimizer_config": {"x": 1}}, ValueError, "Unknown config"),
        ({"strategy_ckpt_config": {"x": 1}}, ValueError, "Unknown config"),
        ({"dataset_strategy": "x"}, ValueError, "must be 'full_batch' or 'data_parallel'"),
        ({"dataset_strategy": (1, 2)}, TypeError, "must be tuple"),
        ({"gradients_mean": 1}, TypeError, "must be <class 'bool'>"),
        ({"foo": 1}, ValueError, "Set context keyword foo is not recognized!"),
    ],
)
def test_values_that_nobody_may_set(settings, error, text):
    with pytest.raises(error, match=text):
        ms.set_auto_parallel_context(**settings)


def test_offload_values_are_checked():
    for wrong, error in (
        ({"x": 1}, ValueError),
        ({"offload_param": "tape"}, ValueError),
        ({"hbm_ratio": 7}, TypeError),
        ({"offload_cpu_size": "much"}, ValueError),
        (3, TypeError),
    ):
        with pytest.raises(error):
            ms.set_offload_context(wrong)


PIPELINE_CALLS = [
    (config.set_numa_enable, True, False),
    (config.set_monitor_sampling_interval, 5, 1000),
    (config.set_autotune_interval, 3, 0),
    (config.set_sending_batches, 2, 0),
]


@pytest.mark.parametrize(("setter", "asked", "default"), PIPELINE_CALLS)
def test_settings_of_pipelines_that_are_refused(setter, asked, default, warnings):
    setter(asked)
    setter(default)
    assert (
        len(warnings) == 1
        and f"{setter.__name__}({asked})" in warnings[0]
        and "test_refusals.py" in warnings[0]
    )


def test_a_settings_file_of_pipelines(warnings, tmp_path):
    file = tmp_path / "settings.json"
    file.write_text('{"monitorSamplingInterval": 5, "numParalelWorkers": 3}')
    config.load(str(file))
    assert "numParalelWorkers" in warnings[0] and "not sampled" in warnings[1]


def test_arguments_that_are_refused(warnings):
    net = nn.Dense(2, 2)
    Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), boost_level="O1")
    nn.SGD(net.trainable_params()).target = "GPU"
    ms.JitConfig(jit_level="O0")
    ms.JitConfig(unknown_option="on")
    ms.set_dump(net)
    net.set_boost("less_bn")
    ops.ReLU().set_device("GPU")
    ops.ReLU().recompute()
    Model(net).predict(ms.Tensor([[1.0, 2.0]]), backend="lite")
    words = ["boost_level", "target", "jit_level", "unknown_option", "set_dump", "set_boost", "set_device"]
    for word, text in zip([*words, "recompute", "backend"], warnings, strict=True):
        assert word in text and "test_refusals.py" in text


def test_arguments_that_ask_for_nothing(warnings):
    net = nn.Dense(2, 2)
    Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), boost_level="O0").predict(
        ms.Tensor([[1.0, 2.0]])
    )
    nn.SGD(net.trainable_params()).target = "CPU"
    ms.JitConfig(jit_level="O1", exc_mode="sink")
    ops.ReLU().set_device("CPU")
    ms.set_dump(net, enabled=False)
    assert not warnings


def test_marks_of_a_dump_are_checked():
    with pytest.raises(ValueError, match="must be an instance of Cell or Primitive"):
        ms.set_dump("relu")
    with pytest.raises(ValueError, match="must be bool"):
        ms.set_dump(ops.ReLU(), 1)


def test_variables_that_are_refused():
    code = "import mindspore"
    chosen = {"MINDSPORE_DUMP_CONFIG": "dump.json", "MS_COMPILER_CACHE_ENABLE": "0", "MS_RDR_ENABLE": "1"}
    told = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **chosen}, capture_output=True, text=True, check=True
    ).stderr
    assert "MINDSPORE_DUMP_CONFIG=dump.json has no effect" in told and "MS_RDR_ENABLE=1 has no effect" in told
    assert "MS_COMPILER_CACHE_ENABLE" not in told


def test_a_device_of_the_environment_that_is_not_there():
    code = "import mindspore; print(mindspore.get_context('device_id'))"
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "DEVICE_ID": "3"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.strip() == "0" and "DEVICE_ID is 3" in ended.stderr
