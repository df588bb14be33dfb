# SPDX-License-Identifier: Apache-2.0
"""Nodes that put rows together."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from mindspore import _c_data
from mindspore import log as logger

from ..core import checks
from ._build import Build
from ._dataset import _UNKNOWN, UnionBaseDataset


class BatchInfo:
    """Which batch of which epoch a function is called for."""

    def __init__(self, epoch: int = 0, batch: int = 0) -> None:
        self._epoch = epoch
        self._batch = batch

    def get_batch_num(self) -> int:
        """Number of the batch in its epoch, from 0."""
        return self._batch

    def get_epoch_num(self) -> int:
        """Number of the epoch, from 0."""
        return self._epoch


def collate_objects(values: list) -> Any:
    """Dicts of one column, batched key by key."""
    first = values[0]
    if any(len(value) != len(first) for value in values):
        raise RuntimeError(
            "Failed to create a batch: the number of key/value pairs in dictionaries do not match."
        )
    if any(value.keys() != first.keys() for value in values):
        raise RuntimeError("Python dictionary keys do not match when creating a batch.")
    made = {}
    for key in first:
        column = [value[key] for value in values]
        made[key] = collate_objects(column) if isinstance(first[key], dict) else _stacked(column)
    return made


def _stacked(values: list) -> np.ndarray:
    try:
        array = np.array(values)
    except ValueError:
        array = np.empty(0, dtype=object)
    if array.dtype.kind == "O":
        raise RuntimeError(
            "Batch: failed to create a NumPy array with primitive types from the values of a Python dict: "
            "they differ in type or shape."
        )
    return array


def _check_batch_size(batch_size: Any) -> None:
    if callable(batch_size):
        if len(inspect.signature(batch_size).parameters) != 1:
            raise ValueError("callable batch_size should take one parameter (BatchInfo).")
    elif not isinstance(batch_size, int):
        raise TypeError("batch_size should either be an int or a callable.")
    else:
        checks.check_interval(int(batch_size), 1, checks.INT32_MAX, "batch_size")


def check_max_rowsize(value: Any) -> None:
    """Megabytes of a row, one number or one for each direction."""
    if isinstance(value, list):
        if len(value) != 2:
            raise TypeError(
                "max_rowsize should be a single integer or a list[in_rowsize, out_rowsize] of length 2."
            )
        for number, size in enumerate(value):
            checks.check_int_range(size, -1, checks.INT32_MAX, f"max_rowsize[{number}]")
    else:
        checks.check_type(value, int, "max_rowsize")
        checks.check_interval(value, -1, checks.INT32_MAX, "max_rowsize")


class _Batching(UnionBaseDataset):
    """What batch and padded_batch share."""

    def __init__(self, input_dataset, batch_size, drop_remainder, num_parallel_workers):
        _check_batch_size(batch_size)
        checks.check_type(drop_remainder, bool, "drop_remainder")
        if num_parallel_workers is not None:
            checks.check_workers(num_parallel_workers)
        super().__init__(input_dataset, num_parallel_workers)
        self.batch_size = batch_size if callable(batch_size) else int(batch_size)
        self.drop_remainder = drop_remainder
        for node in input_dataset._walk():
            if node.is_sync() and hasattr(node, "count_batches"):
                if callable(batch_size):
                    raise RuntimeError("A batch size that changes cannot follow 'sync_wait'.")
                node.count_batches(self.batch_size)
        if type(input_dataset).__name__ == "RepeatDataset":
            logger.warning("Repeat is located before batch, data from two epochs can be batched together.")

    def _options(self) -> dict[str, Any]:
        options: dict[str, Any] = {"drop_remainder": self.drop_remainder, "collate": collate_objects}
        if callable(self.batch_size):
            options["size_function"] = lambda epoch, batch: self.batch_size(BatchInfo(epoch, batch))
        else:
            options["size"] = self.batch_size
        return options

    def _rows(self) -> int:
        rows = super()._rows()
        if rows == _UNKNOWN or callable(self.batch_size):
            return _UNKNOWN
        return rows // self.batch_size if self.drop_remainder else -(-rows // self.batch_size)

    def get_batch_size(self):
        self._check_caches()
        return -1 if callable(self.batch_size) else self.batch_size


class BatchDataset(_Batching):
    """The result of `Dataset.batch`."""

    def __init__(
        self,
        input_dataset,
        batch_size,
        drop_remainder=False,
        num_parallel_workers=None,
        per_batch_map=None,
        input_columns=None,
        output_columns=None,
        python_multiprocessing=False,
        max_rowsize=16,
    ):
        super().__init__(input_dataset, batch_size, drop_remainder, num_parallel_workers)
        self.per_batch_map = per_batch_map
        self.input_columns = _columns(input_columns, "input_columns")
        self.output_columns = _columns(output_columns, "output_columns")
        checks.check_type(python_multiprocessing, bool, "python_multiprocessing")
        check_max_rowsize(max_rowsize)
        self.python_multiprocessing = python_multiprocessing
        self.max_rowsize = max_rowsize
        self._check_function()

    def _check_function(self) -> None:
        if self.per_batch_map is None:
            if self.input_columns:
                raise ValueError("input_columns can be specified only when per_batch_map is set.")
            if self.output_columns:
                raise ValueError("output_columns can be specified only when per_batch_map is set.")
            return
        if not callable(self.per_batch_map):
            raise TypeError(
                f"Argument per_batch_map with value {self.per_batch_map} is not of type [<class 'function'>]."
            )
        if not self.input_columns:
            return
        parameters = inspect.signature(self.per_batch_map).parameters.values()
        spread = any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters)
        if not spread and len(parameters) != len(self.input_columns) + 1:
            raise ValueError("The signature of per_batch_map should match with input columns.")

    def _batch_memory(self) -> list[int]:
        """Shared memory for whole batches: `max_rowsize` is for one row."""
        sizes = self.max_rowsize if isinstance(self.max_rowsize, list) else [self.max_rowsize] * 2
        rows = self.batch_size if isinstance(self.batch_size, int) else 1
        return [size * rows if size > 0 else size for size in sizes]

    def _call(self, build: Build) -> Any:
        """Calls the function of the user, here or in another process."""
        call: Any = _BatchCall(self.per_batch_map)
        if not self.python_multiprocessing or build.dry:
            return call
        from ._process_worker import SeededCall
        from ._processes import ProcessPool, seed_of

        seed = build.set_seed()
        if build.debug:
            return SeededCall(call, lambda columns, epoch, batch: seed_of(seed, epoch, batch))
        workers = self.num_parallel_workers or build.workers
        pool = ProcessPool(call, workers, what="per_batch_map", max_rowsize=self._batch_memory())
        build.resources.append(pool)
        if seed is None:
            return pool.call
        return lambda columns, epoch, batch: pool.call(
            columns, epoch, batch, seed=seed_of(seed, epoch, batch)
        )

    def _stage(self, build: Build, children: list) -> Any:
        options = self._options()
        if self.per_batch_map is not None:
            call = self._call(build)
            names = self.output_columns or self.input_columns or children[0].columns
            options["function"] = _BatchFunction(call, len(names))
            options["input_columns"] = self.input_columns
            options["output_columns"] = self.output_columns
            options["in_order"] = self._in_order()
        return _c_data.batch_stage(children[0], options)


def _columns(columns: Any, name: str) -> list[str]:
    if columns is None:
        return []
    checks.check_columns(columns, name)
    return [columns] if isinstance(columns, str) else list(columns)


class _BatchCall:
    """Calls the user's function with lists of arrays; runs here or in another process."""

    def __init__(self, function: Any) -> None:
        self._function = function

    def __call__(self, columns: list, epoch: int, batch: int) -> Any:
        return self._function(*columns, BatchInfo(epoch, batch))


