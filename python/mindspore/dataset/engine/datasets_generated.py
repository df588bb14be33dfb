# SPDX-License-Identifier: Apache-2.0
"""Rows made of random numbers."""

from __future__ import annotations

import random
from typing import Any

from ..core import config
from ..core.checks import instance, positive_int32
from ._parameters import CACHE, FILE_SHUFFLE, NUM_PARALLEL_WORKERS, NUM_SAMPLES, SHARDS, Parameter
from ._sources import StreamFilesDataset
from .datasets import VisionBaseDataset
from .schema import Schema

__all__ = ["RandomDataset"]


class RandomDataset(StreamFilesDataset, VisionBaseDataset):
    """Rows of random numbers of given types and shapes, to try a program without data."""

    _source_name = "Random"
    _parameters = (
        Parameter("total_rows", "int", "Number of rows.", None, "some number", positive_int32),
        Parameter(
            "schema",
            "Union[str, Schema]",
            "Columns, or the path of a JSON file with them.",
            None,
            "some columns",
            instance(str, Schema),
        ),
        Parameter("columns_list", "list[str]", "Columns to make.", None, "all"),
        NUM_SAMPLES,
        NUM_PARALLEL_WORKERS,
        CACHE,
        FILE_SHUFFLE._replace(default=None),
        *SHARDS,
    )

    def _prepare(self) -> None:
        numbers = random.Random(config.get_seed())
        self._seed = numbers.getrandbits(32)
        schema = self.schema
        self.schema = Schema(schema) if isinstance(schema, str) else schema or _some_schema(numbers)
        rows = self.num_samples or self.schema.num_rows or numbers.randint(1, 1000)
        self.total_rows = self.total_rows or rows

    def _hidden_arguments(self) -> dict[str, Any]:
        return {"seed": self._seed}

    def _source_arguments(self) -> dict[str, Any]:
        native = self.schema.native()
        if self.columns_list:
            missing = [name for name in self.columns_list if name not in native["schema_names"]]
            if missing:
                raise RuntimeError(f"failed to find column: {missing[0]} in schema.")
            places = [native["schema_names"].index(name) for name in self.columns_list]
            native = {key: [values[place] for place in places] for key, values in native.items()}
        return {**native, "total_rows": self.total_rows, "seed": self._seed}


def _some_schema(numbers: random.Random) -> Schema:
    """One to four columns of numbers."""
    schema = Schema()
    for number in range(numbers.randint(1, 4)):
        shape = [numbers.randint(1, 32) for _ in range(numbers.randint(1, 3))]
        schema.add_column(f"c{number}", numbers.choice(["uint8", "int32", "float32", "int64"]), shape)
    return schema
