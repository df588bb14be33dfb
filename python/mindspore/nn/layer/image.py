# SPDX-License-Identifier: Apache-2.0
"""How alike two images are, and how an image changes from pixel to pixel."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from mindspore import ops
from mindspore.common import dtype as mstype
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn._description import Argument, documented, takes
from mindspore.nn.cell import Cell
from mindspore.nn.layer.container import CellList
from mindspore.nn.layer.conv import Conv2d
from mindspore.ops._registry import op

# The largest value of every type of pixel; 1 for floating ones.
_RANGES = {
    mstype.uint8: 255,
    mstype.int8: 127,
    mstype.uint16: 65535,
    mstype.int16: 32767,
    mstype.uint32: 4294967295,
    mstype.int32: 2147483647,
}


def _images(owner: str, img1, img2=None) -> None:
    for name, image in (("img1", img1), ("img2", img2)):
        if image is not None and image.ndim != 4:
            raise ValueError(
                f"For '{owner}', the '{name}' must have 4 axes (N, C, H, W), but got {image.ndim}."
            )
    if img2 is None:
        return
    if img1.dtype != img2.dtype:
        raise TypeError(
            f"For '{owner}', 'img1' and 'img2' must have one dtype, but got {img1.dtype} and {img2.dtype}."
        )
    if img1.shape != img2.shape:
        raise ValueError(
            f"For '{owner}', 'img1' and 'img2' must have one shape, but got {img1.shape} and {img2.shape}."
        )


def _positive(*kinds: type) -> Callable:
    """The check for positive numbers of some types."""

    def check_sign(value, name: str, owner: str) -> float:
        if check.of_type(*kinds)(value, name, owner) <= 0:
            raise ValueError(f"For '{owner}', the '{name}' must be greater than 0, but got {value}.")
        return value

    return check_sign


def _unit_pixels(image, max_val):
    """Pixels and their range as floats from 0 to 1."""
    whole = _RANGES.get(image.dtype, 1)
    if image.dtype not in mstype.float_type:
        image = op.cast(image, mstype.float32)
    return (image / whole if whole != 1 else image), max_val / whole


@documented
class ImageGradients(Cell):
    """Differences to the next row and to the next column; zero in the last ones.

    Inputs:
        - **images** (Tensor) - (N, C, H, W).

    Outputs:
        tuple, differences along the height and along the width, like `images`.

    Raises:
        ValueError: `images` does not have four axes.
    """

    def construct(self, images):
        _images(self.cls_name, images)
        rows, columns = images.shape[2:]
        down = op.sub(images[:, :, 1:, :], images[:, :, : rows - 1, :])
        right = op.sub(images[:, :, :, 1:], images[:, :, :, : columns - 1])
        return (
            op.concat((down, op.zeros_like(images[:, :, :1, :])), 2),
            op.concat((right, op.zeros_like(images[:, :, :, :1])), 3),
        )


_MAX_VAL = Argument("max_val", "Union[int, float]", "Range of the pixels.", 1.0, _positive(int, float))
_WINDOW = [
    Argument("filter_size", "int", "Size of the Gaussian window.", 11, _positive(int)),
    Argument("filter_sigma", "float", "Its standard deviation.", 1.5, _positive(float)),
    Argument("k1", "float", "Steadies the comparison of luminance.", 0.01, check.of_type(float)),
    Argument("k2", "float", "Steadies the comparison of contrast.", 0.03, check.of_type(float)),
]


@takes(_MAX_VAL)
class PSNR(Cell):
    """Peak signal to noise ratio in decibels.

    Inputs:
        - **img1** (Tensor) - (N, C, H, W).
        - **img2** (Tensor) - Like `img1`.

    Outputs:
        Tensor, (N,).

    Raises:
        TypeError: `max_val` is no number, or the images' types differ.
        ValueError: `max_val` is not positive, or the shapes do not fit.
    """

    def construct(self, img1, img2):
        _images(self.cls_name, img1, img2)
        first, max_val = _unit_pixels(img1, self.max_val)
        second, _ = _unit_pixels(img2, self.max_val)
        error = op.reduce_mean(op.square(first - second), (-3, -2, -1))
        return op.log(max_val**2 / error) * (10 / math.log(10))


@takes(_MAX_VAL, *_WINDOW)
class _Structure(Cell):
    """Local means and variances under a Gaussian window.

    Inputs:
        - **img1** (Tensor) - (N, C, H, W).
        - **img2** (Tensor) - Like `img1`.

    Outputs:
        Tensor, (N,).

    Raises:
        TypeError: An argument has another type, or the images' types differ.
        ValueError: An argument is out of range, or the shapes do not fit.
    """

    def _window(self) -> Conv2d:
        """The window as a layer, for checkpoints keep it under the name of one."""
        places = np.arange(self.filter_size) - (self.filter_size - 1) / 2
        line = np.exp(-np.square(places) / (2 * self.filter_sigma**2))
        weight = np.outer(line, line)[None, None] / line.sum() ** 2
        layer = Conv2d(1, 1, self.filter_size, pad_mode="valid", weight_init=Tensor(weight, mstype.float32))
        layer.weight.requires_grad = False
        return layer

    def _compare(self, first, second, max_val, layer):
        """Likeness of luminance, and of contrast and structure, (N, C)."""
        channels = first.shape[1]
        window = op.broadcast_to(op.cast(layer.weight, first.dtype), (channels, *layer.weight.shape[1:]))

        def blur(image):
            return ops.conv2d(image, window, groups=channels)

        c1, c2 = (self.k1 * max_val) ** 2, (self.k2 * max_val) ** 2
        mean1, mean2 = blur(first), blur(second)
        product, squares = mean1 * mean2, op.square(mean1) + op.square(mean2)
        luminance = (2 * product + c1) / (squares + c1)
        mixed = blur(first * second) - product
        energy = blur(op.square(first) + op.square(second)) - squares
        contrast = (2 * mixed + c2) / (energy + c2)
        return op.reduce_mean(luminance * contrast, (-2, -1)), op.reduce_mean(contrast, (-2, -1))

    def _check(self, img1, img2) -> None:
        _images(self.cls_name, img1, img2)
        if min(img1.shape[2:]) < self.filter_size:
            raise ValueError(
                f"For '{self.cls_name}', the images must not be smaller than 'filter_size' "
                f"{self.filter_size}, "
                f"but got {img1.shape}."
            )


@takes(_MAX_VAL, *_WINDOW)
class SSIM(_Structure):
    """Structural similarity, 1 for equal images.

    Examples:
        >>> import mindspore as ms
        >>> from mindspore import nn, ops
        >>> image = ops.ones((1, 3, 16, 16), ms.float32)
        >>> print(nn.SSIM()(image, image))
        [1.]
    """

    def _set_up(self) -> None:
        self.conv = self._window()

    def construct(self, img1, img2):
        self._check(img1, img2)
        first, max_val = _unit_pixels(img1, self.max_val)
        second, _ = _unit_pixels(img2, self.max_val)
        return op.reduce_mean(self._compare(first, second, max_val, self.conv)[0], (-1,))


@takes(
    _MAX_VAL,
    Argument(
        "power_factors",
        "Union[tuple, list]",
        "Weight of every scale.",
        (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
        check.of_type(tuple, list),
    ),
    *_WINDOW,
)
class MSSSIM(_Structure):
    """Structural similarity over several scales, 1 for equal images."""

    def _set_up(self) -> None:
        self.halve = ops.AvgPool(2, 2, "valid")
        self.multi_convs_list = CellList([self._window() for _ in self.power_factors])

    def construct(self, img1, img2):
        _images(self.cls_name, img1, img2)
        first, max_val = _unit_pixels(img1, self.max_val)
        second, _ = _unit_pixels(img2, self.max_val)
        total, last = 1.0, len(self.power_factors) - 1
        for scale, power in enumerate(self.power_factors):
            if scale > 0:
                first, second = self.halve(first), self.halve(second)
            self._check(first, second)
            whole, contrast = self._compare(first, second, max_val, self.multi_convs_list[scale])
            total = total * op.pow(op.relu(whole if scale == last else contrast), power)
        return op.reduce_mean(total, (-1,))


__all__ = ["ImageGradients", "MSSSIM", "PSNR", "SSIM"]
