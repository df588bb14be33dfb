# SPDX-License-Identifier: Apache-2.0
"""From what is to be started to what the server is told to load."""

import base64
import os

from mindspore_serving import log as logger
from mindspore_serving.server import _devices
from mindspore_serving.server._folders import versions_in
from mindspore_serving.server._programs import native_program, stage_worker

_LOG_FOLDER = "serving_logs"


def log_file(servable_name, worker, version_number):
    """Of a worker: "device0", "extra1"."""
    os.makedirs(_LOG_FOLDER, exist_ok=True)
    return os.path.join(
        os.path.abspath(_LOG_FOLDER), f"log_{servable_name}_{worker}_version{version_number}.log"
    )


def first_log_file(config):
    """Where what a servable_config.py prints is to be read."""
    worker = f"device{config.device_ids[0]}" if config.device_ids else "extra0"
    return log_file(config.servable_name, worker, config.version_number or 1)


def _check_version(config):
    versions = versions_in(config.folder)
    told = f"servable directory: {config.servable_directory}, servable name: {config.servable_name}"
    if not versions:
        raise RuntimeError(
            "There is no valid version directory of models while there are models declared by "
            f"declare_model, {told}"
        )
    if config.version_number not in versions:
        raise RuntimeError(
            "There is no specified version directory of models, specified version number: "
            f"{config.version_number}, {told}"
        )
    if not config.device_ids and not _devices.supports("cpu"):
        raise RuntimeError(
            f"Servable '{config.servable_name}' has models declared by declare_model, but parameter "
            "'device_ids' of ServableStartConfig is not set in Serving startup script when the "
            "MindSpore or Lite inference package not support CPU"
        )


def version_plan(config, description):
    """What the server needs to load a version. RuntimeError when its folder is not there."""
    has_models = bool(description["models"])
    has_functions = bool(description["functions"])
    if has_models:
        _check_version(config)
    number = config.version_number if has_models else 1
    name = config.servable_name
    devices = [f"device{device}" for device in config.device_ids]
    model_workers = devices or ["device0"]
    function_count = max(config.num_parallel_workers, len(devices), 1)
    if has_models and not has_functions and config.num_parallel_workers > len(model_workers):
        logger.warning(
            "servable '%s' has no Python stages: num_parallel_workers=%d has no effect",
            name,
            config.num_parallel_workers,
        )
    extra = [f"extra{place}" for place in range(function_count - len(devices))]
    return {
        "servable": description,
        "version": number,
        "folder": os.path.join(config.folder, str(number)),
        "key": base64.b64encode(config.dec_key).decode() if config.dec_key else None,
        "key_mode": config.dec_mode,
        "model_workers": {
            "command": [native_program("serving_worker")] if has_models else ["-"],
            "count": len(model_workers) if has_models else 0,
            "log_files": [log_file(name, worker, number) for worker in model_workers] if has_models else [],
        },
        "function_workers": {
            "command": stage_worker(),
            "count": function_count if has_functions else 0,
            "log_files": [log_file(name, worker, number) for worker in devices + extra]
            if has_functions
            else [],
        },
        "max_batch_delay_us": config.max_batch_delay_us,
        "max_batch_size": config.max_batch_size,
        "run_limit_ms": config.run_limit_ms,
    }
