# SPDX-License-Identifier: Apache-2.0
"""From a description back to a pipeline."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

import mindspore

from . import datasets, samplers
from ._dataset import Dataset
from .schema import Schema


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


class _NotFound(Exception):
    """Something lived in Python and cannot be made again."""


def _value_from(described: Any) -> Any:
    """What `_plain` of the serializer wrote."""
    from .. import vision

    if isinstance(described, list):
        return [_value_from(item) for item in described]
    if not isinstance(described, dict):
        return described
    if "enum" in described:
        kind, member = described["enum"].split(".")
        return getattr(getattr(vision, kind, None) or getattr(datasets, kind), member)
    if "dtype" in described:
        return np.dtype(described["dtype"]).type
    if "mstype" in described:
        return getattr(mindspore, described["mstype"])
    if "schema" in described:
        schema = Schema()
        schema.from_json(described["schema"])
        return schema
    if "tensor_op_name" in described:
        return _operation_from(described)
    return {key: _value_from(item) for key, item in described.items()}


def _operation_from(described: dict[str, Any]) -> Any:
    from .. import transforms, vision

    name = described["tensor_op_name"]
    kind = getattr(vision, name, None) or getattr(transforms, name, None)
    if kind is None or "tensor_op_params" not in described:
        raise _NotFound(name)
    names = inspect.signature(kind.__init__).parameters
    arguments = {key: _value_from(value) for key, value in described["tensor_op_params"].items()}
    for key, value in arguments.items():
        # Lists of numbers were tuples as a rule, and every transform takes tuples.
        if isinstance(value, list) and value and all(isinstance(item, (int, float)) for item in value):
            arguments[key] = tuple(value)
    accepts_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in names.values())
    return kind(**{key: value for key, value in arguments.items() if accepts_all or key in names})


def _operations_from(described: list) -> list | None:
    try:
        return [_operation_from(operation) for operation in described]
    except _NotFound:
        return None


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
    arguments = {
        key: _value_from(value) for key, value in described.items() if key in names and key != "sampler"
    }
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
    "PaddedBatchDataset": lambda children, d: children[0].padded_batch(
        d["batch_size"], d["drop_remainder"], pad_info=_pad_info(d["pad_info"])
    ),
    "Shuffle": lambda children, d: children[0].shuffle(d["buffer_size"]),
    "Repeat": lambda children, d: children[0].repeat(d["count"]),
    "Skip": lambda children, d: children[0].skip(d["count"]),
    "Take": lambda children, d: children[0].take(d["count"]),
    "Project": lambda children, d: children[0].project(d["columns"]),
    "Rename": lambda children, d: children[0].rename(d["input_columns"], d["output_columns"]),
    "Zip": lambda children, d: _zip(children),
    "Concat": lambda children, d: children[0].concat(children[1:]),
}


def _pad_info(described: dict | None) -> dict | None:
    if described is None:
        return None
    return {column: (shape, value) for column, (shape, value) in described.items()}


def _zip(children: list) -> Dataset:
    from ._operations import ZipDataset

    return ZipDataset(tuple(children))
