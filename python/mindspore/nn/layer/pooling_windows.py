# SPDX-License-Identifier: Apache-2.0
"""Pooling to a given size, by powers and over random windows, and its inverse."""

from __future__ import annotations

from mindspore.nn import _checks as check
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


class _Adaptive(Cell):
    """Windows that cover the input evenly, as many as asked."""

    _axes = 2

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size
        self._sizes = _output_size(output_size, self._axes, self.cls_name)

    def _check(self, x) -> None:
        if x.ndim not in (self._axes + 1, self._axes + 2):
            raise ValueError(
                f"For '{self.cls_name}', the input must have {self._axes + 1} or {self._axes + 2} axes, but "
                f"got shape {x.shape}."
            )

    def extend_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_Adaptive):
    """Mean of windows of a sequence, chosen so that the output has a given length.

    Args:
        output_size (int): Length of the output.

    Inputs:
        - **input** (Tensor) - (N, C, L) or (C, L).

    Outputs:
        Tensor.

    Supported Platforms:
        ``CPU``
    """

    _axes = 1

    def __init__(self, output_size):
        super().__init__(check.positive_int(output_size, "output_size", "AdaptiveAvgPool1d"))

    def construct(self, input):
        self._check(input)
        return pooling.adaptive_avg_pool(input, self._sizes)


class AdaptiveAvgPool2d(_Adaptive):
    """Mean of windows chosen so that the output has a given size.

    Args:
        output_size (Union[int, tuple]): Height and width of the output; None keeps a length.

    Inputs:
        - **input** (Tensor) - (N, C, H, W) or (C, H, W).

    Outputs:
        Tensor.

    Supported Platforms:
        ``CPU``
    """

    def construct(self, input):
        return op.adaptive_avg_pool2d(input, tuple(self._sizes))


class AdaptiveAvgPool3d(_Adaptive):
    """Mean of windows of volumes, chosen so that the output has a given size.

    Args:
        output_size (Union[int, tuple]): Depth, height and width of the output; None keeps a length.

    Inputs:
        - **input** (Tensor) - (N, C, D, H, W) or (C, D, H, W).

    Outputs:
        Tensor.

    Supported Platforms:
        ``CPU``
    """

    _axes = 3

    def construct(self, input):
        self._check(input)
        return pooling.adaptive_avg_pool(input, self._sizes)


class AdaptiveMaxPool1d(_Adaptive):
    """Largest value of windows of a sequence, chosen so that the output has a given length.

    Args:
        output_size (int): Length of the output.

    Inputs:
        - **x** (Tensor) - (N, C, L) or (C, L).

    Outputs:
        Tensor.

    Supported Platforms:
        ``CPU``
    """

    _axes = 1

    def __init__(self, output_size):
        super().__init__(check.positive_int(output_size, "output_size", "AdaptiveMaxPool1d"))

    def construct(self, x):
        return windows.adaptive_max_pool1d(x, self.output_size)


