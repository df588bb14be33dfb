# SPDX-License-Identifier: Apache-2.0
"""Convolution layers."""

from __future__ import annotations

from mindspore.nn._arguments import DTYPE
from mindspore.nn._description import shows, takes
from mindspore.nn._on_demand import OnDemand
from mindspore.nn.layer._convolution import (
    DATA_FORMAT,
    PAD_MODES,
    SHOWN,
    VOLUME_FORMAT,
    _Conv,
    convolution_arguments,
    same_pad,
)
from mindspore.nn.layer.conv_transpose import (
    Conv1dTranspose,
    Conv2dTranspose,
    Conv3dTranspose,
    _check_input_3d,
    _deconv_output_length,
)
from mindspore.ops._registry import op

__all__ = [
    "PAD_MODES",
    "Conv1d",
    "Conv1dTranspose",
    "Conv2d",
    "Conv2dTranspose",
    "Conv3d",
    "Conv3dTranspose",
    "_Conv",
    "_check_input_3d",
    "_deconv_output_length",
    "same_pad",
]


@takes(*convolution_arguments(2), DATA_FORMAT, DTYPE)
class Conv2d(_Conv):
    """Convolution of images.

    Examples:
        >>> import mindspore as ms
        >>> from mindspore import nn, ops
        >>> nn.Conv2d(3, 8, 3)(ops.ones((1, 3, 10, 12), ms.float32)).shape
        (1, 8, 10, 12)
    """

    _axes, _formats = 2, ("NCHW", "NHWC")

    @OnDemand
    def conv2d(self):
        """The convolution as a primitive, for layers that change weights before they use them."""
        from mindspore import ops

        options = (self.stride, self.dilation, self.group, self.data_format)
        return ops.Conv2D(self.out_channels, self.kernel_size, 1, self.pad_mode, self.padding, *options)

    @OnDemand
    def bias_add(self):
        """Addition of the bias as a primitive."""
        from mindspore import ops

        return ops.BiasAdd(self.data_format)

    def construct(self, x):
        if x.ndim != 4:
            self._require_rank(x, "Conv2D")
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
        if self.pad_mode == "same":
            height, width = x.shape[2:] if self.data_format == "NCHW" else x.shape[1:3]
            kernel, stride, dilation = self.kernel_size, self.stride, self.dilation
            pads = same_pad(height, kernel[0], stride[0], dilation[0])
            pads += same_pad(width, kernel[1], stride[1], dilation[1])
        return pads, self.stride, self.dilation, self.group

    extend_repr = shows(f"{SHOWN} weight_init bias_init format=data_format")


@takes(*convolution_arguments(1), DTYPE)
class Conv1d(_Conv):
    """Convolution of sequences (N, C, L); the weight is kept with a height of one."""

    _axes, _axes_shown = 1, "L"

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


@takes(*convolution_arguments(3), VOLUME_FORMAT, DTYPE)
class Conv3d(_Conv):
    """Convolution of volumes (N, C, D, H, W).

    Inputs:
        - **x** (Tensor) - (N, C, D, H, W).

    Outputs:
        Tensor, (N, out_channels, D', H', W').

    Examples:
        >>> import mindspore as ms
        >>> from mindspore import nn, ops
        >>> nn.Conv3d(3, 8, (2, 3, 3))(ops.ones((1, 3, 4, 5, 6), ms.float32)).shape
        (1, 8, 4, 5, 6)
    """

    _axes, _formats, _axes_shown = 3, ("NCDHW",), "DHW"

    def construct(self, x):
        if x.ndim != 5:
            self._require_rank(x, "Conv3D")
        return op.conv3d_function(
            x, self.weight, self.bias, self.stride, self.pad_mode, self._pads, self.dilation, self.group
        )

    extend_repr = shows(f"{SHOWN} weight_init bias_init format=data_format")
