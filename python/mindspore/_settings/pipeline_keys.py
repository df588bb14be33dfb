# SPDX-License-Identifier: Apache-2.0
"""The settings of `mindspore.dataset.config`, and the names of its settings file."""

from __future__ import annotations

from typing import Any

from mindspore._settings.family import Family
from mindspore._settings.setting import NO_DEFAULT, Setting, harmless, refused, works

_ENGINE = "dataset/engine/"


def _work(name: str, about: str, reader: str) -> Setting:
    return works(name, NO_DEFAULT, about, reader=_ENGINE + reader)


def _of_cache(name: str, default: Any) -> Setting:
    about = "what `DatasetCache` takes where neither an argument nor the environment says it"
    return works(name, default, about, reader="dataset/engine/cache_client.py")


PIPELINES = Family(
    "dataset.config",
    "Data pipelines",
    [
        _work("seed", "where the random steps of pipelines start", "_build.py"),
        _work("prefetch_size", "how many rows are prepared ahead of the reader", "_dataset.py"),
        _work("prefetch_memory", "how many megabytes of rows are held ahead of the reader", "_dataset.py"),
        _work(
            "num_parallel_workers", "workers of a stage that is not given a number of its own", "_build.py"
        ),
        _work("callback_timeout", "seconds that a callback waits for training", "_operations.py"),
        _work(
            "enable_shared_mem",
            "whether large rows reach worker processes through shared memory",
            "_processes.py",
        ),
        _work("enable_watchdog", "whether a worker process that is silent is reported", "_process_handle.py"),
        _work(
            "multiprocessing_timeout_interval",
            "seconds after which a worker process that is silent is reported",
            "_process_handle.py",
        ),
        _work("enable_autotune", "whether the number of workers follows the machine", "_build.py"),
        _work("debug_mode", "rows are made one after the other in one thread, with hooks", "_build.py"),
        _work("error_samples_mode", "what becomes of rows that operations fail on", "_map.py"),
        _work("start_method", "how worker processes come to life", "_processes.py"),
        _work("multiprocessing_start_method", "another name of `start_method`", "../core/config.py"),
        works(
            "worker_death_policy",
            "raise",
            "the death of a worker process fails the iteration; there is no other policy",
            reader="dataset/core/config.py",
        ),
        harmless("auto_num_workers", False, "the number of workers follows the machine unless you set it"),
        harmless("auto_offload", False, "the device is the CPU, where the operations run in any case"),
        harmless("dynamic_shape", False, "rows may always have different shapes"),
        harmless(
            "fast_recovery", True, "a pipeline that is resumed always gives the rows it would have given"
        ),
        refused(
            "numa_enable", False, "threads are not bound to a memory node; start the program with 'numactl'"
        ),
        refused("monitor_sampling_interval", 1000, "pipelines are not sampled; figures are kept per stage"),
        refused("autotune_interval", 0, "what is tuned is tuned when a pipeline starts"),
        refused("sending_batches", 0, "rows are taken one by one, and not sent ahead to a device"),
    ],
    spelling="dataset.config.set_{name}({value})",
    targets=("mindspore.dataset.core.config:set_*",),
)

SETTINGS_FILE = Family(
    "dataset.config.load",
    "Names in a settings file of data pipelines",
    [
        *(
            works(name, NO_DEFAULT, f"see `{setter}`", reader="dataset/core/config.py")
            for name, setter in {
                "numParallelWorkers": "num_parallel_workers",
                "opConnectorSize": "prefetch_size",
                "seed": "seed",
                "fast_recovery": "fast_recovery",
                "error_samples_mode": "error_samples_mode",
                "debug_mode_flag": "debug_mode",
                "monitorSamplingInterval": "monitor_sampling_interval",
            }.items()
        ),
        harmless("workerConnectorSize", 16, "one number says how far pipelines work ahead: opConnectorSize"),
        harmless("logFilePath", "", "pipelines write to the log of the process"),
        _of_cache("cacheHost", "127.0.0.1"),
        _of_cache("cachePort", 50052),
        _of_cache("numConnections", 12),
        _of_cache("cachePrefetchSize", 20),
    ],
    spelling="dataset.config.load: {name}={value}",
)
