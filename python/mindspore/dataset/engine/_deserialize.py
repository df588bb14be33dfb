# SPDX-License-Identifier: Apache-2.0
"""From a description back to a pipeline."""

from __future__ import annotations

import inspect
from typing import Any

from . import samplers
from ._dataset import Dataset


class _NotRestorable(Dataset):
    """Stands for a part that lived in Python; it complains when it is used."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def _complain(self) -> Any:
        raise RuntimeError(f"Invalid data, unsupported operation type: {self._name}")

    def _stage(self, build: Any, children: list) -> Any:
        return self._complain()

    def _rows(self) -> int:
        return self._complain()


def _sampler_from(described: dict[str, Any] | None) -> Any:
    if not described:
        return None
    kind = getattr(samplers, described["sampler_name"])
    names = inspect.signature(kind.__init__).parameters
    made = kind(**{name: value for name, value in described.items() if name in names})
    for child in described.get("child_sampler", []):
        made.add_child(_sampler_from(child))
    return made


def _operations_from(described: list) -> list | None:
    from .. import transforms, vision

    made = []
    for operation in described:
        name = operation.get("tensor_op_name")
        kind = getattr(vision, str(name), None) or getattr(transforms, str(name), None)
        if kind is None:
            return None
        made.append(kind(**operation.get("tensor_op_params", {})))
    return made


def dataset_from(described: dict[str, Any]) -> Dataset:
    """The data set of a description, children first."""
    import mindspore.dataset as package

    children = [dataset_from(child) for child in described.get("children", [])]
    name = described["op_type"]
    make = _MAKERS.get(name)
    if make is not None:
        return make(children, described) or _NotRestorable(name)
    kind = getattr(package, name, None)
    if kind is None or name in ("GeneratorDataset", "NumpySlicesDataset", "PaddedDataset"):
        return _NotRestorable(name)
    names = inspect.signature(kind.__init__).parameters
    arguments = {key: value for key, value in described.items() if key in names and key != "sampler"}
    sampler = _sampler_from(described.get("sampler"))
    if sampler is not None and "sampler" in names:
        arguments["sampler"] = sampler
        for key in ("shuffle", "num_shards", "shard_id", "num_samples"):
            arguments.pop(key, None)
    elif "shuffle_flag" in described:
        arguments["shuffle"] = {0: False, 1: package.Shuffle.FILES, 2: package.Shuffle.GLOBAL}.get(
            described["shuffle_flag"], False
        )
    return kind(**arguments)


def _map_from(children: list, described: dict[str, Any]) -> Any:
    operations = _operations_from(described.get("operations", []))
    if operations is None:
        return None
    return children[0].map(
        operations,
        described.get("input_columns") or None,
        described.get("output_columns") or None,
        num_parallel_workers=described.get("num_parallel_workers"),
    )


_MAKERS = {
    "Map": _map_from,
    "Batch": lambda children, d: children[0].batch(d["batch_size"], d["drop_remainder"])
    if isinstance(d.get("batch_size"), int)
    else None,
    "Shuffle": lambda children, d: children[0].shuffle(d["buffer_size"]),
    "Repeat": lambda children, d: children[0].repeat(d["count"]),
    "Skip": lambda children, d: children[0].skip(d["count"]),
    "Take": lambda children, d: children[0].take(d["count"]),
    "Project": lambda children, d: children[0].project(d["columns"]),
    "Rename": lambda children, d: children[0].rename(d["input_columns"], d["output_columns"]),
    "Zip": lambda children, d: _zip(children),
    "Concat": lambda children, d: children[0].concat(children[1:]),
}


def _zip(children: list) -> Dataset:
    from ._operations import ZipDataset

    return ZipDataset(tuple(children))