class AdaptiveMaxPool2d(_Adaptive):
    """Largest value of windows chosen so that the output has a given size.

    Args:
        output_size (Union[int, tuple]): Height and width of the output; None keeps a length.
        return_indices (bool): Whether places in the plane are returned as well. Default: ``False``.

    Inputs:
        - **input** (Tensor) - (N, C, H, W) or (C, H, W).

    Outputs:
        Tensor, or a tuple of two.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, output_size, return_indices=False):
        super().__init__(output_size)
        self.return_indices = check.boolean(return_indices, "return_indices", self.cls_name)

    def construct(self, input):
        return windows.adaptive_max_pool2d(input, self._sizes, self.return_indices)


class AdaptiveMaxPool3d(_Adaptive):
    """Largest value of windows of volumes, chosen so that the output has a given size.

    Args:
        output_size (Union[int, tuple]): Depth, height and width of the output; None keeps a length.
        return_indices (bool): Whether places in the volume are returned as well. Default: ``False``.

    Inputs:
        - **input** (Tensor) - (N, C, D, H, W) or (C, D, H, W).

    Outputs:
        Tensor, or a tuple of two.

    Supported Platforms:
        ``CPU``
    """

    _axes = 3

    def __init__(self, output_size, return_indices=False):
        super().__init__(output_size)
        self.return_indices = check.boolean(return_indices, "return_indices", self.cls_name)

    def construct(self, input):
        return windows.adaptive_max_pool3d(input, self._sizes, self.return_indices)


class _PowerPool(Cell):
    """Sums of powers over windows."""

    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        check.number(norm_type, "norm_type", self.cls_name)
        if norm_type == 0:
            raise ValueError(f"For '{self.cls_name}', the 'norm_type' must not be 0.")
        self.norm_type = float(norm_type)
        self.kernel_size, self.stride = kernel_size, stride
        self.ceil_mode = check.boolean(ceil_mode, "ceil_mode", self.cls_name)


class LPPool1d(_PowerPool):
    """Power means, not divided by the count, of windows of sequences.

    Args:
        norm_type (Union[int, float]): The power; not 0.
        kernel_size (int): Length of a window.
        stride (int): Its step; None: the length of a window. Default: ``None``.
        ceil_mode (bool): Also windows that reach over the end. Default: ``False``.

    Inputs:
        - **x** (Tensor) - (N, C, L) or (C, L).

    Outputs:
        Tensor.

    Supported Platforms:
        ``CPU``
    """

    def construct(self, x):
        return pooling.lp_pool1d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(_PowerPool):
    """Power means, not divided by the count, of windows.

    Args:
        norm_type (Union[int, float]): The power; not 0.
        kernel_size (Union[int, tuple[int]]): Height and width of a window.
        stride (Union[int, tuple[int]]): Its steps; None: the size of a window. Default: ``None``.
        ceil_mode (bool): Also windows that reach over the end. Default: ``False``.

    Inputs:
        - **x** (Tensor) - (N, C, H, W).

    Outputs:
        Tensor.

    Supported Platforms:
        ``CPU``
    """

    def construct(self, x):
        return pooling.lp_pool2d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class _Fractional(Cell):
    """Windows spread at random."""

    def __init__(
        self, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None
    ):
        super().__init__()
        self.kernel_size, self.output_size, self.output_ratio = kernel_size, output_size, output_ratio
        self.return_indices = check.boolean(return_indices, "return_indices", self.cls_name)
        self._random_samples = _random_samples

    def _options(self) -> tuple:
        sizes = (self.kernel_size, self.output_size, self.output_ratio)
        return (*sizes, self.return_indices, self._random_samples)


class FractionalMaxPool2d(_Fractional):
    """Largest value of windows that are spread at random so that the output has a given size.

    Args:
        kernel_size (Union[int, tuple[int]]): Height and width of a window.
        output_size (Union[int, tuple[int]]): Height and width of the output. Default: ``None``.
        output_ratio (Union[float, tuple[float]]): The same as a share of the input. Default: ``None``.
        return_indices (bool): Whether places in the plane are returned as well. Default: ``False``.
        _random_samples (Tensor): (N, C, 2), random numbers in [0, 1); None draws them. Default: ``None``.

    Inputs:
        - **input** (Tensor) - (N, C, H, W) or (C, H, W).

    Outputs:
        Tensor, or a tuple of two.

    Supported Platforms:
        ``CPU``
    """

    def construct(self, input):
        return windows.fractional_max_pool2d(input, *self._options())


class FractionalMaxPool3d(_Fractional):
    """Largest value of windows of volumes that are spread at random.

    Args:
        kernel_size (Union[int, tuple[int]]): Depth, height and width of a window.
        output_size (Union[int, tuple[int]]): Lengths of the output. Default: ``None``.
        output_ratio (Union[float, tuple[float]]): The same as a share of the input. Default: ``None``.
        return_indices (bool): Whether places in the volume are returned as well. Default: ``False``.
        _random_samples (Tensor): (N, C, 3), random numbers in [0, 1); None draws them. Default: ``None``.

    Inputs:
        - **input** (Tensor) - (N, C, D, H, W) or (C, D, H, W).

    Outputs:
        Tensor, or a tuple of two.

    Supported Platforms:
        ``CPU``
    """

    def construct(self, input):
        return windows.fractional_max_pool3d(input, *self._options())


class _Unpool(Cell):
    """Pooled values back where they came from."""

    _axes = 2

    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding

    def construct(self, x, indices, output_size=None):
        return windows.unpooled(
            self.cls_name, x, indices, self.kernel_size, self.stride, self.padding, output_size, self._axes
        )


class MaxUnpool1d(_Unpool):
    """Inverse of MaxPool1d: values at their places, zeros elsewhere.

    Args:
        kernel_size (int): Length of a window.
        stride (int): Its step; None: the length of a window. Default: ``None``.
        padding (int): Cells around the pooled input. Default: ``0``.

    Inputs:
        - **x** (Tensor) - (N, C, L) or (C, L).
        - **indices** (Tensor) - Places along the output; shape of `x`.
        - **output_size** (tuple[int], optional) - Length of the output, if several could be.

    Outputs:
        Tensor.

    Supported Platforms:
        ``CPU``
    """

    _axes = 1


class MaxUnpool2d(_Unpool):
    """Inverse of MaxPool2d; see :class:`MaxUnpool1d`."""


class MaxUnpool3d(_Unpool):
    """Inverse of MaxPool3d; see :class:`MaxUnpool1d`."""

    _axes = 3
