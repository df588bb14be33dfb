# SPDX-License-Identifier: Apache-2.0
"""Settings of pipelines, and what they refuse."""

from __future__ import annotations

import dataclasses
import json
import random
import subprocess
import sys

import numpy as np
import pytest

import mindspore as ms
import mindspore.dataset as ds
from mindspore.dataset import config, debug
from mindspore.dataset.core.checks import worker_limit


@pytest.fixture(autouse=True)
def _settings_kept():
    """Settings a test changes are put back."""
    seed, settings = config.get_seed(), config._settings
    config._settings = dataclasses.replace(settings)
    yield
    config._settings = settings
    config.set_seed(seed)


def test_config_is_the_module():
    assert config is ds.config and config.__name__ == "mindspore.dataset.core.config"


DEFAULTS = {
    "seed": 5489,
    "prefetch_size": 16,
    "callback_timeout": 60,
    "monitor_sampling_interval": 1000,
    "multiprocessing_timeout_interval": 300,
    "autotune_interval": 0,
    "enable_shared_mem": True,
    "enable_watchdog": True,
    "fast_recovery": True,
    "auto_offload": False,
    "debug_mode": False,
    "enable_autotune": False,
    "dynamic_shape": False,
    "auto_num_workers": False,
    "error_samples_mode": 0,
    "start_method": "fork",
    "worker_death_policy": "raise",
}


def test_config_defaults():
    code = f"""
import json
from mindspore.dataset import config
print(json.dumps({{name: getattr(config, "get_" + name)() for name in {list(DEFAULTS)}}}))
"""
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert json.loads(output) == DEFAULTS


INT32_MAX = 2147483647
INTEGERS = [
    ("seed", "seed isn't of type int.", 0, 4294967295),
    ("prefetch_size", "size isn't of type int.", 1, INT32_MAX),
    ("num_parallel_workers", "num isn't of type int.", 1, worker_limit()),
    ("monitor_sampling_interval", "interval isn't of type int.", 1, INT32_MAX),
    ("callback_timeout", "timeout isn't of type int.", 1, INT32_MAX),
    ("autotune_interval", "interval must be of type int.", 0, INT32_MAX),
    ("multiprocessing_timeout_interval", "interval isn't of type int.", 1, INT32_MAX),
]


@pytest.mark.parametrize(("name", "wrong_type", "low", "high"), INTEGERS)
def test_config_whole_numbers(name, wrong_type, low, high):
    setter, getter = getattr(config, f"set_{name}"), getattr(config, f"get_{name}")
    for value in (low, high):
        setter(value)
        assert getter() == value
    for value in (True, 1.0, "a", None):
        with pytest.raises(TypeError) as caught:
            setter(value)
        assert str(caught.value) == wrong_type
    for value in (low - 1, max(high, INT32_MAX) + 1):
        with pytest.raises(ValueError, match="required range"):
            setter(value)
    assert getter() == high


BOOLEANS = [
    ("auto_num_workers", "enable must be of type bool."),
    ("enable_shared_mem", "enable must be of type bool."),
    ("enable_autotune", "enable must be of type bool."),
    ("enable_watchdog", "enable must be a boolean dtype."),
    ("numa_enable", "numa_enable must be a boolean dtype."),
    ("auto_offload", "offload must be a bool dtype"),
    ("fast_recovery", "fast_recovery must be a boolean dtype."),
    ("dynamic_shape", "is_dynamic must be a boolean dtype."),
    ("debug_mode", "debug_mode_flag isn't of type boolean."),
]


@pytest.mark.parametrize(("name", "wrong_type"), BOOLEANS)
def test_config_switches(name, wrong_type):
    setter, getter = getattr(config, f"set_{name}"), getattr(config, f"get_{name}")
    for value in (True, False):
        setter(value)
        assert getter() is value
    for value in (0, 1, "a", None, [1, 2]):
        with pytest.raises(TypeError) as caught:
            setter(value)
        assert str(caught.value) == wrong_type


def test_config_exact_range_texts():
    for call, words in (
        (
            lambda: config.set_seed(-1),
            "seed given is not within the required range [0, UINT32_MAX(4294967295)].",
        ),
        (
            lambda: config.set_prefetch_size(0),
            "size is not within the required range (0, INT32_MAX(2147483647)].",
        ),
        (
            lambda: config.set_num_parallel_workers(0),
            "Number of parallel workers given is not within the required range (0, INT32_MAX(2147483647)].",
        ),
        (lambda: config.set_callback_timeout(0), "Timeout given is not within the required range."),
        (
            lambda: config.set_autotune_interval(-1),
            "Interval given is not within the required range [0, INT32_MAX(2147483647)].",
        ),
    ):
        with pytest.raises(ValueError) as caught:
            call()
        assert str(caught.value) == words
    limit = worker_limit()
    with pytest.raises(RuntimeError, match=f"between 1 and {limit}, as got {limit + 1}."):
        config.set_num_parallel_workers(limit + 1)
    with pytest.raises(TypeError, match="batch_num must be an int dtype."):
        config.set_sending_batches(True)
    config.set_sending_batches(-1)


def test_config_choices():
    config.set_start_method("spawn")
    assert config.get_start_method() == config.get_multiprocessing_start_method() == "spawn"
    with pytest.raises(ValueError, match="Input start_method is not within the valid set of"):
        config.set_start_method("thread")
    with pytest.raises(ValueError, match="Input policy is not within the valid set of"):
        config.set_worker_death_policy("terminate")
    with pytest.raises(TypeError, match="Argument error_samples_mode with value 1 is not of type"):
        config.set_error_samples_mode(1)


