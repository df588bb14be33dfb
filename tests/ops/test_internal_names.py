# SPDX-License-Identifier: Apache-2.0
"""Names below `ops`, `nn` and `parallel` that libraries import although no table of the API lists them."""

from __future__ import annotations

import importlib

import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops

# By module: what is imported from it.
NAMES = {
    "mindspore.ops": (
        "ApplyRotaryPosEmb DropoutGenMask DynamicGRUV2 DynamicRNN FusedWeightScaleApplyMomentum LSTM P "
        "Pull Push "
        "Randperm Receive Send Tensor deformable_conv2d flash_attention_score pows "
        "rotary_position_embedding swiglu"
    ),
    "mindspore.ops.P": "DType Fill Shape",
    "mindspore.ops._primitive_cache": "_get_cache_prim",
    "mindspore.ops.primitive": "_run_op constexpr",
    "mindspore.ops.functional": "__all__",
    "mindspore.ops.function.nn_func": (
        "_interploate_ext_make_tuple _interpolate_ext_scale_factor_convert_size"
    ),
    "mindspore.ops.operations": (
        "AdamNoUpdateParam DSDMatmul DropoutDoMask DropoutGenMask DynamicGRUV2 DynamicRNN FusedAdaFactor "
        "FusedWeightScaleApplyMomentum LSTM Load MatmulDDS PadAndShift Pull Push SubAndFilter __all__"
    ),
    "mindspore.ops.operations.nn_ops": "FlashAttentionScore PromptFlashAttention",
    "mindspore.ops.operations._inner_ops": "DecoderKVCache PromptKVCache PsROIPooling TopKRouter",
    "mindspore.ops.operations._rl_inner_ops": "CudnnGRU",
    "mindspore.ops.operations._sequence_ops": "TensorToScalar",
    "mindspore.ops.operations.comm_ops": "_VirtualDataset",
    "mindspore.ops.auto_generate": (
        "AdamW FlashAttentionScoreGrad GroupedMatmul MoeFinalizeRouting PagedAttention PagedAttentionMask "
        "ReshapeAndCache Scatter SplitWithSize"
    ),
    "mindspore.ops.auto_generate.gen_ops_prim": "FlashAttentionScore inner_comm_irecv_op inner_comm_isend_op",
    "mindspore.nn": "Linear utils",
    "mindspore.nn.utils": "no_init_parameters",
    "mindspore.nn.layer": "__all__",
    "mindspore.nn.layer.conv": "_Conv _check_input_3d _deconv_output_length",
    "mindspore.nn.layer.rnn_cells": "RNNCellBase",
    "mindspore.nn.loss": "__all__",
    "mindspore.nn.metrics": "__all__",
    "mindspore.nn.wrap": "__all__",
    "mindspore.nn.wrap.cell_wrapper": "_MicroBatch",
    "mindspore.nn.wrap.loss_scale": "_grad_overflow shard_grad_scale",
    "mindspore.parallel._transformer": "TransformerOpParallelConfig",
    "mindspore.parallel._transformer.layers": (
        "_LayerInputCheck _LayerNorm _args_type_validator_check _check_input_dtype "
        "_check_past_none_input_none"
    ),
    "mindspore.hypercomplex.dual.dual_operators": "Dense",
    "mindspore.hypercomplex.utils": "get_x_and_y to_2channel",
}


def _module(name: str):
    if name == "mindspore.ops.P":
        return ops.P
    return importlib.import_module(name)


@pytest.mark.parametrize(("module", "names"), NAMES.items(), ids=lambda value: value[:45])
def test_names_are_there(module, names):
    for name in names.split():
        assert getattr(_module(module), name) is not None


@pytest.mark.parametrize(
    ("module", "some"),
    [
        ("mindspore.ops.operations", {"Conv2D", "ReLU", "Reshape"}),
        ("mindspore.ops.functional", {"relu", "reshape", "grad"}),
        ("mindspore.nn.layer", {"Dense", "Conv2d", "LSTM"}),
        ("mindspore.nn.loss", {"MSELoss", "LossBase"}),
        ("mindspore.nn.metrics", {"Accuracy", "Metric"}),
        ("mindspore.nn.wrap", {"TrainOneStepCell", "WithLossCell"}),
    ],
)
def test_what_a_star_imports(module, some):
    names = set(importlib.import_module(module).__all__)
    assert some <= names
    assert all(hasattr(importlib.import_module(module), name) for name in names)


def test_module_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="_no_such_ops"):
        _ = ops.operations._no_such_ops


ELSEWHERE = {
    "Send": (0, 1),
    "Receive": (0, 1, [2], ms.float32),
    "Push": ("ApplyMomentum",),
    "Pull": (),
    "MatmulDDS": (1, 2),
    "DSDMatmul": (),
    "TopKRouter": (),
    "CudnnGRU": (2, 3, 1, True, False, 0.0),
    "FusedAdaFactor": (),
    "FlashAttentionScoreGrad": (2,),
    "PsROIPooling": (7, 7, 4, 0.5, 3, 7),
}


