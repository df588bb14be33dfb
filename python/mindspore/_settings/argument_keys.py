# SPDX-License-Identifier: Apache-2.0
"""Arguments and methods that set how something is compiled, trained or divided.

Only what differs from "works" is told at run time; the names that work are listed so that the table is
complete.
"""

from __future__ import annotations

from typing import Any

from mindspore._settings.family import Family
from mindspore._settings.setting import NO_DEFAULT, Setting, harmless, refused, works

_ONE_PROCESS = "in one process there is nothing to divide or exchange"
_NO_BOOST = "training is not boosted by it; wrap network and optimizer with mindspore.boost yourself"


def _work(names: str) -> list[Setting]:
    return [works(name, NO_DEFAULT, "") for name in names.split()]


def _changes_nothing(default: Any, why: str, names: str, **more: Any) -> list[Setting]:
    return [harmless(name, default, why, **more) for name in names.split()]


# ---- Model and mixed precision ---------------------------------------------------------------------------

MODEL = Family(
    "Model",
    "Arguments of Model",
    [
        *_work("network loss_fn optimizer metrics eval_network eval_indexes amp_level loss_scale_manager"),
        *_work("keep_batchnorm_fp32"),
        refused("boost_level", "O0", _NO_BOOST),
        refused("boost_config_dict", None, _NO_BOOST),
        refused("acc_level", "O0", _NO_BOOST),
    ],
    targets=("mindspore.train.model:Model.__init__",),
)

RUNNING_A_MODEL = Family(
    "Model.train, fit, eval, predict, build",
    "Arguments of Model's methods",
    [
        *_work("epoch train_dataset valid_dataset valid_frequency callbacks dataset_sink_mode sink_size"),
        *_work("initial_epoch predict_data"),
        *_changes_nothing(False, "an evaluation needs the outputs of every step", "valid_dataset_sink_mode"),
        refused("backend", None, "there is one engine, and the network runs as usual"),
        refused("config", None, "it describes another engine, and there is only one"),
    ],
    spelling="Model.predict({name}={value})",
    targets=tuple(
        f"mindspore.train.model:Model.{method}" for method in ("train", "fit", "eval", "predict", "build")
    ),
)

LAYOUTS_OF_A_MODEL = Family(
    "Model.infer_train_layout, infer_predict_layout",
    "Arguments of Model's layouts",
    _changes_nothing(
        NO_DEFAULT,
        "in one process parameters have no layout",
        "train_dataset dataset_sink_mode sink_size predict_data skip_backend_compile",
    ),
    targets=(
        "mindspore.train.model:Model.infer_train_layout",
        "mindspore.train.model:Model.infer_predict_layout",
    ),
)

MIXED_PRECISION = Family(
    "build_train_network",
    "Arguments of mindspore.amp",
    [
        *_work("network optimizer loss_fn level amp_level dtype white_list black_list"),
        *_work("cast_model_type keep_batchnorm_fp32 loss_scale_manager"),
        refused("boost_level", "O0", _NO_BOOST),
    ],
    targets=(
        "mindspore.train.amp:build_train_network",
        "mindspore.train.amp:auto_mixed_precision",
        "mindspore.train.amp:custom_mixed_precision",
    ),
)


# ---- optimizers ------------------------------------------------------------------------------------------

