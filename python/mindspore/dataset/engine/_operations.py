# SPDX-License-Identifier: Apache-2.0
"""Nodes that change, choose or join rows."""

from __future__ import annotations

import threading
from typing import Any

from mindspore import _c_data
from mindspore import log as logger
from mindspore._later import defined_classes

from ..core import checks, config
from ._build import Build
from ._dataset import _UNKNOWN, Dataset, UnionBaseDataset
from .samplers import DistributedSampler, RandomSampler, SequentialSampler


def _names(columns: Any) -> list[str]:
    if columns is None:
        return []
    return [columns] if isinstance(columns, str) else list(columns)


class ShuffleDataset(UnionBaseDataset):
    """The result of `Dataset.shuffle`."""

    def __init__(self, input_dataset, buffer_size):
        super().__init__(input_dataset)
        self.buffer_size = buffer_size
        self.reshuffle_each_epoch = True
        if any(node.is_sync() for node in input_dataset._walk()):
            raise RuntimeError("No shuffle after sync operators.")

    def _stage(self, build: Build, children: list) -> Any:
        return _c_data.shuffle_stage(
            children[0], self.buffer_size, build.random_seed(), not self.reshuffle_each_epoch
        )


class SkipDataset(UnionBaseDataset):
    """The result of `Dataset.skip`."""

    def __init__(self, input_dataset, count):
        super().__init__(input_dataset)
        self.count = count

    def _stage(self, build: Build, children: list) -> Any:
        return _c_data.skip_stage(children[0], self.count)

    def _rows(self) -> int:
        rows = super()._rows()
        return rows if rows == _UNKNOWN else max(rows - self.count, 0)


class TakeDataset(UnionBaseDataset):
    """The result of `Dataset.take`."""

    def __init__(self, input_dataset, count):
        super().__init__(input_dataset)
        self.count = count

    def _stage(self, build: Build, children: list) -> Any:
        return children[0] if self.count == -1 else _c_data.take_stage(children[0], self.count)

    def _rows(self) -> int:
        rows = super()._rows()
        return rows if rows == _UNKNOWN or self.count == -1 else min(rows, self.count)


class RepeatDataset(UnionBaseDataset):
    """The result of `Dataset.repeat`."""

    def __init__(self, input_dataset, count):
        super().__init__(input_dataset)
        self.count = -1 if count is None else count

    def _stage(self, build: Build, children: list) -> Any:
        return _c_data.repeat_stage(children[0], self.count)

    def _rows(self) -> int:
        rows = super()._rows()
        return rows if rows == _UNKNOWN or self.count == -1 else rows * self.count

    def get_dataset_size(self):
        if self.count == -1:  # one pass; an endless run cannot be counted
            self._known_rows = self.children[0].get_dataset_size()
            return self._known_rows
        return super().get_dataset_size()

    def get_repeat_count(self):
        self._check_caches()
        return self.count


class ZipDataset(UnionBaseDataset):
    """The result of `zip`."""

    def __init__(self, datasets):
        if not isinstance(datasets, tuple):
            raise TypeError(f"Argument datasets with value {datasets} is not of type [<class 'tuple'>].")
        if len(datasets) < 2:
            raise ValueError("Can't zip empty or just one dataset!")
        for dataset in datasets:
            if not isinstance(dataset, Dataset):
                raise TypeError(f"Invalid dataset, expected Dataset object, but got {type(dataset)}!")
        super().__init__(datasets)

    def _stage(self, build: Build, children: list) -> Any:
        return _c_data.zip_stage(children)

    def _rows(self) -> int:
        rows = [child._rows() for child in self.children]
        return _UNKNOWN if _UNKNOWN in rows else min(rows)

    def is_sync(self):
        return any(child.is_sync() for child in self.children)


