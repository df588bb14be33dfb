# SPDX-License-Identifier: Apache-2.0
"""Convolution layers."""

from __future__ import annotations

import math

from mindspore.common import dtype as mstype
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


class _Convolution(Cell):
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

    def extend_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}, "
            f"padding={self.padding}, dilation={self.dilation}, group={self.group}, has_bias={self.has_bias}"
        )


class Conv2d(_Convolution):
    """Convolution of images.

    Args:
        in_channels (int): Channels of the input.
        out_channels (int): Channels of the output.
        kernel_size (Union[int, tuple[int]]): Height and width of the kernels.
        stride (Union[int, tuple[int]]): Steps of the kernels. Default: ``1``.
        pad_mode (str): ``"same"``, ``"valid"`` or ``"pad"``. Default: ``"same"``.
        padding (Union[int, tuple[int]]): With ``"pad"``: top, bottom, left, right. Default: ``0``.
        dilation (Union[int, tuple[int]]): Distance of the kernel's elements. Default: ``1``.
        group (int): Groups of channels that do not mix. Default: ``1``.
        has_bias (bool): Whether there is a bias. Default: ``False``.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): Initial weight; by default evenly
            distributed with bound ``1 / sqrt(fan_in)``. Default: ``None``.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): Initial bias; by default as the weight.
            Default: ``None``.
        data_format (str): ``"NCHW"`` or ``"NHWC"``. Default: ``"NCHW"``.
        dtype (:class:`mindspore.dtype`): Type of the parameters. Default: ``mindspore.float32``.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range, or they contradict each other.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import mindspore as ms
        >>> from mindspore import nn, ops
        >>> nn.Conv2d(3, 8, 3)(ops.ones((1, 3, 10, 12), ms.float32)).shape
        (1, 8, 10, 12)
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        pad_mode="same",
        padding=0,
        dilation=1,
        group=1,
        has_bias=False,
        weight_init=None,
        bias_init=None,
        data_format="NCHW",
        dtype=mstype.float32,
    ):
        super().__init__()
        self._set_up(
            2,
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
        )
        self.data_format = check.one_of(data_format, ("NCHW", "NHWC"), "format", self.cls_name)
        inner = in_channels // group
        if data_format == "NCHW":
            shape = (out_channels, inner, *self.kernel_size)
        else:
            shape = (out_channels, *self.kernel_size, inner)
        self._add_parameters(shape, inner * math.prod(self.kernel_size), weight_init, bias_init)

    def construct(self, x):
        if self.data_format == "NHWC":
            moved = op.conv2d(
                op.transpose(x, (0, 3, 1, 2)),
                op.transpose(self.weight, (0, 3, 1, 2)),
                self.bias,
                *self._options(x),
            )
            return op.transpose(moved, (0, 2, 3, 1))
        return op.conv2d(x, self.weight, self.bias, *self._options(x))

    def _options(self, x) -> tuple:
        pads = self._pads
        if self.pad_mode == "same" and x.ndim == 4:
            height, width = x.shape[2:] if self.data_format == "NCHW" else x.shape[1:3]
            kernel, stride, dilation = self.kernel_size, self.stride, self.dilation
            pads = same_pad(height, kernel[0], stride[0], dilation[0])
            pads += same_pad(width, kernel[1], stride[1], dilation[1])
        return pads, self.stride, self.dilation, self.group

    def extend_repr(self) -> str:
        shown = f"weight_init={self.weight_init}, bias_init={self.bias_init}, format={self.data_format}"
        return f"{super().extend_repr()}, {shown}"


class Conv1d(_Convolution):
    """Convolution of sequences (N, C, L); the weight is kept with a height of one.

    Args:
        in_channels (int): Channels of the input.
        out_channels (int): Channels of the output.
        kernel_size (int): Length of the kernels.
        stride (int): Step of the kernels. Default: ``1``.
        pad_mode (str): ``"same"``, ``"valid"`` or ``"pad"``. Default: ``"same"``.
        padding (Union[int, tuple[int]]): With ``"pad"``: left, right. Default: ``0``.
        dilation (int): Distance of the kernel's elements. Default: ``1``.
        group (int): Groups of channels that do not mix. Default: ``1``.
        has_bias (bool): Whether there is a bias. Default: ``False``.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): Initial weight. Default: ``None``.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): Initial bias. Default: ``None``.
        dtype (:class:`mindspore.dtype`): Type of the parameters. Default: ``mindspore.float32``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        pad_mode="same",
        padding=0,
        dilation=1,
        group=1,
        has_bias=False,
        weight_init=None,
        bias_init=None,
        dtype=mstype.float32,
    ):
        super().__init__()
        self._set_up(
            1,
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
        )
        inner = in_channels // group
        if isinstance(weight_init, Tensor):
            if weight_init.ndim != 3:
                raise ValueError(
                    f"For 'Conv1d', a Tensor as 'weight_init' must have 3 axes, got {weight_init.ndim}."
                )
            weight_init = op.expand_dims(weight_init, 2)
        shape = (out_channels, inner, 1, self.kernel_size[0])
        self._add_parameters(shape, inner * self.kernel_size[0], weight_init, bias_init)

    def construct(self, x):
        if x.ndim != 3:
            raise ValueError(
                f"For primitive[Conv2D], the x shape size must be equal to 4, but got {x.ndim + 1}."
            )
        pads = self._pads
        if self.pad_mode == "same":
            pads = same_pad(x.shape[2], self.kernel_size[0], self.stride[0], self.dilation[0])
        y = op.conv2d(
            op.expand_dims(x, 2),
            self.weight,
            self.bias,
            (0, 0, *pads),
            (1, *self.stride),
            (1, *self.dilation),
            self.group,
        )
        return op.squeeze(y, 2)


