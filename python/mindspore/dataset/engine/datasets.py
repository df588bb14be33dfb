# SPDX-License-Identifier: Apache-2.0
"""Bases of sources, and the names of this module that scripts know."""

from __future__ import annotations

from enum import Enum
from typing import Any

from mindspore import _c_data
from mindspore import log as logger
from mindspore._later import imported_later as _imported_later

from ..core import checks, config
from ..transforms._operation import Implementation
from . import samplers
from ._batch import BatchInfo
from ._build import Build
from ._dataset import _UNKNOWN, Dataset, UnionBaseDataset
from ._operations import (
    BatchDataset,
    BucketBatchByLengthDataset,
    ConcatDataset,
    FilterDataset,
    MapDataset,
    PaddedBatchDataset,
    ProjectDataset,
    RenameDataset,
    RepeatDataset,
    ShuffleDataset,
    SkipDataset,
    SyncWaitDataset,
    TakeDataset,
    ZipDataset,
)
from .schema import Schema


class Shuffle(str, Enum):
    """What a source that reads files shuffles."""

    GLOBAL: str = "global"
    FILES: str = "files"
    INFILE: str = "infile"


def zip(datasets):
    """Columns of several data sets side by side, as many rows as the shortest has."""
    checks.check_type(datasets, tuple, "datasets")
    return ZipDataset(datasets)


class _Source(Dataset):
    """A leaf. The native source is opened when it is first needed, and kept."""

    _source_name = ""
    _of_this_process = {"_opened": None}

    def __init__(self, num_parallel_workers: int | None = None, cache: Any = None) -> None:
        super().__init__(None, num_parallel_workers, cache)
        self._opened: Any = None

    def _source_arguments(self) -> dict[str, Any]:
        return {}

    def _files_read(self) -> list[Any]:
        """Values and lists of values, among them all files and folders that the source reads."""
        return list(self._arguments().values())

    def _source_decode_columns(self) -> list[str]:
        """Columns of encoded images that this source decodes."""
        return []

    def _decoded(self, build: Build, stage: Any) -> Any:
        for column in self._source_decode_columns():
            decode = _c_data.make_transform("Decode", {})
            stage = _c_data.map_stage(
                stage,
                [(decode, 0)],
                [column],
                [],
                build.step_seed(),
                f"{type(self).__name__} decode",
                0,
                False,
            )
        return stage

    def __deepcopy__(self, memo: dict) -> Any:
        """A copy that shares the opened source: what it read does not change."""
        import copy

        made = type(self).__new__(type(self))
        memo[id(self)] = made
        for name, value in vars(self).items():
            shared = name in ("_opened", "source", "data")
            setattr(made, name, value if shared else copy.deepcopy(value, memo))
        return made


