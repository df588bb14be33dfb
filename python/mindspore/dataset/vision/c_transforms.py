# SPDX-License-Identifier: Apache-2.0
"""Native transforms of images by their older name. Use `mindspore.dataset.vision`.

Every native image transform has a class here; those below have another signature than the present one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mindspore import _c_data
from mindspore._spelling import explains_missing_names as _explains_missing_names
from mindspore.dataset.core.checks import check_type
from mindspore.dataset.transforms._legacy import NativeLegacy, legacy_class
from mindspore.dataset.transforms._operation import TensorOperation
from mindspore.dataset.vision import transforms as _present
from mindspore.dataset.vision._image import ImageTensorOperation
from mindspore.dataset.vision.utils import (
    AutoAugmentPolicy,
    Border,
    ConvertMode,
    ImageBatchFormat,
    Inter,
    SliceMode,
)

__all__ = [
    "AutoAugmentPolicy",
    "Border",
    "ConvertMode",
    "ImageBatchFormat",
    "ImageTensorOperation",
    "Inter",
    "SliceMode",
    "TensorOperation",
]

for _name in _present.__all__:
    if hasattr(getattr(_present, _name), "schema") or _name in ("RandomSelectSubpolicy", "UniformAugment"):
        globals()[_name] = legacy_class(getattr(_present, _name), NativeLegacy, __name__)
        __all__.append(_name)


class Normalize(legacy_class(_present.Normalize, NativeLegacy, __name__)):
    """Subtracts a mean and divides by a standard deviation, channel by channel; channels come last.

    Args:
        mean (Sequence[float]): One per channel.
        std (Sequence[float]): One per channel.
    """

    def __init__(self, mean: Sequence[float], std: Sequence[float]) -> None:
        super().__init__(mean, std)


class NormalizePad(legacy_class(_present.NormalizePad, NativeLegacy, __name__)):
    """As `Normalize`, with a channel of zeros behind the others.

    Args:
        mean (Sequence[float]): One per channel.
        std (Sequence[float]): One per channel.
        dtype (str, optional): Type of the result, ``"float32"`` or ``"float16"``. Default: ``"float32"``.
    """

    def __init__(self, mean: Sequence[float], std: Sequence[float], dtype: str = "float32") -> None:
        super().__init__(mean, std, dtype)


class Decode(legacy_class(_present.Decode, NativeLegacy, __name__)):
    """Decodes a compressed picture.

    Args:
        rgb (bool, optional): Whether the order is red, green, blue; else blue, green, red. Default: ``True``.
    """

    def __init__(self, rgb: bool = True) -> None:
        check_type(rgb, bool, "rgb")
        super().__init__()
        self.rgb = rgb

    def _native(self) -> Any:
        decode = super()._native()
        if self.rgb:
            return decode
        swap = _c_data.make_transform("ConvertColor", {"convert_mode": int(ConvertMode.COLOR_RGB2BGR)})
        return _c_data.compose([decode, swap])


class RgbToBgr(NativeLegacy, ImageTensorOperation, schema="ConvertColor"):
    """Swaps red and blue."""

    def __init__(self) -> None:
        super().__init__(ConvertMode.COLOR_RGB2BGR)


__getattr__ = _explains_missing_names(globals())
