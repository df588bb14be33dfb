# SPDX-License-Identifier: Apache-2.0
"""What a dataset does to its rows, as a MindIR file keeps it."""

from __future__ import annotations

import json

from mindspore.dataset import Dataset, serialize


def preprocessor_of(inputs: tuple, dataset) -> dict | None:
    """The message for the Map operations of a dataset: of the option, or of the only input.

    Raises:
        TypeError: The option is no dataset.
        ValueError: An operation is a function of Python, which a file cannot keep.
    """
    if dataset is None and len(inputs) == 1 and isinstance(inputs[0], Dataset):
        dataset = inputs[0]
    if dataset is None:
        return None
    if not isinstance(dataset, Dataset):
        raise TypeError(f"For 'export', 'dataset' must be a Dataset, but got {type(dataset).__name__}.")
    try:
        described = serialize(dataset)
    except (RuntimeError, TypeError, ValueError, NotImplementedError) as failure:
        raise ValueError(
            f"For 'export', the operations of 'dataset' cannot be written: {failure}"
        ) from failure
    operations = list(_maps(described))
    return {"op": operations} if operations else None


def _maps(node: dict):
    """Map operations, innermost first."""
    for child in node.get("children", ()):
        yield from _maps(child)
    if node.get("op_type") == "Map":
        yield {
            "input_columns": json.dumps(node["input_columns"]),
            "output_columns": json.dumps(node["output_columns"] or node["input_columns"]),
            "op_type": json.dumps(node["op_type"]),
            "operations": json.dumps(node["operations"]),
            "offload": bool(node.get("offload")),
        }
