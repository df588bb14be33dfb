# SPDX-License-Identifier: Apache-2.0
"""Tables and records in files of any origin: TFRecord and CSV."""

from __future__ import annotations

from typing import Any

from ..core.checks import boolean, instance, sequence, text
from ._dataset import UnionBaseDataset
from ._sources import StreamFilesDataset, constructor, find_files
from .datasets import Shuffle
from .schema import Schema

__all__ = [
    "CSVDataset",
    "TFRecordDataset",
]


class TFRecordDataset(StreamFilesDataset, UnionBaseDataset):
    """Rows of TFRecord files that hold tf.Example messages.

    Columns are the features, in the order of their names, or those of the schema. Without schema a list of
    bytes becomes uint8, of integers int64, of floats float32, each of one axis.

    Args:
        dataset_files (Union[str, list[str]]): A path or pattern, or a list of them. Matches of a pattern are
            sorted.
        schema (Union[str, Schema], optional): Names, types and shapes of the columns, or the path of a JSON
            file with them. Default: ``None`` .
        columns_list (list[str], optional): Columns to read, in this order. Default: ``None`` , all.
        shard_equal_rows (bool, optional): Give every shard the same number of rows, which needs counting.
            Default: ``False`` , shards get whole files.
        compression_type (str, optional): ``''`` , ``'GZIP'`` or ``'ZLIB'`` . Default: ``None`` , not packed.
    """

    _source_name = "TfRecord"

    @constructor(
        schema=instance(str, Schema),
        shard_equal_rows=boolean,
        columns_list=sequence(text, list),
        compression_type=text,
    )
    def __init__(
        self,
        dataset_files,
        schema=None,
        columns_list=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=Shuffle.GLOBAL,
        num_shards=None,
        shard_id=None,
        shard_equal_rows=False,
        cache=None,
        compression_type=None,
    ) -> None:
        if (compression_type or "") not in ("", "GZIP", "ZLIB"):
            raise ValueError(
                "Input compression_type can only be either '' (no compression), 'ZLIB', or 'GZIP', "
                f"but got {compression_type}."
            )
        self.dataset_files = find_files(dataset_files)
        self.compression_type = compression_type or None
        self.schema = Schema(schema) if isinstance(schema, str) else schema
        if num_samples is None and self.schema is not None:
            self.num_samples = self.schema.num_rows
        self._shard_by_file = not shard_equal_rows
        if self.compression_type and num_shards is not None and len(self.dataset_files) < num_shards:
            raise ValueError(
                "When compression_type is provided, the number of dataset files cannot be less than "
                f"num_shards, but got {len(self.dataset_files)} files for {num_shards} shards."
            )

    def _source_arguments(self) -> dict[str, Any]:
        arguments = {
            "files": self.dataset_files,
            "columns_list": self.columns_list or None,
            "compression_type": self.compression_type,
        }
        return {**arguments, **(self.schema.native() if self.schema is not None else {})}

    def _stage(self, build: Any, children: list) -> Any:
        # Packed files cannot be counted cheaply, so every shard is promised this many rows.
        promised = self.num_samples if self.compression_type and self.num_shards else None
        if promised and self._rows() < promised:
            raise RuntimeError(
                f"the files of shard {self.shard_id} hold {self._rows()} rows, which does not "
                f"meet minimum rows per shard requirement: {promised}."
            )
        return super()._stage(build, children)


class CSVDataset(StreamFilesDataset, UnionBaseDataset):
    """Rows of files whose fields are separated by a character.

    Columns are named by `column_names` or by the first line of each file.

    Args:
        dataset_files (Union[str, list[str]]): A path or pattern, or a list of them. Matches of a pattern are
            sorted.
        field_delim (str, optional): The separator, one character. Default: ``','`` .
        column_defaults (list, optional): One value of type int, float or str for each column; it sets the
            type of the column, int32, float32 or string. Default: ``None`` , all strings.
        column_names (list[str], optional): Names of the columns. Default: ``None`` , the first line names
            them.
    """

    _source_name = "Csv"

    @constructor(field_delim=text, column_defaults=instance(list), column_names=sequence(text, list))
    def __init__(
        self,
        dataset_files,
        field_delim=",",
        column_defaults=None,
        column_names=None,
        num_samples=None,
        num_parallel_workers=None,
        shuffle=Shuffle.GLOBAL,
        num_shards=None,
        shard_id=None,
        cache=None,
    ) -> None:
        if len(field_delim) != 1 or field_delim in '"\r\n':
            raise ValueError("field_delim is invalid.")
        for value in column_defaults or ():
            if isinstance(value, bool) or not isinstance(value, (int, float, str)):
                raise TypeError("column type in column_defaults is invalid.")
        self.dataset_files = find_files(dataset_files)

    def _source_arguments(self) -> dict[str, Any]:
        names = {int: "int32", float: "float32", str: "string"}
        return {
            "files": self.dataset_files,
            "field_delim": self.field_delim,
            "column_names": self.column_names or None,
            "types": [names[type(value)] for value in self.column_defaults or ()] or None,
            "dataset": "CSVDataset",
        }
