# SPDX-License-Identifier: Apache-2.0
"""Checkpoints cut in one way turned into checkpoints cut in another. One process cuts nothing."""

from __future__ import annotations

import glob
import os
import shutil

from mindspore import _checkparam as check
from mindspore._world import NOT_TOGETHER


def _require_whole(owner: str, **files: str | None) -> None:
    """Raises an error where a file says that parameters are, or are to be, cut."""
    for name, file in files.items():
        if file is not None and not isinstance(file, str):
            raise TypeError(f"For '{owner}', '{name}' must be a str or None, but got {type(file).__name__}.")
        if file is not None:
            raise NotImplementedError(
                f"For '{owner}', parameters are cut over devices ({name}={file!r}), but {NOT_TOGETHER}. "
                "Whole parameters have no such file."
            )


def rank_list_for_transform(
    rank_id: int, src_strategy_file: str | None = None, dst_strategy_file: str | None = None
) -> list[int]:
    """Numbers of the checkpoints that one checkpoint is made from when cuts change.

    Args:
        rank_id (int): Number of the checkpoint to be made.
        src_strategy_file (str): How parameters are cut; None: not. Default: ``None``.
        dst_strategy_file (str): How they are to be cut; None: not. Default: ``None``.

    Returns:
        list of the numbers: whole parameters come from the checkpoint of the same number.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `rank_id` is negative.
        NotImplementedError: Parameters are cut, or are to be.

    Examples:
        >>> import mindspore as ms
        >>> ms.rank_list_for_transform(0)
        [0]
    """
    check.check_non_negative_int(rank_id, "rank_id", "rank_list_for_transform")
    _require_whole(
        "rank_list_for_transform", src_strategy_file=src_strategy_file, dst_strategy_file=dst_strategy_file
    )
    return [rank_id]


def transform_checkpoint_by_rank(
    rank_id: int,
    checkpoint_files_map: dict[int, str],
    save_checkpoint_file_name: str,
    src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None,
) -> None:
    """Makes one checkpoint from those it comes from; whole parameters are copied.

    Args:
        rank_id (int): Number of the checkpoint to be made.
        checkpoint_files_map (dict[int, str]): Files by number.
        save_checkpoint_file_name (str): The file to be made; its name ends in ``.ckpt``.
        src_strategy_file (str): How parameters are cut; None: not. Default: ``None``.
        dst_strategy_file (str): How they are to be cut; None: not. Default: ``None``.

    Raises:
        TypeError: `checkpoint_files_map` is no dict.
        ValueError: A file is missing, or the name does not end in ``.ckpt``.
        NotImplementedError: Parameters are cut, or are to be.
    """
    if not isinstance(checkpoint_files_map, dict):
        raise TypeError("The checkpoint_files_map should be a dict.")
    if not save_checkpoint_file_name.endswith(".ckpt"):
        raise ValueError(f"The save_checkpoint_file_name {save_checkpoint_file_name} should end with .ckpt")
    (source,) = rank_list_for_transform(rank_id, src_strategy_file, dst_strategy_file)
    file = checkpoint_files_map.get(source)
    if file is None or not os.path.isfile(file):
        raise ValueError(f"Checkpoint file {file} in rank {source} not exits.")
    os.makedirs(os.path.dirname(os.path.abspath(save_checkpoint_file_name)), exist_ok=True)
    shutil.copyfile(file, save_checkpoint_file_name)


def transform_checkpoints(
    src_checkpoints_dir: str,
    dst_checkpoints_dir: str,
    ckpt_prefix: str,
    src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None,
    process_num: int = 1,
    output_format: str = "ckpt",
) -> None:
    """Makes the checkpoints ``rank_<number>/<prefix><number>.ckpt`` of one folder anew in another.

    Args:
        src_checkpoints_dir (str): Folder with a folder ``rank_<number>`` for each checkpoint.
        dst_checkpoints_dir (str): Folder that gets the same.
        ckpt_prefix (str): How the new files are called before their number.
        src_strategy_file (str): How parameters are cut; None: not. Default: ``None``.
        dst_strategy_file (str): How they are to be cut; None: not. Default: ``None``.
        process_num (int): Accepted for compatibility. Default: ``1``.
        output_format (str): ``"ckpt"``. Default: ``"ckpt"``.

    Raises:
        NotADirectoryError: There is no such folder.
        ValueError: There is no checkpoint, or the format is another.
        NotImplementedError: Parameters are cut, or are to be.
    """
    _require_whole(
        "transform_checkpoints", src_strategy_file=src_strategy_file, dst_strategy_file=dst_strategy_file
    )
    check.check_string(output_format, ["ckpt"], "output_format", "transform_checkpoints")
    if not os.path.isdir(src_checkpoints_dir):
        raise NotADirectoryError(f"src_checkpoints_dir {src_checkpoints_dir} is not a directory.")
    found = {rank: files for rank, files in _by_rank(src_checkpoints_dir).items() if files}
    if not found:
        raise ValueError(f"There is no file rank_<number>/*.ckpt in '{src_checkpoints_dir}'.")
    for rank, files in found.items():
        target = os.path.join(dst_checkpoints_dir, f"rank_{rank}", f"{ckpt_prefix}{rank}.ckpt")
        transform_checkpoint_by_rank(rank, {rank: max(files, key=os.path.getmtime)}, target)


def _by_rank(folder: str) -> dict[int, list[str]]:
    """Files of each number; of several the newest is meant."""
    ranks = (os.path.basename(path).partition("_")[2] for path in glob.glob(os.path.join(folder, "rank_*")))
    return {
        int(rank): glob.glob(os.path.join(folder, f"rank_{rank}", "*.ckpt"))
        for rank in ranks
        if rank.isdecimal()
    }


def merge_pipeline_strategys(src_strategy_dirs: str, dst_strategy_file: str) -> None:
    """Merges the files that tell how stages of a pipeline cut their parameters; not available.

    Args:
        src_strategy_dirs (str): Folder of the files.
        dst_strategy_file (str): The file to be made.

    Raises:
        NotADirectoryError: There is no such folder.
        NotImplementedError: There is one: its files describe several processes.
    """
    if not os.path.isdir(src_strategy_dirs):
        raise NotADirectoryError(f"src_strategy_dirs {src_strategy_dirs} is not a directory.")
    raise NotImplementedError(
        "For 'merge_pipeline_strategys', the files describe stages of a pipeline in several processes, but "
        f"{NOT_TOGETHER}."
    )
