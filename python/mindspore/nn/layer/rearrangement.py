# SPDX-License-Identifier: Apache-2.0
"""Layers that move, cut, enlarge or rescale the cells of images."""

from __future__ import annotations

from mindspore import _checkparam as validator
from mindspore import log as logger
from mindspore.nn import _checks as check
from mindspore.nn._arguments import LENGTHS
from mindspore.nn._description import Argument, takes
from mindspore.nn.cell import Cell
from mindspore.ops._primitives.image import resize
from mindspore.ops._primitives.windows import patches
from mindspore.ops._registry import op
from mindspore.ops.function import arrangement, neural

_SIZES = "Union[tuple[int], list[int]]"


def _padding(value, name: str, owner: str):
    check.one_of(str(value).upper(), ("SAME", "VALID"), name, owner)
    return value


@takes(
    Argument("ksizes", _SIZES, "(1, height, width, 1) of a window."),
    Argument("strides", _SIZES, "(1, height, width, 1) between windows."),
    Argument("rates", _SIZES, "(1, height, width, 1) between the cells of a window."),
    Argument("padding", "str", '``"same"`` or ``"valid"``.', "valid", _padding),
)
class Unfold(Cell):
    """Windows of images as channels.

    Inputs:
        - **input_x** (Tensor) - (N, C, H, W).

    Outputs:
        Tensor, (N, height * width * C, H', W').

    Raises:
        TypeError: An argument is neither tuple nor list of ints.
        ValueError: An argument has another length, or its first or last number is not 1.
    """

    def _set_up(self, ksizes, strides, rates) -> None:
        self._sizes = tuple(
            self._inner(value, name)
            for name, value in (("ksize", ksizes), ("stride", strides), ("rate", rates))
        )

    @staticmethod
    def _inner(value, name: str) -> tuple[int, int]:
        if not isinstance(value, (tuple, list)):
            raise TypeError(
                f"For 'Unfold', the type of '{name}s' must be a tuple or list, but got {value!r}."
            )
        if len(value) != 4 or value[0] != 1 or value[3] != 1:
            raise ValueError(
                f"For 'Unfold', the format of '{name}s' must be [1, {name}_row, {name}_col, 1], but got "
                f"{value}."
            )
        numbers = tuple(value[1:3])
        if any(isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in numbers):
            raise ValueError(f"For 'Unfold', the '{name}s' must hold positive ints, but got {value}.")
        return numbers

    def construct(self, input_x):
        return patches("Unfold", input_x, *self._sizes, self.padding)


@takes(Argument("upscale_factor", "int", "r."))
class PixelShuffle(Cell):
    """Channels become cells of a larger plane: (N, C * r^2, H, W) to (N, C, H * r, W * r).

    Inputs:
        - **input** (Tensor) - (..., C * r^2, H, W).

    Outputs:
        Tensor, (..., C, H * r, W * r).
    """

    def construct(self, input):
        return arrangement.pixel_shuffle(input, self.upscale_factor)


@takes(Argument("downscale_factor", "int", "r."))
class PixelUnshuffle(Cell):
    """Undoes :class:`PixelShuffle`.

    Inputs:
        - **input** (Tensor) - (..., C, H * r, W * r).

    Outputs:
        Tensor, (..., C * r^2, H, W).
    """

    def construct(self, input):
        return arrangement.pixel_unshuffle(input, self.downscale_factor)


def _groups(value, name: str, owner: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"For '{owner}', the '{name}' must be int, but got {type(value)}.")
    if value < 1:
        raise ValueError(f"For '{owner}', the '{name}' must be positive, but got {value}.")
    return value


@takes(Argument("groups", "int", "Number of groups.", check=_groups))
class ChannelShuffle(Cell):
    """Mixes groups of channels: the first of every group, then the second, and so on.

    Inputs:
        - **x** (Tensor) - (N, C, ...).

    Outputs:
        Tensor, shape of `x`.
    """

    def construct(self, x):
        return arrangement.channel_shuffle(x, self.groups)


_AGAIN = "Whether the factor is computed again from the lengths."
_MODES = (
    '``"nearest"``, ``"linear"``, ``"bilinear"``, ``"bicubic"``, ``"trilinear"``, ``"area"`` or '
    '``"nearest-exact"``.'
)


@takes(
    Argument("size", LENGTHS, "Lengths of the output.", None),
    Argument("scale_factor", "Union[float, tuple[float]]", "The same as a multiple of the input.", None),
    Argument("mode", "str", _MODES, "nearest"),
    Argument("align_corners", "bool", "Whether corners stay where they are.", None),
    Argument(
        "recompute_scale_factor", "bool", "Whether the factor is computed again from the lengths.", None
    ),
)
class Upsample(Cell):
    """Resizes sequences, planes or volumes.

    Inputs:
        - **x** (Tensor) - (N, C, ...).

    Outputs:
        Tensor.
    """

    def construct(self, x):
        return neural.interpolate(
            x, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )


