# SPDX-License-Identifier: Apache-2.0
"""Files that appear complete or not at all."""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import re
import stat
from collections.abc import Callable, Iterator

from mindspore import _c_expression as _c


def check_place(path: str) -> None:
    """Raises the error that tells why no file can be put there: OSError of the class Python has for it."""
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        raise _error(errno.EISDIR, path)
    if not os.path.isdir(folder):
        raise _error(errno.ENOTDIR if os.path.exists(folder) else errno.ENOENT, path)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _error(errno.EACCES, path)


def _error(number: int, path: str) -> OSError:
    return OSError(number, f"{os.strerror(number)}; the file cannot be written", path)


@contextlib.contextmanager
def atomic_file(path: str, mode: int = 0o600) -> Iterator:
    """A file open for writing that takes its name and mode when the block ends without an error.

    Whatever ends the program before, an older file of the name stays as it is, and the unfinished one goes
    with the next file of the kind that is written there.

    Args:
        path (str): The file, in a folder that exists.
        mode (int): Who may do what with it. Default: ``0o600``.

    Raises:
        OSError: The file cannot be written there, or the disk is full.
    """
    check_place(path)
    pending = _c.ReplacingFile(path, mode | stat.S_IWUSR)
    try:
        with open(pending.temporary, "r+b") as file:
            yield file
        if not mode & stat.S_IWUSR:
            os.chmod(pending.temporary, mode)
        pending.commit()
    except OSError as failure:
        if failure.errno is None or failure.filename not in (None, pending.temporary):
            raise
        raise OSError(failure.errno, failure.strerror, path) from failure
    finally:
        pending.abandon()


class DataFiles:
    """Files that a model's file refers to by name; the model is put in place at the end of a ``with`` block.

    New ones stand beside those in use, under other numbers: they count when the model's file does, and the
    older ones go after that. So there is never a model with the data of another.

    Args:
        folder (str): Where they lie.
        name_of (Callable): The name of a file by its number.
        pattern (str): A regular expression of all these names.
        is_ours (Callable): Whether a file of such a name, given its path, belonged to the model that is
            replaced, or to one that never got into place; asked now, before that happens.
    """

    def __init__(
        self, folder: str, name_of: Callable[[int], str], pattern: str, is_ours: Callable[[str], bool]
    ):
        self._folder, self._name_of = folder, name_of
        names = os.listdir(folder) if os.path.isdir(folder) else []
        self._taken = {name for name in names if re.fullmatch(pattern, name)}
        paths = {name: os.path.join(folder, name) for name in sorted(self._taken)}
        self._old = [name for name, path in paths.items() if os.path.isfile(path) and is_ours(path)]
        self._has_unfinished = any(re.fullmatch(rf"{pattern}\.part\..*", name) for name in names)
        self._new: list[str] = []

    def add(self) -> str:
        """Name of a further file, which no file has."""
        name = next(name for name in map(self._name_of, itertools.count()) if name not in self._taken)
        self._new.append(name)
        self._taken.add(name)
        return name

    def __enter__(self) -> DataFiles:
        return self

    def __exit__(self, failure, *_) -> None:
        for name in self._old if failure is None else self._new:
            remove(os.path.join(self._folder, name))
        if self._has_unfinished and not self._new:
            # Whoever begins a file removes what killed writers have left.
            with contextlib.suppress(OSError):
                _c.ReplacingFile(os.path.join(self._folder, self._name_of(0)), 0o600).abandon()


def remove(path: str) -> None:
    """Removes a file, if that is possible."""
    with contextlib.suppress(OSError):
        os.unlink(path)
