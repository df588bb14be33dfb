# SPDX-License-Identifier: Apache-2.0
"""Native transforms of values of any kind, by their older name. Use `mindspore.dataset.transforms`."""

from __future__ import annotations

from mindspore._later import defined_classes as _defined_classes
from mindspore._spelling import explains_missing_names as _explains_missing_names
from mindspore.dataset.transforms import transforms as _present
from mindspore.dataset.transforms._legacy import NativeLegacy, legacy_class
from mindspore.dataset.transforms._operation import TensorOperation
from mindspore.dataset.transforms.transforms import Plugin, Relational


def _make(name: str) -> type:
    return legacy_class(getattr(_present, name), NativeLegacy, __name__)


TypeCast = _make("TypeCast")
Fill = _make("Fill")
Duplicate = _make("Duplicate")
Mask = _make("Mask")
PadEnd = _make("PadEnd")
Concatenate = _make("Concatenate")
Unique = _make("Unique")
Slice = _make("Slice")
Compose = _make("Compose")
RandomApply = _make("RandomApply")
RandomChoice = _make("RandomChoice")


class OneHot(_make("OneHot")):
    """Turns a label into a vector with a one in its place.

    Args:
        num_classes (int): Length of the vector.
    """

    def __init__(self, num_classes: int) -> None:
        super().__init__(num_classes)


__all__ = [*_defined_classes(globals()), "Plugin", "Relational", "TensorOperation"]

__getattr__ = _explains_missing_names(globals())
