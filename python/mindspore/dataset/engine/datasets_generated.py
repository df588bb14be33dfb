# SPDX-License-Identifier: Apache-2.0
"""Rows made of random numbers."""

from __future__ import annotations

import random
from typing import Any

from ..core import config
from ..core.checks import instance, positive_int32, sequence, text
from ._sources import StreamFilesDataset, constructor
from .datasets import VisionBaseDataset
from .schema import Schema

__all__ = ["RandomDataset"]


class RandomDataset(StreamFilesDataset, VisionBaseDataset):
    """Rows of random numbers of given types and shapes, to try a program without data.

    Args:
        total_rows (int, optional): Number of rows. Default: ``None`` , some number.
        schema (Union[str, Schema], optional): Columns, or the path of a JSON file with them. Default:
            ``None`` , some columns.
        columns_list (list[str], optional): Columns to make. Default: ``None`` , all.
    """

    _source_name = "Random"

    @constructor(total_rows=positive_int32, schema=instance(str, Schema), columns_list=sequence(text, list))
    def __init__(
        self,
        total_rows=None,
        schema=None,
        columns_list=None,
        num_samples=None,
        num_parallel_workers=None,
        cache=None,
        shuffle=None,
        num_shards=None,
        shard_id=None,
    ) -> None:
        numbers = random.Random(config.get_seed())
        self._seed = numbers.getrandbits(32)
        self.schema = Schema(schema) if isinstance(schema, str) else schema or _some_schema(numbers)
        rows = num_samples or self.schema.num_rows or numbers.randint(1, 1000)
        self.total_rows = total_rows or rows

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
