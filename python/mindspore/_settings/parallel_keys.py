# SPDX-License-Identifier: Apache-2.0
"""The settings of parallel training, of the parameter server and of offloading.

One process trains. What only says how several would share the work is harmless there; what says that there
are several is refused.
"""

from __future__ import annotations

import re
from typing import Any

from mindspore._settings.family import Store
from mindspore._settings.setting import Setting, harmless, refused, requires, works
from mindspore._world import NOT_TOGETHER


class ParallelMode:
    """Names of the parallel modes."""

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"
    MODE_LIST = [STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL]


_SEARCH_MODES = ("recursive_programming", "sharding_propagation", "dynamic_programming")
_FUSED = {"mode": "auto", "config": None}
_STRATEGY_FILES = {"load_file": "", "save_file": "", "only_trainable_params": True}
_OPTIMIZER_CONFIG = (
    "gradient_accumulation_shard",
    "parallel_optimizer_threshold",
    "optimizer_weight_shard_size",
)
_SIZE = re.compile(r"[1-9][0-9]*(\.)?[0-9]*GB|0\.[0-9]*GB")

_NOTHING_TO_EXCHANGE = "one process exchanges nothing"
_NOTHING_TO_DIVIDE = "in one process nothing is divided"
_NOTHING_TO_SEARCH = "with one device there is only one strategy"


# ---- checks ----------------------------------------------------------------------------------------------


_positive = requires(
    lambda value: value >= 1,
    "The context configuration parameter '{key}' must be a positive integer, but got {value}.",
)
_rank = requires(
    lambda value: 0 <= value <= 4095,
    "The context configuration parameter '{key}' must be in [0, 4095], but got {value}.",
)
_search_mode = requires(
    lambda value: value in _SEARCH_MODES,
    f"The context configuration parameter '{{key}}' must be one of {_SEARCH_MODES}, but got {{value}}.",
)


def _parallel_mode(key: str, value: str) -> str:
    if value not in ParallelMode.MODE_LIST:
        raise ValueError(
            f"The context configuration parameter '{key}' only support {ParallelMode.MODE_LIST}, got {value}."
        )
    from mindspore import context

    eager = context.get_context("mode") == context.PYNATIVE_MODE
    if eager and value in (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.HYBRID_PARALLEL):
        raise ValueError(
            f"Pynative only supports STAND_ALONE, DATA_PARALLEL and AUTO_PARALLEL, but got {value.upper()}."
        )
    return value


def _fusion(key: str, value: dict) -> dict:
    for name, entry in value.items():
        if name not in ("openstate", "allreduce", "allgather", "reducescatter"):
            raise KeyError(
                f"comm fusion type must be openstate,allreduce, allgather or reducescatter, but got {name}"
            )
        threshold = entry.get("config") if isinstance(entry, dict) else None
        if isinstance(threshold, int) and threshold < 0:
            raise ValueError(f"The comm fusion threshold must be larger than 0, but got {threshold}")
    return {**AUTO_PARALLEL.settings[key].default, **value}


def _fusion_indices(key: str, value: list) -> list:
    if not all(isinstance(index, int) for index in value):
        raise TypeError(f"The elements of '{key}' must be int, but got {value}.")
    if any(a >= b for a, b in zip(value, value[1:], strict=False)):
        raise ValueError(f"The elements of '{key}' must be unique and ascending, but got {value}.")
    return value


def _dataset_strategy(key: str, value: str | tuple) -> str | tuple:
    if isinstance(value, str) and value not in ("full_batch", "data_parallel"):
        raise ValueError(
            f"For 'set_auto_parallel_context', the argument '{key}' must be 'full_batch' or 'data_parallel', "
            f"but got the value : {value}."
        )
    if isinstance(value, tuple):
        for part in value:
            if not isinstance(part, tuple):
                raise TypeError(
                    f"For 'set_auto_parallel_context', the element of argument '{key}' must be tuple, but "
                    f"got the type : {type(part)} ."
                )
    return value


def _known(names: tuple[str, ...]):
    """A check for a dict with some names."""

    def check(key: str, value: dict) -> dict:
        unknown = [name for name in value if name not in names]
        if unknown:
            raise ValueError(f"Unknown config: {unknown}")
        return value

    return check


def _strategy_files(key: str, value: dict) -> dict:
    return {**_STRATEGY_FILES, **_known(tuple(_STRATEGY_FILES))(key, value)}


# ---- parallel training -----------------------------------------------------------------------------------


def _alone(name: str, default: Any, why: str, **more: Any) -> Setting:
    return harmless(name, default, why, alone=True, **more)


def _no_file(name: str) -> Setting:
    return refused(name, "", "strategies of parallel training are neither written nor read", alone=True)


