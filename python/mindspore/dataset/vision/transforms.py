# SPDX-License-Identifier: Apache-2.0
"""Transforms of images: natively on arrays, with Pillow on Pillow images.

Signature, checks and documentation of native transforms are made from their schemas.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore._later import defined_classes as _defined_classes
from mindspore._spelling import explains_missing_names as _explains_missing_names
from mindspore.dataset.core.checks import check_type
from mindspore.dataset.transforms._arguments import CONVERSIONS
from mindspore.dataset.transforms._operation import (  # noqa: F401  (users derive their transforms from them)
    Implementation,
    PyTensorOperation,
    TensorOperation,
    not_random,
)
from mindspore.dataset.transforms._row_random import random
from mindspore.dataset.transforms._schema import native_class
from mindspore.dataset.transforms.transforms import TypeCast
from mindspore.dataset.vision._image import (
    ImageTensorOperation,
    PillowOperation,
    PillowOrNative,
    pillow_module,
)
from mindspore.dataset.vision._python_only import *  # noqa: F403

_IMAGE_NEEDED = "img should be PIL image. Got {}. Use Decode() for encoded data or ToPIL() for decoded data."


def _native_class(name: str) -> type:
    return native_class(name, ImageTensorOperation, __name__)


# Nothing is special about these; Pillow images are taken as their pixels.
HorizontalFlip = _native_class("HorizontalFlip")
VerticalFlip = _native_class("VerticalFlip")
MixUpBatch = _native_class("MixUpBatch")
Rescale = _native_class("Rescale")
HWC2CHW = _native_class("HWC2CHW")
Rotate = _native_class("Rotate")
ConvertColor = _native_class("ConvertColor")
ResizedCrop = _native_class("ResizedCrop")
RandomResize = _native_class("RandomResize")
CutOut = _native_class("CutOut")
RandomInvert = _native_class("RandomInvert")
RandomEqualize = _native_class("RandomEqualize")
Posterize = _native_class("Posterize")


class Decode(PillowOrNative, schema="Decode"):
    """Decodes a compressed picture (JPEG, PNG, BMP, TIFF, WebP, the first frame of a GIF) to RGB.

    Transparency is dropped, sixteen bits become eight, the orientation noted by a camera is not applied.

    Args:
        to_pil (bool, optional): Whether the result is a Pillow image, else height x width x 3 of uint8.
            Default: ``False``.

    Raises:
        TypeError: If the input is no one-dimensional array of bytes.
        RuntimeError: If the picture cannot be decoded.
        ValueError: If Pillow cannot decode the picture.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, to_pil: bool = False) -> None:
        check_type(to_pil, bool, "to_pil")
        self._set({})
        self.to_pil = to_pil
        self.implementation = Implementation.PY if to_pil else Implementation.C

    def __call__(self, img: Any) -> Any:
        """Decodes one picture."""
        return self._call((img,), 0)

    def _choices(self) -> tuple[Implementation, ...]:
        return (Implementation.PY if self.to_pil else Implementation.C,)

    def _native(self) -> Any:
        return None if self.to_pil else super()._native()

    def _call(self, inputs: Sequence[Any], stream: int) -> Any:
        values = [self._value(value) for value in inputs]
        if self.to_pil:
            return pillow_module().decode(values[0])
        return super()._call(values, stream)

    def _value(self, value: Any) -> np.ndarray:
        if isinstance(value, bytes):
            return np.frombuffer(value, np.uint8)
        if not isinstance(value, np.ndarray):
            raise TypeError(f"The type of the encoded image should be {np.ndarray}, but got {type(value)}.")
        if value.dtype.type is np.str_:
            raise TypeError(f"The data type of the encoded image can not be {np.str_}.")
        if value.ndim != 1:
            raise TypeError(
                f"The number of array dimensions of the encoded image should be 1, but got {value.ndim}."
            )
        if value.dtype.kind == "S" and value.size == 1:
            return np.frombuffer(value[0], np.uint8)
        return value


class Resize(PillowOrNative, schema="Resize"):  # noqa: D101
    antialias_error = _IMAGE_NEEDED

    def _pillow(self, img: Any) -> Any:
        return pillow_module().resize(img, self.size, self.interpolation)


class Crop(ImageTensorOperation, schema="Crop"):  # noqa: D101
    def _check(self) -> None:
        if len(self.coordinates) != 2:
            raise TypeError("Coordinates should be a list/tuple (y, x) of length 2.")


