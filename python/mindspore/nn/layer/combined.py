# SPDX-License-Identifier: Apache-2.0
"""A convolution or dense layer with normalisation and activation behind it."""

from __future__ import annotations

from mindspore.nn import _checks as check
from mindspore.nn.cell import Cell
from mindspore.nn.layer.activation import LeakyReLU, get_activation
from mindspore.nn.layer.basic import Dense
from mindspore.nn.layer.conv import Conv2d
from mindspore.nn.layer.normalization import BatchNorm1d, BatchNorm2d
from mindspore.ops.primitive import Primitive


def _activation(activation, alpha: float, owner: str):
    if activation is None:
        return None
    if activation == "leakyrelu":
        return LeakyReLU(alpha)
    found = get_activation(activation, owner) if isinstance(activation, str) else activation
    if not isinstance(found, (Cell, Primitive)):
        raise TypeError(
            f"For '{owner}', the 'activation' must be str or Cell, but got {type(activation).__name__}."
        )
    return found


class _Combined(Cell):
    """Normalisation and activation behind a layer."""

    def _set_up(self, norm, out_channels, has_bn, momentum, eps, activation, alpha, after_fake) -> None:
        self.has_bn = check.boolean(has_bn, "has_bn", self.cls_name)
        self.after_fake = check.boolean(after_fake, "after_fake", self.cls_name)
        self.batchnorm = norm(out_channels, eps, momentum) if has_bn else None
        self.has_act = activation is not None
        self.activation = _activation(activation, alpha, self.cls_name)

    def _finish(self, x):
        if self.has_bn:
            x = self.batchnorm(x)
        return self.activation(x) if self.has_act else x


class Conv2dBnAct(_Combined):
    """Convolution, then normalisation and activation if asked.

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
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): Initial weight. Default: ``"normal"``.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): Initial bias. Default: ``"zeros"``.
        has_bn (bool): Whether the result is normalised. Default: ``False``.
        momentum (float): Of the normalisation. Default: ``0.997``.
        eps (float): Of the normalisation. Default: ``1e-5``.
        activation (Union[str, Cell, Primitive]): Applied last. Default: ``None``.
        alpha (float): Slope of ``"leakyrelu"``. Default: ``0.2``.
        after_fake (bool): Accepted for compatibility. Default: ``True``.

    Inputs:
        - **x** (Tensor) - (N, C, H, W).

    Outputs:
        Tensor.

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
        weight_init="normal",
        bias_init="zeros",
        has_bn=False,
        momentum=0.997,
        eps=1e-5,
        activation=None,
        alpha=0.2,
        after_fake=True,
    ):
        super().__init__()
        self.conv = Conv2d(
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
        )
        self._set_up(BatchNorm2d, out_channels, has_bn, momentum, eps, activation, alpha, after_fake)

    def construct(self, x):
        return self._finish(self.conv(x))


class DenseBnAct(_Combined):
    """A dense layer, then normalisation and activation if asked.

    Args:
        in_channels (int): Features of the input.
        out_channels (int): Features of the output.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): Initial weight. Default: ``"normal"``.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): Initial bias. Default: ``"zeros"``.
        has_bias (bool): Whether there is a bias. Default: ``True``.
        has_bn (bool): Whether the result is normalised. Default: ``False``.
        momentum (float): Of the normalisation. Default: ``0.9``.
        eps (float): Of the normalisation. Default: ``1e-5``.
        activation (Union[str, Cell, Primitive]): Applied last. Default: ``None``.
        alpha (float): Slope of ``"leakyrelu"``. Default: ``0.2``.
        after_fake (bool): Accepted for compatibility. Default: ``True``.

    Inputs:
        - **x** (Tensor) - (N, in_channels).

    Outputs:
        Tensor.

    Supported Platforms:
        ``CPU``
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        weight_init="normal",
        bias_init="zeros",
        has_bias=True,
        has_bn=False,
        momentum=0.9,
        eps=1e-5,
        activation=None,
        alpha=0.2,
        after_fake=True,
    ):
        super().__init__()
        self.dense = Dense(in_channels, out_channels, weight_init, bias_init, has_bias)
        self._set_up(BatchNorm1d, out_channels, has_bn, momentum, eps, activation, alpha, after_fake)

    def construct(self, x):
        return self._finish(self.dense(x))


__all__ = ["Conv2dBnAct", "DenseBnAct"]
