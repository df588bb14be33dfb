# SPDX-License-Identifier: Apache-2.0
"""Layers that move, cut, enlarge or rescale the cells of images."""

from __future__ import annotations

from mindspore import _checkparam as validator
from mindspore import log as logger
from mindspore.nn import _checks as check
from mindspore.nn.cell import Cell
from mindspore.ops._primitives.image import resize
from mindspore.ops._primitives.windows import patches
from mindspore.ops._registry import op
from mindspore.ops.function import arrangement, neural


class Unfold(Cell):
    """Windows of images as channels.

    Args:
        ksizes (Union[tuple[int], list[int]]): (1, height, width, 1) of a window.
        strides (Union[tuple[int], list[int]]): (1, height, width, 1) between windows.
        rates (Union[tuple[int], list[int]]): (1, height, width, 1) between the cells of a window.
        padding (str): ``"same"`` or ``"valid"``. Default: ``"valid"``.

    Inputs:
        - **input_x** (Tensor) - (N, C, H, W).

    Outputs:
        Tensor, (N, height * width * C, H', W').

    Raises:
        TypeError: An argument is neither tuple nor list of ints.
        ValueError: An argument has another length, or its first or last number is not 1.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, ksizes, strides, rates, padding="valid"):
        super().__init__()
        self._sizes = tuple(
            self._inner(value, name)
            for name, value in (("ksize", ksizes), ("stride", strides), ("rate", rates))
        )
        check.one_of(str(padding).upper(), ("SAME", "VALID"), "padding", "Unfold")
        self.padding = padding

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


class PixelShuffle(Cell):
    """Channels become cells of a larger plane: (N, C * r^2, H, W) to (N, C, H * r, W * r).

    Args:
        upscale_factor (int): r.

    Inputs:
        - **input** (Tensor) - (..., C * r^2, H, W).

    Outputs:
        Tensor, (..., C, H * r, W * r).

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, upscale_factor):
        super().__init__()
        self.upscale_factor = upscale_factor

    def construct(self, input):
        return arrangement.pixel_shuffle(input, self.upscale_factor)


class PixelUnshuffle(Cell):
    """Undoes :class:`PixelShuffle`.

    Args:
        downscale_factor (int): r.

    Inputs:
        - **input** (Tensor) - (..., C, H * r, W * r).

    Outputs:
        Tensor, (..., C * r^2, H, W).

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, downscale_factor):
        super().__init__()
        self.downscale_factor = downscale_factor

    def construct(self, input):
        return arrangement.pixel_unshuffle(input, self.downscale_factor)


class ChannelShuffle(Cell):
    """Mixes groups of channels: the first of every group, then the second, and so on.

    Args:
        groups (int): Number of groups.

    Inputs:
        - **x** (Tensor) - (N, C, ...).

    Outputs:
        Tensor, shape of `x`.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, groups):
        super().__init__()
        if isinstance(groups, bool) or not isinstance(groups, int):
            raise TypeError(f"For 'ChannelShuffle', the 'groups' must be int, but got {type(groups)}.")
        if groups < 1:
            raise ValueError(f"For 'ChannelShuffle', the 'groups' must be positive, but got {groups}.")
        self.groups = groups

    def construct(self, x):
        return arrangement.channel_shuffle(x, self.groups)


class Upsample(Cell):
    """Resizes sequences, planes or volumes.

    Args:
        size (Union[int, tuple[int]]): Lengths of the output. Default: ``None``.
        scale_factor (Union[float, tuple[float]]): The same as a multiple of the input. Default: ``None``.
        mode (str): ``"nearest"``, ``"linear"``, ``"bilinear"``, ``"bicubic"``, ``"trilinear"``, ``"area"`` or
            ``"nearest-exact"``. Default: ``"nearest"``.
        align_corners (bool): Whether corners stay where they are. Default: ``None``.
        recompute_scale_factor (bool): Whether the factor is computed again from the lengths.
            Default: ``None``.

    Inputs:
        - **x** (Tensor) - (N, C, ...).

    Outputs:
        Tensor.

    Supported Platforms:
        ``CPU``
    """

    def __init__(
        self, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None
    ):
        super().__init__()
        self.size, self.scale_factor, self.mode = size, scale_factor, mode
        self.align_corners, self.recompute_scale_factor = align_corners, recompute_scale_factor

    def construct(self, x):
        return neural.interpolate(
            x, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor
        )


class ResizeBilinear(Cell):
    """Resizes images linearly in both directions, as :class:`mindspore.ops.ResizeBilinearV2` does now.

    Args:
        half_pixel_centers (bool): Whether a pixel is a square with its value in the middle, not a point.
            Default: ``False``.

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

    Supported Platforms:
        ``CPU``

    Examples:
        >>> from mindspore import Tensor, nn
        >>> print(nn.ResizeBilinear()(Tensor([[[[1.0, 3.0]]]]), size=(1, 4)))
        [[[[1. 2. 3. 3.]]]]
    """

    def __init__(self, half_pixel_centers=False):
        super().__init__()
        logger.warning("'nn.ResizeBilinear' is deprecated: use 'ops.ResizeBilinearV2', or 'ops.interpolate'.")
        self.half_pixel_centers = half_pixel_centers

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


class LRN(Cell):
    """Divides every cell by a power of the sum of squares of its neighbours in other channels.

    Args:
        depth_radius (int): Neighbours to either side. Default: ``5``.
        bias (float): Added to the sum. Default: ``1.0``.
        alpha (float): Factor of the sum. Default: ``1.0``.
        beta (float): The power. Default: ``0.5``.
        norm_region (str): Only ``"ACROSS_CHANNELS"``. Default: ``"ACROSS_CHANNELS"``.

    Inputs:
        - **input_x** (Tensor) - (N, C, H, W).

    Outputs:
        Tensor, shape of `input_x`.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS"):
        super().__init__()
        if isinstance(depth_radius, bool) or not isinstance(depth_radius, int):
            raise TypeError(f"For 'LRN', the 'depth_radius' must be int, but got {type(depth_radius)}.")
        if depth_radius < 0:
            raise ValueError(f"For 'LRN', the 'depth_radius' must not be negative, but got {depth_radius}.")
        for name, value in (("bias", bias), ("alpha", alpha), ("beta", beta)):
            if not isinstance(value, float):
                raise TypeError(f"For 'LRN', the '{name}' must be float, but got {type(value)}.")
        check.one_of(norm_region, ("ACROSS_CHANNELS",), "norm_region", "LRN")
        self._options = (depth_radius, bias, alpha, beta, norm_region)

    def construct(self, input_x):
        return neural.lrn(input_x, *self._options)


class CentralCrop(Cell):
    """The middle of images.

    Args:
        central_fraction (float): Share of height and width that is kept, in (0, 1].

    Inputs:
        - **image** (Tensor) - (C, H, W) or (N, C, H, W).

    Outputs:
        Tensor.

    Raises:
        TypeError: `central_fraction` is not float.
        ValueError: `central_fraction` is not in (0, 1], or the image has another number of axes.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, central_fraction):
        super().__init__()
        if not isinstance(central_fraction, float):
            raise TypeError(
                f"For 'CentralCrop', the 'central_fraction' must be float, but got {type(central_fraction)}."
            )
        if not 0 < central_fraction <= 1:
            raise ValueError(
                "For 'CentralCrop', the 'central_fraction' must be in range (0, 1], but got "
                f"{central_fraction}."
            )
        self.central_fraction = central_fraction

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
