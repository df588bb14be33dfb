# SPDX-License-Identifier: Apache-2.0
"""Helpers around data sets: looking at pictures with boxes, reading lines of large files."""

from .browse_dataset import imshow_det_bbox
from .line_reader import LineReader

__all__ = ["imshow_det_bbox", "LineReader"]