@takes(
    Argument(
        "half_pixel_centers",
        "bool",
        "Whether a pixel is a square with its value in the middle, not a point.",
        False,
    )
)
class ResizeBilinear(Cell):
    """Resizes images linearly in both directions, as :class:`mindspore.ops.ResizeBilinearV2` does now.

    Inputs:
        - **x** (Tensor) - (N, C, H, W).
        - **size** (Union[tuple[int], list[int]]) - Height and width of the output. Default: ``None``.
        - **scale_factor** (int) - The same as a multiple of the input; one of the two. Default: ``None``.
        - **align_corners** (bool) - Whether corners stay where they are. Default: ``False``.

    Outputs:
        Tensor, (N, C, height, width).

    Raises:
        TypeError: `align_corners` is not bool, or a length or `scale_factor` is not int.
        ValueError: Neither or both of `size` and `scale_factor` are given, or one is not positive.

    Examples:
        >>> from mindspore import Tensor, nn
        >>> print(nn.ResizeBilinear()(Tensor([[[[1.0, 3.0]]]]), size=(1, 4)))
        [[[[1. 2. 3. 3.]]]]
    """

    def _set_up(self) -> None:
        logger.warning("'nn.ResizeBilinear' is deprecated: use 'ops.ResizeBilinearV2', or 'ops.interpolate'.")

    def construct(self, x, size=None, scale_factor=None, align_corners=False):
        validator.check_value_type("align_corners", align_corners, [bool], self.cls_name)
        if (size is None) == (scale_factor is None):
            raise ValueError(
                "For 'ResizeBilinear', one of 'size' and 'scale_factor' must be given, but got "
                f"size={size} and scale_factor={scale_factor}."
            )
        if size is None:
            validator.check_positive_int(scale_factor, "scale_factor", self.cls_name)
            size = (scale_factor * x.shape[2], scale_factor * x.shape[3])
        elif not isinstance(size, (tuple, list)) or len(size) != 2:
            raise ValueError(f"For 'ResizeBilinear', the 'size' must be (height, width), but got {size}.")
        for length in size:
            validator.check_positive_int(length, "size", self.cls_name)
        return resize(self.cls_name, x, size, align_corners, self.half_pixel_centers, False)


_REGION = "ACROSS_CHANNELS"


def _fraction(value, name: str, owner: str) -> float:
    if not isinstance(value, float):
        raise TypeError(f"For '{owner}', the '{name}' must be float, but got {type(value)}.")
    return value


@takes(
    Argument("depth_radius", "int", "Neighbours to either side.", 5),
    Argument("bias", "float", "Added to the sum.", 1.0, _fraction),
    Argument("alpha", "float", "Factor of the sum.", 1.0, _fraction),
    Argument("beta", "float", "The power.", 0.5, _fraction),
    Argument(
        "norm_region",
        "str",
        'Only ``"ACROSS_CHANNELS"``.',
        "ACROSS_CHANNELS",
        check.choice("ACROSS_CHANNELS"),
    ),
)
class LRN(Cell):
    """Divides every cell by a power of the sum of squares of its neighbours in other channels.

    Inputs:
        - **input_x** (Tensor) - (N, C, H, W).

    Outputs:
        Tensor, shape of `input_x`.
    """

    def _set_up(self, depth_radius, bias, alpha, beta, norm_region) -> None:
        if isinstance(depth_radius, bool) or not isinstance(depth_radius, int):
            raise TypeError(f"For 'LRN', the 'depth_radius' must be int, but got {type(depth_radius)}.")
        if depth_radius < 0:
            raise ValueError(f"For 'LRN', the 'depth_radius' must not be negative, but got {depth_radius}.")
        self._options = (depth_radius, bias, alpha, beta, norm_region)

    def construct(self, input_x):
        return neural.lrn(input_x, *self._options)


def _share(value, name: str, owner: str) -> float:
    if not 0 < _fraction(value, name, owner) <= 1:
        raise ValueError(f"For '{owner}', the '{name}' must be in range (0, 1], but got {value}.")
    return value


@takes(
    Argument("central_fraction", "float", "Share of height and width that is kept, in (0, 1].", check=_share)
)
class CentralCrop(Cell):
    """The middle of images.

    Inputs:
        - **image** (Tensor) - (C, H, W) or (N, C, H, W).

    Outputs:
        Tensor.

    Raises:
        TypeError: `central_fraction` is not float.
        ValueError: `central_fraction` is not in (0, 1], or the image has another number of axes.
    """

    def construct(self, image):
        if image.ndim not in (3, 4):
            raise ValueError(
                f"For 'CentralCrop', the 'image' must have 3 or 4 axes, but got shape {image.shape}."
            )
        for axis in (image.ndim - 2, image.ndim - 1):
            length = image.shape[axis]
            start = int((length - length * self.central_fraction) / 2)
            if start > 0:
                image = op.narrow(image, axis, start, length - 2 * start)
        return image
