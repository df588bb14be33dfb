# SPDX-License-Identifier: Apache-2.0
"""Pooling layers."""

from __future__ import annotations

from mindspore.nn import _checks as check
from mindspore.nn.cell import Cell
from mindspore.nn.layer.conv import PAD_MODES, same_pad
from mindspore.ops._registry import op


class _Pool(Cell):
    """What the pooling layers share: sizes and padding."""

    def _set_up(self, axes: int, kernel_size, stride, pad_mode, padding) -> None:
        owner = self.cls_name
        self.kernel_size = check.ints(kernel_size, axes, "kernel_size", owner)
        self.stride = check.ints(stride, axes, "stride", owner)
        self.pad_mode = check.one_of(str(pad_mode).lower(), PAD_MODES, "pad_mode", owner)
        self.padding = padding
        pads = check.ints(padding, axes, "padding", owner, least=0)
        self._pads = tuple(p for pad in pads for p in (pad, pad))
        if self.pad_mode == "pad" and any(2 * p > k for p, k in zip(pads, self.kernel_size, strict=False)):
            raise ValueError(
                f"For '{owner}', 'padding' must be at most half of 'kernel_size', but got {padding}."
            )

    def _pads_for(self, lengths, dilation=(1, 1)) -> tuple[int, ...]:
        if self.pad_mode != "same":
            return self._pads
        return tuple(
            pad
            for i, length in enumerate(lengths)
            for pad in same_pad(length, self.kernel_size[i], self.stride[i], dilation[i])
        )

    def extend_repr(self) -> str:
        sizes = f"kernel_size={_shown(self.kernel_size)}, stride={_shown(self.stride)}"
        return f"{sizes}, pad_mode={self.pad_mode.upper()}"


def _shown(sizes: tuple):
    return sizes[0] if len(set(sizes)) == 1 else sizes


def _with_batch(x, spatial: int, owner: str):
    """(x with a batch axis, whether it was added)."""
    if x.ndim == spatial + 1:
        return op.expand_dims(x, 0), True
    if x.ndim != spatial + 2:
        raise ValueError(
            f"For '{owner}', the input must have {spatial + 1} or {spatial + 2} axes, but got {x.ndim}."
        )
    return x, False


class MaxPool2d(_Pool):
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
        special = any(self._pads) or set(self.dilation) != {1} or return_indices or ceil_mode
        if self.pad_mode != "pad" and special:
            raise ValueError(
                f"For '{self.cls_name}', the parameter 'padding', 'dilation', 'return_indices', 'ceil_mode' "
                "can not be "
                f"set to non-default value when pad_mode is not 'pad', but got pad_mode:{pad_mode}."
            )
        if self.pad_mode == "pad" and data_format == "NHWC":
            raise ValueError("For 'MaxPool2d', when pad_mode is 'pad', 'data_format' must be 'NCHW'.")

    def construct(self, x):
        if self.data_format == "NHWC":
            return op.transpose(self._pool(op.transpose(x, (0, 3, 1, 2))), (0, 2, 3, 1))
        return self._pool(x)

    def _pool(self, x):
        x, added = (x, False) if x.ndim == 4 else _with_batch(x, 2, self.cls_name)
        pads = self._pads_for(x.shape[2:])
        y, indices = op.max_pool2d(x, self.kernel_size, self.stride, pads, self.dilation, self.ceil_mode)
        if added:
            y, indices = op.squeeze(y, 0), op.squeeze(indices, 0)
        return (y, op.cast(indices, _int64())) if self.return_indices else y


def _int64():
    from mindspore.common import dtype as mstype

    return mstype.int64


class MaxPool1d(_Pool):
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

    def construct(self, x):
        x, added = _with_batch(x, 1, self.cls_name)
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
        return (y, op.cast(indices, _int64())) if self.return_indices else y


class AvgPool2d(_Pool):
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
        if divisor_override is not None and divisor_override <= 0:
            raise ValueError(
                f"For '{self.cls_name}', the 'divisor_override' must be > 0, but got {divisor_override}."
            )
        if self.pad_mode != "pad" and any(self._pads):
            raise ValueError(
                f"For '{self.cls_name}', the parameter 'padding' can only be set when pad_mode is 'pad', but "
                "got "
                f"pad_mode:{pad_mode}."
            )
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad
        self.divisor_override = divisor_override
        self.data_format = check.one_of(data_format, ("NCHW", "NHWC"), "format", self.cls_name)

    def construct(self, x):
        if self.data_format == "NHWC":
            return op.transpose(self._pool(op.transpose(x, (0, 3, 1, 2))), (0, 2, 3, 1))
        return self._pool(x)

    def _pool(self, x):
        x, added = (x, False) if x.ndim == 4 else _with_batch(x, 2, self.cls_name)
        counted = self.count_include_pad and self.pad_mode == "pad"
        pads = self._pads_for(x.shape[2:])
        y = op.avg_pool2d(
            x, self.kernel_size, self.stride, pads, self.ceil_mode, counted, self.divisor_override or 0
        )
        return op.squeeze(y, 0) if added else y


class AvgPool1d(_Pool):
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
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def construct(self, x):
        x, added = _with_batch(x, 1, self.cls_name)
        counted = self.count_include_pad and self.pad_mode == "pad"
        pads = (0, 0, *self._pads_for(x.shape[2:]))
        y = op.avg_pool2d(
            op.expand_dims(x, 2), (1, *self.kernel_size), (1, *self.stride), pads, self.ceil_mode, counted, 0
        )
        y = op.squeeze(y, 2)
        return op.squeeze(y, 0) if added else y


class AdaptiveAvgPool2d(Cell):
    """Mean of windows chosen so that the output has a given size.

    Args:
        output_size (Union[int, tuple]): Height and width of the output; None keeps a length.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size
        sizes = output_size if isinstance(output_size, tuple) else (output_size, output_size)
        self._sizes = tuple(-1 if size is None else size for size in sizes)

    def construct(self, input):
        return op.adaptive_avg_pool2d(input, self._sizes)


class AdaptiveAvgPool1d(Cell):
    """Mean of windows of a sequence, chosen so that the output has a given length.

    Args:
        output_size (int): Length of the output.
    """

    def __init__(self, output_size):
        super().__init__()
        self.output_size = check.positive_int(output_size, "output_size", "AdaptiveAvgPool1d")

    def construct(self, input):
        return op.squeeze(op.adaptive_avg_pool2d(op.expand_dims(input, -2), (1, self.output_size)), -2)
