# SPDX-License-Identifier: Apache-2.0
"""MindRecord files in an object store."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from ..core.checks import check_columns, check_type
from ._parameters import FILE_SHUFFLE, SHARDS, DescribedArguments, Parameter
from .datasets_mindrecord import MindDataset


def _object_paths(value: Any, name: str) -> None:
    check_type(value, list, name)
    for item in value:
        if not isinstance(item, str):
            raise TypeError(f"Item of dataset files is not of type [<class 'str'>], but got {type(item)}.")


def _web_address(value: Any, name: str) -> None:
    check_type(value, str, name)
    if not value.startswith(("http://", "https://")):
        raise ValueError(f"{name} should be a str that starts with http:// or https://, but got {value}.")


class OBSMindDataset(DescribedArguments, MindDataset):
    """MindRecord files that lie in an object store; they are fetched once, then read as local files.

    Needs the Python package of the store (`obs` ).

    Raises:
        RuntimeError: The package of the store is missing, or an object cannot be fetched.
    """

    _parameters = (
        Parameter(
            "dataset_files",
            "list[str]",
            "Paths of the objects, as ``'s3://bucket/name'`` ; each has its index beside it.",
            rule=_object_paths,
        ),
        Parameter("server", "str", "Address of the store.", rule=_web_address),
        Parameter("ak", "str", "Key that names the account."),
        Parameter("sk", "str", "Secret of the account."),
        Parameter(
            "sync_obs_path",
            "str",
            "Path in the store through which processes wait for each other; a single process does not "
            "use it.",
        ),
        Parameter("columns_list", "list[str]", "Columns to read.", None, "all", check_columns),
        FILE_SHUFFLE._replace(text="What is shuffled."),
        *SHARDS,
        Parameter("shard_equal_rows", "bool", "Give every part the same number of rows.", True),
    )

    def _take_arguments(self, arguments: dict[str, Any]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="obs_records_")
        account = [arguments[name] for name in ("server", "ak", "sk")]
        local = [_fetch(path, *account, self._folder.name) for path in arguments["dataset_files"]]
        chosen = {name: arguments[name] for name in ("columns_list", "shuffle", "num_shards", "shard_id")}
        super().__init__(local, **chosen)

    def add_sampler(self, new_sampler: Any) -> None:
        raise NotImplementedError("add_sampler is not supported for OBSMindDataset.")

    def use_sampler(self, new_sampler: Any) -> None:
        raise NotImplementedError("use_sampler is not supported for OBSMindDataset.")


def _fetch(path: str, server: str, ak: str, sk: str, folder: str) -> str:
    """Brings an object and its index into the folder; the path of the local file."""
    try:
        from obs import ObsClient
    except ImportError as error:
        raise RuntimeError("OBSMindDataset needs the package 'obs' (esdk-obs-python).") from error
    bucket, _, key = path.removeprefix("s3://").partition("/")
    client = ObsClient(access_key_id=ak, secret_access_key=sk, server=server)
    local = os.path.join(folder, os.path.basename(key))
    for suffix in ("", ".db"):
        answer = client.getObject(bucket, key + suffix, downloadPath=local + suffix)
        if answer.status >= 300:
            raise RuntimeError(f"Failed to fetch {path}{suffix} from {server}: status {answer.status}.")
    return local


def sync_wait_for_dataset(rank_id: int, rank_size: int, current_epoch: int) -> int:
    """Waits until all processes have prepared their data; a single process need not wait.

    Args:
        rank_id (int): Number of this process.
        rank_size (int): How many processes there are.
        current_epoch (int): Number of the epoch.

    Returns:
        int, the number of the process in the operating system.

    Raises:
        RuntimeError: If there is more than one process.
    """
    if rank_size > 1:
        raise RuntimeError("Waiting for the data of other processes needs the distributed package.")
    return os.getpid()