class _BatchFunction:
    """Brings what the user's function returned into one form: columns of rows, or finished columns."""

    def __init__(self, call: Any, outputs: int) -> None:
        self._call = call
        self._outputs = outputs

    def __call__(self, columns: list, epoch: int, batch: int) -> tuple[list, bool]:
        result = self._call(columns, epoch, batch)
        if result is None:
            raise RuntimeError("Got None from Python object.")
        if not isinstance(result, tuple):
            if self._outputs == 1 and isinstance(result, (list, np.ndarray, dict)):
                result = (result,)
            elif isinstance(result, (list, np.ndarray)):
                result = tuple(result)
            else:
                raise RuntimeError(f"'per_batch_map' function should return a tuple, but got {type(result)}.")
        if len(result) != self._outputs:
            raise RuntimeError(
                "Invalid per_batch_map, the number of columns returned in 'per_batch_map' function should be "
                f"{self._outputs} , but got: {len(result)}"
            )
        finished = [not isinstance(column, (list, tuple)) for column in result]
        if all(finished):
            return [[column] for column in result], True
        if any(finished) and not any(isinstance(column, dict) for column in result):
            result = tuple(list(column) for column in result)
            finished = [False]
        if any(finished):
            raise RuntimeError(
                "mismatched types returned from per_batch_map: every column must be a list of rows, or every "
                "column one array or dict."
            )
        return [list(column) for column in result], False


