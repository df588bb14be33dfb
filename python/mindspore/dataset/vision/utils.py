# SPDX-License-Identifier: Apache-2.0
"""Enumerations of the image transforms, and functions on image files."""

from __future__ import annotations

import os
from enum import Enum, IntEnum
from typing import Any

import numpy as np

from mindspore import _c_data
from mindspore.dataset.transforms._operation import is_pillow
from mindspore.dataset.vision._video import read_video, read_video_timestamps  # noqa: F401  (public here)

# Pillow's numbers, for code that still spells them this way.
NEAREST, ANTIALIAS, LINEAR, CUBIC = 0, 1, 2, 3
FLIP_LEFT_RIGHT, FLIP_TOP_BOTTOM = 0, 1
AFFINE, PERSPECTIVE = 0, 2


class _Numbered:
    """An enumeration whose members have a number for the native side."""

    @classmethod
    def to_c_type(cls, member: Any) -> int:
        """The number of a member."""
        if not isinstance(member, cls):
            raise RuntimeError(f"{member} is not a member of {cls.__name__}")
        return list(cls).index(member) if isinstance(member.value, str) else int(member.value)


class Inter(_Numbered, IntEnum):
    """How pixels between pixels are computed.

    NEAREST takes the nearest one, LINEAR (BILINEAR) four, CUBIC (BICUBIC) sixteen, AREA the mean of what a
    pixel covers, PILCUBIC and ANTIALIAS are filters of Pillow.
    """

    NEAREST = 0
    ANTIALIAS = 1
    BILINEAR = LINEAR = 2
    BICUBIC = CUBIC = 3
    AREA = 4
    PILCUBIC = 5

    @staticmethod
    def to_python_type(inter_type: Inter) -> int | None:
        """Pillow's filter; None for those it does not have."""
        from PIL import Image

        filters = Image.Resampling
        return {
            Inter.NEAREST: filters.NEAREST,
            Inter.ANTIALIAS: filters.LANCZOS,
            Inter.LINEAR: filters.BILINEAR,
            Inter.CUBIC: filters.BICUBIC,
        }.get(inter_type)


class Border(_Numbered, str, Enum):
    """What a border around a picture shows.

    CONSTANT one colour, EDGE the outermost pixel, REFLECT the picture mirrored without its edge, SYMMETRIC
    mirrored with its edge.
    """

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"

    @staticmethod
    def to_python_type(border_type: Border) -> str:
        """NumPy's word for it."""
        return border_type.value


class ConvertMode(_Numbered, IntEnum):
    """Conversions between orders of colours."""

    COLOR_BGR2BGRA = COLOR_RGB2RGBA = 0
    COLOR_BGRA2BGR = COLOR_RGBA2RGB = 1
    COLOR_BGR2RGBA = COLOR_RGB2BGRA = 2
    COLOR_RGBA2BGR = COLOR_BGRA2RGB = 3
    COLOR_BGR2RGB = COLOR_RGB2BGR = 4
    COLOR_BGRA2RGBA = COLOR_RGBA2BGRA = 5
    COLOR_BGR2GRAY = 6
    COLOR_RGB2GRAY = 7
    COLOR_GRAY2BGR = COLOR_GRAY2RGB = 8
    COLOR_GRAY2BGRA = COLOR_GRAY2RGBA = 9
    COLOR_BGRA2GRAY = 10
    COLOR_RGBA2GRAY = 11


class ImageBatchFormat(_Numbered, IntEnum):
    """Order of the axes of a batch of images."""

    NHWC = 0
    NCHW = 1


class ImageReadMode(_Numbered, IntEnum):
    """How `read_image` treats the channels."""

    UNCHANGED = 0
    GRAYSCALE = 1
    COLOR = 2


class SliceMode(_Numbered, IntEnum):
    """What happens to pixels that do not fill a patch."""

    PAD = 0
    DROP = 1


class AutoAugmentPolicy(_Numbered, str, Enum):
    """The data set whose policies are taken."""

    IMAGENET = "imagenet"
    CIFAR10 = "cifar10"
    SVHN = "svhn"


def parse_padding(padding: Any) -> tuple[int, int, int, int]:
    """One number, (left and right, top and bottom) or four as left, top, right, bottom."""
    if isinstance(padding, int):
        return (padding,) * 4
    if len(padding) == 2:
        across, down = padding
        return (across, down, across, down)
    return tuple(padding)


