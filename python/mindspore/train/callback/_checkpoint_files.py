# SPDX-License-Identifier: Apache-2.0
"""The checkpoint files of one run: their names, and which of them are kept."""

from __future__ import annotations

import os
import re
import stat
import time

from mindspore import log as logger

_MARK = {False: r"[^a-zA-Z]*", True: r"[^a-zA-Z]*_breakpoint"}


def _chg_ckpt_file_name_if_same_exist(directory, prefix, exception=False):
    """A prefix under which the folder holds no checkpoints yet: `prefix`, or with ``_1``, ``_2`` …

    Args:
        directory (str): The folder.
        prefix (str): The prefix wanted.
        exception (bool): Whether files written on an exception are meant. Default: ``False``.

    Returns:
        str, the prefix to use.
    """
    pattern = re.compile(
        re.escape(prefix) + r"(?:_(\d+))?-" + _MARK[bool(exception)] + r"\.(?:ckpt|safetensors)", re.DOTALL
    )
    try:
        names = os.listdir(directory)
    except OSError:
        return prefix
    taken = [int(found.group(1) or 0) for found in map(pattern.fullmatch, names) if found]
    return f"{prefix}_{max(taken) + 1}" if taken else prefix


def remove_file(path: str) -> bool:
    """Removes a file, also one that is only readable; a failure is a warning."""
    try:
        os.chmod(path, stat.S_IWRITE)
        os.remove(path)
    except OSError as failure:
        logger.warning("%s, failed to remove the checkpoint file %s.", failure, path)
        return False
    return True


class CheckpointManager:
    """The list of a run's checkpoint files, oldest first."""

    def __init__(self):
        self._files: list[str] = []

    @property
    def ckpoint_filelist(self) -> list[str]:
        """Paths of the files, oldest first."""
        return self._files

    @property
    def ckpoint_num(self) -> int:
        """How many files there are."""
        return len(self._files)

    def update_ckpoint_filelist(self, directory, ckpt_prefix) -> None:
        """Looks which files with the prefix the folder holds.

        Args:
            directory (str): The folder.
            ckpt_prefix (str): The prefix, without the hyphen.
        """
        pattern = re.compile(
            re.escape(ckpt_prefix) + "-" + _MARK[False] + r"\.(?:ckpt|safetensors)", re.DOTALL
        )
        paths = [os.path.join(directory, name) for name in os.listdir(directory) if pattern.fullmatch(name)]
        self._files = sorted((path for path in paths if os.path.isfile(path)), key=self._age)

    @staticmethod
    def _age(path: str):
        numbers = [int(number) for number in re.findall(r"\d+", os.path.basename(path))]
        try:
            return os.stat(path).st_mtime_ns, numbers
        except OSError:
            return 0, numbers

    def remove_ckpoint_file(self, file_name) -> None:
        """Removes one file of the list.

        Args:
            file_name (str): Its path.
        """
        if remove_file(file_name) and file_name in self._files:
            self._files.remove(file_name)

    def remove_oldest_ckpoint_file(self) -> None:
        """Removes the file written first."""
        if self._files:
            self.remove_ckpoint_file(self._files[0])

    def keep_at_most(self, count: int) -> None:
        """Removes the oldest files until `count` are left."""
        for path in self._files[: max(len(self._files) - count, 0)]:
            self.remove_ckpoint_file(path)

    def keep_one_ckpoint_per_minutes(self, minutes, cur_time=None, newest=None) -> None:
        """Of the files younger than some minutes keeps the oldest.

        Args:
            minutes (int): The age.
            cur_time (float): The time now. Default: ``None``, the clock's.
            newest (str): A file that stays too. Default: ``None``.
        """
        now = time.time() if cur_time is None else cur_time
        young = [path for path in self._files if now - self._age(path)[0] / 1e9 < 60 * minutes]
        for path in young[1:]:
            if path != newest:
                self.remove_ckpoint_file(path)