def _pad_rules(pad_info: dict) -> dict:
    checks.check_type(pad_info, dict, "pad_info")
    for column, rule in pad_info.items():
        checks.check_type(column, str, "key in pad_info")
        if not isinstance(rule, tuple) or len(rule) != 2:
            if not isinstance(rule, tuple):
                raise TypeError(f"value in pad_info with value {rule} is not of type (<class 'tuple'>,).")
            raise ValueError("value of pad_info should be a tuple of size 2.")
        shape, value = rule
        if shape is not None:
            checks.check_type(shape, (tuple, list), "shape in pad_info")
            for length in shape:
                if length is not None:
                    checks.check_int_range(length, 1, checks.INT32_MAX, "dim of shape in pad_info")
        if value is not None and not isinstance(value, (int, float, str, bytes, np.number)):
            raise TypeError(f"Argument pad_value with value {value} is not of type [int, float, str, bytes].")
    return pad_info


class PaddedBatchDataset(_Batching):
    """The result of `Dataset.padded_batch`."""

    def __init__(
        self, input_dataset, batch_size, drop_remainder=False, num_parallel_workers=None, pad_info=None
    ):
        super().__init__(input_dataset, batch_size, drop_remainder, num_parallel_workers)
        self.pad_info = None if pad_info is None else _pad_rules(pad_info)

    def _stage(self, build: Build, children: list) -> Any:
        options = self._options()
        if self.pad_info is not None:
            options["padding"] = self.pad_info
            options["pad_all"] = not self.pad_info
        return _c_data.batch_stage(children[0], options)


class BucketBatchByLengthDataset(UnionBaseDataset):
    """The result of `Dataset.bucket_batch_by_length`."""

    def __init__(
        self,
        input_dataset,
        column_names,
        bucket_boundaries,
        bucket_batch_sizes,
        element_length_function,
        pad_info,
        pad_to_bucket_boundary,
        drop_remainder,
    ):
        super().__init__(input_dataset)
        self.column_names = [column_names] if isinstance(column_names, str) else list(column_names)
        self.bucket_boundaries = bucket_boundaries
        self.bucket_batch_sizes = bucket_batch_sizes
        self.element_length_function = element_length_function
        self.pad_info = None if pad_info is None else _pad_rules(pad_info)
        self.pad_to_bucket_boundary = pad_to_bucket_boundary
        self.drop_remainder = drop_remainder
        self._check()

    def _check(self) -> None:
        boundaries, sizes = self.bucket_boundaries, self.bucket_batch_sizes
        if not boundaries:
            raise ValueError("bucket_boundaries cannot be empty.")
        for name, numbers in (("bucket_boundaries", boundaries), ("bucket_batch_sizes", sizes)):
            if not all(isinstance(number, int) for number in numbers):
                raise TypeError(f"{name} should be a list of int.")
        if not all(boundary > 0 for boundary in boundaries):
            raise ValueError("bucket_boundaries must only contain positive numbers.")
        if not all(a < b for a, b in zip(boundaries, boundaries[1:], strict=False)):
            raise ValueError("bucket_boundaries should be strictly increasing.")
        if len(sizes) != len(boundaries) + 1:
            raise ValueError("bucket_batch_sizes must contain one element more than bucket_boundaries.")
        if not all(size > 0 for size in sizes):
            raise ValueError("bucket_batch_sizes should be a list of positive numbers.")
        if self.element_length_function is None and len(self.column_names) != 1:
            raise ValueError(
                "If element_length_function is not specified, exactly one column name should be passed."
            )
        if self.element_length_function is not None and not callable(self.element_length_function):
            raise TypeError("element_length_function object is not callable.")

    def _stage(self, build: Build, children: list) -> Any:
        function = self.element_length_function
        length = None if function is None else lambda values: int(function(*values))
        batch = {
            "drop_remainder": self.drop_remainder,
            "padding": self.pad_info or {},
            "pad_all": not self.pad_info,
            "collate": collate_objects,
        }
        return _c_data.bucket_stage(
            children[0],
            self.column_names,
            length,
            self.bucket_boundaries,
            self.bucket_batch_sizes,
            self.pad_to_bucket_boundary,
            batch,
        )

    def _rows(self) -> int:
        return _UNKNOWN

    def get_batch_size(self):
        return 1
