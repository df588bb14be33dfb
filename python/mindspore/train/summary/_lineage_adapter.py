# SPDX-License-Identifier: Apache-2.0
"""Facts of a training as the messages of lineage files."""

from __future__ import annotations

import json
import time

from mindspore.train import _protobuf as pb

_TRAIN, _EVAL, _DATASET, _CUSTOM = 6, 7, 9, 10  # fields of an event
_FIELDS = {  # (message, field) of each fact of a training
    "optimizer": (1, 1, pb.block),
    "learning_rate": (1, 2, pb.real),
    "loss_function": (1, 3, pb.block),
    "epoch": (1, 4, pb.integer),
    "parallel_mode": (1, 5, pb.block),
    "device_num": (1, 6, pb.integer),
    "batch_size": (1, 8, pb.integer),
    "train_dataset_path": (2, 1, pb.block),
    "train_dataset_size": (2, 2, pb.integer),
    "network": (3, 1, pb.block),
    "loss": (3, 2, pb.real),
    "model_path": (4, 3, pb.block),
    "model_size": (4, 4, pb.integer),
}


def _event(field: int, message: bytes) -> bytes:
    return pb.double(1, time.time()) + pb.block(field, message)


def train_lineage(facts: dict) -> bytes:
    """An event with the facts of a training, by the names of `_FIELDS`; None is left out."""
    groups: dict[int, bytes] = {}
    for name, (group, field, write) in _FIELDS.items():
        if facts.get(name) is not None:
            groups[group] = groups.get(group, b"") + write(field, facts[name])
    return _event(_TRAIN, b"".join(pb.block(group, message) for group, message in sorted(groups.items())))


def eval_lineage(metrics: dict, dataset_path: str, dataset_size: int) -> bytes:
    """An event with the results of an evaluation."""
    dataset = pb.block(1, dataset_path) + pb.integer(2, dataset_size)
    return _event(_EVAL, pb.block(2, json.dumps(metrics, default=str)) + pb.block(3, dataset))


def dataset_graph(graph: bytes) -> bytes:
    """An event with the description of a data pipeline, see `DatasetGraph`."""
    return _event(_DATASET, graph)


def custom_lineage(facts: dict) -> bytes:
    """An event with facts of the user's: numbers and text by name."""
    inner = b""
    for field, kind, write in ((3, int, pb.integer), (4, str, pb.block), (5, float, pb.double)):
        entries = [(key, write(2, value)) for key, value in facts.items() if isinstance(value, kind)]
        inner += pb.mapping(field, entries)
    return _event(_CUSTOM, pb.block(1, inner))