OPTIMIZERS = Family(
    "optimizer",
    "Arguments and properties of optimizers",
    [
        *_work(
            "params parameters net optimizer learning_rate lr lr_decay weight_decay loss_scale momentum "
            "nesterov"
        ),
        *_work(
            "use_nesterov dampening beta1 beta2 betas eps epsilon amsgrad use_amsgrad rho alpha lambd t0 "
            "decay"
        ),
        *_work(
            "centered etas step_sizes l1 l2 lr_power initial_accum accum initial_accumulator_value "
            "update_slots"
        ),
        *_work(
            "clip_threshold decay_rate scale_parameter relative_step warmup_init compression momentum_decay"
        ),
        *_work(
            "coefficient use_clip lars_filter damping decay_filter enable_clip_grad frequency maximize "
            "defaults"
        ),
        *_work("use_lazy"),
        *_changes_nothing(False, "one thread at a time updates a parameter", "use_locking"),
        *_changes_nothing(False, "updates run on the host in any case", "use_offload"),
        *_changes_nothing(32, "thor takes the size of the batch from the gradients", "batch_size"),
        *_changes_nothing(None, "one process exchanges no gradients in groups", "split_indices"),
        *_changes_nothing(True, "rows of a gradient that occur twice are always added first", "unique"),
        refused("target", "CPU", "updates run on the CPU, the only device"),
    ],
    spelling="optimizer.{name} = {value}",
    targets=("mindspore.nn.optim:*", "mindspore.experimental.optim:*"),
)


# ---- compilation -----------------------------------------------------------------------------------------


def _level_of_one_function(level: str) -> str:
    return (
        "passes are left out for all functions or none: set_context(jit_config={'jit_level': 'O0'})"
        if level == "O0"
        else ""
    )


JIT = Family(
    "jit",
    "Arguments of jit, lazy_inline and no_inline",
    [
        *_work("fn input_signature jit_config"),
        *_changes_nothing(
            "PSJit", "functions are compiled by running them, whatever the mode is called", "mode"
        ),
        *_changes_nothing(None, "what a function uses is found by watching it", "hash_args"),
        *_changes_nothing(False, "a call is compiled again only where it differs", "compile_once"),
        *_changes_nothing(
            None, "a graph is recorded as it runs, without calls that could be inlined", "attrs policy"
        ),
    ],
    targets=(
        "mindspore.common.api:jit",
        "mindspore.common.api:lazy_inline",
        "mindspore.common.api:no_inline",
    ),
)

JIT_CONFIG = Family(
    "JitConfig",
    "Arguments of JitConfig",
    [
        *_work("jit_syntax_level"),
        works(
            "jit_level",
            "",
            "'O1', 'O2' and nothing run every pass",
            reader="common/jit_config.py",
            refuses=_level_of_one_function,
        ),
        *_changes_nothing("auto", "it says how graphs reach an Ascend device", "exc_mode"),
        *_changes_nothing("RELEASE", "graphs always name source lines", "debug_level"),
        *_changes_nothing("off", "it only concerns Ascend", "infer_boost"),
        refused("kwargs", {}, "there are no such options"),
    ],
    targets=("mindspore.common.jit_config:JitConfig.__init__",),
)

_NO_BYTE_CODE = "it steers a translation of byte code, and functions are compiled by running them"
PIJIT = Family(
    "update_pijit_default_config",
    "Options of jit(mode='PIJit')",
    [
        *_work("interpret_captured_code"),
        *_changes_nothing(
            NO_DEFAULT,
            _NO_BYTE_CODE,
            "compile_by_trace compile_without_capture compile_with_try specialize_scalar "
            "specialize_container specialize_tensor guard_detach_object reuse_graph auto_clean_cache "
            "prune_case loop_unrolling infer_only infer_primitive strict_trace enable_dynamic_shape "
            "test_graph_ir kFeatureBreakAtInlinedFunction kEnableEliminateUnusedOperation "
            "kEnableGeneratorExpressionToTuple MAX_INLINE_DEPTH MAX_TRACE_DEPTH MAX_PRUNE_CASE "
            "MAX_LOOP_UNROLLING INFER_PRIMITIVE_MASK INFER_PRIMITIVE_MAX STATIC_GRAPH_BYTECODE_MIN "
            "perf_statistics PERF_STATISTICS_COUNT PERF_STATISTICS_SCALE_10000X limit_graph_size "
            "limit_graph_count relax_guard_count relax_guard_func allowed_inline_modules pijit_constexpr",
        ),
        *_changes_nothing("O0", "passes cannot be left out for a single function", "jit_level"),
        *(
            refused(name, False, "mindspore._capture.explain() tells about every compiled function")
            for name in [
                "print_after_all",
                "print_tb",
                "print_bb",
                "print_cfg",
                "print_guard",
                "print_reuse_graph",
                "LOG_GRAPH_BREAK",
                "LOG_PERF",
                "LOG_GUARD_PERF",
            ]
        ),
        refused("auto_jit_func_filter", None, "functions are compiled where mindspore.jit marks them"),
        refused("auto_jit_cell", False, "set_context(mode=GRAPH_MODE) has Cells compiled"),
        refused("auto_grad", False, "gradients are asked for with mindspore.grad and its like"),
        refused("pijit_forbidden", (), "whatever a compiled function calls is recorded with it"),
    ],
)


