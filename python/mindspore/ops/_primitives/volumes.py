# SPDX-License-Identifier: Apache-2.0
"""Pooling of volumes as primitives."""

from __future__ import annotations

from mindspore.ops.function.volumes import pooled_maxima, pooled_means, six, triple
from mindspore.ops.primitive import Primitive, prim_attr_register

__all__ = ["AvgPool3D", "MaxPool3D"]


class _Pool3D(Primitive):
    """Checks and padding of both kinds."""

    def _check(self, strides_label: str, pad_label: str, pad) -> None:
        triple(self.name, "kernel_size", self._window(self.kernel_size), 1)
        triple(self.name, strides_label, self._window(self.strides), 1)
        if not isinstance(self.pad_mode, str):
            raise TypeError(f"For '{self.name}', the 'pad_mode' must be a str, but got {self.pad_mode}.")
        if self.pad_mode.upper() not in ("VALID", "SAME", "PAD"):
            raise ValueError(
                f"For '{self.name}', the 'pad_mode' must be same, valid or pad, but got {self.pad_mode}."
            )
        if self.data_format != "NCDHW":
            raise ValueError(
                f"For '{self.name}', the 'data_format' must be NCDHW, but got {self.data_format}."
            )
        if any(six(self.name, pad_label, pad)) and self.pad_mode.upper() != "PAD":
            raise ValueError(
                f"For '{self.name}', the '{pad_label}' must be 0 unless 'pad_mode' is pad, but got {pad}."
            )

    @staticmethod
    def _window(value):
        """Three of the five numbers that name all axes."""
        return value[2:] if isinstance(value, (tuple, list)) and len(value) == 5 else value

    def _pads(self, x, kernel, strides, given) -> tuple:
        mode = self.pad_mode.upper()
        if mode != "SAME":
            return given if mode == "PAD" else (0,) * 6
        pads = []
        for length, size, step in zip(x.shape[2:], kernel, strides, strict=True):
            missing = max((-(-length // step) - 1) * step + size - length, 0)
            pads += [missing // 2, missing - missing // 2]
        return tuple(pads)

    def _sizes(self, x) -> tuple:
        if len(x.shape) != 5:
            raise ValueError(f"For '{self.name}', the input must have 5 axes, but got {x.shape}.")
        kernel = triple(self.name, "kernel_size", self._window(self.kernel_size), 1)
        return kernel, triple(self.name, "strides", self._window(self.strides), 1)


class AvgPool3D(_Pool3D):
    """Means of windows of (N, C, D, H, W).

    Args:
        kernel_size (Union[int, tuple[int]]): Depth, height and width of a window. Default: ``1``.
        strides (Union[int, tuple[int]]): Steps. Default: ``1``.
        pad_mode (str): ``"same"``, ``"valid"`` or ``"pad"``. Default: ``"valid"``.
        pad (Union[int, tuple[int], list[int]]): Zeros around, for ``"pad"``. Default: ``0``.
        ceil_mode (bool): Also count windows that reach over the end. Default: ``False``.
        count_include_pad (bool): Whether padded cells count in the divisor. Default: ``True``.
        divisor_override (int): Divisor; 0: the number of cells. Default: ``0``.
        data_format (str): Only ``"NCDHW"``. Default: ``"NCDHW"``.

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(
        self,
        kernel_size=1,
        strides=1,
        pad_mode="valid",
        pad=0,
        ceil_mode=False,
        count_include_pad=True,
        divisor_override=0,
        data_format="NCDHW",
    ):
        self._check("strides", "pad", pad)

    def __call__(self, x):
        kernel, strides = self._sizes(x)
        pads = self._pads(x, kernel, strides, six(self.name, "pad", self.pad))
        return pooled_means(
            x, kernel, strides, pads, self.ceil_mode, self.count_include_pad, self.divisor_override
        )


class MaxPool3D(_Pool3D):
    """Largest elements of windows of (N, C, D, H, W).

    Args:
        kernel_size (Union[int, tuple[int]]): Depth, height and width of a window. Default: ``1``.
        strides (Union[int, tuple[int]]): Steps. Default: ``1``.
        pad_mode (str): ``"same"``, ``"valid"`` or ``"pad"``. Default: ``"VALID"``.
        pad_list (Union[int, tuple[int]]): Cells around that never win, for ``"pad"``. Default: ``0``.
        ceil_mode (Union[bool, None]): Also count windows that reach over the end. Default: ``None``.
        data_format (str): Only ``"NCDHW"``. Default: ``"NCDHW"``.

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(
        self, kernel_size=1, strides=1, pad_mode="VALID", pad_list=0, ceil_mode=None, data_format="NCDHW"
    ):
        self._check("strides", "pad_list", pad_list)

    def __call__(self, x):
        kernel, strides = self._sizes(x)
        pads = self._pads(x, kernel, strides, six(self.name, "pad_list", self.pad_list))
        return pooled_maxima(x, kernel, strides, pads, (1, 1, 1), bool(self.ceil_mode), False)[0]
