# SPDX-License-Identifier: Apache-2.0
"""What a file or a random source says about its columns."""

from __future__ import annotations

import json
import os
from typing import Any

from mindspore._c_dataengine import COLUMN_TYPES


def _type_name(de_type: Any) -> str:
    """The name of a type given as text or as one of `mindspore.dtype` ."""
    name = (de_type if isinstance(de_type, str) else str(de_type)).lower()
    if name == "bool_":
        name = "bool"
    if name not in COLUMN_TYPES:
        raise TypeError(f"Unknown column type. Type is unknown: {de_type}.")
    return name


class Schema:
    """Names, types and shapes of columns.

    Args:
        schema_file (str, optional): JSON file to read. Default: ``None`` , no columns yet.

    Raises:
        RuntimeError: The file cannot be read or lacks something.
        TypeError: `schema_file` is not a path.

    Examples:
        >>> import mindspore.dataset as ds
        >>> schema = ds.Schema()
        >>> schema.add_column("image", de_type="uint8", shape=[2])
    """

    def __init__(self, schema_file: str | None = None) -> None:
        self.columns: list[dict[str, Any]] = []
        self.dataset_type = ""
        self.num_rows: int | None = None
        if schema_file is None:
            return
        if not isinstance(schema_file, str):
            raise TypeError(f"path: {schema_file} is not string")
        if not os.path.isfile(schema_file):
            raise RuntimeError(f"The schema file does not exist or is not a regular file: {schema_file}")
        try:
            with open(schema_file, encoding="utf-8") as file:
                content = json.load(file)
        except (OSError, ValueError) as error:
            raise RuntimeError(f"failed to load and parse JSON schema: {schema_file}: {error}") from error
        if not isinstance(content, dict) or "columns" not in content:
            raise RuntimeError(f'"columns" field is missing in JSON schema: {schema_file}')
        self.from_json(content)

    def add_column(self, name: str, de_type: Any, shape: list[int] | None = None) -> None:
        """Adds a column at the end.

        Args:
            name (str): Its name.
            de_type (Union[str, mindspore.dtype]): Type of its elements.
            shape (list[int], optional): Lengths of its axes, -1 where a length is not known. Default:
                ``None`` , one axis.

        Raises:
            TypeError: The name is empty or the type is not known.
            ValueError: A length is neither -1 nor positive.
        """
        if not isinstance(name, str) or not name:
            raise TypeError("Expected non-empty string for column name.")
        column: dict[str, Any] = {"name": name, "type": _type_name(de_type)}
        if shape is None:
            column["rank"] = 1
        else:
            if not isinstance(shape, (list, tuple)):
                raise TypeError(f"Argument shape with value {shape} is not of type [<class 'list'>].")
            for length in shape:
                if isinstance(length, bool) or not isinstance(length, int):
                    raise TypeError(f"Argument shape with value {shape} has an element that is not an int.")
                if length < -1:
                    raise ValueError(f"Input shape is not within the required interval of [-1, {2**31 - 1}].")
            column.update(rank=len(shape), shape=list(shape))
        self.columns.append(column)

    def parse_columns(self, columns: Any) -> None:
        """Takes columns from a list of dicts with a `name` each, or from a dict by name.

        Args:
            columns (Union[list[dict], dict]): The columns.

        Raises:
            RuntimeError: A name or a type is missing or not known.
            TypeError: `columns` is neither list nor dict.
        """
        if isinstance(columns, dict):
            # By name, as every reader of these files orders them; a list keeps its order.
            columns = [{**columns[name], "name": name} for name in sorted(columns)]
        elif not isinstance(columns, list):
            raise TypeError("columns must be dict or list, columns contain name, type, shape(optional).")
        self.columns = []
        for fields in columns:
            self._parse_column(fields)

    def _parse_column(self, fields: dict[str, Any]) -> None:
        if not isinstance(fields, dict) or "name" not in fields:
            raise RuntimeError("Column's name is missing")
        if "type" not in fields:
            raise RuntimeError("Column's type is missing")
        shape = fields.get("shape")
        if shape is None and fields.get("rank") == 0:
            shape = []
        try:
            self.add_column(fields["name"], fields["type"], shape)
        except TypeError as error:
            raise RuntimeError(str(error)) from error
        if shape is None and isinstance(fields.get("rank"), int):
            self.columns[-1]["rank"] = fields["rank"]

    def from_json(self, json_obj: dict[str, Any]) -> None:
        """Takes everything from an object read from JSON.

        Args:
            json_obj (dict): With `columns` , and maybe `datasetType` and `numRows` .

        Raises:
            RuntimeError: `columns` is missing or wrong.
        """
        if not isinstance(json_obj, dict) or "columns" not in json_obj:
            raise RuntimeError('"columns" node is required in the schema json JSON.')
        if not json_obj["columns"]:
            raise RuntimeError("Columns are missing.")
        rows = json_obj.get("numRows")
        if rows is not None and (not isinstance(rows, int) or rows <= 0):
            raise RuntimeError(f"numRows must be greater than 0, but got {rows}.")
        self.dataset_type = json_obj.get("datasetType", "")
        self.num_rows = rows
        self.parse_columns(json_obj["columns"])

    def to_json(self) -> str:
        """The schema as JSON text."""
        content: dict[str, Any] = {"datasetType": self.dataset_type}
        if self.num_rows is not None:
            content["numRows"] = self.num_rows
        content["columns"] = {
            column["name"]: {key: value for key, value in column.items() if key != "name"}
            for column in self.columns
        }
        return json.dumps(content, indent=2)

    @staticmethod
    def get_num_rows(schema: Schema | str) -> int:
        """The number of rows that a schema tells, 0 when it tells none."""
        return (schema if isinstance(schema, Schema) else Schema(schema)).num_rows or 0

    def __str__(self) -> str:
        return self.to_json()

    def native(self) -> dict[str, list[str]]:
        """The columns as parameters of native sources."""
        shapes = [column.get("shape") for column in self.columns]
        return {
            "schema_names": [column["name"] for column in self.columns],
            "schema_types": [column["type"] for column in self.columns],
            "schema_shapes": ["*" if shape is None else ",".join(map(str, shape)) for shape in shapes],
        }
