# SPDX-License-Identifier: Apache-2.0
"""Names that libraries reach below the public tables: they are there, and do what MindSpore's do."""

import importlib
import importlib.metadata
import inspect
import os
import subprocess
import sys
import types

import numpy as np
import pytest
from reached_names import CLASS, FUNCTION, MODULE, REACHED

import mindspore as ms
from mindspore import _checkparam as validator
from mindspore import nn, ops
from mindspore.communication import comm_func, create_group, destroy_group, get_group_size, init, release
from mindspore.train import amp, serialization

_KINDS = {
    CLASS: inspect.isclass,
    FUNCTION: callable,
    MODULE: lambda value: isinstance(value, types.ModuleType),
}


@pytest.mark.parametrize("module, name", [(m, n) for m, names in REACHED.items() for n in names])
def test_the_name_is_there(module, name):
    path = f"mindspore.{module}".rstrip(".")
    taken: dict = {}
    exec(f"from {path} import {name} as found", taken)
    assert taken["found"] is getattr(importlib.import_module(path), name)
    assert _KINDS.get(REACHED[module][name], lambda _: True)(taken["found"])


def test_version_of_the_distribution():
    assert importlib.metadata.version("mindspore") == ms.__version__


# ---- checks of arguments -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call, error, text",
    [
        (
            lambda: validator.check_int(-1, 0, validator.GE, "n", "Op"),
            ValueError,
            "For 'Op', the 'n' must be int and must >= 0, but got '-1' with type 'int'.",
        ),
        (lambda: validator.check_int(True, 0, validator.GE, "n"), TypeError, "The 'n' must be int, but got"),
        (lambda: validator.check_float(1, 0, validator.GT, "x"), TypeError, "The 'x' must be float, but got"),
        (
            lambda: validator.check_float(float("inf"), 0, validator.GT, "x"),
            ValueError,
            "The 'x' must be a legal value, but got 'inf'.",
        ),
        (
            lambda: validator.check_equal_int(2, 3, "n", "Op"),
            ValueError,
            "For 'Op', the 'n' must be int and must = 3, but got '2' with type 'int'.",
        ),
        (
            lambda: validator.check_float_range(2.0, 0, 1, validator.INC_LEFT, "x", "Op"),
            ValueError,
            "For 'Op', the 'x' must be in range of [0, 1), but got 2.0 with type 'float'.",
        ),
        (
            lambda: validator.check_string("c", ["a", "b"], "mode", "Op"),
            ValueError,
            "For 'Op', the 'mode' must be str and must be in '['a', 'b']', but got 'c'.",
        ),
        (
            lambda: validator.check_value_type("x", 1.0, [int, str], "Op"),
            TypeError,
            "For 'Op', the type of 'x' should be one of '['int', 'str']', but got type 'float'.",
        ),
        (lambda: validator.check_value_type("x", True, [int], "Op"), TypeError, "should be 'int'"),
        (
            lambda: validator.check("a b", 3, "rank", 4, validator.EQ, "Op"),
            ValueError,
            "For 'Op', the a b should be = rank: 4, but got 3.",
        ),
        (
            lambda: validator.check_and_canonicalize_axes((0, 3), 3),
            ValueError,
            "The 'axis' must be in the range of [-3, 3), but got 3.",
        ),
        (lambda: validator.check_and_canonicalize_axes((0, -3), 3), ValueError, "can not be duplicate"),
        (lambda: validator.check_and_canonicalize_axes(("a",), 3), TypeError, "Each axis should be integer"),
        (
            lambda: validator._check_3d_int_or_tuple("k", (1, 2), "Op"),
            ValueError,
            "must be an positive integer or a tuple of three positive integer, but got (1, 2)",
        ),
        (lambda: validator.check_subclass("x", ms.int8, [mstype_number()], "Op"), TypeError, "must be Float"),
        (lambda: validator.check_isinstance("x", 3, str), ValueError, "must be isinstance of <class 'str'>"),
    ],
)
def test_checks_raise_as_in_mindspore(call, error, text):
    with pytest.raises(error) as raised:
        call()
    assert text in str(raised.value)