class ConcatDataset(UnionBaseDataset):
    """The result of `Dataset.concat`."""

    def __init__(self, datasets):
        for dataset in datasets:
            if not isinstance(dataset, Dataset):
                raise TypeError(f"Invalid dataset, expected Dataset object, but got {type(dataset)}!")
        super().__init__(datasets)
        self.datasets = datasets
        self.sampler: Any = None
        for number, child in enumerate(datasets):
            if child._rows() == 0:
                raise ValueError(
                    f"There are no samples in the dataset number {number}. Please make sure there are valid "
                    "samples in the dataset."
                )

    def _arguments(self) -> dict[str, Any]:
        arguments = super()._arguments()
        arguments.pop("datasets")
        return arguments

    def _stage(self, build: Build, children: list) -> Any:
        if self.sampler is None:
            return _c_data.concat_stage(children, None, [])
        sizes = [child.get_dataset_size() for child in self.children]
        if isinstance(self.sampler, RandomSampler):
            sampler = _c_data.python_sampler(_Interleaving(sizes, build.random_seed()))
        else:
            sampler = self.sampler._native(build, sum(sizes), None)
        return _c_data.concat_stage(children, sampler, sizes)

    def _rows(self) -> int:
        rows = [child._rows() for child in self.children]
        if _UNKNOWN in rows:
            return _UNKNOWN
        return sum(rows) if self.sampler is None else self.sampler._count(sum(rows))

    def use_sampler(self, sampler):
        """Divides the joined rows, or mixes them."""
        if isinstance(sampler, RandomSampler):
            if sampler.replacement:
                raise ValueError("The parameter replacement of RandomSampler must be False!")
            if sampler.get_num_samples() is not None:
                raise ValueError("The parameter num_samples of RandomSampler is not support to be set!")
            self.sampler = sampler
            return
        if not isinstance(sampler, DistributedSampler):
            raise TypeError(f"The parameter {sampler} of concat must be DistributedSampler or RandomSampler!")
        if sampler.is_shuffled():
            raise ValueError("The parameter shuffle of DistributedSampler must be False!")
        if sampler.num_shards <= 0:
            raise ValueError("The parameter num_shards of DistributedSampler must be positive int!")
        if sampler.get_num_samples() is not None:
            raise ValueError("The parameter num_samples of DistributedSampler is not support to be set!")
        for child in self.children:
            if isinstance(child, (BatchDataset, PaddedBatchDataset)):
                raise TypeError(
                    f"The parameter {child} of concat must not be BatchDataset or PaddedBatchDataset!"
                )
            own = getattr(child, "sampler", None)
            limit = own.num_samples if own is not None else getattr(child, "num_samples", None)
            if limit:
                raise ValueError(f"The parameter NumSamples of {child} is not support to be set!")
        for child in self.children:
            if hasattr(child, "use_sampler") and child.sampler is not None and child.is_shuffled():
                child.use_sampler(SequentialSampler())
        copied = DistributedSampler(sampler.num_shards, sampler.shard_id, False, None, max(sampler.offset, 0))
        self.sampler = copied


class _Interleaving:
    """Draws a data set with weight of the rows it has left; rows of one data set keep their order."""

    def __init__(self, sizes: list[int], seed: int) -> None:
        import random

        self._sizes = sizes
        self._random = random.Random(seed)

    def __call__(self, rows: int) -> list[int]:
        left = list(self._sizes)
        first = [sum(self._sizes[:i]) for i in range(len(left))]
        order = []
        for _ in range(sum(left)):
            picked = self._random.choices(range(len(left)), weights=left)[0]
            order.append(first[picked] + self._sizes[picked] - left[picked])
            left[picked] -= 1
        return order


class RenameDataset(UnionBaseDataset):
    """The result of `Dataset.rename`."""

    def __init__(self, input_dataset, input_columns, output_columns):
        super().__init__(input_dataset)
        self.input_columns = _names(input_columns)
        self.output_columns = _names(output_columns)
        if len(self.input_columns) != len(self.output_columns):
            raise ValueError("Number of column in input_columns and output_columns is not equal.")

    def _stage(self, build: Build, children: list) -> Any:
        return _c_data.rename_stage(children[0], self.input_columns, self.output_columns)


