# SPDX-License-Identifier: Apache-2.0
"""Rows listed by Python, read by the native side."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class RowTable:
    """Collects rows for the native source `FileTable`.

    Args:
        dataset (str): Name of the class, for messages.
        path (str): Where the rows were looked for, for messages.
        columns (dict): From column name to kind: file, text_file, wave, rate_int32, rate_uint32, string,
            int32, uint32, int64, float32; "*" after it: a list of entries; "[4]" then: the shape of an entry.
        what (str): What `path` is, for messages.
    """

    def __init__(self, dataset: str, path: str, columns: dict[str, str], what: str = "file path") -> None:
        self._names = (dataset, what, path)
        self._kinds = columns
        self._values: dict[str, list] = {
            name: [] for name in columns if not columns[name].startswith("rate_")
        }
        self._counts: dict[str, list[int]] = {name: [] for name in columns if "*" in columns[name]}

    def add(self, **row: Any) -> None:
        """Adds a row: a value for each column but the sample rates."""
        for name, values in self._values.items():
            value = row[name]
            if name in self._counts:
                self._counts[name].append(len(value))
                values.extend(_flat(value))
            elif "[" in self._kinds[name]:
                values.extend(_flat(value))
            else:
                values.append(value)

    def arguments(self) -> dict[str, Any]:
        """The parameters of the native source."""
        dataset, what, path = self._names
        result: dict[str, Any] = {"dataset": dataset, "what": what, "path": str(path)}
        result["columns"] = [f"{name}={kind}" for name, kind in self._kinds.items()]
        result.update(self._values)
        result.update({f"{name}.counts": counts for name, counts in self._counts.items()})
        return result


def _flat(value: Iterable) -> Iterable:
    for item in value:
        if isinstance(item, (list, tuple)):
            yield from _flat(item)
        else:
            yield item