def mstype_number():
    return ms.dtype.float_


def test_checks_give_what_they_checked():
    assert validator.check_int(3, [3, 4], validator.IN) == 3
    assert validator.check_and_canonicalize_axes(-1, 3) == (2,)
    assert validator._check_3d_int_or_tuple("k", 2, "Op", ret_five=True) == (1, 1, 2, 2, 2)
    assert validator._check_3d_int_or_tuple("k", (1, 1, 1, 2, 3), "Op", allow_five=True) == (1, 2, 3)
    assert validator.twice(3) == (3, 3) and validator.triple((1, 2, 3)) == (1, 2, 3)
    assert validator.infer_out_shape((2, 1), (3,)) == (2, 3)
    assert validator.check_number_range(0.5, 0.0, 1.0, validator.INC_NEITHER, float) == 0.5


def test_checks_by_their_names_of_1_x():
    from mindspore._checkparam import Rel, Validator
    from mindspore._checkparam import Validator as old

    assert Rel.EQ == 1 and Rel.NOT_IN == 12 and Rel.get_strs(Rel.LE).format(3) == "<= 3"
    assert Validator.check_int_range(2, 0, 3, Rel.INC_BOTH, "n", "Op") == 2
    assert old.check_number("n", 3, 2, Rel.GT, "Op") == 3
    with pytest.raises(ValueError, match="For 'Op', the argument 'n' must > 3, but got 3."):
        Validator.check_number("n", 3, 3, Rel.GT, "Op")


def test_args_type_check():
    @validator.args_type_check(size=int, name=(str, bytes), mode=str)
    def made(size, name=None, **kwargs):
        return size, name, kwargs

    assert made(1, name="a", mode="x") == (1, "a", {"mode": "x"}) and made(None) == (None, None, {})
    with pytest.raises(TypeError, match="The parameter 'size' must be <class 'int'>, but got <class 'str'>"):
        made("1")
    with pytest.raises(TypeError, match="The parameter 'mode' must be <class 'str'>"):
        made(1, mode=2)


# ---- files ---------------------------------------------------------------------------------------------


class _Two(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 3)


def test_prefixes_are_taken_off_one_by_one():
    net, other = _Two(), _Two()
    stored = {f"net.{p.name}": p for p in other.get_parameters()}
    missing = ["dense.weight", "dense.bias", "elsewhere"]
    serialization._load_dismatch_prefix_params(net, stored, missing, False)
    assert missing == ["elsewhere"]
    assert (net.dense.weight.asnumpy() == other.dense.weight.asnumpy()).all()


def test_one_parameter_is_updated():
    parameter = ms.Parameter(ms.Tensor(np.zeros((2, 3), np.float32)), name="w")
    serialization._update_param(
        parameter, ms.Parameter(ms.Tensor(np.ones((2, 3, 1), np.float16)), "v"), False
    )
    assert parameter.asnumpy().sum() == 6 and parameter.dtype is ms.float32
    with pytest.raises(RuntimeError, match="should have the same type"):
        serialization._update_param(
            parameter, ms.Parameter(ms.Tensor(np.ones((2, 3), np.float16)), "v"), True
        )
    with pytest.raises(RuntimeError, match="should have the same shape"):
        serialization._update_param(parameter, ms.Parameter(ms.Tensor(np.ones(6, np.float32)), "v"), False)


