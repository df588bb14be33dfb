# SPDX-License-Identifier: Apache-2.0
"""Settings of the data pipelines, in force for pipelines whose iterator is made afterwards."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

from mindspore import log
from mindspore._settings.pipeline_keys import PIPELINES, SETTINGS_FILE
from mindspore.common.seed import _DatasetSeed
from mindspore.dataset.core._fork_server import start_fork_server
from mindspore.dataset.core.checks import INT32_MAX, UINT32_MAX, check_choice, check_type, worker_limit
from mindspore.dataset.debug import DebugHook, PrintMetaDataHook

UNSET_SEED = 5489
"""The seed that means "not set": every random step then takes one from the system."""

START_METHODS = ("fork", "spawn", "forkserver")
WORKER_DEATH_POLICIES = ("raise",)


class ErrorSamplesMode(IntEnum):
    """What `map` does with a row its operations fail on.

    - RETURN: the error ends the iteration.
    - REPLACE: a good row takes its place, so that row counts stay the same.
    - SKIP: the row is left out.

    Examples:
        >>> import mindspore.dataset as ds
        >>> ds.config.set_error_samples_mode(ds.config.ErrorSamplesMode.SKIP)
    """

    RETURN = 0
    REPLACE = 1
    SKIP = 2


@dataclass
class _Settings:
    num_parallel_workers: int = min(8, os.cpu_count() or 1)
    prefetch_size: int = 16
    prefetch_memory: int = 256
    auto_num_workers: bool = False
    enable_shared_mem: bool = True
    numa_enable: bool = os.environ.get("DATASET_ENABLE_NUMA", "").lower() == "true"
    monitor_sampling_interval: int = 1000
    callback_timeout: int = 60
    enable_autotune: bool = False
    autotune_prefix: str = ""
    autotune_interval: int = 0
    auto_offload: bool = False
    enable_watchdog: bool = True
    multiprocessing_timeout_interval: int = 300
    fast_recovery: bool = True
    debug_mode: bool = False
    debug_hooks: list[DebugHook] = field(default_factory=list)
    error_samples_mode: ErrorSamplesMode = ErrorSamplesMode.RETURN
    sending_batches: int = 0
    dynamic_shape: bool = False
    start_method: str = "fork"
    worker_death_policy: str = "raise"


_settings = _Settings()


def _check_int(value: Any, wrong_type: str, low: int = 0, high: int = 0, wrong_range: str = "") -> None:
    """An int, no bool; within [low, high] when a text for the range is given."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(wrong_type)
    if wrong_range and not low <= value <= high:
        raise ValueError(wrong_range)


def _check_positive(value: Any, name: str, what: str) -> None:
    """An int from 1 on; `what` begins the text about the range."""
    wrong_range = f"{what} is not within the required range (0, INT32_MAX({INT32_MAX})]."
    _check_int(value, f"{name} isn't of type int.", 1, INT32_MAX, wrong_range)


def _check_bool(value: Any, wrong_type: str) -> None:
    if not isinstance(value, bool):
        raise TypeError(wrong_type)


def _store(name: str, value: Any) -> None:
    """Keeps a setting, and tells what becomes of it where that is nothing."""
    PIPELINES.tell(name, value)
    setattr(_settings, name, value)


def set_seed(seed: int) -> None:
    """Seeds the random steps of pipelines, and Python's `random` and NumPy's global generator with it.

    Args:
        seed (int): In [0, 4294967295]. 5489 means "not set".

    Examples:
        >>> import mindspore.dataset as ds
        >>> ds.config.set_seed(1000)
    """
    wrong_range = "seed given is not within the required range [0, UINT32_MAX(4294967295)]."
    _check_int(seed, "seed isn't of type int.", 0, UINT32_MAX, wrong_range)
    _DatasetSeed.value = seed
    random.seed(seed)
    np.random.seed(seed)


def get_seed() -> int:
    """The seed in force; 5489 when none was set."""
    return _DatasetSeed.value


def set_prefetch_size(size: int) -> None:
    """Rows a stage may prepare ahead of the one that takes them; more costs memory."""
    _check_positive(size, "size", "size")
    _settings.prefetch_size = size


def set_prefetch_memory(megabytes: int) -> None:
    """Memory a pipeline may fill ahead of the one that takes its rows.

    All stages share it: rows under way and rows that are ready. Only the row (or batch) that is made next
    is made whatever it needs, so that a pipeline holds at most this much and one batch. What `shuffle` and
    `bucket_batch_by_length` collect comes on top, because they cannot do without.

    Args:
        megabytes (int): In units of 2**20 bytes, from 1 on. The default is 256.

    Raises:
        TypeError: `megabytes` is no int.
        ValueError: `megabytes` is out of range.

    Examples:
        >>> import mindspore.dataset as ds
        >>> ds.config.set_prefetch_memory(512)
        >>> ds.config.set_prefetch_memory(256)
    """
    _check_positive(megabytes, "megabytes", "megabytes")
    _settings.prefetch_memory = megabytes


