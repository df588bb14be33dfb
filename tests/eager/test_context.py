# SPDX-License-Identifier: Apache-2.0
"""Settings of the process, seeds, generators and memory statistics."""

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, context, ops


@pytest.fixture(autouse=True)
def restored():
    before = {
        key: context.get_context(key) for key in ("mode", "save_graphs", "op_timeout", "jit_syntax_level")
    }
    yield
    ms.set_context(**before)
    ms.reset_auto_parallel_context()


@pytest.mark.parametrize(
    "key, value",
    [
        ("mode", 1),
        ("device_target", "CPU"),
        ("device_id", 0),
        ("max_device_memory", 1024.0),
        ("mempool_block_size", 1.0),
        ("op_timeout", 900),
        ("save_graphs", 0),
        ("save_graphs_path", "."),
        ("deterministic", "OFF"),
        ("memory_offload", False),
        ("enable_compile_cache", None),
        ("jit_syntax_level", 2),
        ("debug_level", 0),
        ("max_call_depth", 1000),
        ("jit_config", {}),
    ],
)
def test_defaults(key, value):
    assert ms.get_context(key) == value and type(ms.get_context(key)) is type(value)


@pytest.mark.parametrize(
    "setting, error, text",
    [
        ({"mode": "1"}, TypeError, "The parameter 'mode' must be <class 'int'>, but got <class 'str'>"),
        ({"mode": 2}, ValueError, r"should be context.GRAPH_MODE \(0\) or context.PYNATIVE_MODE \(1\)"),
        ({"foo": 1}, ValueError, "the keyword argument foo is not recognized!"),
        ({"device_target": "TPU"}, ValueError, "must be one of"),
        (
            {"device_target": "Ascend"},
            RuntimeError,
            "Unsupported device target Ascend. This process only supports",
        ),
        ({"device_id": 5000}, ValueError, r"must be in range \[0, 4095\]"),
        ({"save_graphs": 4}, ValueError, "value for save_graphs should be 0-3 but got '4'"),
        ({"save_graphs_path": ""}, ValueError, "it should be Non-empty string"),
        ({"op_timeout": -1}, ValueError, "must bigger than or equal to 0"),
        ({"max_device_memory": "0GB"}, ValueError, "should be in correct format"),
        ({"memory_offload": "on"}, ValueError, r"must be one of \['ON', 'OFF'\]"),
        (
            {"jit_syntax_level": 3},
            ValueError,
            "the value should be context.STRICT or context.LAX, but got 3.",
        ),
        ({"jit_compile": True}, ValueError, "Please set 'jit_compile' through parameter ascend_config"),
        ({"jit_config": {"x": 1}}, ValueError, "the key of argument 'jit_config' must be one of"),
        ({"jit_config": {"jit_level": "O9"}}, ValueError, "the value of argument jit_level must be one of"),
        ({"jit_config": {"jit_level": "O1", "infer_boost": "on"}}, ValueError, "Only jit_level set O0"),
        ({"support_binary": 1}, TypeError, "support_binary"),
        ({"env_config_path": "nowhere.json"}, ValueError, "is not exists"),
    ],
)
def test_errors(setting, error, text):
    with pytest.raises(error, match=text):
        ms.set_context(**setting)


def test_unknown_key_and_forms():
    with pytest.raises(ValueError, match="the argument foo is not recognized!"):
        ms.get_context("foo")
    with pytest.raises(TypeError):
        ms.set_context(1)
    ms.set_context(save_graphs=True)
    assert ms.get_context("save_graphs") == 2
    ms.set_context(mode=ms.GRAPH_MODE)
    assert ms.get_context("mode") == context.GRAPH_MODE == 0
    ms.set_context(ascend_config={"anything": 1})  # not for this device: only a warning


def test_memory_limit_holds_on_the_host():
    text = r"^For 'zeros', .*shape \(268435456,\) and type Float32. Out of Memory: Memory not enough"
    with pytest.raises(MemoryError, match=text):
        ms.set_context(max_device_memory="0.5GB")
        try:
            ops.zeros((1 << 28,), ms.float32)
        finally:
            ms.set_context(max_device_memory="1024GB")


def test_auto_parallel_context():
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, device_num=1)
    assert ms.get_auto_parallel_context("parallel_mode") == ms.ParallelMode.DATA_PARALLEL
    assert ms.get_auto_parallel_context("gradients_mean") is True
    with pytest.raises(ValueError):
        ms.set_auto_parallel_context(parallel_mode="sideways")
    with pytest.raises(ValueError, match="must be a positive integer"):
        ms.set_auto_parallel_context(device_num=0)
    with pytest.raises(KeyError, match="comm fusion type must be"):
        ms.set_auto_parallel_context(comm_fusion={"x": {}})
    ms.reset_auto_parallel_context()
    assert ms.get_auto_parallel_context("gradients_mean") is False


