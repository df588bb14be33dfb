# SPDX-License-Identifier: Apache-2.0
"""Pooling to a given size, by powers and over random windows, and its inverse."""

from __future__ import annotations

from mindspore.nn import _checks as check
from mindspore.nn._arguments import LENGTHS, flag, positive_int
from mindspore.nn._description import Argument, documented, shows, takes
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op
from mindspore.ops.function import pooling, windows


def _output_size(value, axes: int, owner: str) -> tuple:
    """One length per axis; None keeps it."""
    sizes = tuple(value) if isinstance(value, (tuple, list)) else (value,) * axes
    for size in sizes:
        if size is not None and (isinstance(size, bool) or not isinstance(size, int)):
            raise TypeError(
                f"For '{owner}', the 'output_size' must be int, None or a tuple of those, but got {value!r}."
            )
    if len(sizes) != axes:
        raise ValueError(f"For '{owner}', the 'output_size' must have {axes} lengths, but got {value}.")
    if any(size is not None and size < 1 for size in sizes):
        raise ValueError(f"For '{owner}', the 'output_size' must be positive, but got {value}.")
    return sizes


_OUTPUT_SIZE = Argument(
    "output_size", "Union[int, tuple]", "Height and width of the output; None keeps a length."
)
_OUTPUT_LENGTH = positive_int("output_size", "Length of the output.")
_VOLUME_SIZE = _OUTPUT_SIZE.but(text="Depth, height and width of the output; None keeps a length.")
_WITH_PLACES = flag("return_indices", "Whether places in the plane are returned as well.")
_WITH_PLACES_3D = _WITH_PLACES.but(text="Whether places in the volume are returned as well.")


@takes(_OUTPUT_SIZE)
class _Adaptive(Cell):
    """Windows that cover the input evenly, as many as asked.

    Outputs:
        Tensor.
    """

    _axes = 2

    def _set_up(self, output_size) -> None:
        self.output_size = output_size
        self._sizes = _output_size(output_size, self._axes, self.cls_name)

    def _check(self, x) -> None:
        if x.ndim not in (self._axes + 1, self._axes + 2):
            raise ValueError(
                f"For '{self.cls_name}', the input must have {self._axes + 1} or {self._axes + 2} axes, but "
                f"got shape {x.shape}."
            )

    extend_repr = shows("output_size")


@takes(_OUTPUT_LENGTH)
class AdaptiveAvgPool1d(_Adaptive):
    """Mean of windows of a sequence, chosen so that the output has a given length.

    Inputs:
        - **input** (Tensor) - (N, C, L) or (C, L).
    """

    _axes = 1

    def construct(self, input):
        self._check(input)
        return pooling.adaptive_avg_pool(input, self._sizes)


@takes(_OUTPUT_SIZE)
class AdaptiveAvgPool2d(_Adaptive):
    """Mean of windows chosen so that the output has a given size.

    Inputs:
        - **input** (Tensor) - (N, C, H, W) or (C, H, W).
    """

    def construct(self, input):
        return op.adaptive_avg_pool2d(input, tuple(self._sizes))


@takes(_VOLUME_SIZE)
class AdaptiveAvgPool3d(_Adaptive):
    """Mean of windows of volumes, chosen so that the output has a given size.

    Inputs:
        - **input** (Tensor) - (N, C, D, H, W) or (C, D, H, W).
    """

    _axes = 3

    def construct(self, input):
        self._check(input)
        return pooling.adaptive_avg_pool(input, self._sizes)


@takes(_OUTPUT_LENGTH)
class AdaptiveMaxPool1d(_Adaptive):
    """Largest value of windows of a sequence, chosen so that the output has a given length.

    Inputs:
        - **x** (Tensor) - (N, C, L) or (C, L).
    """

    _axes = 1

    def construct(self, x):
        return windows.adaptive_max_pool1d(x, self.output_size)


@takes(_OUTPUT_SIZE, _WITH_PLACES)
class AdaptiveMaxPool2d(_Adaptive):
    """Largest value of windows chosen so that the output has a given size.

    Inputs:
        - **input** (Tensor) - (N, C, H, W) or (C, H, W).

    Outputs:
        Tensor, or a tuple of two.
    """

    def construct(self, input):
        return windows.adaptive_max_pool2d(input, self._sizes, self.return_indices)


@takes(_VOLUME_SIZE, _WITH_PLACES_3D)
class AdaptiveMaxPool3d(_Adaptive):
    """Largest value of windows of volumes, chosen so that the output has a given size.

    Inputs:
        - **input** (Tensor) - (N, C, D, H, W) or (C, D, H, W).

    Outputs:
        Tensor, or a tuple of two.
    """

    _axes = 3

    def construct(self, input):
        return windows.adaptive_max_pool3d(input, self._sizes, self.return_indices)


