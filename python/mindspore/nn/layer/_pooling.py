# SPDX-License-Identifier: Apache-2.0
"""What the pooling layers share."""

from __future__ import annotations

from collections.abc import Callable

from mindspore.nn import _checks as check
from mindspore.nn._arguments import LENGTHS
from mindspore.nn._description import Argument
from mindspore.nn.cell import Cell
from mindspore.nn.layer._convolution import PAD_MODES, same_pad
from mindspore.ops._registry import op

_WINDOWS = ("Length", "Height and width", "Depth, height and width")
_SIDES = ("both sides", "height, width", "depth, height, width")
_OVER_THE_END = "lso windows that reach over the end."


def _divisor(value, name: str, owner: str) -> int | None:
    if value is not None and value <= 0:
        raise ValueError(f"For '{owner}', the '{name}' must be > 0, but got {value}.")
    return value


def _window_arguments(axes: int) -> list[Argument]:
    kind = "int" if axes == 1 else LENGTHS
    return [
        Argument("kernel_size", kind, f"{_WINDOWS[axes - 1]} of the window.", 1, check.lengths(axes)),
        Argument("stride", kind, "Its step." if axes == 1 else "Its steps.", 1, check.lengths(axes)),
        Argument("pad_mode", "str", '``"same"``, ``"valid"`` or ``"pad"``.', "valid"),
        Argument("padding", kind, f'With ``"pad"``: {_SIDES[axes - 1]}.', 0),
    ]


def maximum_arguments(axes: int, of_flags: Callable | None = None) -> list[Argument]:
    """What the layers for maxima over so many axes take, and a check of flags."""
    distance = 'With ``"pad"``: distance of the window\'s cells.'
    places = 'With ``"pad"``: also where the values stand.'
    return [
        *_window_arguments(axes),
        Argument("dilation", "int" if axes == 1 else LENGTHS, distance, 1, check.lengths(axes)),
        Argument("return_indices", "bool", places, False, of_flags),
        Argument("ceil_mode", "bool", f'With ``"pad"``: a{_OVER_THE_END}', False, of_flags),
    ]


def mean_arguments(axes: int, counted: str, of_flags: Callable | None = None) -> list[Argument]:
    """What the layers for means over so many axes take, and a check of flags."""
    instead = Argument("divisor_override", "int", "Divisor instead of the number of cells.", None, _divisor)
    return [
        *_window_arguments(axes),
        Argument("ceil_mode", "bool", f"A{_OVER_THE_END}", False, of_flags),
        Argument("count_include_pad", "bool", counted, True, of_flags),
        *([instead] if axes > 1 else []),
    ]


class Pool(Cell):
    """What the pooling layers share: sizes and padding."""

    kernel_size: tuple[int, ...]
    stride: tuple[int, ...]

    def _set_padding(self, pad_mode, padding) -> None:
        owner = self.cls_name
        self.pad_mode = check.one_of(str(pad_mode).lower(), PAD_MODES, "pad_mode", owner)
        self.padding = padding
        pads = check.ints(padding, len(self.kernel_size), "padding", owner, least=0)
        self._pads = tuple(p for pad in pads for p in (pad, pad))
        if self.pad_mode == "pad" and any(2 * p > k for p, k in zip(pads, self.kernel_size, strict=False)):
            raise ValueError(
                f"For '{owner}', 'padding' must be at most half of 'kernel_size', but got {padding}."
            )

    def _set_padding_of_maxima(self, pad_mode, padding) -> None:
        """The same; a ValueError for options that only "pad" knows."""
        self._set_padding(pad_mode, padding)
        special = any(self._pads) or set(self.dilation) != {1} or self.return_indices or self.ceil_mode
        if self.pad_mode != "pad" and special:
            raise ValueError(
                f"For '{self.cls_name}', the parameter 'padding', 'dilation', 'return_indices', 'ceil_mode' "
                "can not be set to non-default value when pad_mode is not 'pad', but got pad_mode:"
                f"{pad_mode}."
            )

    def _set_padding_of_means(self, pad_mode, padding) -> None:
        """The same; a ValueError for padding that is not used."""
        self._set_padding(pad_mode, padding)
        if self.pad_mode != "pad" and any(self._pads):
            raise ValueError(
                f"For '{self.cls_name}', the parameter 'padding' can only be set when pad_mode is 'pad', but "
                f"got pad_mode:{pad_mode}."
            )

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