def test_records_of_a_file(tmp_path):
    path = str(tmp_path / "a.ckpt")
    entries = {
        "w": [[2, 3], "Float32", ms.Tensor(np.arange(6, dtype=np.float32))],
        "n": [[2], "Int32", np.array([1, 2], np.int32)],
    }
    serialization._exec_save(path, entries, crc_check=True)
    loaded = ms.load_checkpoint(path, crc_check=True)
    assert loaded["w"].shape == (2, 3) and loaded["n"].asnumpy().tolist() == [1, 2]
    records = serialization._parse_ckpt_proto(path, None, "AES-GCM", False)
    first = records.value[0]
    assert first.tag == "w" and first.tensor.dims == [2, 3] and first.tensor.tensor_type == "Float32"
    dtype = serialization.tensor_to_np_type[first.tensor.tensor_type]
    assert np.frombuffer(first.tensor.tensor_content, dtype).tolist() == list(range(6))
    parsed = serialization.Checkpoint()
    parsed.ParseFromString((tmp_path / "a.ckpt").read_bytes()[:-17])
    assert [value.tag for value in parsed.value] == ["w", "n"] and parsed.value[1].HasField("tensor")
    assert serialization.tensor_to_ms_type["BFloat16"] is ms.bfloat16


def test_records_made_by_hand_are_a_file(tmp_path):
    records = serialization.Checkpoint()
    record = records.value.add()
    assert not record.HasField("tensor")
    record.tag, record.tensor.tensor_type = "w", "Float32"
    record.tensor.dims.extend([2])
    record.tensor.tensor_content = np.array([1, 2], np.float32).tobytes()
    # The bytes that MindSpore 2.7 writes for this record.
    assert records.SerializeToString().hex() == "0a1a0a0177121508021207466c6f617433321a080000803f00000040"
    (tmp_path / "made.ckpt").write_bytes(records.SerializeToString())
    assert ms.load_checkpoint(str(tmp_path / "made.ckpt"))["w"].asnumpy().tolist() == [1, 2]
    rows = serialization.Checkpoint().value.add()
    rows.maptensor.tensor.add().dims.append(3)
    assert rows.HasField("maptensor") and not rows.HasField("tensor")


def test_whole_checkpoints_are_transformed(tmp_path):
    (tmp_path / "src" / "rank_0").mkdir(parents=True)
    ms.save_checkpoint(_Two(), str(tmp_path / "src" / "rank_0" / "net.ckpt"))
    ms.transform_checkpoints(str(tmp_path / "src"), str(tmp_path / "dst"), "new")
    assert "dense.weight" in ms.load_checkpoint(str(tmp_path / "dst" / "rank_0" / "new0.ckpt"))
    with pytest.raises(NotImplementedError, match="parameters are cut over devices"):
        ms.rank_list_for_transform(0, "strategy.ckpt")
    with pytest.raises(NotADirectoryError):
        ms.merge_pipeline_strategys(str(tmp_path / "nowhere"), "a")


# ---- mixed precision -----------------------------------------------------------------------------------


def test_lists_of_mixed_precision():
    assert [nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.LayerNorm] == amp.AMP_BLACK_LIST
    assert (
        nn.Dense in amp.AMP_WHITE_LIST and ops.MatMul in amp.AMP_WHITE_LIST and len(amp.AMP_WHITE_LIST) == 20
    )
    amp.AMP_BLACK_LIST.append(nn.Dense)
    try:
        assert amp.get_black_list()[-1] is nn.Dense
    finally:
        amp.AMP_BLACK_LIST.remove(nn.Dense)
    assert (
        amp._config_level["O2"]["keep_batchnorm_fp32"]
        and amp._config_level["O3"]["cast_model_type"] is ms.float16
    )


def test_normalisation_keeps_its_precision():
    net = nn.SequentialCell(nn.Dense(2, 3), nn.BatchNorm1d(3), nn.Dense(3, 2)).to_float(ms.float16)
    seen = []
    net[1].register_forward_pre_hook(lambda cell, inputs: seen.append(cell._compute_type))
    amp._do_keep_batchnorm_fp32(net)
    out = net(ms.Tensor(np.ones((4, 2), np.float32)))
    assert seen == [ms.float32] and out.dtype is ms.float16
    with pytest.raises(ValueError, match="one of white_list and black_list must be provided"):
        amp._auto_mixed_precision_rewrite(net, ms.float16)
    lowered = amp._auto_black_list(
        nn.SequentialCell(nn.Dense(2, 3), nn.LayerNorm((3,))), [nn.LayerNorm], ms.float16
    )
    assert lowered(ms.Tensor(np.ones((4, 2), np.float32))).dtype is ms.float16


