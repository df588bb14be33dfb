# SPDX-License-Identifier: Apache-2.0
"""Transposed convolutions: gradients of convolutions with respect to their inputs."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.nn import _checks as check
from mindspore.nn.layer._convolution import _Conv, same_pad
from mindspore.ops._registry import op


def _deconv_output_length(
    is_valid: bool,
    is_same: bool,
    is_pad: bool,
    input_length: int,
    filter_size: int,
    stride_size: int,
    dilation_size: int,
    padding: int,
) -> int:
    """Length of one axis after a transposed convolution; `padding` is that of both ends together."""
    reach = dilation_size * (filter_size - 1) + 1
    if is_valid:
        return input_length * stride_size + max(reach - stride_size, 0)
    if is_same:
        return input_length * stride_size
    return input_length * stride_size - padding + reach - stride_size if is_pad else 0


def _check_input_3d(input_shape: tuple, op_name: str) -> None:
    """ValueError unless a shape has three lengths."""
    if len(input_shape) != 3:
        raise ValueError(f"For '{op_name}', the dimension of input must be 3d, but got {len(input_shape)}.")


class _Transposed(_Conv):
    """Lengths and padding of the transposed convolutions over one and two axes."""

    def _axis(self, i: int, length: int) -> tuple[int, tuple[int, int]]:
        """Output length of a spatial axis and the padding of the convolution it undoes."""
        window = self.kernel_size[i], self.stride[i], self.dilation[i]
        modes = (self.pad_mode == mode for mode in ("valid", "same", "pad"))
        pads = self._pads[2 * i : 2 * i + 2]
        out = _deconv_output_length(*modes, length, *window, sum(pads))
        if self.pad_mode == "same":
            return out, same_pad(out, *window)
        return out, pads

    def _with_bias(self, y):
        return y if self.bias is None else y + op.reshape(self.bias, (1, self.out_channels, 1, 1))


class Conv2dTranspose(_Transposed):
    """Transposed convolution: the gradient of a convolution with respect to its input.

    Args:
        in_channels (int): Channels of the input.
        out_channels (int): Channels of the output.
        kernel_size (Union[int, tuple[int]]): Height and width of the kernels.
        stride (Union[int, tuple[int]]): Steps of the kernels. Default: ``1``.
        pad_mode (str): ``"same"``, ``"valid"`` or ``"pad"``. Default: ``"same"``.
        padding (Union[int, tuple[int]]): With ``"pad"``: top, bottom, left, right. Default: ``0``.
        output_padding (Union[int, tuple[int]]): With ``"pad"``: rows and columns of zeros behind the output.
            Default: ``0``.
        dilation (Union[int, tuple[int]]): Distance of the kernel's elements. Default: ``1``.
        group (int): Groups of channels that do not mix. Default: ``1``.
        has_bias (bool): Whether there is a bias. Default: ``False``.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): Initial weight. Default: ``None``.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): Initial bias. Default: ``None``.
        dtype (:class:`mindspore.dtype`): Type of the parameters. Default: ``mindspore.float32``.

    Supported Platforms:
        ``CPU``
    """

    _axes = 2

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
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
            "NCHW",
            True,
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

    def shard(self, strategy):
        """Splits the computation over devices in (semi-)automatic parallel training."""
        return super().shard(strategy)

    def construct(self, x):
        if x.ndim != 4:
            raise ValueError(f"For 'Conv2dTranspose', the input must have 4 axes, but got {x.ndim}.")
        height, rows = self._axis(0, x.shape[2])
        width, columns = self._axis(1, x.shape[3])
        y = op.conv2d_input_gradient(
            x, self.weight, (height, width), rows + columns, self.stride, self.dilation, self.group
        )
        y = self._with_bias(y)
        if not any(self.output_padding):
            return y
        # Zeros, as in MindSpore; a longer gradient would have values there.
        below, right = self.output_padding
        return op.pad_constant(y, (0, 0, 0, 0, 0, below, 0, right), 0)


class Conv1dTranspose(_Transposed):
    """Transposed convolution of sequences (N, C, L); the weight is kept with a height of one.

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

    Inputs:
        - **x** (Tensor) - (N, C, L).

    Outputs:
        Tensor, (N, out_channels, L').

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range, or they contradict each other.

    Supported Platforms:
        ``CPU``
    """

    _axes_shown = "L"

    _axes = 1

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
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
            "NCHW",
            True,
            dtype,
        )

    def shard(self, strategy):
        """Splits the computation over devices in (semi-)automatic parallel training."""
        return super().shard(strategy)

    def construct(self, x):
        if x.ndim != 3:
            raise ValueError(f"For 'Conv1dTranspose', the input must have 3 axes, but got {x.ndim}.")
        width, columns = self._axis(0, x.shape[2])
        y = op.conv2d_input_gradient(
            op.expand_dims(x, 2),
            self.weight,
            (1, width),
            (0, 0, *columns),
            (1, *self.stride),
            (1, *self.dilation),
            self.group,
        )
        return op.squeeze(self._with_bias(y), 2)


class Conv3dTranspose(_Conv):
    """Transposed convolution of volumes.

    Args:
        in_channels (int): Channels of the input.
        out_channels (int): Channels of the output.
        kernel_size (Union[int, tuple[int]]): Depth, height and width of the kernels.
        stride (Union[int, tuple[int]]): Steps of the kernels. Default: ``1``.
        pad_mode (str): ``"same"``, ``"valid"`` or ``"pad"``. Default: ``"same"``.
        padding (Union[int, tuple[int]]): With ``"pad"``: head, tail, top, bottom, left, right.
            Default: ``0``.
        dilation (Union[int, tuple[int]]): Distance of the kernel's elements. Default: ``1``.
        group (int): Groups of channels that do not mix. Default: ``1``.
        output_padding (Union[int, tuple[int]]): With ``"pad"``: added to the output. Default: ``0``.
        has_bias (bool): Whether there is a bias. Default: ``False``.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): Initial weight. Default: ``None``.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): Initial bias. Default: ``None``.
        data_format (str): Only ``"NCDHW"``. Default: ``"NCDHW"``.
        dtype (:class:`mindspore.dtype`): Type of the parameters. Default: ``mindspore.float32``.

    Inputs:
        - **x** (Tensor) - (N, C, D, H, W).

    Outputs:
        Tensor, (N, out_channels, D', H', W').

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range, or they contradict each other.

    Supported Platforms:
        ``CPU``
    """

    _axes_shown = "DHW"

    _axes, _formats = 3, ("NCDHW",)

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
        output_padding=0,
        has_bias=False,
        weight_init=None,
        bias_init=None,
        data_format="NCDHW",
        dtype=mstype.float32,
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
            data_format,
            True,
            dtype,
        )
        self.output_padding = check.ints(output_padding, 3, "output_padding", self.cls_name, least=0)

    def construct(self, x):
        return op.conv3d_transpose(
            x,
            self.weight,
            self.bias,
            self.in_channels,
            self.out_channels,
            self.kernel_size,
            1,
            self.pad_mode,
            self._pads,
            self.stride,
            self.dilation,
            self.group,
            self.output_padding,
        )
