# SPDX-License-Identifier: Apache-2.0
"""Samplers: which rows of a source an epoch takes, and in which order.

A sampler here is a description; `_native(build, rows, source)` makes the native sampler for one iterator.
Seeds are read then, except by `DistributedSampler`, whose shards must agree and which reads the seed when it
is constructed.
"""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from mindspore import _c_data
from mindspore import log as logger

from ..core import checks, config


def _check_num_samples(num_samples: Any) -> None:
    if num_samples is None:
        return
    if not isinstance(num_samples, int) or isinstance(num_samples, bool):
        raise TypeError(f"num_samples must be integer but was: {num_samples}.")
    if not 0 <= num_samples <= checks.INT64_MAX:
        raise ValueError(f"num_samples exceeds the boundary between 0 and {checks.INT64_MAX}(INT64_MAX)!")


def _check_integer(value: Any, name: str) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be integer but was: {value}.")


def _check_boolean(value: Any, name: str) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"{name} must be a boolean value but was: {value}.")


class BuiltinSampler:
    """Base of the samplers that need no Python while they run."""

    _is_part = False  # chooses a part of a split: its number of rows is no limit of the user's

    def __init__(self, num_samples: int | None = None) -> None:
        _check_num_samples(num_samples)
        self.child_sampler: Any = None
        self.num_samples = num_samples

    def _make(self, build: Any, rows: int, source: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} cannot choose rows")

    def _native(self, build: Any, rows: int, source: Any) -> Any:
        """The native sampler, with the whole chain of children."""
        made = self._make(build, rows, source)
        child = getattr(self, "child_sampler", None)
        if child is not None:
            made.set_child(child._native(build, rows, source))
        return made

    def _limit(self) -> int:
        return self.num_samples or 0

    def _count(self, rows: int) -> int:
        """Rows of an epoch, by this sampler's own rule, over `rows` rows."""
        return min(self.num_samples, rows) if self.num_samples else rows

    def add_child(self, sampler: Any) -> None:
        """Makes this sampler pick positions of what another sampler picks."""
        if not isinstance(sampler, BuiltinSampler):
            raise TypeError("Input sampler is not an instance of a sampler.")
        if getattr(self, "child_sampler", None) is not None:
            raise RuntimeError("Cannot add child sampler, this sampler already has a child.")
        self.child_sampler = sampler

    def get_child(self) -> Any:
        """The child, or None."""
        return getattr(self, "child_sampler", None)

    def parse_child(self) -> Any:
        """Kept for old callers."""
        return self.get_child()

    def parse_for_minddataset(self) -> Any:
        """Kept for old callers."""
        return self

    def parse(self) -> Any:
        """Kept for old callers."""
        return self

    def is_shuffled(self) -> bool:
        """Whether rows come in a random order."""
        child = self.get_child()
        return child is not None and child.is_shuffled()

    def is_sharded(self) -> bool:
        """Whether rows are divided among processes."""
        child = self.get_child()
        return child is not None and child.is_sharded()

    def get_num_samples(self) -> int | None:
        """The limit of rows, the smallest of the chain; None for no limit."""
        child = self.get_child()
        below = child.get_num_samples() if child is not None else None
        if self.num_samples is None:
            return below
        return self.num_samples if below is None else min(self.num_samples, below)

    def _epoch_rows(self, rows: int) -> int:
        child = self.get_child()
        return self._count(child._epoch_rows(rows) if child is not None else rows)

    def _description(self) -> dict[str, Any]:
        described = {"sampler_name": type(self).__name__}
        described.update(
            {name: value for name, value in vars(self).items() if name != "child_sampler" and name[0] != "_"}
        )
        child = self.get_child()
        described["child_sampler"] = [child._description()] if child is not None else []
        return described


class SequentialSampler(BuiltinSampler):
    """Rows in their order, from `start_index` on."""

    def __init__(self, start_index: int | None = None, num_samples: int | None = None) -> None:
        if start_index is not None:
            _check_integer(start_index, "start_index")
        self.start_index = start_index
        super().__init__(num_samples)

    def _make(self, build: Any, rows: int, source: Any) -> Any:
        return _c_data.sequential_sampler(self.start_index or 0, self._limit())

    def _count(self, rows: int) -> int:
        return super()._count(max(rows - (self.start_index or 0), 0))