class CenterCrop(PillowOrNative, schema="CenterCrop"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        return pillow_module().center_crop(img, self.size)


class RandomCrop(PillowOrNative, schema="RandomCrop"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        return pillow_module().random_crop(
            img, self.size, self.padding, self.pad_if_needed, self.fill_value, self.padding_mode
        )


class RandomResizedCrop(PillowOrNative, schema="RandomResizedCrop"):  # noqa: D101
    antialias_error = _IMAGE_NEEDED

    def _pillow(self, img: Any) -> Any:
        return pillow_module().random_resized_crop(
            img, self.size, self.scale, self.ratio, self.interpolation, self.max_attempts
        )


class RandomCropDecodeResize(ImageTensorOperation, schema="RandomCropDecodeResize"):  # noqa: D101
    def __call__(self, img: Any) -> Any:
        """Decodes one picture."""
        return self._call((img,), 0)

    def _value(self, value: Any) -> np.ndarray:
        return Decode._value(self, value)


class RandomHorizontalFlip(PillowOrNative, schema="RandomHorizontalFlip"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        return pillow_module().horizontal_flip(img) if random.random() < self.prob else img


class RandomVerticalFlip(PillowOrNative, schema="RandomVerticalFlip"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        return pillow_module().vertical_flip(img) if random.random() < self.prob else img


class Pad(PillowOrNative, schema="Pad"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        return pillow_module().pad(img, self.padding, self.fill_value, self.padding_mode)


class Normalize(ImageTensorOperation, schema="Normalize"):  # noqa: D101
    def _check(self) -> None:
        if len(self.mean) != len(self.std):
            raise ValueError("Length of mean and std must be equal.")


class NormalizePad(ImageTensorOperation, schema="NormalizePad"):  # noqa: D101
    def _check(self) -> None:
        if len(self.mean) != len(self.std):
            raise ValueError("Length of mean and std must be equal.")
        if self.dtype not in ("float32", "float16"):
            raise ValueError("dtype only supports float32 or float16.")


class ToTensor(PillowOrNative, schema="ToTensor"):  # noqa: D101
    def _choices(self) -> tuple[Implementation, ...]:
        return (Implementation.C,)

    def _pillow(self, img: Any) -> Any:
        return pillow_module().to_tensor(img, np.dtype(self._converted["output_type"]))


class RandomRotation(PillowOrNative, schema="RandomRotation"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        angle = random.uniform(*self._converted["degrees"])
        return pillow_module().rotate(img, angle, self.resample, self.expand, self.center, self.fill_value)


class Affine(ImageTensorOperation, schema="Affine"):  # noqa: D101
    def _set(self, arguments: dict[str, Any]) -> None:
        shear, scale = arguments["shear"], arguments["scale"]
        if isinstance(scale, (int, float)) and not scale > 0:
            raise ValueError("Input scale must be greater than 0.")
        pair = (shear, 0.0) if isinstance(shear, (int, float)) else shear
        super()._set({**arguments, "shear": pair})
        self.shear = shear

    def _check(self) -> None:
        if len(self.translate) != 2:
            raise TypeError("The length of translate should be 2.")


class RandomAffine(ImageTensorOperation, schema="RandomAffine"):  # noqa: D101
    def _check(self) -> None:
        if self.translate is not None and len(self.translate) not in (2, 4):
            raise TypeError("translate should be a list or tuple of length 2 or 4.")
        if self.scale is not None and len(self.scale) != 2:
            raise TypeError("scale should be a list or tuple of length 2.")


class GaussianBlur(ImageTensorOperation, schema="GaussianBlur"):  # noqa: D101
    def _check(self) -> None:
        if any(length % 2 == 0 for length in self._converted["kernel_size"]):
            raise ValueError("Input kernel_size is not an odd value.")


class AdjustGamma(PillowOrNative, schema="AdjustGamma"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        return pillow_module().adjust_gamma(img, self.gamma, self.gain)


class AdjustBrightness(PillowOrNative, schema="AdjustBrightness"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        return pillow_module().enhance(img, "Brightness", self.brightness_factor)


class AdjustContrast(PillowOrNative, schema="AdjustContrast"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        return pillow_module().enhance(img, "Contrast", self.contrast_factor)


class AdjustSaturation(PillowOrNative, schema="AdjustSaturation"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        return pillow_module().enhance(img, "Color", self.saturation_factor)


class AdjustSharpness(PillowOrNative, schema="AdjustSharpness"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        return pillow_module().enhance(img, "Sharpness", self.sharpness_factor)


class AdjustHue(PillowOrNative, schema="AdjustHue"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        return pillow_module().adjust_hue(img, self.hue_factor)


class RandomColorAdjust(PillowOrNative, schema="RandomColorAdjust"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        ranges = (self._converted[name] for name in ("brightness", "contrast", "saturation", "hue"))
        return pillow_module().random_color_adjust(img, *ranges)


class RandomColor(PillowOrNative, schema="RandomColor"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        return pillow_module().enhance(img, "Color", random.uniform(*self.degrees))


class RandomSharpness(PillowOrNative, schema="RandomSharpness"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        return pillow_module().enhance(img, "Sharpness", random.uniform(*self.degrees))


class Invert(PillowOrNative, schema="Invert"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        return pillow_module().by_ops(img, "invert")


class Equalize(PillowOrNative, schema="Equalize"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        return pillow_module().by_ops(img, "equalize")


def _set_contrast(operation: Any, set_all: Any, arguments: dict[str, Any]) -> None:
    """One ignored value stands for a list of one; half of the pixels may not be cut off."""
    cutoff, ignore = arguments["cutoff"], arguments["ignore"]
    if isinstance(cutoff, (int, float)) and not 0 <= cutoff < 50:
        raise ValueError("Input cutoff is not within the required interval of [0, 50).")
    set_all({**arguments, "ignore": [ignore] if isinstance(ignore, int) else ignore})
    operation.ignore = ignore


class AutoContrast(PillowOrNative, schema="AutoContrast"):  # noqa: D101
    def _set(self, arguments: dict[str, Any]) -> None:
        _set_contrast(self, super()._set, arguments)

    def _pillow(self, img: Any) -> Any:
        return pillow_module().by_ops(img, "autocontrast", self.cutoff, self.ignore)


class RandomAutoContrast(ImageTensorOperation, schema="RandomAutoContrast"):  # noqa: D101
    def _set(self, arguments: dict[str, Any]) -> None:
        _set_contrast(self, super()._set, arguments)


class Solarize(ImageTensorOperation, schema="Solarize"):  # noqa: D101
    def _check(self) -> None:
        low, high = self._converted["threshold"]
        if low > high:
            raise ValueError("threshold must be in order of (min, max).")


class RandomSolarize(ImageTensorOperation, schema="RandomSolarize"):  # noqa: D101
    def _check(self) -> None:
        if len(self.threshold) != 2:
            raise ValueError("threshold must be a sequence of two numbers.")
        if self.threshold[0] > self.threshold[1]:
            raise ValueError("threshold must be in order of (min, max).")


class RandomPosterize(ImageTensorOperation, schema="RandomPosterize"):  # noqa: D101
    def _check(self) -> None:
        low, high = self._converted["bits"]
        if low > high:
            raise ValueError("bits value should be in (min,max) format. Got (max,min).")


class ToType(TypeCast):
    """Converts the elements to another type, as `transforms.TypeCast` does.

    Args:
        data_type (Union[mindspore.dtype, numpy.dtype]): The type of the result.

    Supported Platforms:
        ``CPU``
    """


class ToPIL(PillowOperation):
    """Turns pixels into a Pillow image.

    Raises:
        TypeError: If the input is neither an array nor a Pillow image, or has a type Pillow does not know.
        ValueError: If the array has a number of axes or channels Pillow does not know.

    Supported Platforms:
        ``CPU``
    """

    def _execute_py(self, img: Any) -> Any:
        return pillow_module().to_pillow(img)


class ToNumpy(PillowOperation):
    """Turns a Pillow image into pixels.

    Supported Platforms:
        ``CPU``
    """

    ends_pillow = True

    def _execute_py(self, img: Any) -> np.ndarray:
        return np.array(img)


class Grayscale(PillowOperation):
    """Grey of a Pillow image.

    Args:
        num_output_channels (int, optional): 1 or 3. Default: ``1``.

    Raises:
        TypeError: If the input is no Pillow image.
        ValueError: If `num_output_channels` is neither 1 nor 3.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, num_output_channels: int = 1) -> None:
        if num_output_channels not in (1, 3):
            raise ValueError(
                "Number of channels of the output grayscale image should be either 1 or 3. "
                f"Got {num_output_channels}."
            )
        self.num_output_channels = num_output_channels

    def _execute_py(self, img: Any) -> Any:
        return pillow_module().grayscale(img, self.num_output_channels)


class RandomGrayscale(PillowOperation):
    """Grey of a Pillow image with some probability; the number of channels stays.

    Args:
        prob (float, optional): How likely. Default: ``0.1``.

    Supported Platforms:
        ``CPU``
    """

    random = True

    def __init__(self, prob: float = 0.1) -> None:
        CONVERSIONS["real"](prob, {"name": "prob", "low": 0.0, "high": 1.0, "low_is_open": False})
        self.prob = prob

    def _execute_py(self, img: Any) -> Any:
        pillow = pillow_module()
        pillow.require_image(img)
        if random.random() >= self.prob:
            return img
        return pillow.grayscale(img, 3 if img.mode == "RGB" else 1)


__all__ = _defined_classes(globals(), "mindspore.dataset.vision._python_only")

__getattr__ = _explains_missing_names(globals())
