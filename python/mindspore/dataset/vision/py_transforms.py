# SPDX-License-Identifier: Apache-2.0
"""Transforms of Pillow images by their older name. Use `mindspore.dataset.vision`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore._spelling import explains_missing_names as _explains_missing_names
from mindspore.dataset.transforms._arguments import CONVERSIONS
from mindspore.dataset.transforms._legacy import PythonLegacy, legacy_class
from mindspore.dataset.transforms._operation import PyTensorOperation, not_random
from mindspore.dataset.vision import transforms as _present
from mindspore.dataset.vision._image import PillowOrNative, pillow_module
from mindspore.dataset.vision.utils import Border, Inter

__all__ = ["Border", "Inter", "PyTensorOperation", "not_random"]

# Filters of Pillow, and words of NumPy, by our enumerations.
DE_PY_INTER_MODE = {mode: int(mode) for mode in (Inter.NEAREST, Inter.ANTIALIAS, Inter.LINEAR, Inter.CUBIC)}
DE_PY_BORDER_TYPE = {border: border.value for border in Border}


class _PillowOnly(PythonLegacy):
    """Refuses arrays: there is no native side here."""

    def __call__(self, img: Any) -> Any:
        if isinstance(self, PillowOrNative):
            pillow_module().require_image(img)
            return self._pillow(img)
        return self._execute_py(img)

    def _call(self, inputs: Any, stream: int) -> Any:
        return self(*inputs)


for _name in _present.__all__:
    _class = getattr(_present, _name)
    if issubclass(_class, (PillowOrNative, PyTensorOperation)):
        globals()[_name] = legacy_class(_class, _PillowOnly, __name__)
        __all__.append(_name)


class Decode(PyTensorOperation):
    """Decodes a compressed picture to a Pillow image."""

    _legacy = True

    def _execute_py(self, img: Any) -> Any:
        return _present.Decode(to_pil=True)(img)


class ToTensor(PyTensorOperation):
    """Divides by 255 and puts the channels first.

    Args:
        output_type (numpy.dtype, optional): Type of the result. Default: ``numpy.float32``.
    """

    _legacy = True

    def __init__(self, output_type: Any = np.float32) -> None:
        self.output_type = output_type
        self._type = CONVERSIONS["data_type"](output_type, {"name": "output_type"})

    def _execute_py(self, img: Any) -> np.ndarray:
        return pillow_module().to_tensor(img, self._type)


class ToType(PyTensorOperation):
    """Converts the elements of an array to another type.

    Args:
        output_type (numpy.dtype): Type of the result.
    """

    _legacy = True

    def __init__(self, output_type: Any) -> None:
        self.output_type = output_type
        self._type = CONVERSIONS["data_type"](output_type, {"name": "output_type"})

    def _execute_py(self, img: Any) -> np.ndarray:
        if not isinstance(img, np.ndarray):
            raise TypeError(f"img should be NumPy array. Got {type(img)}.")
        return img.astype(self._type)


class HWC2CHW(PyTensorOperation):
    """Puts the channels of an array first."""

    _legacy = True

    def _execute_py(self, img: Any) -> np.ndarray:
        if not isinstance(img, np.ndarray):
            raise TypeError(f"img should be NumPy array. Got {type(img)}.")
        return img.transpose(2, 0, 1).copy()


class Normalize(PyTensorOperation):
    """Subtracts a mean and divides by a standard deviation; channels come first, values are floats.

    Args:
        mean (Sequence[float]): One for all channels, or one per channel, in [0, 1].
        std (Sequence[float]): One for all channels, or one per channel, in (0, 1].
    """

    _legacy = True
    _pads = False
    dtype = "float32"

    def __init__(self, mean: Sequence[float], std: Sequence[float]) -> None:
        limits = {"low": 0.0, "high": 1.0}
        CONVERSIONS["reals"](mean, {"name": "mean_value", "low_is_open": False, **limits})
        CONVERSIONS["reals"](std, {"name": "std_value", "low_is_open": True, **limits})
        if len(mean) != len(std):
            raise ValueError("Length of mean and std must be equal.")
        self.mean = mean
        self.std = std

    def _execute_py(self, img: Any) -> np.ndarray:
        from mindspore.dataset.vision import py_transforms_util

        return py_transforms_util.normalize(img, self.mean, self.std, self._pads, self.dtype)


class NormalizePad(Normalize):
    """As `Normalize`, with a channel of zeros behind the others.

    Args:
        mean (Sequence[float]): One for all channels, or one per channel, in [0, 1].
        std (Sequence[float]): One for all channels, or one per channel, in (0, 1].
        dtype (str, optional): Type of the result, ``"float32"`` or ``"float16"``. Default: ``"float32"``.
    """

    _pads = True

    def __init__(self, mean: Sequence[float], std: Sequence[float], dtype: str = "float32") -> None:
        super().__init__(mean, std)
        if not isinstance(dtype, str):
            raise TypeError("dtype should be string.")
        if dtype not in ("float32", "float16"):
            raise ValueError("dtype only supports float32 or float16.")
        self.dtype = dtype


class RgbToBgr(PyTensorOperation):
    """Swaps red and blue of an array.

    Args:
        is_hwc (bool, optional): Whether the channels come last, else first. Default: ``False``.
    """

    _legacy = True

    def __init__(self, is_hwc: bool = False) -> None:
        self.is_hwc = is_hwc

    def _execute_py(self, img: Any) -> np.ndarray:
        axis = -1 if self.is_hwc else -3
        if not isinstance(img, np.ndarray) or img.ndim < 3 or img.shape[axis] != 3:
            raise TypeError("img should be an array with 3 channels.")
        return np.flip(img, axis).copy()


__all__ += ["Decode", "HWC2CHW", "Normalize", "NormalizePad", "RgbToBgr", "ToTensor", "ToType"]

__getattr__ = _explains_missing_names(globals())