def encode_jpeg(image: np.ndarray, quality: int = 75) -> np.ndarray:
    """A picture as the bytes of a JPEG file.

    Args:
        image (Union[numpy.ndarray, mindspore.Tensor]): Height x width, or height x width x 1 or 3, of uint8.
        quality (int, optional): From 1 to 100. Default: ``75``.

    Returns:
        numpy.ndarray, one axis of uint8.

    Raises:
        TypeError: If `image` is not an array or `quality` not an int.
        RuntimeError: If the image or the quality does not fit.

    Supported Platforms:
        ``CPU``
    """
    _check_argument(quality, int, "quality")
    return _c_data.encode_jpeg(_array(image), quality)


def encode_png(image: np.ndarray, compression_level: int = 6) -> np.ndarray:
    """A picture as the bytes of a PNG file.

    Args:
        image (Union[numpy.ndarray, mindspore.Tensor]): Height x width, or height x width x 1 or 3, of uint8.
        compression_level (int, optional): From 0 to 9. Default: ``6``.

    Returns:
        numpy.ndarray, one axis of uint8.

    Raises:
        TypeError: If `image` is not an array or `compression_level` not an int.
        RuntimeError: If the image or the level does not fit.

    Supported Platforms:
        ``CPU``
    """
    _check_argument(compression_level, int, "compression_level")
    return _c_data.encode_png(_array(image), compression_level)


def get_image_num_channels(image: Any) -> int:
    """How many channels an image has.

    Args:
        image (Union[numpy.ndarray, PIL.Image.Image]): The image.

    Returns:
        int, the number of channels.

    Raises:
        RuntimeError: If an array has fewer than two axes.
        TypeError: If it is neither.

    Supported Platforms:
        ``CPU``
    """
    if is_pillow(image):
        return len(image.getbands())
    shape = _image_shape(image, "GetImageNumChannels")
    return 1 if len(shape) == 2 else int(shape[-1])


def get_image_size(image: Any) -> list[int]:
    """Height and width of an image.

    Args:
        image (Union[numpy.ndarray, PIL.Image.Image]): The image.

    Returns:
        list[int], height and width.

    Raises:
        RuntimeError: If an array has fewer than two axes.
        TypeError: If it is neither.

    Supported Platforms:
        ``CPU``
    """
    if is_pillow(image):
        return [image.height, image.width]
    shape = _image_shape(image, "GetImageSize")
    return [int(length) for length in (shape if len(shape) == 2 else shape[-3:-1])]


def read_file(filename: str) -> np.ndarray:
    """The bytes of a file.

    Args:
        filename (str): Path of the file.

    Returns:
        numpy.ndarray, one axis of uint8.

    Raises:
        TypeError: If `filename` is not a str.
        RuntimeError: If there is no such file.

    Supported Platforms:
        ``CPU``
    """
    _check_readable(filename, "ReadFile")
    return np.fromfile(filename, np.uint8)


def read_image(filename: str, mode: ImageReadMode = ImageReadMode.UNCHANGED) -> np.ndarray:
    """Reads and decodes an image file.

    Args:
        filename (str): Path of a JPEG, PNG, BMP, TIFF, WebP or GIF file.
        mode (ImageReadMode, optional): How the channels are treated. Default: ``ImageReadMode.UNCHANGED``.

    Returns:
        numpy.ndarray, height x width x channels of uint8.

    Raises:
        TypeError: If an argument has a wrong type.
        RuntimeError: If the file does not exist or cannot be decoded.

    Supported Platforms:
        ``CPU``
    """
    _check_argument(mode, ImageReadMode, "mode")
    _check_readable(filename, "ReadImage")
    encoded = np.fromfile(filename, np.uint8)
    native = _c_data.make_transform("Decode", {})
    (pixels,) = native.apply([encoded], 0, 0)
    if mode is ImageReadMode.UNCHANGED and _is_grey_file(encoded):
        return np.ascontiguousarray(pixels[:, :, :1])
    if mode is ImageReadMode.GRAYSCALE:
        (pixels,) = _c_data.make_transform(
            "ConvertColor", {"convert_mode": int(ConvertMode.COLOR_RGB2GRAY)}
        ).apply([pixels], 0, 0)
        return pixels[:, :, None]
    return pixels


