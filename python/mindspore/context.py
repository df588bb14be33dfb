# SPDX-License-Identifier: Apache-2.0
"""Settings of the process: how programs run, where, and in what company."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable

from mindspore import _c_expression as _c
from mindspore import log as logger
from mindspore._auto_parallel_context import (
    ParallelMode,
    get_auto_parallel_context,
    get_offload_context,
    get_ps_context,
    reset_auto_parallel_context,
    reset_ps_context,
    set_auto_parallel_context,
    set_offload_context,
    set_ps_context,
)
from mindspore._capture.dump import set_save_graphs
from mindspore._capture.function import set_graph_mode, set_strict
from mindspore._spelling import did_you_mean, keyword_hint

__all__ = [
    "COMPATIBLE",
    "DEBUG",
    "GRAPH_MODE",
    "LAX",
    "PYNATIVE_MODE",
    "ParallelMode",
    "RELEASE",
    "STRICT",
    "get_auto_parallel_context",
    "get_context",
    "get_offload_context",
    "get_ps_context",
    "reset_auto_parallel_context",
    "reset_ps_context",
    "set_auto_parallel_context",
    "set_context",
    "set_offload_context",
    "set_ps_context",
]

GRAPH_MODE, PYNATIVE_MODE = 0, 1
STRICT, COMPATIBLE, LAX = 0, 1, 2
RELEASE, DEBUG = 0, 1

_GIGABYTES = re.compile(r"[1-9][0-9]*(\.[0-9]+)?GB|0\.[0-9]+GB")
_IGNORED = {
    "enable_sparse",
    "auto_tune_mode",
    "enable_auto_mixed_precision",
    "save_compile_cache",
    "load_compile_cache",
    "enable_profiling",
    "profiling_options",
    "profiling_mode",
    "profiling_dir",
    "graph_memory_max_size",
    "enable_task_sink",
    "enable_mem_reuse",
    "enable_dump",
    "save_dump_path",
}
_ASCEND_KEYS = {
    "precision_mode",
    "jit_compile",
    "atomic_clean_policy",
    "matmul_allow_hf32",
    "conv_allow_hf32",
    "exception_dump",
    "op_precision_mode",
    "op_debug_option",
    "ge_options",
    "parallel_speed_up_json_path",
    "host_scheduling_max_threshold",
    "topo_order",
}
_ASCEND_ONLY_INSIDE = _ASCEND_KEYS - {"exception_dump", "parallel_speed_up_json_path", "topo_order"}
_ALGORITHMS = {
    "conv_fprop_algo": [
        "normal",
        "performance",
        "implicit_gemm",
        "precomp_gemm",
        "gemm",
        "direct",
        "fft",
        "fft_tiling",
        "winograd",
        "winograd_nonfused",
    ],
    "conv_dgrad_algo": [
        "normal",
        "performance",
        "algo_0",
        "algo_1",
        "fft",
        "fft_tiling",
        "winograd",
        "winograd_nonfused",
    ],
    "conv_wgrad_algo": [
        "normal",
        "performance",
        "algo_0",
        "algo_1",
        "fft",
        "algo_3",
        "fft_tiling",
        "winograd_nonfused",
    ],
}


def _gigabytes(key: str, value: str) -> float:
    if not _GIGABYTES.fullmatch(value):
        raise ValueError(
            f"For 'context.set_context', the argument '{key}' should be in correct format! It must be a "
            "string "
            f"ending with 'GB', in addition to that, it must contain only numbers or decimal points, such as "
            f'"5GB" or "3.5GB", but got {value}.'
        )
    return float(value[:-2])


def _mode(key: str, value: int) -> int:
    if value not in (GRAPH_MODE, PYNATIVE_MODE):
        raise ValueError(
            "For 'context.set_context', the argument 'mode' should be context.GRAPH_MODE (0) or "
            f"context.PYNATIVE_MODE (1), but got {value}."
        )
    return int(value)


def _device_target(key: str, value: str) -> str:
    names = {"cpu": "CPU", "gpu": "GPU", "ascend": "Ascend", "davinci": "Ascend"}
    target = names.get(value.lower())
    if target is None:
        raise ValueError(
            "For 'context.set_context', the argument 'device_target' must be one of "
            f"['CPU', 'GPU', 'Ascend', 'Davinci'], but got {value}."
        )
    if value.lower() == "davinci":
        logger.warning("The device 'Davinci' is deprecated and will be removed in the future. Use 'Ascend'.")
    if target == "Ascend":
        target = os.environ.get("MYCEL_ASCEND_AS", target)
    here = _c.backend_names()
    if target not in here:
        raise RuntimeError(
            f"Unsupported device target {target}. This process only supports one of the {here}. Please check "
            f"whether the {target} environment is installed and configured correctly, and check whether "
            "current "
            f'mindspore wheel package was built with "-e {target}". For details, please refer to '
            '"Device load error message".'
        )
    return target


def _device_id(key: str, value: int) -> int:
    if not 0 <= value <= 4095:
        raise ValueError(
            "For 'context.set_context', the argument 'device_id' must be in range [0, 4095], but got "
            f"{value}."
        )
    return value


def _max_device_memory(key: str, value: str) -> float:
    size = _gigabytes(key, value)
    _c.set_memory_limit(_values["device_target"], int(size * 2**30))
    return size


def _mempool_block_size(key: str, value: str) -> float:
    size = _gigabytes(key, value)
    if size < 1:
        raise ValueError(
            "For 'context.set_context', the argument 'mempool_block_size' should be greater or equal to 1GB, "
            f"but got {value}."
        )
    return size


def _variable_memory(key: str, value: str) -> str:
    size = _gigabytes(key, value)
    if size > 31:
        raise ValueError(
            "For 'context.set_context', the argument 'variable_memory_max_size' should not be greater than "
            "31GB, "
            f"but got {value}."
        )
    logger.warning("The parameter 'variable_memory_max_size' is deprecated. Use 'max_device_memory'.")
    return str(int(size * 2**30))


def _op_timeout(key: str, value: int) -> int:
    if value < 0:
        raise ValueError(
            "For 'context.set_context', the parameter 'op_timeout' must bigger than or equal to 0, "
            f"but got {value}."
        )
    return value


def _save_graphs(key: str, value: bool | int) -> int:
    if value is True:
        return 2
    if value > 3:
        raise ValueError(f"value for save_graphs should be 0-3 but got '{value}'")
    return int(value)


def _save_graphs_path(key: str, value: str) -> str:
    if not value:
        raise ValueError(
            "For 'context.set_context', the argument 'save_graphs_path' is invalid, it should be Non-empty "
            "string"
        )
    os.makedirs(value, exist_ok=True)
    return value


def _print_file_path(key: str, value: str) -> str:
    if os.path.isdir(value):
        raise OSError(
            f"For 'context.set_context', the argument 'print_file_path' should be file path, but got {value}."
        )
    if os.path.exists(value):
        import time

        value = f"{value}.{int(time.time())}"
    return value


def _env_config_path(key: str, value: str) -> str:
    if not value.endswith(".json"):
        raise ValueError(
            f"For 'context.set_context', the 'env_config_path' should end with '.json', but got {value}."
        )
    if not os.path.exists(value):
        raise ValueError(f"For 'context.set_context', the env_config_path file '{value}' is not exists.")
    try:
        with open(value, encoding="utf-8") as file:
            json.load(file)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"For 'context.set_context', open or load the 'env_config_path' file {value} failed: {error}"
        ) from error
    return value


def _max_call_depth(key: str, value: int) -> int:
    if value <= 0:
        raise ValueError(
            "For 'context.set_context', the argument 'max_call_depth' must be greater than 0, but got "
            f"{value}."
        )
    return value


def _not_negative(key: str, value: int) -> int:
    if value < 0:
        raise ValueError(
            f"The num of parallel thread must bigger than or equal to 0, but got {value} for '{key}'."
        )
    return value


def _threads(key: str, value: int) -> int:
    _not_negative(key, value)
    count = value or min(30, os.cpu_count() or 1)
    _c.set_compute_threads(count)
    return count


def _one_of(*choices: str) -> Callable:
    def check(key: str, value: str) -> str:
        if value not in choices:
            raise ValueError(
                f"For 'context.set_context', the argument '{key}' must be one of {list(choices)}, but got "
                f"{value}."
            )
        return value

    return check


def _memory_optimize_level(key: str, value: str) -> int:
    return int(_one_of("O0", "O1")(key, value) == "O1")


def _memory_offload(key: str, value: str) -> bool:
    return _one_of("ON", "OFF")(key, value) == "ON"


def _jit_syntax_level(key: str, value: int) -> int:
    if value not in (STRICT, COMPATIBLE, LAX):
        raise ValueError(
            "For 'jit_syntax_level' in 'context.set_context', the value should be context.STRICT or "
            "context.LAX, "
            f"but got {value}."
        )
    return value


def _debug_level(key: str, value: int) -> int:
    if value not in (RELEASE, DEBUG):
        raise ValueError(
            f"For 'debug_level', the value should be context.DEBUG or context.RELEASE, but got {value}."
        )
    return value


def _ascend_config(key: str, value: dict) -> dict:
    for name in value:
        if name not in _ASCEND_KEYS:
            raise ValueError(
                "For 'context.set_context', the key of argument 'ascend_config' must be one of "
                f"{sorted(_ASCEND_KEYS)}, but got {name}."
            )
    return value


def _gpu_config(key: str, value: dict) -> dict:
    for name, choice in value.items():
        if name in _ALGORITHMS:
            _one_of(*_ALGORITHMS[name])(name, choice)
        elif name not in ("conv_allow_tf32", "matmul_allow_tf32"):
            raise ValueError(
                "For 'context.set_context', the key of argument 'gpu_config' must be one of "
                f"{[*_ALGORITHMS, 'conv_allow_tf32', 'matmul_allow_tf32']}, but got {name}."
            )
    return value


def _jit_config(key: str, value: dict) -> dict:
    allowed = {"jit_level": ["O0", "O1", "O2"], "infer_boost": ["on", "off"]}
    for name, choice in value.items():
        if name not in allowed:
            raise ValueError(
                f"For 'context.set_context', the key of argument 'jit_config' must be one of {allowed}, but "
                f"got {name}."
            )
        if choice not in allowed[name]:
            raise ValueError(
                f"For 'jit_config', the value of argument {name} must be one of {allowed[name]}, but got "
                f"{choice}."
            )
    if value.get("infer_boost") == "on" and value.get("jit_level") != "O0":
        raise ValueError("Only jit_level set O0 can set infer_boost to on.")
    if value.get("jit_level") == "O2" and _values["mode"] == PYNATIVE_MODE:
        logger.warning("Pynative mode does not support jit_level O2, O0 is used.")
    return dict(value)


def _aoe_config(key: str, value: dict) -> dict:
    for name, choice in value.items():
        if name != "job_type" or choice not in ("1", "2"):
            raise ValueError(
                f"For 'context.set_context', the 'aoe_config' must be {{'job_type': '1' or '2'}}, got "
                f"{value}."
            )
    return value


def _keep(key: str, value):
    return value


def _first_device_id() -> int:
    text = os.environ.get("DEVICE_ID", "0")
    if not text.isdigit():
        logger.warning(
            "Environment variable DEVICE_ID should be a number, but got '%s', use 0 as default.", text
        )
        return 0
    return int(text)


_ACCELERATORS, _ASCEND = ("GPU", "Ascend"), ("Ascend",)
# key: (type, default, check, devices it applies to or None for all)
_KEYS: dict[str, tuple] = {
    "mode": (int, PYNATIVE_MODE, _mode, None),
    "device_target": (str, "CPU", _device_target, None),
    "device_id": (int, _first_device_id(), _device_id, None),
    "max_device_memory": (str, 1024.0, _max_device_memory, None),
    "variable_memory_max_size": (str, "0", _variable_memory, _ASCEND),
    "mempool_block_size": (str, 1.0, _mempool_block_size, _ACCELERATORS),
    "op_timeout": (int, 900, _op_timeout, None),
    "save_graphs": ((bool, int), 0, _save_graphs, None),
    "save_graphs_path": (str, ".", _save_graphs_path, None),
    "deterministic": (str, "OFF", _one_of("ON", "OFF"), None),
    "print_file_path": (str, "", _print_file_path, None),
    "env_config_path": (str, "", _env_config_path, None),
    "precompile_only": (bool, False, _keep, None),
    "reserve_class_name_in_scope": (bool, True, _keep, None),
    "pynative_synchronize": (bool, False, _keep, None),
    "enable_graph_kernel": (bool, False, _keep, None),
    "graph_kernel_flags": (str, "", _keep, None),
    "enable_reduce_precision": (bool, True, _keep, _ASCEND),
    "aoe_tune_mode": (str, "", _one_of("online", "offline"), _ASCEND),
    "aoe_config": (dict, {}, _aoe_config, _ASCEND),
    "check_bprop": (bool, False, _keep, None),
    "max_call_depth": (int, 1000, _max_call_depth, None),
    "grad_for_scalar": (bool, False, _keep, None),
    "enable_compile_cache": (bool, None, _keep, None),
    "compile_cache_path": (str, "", _keep, None),
    "inter_op_parallel_num": (int, 0, _not_negative, None),
    "runtime_num_threads": (int, None, _threads, None),
    "disable_format_transform": (bool, False, _keep, ("GPU",)),
    "support_binary": (bool, False, _keep, None),
    "memory_optimize_level": (str, 0, _memory_optimize_level, None),
    "memory_offload": (str, False, _memory_offload, None),
    "ascend_config": (dict, {}, _ascend_config, _ASCEND),
    "jit_syntax_level": (int, LAX, _jit_syntax_level, None),
    "debug_level": (int, RELEASE, _debug_level, None),
    "gpu_config": (dict, {}, _gpu_config, ("GPU",)),
    "jit_config": (dict, {}, _jit_config, None),
    "jit_enable_inplace_ops": (bool, True, _keep, None),
    "enable_debug_runtime": (bool, True, _keep, None),
}
_values: dict = {key: default for key, (_, default, _, _) in _KEYS.items()}
_values.update(enable_dump=False, save_dump_path="")


def _check_type(key: str, value, expected) -> None:
    kinds = expected if isinstance(expected, tuple) else (expected,)
    right = isinstance(value, kinds) and not (isinstance(value, bool) and bool not in kinds)
    if value is not None and not right:
        raise TypeError(
            f"For 'context.set_context', The parameter '{key}' must be {expected}, but got {type(value)}."
        )


def _set(key: str, value) -> None:
    if key in _ASCEND_ONLY_INSIDE:
        raise ValueError(f"Please set '{key}' through parameter ascend_config")
    if key in _IGNORED:
        logger.warning("The parameter '%s' is deprecated and has no effect.", key)
        if key in _values:
            _values[key] = value
        return
    if key not in _KEYS:
        raise ValueError(
            f"For 'context.set_context', the keyword argument {key} is not recognized! For detailed usage of "
            f"'set_context', please refer to the Mindspore official website.{keyword_hint(key, _KEYS)}"
        )
    expected, _, check, devices = _KEYS[key]
    _check_type(key, value, expected)
    if value is None:
        return
    if devices is not None and _values["device_target"] not in devices:
        logger.warning(
            "For 'context.set_context', when set the argument '%s', the argument 'device_target' only "
            "supports "
            "devices in %s, but got '%s', ignore it.",
            key,
            list(devices),
            _values["device_target"],
        )
        return
    _values[key] = check(key, value)
    _c.note_change()
    if key == "mode":
        set_graph_mode(_values[key] == GRAPH_MODE)
    elif key == "compile_cache_path":
        _c.set_code_folder(os.path.join(_values[key], "code") if _values[key] else "")
    elif key == "jit_syntax_level":
        set_strict(_values[key] == STRICT)
    elif key in ("save_graphs", "save_graphs_path"):
        set_save_graphs(_values["save_graphs"], _values["save_graphs_path"])


def set_context(**kwargs) -> None:
    """Changes settings of the process.

    Args:
        **kwargs: Settings by name, for example `mode`, `device_target`, `max_device_memory`,
            `runtime_num_threads`, `save_graphs`, `deterministic`.

    Raises:
        TypeError: A value has the wrong type.
        ValueError: An unknown setting, or a value that is not allowed.
        RuntimeError: The device target is not part of this installation.

    Examples:
        >>> import mindspore as ms
        >>> ms.set_context(mode=ms.PYNATIVE_MODE, device_target="CPU")
    """
    if "device_target" in kwargs:
        _set("device_target", kwargs.pop("device_target"))
    for key, value in kwargs.items():
        _set(key, value)


def is_precompile_only() -> bool:
    """Whether compiled functions and cells are only checked, not run."""
    return _values["precompile_only"]


def get_context(attr_key: str):
    """Value of one setting.

    Args:
        attr_key (str): Name of the setting.

    Raises:
        ValueError: There is no setting of this name.

    Examples:
        >>> import mindspore as ms
        >>> ms.get_context("device_target")
        'CPU'
    """
    if attr_key == "runtime_num_threads":
        return _values[attr_key] if _values[attr_key] is not None else _c.compute_threads()
    if attr_key not in _values:
        raise ValueError(
            f"For 'context.get_context', the argument {attr_key} is not recognized! For detailed usage of "
            f"'get_context', please refer to the Mindspore official website.{did_you_mean(attr_key, _values)}"
        )
    return _values[attr_key]
