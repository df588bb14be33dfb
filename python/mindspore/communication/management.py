# SPDX-License-Identifier: Apache-2.0
"""Start of communication. Without a launcher the world is this process alone."""

from __future__ import annotations

from mindspore import context
from mindspore import log as logger
from mindspore._later import defined_names as _defined_names
from mindspore._world import OWN_GROUPS, require_one_process

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
    OWN_GROUPS.clear()


def create_group(group: str, rank_ids: list[int]) -> None:
    """Makes a group of processes; in a world of one, of this process.

    Args:
        group (str): Its name.
        rank_ids (list[int]): Numbers of the processes.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: There is no process in it, or one twice.
        RuntimeError: Communication has not been started.
        NotImplementedError: Another process is meant.
    """
    if not isinstance(group, str):
        raise TypeError(
            f"For 'create_group', the argument 'group' must be type of string, but got 'group' type : "
            f"{type(group)}."
        )
    if not isinstance(rank_ids, list) or not all(isinstance(rank, int) for rank in rank_ids):
        raise TypeError(
            "For 'create_group', the argument 'rank_ids' must be a list of int, but got 'rank_ids' : "
            f"{rank_ids}."
        )
    if not rank_ids or len(set(rank_ids)) < len(rank_ids):
        raise ValueError(
            "For 'create_group', the argument 'rank_ids' must hold different numbers, but got 'rank_ids' : "
            f"{rank_ids}."
        )
    if not GlobalComm.INITED:
        raise RuntimeError("Distributed Communication has not been inited")
    require_one_process("create_group", rank_ids=max(rank_ids) + 1)
    OWN_GROUPS.add(group)


def destroy_group(group: str) -> None:
    """Removes a group that `create_group` made.

    Args:
        group (str): Its name.

    Raises:
        TypeError: `group` is not a str.
        ValueError: It is the group of all processes.
        RuntimeError: There is no such group, or communication has not been started.
    """
    _check_group(group, "destroy_group")
    if group not in OWN_GROUPS:
        raise ValueError("The hccl_world_group does not support destruction.")
    OWN_GROUPS.discard(group)


def get_world_rank_from_group_rank(group: str, group_rank_id: int) -> int:
    """Number among all processes of a process of a group."""
    _check_group(group, "get_world_rank_from_group_rank")
    require_one_process("get_world_rank_from_group_rank", group_rank_id=group_rank_id + 1)
    return 0


def get_group_rank_from_world_rank(world_rank_id: int, group: str) -> int:
    """Number in a group of one of all processes."""
    _check_group(group, "get_group_rank_from_world_rank")
    require_one_process("get_group_rank_from_world_rank", world_rank_id=world_rank_id + 1)
    return 0


def get_process_group_ranks(group: str = "hccl_world_group") -> list[int]:
    """Numbers of the processes of a group."""
    _check_group(group, "get_process_group_ranks")
    return [0]


def _check_group(group, function: str) -> None:
    if not isinstance(group, str):
        raise TypeError(
            f"For '{function}', the argument 'group' must be type of string, but got 'group' type : "
            f"{type(group)}."
        )
    if not GlobalComm.INITED:
        raise RuntimeError("Distributed Communication has not been inited")
    if group not in ("hccl_world_group", GlobalComm.WORLD_COMM_GROUP, *OWN_GROUPS):
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


__all__ = _defined_names(globals())
