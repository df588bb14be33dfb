# SPDX-License-Identifier: Apache-2.0
"""Runs that write what a pipeline gives."""

from __future__ import annotations

import collections
import os
import re
from typing import Any

import numpy as np

from ..core import checks
from ._operations import RepeatDataset
from .iterators import DryRun

_TYPES = {
    "bool": "int32",
    "int8": "int32",
    "uint8": "int32",
    "int16": "int32",
    "uint16": "int32",
    "int32": "int32",
    "uint32": "int64",
    "int64": "int64",
    "uint64": "int64",
    "float16": "float32",
    "float32": "float32",
    "float64": "float64",
}


def save(dataset: Any, file_name: str, num_files: int = 1, file_type: str = "mindrecord") -> None:
    """Writes one epoch to MindRecord files."""
    checks.check_type(file_name, str, "file_name")
    checks.check_type(num_files, int, "num_files")
    if not 0 < num_files <= 1000:
        raise ValueError("num_files should between 0 and 1000.")
    if file_type != "mindrecord":
        raise ValueError(f"{file_type} dataset format is not supported.")
    if any(isinstance(node, RepeatDataset) and node.count == -1 for node in dataset._walk()):
        raise RuntimeError("A dataset that repeats without end cannot be saved.")
    from mindspore.mindrecord import FileWriter

    names = [file_name] if num_files == 1 else [f"{file_name}{number}" for number in range(num_files)]
    for name in names:
        for path in (name, name + ".db"):
            if os.path.exists(path):
                raise RuntimeError(
                    f"Invalid file, mindrecord files already exist. Please check file path: {path}."
                )
    columns = [re.sub(r"\W", "_", column) for column in dataset.get_col_names()]
    writer = None
    waiting: list[dict] = []
    for row in DryRun(dataset):
        if writer is None:
            schema = {column: _field(value) for column, value in zip(columns, row, strict=True)}
            writer = FileWriter(file_name, num_files)
            writer.add_schema(schema)
        waiting.append({c: _value(v, schema[c]) for c, v in zip(columns, row, strict=True)})
        if len(waiting) == 1000:
            writer.write_raw_data(waiting)
            waiting = []
    if writer is None:
        raise RuntimeError("The dataset has no rows to save.")
    if waiting:
        writer.write_raw_data(waiting)
    writer.commit()


def _field(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        raise RuntimeError("A column of Python dicts cannot be saved to MindRecord.")
    array = np.asarray(value)
    if array.dtype.kind in "US":
        return {"type": "string" if array.dtype.kind == "U" else "bytes"}
    field: dict[str, Any] = {"type": _TYPES[array.dtype.name]}
    if array.ndim > 0:
        field["shape"] = [-1, *array.shape[1:]]
    return field


def _value(value: Any, field: dict[str, Any]) -> Any:
    array = np.asarray(value)
    if field["type"] in ("string", "bytes"):
        if array.size != 1:
            raise RuntimeError("A column of several strings in a row cannot be saved to MindRecord.")
        return array.reshape(-1)[0].item() if hasattr(array.reshape(-1)[0], "item") else array.reshape(-1)[0]
    if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
        raise RuntimeError("A value of type uint64 is too large for MindRecord, whose largest type is int64.")
    if "shape" in field:
        if list(array.shape[1:]) != field["shape"][1:]:
            raise RuntimeError(
                "Tensor with dynamic shape do not currently support saving. Only the first dimension may "
                "differ "
                f"between rows, but got {list(array.shape)} beside [-1, "
                f"{', '.join(map(str, field['shape'][1:]))}]."
            )
        return np.ascontiguousarray(array.astype(field["type"]))
    return array.astype(field["type"]).item()


def build_vocabulary(
    dataset: Any, columns: Any, freq_range: Any, top_k: Any, special_tokens: Any, special_first: bool
) -> list[str]:
    """Words of the columns, most frequent first."""
    counts: collections.Counter = collections.Counter()
    names = [columns] if isinstance(columns, str) else columns
    source = dataset.project(names) if names else dataset
    for row in DryRun(source):
        for value in row:
            counts.update(np.asarray(value).reshape(-1).tolist())
    low, high = freq_range or (None, None)
    words = [
        word
        for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if (low is None or count >= low) and (high is None or count <= high)
    ]
    words = words[:top_k] if top_k else words
    special = list(special_tokens or [])
    return special + words if special_first else words + special