class SourceDataset(_Source):
    """A source that reads files from their beginning to their end."""

    _shard_by_file = False

    def __init__(
        self,
        num_parallel_workers=None,
        num_samples=None,
        shuffle=True,
        num_shards=None,
        shard_id=None,
        cache=None,
    ):
        super().__init__(num_parallel_workers, cache)
        self.num_samples = num_samples
        self.num_shards = num_shards
        self.shard_id = shard_id
        if shuffle is not None and not isinstance(shuffle, (bool, Shuffle)):
            raise TypeError(
                "shuffle must be of boolean or enum of 'Shuffle' values like 'Shuffle.GLOBAL' or "
                "'Shuffle.FILES' or "
                "'Shuffle.INFILE'."
            )
        if shuffle is None or shuffle is True:
            shuffle = Shuffle.GLOBAL
        self.shuffle_flag = {False: 0, Shuffle.FILES: 1, Shuffle.GLOBAL: 2, Shuffle.INFILE: 3}[shuffle]

    def _source(self) -> Any:
        if self._opened is None:
            self._opened = _c_data.open_file_source(self._source_name, self._source_arguments())
        return self._opened

    def _file_arguments(self) -> tuple:
        return (self.num_shards or 1, self.shard_id or 0, self._shard_by_file)

    def _stage(self, build: Build, children: list) -> Any:
        source = self._source()
        if build.cached_tree is not None:  # everything in its order: rows are chosen above the cache
            stage = _c_data.file_stage(type(self).__name__, source, 0, False, 0, 1, 0, False)
            return self._decoded(build, stage)
        stage = _c_data.file_stage(
            type(self).__name__,
            source,
            self.num_samples or 0,
            self.shuffle_flag in (1, 2),
            build.random_seed(),
            *self._file_arguments(),
        )
        stage = self._decoded(build, stage)
        if self.shuffle_flag != 2:
            return stage
        files = max(len(source.files), 1)
        average = -(-self._rows() // files) if self._rows() != _UNKNOWN else 0
        window = min(4 * average, 10000) if average else 10000
        return _c_data.shuffle_stage(stage, max(window, 2), build.random_seed(), False)

    def _whole_rows(self) -> int:
        """Rows of all files."""
        return _c_data.count_file_rows(self._source(), 0, 1, 0, False)

    def _rows(self) -> int:
        if self.cache is not None:
            from ._cached import cached_rows

            rows = cached_rows(self)
            if rows is not None:
                return rows
        if getattr(self, "_counted", None) is None:
            self._counted = _c_data.count_file_rows(
                self._source(), self.num_samples or 0, *self._file_arguments()
            )
        return self._counted

    def is_shuffled(self):
        """Whether rows come in random order."""
        return self.shuffle_flag > 0

    def is_sharded(self):
        """Whether this is one process's share."""
        return self.num_shards is not None and self.num_shards > 1


class MappableDataset(SourceDataset):
    """A source whose rows can be asked for by number."""

    def __init__(
        self,
        num_parallel_workers=None,
        sampler=None,
        num_samples=None,
        shuffle=None,
        num_shards=None,
        shard_id=None,
        cache=None,
    ):
        _Source.__init__(self, num_parallel_workers, cache)  # the sampler holds what chooses rows
        self.shuffle_flag = 2 if shuffle is None else int(bool(shuffle))
        self.sampler = samplers.select_sampler(num_samples, sampler, shuffle, num_shards, shard_id)
        if sampler is None and num_samples and shuffle is not False and num_shards is None:
            logger.warning(
                "'num_samples' together with shuffling draws rows with replacement, so rows may repeat. "
                "Use sampler=RandomSampler(num_samples=n) to draw each row at most once."
            )

    def _arguments(self) -> dict[str, Any]:
        arguments = super()._arguments()
        arguments["sampler"] = self.sampler._description()
        arguments.pop("shuffle_flag")  # the sampler says it
        return arguments

    def _source(self) -> Any:
        if self._opened is None:
            self._opened = _c_data.open_indexed_source(self._source_name, self._source_arguments())
        return self._opened

    def _loads_in_order(self) -> bool:
        return False

    def _stage(self, build: Build, children: list) -> Any:
        source = self._source()
        sampler = self.sampler._native(build, source.rows, source)
        stage = _c_data.indexed_stage(type(self).__name__, source, sampler, self._loads_in_order())
        return self._decoded(build, stage)

    def _rows(self) -> int:
        source = self._source()
        by_class = getattr(self.sampler, "_epoch_rows_of", None)
        return by_class(source) if by_class is not None else self.sampler._epoch_rows(source.rows)

    def add_sampler(self, new_sampler):
        """Puts a sampler above the present one: it picks among the rows that one picks."""
        if not isinstance(new_sampler, samplers.BuiltinSampler):
            raise TypeError("Input sampler is not an instance of a sampler.")
        new_sampler.add_child(self.sampler)
        self.sampler = new_sampler
        self._known_rows = None

    def use_sampler(self, new_sampler):
        """Replaces the topmost sampler; what lies below it stays."""
        if new_sampler is None:
            raise TypeError("Input sampler can not be None.")
        if not isinstance(new_sampler, samplers.BuiltinSampler):
            raise TypeError("Input sampler is not an instance of a sampler.")
        child = self.sampler.get_child()
        self.sampler = new_sampler
        if child is not None and new_sampler.get_child() is None:
            new_sampler.add_child(child)
        self._known_rows = None

    def is_shuffled(self):
        """Whether rows come in random order."""
        return self.sampler is None or self.sampler.is_shuffled()

    def is_sharded(self):
        """Whether this is one process's share."""
        return self.sampler is not None and self.sampler.is_sharded()

    def split(self, sizes, randomize=True):
        from ._split import split_rows

        return split_rows(self, sizes, randomize)


class VisionBaseDataset(Dataset):
    """Base of the sources of images."""


class TextBaseDataset(Dataset):
    """Base of the sources of texts."""


class AudioBaseDataset(Dataset):
    """Base of the sources of sound."""


# Sources that have modules of their own; the first releases had all of them in this one.
_SOURCES = (
    "CLUEDataset CSVDataset CelebADataset Cifar100Dataset Cifar10Dataset CocoDataset GeneratorDataset "
    "ImageFolderDataset ManifestDataset MindDataset MnistDataset NumpySlicesDataset PaddedDataset "
    "RandomDataset TFRecordDataset TextFileDataset VOCDataset"
)
_ITERATORS = "DictIterator TupleIterator"
__getattr__, __dir__ = _imported_later(
    globals(),
    {
        "mindspore.dataset.engine": _SOURCES,
        "mindspore.dataset.engine.iterators": _ITERATORS,
        "mindspore.dataset.engine._transfer": "TransferDataset",
    },
)

__all__ = [
    "AudioBaseDataset",
    "BatchDataset",
    "BatchInfo",
    "BucketBatchByLengthDataset",
    "ConcatDataset",
    "Dataset",
    "FilterDataset",
    "Implementation",
    "MapDataset",
    "MappableDataset",
    "PaddedBatchDataset",
    "ProjectDataset",
    "RenameDataset",
    "RepeatDataset",
    "Schema",
    "Shuffle",
    "ShuffleDataset",
    "SkipDataset",
    "SourceDataset",
    "SyncWaitDataset",
    "TakeDataset",
    "TextBaseDataset",
    "UnionBaseDataset",
    "VisionBaseDataset",
    "ZipDataset",
    "config",
    "zip",
]
