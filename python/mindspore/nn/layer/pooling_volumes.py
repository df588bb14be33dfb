# SPDX-License-Identifier: Apache-2.0
"""Pooling of volumes."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.nn import _checks as check
from mindspore.nn.layer._pooling import Pool, check_special, with_batch
from mindspore.ops._registry import op
from mindspore.ops.function.volumes import pooled_maxima, pooled_means


class MaxPool3d(Pool):
    """Largest value of every window of volumes (N, C, D, H, W) or (C, D, H, W).

    Args:
        kernel_size (Union[int, tuple[int]]): Depth, height and width of the window. Default: ``1``.
        stride (Union[int, tuple[int]]): Its steps. Default: ``1``.
        pad_mode (str): ``"same"``, ``"valid"`` or ``"pad"``. Default: ``"valid"``.
        padding (Union[int, tuple[int]]): With ``"pad"``: depth, height, width. Default: ``0``.
        dilation (Union[int, tuple[int]]): With ``"pad"``: distance of the window's cells. Default: ``1``.
        return_indices (bool): With ``"pad"``: also where the values stand. Default: ``False``.
        ceil_mode (bool): With ``"pad"``: also windows that reach over the end. Default: ``False``.

    Inputs:
        - **x** (Tensor) - The volumes.

    Outputs:
        Tensor, or a tuple of the values and their places in the volume.

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
    ):
        super().__init__()
        self._set_up(3, kernel_size, stride, pad_mode, padding)
        self.dilation = check.ints(dilation, 3, "dilation", self.cls_name)
        self.return_indices = check.boolean(return_indices, "return_indices", self.cls_name)
        self.ceil_mode = check.boolean(ceil_mode, "ceil_mode", self.cls_name)
        check_special(self, pad_mode)

    def construct(self, x):
        x, added = with_batch(x, 3, self.cls_name)
        pads = self._pads_for(x.shape[2:])
        y, where = pooled_maxima(
            x, self.kernel_size, self.stride, pads, self.dilation, self.ceil_mode, self.return_indices
        )
        y = op.squeeze(y, 0) if added else y
        if not self.return_indices:
            return y
        return y, op.cast(op.squeeze(where, 0) if added else where, mstype.int64)


class AvgPool3d(Pool):
    """Mean of every window of volumes (N, C, D, H, W) or (C, D, H, W).

    Args:
        kernel_size (Union[int, tuple[int]]): Depth, height and width of the window. Default: ``1``.
        stride (Union[int, tuple[int]]): Its steps. Default: ``1``.
        pad_mode (str): ``"same"``, ``"valid"`` or ``"pad"``. Default: ``"valid"``.
        padding (Union[int, tuple[int]]): With ``"pad"``: depth, height, width. Default: ``0``.
        ceil_mode (bool): Also windows that reach over the end. Default: ``False``.
        count_include_pad (bool): Padded cells count in the divisor, with ``"same"`` too, unlike in pooling
            of planes. Default: ``True``.
        divisor_override (int): Divisor instead of the number of cells. Default: ``None``.

    Inputs:
        - **x** (Tensor) - The volumes.

    Outputs:
        Tensor.

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
    ):
        super().__init__()
        self._set_up(3, kernel_size, stride, pad_mode, padding)
        self._set_divisor(pad_mode, divisor_override)
        self.ceil_mode = check.boolean(ceil_mode, "ceil_mode", self.cls_name)
        self.count_include_pad = check.boolean(count_include_pad, "count_include_pad", self.cls_name)

    def construct(self, x):
        x, added = with_batch(x, 3, self.cls_name)
        pads = self._pads_for(x.shape[2:])
        y = pooled_means(
            x,
            self.kernel_size,
            self.stride,
            pads,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )
        return op.squeeze(y, 0) if added else y