def write_file(filename: str, data: Any) -> None:
    """Writes bytes to a file.

    Args:
        filename (str): Path of the file.
        data (Union[numpy.ndarray, mindspore.Tensor]): One axis of uint8.

    Raises:
        TypeError: If an argument has a wrong type.
        RuntimeError: If the file cannot be written.

    Supported Platforms:
        ``CPU``
    """
    _check_argument(filename, str, "filename")
    data = _array(data, "data")
    if data.dtype != np.uint8:
        raise RuntimeError(
            f"WriteFile: The type of the elements of data should be UINT8, but got {data.dtype}."
        )
    if data.ndim != 1:
        raise RuntimeError(
            "WriteFile: The data has invalid dimensions. It should have only one dimension, but got "
            f"{data.ndim} dimensions."
        )
    if filename == "" or os.path.isdir(filename):
        raise RuntimeError(f"WriteFile: Invalid file path, {filename} is not a regular file.")
    try:
        data.tofile(filename)
    except OSError as failure:
        raise RuntimeError(f"WriteFile: Invalid file path, {filename}: {failure.strerror}.") from failure


def write_jpeg(filename: str, image: Any, quality: int = 75) -> None:
    """Writes a picture as a JPEG file.

    Args:
        filename (str): Path of the file.
        image (Union[numpy.ndarray, mindspore.Tensor]): The image, as for `encode_jpeg`.
        quality (int, optional): From 1 to 100. Default: ``75``.

    Raises:
        TypeError: If an argument has a wrong type.
        RuntimeError: If the image or the quality does not fit, or the file cannot be written.

    Supported Platforms:
        ``CPU``
    """
    _check_argument(filename, str, "filename")
    _check_written_image(image, "Input image")
    write_file(filename, encode_jpeg(image, quality))


def write_png(filename: str, image: Any, compression_level: int = 6) -> None:
    """Writes a picture as a PNG file.

    Args:
        filename (str): Path of the file.
        image (Union[numpy.ndarray, mindspore.Tensor]): The image, as for `encode_png`.
        compression_level (int, optional): From 0 to 9. Default: ``6``.

    Raises:
        TypeError: If an argument has a wrong type.
        RuntimeError: If the image or the level does not fit, or the file cannot be written.

    Supported Platforms:
        ``CPU``
    """
    _check_argument(filename, str, "filename")
    _check_written_image(image, "The input image")
    write_file(filename, encode_png(image, compression_level))


def _array(value: Any, name: str = "image") -> np.ndarray:
    if hasattr(value, "asnumpy"):
        value = value.asnumpy()
    if not isinstance(value, np.ndarray):
        raise TypeError(
            f"Input {name} is not of type [numpy.ndarray, mindspore.Tensor], but got: {type(value)}."
        )
    return value


def _image_shape(image: Any, name: str) -> tuple[int, ...]:
    if not isinstance(image, np.ndarray):
        raise TypeError(
            f"Input image is not of type <class 'numpy.ndarray'> or <class 'PIL.Image.Image'>, "
            f"but got: {type(image)}."
        )
    if image.ndim < 2:
        raise RuntimeError(
            f"{name}: invalid parameter, image should have at least two dimensions, but got: {image.ndim}"
        )
    return image.shape


def _check_readable(filename: Any, name: str) -> None:
    _check_argument(filename, str, "filename")
    if not os.path.exists(filename):
        raise RuntimeError(f"{name}: Invalid file path, {filename} does not exist.")
    if not os.path.isfile(filename):
        raise RuntimeError(f"{name}: Invalid file path, {filename} is not a regular file.")


def _check_argument(value: Any, kind: type, name: str) -> None:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
        raise TypeError(f"Input {name} is not of type [{kind}], but got: {type(value)}.")


def _is_grey_file(encoded: np.ndarray) -> bool:
    """Whether a file says that it has no colours: PNG in its header, JPEG in its frame."""
    data = encoded.tobytes()
    if data.startswith(b"\x89PNG"):
        return len(data) > 25 and data[25] in (0, 4)
    position = 2
    while data.startswith(b"\xff\xd8") and position + 9 < len(data) and data[position] == 0xFF:
        mark = data[position + 1]
        if 0xC0 <= mark <= 0xCF and mark not in (0xC4, 0xC8, 0xCC):
            return data[position + 9] == 1
        position += 2 + int.from_bytes(data[position + 2 : position + 4], "big")
    return False


def _check_written_image(image: Any, name: str) -> None:
    if not isinstance(image, np.ndarray) and not hasattr(image, "asnumpy"):
        raise TypeError(f"{name} is not of type [numpy.ndarray, mindspore.Tensor], but got: {type(image)}.")
    dtype = _array(image).dtype
    if dtype != np.uint8:
        raise RuntimeError(f"The type of the elements of image should be UINT8, but got {dtype}.")
