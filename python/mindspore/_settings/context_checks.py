# SPDX-License-Identifier: Apache-2.0
"""Checks of the values of `set_context`: each gives the value that is kept, or raises."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable

from mindspore import _c_expression as _c
from mindspore import log as logger
from mindspore._settings.setting import requires

GRAPH_MODE, PYNATIVE_MODE = 0, 1
STRICT, COMPATIBLE, LAX = 0, 1, 2
RELEASE, DEBUG = 0, 1

JIT_CONFIG = {"jit_level": ["O0", "O1", "O2"], "infer_boost": ["on", "off"]}
ASCEND_KEYS = {
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
_GIGABYTES = re.compile(r"[1-9][0-9]*(\.[0-9]+)?GB|0\.[0-9]+GB")
_FFT_AND_WINOGRAD = ["fft", "fft_tiling", "winograd", "winograd_nonfused"]
_ALGORITHMS = {
    "conv_fprop_algo": [
        *("normal", "performance", "implicit_gemm", "precomp_gemm", "gemm", "direct"),
        *_FFT_AND_WINOGRAD,
    ],
    "conv_dgrad_algo": ["normal", "performance", "algo_0", "algo_1", *_FFT_AND_WINOGRAD],
    "conv_wgrad_algo": [
        *("normal", "performance", "algo_0", "algo_1", "fft", "algo_3", "fft_tiling", "winograd_nonfused"),
    ],
}


def gigabytes(key: str, value: str) -> float:
    """``"3.5GB"`` as a number."""
    if not _GIGABYTES.fullmatch(value):
        raise ValueError(
            f"For 'context.set_context', the argument '{key}' should be in correct format! It must be a "
            "string ending with 'GB', in addition to that, it must contain only numbers or decimal points, "
            "such as "
            f'"5GB" or "3.5GB", but got {value}.'
        )
    return float(value[:-2])


def mode(key: str, value: int) -> int:
    """PyNative or Graph mode."""
    if value not in (GRAPH_MODE, PYNATIVE_MODE):
        raise ValueError(
            "For 'context.set_context', the argument 'mode' should be context.GRAPH_MODE (0) or "
            f"context.PYNATIVE_MODE (1), but got {value}."
        )
    return int(value)


def device_target(key: str, value: str) -> str:
    """The name of a device that is here."""
    here = _c.backend_names()
    names = {"cpu": "CPU", "gpu": "GPU", "ascend": "Ascend", "davinci": "Ascend"}
    names.update({name.lower(): name for name in here})  # plug-ins that were loaded
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
    if target not in here:
        raise RuntimeError(
            f"Unsupported device target {target}. This process only supports one of the {here}. Please check "
            f"whether the {target} environment is installed and configured correctly, and check whether "
            "current "
            f'mindspore wheel package was built with "-e {target}". For details, please refer to '
            '"Device load error message".'
        )
    return target


# The CPU is one device whatever its number: scripts give it the number of the accelerator they were written
# for, and it is kept as a mere name.
device_id = requires(
    lambda value: 0 <= value <= 4095,
    "For 'context.set_context', the argument '{key}' must be in range [0, 4095], but got {value}.",
)


def device_of_environment() -> int:
    """The device that ``DEVICE_ID`` names, or the first."""
    text = os.environ.get("DEVICE_ID", "0")
    if not text.isdigit():
        logger.warning(
            "Environment variable DEVICE_ID should be a number, but got '%s', use 0 as default.", text
        )
        return 0
    if int(text) > 0:
        logger.warning(
            "Environment variable DEVICE_ID is %s, but there is only device 0, which is used.", text
        )
    return 0


def block_size(key: str, value: str) -> float:
    """At least one gigabyte."""
    size = gigabytes(key, value)
    if size < 1:
        raise ValueError(
            "For 'context.set_context', the argument 'mempool_block_size' should be greater or equal to 1GB, "
            f"but got {value}."
        )
    return size


def variable_memory(key: str, value: str) -> str:
    """At most 31 gigabytes, as bytes."""
    size = gigabytes(key, value)
    if size > 31:
        raise ValueError(
            "For 'context.set_context', the argument 'variable_memory_max_size' should not be greater than "
            f"31GB, but got {value}."
        )
    logger.warning("The parameter 'variable_memory_max_size' is deprecated. Use 'max_device_memory'.")
    return str(int(size * 2**30))


op_timeout = requires(
    lambda value: value >= 0,
    "For 'context.set_context', the parameter '{key}' must bigger than or equal to 0, but got {value}.",
)
max_call_depth = requires(
    lambda value: value > 0,
    "For 'context.set_context', the argument '{key}' must be greater than 0, but got {value}.",
)
not_negative = requires(
    lambda value: value >= 0,
    "The num of parallel thread must bigger than or equal to 0, but got {value} for '{key}'.",
)
jit_syntax_level = requires(
    lambda value: value in (STRICT, COMPATIBLE, LAX),
    "For '{key}' in 'context.set_context', the value should be context.STRICT or context.LAX, but got "
    "{value}.",
)
debug_level = requires(
    lambda value: value in (RELEASE, DEBUG),
    "For '{key}', the value should be context.DEBUG or context.RELEASE, but got {value}.",
)


def save_graphs(key: str, value: bool | int) -> int:
    """A level; True is 2."""
    if value is True:
        return 2
    if value > 3:
        raise ValueError(f"value for save_graphs should be 0-3 but got '{value}'")
    return int(value)


def save_graphs_path(key: str, value: str) -> str:
    """A folder, which is made."""
    if not value:
        raise ValueError(
            "For 'context.set_context', the argument 'save_graphs_path' is invalid, it should be Non-empty "
            "string"
        )
    os.makedirs(value, exist_ok=True)
    return value


def print_file_path(key: str, value: str) -> str:
    """A file that is not there yet: the name of one that is gets the time added."""
    if os.path.isdir(value):
        raise OSError(
            f"For 'context.set_context', the argument 'print_file_path' should be file path, but got {value}."
        )
    folder = os.path.dirname(os.path.abspath(value))
    if value and not os.path.isdir(folder):
        raise ValueError(
            "For 'context.set_context', the folder of the argument 'print_file_path' must exist, but got "
            f"{value}."
        )
    return f"{value}.{int(time.time())}" if os.path.exists(value) else value


def env_config_path(key: str, value: str) -> str:
    """A JSON file."""
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


def threads(key: str, value: int) -> int:
    """A number of threads; 0 stands for as many as there are processors, at most 30."""
    return not_negative(key, value) or min(30, os.cpu_count() or 1)


def one_of(*choices: str) -> Callable[[str, str], str]:
    """A check for one of some words."""
    return requires(
        lambda value: value in choices,
        f"For 'context.set_context', the argument '{{key}}' must be one of {list(choices)}, but got "
        "{value}.",
    )


def memory_optimize_level(key: str, value: str) -> int:
    """``"O0"`` or ``"O1"`` as a number."""
    return int(one_of("O0", "O1")(key, value) == "O1")


def memory_offload(key: str, value: str) -> bool:
    """``"ON"`` or ``"OFF"`` as a bool."""
    return one_of("ON", "OFF")(key, value) == "ON"


def ascend_config(key: str, value: dict) -> dict:
    """Known names."""
    for name in value:
        if name not in ASCEND_KEYS:
            raise ValueError(
                "For 'context.set_context', the key of argument 'ascend_config' must be one of "
                f"{sorted(ASCEND_KEYS)}, but got {name}."
            )
    return value


def inside_ascend_config(key: str, value: object) -> object:
    """Never: the name belongs into the dict `ascend_config`."""
    raise ValueError(f"Please set '{key}' through parameter ascend_config")


def gpu_config(key: str, value: dict) -> dict:
    """Known names and algorithms."""
    for name, choice in value.items():
        if name in _ALGORITHMS:
            one_of(*_ALGORITHMS[name])(name, choice)
        elif name not in ("conv_allow_tf32", "matmul_allow_tf32"):
            raise ValueError(
                "For 'context.set_context', the key of argument 'gpu_config' must be one of "
                f"{[*_ALGORITHMS, 'conv_allow_tf32', 'matmul_allow_tf32']}, but got {name}."
            )
    return value


def jit_config(key: str, value: dict) -> dict:
    """Known names and levels that go together."""
    for name, choice in value.items():
        if name not in JIT_CONFIG:
            raise ValueError(
                f"For 'context.set_context', the key of argument 'jit_config' must be one of {JIT_CONFIG}, "
                f"but got {name}."
            )
        if choice not in JIT_CONFIG[name]:
            raise ValueError(
                f"For 'jit_config', the value of argument {name} must be one of {JIT_CONFIG[name]}, but got "
                f"{choice}."
            )
    if value.get("infer_boost") == "on" and value.get("jit_level") != "O0":
        raise ValueError("Only jit_level set O0 can set infer_boost to on.")
    return dict(value)


def aoe_config(key: str, value: dict) -> dict:
    """A kind of job."""
    for name, choice in value.items():
        if name != "job_type" or choice not in ("1", "2"):
            raise ValueError(
                f"For 'context.set_context', the 'aoe_config' must be {{'job_type': '1' or '2'}}, got "
                f"{value}."
            )
    return value