def test_level_of_a_cell():
    net = nn.Dense(2, 3)
    assert net._amp_level == ""
    assert amp.auto_mixed_precision(net, "O2")._amp_level == "O2"


def test_loss_of_a_network():
    joined = amp._add_loss_network(nn.Dense(2, 3).to_float(ms.float16), nn.MSELoss(), ms.float16)
    assert (
        joined(ms.Tensor(np.ones((1, 2), np.float16)), ms.Tensor(np.ones((1, 3), np.float16))).dtype
        is ms.float32
    )
    with pytest.raises(TypeError, match="loss_fn"):
        amp._add_loss_network(nn.Dense(2, 3), lambda x, y: x, ms.float16)


# ---- optimizers ----------------------------------------------------------------------------------------


def _parameters():
    return [ms.Parameter(ms.Tensor(np.ones(3, np.float32)), name="a")]


def test_optimizers_keep_what_they_were_made_with():
    params = _parameters()
    adam = nn.Adam(params, ms.Tensor(0.5), weight_decay=0.1)
    assert adam.init_params == {"params": params} and adam.init_learning_rate == 0.5
    assert adam.init_args["weight_decay"] == 0.1 and "learning_rate" not in adam.init_args
    assert nn.Momentum(params, nn.CosineDecayLR(0.1, 0.2, 3), 0.9).init_learning_rate is None
    assert nn.LARS(nn.Momentum(params, 0.1, 0.9)).init_params == {"params": params}
    assert str(inspect.signature(nn.Adam.__init__)) == "(self, *args, **kwargs)"
    assert "learning_rate" in inspect.signature(nn.Adam).parameters


def test_inner_primitives_of_training():
    momentum = nn.Momentum(_parameters(), 0.1, 0.9)
    assert isinstance(momentum.opt, ops.ApplyMomentum) and momentum.opt is momentum.opt
    assert isinstance(momentum.hyper_map, ops.HyperMap) and isinstance(momentum.map_, ops.Map)
    assert momentum.opt.shard(((1,), (1,), (), (1,), ())) is momentum.opt
    net = nn.WithLossCell(nn.Dense(2, 2), nn.MSELoss())
    step = nn.TrainOneStepWithLossScaleCell(
        net, nn.Momentum(net.trainable_params(), 0.1, 0.9), ms.Tensor(1.0)
    )
    assert float(step.reduce_sum(ms.Tensor([1.0, 2.0]))) == 3
    assert bool(step.less_equal(step.base, step.reduce_sum(ms.Tensor([1.0, 2.0]))))


def test_another_optimizer_leaves_the_model_alone():
    net = nn.Dense(2, 2)
    momentum = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    model = ms.Model(net, nn.MSELoss(), momentum)
    convert = ms.train.ConvertModelUtils().convert_to_thor_model
    assert convert(model=model, network=net, loss_fn=nn.MSELoss(), optimizer=momentum) is model


# ---- processes, settings and the rest ------------------------------------------------------------------


@pytest.fixture
def world():
    init()
    yield
    release()


def test_groups_of_one_process(world):
    create_group("mine", [0])
    x = ms.Tensor([1.0, 2.0])
    for result in (comm_func.all_reduce(x, group="mine"), ops.AllReduce(group="mine")(x)):
        assert result.asnumpy().tolist() == [1, 2]
    assert get_group_size("mine") == 1
    assert comm_func.all_to_all_single_with_output_shape((2, 1), x).shape == (2, 1)
    comm_func.barrier()
    destroy_group("mine")
    with pytest.raises(RuntimeError, match="The group mine does not exist"):
        comm_func.all_reduce(x, group="mine")
    with pytest.raises(NotImplementedError, match="several processes are meant"):
        create_group("two", [0, 1])
    with pytest.raises(NotImplementedError, match="the world is this process alone"):
        comm_func.isend(x)