class ProjectDataset(UnionBaseDataset):
    """The result of `Dataset.project`."""

    def __init__(self, input_dataset, columns):
        super().__init__(input_dataset)
        self.columns = _names(columns)

    def _stage(self, build: Build, children: list) -> Any:
        return _c_data.project_stage(children[0], self.columns)


class FilterDataset(UnionBaseDataset):
    """The result of `Dataset.filter`."""

    def __init__(self, input_dataset, predicate, input_columns=None, num_parallel_workers=None):
        super().__init__(input_dataset, num_parallel_workers)
        self.predicate = predicate
        self.input_columns = _names(input_columns)

    def _stage(self, build: Build, children: list) -> Any:
        return _c_data.filter_stage(children[0], self.input_columns, self.predicate)

    def _rows(self) -> int:
        return _UNKNOWN


class SyncWaitDataset(UnionBaseDataset):
    """The result of `Dataset.sync_wait`."""

    _of_this_process = {"_condition": None}

    def __init__(self, input_dataset, condition_name, num_batch, callback=None):
        super().__init__(input_dataset)
        if num_batch <= 0:
            raise ValueError("num_batch need to be greater than 0.")
        if callback is not None and not callable(callback):
            raise TypeError("callback is not callable.")
        self.condition_name = condition_name
        self.num_batch = num_batch
        self.callback = callback
        if any(
            isinstance(n, SyncWaitDataset) and n.condition_name == condition_name
            for n in input_dataset._walk()
        ):
            raise RuntimeError("Condition name is already in use.")
        self._condition = threading.Condition()
        self._rows_per_batch = 1  # of the batch operation behind: a condition counts batches
        self._passes = num_batch
        self._open = False

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._condition = threading.Condition()

    def count_batches(self, batch_size: int) -> None:
        """A batch operation behind it makes batches of so many rows."""
        self._rows_per_batch *= batch_size

    def is_sync(self):
        return True

    def _stage(self, build: Build, children: list) -> Any:
        if not build.dry:
            self._passes = self.num_batch * self._rows_per_batch
            self._open = False
            build.resources.append(_Opener(self))
        return children[0] if build.dry else _c_data.gate_stage(children[0], self._wait)

    def _wait(self) -> None:
        with self._condition:
            if self._passes == 0 and not self._open:
                released = self._condition.wait_for(
                    lambda: self._passes > 0 or self._open, timeout=config.get_callback_timeout()
                )
                if not released:
                    logger.warning(
                        f"Timeout happened in sync_wait, maybe "
                        f"dataset.sync_update(condition={self.condition_name}) "
                        "is not called. The lock is switched off."
                    )
                    self._open = True
            if self._passes > 0:
                self._passes -= 1

    def notify(self, num_batch=None, data=None):
        """Lets rows pass."""
        if self.callback is not None:
            self.callback(data)
        with self._condition:
            batches = self.num_batch if num_batch is None else num_batch
            self._passes += batches * self._rows_per_batch
            self._condition.notify_all()

    def disable_sync(self):
        with self._condition:
            self._open = True
            self._condition.notify_all()
        super().disable_sync()


class _Opener:
    """Opens a gate when the iterator goes, so that no thread stays in it."""

    def __init__(self, gate: SyncWaitDataset) -> None:
        self._gate = gate

    def close(self) -> None:
        self._gate.disable_sync()


from ._batch import BatchDataset, BucketBatchByLengthDataset, PaddedBatchDataset  # noqa: E402, F401
from ._map import MapDataset  # noqa: E402, F401

__all__ = [
    *defined_classes(globals(), "mindspore.dataset.engine._batch", "mindspore.dataset.engine._map"),
    "UnionBaseDataset",
    "checks",
]
