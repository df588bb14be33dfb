# SPDX-License-Identifier: Apache-2.0
"""Sources that users bring: Python objects and arrays."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from mindspore import _c_data
from mindspore import log as logger

from ..core import checks
from . import samplers
from ._batch import check_max_rowsize
from ._build import Build
from ._dataset import _UNKNOWN, UnionBaseDataset
from .datasets import MappableDataset
from .schema import Schema


def _column_types(types: Any) -> list[str]:
    """Types as the native side names them; an empty string is not checked."""
    from mindspore.common import dtype as mstype

    names = []
    for one in types or []:
        if one is None:
            names.append("")
        elif one is mstype.string:
            names.append("string")
        else:
            names.append(np.dtype(mstype.dtype_to_nptype(one)).name)
    return names


class GeneratorDataset(MappableDataset, UnionBaseDataset):
    """Rows from a Python object: a function that makes a generator, an iterable, or an object with
    `__getitem__` and `__len__`. Only the last kind can be sampled, sharded, and read by several workers."""

    def __init__(
        self,
        source,
        column_names=None,
        column_types=None,
        schema=None,
        num_samples=None,
        num_parallel_workers=1,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
        python_multiprocessing=True,
        max_rowsize=6,
    ):
        self._check(source, column_names, column_types, schema, num_samples, num_parallel_workers, shuffle)
        source = list(source) if isinstance(source, builtins.zip) else source
        countable = hasattr(source, "__len__") or not (hasattr(source, "__iter__") or callable(source))
        self._random_access = hasattr(source, "__getitem__") and countable
        self._check_rows(source, sampler, num_shards, shard_id, shuffle)
        checks.check_type(python_multiprocessing, bool, "python_multiprocessing")
        if max_rowsize is not None:
            check_max_rowsize(max_rowsize)
        row_arguments = (
            {"shuffle": False}
            if not self._random_access
            else {
                "sampler": sampler,
                "num_samples": num_samples,
                "shuffle": shuffle,
                "num_shards": num_shards,
                "shard_id": shard_id,
            }
        )
        super().__init__(num_parallel_workers, **row_arguments)
        if isinstance(self.sampler, samplers.PKSampler):
            raise ValueError("GeneratorDataset doesn't support PKSampler.")
        self.source = source
        self.num_samples = num_samples
        self.python_multiprocessing = python_multiprocessing
        self.max_rowsize = max_rowsize
        self.column_names, self.column_types = self._columns_of(column_names, column_types, schema)
        self.schema = schema

    @staticmethod
    def _check(
        source, column_names, column_types, schema, num_samples, num_parallel_workers, shuffle
    ) -> None:
        if not callable(source) and not hasattr(source, "__iter__") and not hasattr(source, "__getitem__"):
            raise TypeError(
                f"Input `source` of GeneratorDataset should be callable, iterable or random accessible, "
                f"but got {type(source)}."
            )
        if column_names is not None:
            checks.check_columns(column_names, "column_names")
        if column_names is None and schema is None:
            raise ValueError("Neither columns_names nor schema are provided.")
        if schema is not None and not isinstance(schema, (Schema, str)):
            raise ValueError("schema should be a path to schema file or a schema object.")
        if schema is None and column_types is not None:
            checks.check_type(column_types, (list, tuple), "column_types")
        if num_samples is not None:
            checks.check_num_samples(num_samples)
        if num_parallel_workers is not None:
            checks.check_workers(num_parallel_workers)
        if shuffle is not None:
            checks.check_type(shuffle, bool, "shuffle")

    def _check_rows(self, source, sampler, num_shards, shard_id, shuffle) -> None:
        if sampler is not None and not self._random_access:
            raise ValueError("sampler is not supported if source does not have attribute '__getitem__'.")
        if num_shards is not None and not self._random_access:
            raise ValueError("num_shards is not supported if source does not have attribute '__getitem__'.")
        if (num_shards is None) != (shard_id is None):
            raise ValueError("num_shards and shard_id need to be passed in together.")
        if num_shards is not None:
            checks.check_int_range(num_shards, 1, checks.INT32_MAX, "num_shards")
            checks.check_type(shard_id, int, "shard_id")
            if shard_id >= num_shards:
                raise ValueError("shard_id should be less than num_shards.")
        if sampler is not None and not isinstance(sampler, samplers.BuiltinSampler):
            usable = hasattr(sampler, "__iter__") or (
                hasattr(sampler, "__getitem__") and hasattr(sampler, "__len__")
            )
            if not usable or isinstance(sampler, str):
                raise TypeError("sampler should be either iterable or from mindspore.dataset.samplers.")
        if shuffle and not self._random_access:
            logger.warning(
                "'shuffle=True' has no effect on a source that can only be iterated: use "
                "'.shuffle(buffer_size)'."
            )

    @staticmethod
    def _columns_of(column_names, column_types, schema) -> tuple[list[str], list]:
        if column_names is not None:
            names = [column_names] if isinstance(column_names, str) else list(column_names)
            types = column_types
            if types is not None and len(types) < len(names):
                raise ValueError(
                    f"column_types should have the same length as column_names: {len(types)} and "
                    f"{len(names)}."
                )
            return names, list(types or [])
        if not isinstance(schema, Schema):
            schema = Schema(schema)
        names, types = [], []
        for column in schema.columns:
            names.append(column["name"])
            types.append(column.get("type"))
        return names, types

    def _type_names(self) -> list[str]:
        return [one if isinstance(one, str) else _column_types([one])[0] for one in self.column_types]

    def _source(self) -> Any:
        if self._opened is None:
            rows = self._source_rows()
            if rows == 0:
                raise RuntimeError("GeneratorNode: data row of input source must not be 0, got: 0")
            self._opened = _c_data.python_source(self.source, self.column_names, self._type_names(), rows)
        return self._opened

    def _source_rows(self) -> int:
        if not hasattr(self.source, "__len__"):
            raise RuntimeError("Attempt to construct a random access dataset, '__len__' method is required!")
        return len(self.source)

    def _loads_in_order(self) -> bool:
        return True

    def _stage(self, build: Build, children: list) -> Any:
        if not self._random_access:
            return self._iterated(build)
        workers = self.num_parallel_workers or 1
        source = self._source()
        if workers > 1 and self.python_multiprocessing and build.debug:
            return self._debugged(build)
        if workers == 1 or build.dry or build.debug:
            return super()._stage(build, children)
        if self.python_multiprocessing:
            from ._processes import ProcessPool

            pool = ProcessPool(
                self.source.__getitem__, workers, what="GeneratorDataset", max_rowsize=self.max_rowsize or 6
            )
            build.resources.append(pool)
            rows = len(self.source)
            remote = _Remote(pool, build.set_seed(), rows)
            source = _c_data.remote_source(remote.get_many, self.column_names, self._type_names(), rows)
        sampler = self.sampler._native(build, source.rows, source)
        return _c_data.indexed_stage(type(self).__name__, source, sampler, False)

    def _debugged(self, build: Build) -> Any:
        """Rows as worker processes would make them, made here."""
        from ._process_worker import SeededCall

        source = self.source
        seed = build.set_seed()
        rows = len(source)
        seeds = _RowSeeds(seed, rows)
        fetched = _Fetched(SeededCall(source.__getitem__, seeds.of), rows)
        opened = _c_data.python_source(fetched, self.column_names, self._type_names(), rows)
        sampler = self.sampler._native(build, rows, opened)
        return _c_data.indexed_stage(type(self).__name__, opened, sampler, True)

    def _iterated(self, build: Build) -> Any:
        source = self.source
        check = None
        if hasattr(source, "__len__") and not callable(source):
            check = _LengthCheck(len(source), self.num_samples)
        make_iterator = (
            source if callable(source) and not hasattr(source, "__iter__") else lambda: iter(source)
        )
        if callable(source) and not hasattr(source, "__iter__"):
            make_iterator = lambda: iter(source())  # noqa: E731
        stage = _c_data.iterable_stage(make_iterator, self.column_names, self._type_names(), check)
        return _c_data.take_stage(stage, self.num_samples) if self.num_samples else stage

    def _rows(self) -> int:
        if self._random_access:
            return self.sampler._epoch_rows(self._source_rows())
        if hasattr(self.source, "__len__") and not callable(self.source):
            rows = len(self.source)
            return min(rows, self.num_samples) if self.num_samples else rows
        return _UNKNOWN

    def split(self, sizes, randomize=True):
        if self._random_access:
            return super().split(sizes, randomize)
        from ._split import split

        return split(self, sizes, randomize)

    def is_shuffled(self):
        return self._random_access and self.sampler.is_shuffled()


class _RowSeeds:
    """Seeds of rows that worker processes make: what a row draws depends on the row and the epoch, not on
    which process makes it."""

    def __init__(self, seed: int, rows: int) -> None:
        self._seed = seed
        self._passes = np.zeros(rows, dtype=np.uint32)

    def of(self, index: int) -> int:
        """The seed of a row, another one for each time it is asked for."""
        from ._processes import seed_of

        self._passes[index] += 1
        return seed_of(self._seed, index, int(self._passes[index]))


class _Remote:
    """A source whose rows other processes fetch."""

    def __init__(self, pool: Any, seed: int | None, rows: int) -> None:
        self._pool = pool
        self._seeds = None if seed is None else _RowSeeds(seed, rows)

    def get_many(self, numbers: np.ndarray) -> list | np.ndarray:
        """The rows, packed or with exceptions in place of those that could not be made."""
        seeds = None if self._seeds is None else [self._seeds.of(number) for number in numbers.tolist()]
        rows = self._pool.call_each(numbers, seeds, len(numbers))
        if isinstance(rows, list):
            for place, row in enumerate(rows):
                if isinstance(row, StopIteration):
                    rows[place] = RuntimeError("generator raised StopIteration")
        return rows


class _Fetched:
    """Rows by a function of their number."""

    def __init__(self, fetch: Any, rows: int) -> None:
        self._fetch = fetch
        self._rows = rows

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, index: int) -> Any:
        return self._fetch(index)


class _LengthCheck:
    """The text when an iterable gave another number of rows than its `__len__` says."""

    def __init__(self, length: int, num_samples: int | None) -> None:
        self._length = length
        self._limited = num_samples is not None

    def __call__(self, rows: int) -> str | None:
        if rows == self._length or self._limited:
            return None
        return (
            f"The actual amount of data read from generator {rows} is different from generator.len "
            f"{self._length}, you "
            "should adjust generator.len to make them match."
        )


class NumpySlicesDataset(GeneratorDataset):
    """Rows that are slices of arrays in memory."""

    def __init__(
        self,
        data,
        column_names=None,
        num_samples=None,
        num_parallel_workers=1,
        shuffle=None,
        sampler=None,
        num_shards=None,
        shard_id=None,
    ):
        names, columns = _memory_columns(data, column_names)
        self._memory = columns
        super().__init__(
            _Rows(columns),
            column_names=names,
            num_samples=num_samples,
            num_parallel_workers=num_parallel_workers,
            shuffle=shuffle,
            sampler=sampler,
            num_shards=num_shards,
            shard_id=shard_id,
            python_multiprocessing=False,
        )

    def _source(self) -> Any:
        if self._opened is None:
            self._opened = _c_data.array_source(self.column_names, self._memory)
        return self._opened

    def _stage(self, build: Build, children: list) -> Any:
        return MappableDataset._stage(self, build, children)

    def _loads_in_order(self) -> bool:
        return False

    def _arguments(self) -> dict[str, Any]:
        arguments = super()._arguments()
        arguments.pop("source")
        return arguments


class _Rows:
    """Columns in memory as an object with rows."""

    def __init__(self, columns: list) -> None:
        self._columns = columns

    def __len__(self) -> int:
        return len(self._columns[0])

    def __getitem__(self, index: int) -> tuple:
        return tuple(column[index] for column in self._columns)


def _memory_columns(data: Any, column_names: Any) -> tuple[list[str], list]:
    if not isinstance(data, (list, tuple, dict, np.ndarray)):
        raise TypeError(
            f"Argument data with value {data} is not of type [list, tuple, dict, np.ndarray], but got "
            f"{type(data)}."
        )
    if isinstance(data, (list, tuple, dict)) and not data or isinstance(data, np.ndarray) and data.size == 0:
        raise ValueError("Argument data cannot be empty")
    if column_names is not None:
        checks.check_columns(column_names, "column_names")
        column_names = [column_names] if isinstance(column_names, str) else list(column_names)
    if isinstance(data, dict):
        values, names = list(data.values()), [str(key) for key in data]
    elif isinstance(data, tuple):
        values, names = list(data), [f"column_{i}" for i in range(len(data))]
    else:
        values, names = [data], ["column_0"]
    if column_names is not None:
        if len(column_names) != len(values):
            kind = {dict: " as data is dict.", tuple: " as data is tuple.", list: " as data is list."}
            raise ValueError(
                f"Num of input column names is {len(column_names)}, but required is {len(values)}"
                + kind.get(type(data), ".")
            )
        names = column_names
    columns = [_memory_column(value) for value in values]
    if len({len(column) for column in columns}) > 1:
        raise ValueError("Data length in each column is not equal.")
    return names, columns


def _memory_column(value: Any) -> Any:
    """A contiguous array of numbers where that is possible, else a list of rows."""
    if hasattr(value, "asnumpy"):
        value = value.asnumpy()
    if hasattr(value, "values") and not isinstance(value, (dict, np.ndarray)):  # a pandas column
        value = value.values
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.ndim > 0:
        return np.ascontiguousarray(value)
    if not isinstance(value, np.ndarray):
        if not isinstance(value, (list, tuple)) and not hasattr(value, "__len__"):
            raise TypeError(f"Argument data with value {value} is not of type [list, tuple, np.ndarray].")
        try:
            array = np.asarray(value)
        except ValueError:
            return list(value)
        if array.dtype.kind in "biuf" and array.ndim > 0:
            return np.ascontiguousarray(array)
    return list(value)


class PaddedDataset(GeneratorDataset):
    """Rows that fill up a data set until it can be divided evenly."""

    def __init__(self, padded_samples):
        if not isinstance(padded_samples, list):
            raise TypeError(
                f"Argument padded_samples with value {padded_samples} is not of type [<class 'list'>]."
            )
        if not padded_samples:
            raise ValueError("padded_samples cannot be empty.")
        for sample in padded_samples:
            if not isinstance(sample, dict):
                raise TypeError(
                    f"Argument padded_samples with value {padded_samples} is not of type [list of dict]."
                )
        self.padded_samples = padded_samples
        names = list(padded_samples[0])
        rows = [tuple(sample[name] for name in names) for sample in padded_samples]
        super().__init__(rows, column_names=names, shuffle=False)
        self._dataset_size = len(padded_samples)
        self.padded_rows = len(padded_samples)

    def _arguments(self) -> dict[str, Any]:
        return {"padded_samples": len(self.padded_samples)}