def test_layout_of_a_tensor():
    layout = ms.Layout((2, 4), ("dp", "mp"))
    assert layout(("dp", "mp"), "None").to_dict() == {
        "device_matrix": (2, 4),
        "tensor_map": ((1, 0), -1),
        "interleaved_parallel": False,
    }
    for wrong in (lambda: layout("pp"), lambda: layout("dp", "dp"), lambda: layout.to_dict()):
        with pytest.raises(ValueError):
            wrong()


def test_settings_by_other_names():
    from mindspore._c_expression import MSContext

    from mindspore import context

    assert ms.get_context("enable_ge") is False and context._get_mode() == ms.get_context("mode")
    assert MSContext.get_instance().get_ascend_soc_version() == ""
    assert MSContext.get_instance() is MSContext.get_instance()
    context.K_CONTEXT.set_backend_policy("vm")
    ms.set_device("CPU")
    with pytest.raises(TypeError, match="device_target"):
        ms.set_device(3)
    assert ms.long is ms.int64 and ms.float is ms.float32 and ms.bool is ms.bool_
    shared = np.array([1.0, 2.0], np.float32)
    tensor = ms.from_numpy(shared)
    shared[0] = 5
    assert float(tensor[0]) == 5


def test_marks_of_parameters():
    parameter = _parameters()[0]
    assert (parameter.is_init, parameter.init_flag) == (False, False)
    parameter.is_init = parameter.init_flag = True
    assert parameter.is_init and parameter.init_flag


def test_recomputed_blocks_have_their_gradients():
    from mindspore.common._register_for_recompute import recompute_registry
    from mindspore.common.recompute import _padding_input_grads

    dense = nn.Dense(2, 1, "ones")
    block = recompute_registry.get()(dense)
    gradient = ms.grad(lambda x: block(x).sum())(ms.Tensor(np.ones((1, 2), np.float32)))
    assert gradient.asnumpy().tolist() == [[1, 1]]
    with pytest.raises(TypeError, match="only support Cell object or MethodType"):
        recompute_registry.get()(lambda x: x)
    gradients = ["dx"]
    _padding_input_grads([ms.Tensor(1), 3, [ms.Tensor(1), 2]], gradients)
    assert gradients == ["dx", None, [None, None]]


def test_warnings_come_once():
    from mindspore.log import _get_logger, _LogActionOnce

    told = []
    logger = types.SimpleNamespace(warning=told.append)

    @_LogActionOnce(logger, "a key of this test")
    def warn():
        logger.warning("careful")

    warn(), warn()
    assert told == ["careful"]
    assert _get_logger() is _get_logger() and _get_logger().name == "MindSpore"


def test_there_is_no_parameter_server():
    from mindspore.parallel import _ps_context

    assert not _ps_context._is_ps_mode() and not _ps_context._is_role_worker()
    assert _ps_context._get_ps_context("enable_ps") is ms.get_ps_context("enable_ps") is False
    assert ms.Parameter(ms.Tensor(1.0)).name == ms.common.parameter.PARAMETER_NAME_DEFAULT


def test_a_script_may_have_a_module_called_logging(tmp_path):
    (tmp_path / "logging.py").write_text("raise RuntimeError('this is the script's own')")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    subprocess.run([sys.executable, "-c", "import mindspore"], env=environment, check=True)


def test_what_is_marked_as_not_calling_itself_is_what_it_was():
    marked = ms.common.api._no_recursive
    assert marked(nn.ReLU) is nn.ReLU
    assert ms.jit(marked(lambda x: x + 1))(ms.Tensor(-1.0)).asnumpy() == 0
    with pytest.raises(TypeError, match="no_recursive is used for callable object, but got 3"):
        marked(3)