@pytest.mark.parametrize(("name", "arguments"), ELSEWHERE.items())
def test_what_other_devices_compute_is_made_and_refuses(name, arguments):
    primitive = getattr(ops, name)(*arguments)
    assert primitive.name == name
    with pytest.raises(NotImplementedError, match=f"For '{name}'.*no implementation"):
        primitive(Tensor([1.0]))
    with pytest.raises(TypeError, match="unexpected keyword"):
        getattr(ops, name)(*arguments, no_such_argument=1)


def test_primitives_are_made_once():
    from mindspore.ops._primitive_cache import _get_cache_prim

    make = _get_cache_prim(ops.ReduceSum)
    assert make(True) is make(True)
    assert make(True) is not make(False)
    assert make(keep_dims=True)(Tensor([1.0, 2.0]), 0).tolist() == [3.0]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_loaded_value_stays_when_its_parameter_is_written(mode):
    ms.set_context(mode=mode)
    weight = ms.Parameter(Tensor([1.0, 2.0]), name="weight")
    load = ops.operations.Load()

    @ms.jit
    def doubled():
        before = load(weight)
        ops.assign(weight, 2 * weight)
        return before

    assert (doubled().tolist(), weight.tolist()) == ([1.0, 2.0], [2.0, 4.0])
    assert ms.grad(lambda: load(weight).sum() * 3, None, [weight])()[0].tolist() == [3.0, 3.0]


def test_run_op():
    from mindspore.ops.primitive import _run_op

    assert _run_op(ops.Add(), "Add", (Tensor([1.0]), Tensor([2.0]))).tolist() == [3.0]


def test_sizes_for_interpolation():
    from mindspore.ops.function import nn_func

    image = ops.ones((1, 2, 5, 7))
    assert nn_func._interploate_ext_make_tuple(image, 2) == (2, 2)
    assert nn_func._interploate_ext_make_tuple(image, [2, 3]) == [2, 3]
    assert nn_func._interpolate_ext_scale_factor_convert_size(image, (1.5, 2.0)) == (7, 14)


def test_linear_is_dense():
    layer = nn.Linear(3, 4, bias=False, weight_init="ones")
    assert repr(layer).startswith("Linear")
    assert layer(ops.ones((2, 3))).tolist() == [[3.0] * 4] * 2
    assert [name for name, _ in layer.parameters_and_names()] == ["weight"]


def test_settings_of_parallel_transformers():
    from mindspore.parallel._transformer import TransformerOpParallelConfig

    config = TransformerOpParallelConfig(data_parallel=2, pipeline_stage=3)
    assert (config.pipeline_stage, config.embedding_dp_mp_config.data_parallel) == (3, 2)
    config.micro_batch_num = 4
    assert config.micro_batch_num == 4
    with pytest.raises(TypeError, match="must be int"):
        config.model_parallel = 1.5
    with pytest.raises(ValueError, match="positive"):
        TransformerOpParallelConfig(data_parallel=0)


def test_checks_of_transformer_layers():
    from mindspore.parallel._transformer import layers

    @layers._args_type_validator_check(size=layers._valid_type_checks([int], "f"))
    def f(size, other=None):
        return size

    assert f(3) == 3
    with pytest.raises(TypeError, match="For 'f', the type of 'size' should be one of"):
        f("3")
    assert layers._LayerInputCheck.check_shape_equal((2, 3), "x", "f", [[2, 3], [4]])
    with pytest.raises(ValueError, match="must be one of"):
        layers._LayerInputCheck.check_shape_equal((2, 4), "x", "f", [2, 3])
    layers._check_input_dtype(ms.float16, "x", [ms.float16, ms.float32], "f")
    with pytest.raises(TypeError, match="Float32"):
        layers._check_input_dtype(ms.int32, "x", [ms.float32], "f")
    with pytest.raises(TypeError, match="must be tensor"):
        layers._check_past_none_input_none(True, "x", "f", None, False, True)


def test_small_layers_of_transformers():
    from mindspore.parallel._transformer import layers

    x = Tensor([[1.0, 3.0]])
    assert layers._LayerNorm((2,))(x).asnumpy().round(3).tolist() == [[-1.0, 1.0]]
    linear = layers._Linear(2, 3, weight_init="ones", activation="relu")
    assert linear(x).tolist() == [[4.0] * 3]
    assert linear(x).dtype is ms.float32
    dropout = layers._Dropout(0.5)
    assert dropout(x) is x
    assert set(dropout.set_train()(ops.ones((64,))).tolist()) == {0.0, 2.0}


def test_dense_layer_of_dual_numbers():
    from mindspore.hypercomplex.dual.dual_operators import Dense
    from mindspore.hypercomplex.utils import to_2channel

    weight = to_2channel(Tensor([[2.0]]), Tensor([[3.0]]))
    layer = Dense(1, 1, weight_init=weight, has_bias=False)
    assert layer(Tensor([[[5.0]], [[7.0]]])).tolist() == [[[10.0]], [[29.0]]]
    names = [p.name for p in Dense(1, 1).get_parameters()]
    assert sorted(names) == ["op.bias_x", "op.bias_y", "op.dense_impl.weight_x", "op.dense_impl.weight_y"]