class Conv2dTranspose(_Convolution):
    """Transposed convolution: the gradient of a convolution with respect to its input.

    Args:
        in_channels (int): Channels of the input.
        out_channels (int): Channels of the output.
        kernel_size (Union[int, tuple[int]]): Height and width of the kernels.
        stride (Union[int, tuple[int]]): Steps of the kernels. Default: ``1``.
        pad_mode (str): ``"same"``, ``"valid"`` or ``"pad"``. Default: ``"same"``.
        padding (Union[int, tuple[int]]): With ``"pad"``: top, bottom, left, right. Default: ``0``.
        output_padding (Union[int, tuple[int]]): With ``"pad"``: added to the output. Default: ``0``.
        dilation (Union[int, tuple[int]]): Distance of the kernel's elements. Default: ``1``.
        group (int): Groups of channels that do not mix. Default: ``1``.
        has_bias (bool): Whether there is a bias. Default: ``False``.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): Initial weight. Default: ``None``.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): Initial bias. Default: ``None``.
        dtype (:class:`mindspore.dtype`): Type of the parameters. Default: ``mindspore.float32``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        pad_mode="same",
        padding=0,
        output_padding=0,
        dilation=1,
        group=1,
        has_bias=False,
        weight_init=None,
        bias_init=None,
        dtype=mstype.float32,
    ):
        super().__init__()
        self._set_up(
            2,
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
        )
        self.output_padding = check.ints(output_padding, 2, "output_padding", self.cls_name, least=0)
        if any(self.output_padding) and pad_mode != "pad":
            raise ValueError(
                "For 'Conv2dTranspose', the 'output_padding' must be zero when 'pad_mode' is not 'pad'."
            )
        for i in range(2):
            if any(self.output_padding) and self.output_padding[i] >= max(self.stride[i], self.dilation[i]):
                raise ValueError(
                    "For 'Conv2dTranspose', 'output_padding' must be smaller than stride or dilation."
                )
        inner = out_channels // group
        shape = (in_channels, inner, *self.kernel_size)
        self._add_parameters(shape, inner * math.prod(self.kernel_size), weight_init, bias_init)

    def _axis(self, i: int, length: int) -> tuple[int, tuple[int, int]]:
        """Output length of a spatial axis and the padding of the convolution it undoes."""
        kernel, stride, dilation = self.kernel_size[i], self.stride[i], self.dilation[i]
        reach = dilation * (kernel - 1) + 1
        if self.pad_mode == "same":
            out = length * stride
            return out, same_pad(out, kernel, stride, dilation)
        if self.pad_mode == "valid":
            return length * stride + max(reach - stride, 0), (0, 0)
        before, after = self._pads[2 * i : 2 * i + 2]
        out = length * stride - before - after + reach - stride + self.output_padding[i]
        return out, (before, after)

    def construct(self, x):
        if x.ndim != 4:
            raise ValueError(f"For 'Conv2dTranspose', the input must have 4 axes, but got {x.ndim}.")
        height, rows = self._axis(0, x.shape[2])
        width, columns = self._axis(1, x.shape[3])
        y = op.conv2d_input_gradient(
            x, self.weight, (height, width), rows + columns, self.stride, self.dilation, self.group
        )
        if self.bias is not None:
            y = y + op.reshape(self.bias, (1, self.out_channels, 1, 1))
        return y