def set_num_parallel_workers(num: int) -> None:
    """Workers of every stage that is not given a number of its own."""
    _check_positive(num, "num", "Number of parallel workers given")
    if num > worker_limit():
        raise RuntimeError(
            f"Invalid Parameter, num_parallel_workers exceeds the boundary between 1 and {worker_limit()}, "
            f"as got {num}."
        )
    _settings.num_parallel_workers = num


def set_numa_enable(numa_enable: bool) -> None:
    """Asks for a pipeline that keeps to the memory node of its device; has no effect."""
    _check_bool(numa_enable, "numa_enable must be a boolean dtype.")
    _store("numa_enable", numa_enable)


def set_monitor_sampling_interval(interval: int) -> None:
    """Milliseconds between two looks of a profiler at the pipeline; has no effect."""
    _check_positive(interval, "interval", "Interval given")
    _store("monitor_sampling_interval", interval)


def set_auto_num_workers(enable: bool) -> None:
    """Whether worker numbers are chosen by the machine's size; they are unless you set them."""
    _check_bool(enable, "enable must be of type bool.")
    _store("auto_num_workers", enable)


def set_callback_timeout(timeout: int) -> None:
    """Seconds a `WaitedDSCallback` waits for training before it gives up."""
    wrong_range = "Timeout given is not within the required range."
    _check_int(timeout, "timeout isn't of type int.", 1, INT32_MAX, wrong_range)
    _settings.callback_timeout = timeout


def set_enable_autotune(enable: bool, filepath_prefix: str | None = None) -> None:
    """Gives pipelines one thread per processor, and writes down where each of them spent its time.

    Nothing is searched for while a pipeline runs: sizes of tasks follow the measured cost of a row and
    reading ahead follows the memory budget with or without this setting, and numbers of worker processes
    stay as given. The figures show which stage to give more workers.

    Args:
        enable (bool): On or off.
        filepath_prefix (str, optional): Pipeline and figures are written to this prefix + "_" + rank +
            ".json". Without it the figures go to the log, as INFO.
    """
    _check_bool(enable, "enable must be of type bool.")
    if filepath_prefix is not None and not isinstance(filepath_prefix, str):
        raise TypeError(f"json_filepath must be a str value but was: {filepath_prefix}.")
    if enable and filepath_prefix is not None:
        _check_file_prefix(filepath_prefix)
    if enable and filepath_prefix is None:
        log.warning(
            "Dataset AutoTune is enabled but no json path is specified, check INFO log for the figures of "
            "the stages."
        )
    if not enable and filepath_prefix is not None:
        log.warning("The value of json_filepath is ignored when enable is False.")
    _settings.enable_autotune = enable
    _settings.autotune_prefix = (filepath_prefix or "") if enable else ""


def _check_file_prefix(prefix: str) -> None:
    if not prefix:
        raise RuntimeError("The value of json_filepath cannot be the empty string.")
    if os.path.isdir(prefix):
        raise RuntimeError(f"Invalid json_filepath parameter. <{prefix}> is a directory, not filename.")
    folder = os.path.dirname(os.path.abspath(prefix))
    if not os.path.isdir(folder):
        raise RuntimeError(f"Invalid json_filepath parameter.  Directory <{folder}> does not exist.")
    if not os.access(folder, os.W_OK):
        raise RuntimeError(f"Invalid json_filepath parameter.  No access to <{folder}>.")


def set_autotune_interval(interval: int) -> None:
    """Kept for scripts that set it: nothing is adjusted while a pipeline runs, as a warning says."""
    wrong_range = "Interval given is not within the required range [0, INT32_MAX(2147483647)]."
    _check_int(interval, "interval must be of type int.", 0, INT32_MAX, wrong_range)
    _store("autotune_interval", interval)


def set_enable_shared_mem(enable: bool) -> None:
    """Whether large arrays reach worker processes through shared memory; otherwise through a socket."""
    _check_bool(enable, "enable must be of type bool.")
    _settings.enable_shared_mem = enable


def set_auto_offload(offload: bool) -> None:
    """Whether the last operations of a pipeline may run on the device; the device is the CPU."""
    _check_bool(offload, "offload must be a bool dtype")
    _store("auto_offload", offload)


def set_enable_watchdog(enable: bool) -> None:
    """Whether worker processes that hang are reported."""
    _check_bool(enable, "enable must be a boolean dtype.")
    _settings.enable_watchdog = enable


