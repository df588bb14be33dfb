# SPDX-License-Identifier: Apache-2.0
"""Settings of parallel training, of the parameter server and of offloading."""

from __future__ import annotations

from mindspore._c_expression import note_change
from mindspore._spelling import did_you_mean


class ParallelMode:
    """Names of the parallel modes."""

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"
    MODE_LIST = [STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL]


_SEARCH_MODES = ("recursive_programming", "sharding_propagation", "dynamic_programming")


def _positive(key: str, value: int) -> int:
    if value < 1:
        raise ValueError(
            f"The context configuration parameter '{key}' must be a positive integer, but got {value}."
        )
    return value


def _rank(key: str, value: int) -> int:
    if not 0 <= value <= 4095:
        raise ValueError(
            f"The context configuration parameter '{key}' must be in [0, 4095], but got {value}."
        )
    return value


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


def _search_mode(key: str, value: str) -> str:
    if value not in _SEARCH_MODES:
        raise ValueError(
            f"The context configuration parameter '{key}' must be one of {_SEARCH_MODES}, but got {value}."
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
    return value


def _fusion_indices(key: str, value: list) -> list:
    if not all(isinstance(index, int) for index in value):
        raise TypeError(f"The elements of '{key}' must be int, but got {value}.")
    if any(a >= b for a, b in zip(value, value[1:], strict=False)):
        raise ValueError(f"The elements of '{key}' must be unique and ascending, but got {value}.")
    return value


def _keep(key: str, value):
    return value


_KEYS: dict[str, tuple] = {
    "device_num": (int, 1, _positive),
    "global_rank": (int, 0, _rank),
    "gradients_mean": (bool, False, _keep),
    "gradient_fp32_sync": (bool, True, _keep),
    "loss_repeated_mean": (bool, True, _keep),
    "parallel_mode": (str, ParallelMode.STAND_ALONE, _parallel_mode),
    "search_mode": (str, "recursive_programming", _search_mode),
    "auto_parallel_search_mode": (str, "recursive_programming", _search_mode),
    "sharding_propagation": (bool, False, _keep),
    "parameter_broadcast": (bool, False, _keep),
    "strategy_ckpt_load_file": (str, "", _keep),
    "strategy_ckpt_save_file": (str, "", _keep),
    "strategy_ckpt_config": (dict, {"load_file": "", "save_file": "", "only_trainable_params": True}, _keep),
    "group_ckpt_save_file": (str, "", _keep),
    "full_batch": (bool, False, _keep),
    "full_batch_is_set": (bool, False, _keep),
    "dataset_strategy": ((str, tuple), "data_parallel", _keep),
    "enable_parallel_optimizer": (bool, False, _keep),
    "parallel_optimizer_config": (dict, {}, _keep),
    "optimizer_weight_shard_size": (int, -1, _keep),
    "optimizer_weight_shard_aggregated_save": (bool, False, _keep),
    "force_fp32_communication": (bool, False, _keep),
    "enable_alltoall": (bool, False, _keep),
    "all_reduce_fusion_config": (list, [], _fusion_indices),
    "comm_fusion": (dict, {}, _fusion),
    "communi_parallel_mode": (str, "all_group_parallel", _keep),
    "pipeline_stages": (int, 1, _positive),
    "pipeline_segments": (int, 1, _positive),
    "pipeline_result_broadcast": (bool, False, _keep),
    "pipeline_interleave": (bool, False, _keep),
    "pipeline_scheduler": (str, "1f1b", _keep),
    "pipeline_config": (dict, {}, _keep),
    "auto_pipeline": (bool, False, _keep),
    "grad_accumulation_step": (int, 1, _positive),
}
_values: dict = {key: default for key, (_, default, _) in _KEYS.items()}


def set_auto_parallel_context(**kwargs) -> None:
    """Changes settings of parallel training.

    Args:
        **kwargs: Settings by name, for example `parallel_mode`, `gradients_mean`, `device_num`.

    Raises:
        TypeError: A value has the wrong type.
        ValueError: An unknown setting, or a value that is not allowed.
    """
    for key, value in kwargs.items():
        if key not in _KEYS:
            hint = did_you_mean(key, _KEYS)
            raise ValueError(f"Set context keyword {key} is not recognized!{hint}")
        expected, _, check = _KEYS[key]
        kinds = expected if isinstance(expected, tuple) else (expected,)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise TypeError(f"The parameter '{key}' must be {expected}, but got {type(value)}.")
        _values[key] = check(key, value)
    note_change()


def get_auto_parallel_context(attr_key: str):
    """Value of one setting of parallel training."""
    if attr_key not in _values:
        raise ValueError(f"Get context keyword {attr_key} is not recognized!")
    return _values[attr_key]


def reset_auto_parallel_context() -> None:
    """All settings of parallel training get their initial values again."""
    for key, (_, default, _) in _KEYS.items():
        _values[key] = default
    note_change()


_PS_KEYS = {
    "enable_ps": False,
    "config_file_path": "",
    "scheduler_manage_port": 11202,
    "enable_ssl": False,
    "client_password": "",
    "server_password": "",
    "server_mode": "PARAMETER_SERVER",
    "ms_role": "MS_WORKER",
    "worker_num": 0,
    "server_num": 0,
    "scheduler_ip": "0.0.0.0",
    "scheduler_port": 6667,
}
_ps_values = dict(_PS_KEYS)


def set_ps_context(**kwargs) -> None:
    """Changes settings of the parameter server."""
    for key, value in kwargs.items():
        if key not in _PS_KEYS:
            raise ValueError(f"Set PS context keyword {key} is not recognized!")
        if key == "enable_ps" and not isinstance(value, bool):
            raise TypeError(f"The parameter 'enable_ps' must be bool, but got {type(value)}.")
        if key == "enable_ps" and value:
            from mindspore import context

            if context.get_context("mode") == context.PYNATIVE_MODE:
                raise RuntimeError("Parameter server is not supported in pynative mode currently.")
        _ps_values[key] = value


def get_ps_context(attr_key: str):
    """Value of one setting of the parameter server."""
    if attr_key not in _ps_values:
        raise ValueError(f"Get PS context keyword {attr_key} is not recognized!")
    return _ps_values[attr_key]


def reset_ps_context() -> None:
    """All settings of the parameter server get their initial values again."""
    _ps_values.update(_PS_KEYS)


_OFFLOAD_KEYS: dict = {
    "offload_path": "./offload/",
    "offload_cpu_size": "0GB",
    "offload_disk_size": "0GB",
    "hbm_ratio": 1.0,
    "cpu_ratio": 1.0,
    "enable_pinned_mem": True,
    "enable_aio": True,
    "aio_block_size": "1048576",
    "aio_queue_depth": 1024,
    "offload_param": "",
    "offload_checkpoint": "",
    "auto_offload": True,
    "host_mem_block_size": "1GB",
}
_offload_values = dict(_OFFLOAD_KEYS)


def set_offload_context(offload_config: dict) -> None:
    """Changes settings of offloading."""
    if not isinstance(offload_config, dict):
        raise TypeError(f"The 'offload_config' must be a dict, but got {type(offload_config)}.")
    for key, value in offload_config.items():
        if key not in _OFFLOAD_KEYS:
            raise ValueError(f"Set offload context keyword {key} is not recognized!")
        _offload_values[key] = value


def get_offload_context() -> dict:
    """All settings of offloading."""
    return dict(_offload_values)
