# SPDX-License-Identifier: Apache-2.0
"""Rows of MindRecord files."""

from __future__ import annotations

import functools
import glob
from collections.abc import Callable
from typing import Any

from mindspore import _c_data
from mindspore.mindrecord.config import ReadProtection

from ..core import checks
from . import samplers
from ._build import Build
from ._dataset import UnionBaseDataset
from .cache_client import DatasetCache
from .datasets import MappableDataset, Shuffle

__all__ = ["MindDataset"]

_SAMPLERS = (
    samplers.SubsetRandomSampler,
    samplers.SubsetSampler,
    samplers.PKSampler,
    samplers.DistributedSampler,
    samplers.RandomSampler,
    samplers.SequentialSampler,
)


def _old_keyword(construct: Callable) -> Callable:
    """Scripts of the first releases say `dataset_file` ."""

    @functools.wraps(construct)
    def call(self: Any, *args: Any, **kwargs: Any) -> None:
        if "dataset_file" in kwargs and "dataset_files" not in kwargs:
            kwargs["dataset_files"] = kwargs.pop("dataset_file")
        construct(self, *args, **kwargs)

    return call


class MindDataset(MappableDataset, UnionBaseDataset):
    """Rows of MindRecord files. Columns are in the order of `columns_list` , else sorted by name. A field of
    bytes is an array of one bytes element.

    Args:
        dataset_files (Union[str, list[str]]): One file of a set, which stands for all its files, or a list of
            files.
        columns_list (list[str], optional): Columns to read. Default: ``None`` , all.
        num_parallel_workers (int, optional): Threads that read. Default: ``None`` , as configured.
        shuffle (Union[bool, Shuffle], optional): ``Shuffle.GLOBAL`` or ``True`` : all rows,
            ``Shuffle.FILES`` :
            the order of the files, ``Shuffle.INFILE`` : the rows of each file, ``False`` : nothing.
            Default: ``None`` , all rows.
        num_shards (int, optional): Into how many parts the rows are divided. Default: ``None`` .
        shard_id (int, optional): Which part to read; goes with `num_shards` . Default: ``None`` .
        sampler (Sampler, optional): Picks the rows: SubsetRandomSampler, SubsetSampler, PKSampler,
            DistributedSampler, RandomSampler or SequentialSampler. Default: ``None`` .
        padded_sample (dict, optional): A row that fills up the set; its keys are those of `columns_list` .
            Default: ``None`` .
        num_padded (int, optional): How often it is added, so that the rows can be divided evenly.
            Default: ``None`` .
        num_samples (int, optional): Most rows to read. Default: ``None`` , all.
        cache (DatasetCache, optional): Keeps rows for later epochs. Default: ``None`` .

    Raises:
        ValueError: A file does not exist, a sampler is not supported, or arguments exclude each other.
        RuntimeError: The files cannot be read, a column does not exist, or arguments belong together.

    Examples:
        >>> import mindspore.dataset as ds
        >>> from mindspore.mindrecord import FileWriter
        >>> writer = FileWriter("rows_example.mindrecord", overwrite=True)
        >>> _ = writer.add_schema({"label": {"type": "int32"}})
        >>> _ = writer.write_raw_data([{"label": i} for i in range(4)])
        >>> _ = writer.commit()
        >>> data = ds.MindDataset("rows_example.mindrecord", shuffle=False)
        >>> print([int(row["label"]) for row in data.create_dict_iterator(num_epochs=1)])
        [0, 1, 2, 3]
    """

    @_old_keyword
    def __init__(
        self,
        dataset_files,
        columns_list=None,
        num_parallel_workers=None,
        shuffle=None,
        num_shards=None,
        shard_id=None,
        sampler=None,
        padded_sample=None,
        num_padded=None,
        num_samples=None,
        cache=None,
    ):
        _check_files(dataset_files)
        if columns_list is not None:
            checks.check_type(columns_list, list, "columns_list")
            checks.check_columns(columns_list, "columns_list")
        if num_parallel_workers is not None:
            checks.check_workers(num_parallel_workers)
        if num_samples is not None:
            checks.check_num_samples(num_samples)
        if cache is not None:
            checks.check_type(cache, DatasetCache, "cache")
        _check_choice_of_rows(shuffle, num_shards, shard_id, sampler, num_samples)
        _check_padding(padded_sample, num_padded, columns_list)
        super().__init__(
            num_parallel_workers=num_parallel_workers,
            sampler=sampler,
            num_samples=num_samples,
            shuffle=shuffle,
            num_shards=num_shards,
            shard_id=shard_id,
            cache=cache,
        )
        self.dataset_files = list(dataset_files) if isinstance(dataset_files, list) else dataset_files
        self.columns_list = columns_list
        self.padded_sample = padded_sample
        self.num_padded = num_padded or 0
        self._unit = shuffle.value if isinstance(shuffle, Shuffle) else "global"
        self._first_sampler = self.sampler
        self._file_rows: list[int] = []
        self._source()  # so that wrong files are told of here

    def _source_arguments(self) -> dict[str, Any]:
        listed = isinstance(self.dataset_files, list)
        arguments = {
            "files": self.dataset_files if listed else [self.dataset_files],
            "with_siblings": not listed,
        }
        if self.columns_list:
            arguments["columns"] = self.columns_list
        return arguments

    def _files_read(self) -> list[Any]:
        # One file stands for its whole set, whose names differ in the number at the end.
        files = self.dataset_files
        files = files if isinstance(files, list) else glob.glob(f"{glob.escape(files.rstrip('0123456789'))}*")
        return [files, [f"{file}.db" for file in files]]

    def _source(self) -> Any:
        if self._opened is None:
            arguments = self._source_arguments()
            protection = ReadProtection(arguments["files"])
            protection.check_user_hash(arguments["files"])
            self._opened, self._file_rows = _c_data.open_record_source(
                arguments | protection.arguments, self.padded_sample or {}, self.num_padded
            )
        return self._opened

    def _check_shares(self) -> None:
        shards = getattr(self.sampler, "num_shards", 1)
        rows = self._source().rows
        if self.num_padded and shards > 0 and rows % shards:
            raise RuntimeError(
                f"The sum of the rows and 'num_padded': {rows} can not be divisible by the "
                f"value of 'num_shards': {shards}. Please adjust the value of 'num_padded'."
            )

    def _rows(self) -> int:
        self._check_shares()
        return super()._rows()

    def _stage(self, build: Build, children: list) -> Any:
        self._check_shares()
        source = self._source()
        return _c_data.indexed_stage(
            type(self).__name__, source, self._order(build, source), self._loads_in_order()
        )

    def _order(self, build: Build, source: Any) -> Any:
        """The native sampler. Random orders of whole sets are those that users know of this source."""
        sampler = self.sampler
        whole = sampler.get_child() is None
        unit = self._unit if sampler is self._first_sampler else "global"
        if whole and type(sampler) is samplers.RandomSampler:
            seed = build.random_seed()
            return self._record_order(unit, seed, 1, 0, sampler._limit(), sampler.replacement)
        if whole and type(sampler) is samplers.DistributedSampler and sampler.offset < 0:
            unit = unit if sampler.shuffle else "none"
            shards, shard = sampler.num_shards, sampler.shard_id
            return self._record_order(unit, sampler.seed, shards, shard, sampler._limit(), False)
        return sampler._native(build, source.rows, source)

    def _record_order(self, unit, seed, shards, shard, limit, replacement) -> Any:
        return _c_data.record_sampler(
            unit, self._file_rows, self.num_padded, seed, shards, shard, limit, replacement
        )


