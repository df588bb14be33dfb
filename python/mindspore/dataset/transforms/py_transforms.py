# SPDX-License-Identifier: Apache-2.0
"""Transforms in Python by their older name. Use `mindspore.dataset.transforms`."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindspore._spelling import explains_missing_names as _explains_missing_names
from mindspore.dataset.transforms import transforms as _present
from mindspore.dataset.transforms._arguments import CONVERSIONS
from mindspore.dataset.transforms._legacy import PythonLegacy, legacy_class
from mindspore.dataset.transforms._operation import PyTensorOperation, not_random

Compose = legacy_class(_present.Compose, PythonLegacy, __name__)
RandomApply = legacy_class(_present.RandomApply, PythonLegacy, __name__)
RandomChoice = legacy_class(_present.RandomChoice, PythonLegacy, __name__)
RandomOrder = legacy_class(_present.RandomOrder, PythonLegacy, __name__)


class OneHotOp(PyTensorOperation):
    """Turns labels into rows with a one in their place, in float64.

    Args:
        num_classes (int): Length of a row.
        smoothing_rate (float, optional): What is taken from the label's place and spread over all.
            Default: ``0.0``.
    """

    _legacy = True

    def __init__(self, num_classes: int, smoothing_rate: float = 0.0) -> None:
        CONVERSIONS["integer"](
            num_classes, {"name": "num_classes", "low": 1, "high": 2147483647, "low_is_open": False}
        )
        CONVERSIONS["real"](
            smoothing_rate, {"name": "smoothing_rate", "low": 0.0, "high": 1.0, "low_is_open": False}
        )
        self.num_classes = num_classes
        self.smoothing_rate = smoothing_rate

    def _execute_py(self, label: Any) -> np.ndarray:
        labels = np.asarray(label)
        if labels.dtype.kind not in "iu":
            raise ValueError(f"the input label is not int type, but got {labels.dtype}")
        labels = labels.reshape(-1) if labels.ndim else labels
        if np.any(labels < 0) or np.any(labels >= self.num_classes):
            raise ValueError(f"the num_classes is smaller than the category number: {self.num_classes}.")
        hot = np.eye(self.num_classes)[labels]
        share = self.smoothing_rate / self.num_classes
        return hot * (1 - self.smoothing_rate) + share


__all__ = [
    "Compose",
    "OneHotOp",
    "PyTensorOperation",
    "RandomApply",
    "RandomChoice",
    "RandomOrder",
    "not_random",
]

__getattr__ = _explains_missing_names(globals())