def test_seed_reaches_all_generators():
    config.set_seed(7)
    drawn = random.random(), np.random.rand()
    random.seed(7)
    np.random.seed(7)
    assert drawn == (random.random(), np.random.rand())
    ms.set_seed(11)
    assert config.get_seed() == 11


def test_seeding_does_not_load_the_data_package():
    code = "import sys, mindspore; mindspore.set_seed(3); print('mindspore.dataset' in sys.modules); "
    code += "from mindspore.dataset import config; print(config.get_seed())"
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert output.split() == ["False", "3"]


def test_config_load(tmp_path, monkeypatch):
    monkeypatch.setattr(config, "_cache_settings", {})
    file = tmp_path / "settings.json"
    settings = {"seed": 9, "numParallelWorkers": 3, "opConnectorSize": 5, "monitorSamplingInterval": 15}
    settings |= {"fast_recovery": False, "error_samples_mode": 2, "logFilePath": "/tmp", "cacheHost": "host"}
    file.write_text(json.dumps(settings))
    config.load(str(file))
    assert (config.get_seed(), config.get_num_parallel_workers(), config.get_prefetch_size()) == (9, 3, 5)
    assert config.get_monitor_sampling_interval() == 15 and not config.get_fast_recovery()
    assert config.get_error_samples_mode() is config.ErrorSamplesMode.SKIP
    assert config.cache_setting("cacheHost") == "host" and config.cache_setting("cachePort") is None


@pytest.mark.parametrize(
    "text",
    ["{", "[]", '{"seed": -1}', '{"seed": "x"}', '{"numParallelWorkers": 0}', '{"error_samples_mode": 5}'],
)
def test_config_load_refuses(tmp_path, text):
    file = tmp_path / "settings.json"
    file.write_text(text)
    with pytest.raises(RuntimeError, match="settings.json"):
        config.load(str(file))


def test_config_load_missing_file():
    with pytest.raises(
        RuntimeError, match="settings file:/none.json is not exist, check input path of config"
    ):
        config.load("/none.json")


def test_autotune_prefix_is_checked(tmp_path):
    config.set_enable_autotune(True, str(tmp_path / "tuned"))
    with pytest.raises(TypeError, match="json_filepath must be a str value but was: 3."):
        config.set_enable_autotune(True, 3)
    with pytest.raises(RuntimeError, match="cannot be the empty string"):
        config.set_enable_autotune(True, "")
    with pytest.raises(RuntimeError, match="is a directory, not filename."):
        config.set_enable_autotune(True, str(tmp_path))
    with pytest.raises(RuntimeError, match="does not exist."):
        config.set_enable_autotune(True, str(tmp_path / "none" / "tuned"))


# Debug mode.


def test_debug_mode_hooks_are_checked():
    with pytest.raises(TypeError, match="debug_hook_list is not a list."):
        config.set_debug_mode(True, 1)
    with pytest.raises(TypeError, match="All items in debug_hook_list must be of type DebugHook."):
        config.set_debug_mode(True, [debug.PrintDataHook(), 1])
    with pytest.raises(TypeError, match="abstract"):
        debug.DebugHook()


def test_debug_mode_prints_around_operations(capsys):
    config.set_debug_mode(True)
    data = ds.NumpySlicesDataset(([[1.0, 2.0]], ["a"]), ["x", "y"], shuffle=False)

    def first(x, y):
        return x, y

    data = data.map([first, lambda x, y: (x, y)], ["x", "y"])
    list(data.create_tuple_iterator(num_epochs=1))
    columns = [
        "Column 0. The dtype is [float64]. The shape is [(2,)].",
        "Column 1. The dtype is [<U1]. The shape is [()].",
    ]
    expected = ["[Dataset debugger] Print the [INPUT] of the operation [first].", *columns]
    expected += ["[Dataset debugger] Print the [OUTPUT] of the operation [first].", *columns]
    expected += ["[Dataset debugger] Print the [OUTPUT] of the operation [<lambda>].", *columns]
    assert capsys.readouterr().out.splitlines() == expected


def test_debug_mode_calls_hooks_of_users():
    seen = []

    class Hook(debug.DebugHook):
        def compute(self, *args):
            seen.append((self.prev_op_name, self.is_first_op, [int(column) for column in args[0]]))
            return args

    config.set_debug_mode(True, [Hook()])

    def double(x):
        return x * 2

    data = ds.NumpySlicesDataset([3], "x", shuffle=False).map([double, double], "x")
    assert [int(row[0]) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)] == [12]
    assert seen == [("double", True, [3]), ("double", False, [6]), ("double", False, [12])]


def test_debug_mode_uses_one_thread_and_no_process():
    import os
    import threading

    config.set_debug_mode(True, [])
    places = set()

    def note(x):
        places.add((os.getpid(), threading.get_ident()))
        return x

    data = ds.NumpySlicesDataset(list(range(5)), "x", shuffle=False)
    data = data.map(note, "x", num_parallel_workers=4, python_multiprocessing=True)
    list(data.create_tuple_iterator(num_epochs=1))
    assert places == {(os.getpid(), threading.get_ident())}


def test_print_data_hook_shows_values(capsys):
    row = (np.ones(2), "q")
    assert debug.PrintDataHook()(*row) == row
    debug.PrintMetaDataHook()("q")
    assert capsys.readouterr().out.splitlines() == [
        "Column 0. The data is [[1. 1.]].",
        "Column 1. The data is [q].",
        "Column 0. The type is [<class 'str'>]. The size is [1].",
    ]