_MODES = [
    works(
        "parallel_mode",
        ParallelMode.STAND_ALONE,
        "how processes would train together; in one process every mode computes the same. Callbacks are told",
        check=_parallel_mode,
        reader="train/model.py",
        alone=True,
    ),
    refused("device_num", 1, NOT_TOGETHER, check=_positive, error=NotImplementedError),
    refused("global_rank", 0, NOT_TOGETHER, check=_rank, error=NotImplementedError),
    refused("pipeline_stages", 1, NOT_TOGETHER, check=_positive, error=NotImplementedError),
    refused(
        "grad_accumulation_step",
        1,
        "it is deprecated and joins no steps; use nn.GradAccumulationCell or boost.GradientAccumulation",
        check=_positive,
        error=ValueError,
        alone=True,
    ),
    _no_file("strategy_ckpt_load_file"),
    _no_file("strategy_ckpt_save_file"),
    _no_file("group_ckpt_save_file"),
    refused(
        "strategy_ckpt_config",
        _STRATEGY_FILES,
        "strategies of parallel training are neither written nor read",
        check=_strategy_files,
        alone=True,
    ),
]

_SHARING = [
    _alone("gradients_mean", False, "the mean over one process is its gradient"),
    _alone("gradient_fp32_sync", True, _NOTHING_TO_EXCHANGE),
    _alone("loss_repeated_mean", True, "one process computes the loss once"),
    _alone("parameter_broadcast", False, _NOTHING_TO_EXCHANGE),
    _alone("force_fp32_communication", False, _NOTHING_TO_EXCHANGE),
    _alone("enable_alltoall", False, _NOTHING_TO_EXCHANGE),
    _alone("all_reduce_fusion_config", [], _NOTHING_TO_EXCHANGE, check=_fusion_indices),
    _alone(
        "comm_fusion",
        {"openstate": True, "allreduce": _FUSED, "allgather": _FUSED, "reducescatter": _FUSED},
        _NOTHING_TO_EXCHANGE,
        kinds=(dict,),
        check=_fusion,
    ),
    _alone("communi_parallel_mode", "all_group_parallel", _NOTHING_TO_EXCHANGE),
    _alone("full_batch", False, "one process is given the whole batch in any case"),
    _alone("full_batch_is_set", False, "one process is given the whole batch in any case"),
    _alone(
        "dataset_strategy", "data_parallel", _NOTHING_TO_DIVIDE, kinds=(str, tuple), check=_dataset_strategy
    ),
    _alone("enable_parallel_optimizer", False, _NOTHING_TO_DIVIDE),
    _alone("parallel_optimizer_config", {}, _NOTHING_TO_DIVIDE, check=_known(_OPTIMIZER_CONFIG)),
    _alone("optimizer_weight_shard_size", -1, _NOTHING_TO_DIVIDE),
    _alone("optimizer_weight_shard_aggregated_save", False, _NOTHING_TO_DIVIDE),
    _alone("search_mode", "recursive_programming", _NOTHING_TO_SEARCH, check=_search_mode),
    _alone("auto_parallel_search_mode", "recursive_programming", _NOTHING_TO_SEARCH, check=_search_mode),
    _alone("sharding_propagation", False, _NOTHING_TO_SEARCH),
    _alone("pipeline_segments", 1, "a pipeline of one stage has no segments", check=_positive),
    _alone("pipeline_result_broadcast", False, _NOTHING_TO_EXCHANGE),
    _alone("pipeline_interleave", False, "a pipeline of one stage has no order to choose"),
    _alone("pipeline_scheduler", "1f1b", "a pipeline of one stage has no order to choose"),
    _alone(
        "pipeline_config",
        {},
        "a pipeline of one stage has no order to choose",
        check=_known(("pipeline_interleave", "pipeline_scheduler")),
    ),
    _alone("auto_pipeline", False, _NOTHING_TO_DIVIDE),
]

AUTO_PARALLEL = Store(
    "set_auto_parallel_context",
    "How several processes would train together",
    [*_MODES, *_SHARING],
    gone={"mirror_mean": "it is 'gradients_mean'", "cast_before_mirror": "it is 'gradient_fp32_sync'"},
)


# ---- the parameter server --------------------------------------------------------------------------------


def _enable_ps(key: str, value: bool) -> bool:
    from mindspore import context

    if value and context.get_context("mode") == context.PYNATIVE_MODE:
        raise RuntimeError("Parameter server is not supported in pynative mode currently.")
    return value


def _of_server(name: str, default: Any) -> Setting:
    return _alone(name, default, "it describes a parameter server, and 'enable_ps' is refused")


