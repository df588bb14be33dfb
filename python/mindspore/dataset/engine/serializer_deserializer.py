# SPDX-License-Identifier: Apache-2.0
"""Pipelines as plain dicts, and back."""

from __future__ import annotations

import json
import os
from enum import Enum
from typing import Any

import numpy as np

from mindspore import log as logger

from . import samplers
from ._dataset import Dataset
from .schema import Schema

_SPECIAL = {
    "MapDataset": "Map",
    "BatchDataset": "Batch",
    "ShuffleDataset": "Shuffle",
    "RepeatDataset": "Repeat",
}


def _operation_name(dataset: Dataset) -> str:
    name = type(dataset).__name__
    if name in _SPECIAL:
        return _SPECIAL[name]
    return name[: -len("Dataset")] if type(dataset).__module__.endswith("_operations") else name


def _plain(value: Any) -> Any:
    """A value of JSON; what it was before can be told from it."""
    if isinstance(value, Enum):
        return {"enum": f"{type(value).__name__}.{value.name}"}
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    if isinstance(value, samplers.BuiltinSampler):
        return value._description()
    if isinstance(value, Schema):
        return {"schema": json.loads(value.to_json())}
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (type, np.dtype)):
        return {"dtype": np.dtype(value).name}
    if type(value).__module__.startswith("mindspore.dataset."):
        return _describe_operation(value)
    if "dtype" in type(value).__name__.lower() or type(value).__module__.endswith("dtype"):
        return {"mstype": str(value).lower()}
    return {"tensor_op_name": getattr(value, "__name__", type(value).__name__)}


def _describe_operation(operation: Any) -> dict[str, Any]:
    """A transform: its class and the arguments it was made with."""
    hidden = ("implementation", "random")
    arguments = {
        name: _plain(value)
        for name, value in vars(operation).items()
        if name[0] != "_" and name not in hidden
    }
    return {"tensor_op_name": type(operation).__name__, "tensor_op_params": arguments}


def _describe(dataset: Dataset) -> dict[str, Any]:
    described: dict[str, Any] = {"op_type": _operation_name(dataset)}
    for name, value in sorted(dataset._arguments().items()):
        if name == "operations" or not callable(value):
            described[name] = _plain(value)
    described["children"] = [_describe(child) for child in dataset.children]
    return described


def serialize(dataset, json_filepath=""):
    """The pipeline as a dict; also written to a file when a path is given."""
    described = _describe(dataset)
    if json_filepath:
        with open(json_filepath, "w", encoding="utf-8") as file:
            json.dump(described, file, indent=2)
    return described


def deserialize(input_dict=None, json_filepath=None):
    """The pipeline that `serialize` described."""
    if input_dict is None and json_filepath is None:
        return None
    if isinstance(input_dict, str):
        input_dict, json_filepath = None, input_dict
    if input_dict is None:
        real = os.path.realpath(json_filepath)
        with open(real, encoding="utf-8") as file:
            input_dict = json.load(file)
    input_dict = input_dict.get("tree", input_dict)  # as a file of autotune has it
    from ._deserialize import dataset_from

    return dataset_from(input_dict)


def expand_path(node_repr, key, val):
    """Kept for old scripts."""
    node_repr[key] = (
        [os.path.abspath(item) for item in val] if isinstance(val, list) else os.path.abspath(val)
    )


def show(dataset, indentation=2):
    """Logs the pipeline as JSON."""
    logger.info(json.dumps(_describe(dataset), indent=indentation))


def compare(pipeline1, pipeline2):
    """Whether two pipelines are described alike."""
    return _describe(pipeline1) == _describe(pipeline2)
