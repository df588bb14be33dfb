# SPDX-License-Identifier: Apache-2.0
"""Names under which scripts of all releases find what trains."""

import importlib
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import mindspore as ms

NAMES = {
    "mindspore": "Model load_checkpoint save_checkpoint load_param_into_net export load LossMonitor "
    "TimeMonitor Callback CheckpointConfig ModelCheckpoint SummaryCollector SummaryRecord Profiler "
    "FixedLossScaleManager DynamicLossScaleManager DatasetHelper connect_network_with_dataset data_sink "
    "set_algo_parameters",
    "mindspore.train": "Model Callback LossMonitor Accuracy DynamicLossScaleManager save_checkpoint",
    "mindspore.train.callback": "LossMonitor _InternalCallbackParam _CallbackManager _set_cur_net",
    "mindspore.train.callback._callback": "set_cur_net _handle_loss InternalCallbackParam",
    "mindspore.train.model": "Model ParallelMode",
    "mindspore.train.serialization": "save_checkpoint load_checkpoint export load context parse_print",
    "mindspore.train.loss_scale_manager": "FixedLossScaleManager DynamicLossScaleManager",
    "mindspore.train.summary": "SummaryRecord",
    "mindspore.nn": "Accuracy Loss Top1CategoricalAccuracy metrics",
    "mindspore.nn.metrics": "Accuracy Metric",
    "mindspore.parallel": "set_algo_parameters",
    "mindspore.parallel._auto_parallel_context": "auto_parallel_context",
    "mindspore.parallel._utils": "_get_device_num _get_parallel_mode _get_gradients_mean",
    "mindspore.parallel._cost_model_context": "set_cost_model_context",
    "mindspore.profiler": "Profiler",
    "mindspore.profiler.profiling": "Profiler",
}


@pytest.mark.parametrize("module", NAMES)
def test_names(module):
    found = importlib.import_module(module)
    for name in NAMES[module].split():
        assert getattr(found, name) is not None
        if "._" not in module and not name.startswith("_"):
            assert name in dir(found)
    with pytest.raises(AttributeError, match="absent"):
        _ = found.absent


def test_a_program_that_does_not_train_does_not_load_training():
    program = (
        "import sys, mindspore; "
        "print([name for name in sys.modules if name in sys.argv[1:]]); "
        "from mindspore.train import data_sink; print(callable(data_sink), callable(mindspore.data_sink))"
    )
    heavy = [
        "mindspore.train.model",
        "mindspore.train.callback",
        "mindspore.train.metrics",
        "mindspore.dataset",
    ]
    output = subprocess.run(
        [sys.executable, "-c", program, *heavy], capture_output=True, text=True, check=True
    )
    assert output.stdout.splitlines() == ["[]", "True True"]


def test_star_imports():
    names: dict = {}
    exec("from mindspore.train import *", names)
    assert {"Model", "LossMonitor", "Accuracy", "data_sink"} <= set(names)


@pytest.mark.parametrize(
    "call",
    [
        lambda: ms.load_mindir("x"),
        lambda: ms.obfuscate_model({}),
    ],
)
def test_files_of_models_say_that_they_are_not_there(call):
    with pytest.raises(NotImplementedError, match="not available"):
        call()


def test_settings_of_strategies():
    from mindspore.parallel import get_algo_parameters, reset_algo_parameters
    from mindspore.parallel._auto_parallel_context import auto_parallel_context

    ms.set_algo_parameters(tensor_slice_align_size=32, fully_use_devices=False)
    assert get_algo_parameters("tensor_slice_align_size") == 32
    reset_algo_parameters()
    assert get_algo_parameters("fully_use_devices") is True
    for options, error in (({"x": 1}, ValueError), ({"fully_use_devices": 1}, TypeError)):
        with pytest.raises(error):
            ms.set_algo_parameters(**options)
    assert auto_parallel_context().get_device_num() == 1
    with pytest.raises(AttributeError):
        auto_parallel_context().get_nothing()


def test_profiler(tmp_path):
    profiler = ms.Profiler(output_path=str(tmp_path))
    with pytest.raises(RuntimeError, match="Do not init twice"):
        ms.Profiler()
    with pytest.raises(RuntimeError, match="has already started"):
        profiler.start()
    profiler.stop()
    with pytest.raises(RuntimeError, match="has not started"):
        profiler.stop()
    with pytest.raises(RuntimeError, match="is not found"):
        profiler.op_analyse("Add")
    profiler.analyse()
    facts = json.loads((tmp_path / "profiler" / "profiler_info_0.json").read_text())
    assert facts["measured_seconds"] >= 0 and facts["rank_size"] == 1
    ms.Profiler(output_path=str(tmp_path), start_profile=False).analyse()


def test_what_operators_printed_is_read(tmp_path):
    from mindspore.train import _protobuf as pb

    tensor = pb.integer(1, 2) + pb.block(2, "Int32") + pb.block(3, np.int32([3, 4]).tobytes())
    path = tmp_path / "printed"
    path.write_bytes(pb.block(1, pb.block(1, "x is")) + pb.block(1, pb.block(2, tensor)))
    text, values = ms.parse_print(str(path))
    assert text == "x is" and values.dtype == ms.int32 and values.asnumpy().tolist() == [3, 4]
    for content in (b"", b"\x0a\x7fshort"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="printed"):
            ms.parse_print(str(path))


def test_names_of_servers_and_sliced_parameters():
    from mindspore.parallel import _cell_wrapper, _ps_context
    from mindspore.train.callback._checkpoint import CheckpointManager, _cur_dir

    assert not any((_ps_context._is_ps_mode(), _ps_context._is_role_worker(), _ps_context._is_role_pserver()))
    assert _ps_context._get_ps_mode_rank() == 0
    gathering = _cell_wrapper.get_allgather_cell("hccl_world_group")
    assert gathering is _cell_wrapper.get_allgather_cell("hccl_world_group")
    assert gathering(ms.Tensor([1.0, 2.0])).asnumpy().tolist() == [1, 2]
    _cell_wrapper.destroy_allgather_cell()
    assert gathering is not _cell_wrapper.get_allgather_cell("hccl_world_group")
    assert CheckpointManager().ckpoint_num == 0 and os.path.isdir(_cur_dir)


def test_rewriting_says_what_to_do():
    with pytest.raises(ImportError, match="SymbolTree' is not in this version of the package. A layer is"):
        from mindspore.rewrite import SymbolTree  # noqa: F401
