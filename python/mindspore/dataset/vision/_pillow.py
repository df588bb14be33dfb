# SPDX-License-Identifier: Apache-2.0
"""The image transforms on Pillow images. Nothing here is imported before a Pillow image is there."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
from PIL import Image, ImageEnhance, ImageOps

from mindspore.dataset.transforms._row_random import random
from mindspore.dataset.vision.utils import Border, Inter, parse_padding

augment_error_message = (
    "img should be PIL image. Got {}. Use Decode() for encoded data or ToPIL() for decoded data."
)


def require_image(img: Any) -> None:
    """TypeError unless this is a Pillow image."""
    if not isinstance(img, Image.Image):
        raise TypeError(augment_error_message.format(type(img)))


def to_array(img: Any) -> np.ndarray:
    """The pixels."""
    if isinstance(img, np.ndarray):
        return img
    require_image(img)
    return np.array(img)


def decode(encoded: Any) -> Image.Image:
    """An image from the bytes of a file."""
    try:
        data = encoded.tobytes() if isinstance(encoded, np.ndarray) else encoded
        return Image.open(io.BytesIO(data)).convert("RGB")
    except OSError as failure:
        raise ValueError(f"{failure}: Failed to decode given image.") from failure


def to_pillow(img: Any) -> Image.Image:
    """An image from pixels."""
    if isinstance(img, Image.Image):
        return img
    if not isinstance(img, np.ndarray):
        raise TypeError(f"The input should be of type numpy.ndarray or PIL.Image.Image. Got {type(img)}.")
    if img.ndim not in (2, 3):
        raise ValueError(f"The dimension of input image should be 2 or 3. Got {img.ndim}.")
    if img.ndim == 3 and img.shape[-1] > 4:
        raise ValueError(f"The channel of input image should not exceed 4. Got {img.shape[-1]}.")
    if img.ndim == 3 and img.shape[-1] == 1:
        img = np.squeeze(img, axis=2)
    if img.ndim == 3 and img.dtype != np.uint8:
        raise TypeError(
            f"The input image type {img.dtype} is not supported when image shape is "
            "[H, W, 2], [H, W, 3] or [H, W, 4]."
        )
    try:
        return Image.fromarray(img)
    except TypeError as failure:
        raise TypeError(f"The input image type {img.dtype} is not supported by Pillow.") from failure


def pillow_filter(interpolation: Inter | int) -> int:
    """Pillow's filter for a mode; a filter is taken as it is."""
    if not isinstance(interpolation, Inter):
        return interpolation
    chosen = Inter.to_python_type(interpolation)
    if chosen is None:
        raise TypeError("Current Interpolation is not supported with PIL input.")
    return chosen


def resize(img: Any, size: Any, interpolation: Inter) -> Image.Image:
    """Another size; one number is the shorter edge."""
    require_image(img)
    chosen = pillow_filter(interpolation)
    if not isinstance(size, int):
        return img.resize((size[1], size[0]), chosen)
    width, height = img.size
    if min(width, height) == size:
        return img
    if width < height:
        return img.resize((size, int(size * height / width)), chosen)
    return img.resize((int(size * width / height), size), chosen)


def crop(img: Image.Image, top: int, left: int, height: int, width: int) -> Image.Image:
    """A rectangle; black where it leaves the picture."""
    require_image(img)
    return img.crop((left, top, left + width, top + height))


def center_crop(img: Image.Image, size: Any) -> Image.Image:
    """The middle."""
    require_image(img)
    height, width = (size, size) if isinstance(size, int) else size
    return crop(img, round((img.height - height) / 2.0), round((img.width - width) / 2.0), height, width)


def pad(img: Image.Image, padding: Any, fill_value: Any, mode: Border) -> Image.Image:
    """A border."""
    require_image(img)
    left, top, right, bottom = parse_padding(padding)
    if mode is Border.CONSTANT:
        if isinstance(fill_value, tuple) and len(img.getbands()) == 1:
            fill_value = fill_value[0]
        if img.mode == "P":
            palette = img.getpalette()
            image = ImageOps.expand(img, border=(left, top, right, bottom), fill=fill_value)
            image.putpalette(palette)
            return image
        if isinstance(fill_value, int) and len(img.getbands()) == 3:
            fill_value = (fill_value,) * 3
        return ImageOps.expand(img, border=(left, top, right, bottom), fill=fill_value)
    widths = ((top, bottom), (left, right), (0, 0))
    pixels = np.asarray(img)
    return Image.fromarray(np.pad(pixels, widths[: pixels.ndim], Border.to_python_type(mode)))


def random_crop(
    img: Image.Image, size: Any, padding: Any, pad_if_needed: bool, fill: Any, mode: Border
) -> Image.Image:
    """A rectangle at a random place."""
    require_image(img)
    height, width = (size, size) if isinstance(size, int) else size
    if padding is not None:
        img = pad(img, padding, fill, mode)
    if pad_if_needed and img.width < width:
        img = pad(img, (width - img.width, 0), fill, mode)
    if pad_if_needed and img.height < height:
        img = pad(img, (0, height - img.height), fill, mode)
    if width > img.width or height > img.height:
        raise ValueError(
            f"Crop size {(height, width)} is larger than input image size {(img.height, img.width)}."
        )
    if (img.height, img.width) == (height, width):
        return img
    top = random.randint(0, img.height - height)
    left = random.randint(0, img.width - width)
    return crop(img, top, left, height, width)