PARAMETER_SERVER = Store(
    "set_ps_context",
    "The parameter server",
    [
        refused(
            "enable_ps",
            False,
            "there is no parameter server; leave it out: parameters are updated by the process that trains",
            check=_enable_ps,
            error=NotImplementedError,
        ),
        _of_server("config_file_path", ""),
        _of_server("scheduler_manage_port", 11202),
        _of_server("enable_ssl", False),
        _of_server("client_password", ""),
        _of_server("server_password", ""),
        _of_server("server_mode", "PARAMETER_SERVER"),
        _of_server("ms_role", "MS_WORKER"),
        _of_server("worker_num", 0),
        _of_server("server_num", 0),
        _of_server("scheduler_ip", "0.0.0.0"),
        _of_server("scheduler_port", 6667),
    ],
    unknown=lambda name: ValueError(f"Set PS context keyword {name} is not recognized!"),
    gone={"enable_fl": "federated learning is in the package mindspore_federated"},
)


# ---- offloading ------------------------------------------------------------------------------------------


def _size(key: str, value: str) -> str:
    if not _SIZE.fullmatch(value):
        raise ValueError(
            f"The '{value}' is illegal, it must be match regular'{_SIZE.pattern}' by flags're.ASCII.'"
        )
    return value


_place = requires(
    lambda value: value in ("cpu", "disk"),
    "For 'set_{key}', the '{key}' must be str and must be in '['cpu', 'disk']', but got '{value}'.",
)


def _of_offloading(name: str, default: Any, **more: Any) -> Setting:
    return refused(name, default, "tensors stay in the memory of the host, nothing is moved away", **more)


OFFLOAD = Store(
    "set_offload_context",
    "Offloading",
    [
        _of_offloading("offload_path", "./offload/"),
        _of_offloading("offload_cpu_size", "0GB", check=_size),
        _of_offloading("offload_disk_size", "0GB", check=_size),
        _of_offloading("hbm_ratio", 1.0),
        _of_offloading("cpu_ratio", 1.0),
        _of_offloading("enable_pinned_mem", True),
        _of_offloading("enable_aio", True),
        _of_offloading("aio_block_size", "1048576"),
        _of_offloading("aio_queue_depth", 1024),
        _of_offloading("offload_param", "", check=_place),
        _of_offloading("offload_checkpoint", "", check=_place),
        _of_offloading("auto_offload", True),
        _of_offloading("host_mem_block_size", "1GB", check=_size),
    ],
    unknown=lambda name: ValueError(f"Unknown config: {[name]}"),
    wrong_type="The '{name}' must be '{expected.__name__}',  but got '{got.__name__}'.",
)


# ---- the search for strategies ---------------------------------------------------------------------------


_slice_size = requires(
    lambda value: 1 <= value <= 1024, "The parameter '{key}' must be in [1, 1024], but got {value}."
)
_share = requires(lambda value: 0 < value <= 1, "The parameter '{key}' must be in (0, 1], but got {value}.")

ALGORITHM = Store(
    "set_algo_parameters",
    "The search for strategies of parallel training",
    [
        _alone("fully_use_devices", True, _NOTHING_TO_SEARCH),
        _alone("elementwise_op_strategy_follow", False, _NOTHING_TO_SEARCH),
        _alone("enable_algo_approxi", False, _NOTHING_TO_SEARCH),
        _alone("algo_approxi_epsilon", 0.1, _NOTHING_TO_SEARCH, check=_share),
        _alone("tensor_slice_align_enable", False, _NOTHING_TO_SEARCH),
        _alone("tensor_slice_align_size", 16, _NOTHING_TO_SEARCH, check=_slice_size),
    ],
)

COST_MODEL = Store(
    "set_cost_model_context",
    "Costs that the search would assume",
    [
        _alone(name, default, _NOTHING_TO_SEARCH, kinds=())
        for name, default in {
            "device_memory_capacity": 16.0 * 1024.0 * 1024.0 * 1024.0,
            "costmodel_alpha": 1.0,
            "costmodel_beta": 400.0,
            "costmodel_gamma": 0.001,
            "costmodel_communi_threshold": 2048.0,
            "costmodel_communi_const": 3072.0,
            "costmodel_communi_bias": 1024.0,
            "multi_subgraphs": False,
            "run_phase": 0,
            "rp_matmul_mem_coef": 0.1,
            "costmodel_allreduce_fusion_algorithm": 0,
            "costmodel_allreduce_fusion_times": 0,
            "costmodel_allreduce_fusion_tail_percent": 0.1,
            "costmodel_allreduce_fusion_tail_time": 0.1,
            "costmodel_allreduce_fusion_allreduce_inherent_time": 0.1,
            "costmodel_allreduce_fusion_allreduce_bandwidth": 0.1,
            "costmodel_allreduce_fusion_computation_time_parameter": 0.1,
        }.items()
    ],
)
