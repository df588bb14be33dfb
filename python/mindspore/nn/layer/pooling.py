# SPDX-License-Identifier: Apache-2.0
"""Pooling layers."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.nn import _checks as check
from mindspore.nn.layer._pooling import Pool, check_special, with_batch
from mindspore.nn.layer.pooling_volumes import AvgPool3d, MaxPool3d
from mindspore.nn.layer.pooling_windows import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
    FractionalMaxPool2d,
    FractionalMaxPool3d,
    LPPool1d,
    LPPool2d,
    MaxUnpool1d,
    MaxUnpool2d,
    MaxUnpool3d,
)
from mindspore.ops._registry import op

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]


class MaxPool2d(Pool):
    """Largest value of every window.

    Args:
        kernel_size (Union[int, tuple[int]]): Height and width of the window. Default: ``1``.
        stride (Union[int, tuple[int]]): Its steps. Default: ``1``.
        pad_mode (str): ``"same"``, ``"valid"`` or ``"pad"``. Default: ``"valid"``.
        padding (Union[int, tuple[int]]): With ``"pad"``: height, width. Default: ``0``.
        dilation (Union[int, tuple[int]]): With ``"pad"``: distance of the window's cells. Default: ``1``.
        return_indices (bool): With ``"pad"``: also where the values stand. Default: ``False``.
        ceil_mode (bool): With ``"pad"``: also windows that reach over the end. Default: ``False``.
        data_format (str): ``"NCHW"`` or ``"NHWC"``. Default: ``"NCHW"``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode="valid",
        padding=0,
        dilation=1,
        return_indices=False,
        ceil_mode=False,
        data_format="NCHW",
    ):
        super().__init__()
        self._set_up(2, kernel_size, stride, pad_mode, padding)
        self.dilation = check.ints(dilation, 2, "dilation", self.cls_name)
        self.return_indices, self.ceil_mode = return_indices, ceil_mode
        self.data_format = check.one_of(data_format, ("NCHW", "NHWC"), "format", self.cls_name)
        check_special(self, pad_mode)
        if self.pad_mode == "pad" and data_format == "NHWC":
            raise ValueError("For 'MaxPool2d', when pad_mode is 'pad', 'data_format' must be 'NCHW'.")

    def construct(self, x):
        if self.data_format == "NHWC":
            return op.transpose(self._pool(op.transpose(x, (0, 3, 1, 2))), (0, 2, 3, 1))
        return self._pool(x)

    def _pool(self, x):
        x, added = (x, False) if x.ndim == 4 else with_batch(x, 2, self.cls_name)
        pads = self._pads_for(x.shape[2:])
        y, indices = op.max_pool2d(x, self.kernel_size, self.stride, pads, self.dilation, self.ceil_mode)
        if added:
            y, indices = op.squeeze(y, 0), op.squeeze(indices, 0)
        return (y, op.cast(indices, mstype.int64)) if self.return_indices else y


class MaxPool1d(Pool):
    """Largest value of every window of a sequence (N, C, L) or (C, L).

    Args:
        kernel_size (int): Length of the window. Default: ``1``.
        stride (int): Its step. Default: ``1``.
        pad_mode (str): ``"same"``, ``"valid"`` or ``"pad"``. Default: ``"valid"``.
        padding (int): With ``"pad"``: both sides. Default: ``0``.
        dilation (int): With ``"pad"``: distance of the window's cells. Default: ``1``.
        return_indices (bool): With ``"pad"``: also where the values stand. Default: ``False``.
        ceil_mode (bool): With ``"pad"``: also windows that reach over the end. Default: ``False``.
    """

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode="valid",
        padding=0,
        dilation=1,
        return_indices=False,
        ceil_mode=False,
    ):
        super().__init__()
        self._set_up(1, kernel_size, stride, pad_mode, padding)
        self.dilation = check.ints(dilation, 1, "dilation", self.cls_name)
        self.return_indices, self.ceil_mode = return_indices, ceil_mode
        check_special(self, pad_mode)

    def construct(self, x):
        x, added = with_batch(x, 1, self.cls_name)
        pads = (0, 0, *self._pads_for(x.shape[2:]))
        y, indices = op.max_pool2d(
            op.expand_dims(x, 2),
            (1, *self.kernel_size),
            (1, *self.stride),
            pads,
            (1, *self.dilation),
            self.ceil_mode,
        )
        y, indices = op.squeeze(y, 2), op.squeeze(indices, 2)
        if added:
            y, indices = op.squeeze(y, 0), op.squeeze(indices, 0)
        return (y, op.cast(indices, mstype.int64)) if self.return_indices else y


