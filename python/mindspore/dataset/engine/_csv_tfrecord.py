# SPDX-License-Identifier: Apache-2.0
"""Tables and records in files of any origin: TFRecord and CSV."""

from __future__ import annotations

from typing import Any

from ..core.checks import instance
from ._dataset import UnionBaseDataset
from ._parameters import DATASET_FILES, FILE_ROWS, Parameter, inserted
from ._sources import StreamFilesDataset, find_files
from .schema import Schema

__all__ = ["CSVDataset", "TFRecordDataset"]


class TFRecordDataset(StreamFilesDataset, UnionBaseDataset):
    """Rows of TFRecord files that hold tf.Example messages.

    Columns are the features, in the order of their names, or those of the schema. Without schema a list of
    bytes becomes uint8, of integers int64, of floats float32, each of one axis.
    """

    _source_name = "TfRecord"
    _parameters = (
        DATASET_FILES,
        Parameter(
            "schema",
            "Union[str, Schema]",
            "Names, types and shapes of the columns, or the path of a JSON file with them.",
            None,
            rule=instance(str, Schema),
        ),
        Parameter("columns_list", "list[str]", "Columns to read, in this order.", None, "all"),
        *inserted(
            FILE_ROWS,
            "shard_id",
            Parameter(
                "shard_equal_rows",
                "bool",
                "Give every shard the same number of rows, which needs counting.",
                False,
                "shards get whole files",
            ),
        ),
        Parameter("compression_type", "str", "``''`` , ``'GZIP'`` or ``'ZLIB'`` .", None, "not packed"),
    )

    def _prepare(self) -> None:
        if (self.compression_type or "") not in ("", "GZIP", "ZLIB"):
            raise ValueError(
                "Input compression_type can only be either '' (no compression), 'ZLIB', or 'GZIP', "
                f"but got {self.compression_type}."
            )
        self.dataset_files = find_files(self.dataset_files)
        self.compression_type = self.compression_type or None
        self.schema = Schema(self.schema) if isinstance(self.schema, str) else self.schema
        if self.num_samples is None and self.schema is not None:
            self.num_samples = self.schema.num_rows
        self._shard_by_file = not self.shard_equal_rows
        files, shards = len(self.dataset_files), self.num_shards
        by_file = self.cache is None  # rows from a cache are dealt out one by one
        if self.compression_type and shards is not None and files < shards and by_file:
            raise ValueError(
                "When compression_type is provided, the number of dataset files cannot be less than "
                f"num_shards, but got {files} files for {shards} shards."
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
        if promised and build.cached_tree is None and self._rows() < promised:
            raise RuntimeError(
                f"the files of shard {self.shard_id} hold {self._rows()} rows, which does not "
                f"meet minimum rows per shard requirement: {promised}."
            )
        return super()._stage(build, children)


class CSVDataset(StreamFilesDataset, UnionBaseDataset):
    """Rows of files whose fields are separated by a character.

    Columns are named by `column_names` or by the first line of each file.
    """

    _source_name = "Csv"
    _parameters = (
        DATASET_FILES,
        Parameter("field_delim", "str", "The separator, one character.", ","),
        Parameter(
            "column_defaults",
            "list",
            "One value of type int, float or str for each column; it sets the type of the column, int32, "
            "float32 or string.",
            None,
            "all strings",
        ),
        Parameter("column_names", "list[str]", "Names of the columns.", None, "the first line names them"),
        *FILE_ROWS,
    )

    def _prepare(self) -> None:
        if len(self.field_delim) != 1 or self.field_delim in '"\r\n':
            raise ValueError("field_delim is invalid.")
        for value in self.column_defaults or ():
            if isinstance(value, bool) or not isinstance(value, (int, float, str)):
                raise TypeError("column type in column_defaults is invalid.")
        self.dataset_files = find_files(self.dataset_files)

    def _source_arguments(self) -> dict[str, Any]:
        names = {int: "int32", float: "float32", str: "string"}
        return {
            "files": self.dataset_files,
            "field_delim": self.field_delim,
            "column_names": self.column_names or None,
            "types": [names[type(value)] for value in self.column_defaults or ()] or None,
            "dataset": "CSVDataset",
        }