def random_resized_crop(
    img: Image.Image, size: Any, scale: Any, ratio: Any, interpolation: Inter, attempts: int
) -> Image.Image:
    """A box of random size, shape and place, in a fixed size."""
    require_image(img)
    pillow_filter(interpolation)
    box = _random_box(img.width, img.height, scale, ratio, attempts)
    size = (size, size) if isinstance(size, int) else size
    return resize(crop(img, *box), size, interpolation)


def _random_box(width: int, height: int, scale: Any, ratio: Any, attempts: int) -> tuple[int, int, int, int]:
    for _ in range(attempts):
        area = random.uniform(scale[0], scale[1]) * width * height
        aspect = math.exp(random.uniform(math.log(ratio[0]), math.log(ratio[1])))
        w = max(1, round(math.sqrt(area * aspect)))
        h = max(1, round(w / aspect))
        if w <= width and h <= height:
            return random.randint(0, height - h), random.randint(0, width - w), h, w
    w, h = width, height
    if width / height < ratio[0]:
        h = round(width / ratio[0])
    elif width / height > ratio[1]:
        w = round(height * ratio[1])
    return round((height - h) / 2.0), round((width - w) / 2.0), h, w


def horizontal_flip(img: Image.Image) -> Image.Image:
    """Left and right swapped."""
    require_image(img)
    return img.transpose(Image.Transpose.FLIP_LEFT_RIGHT)


def vertical_flip(img: Image.Image) -> Image.Image:
    """Top and bottom swapped."""
    require_image(img)
    return img.transpose(Image.Transpose.FLIP_TOP_BOTTOM)


def to_tensor(img: Any, output_type: Any) -> np.ndarray:
    """Channels first, divided by 255."""
    pixels = to_array(img)
    if pixels.ndim not in (2, 3):
        raise ValueError(f"The dimension of input image should be 2 or 3. Got {pixels.ndim}.")
    if pixels.ndim == 2:
        pixels = pixels[:, :, None]
    return (np.moveaxis(pixels, 2, 0) / 255.0).astype(output_type)


def grayscale(img: Image.Image, num_output_channels: int) -> Image.Image:
    """Pillow's grey, in one channel or three."""
    require_image(img)
    grey = img.convert("L")
    return grey if num_output_channels == 1 else Image.merge("RGB", [grey] * 3)


def enhance(img: Image.Image, what: str, factor: float) -> Image.Image:
    """Brightness, Contrast, Color or Sharpness."""
    require_image(img)
    return getattr(ImageEnhance, what)(img).enhance(factor)


def adjust_hue(img: Image.Image, factor: float) -> Image.Image:
    """Another hue; pictures without colours stay as they are."""
    require_image(img)
    if img.mode in ("L", "1", "I", "F"):
        return img
    hue, saturation, value = img.convert("HSV").split()
    turned = np.array(hue, np.uint8) + np.uint8(int(factor * 255) % 256)
    return Image.merge("HSV", (Image.fromarray(turned), saturation, value)).convert(img.mode)


def random_color_adjust(
    img: Image.Image, brightness: Any, contrast: Any, saturation: Any, hue: Any
) -> Image.Image:
    """All factors are drawn first, then the order."""
    require_image(img)
    steps = []
    for what, ends in (("Brightness", brightness), ("Contrast", contrast), ("Color", saturation)):
        if list(ends) != [1, 1]:
            steps.append((what, random.uniform(*ends)))
    if list(hue) != [0, 0]:
        steps.append(("Hue", random.uniform(*hue)))
    random.shuffle(steps)
    for what, factor in steps:
        img = adjust_hue(img, factor) if what == "Hue" else enhance(img, what, factor)
    return img


def by_ops(img: Image.Image, function: str, *args: Any) -> Image.Image:
    """A function of `ImageOps`."""
    require_image(img)
    return getattr(ImageOps, function)(img, *args)


def rotate(
    img: Image.Image, angle: float, resample: Inter, expand: bool, center: Any, fill_value: Any
) -> Image.Image:
    """Against the clock."""
    require_image(img)
    fill = fill_value[0] if isinstance(fill_value, tuple) and len(img.getbands()) == 1 else fill_value
    fill = (fill,) * 3 if isinstance(fill, int) and len(img.getbands()) == 3 else fill
    return img.rotate(angle, pillow_filter(resample), expand, center, fillcolor=fill)


def random_perspective(img: Image.Image, scale: float, interpolation: Inter) -> Image.Image:
    """Each corner moves inwards by a random share of half the picture."""
    width, height = img.size
    across, down = int(scale * width / 2), int(scale * height / 2)

    def inwards(x: int, y: int) -> tuple[int, int]:
        dx, dy = random.randint(0, across), random.randint(0, down)
        return (dx if x == 0 else width - 1 - dx), (dy if y == 0 else height - 1 - dy)

    ends = [inwards(x, y) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
    starts = [(0, 0), (width - 1, 0), (width - 1, height - 1), (0, height - 1)]
    rows, values = [], []
    for (x, y), (u, v) in zip(ends, starts, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        values += [u, v]
    coefficients = np.linalg.lstsq(np.array(rows, np.float64), np.array(values, np.float64), rcond=None)[0]
    return img.transform(
        (width, height), Image.Transform.PERSPECTIVE, list(coefficients), pillow_filter(interpolation)
    )


def adjust_gamma(img: Image.Image, gamma: float, gain: float) -> Image.Image:
    """A power of every value."""
    require_image(img)
    table = [min(255, int((255 + 1 - 1e-3) * gain * (value / 255.0) ** gamma)) for value in range(256)]
    mode = img.mode
    return img.convert("RGB").point(table * 3).convert(mode)
