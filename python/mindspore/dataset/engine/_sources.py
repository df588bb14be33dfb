# SPDX-License-Identifier: Apache-2.0
"""What the classes over native sources share: one constructor, and the way to the native arguments."""

from __future__ import annotations

import functools
import glob
import inspect
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from mindspore import _c_data
from mindspore._spelling import bind

from ..core import checks
from .datasets import MappableDataset, SourceDataset

_ROW_ARGUMENTS = (
    "num_samples",
    "num_parallel_workers",
    "shuffle",
    "sampler",
    "num_shards",
    "shard_id",
    "cache",
)


_ROW_TEXTS = {
    "num_samples": "(int, optional): Most rows to read. Default: ``None`` , all.",
    "num_parallel_workers": "(int, optional): Threads that read. Default: ``None`` , as configured.",
    "shuffle": "(Union[bool, Shuffle], optional): Whether rows come in random order. Default: ``{}`` .",
    "sampler": "(Union[Sampler, Iterable], optional): Picks the rows. Default: ``None`` .",
    "num_shards": "(int, optional): Into how many parts the rows are divided. Default: ``None`` .",
    "shard_id": "(int, optional): Which part to read; goes with `num_shards` . Default: ``None`` .",
    "cache": "(DatasetCache, optional): Keeps rows for later epochs. Default: ``None`` .",
}


def _with_row_arguments(text: str, signature: inspect.Signature) -> str:
    """The documentation of a class with that of the arguments which all sources understand alike."""
    text = inspect.cleandoc(text)
    if "Args:" not in text:
        text += "\n\nArgs:"
    for name in (name for name in _ROW_ARGUMENTS if name in signature.parameters):
        text += f"\n    {name} " + _ROW_TEXTS[name].format(signature.parameters[name].default)
    return text + "\n"


def constructor(**rules: checks.Rule) -> Callable[[Callable], Callable]:
    """Decorator of `__init__`: checks the arguments, gives those about rows to the base class and keeps the
    others as attributes of their names. The body only adds what is special."""

    def decorate(function: Callable) -> Callable:
        signature = inspect.signature(function)
        optional = checks.optional_names(signature)

        @functools.wraps(function)
        def call(self: Any, *args: Any, **kwargs: Any) -> None:
            bound = bind(signature, type(self).__name__, self, *args, **kwargs)
            bound.apply_defaults()
            arguments = dict(bound.arguments)
            del arguments["self"]
            checks.check_arguments(arguments, optional, {**self._rules, **rules})
            checks.check_sampler_shuffle_shard(arguments)
            self._take_arguments(arguments)
            function(*bound.args, **bound.kwargs)

        return call

    return decorate


class _NativeArguments:
    """Keeps constructor arguments and hands them to the native source."""

    _rules: dict[str, checks.Rule] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = cls.__dict__.get("__init__")
        if own is not None and cls.__doc__ is not None:
            cls.__doc__ = _with_row_arguments(cls.__doc__, inspect.signature(own))

    def _take_arguments(self, arguments: dict[str, Any]) -> None:
        super().__init__(**{name: arguments[name] for name in _ROW_ARGUMENTS if name in arguments})
        self._own_arguments = [name for name in arguments if name not in _ROW_ARGUMENTS]
        for name in self._own_arguments:
            setattr(self, name, arguments[name])

    def _source_arguments(self) -> dict[str, Any]:
        arguments = {name: getattr(self, name) for name in self._own_arguments if name != "decrypt"}
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
    """Rows that a function of `layouts` lists: it reads the annotation, the native side reads the files."""

    _source_name = "FileTable"

    def _layout(self) -> dict[str, Any]:
        raise NotImplementedError

    def _source_arguments(self) -> dict[str, Any]:
        arguments = self._layout()
        return {**arguments, "paths_only": True} if getattr(self, "decrypt", None) is not None else arguments


class StreamFilesDataset(_NativeArguments, SourceDataset):
    """Rows in the order of files."""

    _rules = {"shuffle": checks.stream_shuffle}


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