def _power(value, name: str, owner: str) -> float:
    check.number(value, name, owner)
    if value == 0:
        raise ValueError(f"For '{owner}', the '{name}' must not be 0.")
    return float(value)


_POWER = Argument("norm_type", "Union[int, float]", "The power; not 0.", check=_power)
_CEIL_MODE = flag("ceil_mode", "Also windows that reach over the end.")
_WINDOW_LENGTH = [
    Argument("kernel_size", "int", "Length of a window."),
    Argument("stride", "int", "Its step; None: the length of a window.", None),
]
_WINDOW_SIZE = [
    Argument("kernel_size", LENGTHS, "Height and width of a window."),
    Argument("stride", LENGTHS, "Its steps; None: the size of a window.", None),
]


@takes(_POWER, *_WINDOW_SIZE, _CEIL_MODE)
class _PowerPool(Cell):
    """Sums of powers over windows.

    Outputs:
        Tensor.
    """


@takes(_POWER, *_WINDOW_LENGTH, _CEIL_MODE)
class LPPool1d(_PowerPool):
    """Power means, not divided by the count, of windows of sequences.

    Inputs:
        - **x** (Tensor) - (N, C, L) or (C, L).
    """

    def construct(self, x):
        return pooling.lp_pool1d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


@takes(_POWER, *_WINDOW_SIZE, _CEIL_MODE)
class LPPool2d(_PowerPool):
    """Power means, not divided by the count, of windows.

    Inputs:
        - **x** (Tensor) - (N, C, H, W).
    """

    def construct(self, x):
        return pooling.lp_pool2d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


def _spread_arguments(window: str, output: str, places: Argument, axes: int) -> list[Argument]:
    random = f"(N, C, {axes}), random numbers in [0, 1); None draws them."
    return [
        Argument("kernel_size", LENGTHS, f"{window} of a window."),
        Argument("output_size", LENGTHS, f"{output} of the output.", None),
        Argument("output_ratio", "Union[float, tuple[float]]", "The same as a share of the input.", None),
        places,
        Argument("_random_samples", "Tensor", random, None),
    ]


_OF_PLANES = _spread_arguments("Height and width", "Height and width", _WITH_PLACES, 2)
_OF_VOLUMES = _spread_arguments("Depth, height and width", "Lengths", _WITH_PLACES_3D, 3)


@takes(*_OF_PLANES)
class _Fractional(Cell):
    """Windows spread at random.

    Outputs:
        Tensor, or a tuple of two.
    """

    def _options(self) -> tuple:
        sizes = (self.kernel_size, self.output_size, self.output_ratio)
        return (*sizes, self.return_indices, self._random_samples)


@takes(*_OF_PLANES)
class FractionalMaxPool2d(_Fractional):
    """Largest value of windows that are spread at random so that the output has a given size.

    Inputs:
        - **input** (Tensor) - (N, C, H, W) or (C, H, W).
    """

    def construct(self, input):
        return windows.fractional_max_pool2d(input, *self._options())


@takes(*_OF_VOLUMES)
class FractionalMaxPool3d(_Fractional):
    """Largest value of windows of volumes that are spread at random.

    Inputs:
        - **input** (Tensor) - (N, C, D, H, W) or (C, D, H, W).
    """

    def construct(self, input):
        return windows.fractional_max_pool3d(input, *self._options())


@takes(*_WINDOW_LENGTH, Argument("padding", "int", "Cells around the pooled input.", 0))
class _Unpool(Cell):
    """Pooled values back where they came from."""

    _axes = 2

    def construct(self, x, indices, output_size=None):
        return windows.unpooled(
            self.cls_name, x, indices, self.kernel_size, self.stride, self.padding, output_size, self._axes
        )


@documented
class MaxUnpool1d(_Unpool):
    """Inverse of MaxPool1d: values at their places, zeros elsewhere.

    Inputs:
        - **x** (Tensor) - (N, C, L) or (C, L).
        - **indices** (Tensor) - Places along the output; shape of `x`.
        - **output_size** (tuple[int], optional) - Length of the output, if several could be.

    Outputs:
        Tensor.
    """

    _axes = 1


class MaxUnpool2d(_Unpool):
    """Inverse of MaxPool2d; see :class:`MaxUnpool1d`."""


class MaxUnpool3d(_Unpool):
    """Inverse of MaxPool3d; see :class:`MaxUnpool1d`."""

    _axes = 3
