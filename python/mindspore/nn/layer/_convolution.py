# SPDX-License-Identifier: Apache-2.0
"""What the convolution layers share."""

from __future__ import annotations

import math

from mindspore.common.initializer import HeUniform, Uniform, initializer
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op

PAD_MODES = ("same", "valid", "pad")


def same_pad(length: int, kernel: int, stride: int, dilation: int = 1) -> tuple[int, int]:
    """Padding before and after one axis that makes the output ceil(length / stride) long."""
    reach = dilation * (kernel - 1) + 1
    total = max(0, (-(-length // stride) - 1) * stride + reach - length)
    return total // 2, total - total // 2


def _padding(padding, axes: int, pad_mode: str, owner: str) -> tuple[int, ...]:
    """Before and after every axis."""
    pads = check.ints(padding, 2 * axes, "padding", owner, least=0)
    if pad_mode != "pad" and any(pads):
        raise ValueError(
            f"For '{owner}', the 'pad' must be zero when 'pad_mode' is not 'pad', but got 'pad': {padding} "
            "and "
            f"'pad_mode': {pad_mode}."
        )
    return pads


def flat_init(weight_init, owner: str):
    """A tensor with three axes as the weight of sequences is kept: with a height of one."""
    if not isinstance(weight_init, Tensor):
        return weight_init
    if weight_init.ndim != 3:
        raise ValueError(
            f"For '{owner}', a Tensor as 'weight_init' must have 3 axes, but got {weight_init.ndim}."
        )
    return op.expand_dims(weight_init, 2)


class Convolution(Cell):
    """What the convolution layers share: options, weight and bias."""

    def _set_up(
        self,
        axes,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        pad_mode,
        padding,
        dilation,
        group,
        has_bias,
        dtype,
    ) -> None:
        owner = self.cls_name
        self.in_channels = check.positive_int(in_channels, "in_channels", owner)
        self.out_channels = check.positive_int(out_channels, "out_channels", owner)
        self.kernel_size = check.ints(kernel_size, axes, "kernel_size", owner)
        self.stride = check.ints(stride, axes, "stride", owner)
        self.dilation = check.ints(dilation, axes, "dilation", owner)
        self.group = check.positive_int(group, "group", owner)
        self.pad_mode = check.one_of(pad_mode, PAD_MODES, "pad_mode", owner)
        self.padding = padding if isinstance(padding, int) else tuple(padding)
        self._pads = _padding(padding, axes, pad_mode, owner)
        self.has_bias = check.boolean(has_bias, "has_bias", owner)
        self.dtype = dtype
        if in_channels % group or out_channels % group:
            raise ValueError(
                "The argument 'group' should be divisible by 'in_channels' and 'out_channels', but got "
                f"group: {group}, "
                f"in_channels: {in_channels}, out_channels: {out_channels}."
            )

    def _add_parameters(self, weight_shape: tuple, fan_in: int, weight_init, bias_init) -> None:
        self.weight_init, self.bias_init = weight_init, bias_init
        weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(weight_init, weight_shape, self.dtype), name="weight")
        self.bias = None
        if self.has_bias:
            bias_init = Uniform(1 / math.sqrt(fan_in)) if bias_init is None else bias_init
            self.bias = Parameter(initializer(bias_init, (self.out_channels,), self.dtype), name="bias")

    _axes_shown = "HW"

    def _expects(self) -> str:
        if getattr(self, "data_format", "NCHW") == "NHWC":
            return f"(N, H, W, {self.in_channels})"
        return f"(N, {self.in_channels}, {', '.join(self._axes_shown)})"

    def _require_rank(self, x, primitive: str) -> None:
        """ValueError unless the input has a batch axis, channels and all others."""
        rank = len(self._axes_shown) + 2
        if x.ndim != rank:
            raise ValueError(
                f"For primitive[{primitive}], the x shape size must be equal to {rank}, but got {x.ndim}."
            )

    def extend_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}, "
            f"padding={self.padding}, dilation={self.dilation}, group={self.group}, has_bias={self.has_bias}"
        )
