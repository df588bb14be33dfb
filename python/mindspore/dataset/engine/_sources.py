# SPDX-License-Identifier: Apache-2.0
"""What the classes over native sources share: one constructor, and the way to the native arguments."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from mindspore import _c_data

from ._parameters import ROW_ARGUMENTS, DescribedArguments
from .datasets import MappableDataset, SourceDataset


class _NativeArguments(DescribedArguments):
    """Gives the arguments about rows to the base class, keeps the others as attributes of their names, and
    hands them to the native source.

    Where Python lists the files, `_listed_by` is the function that does it: it takes the attributes in their
    order and returns what the native source needs.
    """

    _listed_by: Callable[..., dict[str, Any]] | None = None

    def _take_arguments(self, arguments: dict[str, Any]) -> None:
        super().__init__(**{name: value for name, value in arguments.items() if name in ROW_ARGUMENTS})
        for name, value in arguments.items():
            if name not in ROW_ARGUMENTS:
                setattr(self, name, value)
        self._prepare()

    def _prepare(self) -> None:
        """What is special about a class: checks of arguments against each other, attributes made of them."""

    def _files_read(self) -> list[Any]:
        listed = [] if self._listed_by is None else self._source_arguments().values()
        return [*super()._files_read(), *listed]

    def _source_arguments(self) -> dict[str, Any]:
        names = [one.name for one in self._parameters if one.name not in ROW_ARGUMENTS | {"decrypt"}]
        if self._listed_by is None:
            arguments = {name: getattr(self, name) for name in names}
        else:
            arguments = self._listed_by(*(getattr(self, name) for name in names if name != "decode"))
        return {**arguments, "paths_only": True} if getattr(self, "decrypt", None) is not None else arguments


class IndexedFilesDataset(_NativeArguments, MappableDataset):
    """Rows by number. Classes with pictures name the columns that `decode=True` decodes."""

    _image_columns: tuple[str, ...] = ("image",)

    def _source_decode_columns(self) -> list[str]:
        return list(self._image_columns) if getattr(self, "decode", False) else []

    def _decoded(self, build: Any, stage: Any) -> Any:
        if getattr(self, "decrypt", None) is None:
            return super()._decoded(build, stage)
        # The source gives paths then, and the user's function the bytes.
        step = _c_data.python_transform(_Decrypted(self.decrypt), "decrypt", True)
        name = f"{type(self).__name__} decrypt"
        for column in self._image_columns:
            stage = _c_data.map_stage(stage, [(step, 0)], [column], [], build.step_seed(), name, 0, False)
        return super()._decoded(build, stage)


class _Decrypted:
    """Calls a function of the user with a path; what it returns becomes an array of bytes."""

    def __init__(self, function: Callable) -> None:
        self._function = function

    def __call__(self, path: np.ndarray) -> np.ndarray:
        content = self._function(str(path))
        return content if isinstance(content, np.ndarray) else np.frombuffer(content, np.uint8)


class TableDataset(IndexedFilesDataset):
    """Rows that Python lists from annotations; the native side reads the files."""

    _source_name = "FileTable"


class StreamFilesDataset(_NativeArguments, SourceDataset):
    """Rows in the order of files."""


def find_files(patterns: str | list[str]) -> list[str]:
    """Files of one or several patterns, the matches of each sorted; a pattern without match is an error."""
    files: list[str] = []
    unmatched = []
    for pattern in [patterns] if isinstance(patterns, str) else patterns:
        matches = sorted(path for path in glob.glob(pattern, recursive=True) if os.path.isfile(path))
        if matches:
            files.extend(matches)
        else:
            unmatched.append(pattern)
    if unmatched:
        raise ValueError(f"The following patterns did not match any files: {unmatched}")
    return files
