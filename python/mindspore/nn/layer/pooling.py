# SPDX-License-Identifier: Apache-2.0
"""Pooling layers."""

from __future__ import annotations

from mindspore._later import defined_classes as _defined_classes
from mindspore.common import dtype as mstype
from mindspore.nn import _checks as check
from mindspore.nn._description import takes
from mindspore.nn.layer._convolution import DATA_FORMAT
from mindspore.nn.layer._pooling import Pool, maximum_arguments, mean_arguments, with_batch
from mindspore.nn.layer.pooling_volumes import AvgPool3d, MaxPool3d  # noqa: F401  (offered here)
from mindspore.nn.layer.pooling_windows import (  # noqa: F401  (offered here)
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

_FORMAT = DATA_FORMAT.but(check=check.choice("NCHW", "NHWC", shown="format"))
_COUNTED = 'With ``"pad"``: padded cells count in the divisor.'


@takes(*maximum_arguments(2), _FORMAT)
class MaxPool2d(Pool):
    """Largest value of every window."""

    def _set_up(self, pad_mode, padding) -> None:
        self._set_padding_of_maxima(pad_mode, padding)
        if self.pad_mode == "pad" and self.data_format == "NHWC":
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


@takes(*maximum_arguments(1))
class MaxPool1d(Pool):
    """Largest value of every window of a sequence (N, C, L) or (C, L)."""

    def _set_up(self, pad_mode, padding) -> None:
        self._set_padding_of_maxima(pad_mode, padding)

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


@takes(*mean_arguments(2, _COUNTED), _FORMAT)
class AvgPool2d(Pool):
    """Mean of every window."""

    def _set_up(self, pad_mode, padding) -> None:
        self._set_padding_of_means(pad_mode, padding)

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


@takes(*mean_arguments(1, _COUNTED))
class AvgPool1d(Pool):
    """Mean of every window of a sequence (N, C, L) or (C, L)."""

    def _set_up(self, pad_mode, padding) -> None:
        self._set_padding_of_means(pad_mode, padding)
        self.divisor_override = None

    def construct(self, x):
        x, added = with_batch(x, 1, self.cls_name)
        counted = self.count_include_pad and self.pad_mode == "pad"
        pads = (0, 0, *self._pads_for(x.shape[2:]))
        y = op.avg_pool2d(
            op.expand_dims(x, 2), (1, *self.kernel_size), (1, *self.stride), pads, self.ceil_mode, counted, 0
        )
        y = op.squeeze(y, 2)
        return op.squeeze(y, 0) if added else y


__all__ = _defined_classes(
    globals(), "mindspore.nn.layer.pooling_volumes", "mindspore.nn.layer.pooling_windows"
)
