# SPDX-License-Identifier: Apache-2.0
"""What the pooling layers share."""

from __future__ import annotations

from mindspore.nn import _checks as check
from mindspore.nn.cell import Cell
from mindspore.nn.layer._convolution import PAD_MODES, same_pad
from mindspore.ops._registry import op


class Pool(Cell):
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

    def _set_divisor(self, pad_mode, divisor_override) -> None:
        """Options of the layers that compute means over two or three axes."""
        if divisor_override is not None and divisor_override <= 0:
            raise ValueError(
                f"For '{self.cls_name}', the 'divisor_override' must be > 0, but got {divisor_override}."
            )
        if self.pad_mode != "pad" and any(self._pads):
            raise ValueError(
                f"For '{self.cls_name}', the parameter 'padding' can only be set when pad_mode is 'pad', but "
                f"got pad_mode:{pad_mode}."
            )
        self.divisor_override = divisor_override

    def _pads_for(self, lengths, dilation=(1, 1, 1)) -> tuple[int, ...]:
        if self.pad_mode != "same":
            return self._pads
        return tuple(
            pad
            for i, length in enumerate(lengths)
            for pad in same_pad(length, self.kernel_size[i], self.stride[i], dilation[i])
        )

    def _expects(self) -> str:
        if getattr(self, "data_format", "NCHW") == "NHWC":
            return "(N, H, W, C)"
        return f"(N, C, {', '.join('DHW'[-len(self.kernel_size) :] if len(self.kernel_size) > 1 else 'L')})"

    def extend_repr(self) -> str:
        sizes = f"kernel_size={_shown(self.kernel_size)}, stride={_shown(self.stride)}"
        return f"{sizes}, pad_mode={self.pad_mode.upper()}"


def _shown(sizes: tuple):
    return sizes[0] if len(set(sizes)) == 1 else sizes


def with_batch(x, spatial: int, owner: str):
    """(x with a batch axis, whether it was added)."""
    if x.ndim == spatial + 1:
        return op.expand_dims(x, 0), True
    if x.ndim != spatial + 2:
        raise ValueError(
            f"For '{owner}', the input must have {spatial + 1} or {spatial + 2} axes, but got {x.ndim}."
        )
    return x, False


def check_special(layer: Pool, pad_mode) -> None:
    """ValueError for options of maximum pooling that only "pad" knows."""
    special = any(layer._pads) or set(layer.dilation) != {1} or layer.return_indices or layer.ceil_mode
    if layer.pad_mode != "pad" and special:
        raise ValueError(
            f"For '{layer.cls_name}', the parameter 'padding', 'dilation', 'return_indices', 'ceil_mode' can "
            f"not be set to non-default value when pad_mode is not 'pad', but got pad_mode:{pad_mode}."
        )