def test_seed_repeats_everything():
    def draw():
        ms.set_seed(7)
        return ops.rand(3).asnumpy().tolist(), np.random.rand(), ops.randn(2).asnumpy().tolist()

    assert draw() == draw()
    assert ms.get_seed() == 7
    for wrong in (1.0, "1", True):
        with pytest.raises(TypeError):
            ms.set_seed(wrong)
    with pytest.raises(ValueError):
        ms.set_seed(-1)


def test_generator_state():
    generator = ms.Generator()
    assert generator.initial_seed() == 0
    assert generator.manual_seed(5) is generator and generator.initial_seed() == 5
    state = generator.get_state()
    assert state.shape == (16,) and state.dtype == ms.uint8
    generator.seed()
    generator.set_state(state)
    assert generator.initial_seed() == 5
    ms.set_seed(11)
    assert ms.initial_seed() == 11


def test_rng_state_goes_on_where_it_was():
    ms.set_seed(3)
    ops.standard_normal((4,))
    state = ms.get_rng_state()
    first = [ops.standard_normal((4,)).asnumpy(), ops.uniform((4,), Tensor(0.0), Tensor(1.0)).asnumpy()]
    ops.standard_normal((4,))
    ms.set_rng_state(state)
    again = [ops.standard_normal((4,)).asnumpy(), ops.uniform((4,), Tensor(0.0), Tensor(1.0)).asnumpy()]
    np.testing.assert_array_equal(first, again)
    ms.set_seed(3)
    assert not np.array_equal(ops.standard_normal((4,)).asnumpy(), again[0])
    with pytest.raises(ValueError, match="bytes"):
        ms.set_rng_state(Tensor(np.zeros(12, np.uint8)))
    with pytest.raises(ValueError, match="pairs"):
        ms.set_rng_state(Tensor(np.zeros(16, np.uint8)))
    with pytest.raises(TypeError):
        ms.set_rng_state(Tensor(np.zeros(16, np.float32)))


def test_memory_statistics():
    before = ms.hal.memory_allocated()
    held = Tensor(np.zeros(1 << 20, np.float32)) + 1
    assert ms.hal.memory_allocated() - before >= held.nbytes
    assert ms.hal.max_memory_allocated() >= ms.hal.memory_allocated()
    stats = ms.hal.memory_stats()
    assert {"total_reserved_memory", "max_allocated_memory", "commom_mem_pool_stats"} <= set(stats)
    assert all(len(line) == 47 for line in ms.hal.memory_summary().splitlines())
    ms.hal.reset_peak_memory_stats()
    ms.hal.empty_cache()


def test_hal_devices():
    assert ms.hal.is_available("CPU") and ms.hal.device_count() == 1
    assert ms.hal.get_device_name(0) == "CPU" and ms.hal.get_device_capability(0) is None
    with pytest.raises(ValueError, match="must be one of"):
        ms.hal.is_available("TPU")
    with pytest.raises(ValueError):
        ms.hal.get_device_name(3)
    event = ms.hal.Stream().record_event()
    assert event.query()


def test_marks_change_nothing():
    @ms.jit
    def double(x):
        """Doc."""
        return x * 2

    assert float(double(Tensor(2.0))) == 4.0 and double.__name__ == "double"
    assert float(ms.grad(double)(Tensor(2.0))) == 2.0
    assert float(ms.jit(lambda x: x + 1)(Tensor(1.0))) == 2.0
    assert ms.mutable((1, 2)) == (1, 2) and ms.mutable([Tensor(1.0)])[0].shape == ()
    with pytest.raises(TypeError, match="should be one of"):
        ms.mutable("text")
    with pytest.raises(TypeError, match="should be list or tuple, but got: int"):
        ms.mutable(1, dynamic_len=True)
    with pytest.raises(TypeError, match="jit_class can only be used for class type"):
        ms.jit_class(1)
    with pytest.raises(TypeError, match="cannot be used for nn.Cell"):
        ms.jit_class(ms.nn.ReLU)
    with pytest.raises(ValueError, match="For 'jit_level' must be one of"):
        ms.JitConfig(jit_level="O7")


def test_run_check(capsys):
    ms.run_check()
    said = capsys.readouterr().out
    assert "MindSpore has been installed on platform [CPU] successfully!" in said
    assert "AVX" in said  # which instructions are used, and which are announced only


def test_world_of_one():
    from mindspore import communication

    with pytest.raises(RuntimeError, match="Distributed Communication has not been inited"):
        communication.get_rank()
    with pytest.raises(RuntimeError, match="must be one of 'hccl', 'nccl' and 'mccl'"):
        communication.init("gloo")
    with pytest.raises(RuntimeError, match="should be 'mccl' to init 'CPU'"):
        communication.init("nccl")
    communication.init()
    try:
        assert communication.get_rank() == 0 and communication.get_group_size() == 1
        with pytest.raises(RuntimeError, match="The group other does not exist"):
            communication.get_rank("other")
    finally:
        communication.release()
