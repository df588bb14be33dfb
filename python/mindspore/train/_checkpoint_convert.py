# SPDX-License-Identifier: Apache-2.0
"""Checkpoints from one format to the other, file by file or a whole folder."""

from __future__ import annotations

import os
import re

from mindspore.train._checkpoint_load import load_checkpoint
from mindspore.train._checkpoint_save import save_checkpoint


def ckpt_to_safetensors(file_path, save_path=None, name_map=None, file_name_regex=None, processes_num=1):
    """Makes a ``.safetensors`` file of each ``.ckpt`` file.

    Args:
        file_path (str): A file, or a folder, whose folders are searched too.
        save_path (str): Folder for the new files. Default: ``None``, beside the old ones.
        name_map (dict): New names by old ones. Default: ``None``.
        file_name_regex (str): Takes only files whose name it is found in. Default: ``None``.
        processes_num (int): Accepted for compatibility: one process reads as fast as the disk is.
            Default: ``1``.

    Raises:
        ValueError: There is no such path, it is not a ``.ckpt`` file, or `save_path` is no folder.
    """
    _convert("ckpt_to_safetensors", ("ckpt", "safetensors"), file_path, save_path, name_map, file_name_regex)


def safetensors_to_ckpt(file_path, save_path=None, name_map=None, file_name_regex=None, processes_num=1):
    """Makes a ``.ckpt`` file of each ``.safetensors`` file.

    Args:
        file_path (str): A file, or a folder, whose folders are searched too.
        save_path (str): Folder for the new files. Default: ``None``, beside the old ones.
        name_map (dict): New names by old ones. Default: ``None``.
        file_name_regex (str): Takes only files whose name it is found in. Default: ``None``.
        processes_num (int): Accepted for compatibility: one process reads as fast as the disk is.
            Default: ``1``.

    Raises:
        ValueError: There is no such path, it is not a ``.safetensors`` file, or `save_path` is no folder.
    """
    _convert("safetensors_to_ckpt", ("safetensors", "ckpt"), file_path, save_path, name_map, file_name_regex)


def _convert(owner: str, formats: tuple[str, str], file_path, save_path, name_map, pattern) -> None:
    if not os.path.isdir(file_path) and not os.path.isfile(file_path):
        raise ValueError(f"For '{owner}', the input path must be a valid path or file, but got {file_path}")
    if save_path and os.path.splitext(save_path)[1]:
        raise ValueError(f"For '{owner}', the save_path must be a directory, but got '{save_path}'")
    if name_map is not None and not isinstance(name_map, dict):
        raise ValueError(f"For '{owner}', the type of 'name_map' must be a dict, but got '{type(name_map)}'")
    old, new = formats
    for path, folder in _files(owner, old, file_path, pattern):
        target = os.path.join(save_path, folder) if save_path else os.path.dirname(path)
        os.makedirs(target or ".", exist_ok=True)
        name = os.path.basename(path).removesuffix(old) + new
        _convert_one(path, os.path.join(target, name), name_map or {}, new)


def _files(owner: str, ending: str, file_path: str, pattern) -> list[tuple[str, str]]:
    """The files to convert, each with the folder it lies in below `file_path`."""
    if os.path.isfile(file_path):
        if not file_path.endswith(f".{ending}"):
            raise ValueError(f"For '{owner}', the input file must be a .{ending} file, but got {file_path}")
        if pattern is not None and not re.search(pattern, file_path):
            raise ValueError(f"For '{owner}', the input file does not match the regular expression.")
        return [(file_path, "")]
    found = []
    for folder, _, names in os.walk(file_path):
        below = os.path.relpath(folder, file_path)
        for name in sorted(names):
            if name.endswith(f".{ending}") and (pattern is None or re.search(pattern, name)):
                found.append((os.path.join(folder, name), "" if below == "." else below))
    return found


def _convert_one(path: str, target: str, name_map: dict, new: str) -> None:
    loaded = load_checkpoint(path)
    entries = [{"name": name_map.get(name, name), "data": value} for name, value in loaded.items()]
    save_checkpoint(entries, target, format=new)
