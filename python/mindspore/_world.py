# SPDX-License-Identifier: Apache-2.0
"""How many processes are meant to train together. One trains here, and says so where more are meant."""

from __future__ import annotations

import json
import os

# How launchers tell a process the number of processes, and its own among them.
_SIZES = (
    "RANK_SIZE",
    "MS_WORKER_NUM",
    "OMPI_COMM_WORLD_SIZE",
    "PMI_SIZE",
    "MV2_COMM_WORLD_SIZE",
    "SLURM_STEP_NUM_TASKS",
)
_RANKS = ("RANK_ID", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK")
_RANK_TABLES = ("RANK_TABLE_FILE", "MINDSPORE_HCCL_CONFIG_PATH")
_OTHER_ROLES = ("MS_SCHED", "MS_PSERVER", "MS_SERVER")

OWN_GROUPS: set[str] = set()
"""Names of the groups that the program made; this process is all there is in them."""

NOT_TOGETHER = (
    "processes do not train together in this release; each would train a model of its own, and nothing would "
    "be exchanged. Run one process: start the program with plain 'python', not with mpirun, msrun or srun, "
    "without the variables that they set, and with 'device_num', 'pipeline_stages' and degrees of sharding "
    "of 1"
)
"""What is said wherever several processes are meant."""


def _number(variable: str) -> int:
    text = os.environ.get(variable, "").strip()
    return int(text) if text.isdecimal() else 0


def _devices_in(path: str) -> int:
    """Devices that a rank table lists; 0 when it cannot be read."""
    try:
        with open(path, encoding="utf-8") as file:
            return sum(len(server.get("device", ())) for server in json.load(file).get("server_list", ()))
    except (OSError, ValueError, AttributeError, TypeError):
        return 0


def sign_of_others() -> str:
    """What says that this process is one of several, such as ``"RANK_SIZE=8"``; empty: nothing does."""
    environment = os.environ
    for variable in _SIZES:
        text = environment.get(variable, "").strip()
        if text and not (text.isdecimal() and int(text) <= 1):  # what cannot be read is not taken for one
            return f"{variable}={environment[variable]}"
    if _number("MS_SERVER_NUM") > 0:
        return f"MS_SERVER_NUM={environment['MS_SERVER_NUM']}"
    if environment.get("MS_ROLE") in _OTHER_ROLES:
        return f"MS_ROLE={environment['MS_ROLE']}"
    for variable in _RANKS:
        if _number(variable) > 0:
            return f"{variable}={environment[variable]}"
    if _number("WORLD_SIZE") > 1 and "LOCAL_RANK" in environment:
        return f"WORLD_SIZE={environment['WORLD_SIZE']}"
    for variable in _RANK_TABLES:
        if environment.get(variable) and _devices_in(environment[variable]) > 1:
            return f"{variable}={environment[variable]}"
    return ""


def require_this_process(what: str, role: str, rank_id: int) -> None:
    """Raises an error unless a role and a rank are those of a world of one.

    Args:
        what (str): What is to be placed.
        role (str): Role of the process.
        rank_id (int): Its number.

    Raises:
        ValueError: There is no such role or number.
        NotImplementedError: Another process is meant.
    """
    if role != "MS_WORKER":
        raise ValueError(
            f"For '{what}', the 'role' must be str and must be in 'MS_WORKER', but got '{role}'."
        )
    if isinstance(rank_id, bool) or not isinstance(rank_id, int) or rank_id < 0:
        raise ValueError(
            f"For '{what}', the 'rank_id' must be int and must >= 0, but got '{rank_id}' with type "
            f"'{type(rank_id).__name__}'."
        )
    require_one_process(what, rank_id=rank_id + 1)


def require_one_process(what: str, **meant: int | None) -> None:
    """Raises an error where the environment, or an argument, says that this process is one of several.

    Args:
        what (str): What would have to involve the others.
        **meant: How many processes arguments speak of, by the arguments' names; None: of none.

    Raises:
        NotImplementedError: Several processes are meant. It is a RuntimeError as well.
    """
    asked = (f"{name}={number}" for name, number in meant.items() if number is not None and number > 1)
    sign = next(asked, "") or sign_of_others()
    if sign:
        raise NotImplementedError(f"For '{what}', several processes are meant ({sign}), but {NOT_TOGETHER}.")
