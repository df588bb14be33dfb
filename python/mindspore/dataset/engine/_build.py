# SPDX-License-Identifier: Apache-2.0
"""From a tree of data sets to stages that run."""

from __future__ import annotations

import os
import random
import time
from typing import Any

from ..core import config

DEFAULT_SEED = 5489  # means: not set


class Build:
    """One translation of a tree: seeds, worker numbers, and what has to be closed with the iterator."""

    def __init__(self, dry: bool = False, only_columns: bool = False) -> None:
        self.dry = dry  # for a getter: no processes, one thread
        self.debug = config.get_debug_mode() and not dry
        self.only_columns = only_columns  # nothing will run
        self.cached_tree: Any = None  # the cached part that is being translated
        self.workers = 1
        self.resources: list[Any] = []
        self._seen: set[int] = set()
        self._steps = 0
        self._system = random.Random(time.time_ns())

    def set_seed(self) -> int | None:
        """The configured seed, or None when none is set."""
        seed = config.get_seed()
        if seed == DEFAULT_SEED:
            return 1 if self.debug else None
        return seed

    def random_seed(self) -> int:
        """The configured seed, or another number for every caller."""
        seed = self.set_seed()
        return self._system.getrandbits(32) if seed is None else seed

    def step_seed(self) -> int:
        """A seed of its own for every map, by its place in the tree."""
        self._steps += 1
        return (self.random_seed() * 0x9E3779B97F4A7C15 + self._steps * 0xBF58476D1CE4E5B9) % 2**64

    def stage(self, dataset: Any) -> Any:
        """The stage of a data set, its children first."""
        if id(dataset) in self._seen:
            raise ValueError("The data pipeline is not a tree (i.e., one node has 2 consumers)")
        self._seen.add(id(dataset))
        if dataset.cache is None or self.debug:
            return self.plain_stage(dataset)
        from ._cached import cached_stage

        return cached_stage(self, dataset)

    def plain_stage(self, dataset: Any) -> Any:
        """The stage of a data set as if it had no cache."""
        children = [self.stage(child) for child in dataset.children]
        workers = dataset.num_parallel_workers or config.get_num_parallel_workers()
        if config.get_enable_autotune():  # threads are shared by all stages: as many as can run
            workers = max(workers, os.cpu_count() or 1)
        self.workers = max(self.workers, workers)
        return dataset._stage(self, children)

    def close(self) -> None:
        """Ends processes that were started for the pipeline."""
        while self.resources:
            self.resources.pop().close()
