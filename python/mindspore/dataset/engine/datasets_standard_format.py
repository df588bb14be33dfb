# SPDX-License-Identifier: Apache-2.0
"""Formats that are not bound to one collection: MindRecord, TFRecord, CSV."""

from ._csv_tfrecord import CSVDataset, TFRecordDataset
from ._obs import OBSMindDataset
from .datasets_mindrecord import MindDataset

__all__ = ["CSVDataset", "MindDataset", "OBSMindDataset", "TFRecordDataset"]