class RandomSampler(BuiltinSampler):
    """Rows in random order, another one in every epoch."""

    def __init__(self, replacement: bool = False, num_samples: int | None = None) -> None:
        _check_boolean(replacement, "replacement")
        self.deterministic = False
        self.replacement = replacement
        self.reshuffle_each_epoch = True
        super().__init__(num_samples)

    def _make(self, build: Any, rows: int, source: Any) -> Any:
        return _c_data.random_sampler(
            build.random_seed(), self.replacement, self._limit(), self.reshuffle_each_epoch
        )

    def is_shuffled(self) -> bool:
        return True


class DistributedSampler(BuiltinSampler):
    """The share of one of several processes."""

    def __init__(
        self,
        num_shards: int,
        shard_id: int,
        shuffle: bool = True,
        num_samples: int | None = None,
        offset: int = -1,
    ) -> None:
        _check_integer(num_shards, "num_shards")
        _check_integer(shard_id, "shard_id")
        _check_boolean(shuffle, "shuffle")
        _check_integer(offset, "offset")
        self.num_shards = num_shards
        self.shard_id = shard_id
        self.shuffle = shuffle
        self.seed = config.get_seed()
        self.offset = offset
        super().__init__(num_samples)

    def _make(self, build: Any, rows: int, source: Any) -> Any:
        return _c_data.distributed_sampler(
            self.num_shards, self.shard_id, self.shuffle, self.seed, self._limit(), self.offset
        )

    def _count(self, rows: int) -> int:
        if self.offset < 0 or self.num_shards < 1:
            share = -(-rows // max(self.num_shards, 1))
        else:
            first = (self.shard_id - self.offset) % self.num_shards
            share = max(-(-(rows - first) // self.num_shards), 0)
        return super()._count(share)

    def parse(self) -> Any:
        """Checks the arguments as a pipeline would."""
        self._make(None, 0, None)
        return self

    def is_shuffled(self) -> bool:
        return self.shuffle or super().is_shuffled()

    def is_sharded(self) -> bool:
        return self.num_shards > 1 or super().is_sharded()

    def set_offset(self, offset: int) -> None:
        """Shifts which shard gets the first row."""
        self.offset = offset


class PKSampler(BuiltinSampler):
    """`num_val` random rows of every class."""

    def __init__(
        self,
        num_val: int,
        num_class: int | None = None,
        shuffle: bool = False,
        class_column: str = "label",
        num_samples: int | None = None,
    ) -> None:
        _check_integer(num_val, "num_val")
        if num_class is not None:
            raise NotImplementedError("Not supported to specify num_class for PKSampler.")
        _check_boolean(shuffle, "shuffle")
        if not isinstance(class_column, str):
            raise TypeError(f"class_column must be a str value but was: {class_column}.")
        self.num_val = num_val
        self.shuffle = shuffle
        self.class_column = class_column
        super().__init__(num_samples)

    def _make(self, build: Any, rows: int, source: Any) -> Any:
        classes = source.classes(self.class_column)
        if not classes and rows:
            raise RuntimeError(
                f"PKSampler: the source has no classes in a column '{self.class_column}' to draw rows by."
            )
        self._class_count = len(set(classes))
        return _c_data.class_sampler(build.random_seed(), classes, self.num_val, self.shuffle, self._limit())

    def _epoch_rows_of(self, source: Any) -> int:
        return super()._count(len(set(source.classes(self.class_column))) * self.num_val)

    def is_shuffled(self) -> bool:
        return self.shuffle or super().is_shuffled()


def _index_list(indices: Any, name: str) -> list[int]:
    if isinstance(indices, numbers.Number):
        indices = [indices]
    listed = list(indices)
    for position, item in enumerate(listed):
        if not isinstance(item, (int, np.integer)) or isinstance(item, (bool, np.bool_)):
            raise TypeError(
                f"{name}: Type of indices element must be int, but got list[{position}]: {item}, "
                f"type: {type(item)}."
            )
    return [int(item) for item in listed]


class SubsetSampler(BuiltinSampler):
    """The given rows, in the given order."""

    def __init__(self, indices: Any, num_samples: int | None = None) -> None:
        self.indices = _index_list(indices, type(self).__name__)
        super().__init__(num_samples)

    def _make(self, build: Any, rows: int, source: Any) -> Any:
        return _c_data.subset_sampler(self.indices, self._limit())

    def _count(self, rows: int) -> int:
        return super()._count(len(self.indices))

    def get_num_samples(self) -> int | None:
        num_samples = super().get_num_samples()
        return len(self.indices) if num_samples is None else min(len(self.indices), num_samples)


class SubsetRandomSampler(SubsetSampler):
    """The given rows in random order."""

    def _make(self, build: Any, rows: int, source: Any) -> Any:
        return _c_data.subset_random_sampler(build.random_seed(), self.indices, self._limit())

    def is_shuffled(self) -> bool:
        return True


class WeightedRandomSampler(BuiltinSampler):
    """Rows drawn with given weights."""

    def __init__(self, weights: Any, num_samples: int | None = None, replacement: bool = True) -> None:
        if not isinstance(weights, (list, np.ndarray)):
            weights = [weights]
        for position, weight in enumerate(weights):
            if not isinstance(weight, numbers.Number):
                raise TypeError(
                    f"type of weights element must be number, but got w[{position}]: {weight}, "
                    f"type: {type(weight)}"
                )
        _check_boolean(replacement, "replacement")
        self.weights = [float(weight) for weight in weights]
        self.replacement = replacement
        super().__init__(num_samples)

    def _make(self, build: Any, rows: int, source: Any) -> Any:
        return _c_data.weighted_sampler(
            None if build is None else build.set_seed(), self.weights, self._limit(), self.replacement
        )

    def parse(self) -> Any:
        """Checks the arguments as a pipeline would."""
        self._make(None, 0, None)
        return self

    def is_shuffled(self) -> bool:
        return True


class Sampler(BuiltinSampler):
    """Base of samplers users write: override `__iter__`, and `reset` for what must happen after an epoch."""

    def __init__(self, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.dataset_size = 0

    def __iter__(self) -> Any:
        raise NotImplementedError("Sampler must implement __iter__.")

    def reset(self) -> None:
        """Called after every epoch."""

    def _rows(self, rows: int) -> list[int]:
        self.dataset_size = rows
        limit = getattr(self, "num_samples", None)
        listed = []
        for index in self:
            if limit and len(listed) == limit:
                break
            listed.append(int(index))
        self.reset()
        return listed

    def _make(self, build: Any, rows: int, source: Any) -> Any:
        return _c_data.python_sampler(self._rows)

    def _count(self, rows: int) -> int:
        self.dataset_size = rows
        count = sum(1 for _ in self)
        limit = getattr(self, "num_samples", None)
        return min(limit, count) if limit else count

    def get_num_samples(self) -> int | None:
        if getattr(self, "num_samples", None) is not None:
            return self.num_samples
        try:
            return sum(1 for _ in self)
        except Exception as failure:
            raise RuntimeError("Call get_num_samples method failed") from failure


class IterSampler(Sampler):
    """Rows from any iterable of numbers."""

    def __init__(self, sampler: Any, num_samples: int | None = None) -> None:
        if num_samples is None:
            num_samples = len(list(sampler))
        super().__init__(num_samples)
        self.sampler = sampler

    def __iter__(self) -> Any:
        return iter(self.sampler)

    def _limit(self) -> int:
        return self.num_samples


def select_sampler(
    num_samples: int | None, sampler: Any, shuffle: Any, num_shards: int | None, shard_id: int | None
) -> BuiltinSampler:
    """The sampler that the arguments of a source ask for; one of the user's own says everything itself."""
    if isinstance(sampler, BuiltinSampler):
        if any(value is not None for value in (num_shards, shard_id, shuffle, num_samples)):
            raise ValueError(
                "Conflicting arguments during sampler assignments. num_samples: "
                f"{num_samples}, num_shards: {num_shards}, shard_id: {shard_id}, shuffle: {shuffle}."
            )
        return sampler
    if sampler is not None:
        if num_shards is not None:
            logger.warning(
                "'num_shards' and 'shard_id' do not divide the rows that a sampler of your own chooses: "
                "let it choose the rows of one shard."
            )
        return _sampler_of(sampler, num_samples)
    if num_shards is not None:
        return DistributedSampler(num_shards, shard_id, shuffle is not False, num_samples)
    if shuffle is False:
        return SequentialSampler(num_samples=num_samples)
    if num_samples:
        return RandomSampler(replacement=True, num_samples=num_samples)
    return RandomSampler()


def _sampler_of(sampler: Any, num_samples: int | None) -> BuiltinSampler:
    if isinstance(sampler, (str, float)):
        raise TypeError(f"Unsupported sampler object of type ({type(sampler)})")
    if isinstance(sampler, numbers.Number):
        return SubsetSampler(sampler, num_samples)
    if isinstance(sampler, (list, tuple, np.ndarray)):
        return SubsetSampler(sampler, num_samples)
    if hasattr(sampler, "__iter__") or (hasattr(sampler, "__getitem__") and hasattr(sampler, "__len__")):
        return IterSampler(sampler, num_samples)
    raise TypeError(f"Unsupported sampler object of type ({type(sampler)})")
