# SPDX-License-Identifier: Apache-2.0
"""Transforms of images: natively on arrays, with Pillow on Pillow images.

Classes without a body are made from the schema of the native transform: signature, checks and documentation.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from mindspore.dataset.core.checks import check_type
from mindspore.dataset.transforms._arguments import CONVERSIONS
from mindspore.dataset.transforms._operation import Implementation, is_pillow
from mindspore.dataset.transforms.transforms import TypeCast
from mindspore.dataset.vision._image import ImageTensorOperation, PillowOperation, PillowOrNative
from mindspore.dataset.vision.utils import Border, Inter

_IMAGE_NEEDED = (
    "img should be PIL image. Got {}. Use Decode() for encoded data or ToPIL() for decoded data."
)


def _pillow_module() -> Any:
    from mindspore.dataset.vision import _pillow

    return _pillow


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
            return _pillow_module().decode(values[0])
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
        return _pillow_module().resize(img, self.size, self.interpolation)


class Crop(ImageTensorOperation, schema="Crop"):  # noqa: D101
    def _check(self) -> None:
        if len(self.coordinates) != 2:
            raise TypeError("Coordinates should be a list/tuple (y, x) of length 2.")


class CenterCrop(PillowOrNative, schema="CenterCrop"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        return _pillow_module().center_crop(img, self.size)


class RandomCrop(PillowOrNative, schema="RandomCrop"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        return _pillow_module().random_crop(
            img, self.size, self.padding, self.pad_if_needed, self.fill_value, self.padding_mode
        )


class RandomResizedCrop(PillowOrNative, schema="RandomResizedCrop"):  # noqa: D101
    antialias_error = _IMAGE_NEEDED

    def _pillow(self, img: Any) -> Any:
        return _pillow_module().random_resized_crop(
            img, self.size, self.scale, self.ratio, self.interpolation, self.max_attempts
        )


class RandomCropDecodeResize(ImageTensorOperation, schema="RandomCropDecodeResize"):  # noqa: D101
    def __call__(self, img: Any) -> Any:
        """Decodes one picture."""
        return self._call((img,), 0)

    def _value(self, value: Any) -> np.ndarray:
        return Decode._value(self, value)


class HorizontalFlip(ImageTensorOperation, schema="HorizontalFlip"):  # noqa: D101
    pass


class VerticalFlip(ImageTensorOperation, schema="VerticalFlip"):  # noqa: D101
    pass


class RandomHorizontalFlip(PillowOrNative, schema="RandomHorizontalFlip"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        return _pillow_module().horizontal_flip(img) if random.random() < self.prob else img


class RandomVerticalFlip(PillowOrNative, schema="RandomVerticalFlip"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        return _pillow_module().vertical_flip(img) if random.random() < self.prob else img


class Pad(PillowOrNative, schema="Pad"):  # noqa: D101
    def _pillow(self, img: Any) -> Any:
        return _pillow_module().pad(img, self.padding, self.fill_value, self.padding_mode)


class Normalize(ImageTensorOperation, schema="Normalize"):  # noqa: D101
    def _check(self) -> None:
        if len(self.mean) != len(self.std):
            raise ValueError("Length of mean and std must be equal.")


class Rescale(ImageTensorOperation, schema="Rescale"):  # noqa: D101
    pass


class HWC2CHW(ImageTensorOperation, schema="HWC2CHW"):  # noqa: D101
    pass


class ToTensor(PillowOrNative, schema="ToTensor"):  # noqa: D101
    def _choices(self) -> tuple[Implementation, ...]:
        return (Implementation.C,)

    def _pillow(self, img: Any) -> Any:
        return _pillow_module().to_tensor(img, np.dtype(self._converted["output_type"]))


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
        return _pillow_module().to_pillow(img)


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
        return _pillow_module().grayscale(img, self.num_output_channels)


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
        pillow = _pillow_module()
        pillow.require_image(img)
        if random.random() >= self.prob:
            return img
        return pillow.grayscale(img, 3 if img.mode == "RGB" else 1)
