# SPDX-License-Identifier: Apache-2.0
"""Several data sets that share the rows of one."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from mindspore import log as logger

from ..core import checks
from . import samplers

_WINDOW = 10000


def _check_sizes(sizes: Any) -> None:
    checks.check_type(sizes, list, "sizes")
    if not sizes:
        raise ValueError("sizes cannot be empty.")
    if all(isinstance(size, int) for size in sizes):
        if any(size <= 0 for size in sizes):
            raise ValueError("sizes is a list of int, but there should be no negative or zero numbers.")
    elif all(isinstance(size, float) for size in sizes):
        if not all(0 < size <= 1 for size in sizes):
            raise ValueError(
                "sizes is a list of float, but there should be no numbers outside the range (0, 1]."
            )
        if abs(sum(sizes) - 1) >= 1e-5:
            raise ValueError("sizes is a list of float, but the percentages do not sum up to 1.")
    else:
        raise ValueError("sizes should be list of int or list of float.")


def _absolute_sizes(dataset: Any, sizes: list) -> list[int]:
    rows = dataset.get_dataset_size()
    if rows is None or rows <= 0:
        raise RuntimeError("dataset_size is unknown, unable to split.")
    if all(isinstance(size, int) for size in sizes):
        if sum(sizes) != rows:
            raise RuntimeError(f"Sum of split sizes {sum(sizes)} is not equal to dataset size {rows}.")
        return sizes
    made = []
    for share in sizes:
        size = round(share * rows)
        if size == 0:
            raise RuntimeError(f"Split percentage {share} is too small.")
        made.append(size)
    missing = rows - sum(made)
    if missing > 0:
        made[0] += missing
    elif missing < 0:
        for number, size in enumerate(made):
            if size + missing > 0:
                made[number] += missing
                break
    if sum(made) != rows:
        raise RuntimeError(f"Sum of calculated split sizes {sum(made)} is not equal to dataset size {rows}.")
    return made


def _check_source(dataset: Any) -> None:
    for node in dataset._walk():
        if getattr(node, "is_sharded", bool)():
            raise RuntimeError("Dataset should not be sharded before split.")
        if getattr(node, "is_shuffled", bool)() and not node.children:
            logger.warning("Dataset is shuffled before split.")


def _parts(dataset: Any, sizes: list, randomize: bool) -> Iterator[tuple[Any, int, int]]:
    """A copy of the data set for every part, with the part's first row and how many it has."""
    _check_sizes(sizes)
    checks.check_type(randomize, bool, "randomize")
    _check_source(dataset)
    begin = 0
    for size in _absolute_sizes(dataset, sizes):
        yield copy.deepcopy(dataset), begin, size
        begin += size


def split(dataset: Any, sizes: list, randomize: bool = True) -> list:
    """By passing over rows: for whatever cannot be asked for rows by number."""
    made = []
    for part, begin, size in _parts(dataset, sizes, randomize):
        if randomize:
            part = part.shuffle(_WINDOW)
            part.reshuffle_each_epoch = False
        if begin > 0:
            part = part.skip(begin)
        made.append(part.take(size))
    return made


def split_rows(dataset: Any, sizes: list, randomize: bool = True) -> list:
    """By samplers: every part keeps its rows in all epochs, and can be sampled further."""
    made = []
    for part, begin, size in _parts(dataset, sizes, randomize):
        part._known_rows = None
        if randomize:
            shuffled = samplers.RandomSampler()
            shuffled.reshuffle_each_epoch = False
            part.add_sampler(shuffled)
        rows = samplers.SequentialSampler(begin, size)
        rows._is_part = True
        part.add_sampler(rows)
        part.add_sampler(samplers.SequentialSampler())  # the one that use_sampler() replaces
        made.append(part)
    return made