def set_multiprocessing_timeout_interval(interval: int) -> None:
    """Seconds after which a worker process without an answer is reported, and again each such time."""
    wrong_range = "Interval given is not within the required range (0, INT32_MAX(2147483647))."
    _check_int(interval, "interval isn't of type int.", 1, INT32_MAX, wrong_range)
    _settings.multiprocessing_timeout_interval = interval


def set_dynamic_shape(is_dynamic: bool) -> None:
    """Whether the shapes of a pipeline's rows may differ from row to row; they always may."""
    _check_bool(is_dynamic, "is_dynamic must be a boolean dtype.")
    _store("dynamic_shape", is_dynamic)


def set_fast_recovery(fast_recovery: bool) -> None:
    """Whether a pipeline that is reset may leave out the replay of its random state; it never has to."""
    _check_bool(fast_recovery, "fast_recovery must be a boolean dtype.")
    _store("fast_recovery", fast_recovery)


def set_debug_mode(debug_mode_flag: bool, debug_hook_list: list | None = None) -> None:
    """Runs pipelines in one thread, row by row, with hooks around the operations of every map.

    Args:
        debug_mode_flag (bool): On or off.
        debug_hook_list (list[DebugHook], optional): Hooks to call; by default one that prints shapes.

    Examples:
        >>> import mindspore.dataset as ds
        >>> ds.config.set_debug_mode(True)
        >>> ds.config.set_debug_mode(False)
    """
    _check_bool(debug_mode_flag, "debug_mode_flag isn't of type boolean.")
    hooks = [PrintMetaDataHook()] if debug_hook_list is None else debug_hook_list
    if not isinstance(hooks, list):
        raise TypeError("debug_hook_list is not a list.")
    if not all(isinstance(hook, DebugHook) for hook in hooks):
        raise TypeError("All items in debug_hook_list must be of type DebugHook.")
    if debug_mode_flag:
        log.warning(
            "Dataset pipeline debug mode is enabled. Performance will be impacted because the pipeline will "
            "be running in a single thread."
        )
    _settings.debug_mode = debug_mode_flag
    _settings.debug_hooks = hooks if debug_mode_flag else []


def _get_debug_hook_list() -> list[DebugHook]:
    """The hooks of debug mode; none outside it."""
    return _settings.debug_hooks


def set_error_samples_mode(error_samples_mode: ErrorSamplesMode) -> None:
    """What `map` does with rows its operations fail on: see `ErrorSamplesMode`."""
    check_type(error_samples_mode, ErrorSamplesMode, "error_samples_mode")
    _settings.error_samples_mode = error_samples_mode


def set_sending_batches(batch_num: int) -> None:
    """Batches sent to the device before the pipeline waits for a new number; has no effect."""
    _check_int(batch_num, "batch_num must be an int dtype.")
    _store("sending_batches", batch_num)


def set_start_method(start_method: str = "fork") -> None:
    """How worker processes come to life.

    Args:
        start_method (str): "fork" copies this process, so that functions need not be picklable and see all
            that the program has set up. Locks that threads of other libraries hold at that moment stay
            locked in the copy: beside such threads "forkserver" is safer. "spawn" and "forkserver" send the
            function to a fresh interpreter, so it must be picklable, modules are as they are after their
            import, and the script needs ``if __name__ == "__main__":`` . The server of "forkserver" is
            started by this call.

    Examples:
        >>> import mindspore.dataset as ds
        >>> ds.config.set_start_method("spawn")
        >>> ds.config.set_start_method("fork")
    """
    check_type(start_method, str, "start_method")
    check_choice(start_method, START_METHODS, "start_method")
    if start_method == "forkserver":
        start_fork_server()
    _settings.start_method = start_method


set_multiprocessing_start_method = set_start_method


def set_worker_death_policy(policy: str) -> None:
    """What the death of a worker process leads to. "raise": the iteration fails, the program lives on."""
    check_type(policy, str, "policy")
    check_choice(policy, WORKER_DEATH_POLICIES, "policy")
    _settings.worker_death_policy = policy


def _getter(name: str, text: str) -> Callable[[], Any]:
    """The function that returns a setting; `text` says what it is."""

    def get() -> Any:
        return getattr(_settings, name)

    get.__name__ = get.__qualname__ = f"get_{name}"
    get.__doc__ = text
    get.__annotations__ = {"return": _Settings.__annotations__[name]}
    return get


