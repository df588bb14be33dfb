# SPDX-License-Identifier: Apache-2.0
"""Kinds of summary data."""

from enum import Enum


class BaseEnum(Enum):
    """An enumeration that lists its values."""

    @classmethod
    def to_list(cls):
        """The values of all members."""
        return [member.value for member in cls]


class PluginEnum(BaseEnum):
    """What a summary value is."""

    GRAPH = "graph"
    SCALAR = "scalar"
    IMAGE = "image"
    TENSOR = "tensor"
    HISTOGRAM = "histogram"
    TRAIN_LINEAGE = "train_lineage"
    EVAL_LINEAGE = "eval_lineage"
    CUSTOM_LINEAGE_DATA = "custom_lineage_data"
    DATASET_GRAPH = "dataset_graph"
    LANDSCAPE = "landscape"


class ModeEnum(BaseEnum):
    """What the network does."""

    TRAIN = "train"
    EVAL = "eval"