# ---- data pipelines --------------------------------------------------------------------------------------

MAP = Family(
    "map",
    "Arguments of Dataset.map and batch",
    [
        *_work(
            "operations input_columns output_columns num_parallel_workers python_multiprocessing callbacks"
        ),
        *_work("max_rowsize batch_size drop_remainder per_batch_map input_dataset cache"),
        *_changes_nothing(None, "the device is the CPU, where the operations run in any case", "offload"),
        refused("column_order", None, "choose columns with 'project'", error=ValueError),
    ],
    targets=(
        "mindspore.dataset.engine._dataset:Dataset.map",
        "mindspore.dataset.engine._map:MapDataset.__init__",
        "mindspore.dataset.engine._dataset:Dataset.batch",
        "mindspore.dataset.engine._batch:BatchDataset.__init__",
    ),
)


# ---- cells, primitives, parameters -----------------------------------------------------------------------

CELL = Family(
    "Cell",
    "Methods and properties of Cell",
    [
        *_work(
            "add_flags add_flags_recursive get_flags set_train to_float recompute set_jit_config "
            "jit_config_dict"
        ),
        *_work(
            "set_inputs get_inputs cls_name cast_inputs auto_cast_inputs cell_init_args param_prefix "
            "create_time"
        ),
        *_work("shard place set_param_ps get_func_graph_proto generate_scope get_scope update_cell_prefix"),
        *_work("infer_param_pipeline_stage"),
        *_changes_nothing(NO_DEFAULT, "a graph is found by what a call is given, not by a name", "phase"),
        *_changes_nothing(True, "gradients are recorded when somebody asks for them", "set_grad"),
        *_changes_nothing(NO_DEFAULT, "operators cast parameters themselves", "cast_param"),
        *_changes_nothing(NO_DEFAULT, "it is a mark for tools that rewrite networks", "update_cell_type"),
        *_changes_nothing(False, "a `bprop` of the user is always compiled by running it", "bprop_debug"),
        *_changes_nothing(
            NO_DEFAULT,
            _ONE_PROCESS,
            "set_comm_fusion set_data_parallel set_auto_parallel set_broadcast_flag load_parameter_slice "
            "pipeline_stage pipeline_segment",
            alone=True,
        ),
        *_changes_nothing(
            NO_DEFAULT,
            _ONE_PROCESS,
            "set_parallel_input_with_inputs remove_redundant_parameters auto_parallel_compile_and_run "
            "parameter_layout_dict parallel_parameter_name_list parallel_parameter_merge_net_dict",
        ),
        *_changes_nothing(NO_DEFAULT, "weights need not lie side by side", "flatten_weights"),
        *_changes_nothing(
            NO_DEFAULT, "parameters are in the memory of the host already", "exec_checkpoint_graph"
        ),
        refused("set_boost", NO_DEFAULT, "no normalisation is left out"),
        refused("set_param_fl", (False, False, True), "there is no server of federated learning"),
    ],
    spelling="Cell.{name}({value})",
    targets=(
        "mindspore.nn._cell_settings:CellSettings.*",
        "mindspore.nn._cell_parallel:CellParallel.*",
    ),
)


def _is_elsewhere(target: str) -> str:
    from mindspore import context

    here = context.get_context("device_target")
    return "" if target == here else f"operators run on the device in use, {here}"