# What is in force.
get_auto_num_workers = _getter("auto_num_workers", "Whether worker numbers are chosen by the machine's size.")
get_auto_offload = _getter("auto_offload", "Whether the last operations may run on the device.")
get_autotune_interval = _getter("autotune_interval", "The value that was set; it has no effect.")
get_callback_timeout = _getter("callback_timeout", "Seconds a `WaitedDSCallback` waits for training.")
get_debug_mode = _getter("debug_mode", "Whether pipelines run in debug mode.")
get_dynamic_shape = _getter("dynamic_shape", "Whether shapes may differ from row to row.")
get_enable_autotune = _getter(
    "enable_autotune", "Whether pipelines get one thread per processor and write their figures down."
)
get_enable_shared_mem = _getter("enable_shared_mem", "Whether worker processes use shared memory.")
get_enable_watchdog = _getter("enable_watchdog", "Whether worker processes that hang are reported.")
get_error_samples_mode = _getter("error_samples_mode", "What `map` does with rows its operations fail on.")
get_fast_recovery = _getter("fast_recovery", "Whether a reset leaves out the replay of random state.")
get_monitor_sampling_interval = _getter(
    "monitor_sampling_interval", "Milliseconds between two looks of the profiler."
)
get_multiprocessing_timeout_interval = _getter(
    "multiprocessing_timeout_interval", "Seconds after which a silent worker process is reported."
)
get_num_parallel_workers = _getter("num_parallel_workers", "Workers of a stage without a number of its own.")
get_numa_enable = _getter("numa_enable", "Whether pipelines keep to one memory node.")
get_prefetch_memory = _getter("prefetch_memory", "Megabytes a pipeline may fill ahead.")
get_prefetch_size = _getter("prefetch_size", "Rows a stage may prepare ahead.")
get_start_method = _getter("start_method", "How worker processes come to life.")
get_worker_death_policy = _getter("worker_death_policy", "What the death of a worker process leads to.")
get_multiprocessing_start_method = get_start_method


# What a settings file says of the row cache.
_cache_settings: dict[str, Any] = {}


def cache_setting(key: str) -> Any:
    """The value a settings file has given for a key of the row cache; None without one."""
    return _cache_settings.get(key)


def _set_cache_port(value: int) -> None:
    _check_int(value, "cachePort isn't of type int.", 1, 65535, "cachePort is not within [1, 65535].")
    _cache_settings["cachePort"] = value


def _set_cache_host(value: str) -> None:
    check_type(value, str, "cacheHost")
    _cache_settings["cacheHost"] = value


def _check_number(name: str) -> Callable[[int], None]:
    """A check of a number in a settings file."""
    wrong_range = f"{name} is not within [1, {INT32_MAX}]."
    return lambda value: _check_int(value, f"{name} isn't of type int.", 1, INT32_MAX, wrong_range)


def _set_cache_number(name: str) -> Callable[[int], None]:
    check = _check_number(name)

    def store(value: int) -> None:
        check(value)
        _cache_settings[name] = value

    return store


_FILE_KEYS = {
    "numParallelWorkers": set_num_parallel_workers,
    "workerConnectorSize": _check_number("workerConnectorSize"),
    "opConnectorSize": set_prefetch_size,
    "seed": set_seed,
    "monitorSamplingInterval": set_monitor_sampling_interval,
    "fast_recovery": set_fast_recovery,
    "error_samples_mode": lambda value: set_error_samples_mode(ErrorSamplesMode(value)),
    "debug_mode_flag": set_debug_mode,
    "cacheHost": _set_cache_host,
    "cachePort": _set_cache_port,
    "numConnections": _set_cache_number("numConnections"),
    "cachePrefetchSize": _set_cache_number("cachePrefetchSize"),
}


def load(file: str) -> None:
    """Takes settings from a JSON file; keys it does not know are passed over with a warning.

    Args:
        file (str): Path of the file.

    Raises:
        RuntimeError: The file does not exist, is no JSON object, or holds a value out of range.
    """
    check_type(file, (str, os.PathLike), "file")
    if not os.path.isfile(file):
        raise RuntimeError(
            f"Invalid file: settings file:{file} is not exist, check input path of config 'load' API."
        )
    try:
        with open(file, encoding="utf-8") as stream:
            values = json.load(stream)
    except (OSError, ValueError) as error:
        raise RuntimeError(f"Client file failed to load: settings file:{file}: {error}") from error
    if not isinstance(values, dict):
        raise RuntimeError(f"Client file failed to load: settings file:{file} holds no JSON object.")
    for key in values:
        if key not in SETTINGS_FILE.settings:
            log.warning(f"The settings file {file} names '{key}', which is no setting of data pipelines.")
    for key, store in _FILE_KEYS.items():
        if key not in values:
            continue
        try:
            store(values[key])
            SETTINGS_FILE.tell(key, values[key])
        except (TypeError, ValueError) as error:
            raise RuntimeError(
                f"Client file failed to load: settings file:{file}, '{key}': {error}"
            ) from error


__all__ = ["ErrorSamplesMode", "load", *sorted(name for name in globals() if name[:4] in ("get_", "set_"))]