class AvgPool2d(Pool):
    """Mean of every window.

    Args:
        kernel_size (Union[int, tuple[int]]): Height and width of the window. Default: ``1``.
        stride (Union[int, tuple[int]]): Its steps. Default: ``1``.
        pad_mode (str): ``"same"``, ``"valid"`` or ``"pad"``. Default: ``"valid"``.
        padding (Union[int, tuple[int]]): With ``"pad"``: height, width. Default: ``0``.
        ceil_mode (bool): Also windows that reach over the end. Default: ``False``.
        count_include_pad (bool): With ``"pad"``: padded cells count in the divisor. Default: ``True``.
        divisor_override (int): Divisor instead of the number of cells. Default: ``None``.
        data_format (str): ``"NCHW"`` or ``"NHWC"``. Default: ``"NCHW"``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode="valid",
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
        divisor_override=None,
        data_format="NCHW",
    ):
        super().__init__()
        self._set_up(2, kernel_size, stride, pad_mode, padding)
        self._set_divisor(pad_mode, divisor_override)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad
        self.data_format = check.one_of(data_format, ("NCHW", "NHWC"), "format", self.cls_name)

    def construct(self, x):
        if self.data_format == "NHWC":
            return op.transpose(self._pool(op.transpose(x, (0, 3, 1, 2))), (0, 2, 3, 1))
        return self._pool(x)

    def _pool(self, x):
        x, added = (x, False) if x.ndim == 4 else with_batch(x, 2, self.cls_name)
        counted = self.count_include_pad and self.pad_mode == "pad"
        pads = self._pads_for(x.shape[2:])
        y = op.avg_pool2d(
            x, self.kernel_size, self.stride, pads, self.ceil_mode, counted, self.divisor_override or 0
        )
        return op.squeeze(y, 0) if added else y


class AvgPool1d(Pool):
    """Mean of every window of a sequence (N, C, L) or (C, L).

    Args:
        kernel_size (int): Length of the window. Default: ``1``.
        stride (int): Its step. Default: ``1``.
        pad_mode (str): ``"same"``, ``"valid"`` or ``"pad"``. Default: ``"valid"``.
        padding (int): With ``"pad"``: both sides. Default: ``0``.
        ceil_mode (bool): Also windows that reach over the end. Default: ``False``.
        count_include_pad (bool): With ``"pad"``: padded cells count in the divisor. Default: ``True``.
    """

    def __init__(
        self, kernel_size=1, stride=1, pad_mode="valid", padding=0, ceil_mode=False, count_include_pad=True
    ):
        super().__init__()
        self._set_up(1, kernel_size, stride, pad_mode, padding)
        self._set_divisor(pad_mode, None)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def construct(self, x):
        x, added = with_batch(x, 1, self.cls_name)
        counted = self.count_include_pad and self.pad_mode == "pad"
        pads = (0, 0, *self._pads_for(x.shape[2:]))
        y = op.avg_pool2d(
            op.expand_dims(x, 2), (1, *self.kernel_size), (1, *self.stride), pads, self.ceil_mode, counted, 0
        )
        y = op.squeeze(y, 2)
        return op.squeeze(y, 0) if added else y
