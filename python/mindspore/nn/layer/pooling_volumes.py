# SPDX-License-Identifier: Apache-2.0
"""Pooling of volumes."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.nn import _checks as check
from mindspore.nn._description import takes
from mindspore.nn.layer._pooling import Pool, maximum_arguments, mean_arguments, with_batch
from mindspore.ops._registry import op
from mindspore.ops.function.volumes import pooled_maxima, pooled_means


@takes(*maximum_arguments(3, check.boolean))
class MaxPool3d(Pool):
    """Largest value of every window of volumes (N, C, D, H, W) or (C, D, H, W).

    Inputs:
        - **x** (Tensor) - The volumes.

    Outputs:
        Tensor, or a tuple of the values and their places in the volume.
    """

    def _set_up(self, pad_mode, padding) -> None:
        self._set_padding_of_maxima(pad_mode, padding)

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


_COUNTED = 'Padded cells count in the divisor, with ``"same"`` too, unlike in pooling of planes.'


@takes(*mean_arguments(3, _COUNTED, check.boolean))
class AvgPool3d(Pool):
    """Mean of every window of volumes (N, C, D, H, W) or (C, D, H, W).

    Inputs:
        - **x** (Tensor) - The volumes.

    Outputs:
        Tensor.
    """

    def _set_up(self, pad_mode, padding) -> None:
        self._set_padding_of_means(pad_mode, padding)

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
