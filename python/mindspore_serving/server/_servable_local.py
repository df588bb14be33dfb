# SPDX-License-Identifier: Apache-2.0
"""What is to be started: ServableStartConfig, and several of them as one list of versions."""

import os

from mindspore_serving._arguments import as_int_tuple, check_bytes, check_int, check_str
from mindspore_serving.server._devices import check_device_type, check_devices
from mindspore_serving.server._folders import absolute, check_servable, versions_in

_MOST_WORKERS = 64
_KEY_SIZES = (16, 24, 32)
_KEY_MODES = ("AES-GCM", "AES-CBC")


class ServableStartConfig:
    """A version of a servable, and the processes that run it.

    Args:
        servable_directory (str): Folder that has the servable's, relative to that of the script that is run.
        servable_name (str): Name of the servable and of its folder.
        device_ids (Union[int, list[int], tuple[int]], optional): One worker process for models on each
            device. ``None``: one on the CPU. Default: ``None``.
        version_number (int, optional): ``0``: the newest. Default: ``0``.
        device_type (str, optional): "Ascend", "GPU", "CPU"; ``None``: what there is. Default: ``None``.
        num_parallel_workers (int, optional): Processes that run Python stages, 0 to 64; at least as many as
            there are devices. Default: ``0``.
        dec_key (bytes, optional): Key of encrypted models, of 16, 24 or 32 bytes. Default: ``None``.
        dec_mode (str, optional): "AES-GCM" or "AES-CBC". Default: ``'AES-GCM'``.
        max_batch_delay_us (int, optional): How long an instance may wait for others to run with. Default:
            ``0``.
        max_batch_size (int, optional): Rows of models whose batch is open. Default: ``32``.
        run_limit_ms (int, optional): A worker that takes longer for a run is ended and started again; ``0``:
            no limit. Default: ``0``.
    """

    def __init__(
        self,
        servable_directory,
        servable_name,
        device_ids=None,
        version_number=0,
        device_type=None,
        num_parallel_workers=0,
        dec_key=None,
        dec_mode="AES-GCM",
        *,
        max_batch_delay_us=0,
        max_batch_size=32,
        run_limit_ms=0,
    ):
        check_str("servable_directory", servable_directory)
        check_str("servable_name", servable_name)
        check_int("version_number", version_number, 0)
        check_int("num_parallel_workers", num_parallel_workers, 0, _MOST_WORKERS)
        check_int("max_batch_delay_us", max_batch_delay_us, 0)
        check_int("max_batch_size", max_batch_size, 1)
        check_int("run_limit_ms", run_limit_ms, 0)
        _check_key(dec_key, dec_mode)
        self.servable_directory = absolute(servable_directory)
        self.servable_name = servable_name
        self.device_ids = () if device_ids is None else as_int_tuple("device_ids", device_ids, 0)
        self.version_number = version_number
        self.device_type = check_device_type(device_type)
        self.num_parallel_workers = num_parallel_workers
        self.dec_key = dec_key
        self.dec_mode = dec_mode
        self.max_batch_delay_us = max_batch_delay_us
        self.max_batch_size = max_batch_size
        self.run_limit_ms = run_limit_ms

    @property
    def folder(self):
        return os.path.join(self.servable_directory, self.servable_name)


def _check_key(dec_key, dec_mode):
    if dec_key is not None:
        check_bytes("dec_key", dec_key)
        if len(dec_key) not in _KEY_SIZES:
            raise RuntimeError(
                f"Parameter 'dec_key' should be bytes of length 16, 24 or 32, but its length is "
                f"{len(dec_key)}"
            )
    check_str("dec_mode", dec_mode)
    if dec_mode not in _KEY_MODES:
        raise RuntimeError(
            f"Parameter 'dec_mode' should be 'AES-GCM' or 'AES-CBC', but actually '{dec_mode}'"
        )


def with_version(config, version_number):
    """The same for another version."""
    made = object.__new__(ServableStartConfig)
    made.__dict__.update(config.__dict__, version_number=version_number)
    return made


def _unite(old, config):
    """The same version asked for once more."""
    if (old.dec_key, old.dec_mode) != (config.dec_key, config.dec_mode):
        raise RuntimeError(
            f"The dec key or dec mode of servable name {config.servable_name} is different in multiple "
            "configurations."
        )
    old.device_ids += tuple(device for device in config.device_ids if device not in old.device_ids)
    old.num_parallel_workers = max(old.num_parallel_workers, config.num_parallel_workers)


def merge_config(configs):
    """One config per version, with its number; 0 stays where there is no folder of a version."""
    directories = {}
    merged = {}
    for config in configs:
        name, directory = config.servable_name, config.servable_directory
        if directories.setdefault(name, directory) != directory:
            raise RuntimeError(
                f"The servable directory of servable name {name} is different in multiple "
                f"configurations: '{directories[name]}' and '{directory}'"
            )
    for config in configs:
        folder = check_servable(config.servable_directory, config.servable_name)
        number = config.version_number or max(versions_in(folder), default=0)
        key = (config.servable_name, number)
        if key in merged:
            _unite(merged[key], config)
        else:
            merged[key] = with_version(config, number)
    check_devices(merged.values())
    return list(merged.values())
