# SPDX-License-Identifier: Apache-2.0
"""The Python transforms of images as functions, by the names under which libraries know them.

Pillow images are what `_pillow` does; interpolation may be `Inter` or a filter of Pillow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from PIL import Image

from mindspore._spelling import not_in_this_version as _not_in_this_version
from mindspore.dataset.transforms._operation import is_pillow
from mindspore.dataset.transforms._row_random import random
from mindspore.dataset.vision import _pillow
from mindspore.dataset.vision._pillow import augment_error_message  # noqa: F401  (public here)
from mindspore.dataset.vision.utils import Border, Inter

is_pil = is_pillow
decode = _pillow.decode
to_pil = _pillow.to_pillow
to_tensor = _pillow.to_tensor
horizontal_flip = _pillow.horizontal_flip
vertical_flip = _pillow.vertical_flip
crop = _pillow.crop
center_crop = _pillow.center_crop
rotate = _pillow.rotate
adjust_gamma = _pillow.adjust_gamma


def is_numpy(img: object) -> bool:
    """Whether this is an array of NumPy."""
    return isinstance(img, np.ndarray)


def _require_array(img: object, what: str = "image") -> None:
    if not is_numpy(img):
        raise TypeError(f"img should be NumPy {what}. Got {type(img)}.")


def normalize(
    img: np.ndarray,
    mean: Sequence[float],
    std: Sequence[float],
    pad_channel: bool = False,
    dtype: str = "float32",
) -> np.ndarray:
    """Subtracts a mean and divides by a deviation, channel by channel; channels come first.

    Args:
        img (numpy.ndarray): Three axes of floats.
        mean (Sequence[float]): One for all channels, or one per channel.
        std (Sequence[float]): One for all channels, or one per channel.
        pad_channel (bool, optional): Whether a channel of zeros is added. Default: ``False``.
        dtype (str, optional): Type of the result when one is added. Default: ``"float32"``.

    Returns:
        numpy.ndarray, the result.
    """
    _require_array(img)
    if img.ndim != 3:
        raise TypeError(f"img dimension should be 3. Got {img.ndim}.")
    if np.issubdtype(img.dtype, np.integer):
        raise NotImplementedError(
            f"Unsupported image datatype: [{img.dtype}], pls execute [ToTensor] before [Normalize]."
        )
    if len(mean) != len(std):
        raise ValueError("Length of mean and std must be equal.")
    if len(mean) not in (1, img.shape[0]):
        raise ValueError(
            f"Length of mean and std must both be 1 or equal to the number of channels({img.shape[0]})."
        )
    column = (-1, 1, 1)
    image = (img - np.array(mean, img.dtype).reshape(column)) / np.array(std, img.dtype).reshape(column)
    if not pad_channel:
        return image
    padded = np.concatenate((image, np.zeros((1, *image.shape[1:]), np.float32)))
    return padded.astype(np.float16) if dtype == "float16" else padded


def hwc_to_chw(img: np.ndarray) -> np.ndarray:
    """Channels of an array first; two axes stay as they are."""
    _require_array(img, "array")
    if img.ndim not in (2, 3):
        raise TypeError(f"img dimension should be 2 or 3. Got {img.ndim}.")
    return img if img.ndim == 2 else img.transpose(2, 0, 1).copy()


def to_type(img: np.ndarray, output_type: type | np.dtype | str) -> np.ndarray:
    """An array with elements of another type."""
    _require_array(img)
    try:
        return img.astype(output_type)
    except (TypeError, ValueError) as failure:
        raise RuntimeError(f"output_type: {output_type} is not a valid datatype.") from failure


def resize(
    img: Image.Image, size: int | Sequence[int], interpolation: Inter | int = Inter.BILINEAR
) -> Image.Image:
    """Another size; one number is the shorter edge."""
    return _pillow.resize(img, size, interpolation)


def random_horizontal_flip(img: Image.Image, prob: float) -> Image.Image:
    """Left and right swapped with some probability."""
    _pillow.require_image(img)
    return horizontal_flip(img) if random.random() < prob else img


def random_vertical_flip(img: Image.Image, prob: float) -> Image.Image:
    """Top and bottom swapped with some probability."""
    _pillow.require_image(img)
    return vertical_flip(img) if random.random() < prob else img


def pad(
    img: Image.Image,
    padding: int | Sequence[int] | None,
    fill_value: int | Sequence[int],
    padding_mode: Border | str,
) -> Image.Image:
    """A border; the mode is a `Border` or its value."""
    fill_value = tuple(fill_value) if isinstance(fill_value, list) else fill_value
    return _pillow.pad(img, padding, fill_value, Border(padding_mode))


def random_crop(
    img: Image.Image,
    size: int | Sequence[int],
    padding: int | Sequence[int] | None,
    pad_if_needed: bool,
    fill_value: int | Sequence[int],
    padding_mode: Border | str,
) -> Image.Image:
    """A rectangle at a random place, after padding."""
    fill_value = tuple(fill_value) if isinstance(fill_value, list) else fill_value
    return _pillow.random_crop(img, size, padding, pad_if_needed, fill_value, Border(padding_mode))


def random_resize_crop(
    img: Image.Image,
    size: int | Sequence[int],
    scale: Sequence[float],
    ratio: Sequence[float],
    interpolation: Inter | int = Inter.BILINEAR,
    max_attempts: int = 10,
) -> Image.Image:
    """A box of random size, shape and place, in a fixed size."""
    if scale[0] > scale[1] or ratio[0] > ratio[1]:
        raise ValueError("Range should be in the order of (min, max).")
    return _pillow.random_resized_crop(img, size, scale, ratio, interpolation, max_attempts)


def adjust_brightness(img: Image.Image, brightness_factor: float) -> Image.Image:
    """Brighter above 1, darker below."""
    return _pillow.enhance(img, "Brightness", brightness_factor)


def adjust_contrast(img: Image.Image, contrast_factor: float) -> Image.Image:
    """More contrast above 1, less below."""
    return _pillow.enhance(img, "Contrast", contrast_factor)


def adjust_saturation(img: Image.Image, saturation_factor: float) -> Image.Image:
    """More colour above 1, less below."""
    return _pillow.enhance(img, "Color", saturation_factor)


def adjust_hue(img: Image.Image, hue_factor: float) -> Image.Image:
    """Another hue, by up to half a turn."""
    if not -0.5 <= hue_factor <= 0.5:
        raise ValueError(f"image_hue_factor {hue_factor} is not in [-0.5, 0.5].")
    return _pillow.adjust_hue(img, hue_factor)


def random_color_adjust(
    img: Image.Image,
    brightness: float | Sequence[float],
    contrast: float | Sequence[float],
    saturation: float | Sequence[float],
    hue: float | Sequence[float],
) -> Image.Image:
    """Random factors of ranges; one number v stands for (max(0, 1 - v), 1 + v), of the hue for (-v, v)."""
    ranges = [
        _pillow_range(value, centre)
        for value, centre in ((brightness, 1), (contrast, 1), (saturation, 1), (hue, 0))
    ]
    return _pillow.random_color_adjust(img, *ranges)


def _pillow_range(value: Any, centre: int) -> Any:
    if not isinstance(value, (int, float)):
        return value
    if value < 0:
        raise ValueError(f"A single number cannot be negative, but got {value}.")
    return (max(0, centre - value), centre + value) if centre else (-value, value)


def random_rotation(
    img: Image.Image,
    degrees: float | Sequence[float],
    resample: Inter | int,
    expand: bool,
    center: Sequence[int] | None,
    fill_value: int | Sequence[int],
) -> Image.Image:
    """Turned by a random angle of a range; one number v stands for (-v, v)."""
    low, high = (-degrees, degrees) if isinstance(degrees, (int, float)) else degrees
    if low > high:
        raise ValueError("If degrees is a single number, it cannot be negative.")
    return rotate(img, random.uniform(low, high), resample, expand, center, fill_value)


def random_color(img: Image.Image, degrees: float | Sequence[float]) -> Image.Image:
    """A random factor of the colours."""
    return adjust_saturation(img, random.uniform(*degrees))


def random_sharpness(img: Image.Image, degrees: float | Sequence[float]) -> Image.Image:
    """A random factor of the sharpness."""
    return _pillow.enhance(img, "Sharpness", random.uniform(*degrees))


def five_crop(img: Image.Image, size: int | Sequence[int]) -> tuple:
    """The four corners and the middle."""
    from mindspore.dataset.vision.transforms import FiveCrop

    return FiveCrop(size)(img)


def ten_crop(img: Image.Image, size: int | Sequence[int], use_vertical_flip: bool = False) -> tuple:
    """The five crops, and the five of the image turned round."""
    from mindspore.dataset.vision.transforms import TenCrop

    return TenCrop(size, use_vertical_flip)(img)


def grayscale(img: Image.Image, num_output_channels: int) -> Image.Image:
    """Grey, in one channel or three."""
    if num_output_channels not in (1, 3):
        raise ValueError(f"num_output_channels should be either 1 or 3. Got {num_output_channels}.")
    return _pillow.grayscale(img, num_output_channels)


def auto_contrast(img: Image.Image, cutoff: float, ignore: int | Sequence[int] | None) -> Image.Image:
    """The histogram stretched."""
    return _pillow.by_ops(img, "autocontrast", cutoff, ignore)


def invert_color(img: Image.Image) -> Image.Image:
    """Every value taken from 255."""
    return _pillow.by_ops(img, "invert")


def equalize(img: Image.Image) -> Image.Image:
    """The histogram made even."""
    return _pillow.by_ops(img, "equalize")


def rgb_to_bgr(np_rgb_img: np.ndarray, is_hwc: bool) -> np.ndarray:
    """Red and blue of an array swapped; channels are the last axis, or the first of three."""
    return np_rgb_img[:, :, ::-1] if is_hwc else np_rgb_img[::-1, :, :]


__getattr__ = _not_in_this_version(globals())