def _check_files(dataset_files: Any) -> None:
    checks.check_type(dataset_files, (str, list), "dataset_files")
    if isinstance(dataset_files, list) and not dataset_files:
        raise ValueError("Input dataset_files can not be empty")
    if isinstance(dataset_files, list) and len(dataset_files) > 4096:
        raise ValueError("length of dataset_files should be less than or equal to 4096.")
    for file in [dataset_files] if isinstance(dataset_files, str) else dataset_files:
        checks.check_type(file, str, "dataset_files")
        checks.check_file(file)


def _check_choice_of_rows(shuffle, num_shards, shard_id, sampler, num_samples) -> None:
    checks.check_sampler_shuffle_shard(
        {"sampler": sampler, "shuffle": shuffle, "num_shards": num_shards, "shard_id": shard_id}
    )
    if shuffle is not None and not isinstance(shuffle, (bool, Shuffle)):
        raise TypeError(
            "shuffle must be of boolean or enum of 'Shuffle' values like 'Shuffle.GLOBAL' or 'Shuffle.FILES' "
            "or 'Shuffle.INFILE'."
        )
    if num_samples is not None and shuffle in (Shuffle.FILES, Shuffle.INFILE):
        raise ValueError(
            "'Shuffle.FILES' or 'Shuffle.INFILE' and 'num_samples' cannot be specified at the same time."
        )
    if sampler is not None and type(sampler) not in _SAMPLERS:
        raise ValueError("The sampler is not supported yet.")


def _check_padding(padded_sample, num_padded, columns_list) -> None:
    if num_padded is not None:
        checks.check_type(num_padded, int, "num_padded")
        if num_padded < 0:
            raise ValueError(f"num_padded is invalid, num_padded={num_padded}.")
    if padded_sample is None:
        if num_padded is not None:
            raise RuntimeError("num_padded is specified but padded_sample is not.")
        return
    checks.check_type(padded_sample, dict, "padded_sample")
    if num_padded is None:
        raise RuntimeError("padded_sample is specified and requires num_padded as well.")
    if columns_list is None:
        raise RuntimeError("padded_sample is specified and requires columns_list as well.")
    if any(column not in padded_sample for column in columns_list):
        raise ValueError("padded_sample cannot match columns_list.")