PRIMITIVE = Family(
    "Primitive",
    "Methods of Primitive",
    [
        *_work(
            "add_prim_attr del_prim_attr set_user_data get_user_data set_prim_instance_name "
            "init_prim_io_names"
        ),
        *_work("shard place check_elim update_parameter"),
        works("set_device", "CPU", "the device in use", reader="ops/primitive.py", refuses=_is_elsewhere),
        *_changes_nothing(NO_DEFAULT, _ONE_PROCESS, "set_stage", alone=True),
        refused(
            "recompute",
            False,
            "values that a gradient needs are kept; use Cell.recompute around the operator",
        ),
    ],
    spelling="Primitive.{name}({value})",
    targets=("mindspore.ops.primitive:Primitive.*",),
)

PARAMETER = Family(
    "Parameter",
    "Arguments and properties of Parameter",
    [
        *_work("default_input name requires_grad"),
        *_changes_nothing(False, _ONE_PROCESS, "layerwise_parallel", alone=True),
        *_changes_nothing(True, _ONE_PROCESS, "parallel_optimizer"),
        *_changes_nothing(1, _ONE_PROCESS, "comm_fusion"),
        *_changes_nothing(False, _ONE_PROCESS, "parallel_optimizer_comm_recompute sliced"),
        *_changes_nothing("", "it says how data lies on Ascend", "storage_format"),
        *_changes_nothing(
            NO_DEFAULT, "it belongs to a parameter server, which is refused", "cache_enable cache_shape"
        ),
        *_changes_nothing(-1, "it belongs to a parameter server, which is refused", "key"),
        *_changes_nothing(False, "rows of a gradient that occur twice are always added first", "unique"),
    ],
    targets=("mindspore.common.parameter:Parameter.__init__",),
)


# ---- checkpoints -----------------------------------------------------------------------------------------

CHECKPOINTS = Family(
    "CheckpointConfig, save_checkpoint, load_checkpoint",
    "Arguments of checkpoints",
    [
        *_work(
            "save_checkpoint_steps save_checkpoint_seconds keep_checkpoint_max keep_checkpoint_per_n_minutes"
        ),
        *_work("async_save saved_network append_info exception_save save_obj ckpt_file_name append_dict"),
        *_work(
            "enc_key enc_mode dec_key dec_mode crc_check choice_func format net parameter_dict strict_load"
        ),
        *_work("filter_prefix specify_prefix"),
        *_changes_nothing(True, "one process holds its parameters whole", "integrated_save"),
        *_changes_nothing(False, "one process holds every parameter once", "remove_redundancy"),
    ],
    targets=(
        "mindspore.train.callback:CheckpointConfig.__init__",
        "mindspore.train.serialization:save_checkpoint",
        "mindspore.train.serialization:load_checkpoint",
        "mindspore.train.serialization:load_param_into_net",
    ),
)


# ---- tools -----------------------------------------------------------------------------------------------

_NOT_MEASURED = "the time of the whole run is measured, and nothing else"

PROFILER = Family(
    "Profiler",
    "Arguments of Profiler",
    [
        *_work("output_path start_profile"),
        *(
            refused(name, default, _NOT_MEASURED)
            for name, default in {
                "op_time": False,
                "profile_communication": False,
                "profile_memory": False,
                "parallel_strategy": True,
                "sync_enable": True,
                "data_process": True,
                "timeline_limit": 500,
                "profile_framework": "all",
                "aicore_metrics": 0,
                "l2_cache": False,
                "hbm_ddr": False,
                "pcie": False,
                "with_stack": False,
                "data_simplification": True,
                "host_stack": True,
                "profiler_level": None,
            }.items()
        ),
    ],
)

DUMP = Family(
    "set_dump",
    "Marks for the dump of values",
    [refused("target", NO_DEFAULT, "values of operators are not dumped; print them, or return them")],
    spelling="set_dump",
)
