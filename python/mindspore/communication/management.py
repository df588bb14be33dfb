# SPDX-License-Identifier: Apache-2.0
"""Start of communication. Without a launcher the world is this process alone."""

from __future__ import annotations

from mindspore import context
from mindspore import log as logger
from mindspore._world import require_one_process

_BACKENDS = {"hccl": "Ascend", "nccl": "GPU", "mccl": "CPU"}


class GlobalComm:
    """Names of the world."""

    BACKEND = ""
    WORLD_COMM_GROUP = "hccl_world_group"
    INITED = False
    CHECK_ENVS = True


def init(backend_name: str | None = None) -> None:
    """Starts communication in a world of one process.

    Args:
        backend_name (str): ``"hccl"``, ``"nccl"`` or ``"mccl"``; by default that of the device.
            Default: ``None``.

    Raises:
        TypeError: `backend_name` is not a str.
        RuntimeError: `backend_name` does not fit the device.
        NotImplementedError: A launcher has started several processes.
    """
    if GlobalComm.INITED:
        return
    target = context.get_context("device_target")
    fitting = next(name for name, device in _BACKENDS.items() if device == target)
    backend_name = fitting if backend_name is None else backend_name
    if not isinstance(backend_name, str):
        raise TypeError(
            "For 'init', the argument 'backend_name' must be a string, but got the type : "
            f"{type(backend_name)}."
        )
    if backend_name not in _BACKENDS:
        raise RuntimeError(
            "For 'init', the argument 'backend_name' must be one of 'hccl', 'nccl' and 'mccl', but got "
            f"'backend_name' : {backend_name}."
        )
    if backend_name != fitting:
        raise RuntimeError(
            f"For 'init', the argument 'backend_name' should be '{fitting}' to init '{target}', but got "
            f"'{backend_name}'."
        )
    require_one_process("init")
    GlobalComm.BACKEND = backend_name
    GlobalComm.WORLD_COMM_GROUP = f"{backend_name}_world_group"
    GlobalComm.INITED = True
    logger.info("No launcher was found: the world is this process alone.")


def release() -> None:
    """Leaves the job."""
    GlobalComm.INITED = False


def _check_group(group, function: str) -> None:
    if not isinstance(group, str):
        raise TypeError(
            f"For '{function}', the argument 'group' must be type of string, but got 'group' type : "
            f"{type(group)}."
        )
    if not GlobalComm.INITED:
        raise RuntimeError("Distributed Communication has not been inited")
    if group not in ("hccl_world_group", GlobalComm.WORLD_COMM_GROUP):
        raise RuntimeError(f"The group {group} does not exist.")


def get_rank(group: str = "hccl_world_group") -> int:
    """Number of this process in a group."""
    _check_group(group, "get_rank")
    return 0


def get_group_size(group: str = "hccl_world_group") -> int:
    """Number of processes in a group."""
    _check_group(group, "get_group_size")
    return 1


def get_local_rank(group: str = "hccl_world_group") -> int:
    """Number of this process on its machine."""
    _check_group(group, "get_local_rank")
    return 0


def get_local_rank_size(group: str = "hccl_world_group") -> int:
    """Number of processes on this machine."""
    _check_group(group, "get_local_rank_size")
    return 1
