# SPDX-License-Identifier: Apache-2.0
"""Transposed convolutions: gradients of convolutions with respect to their inputs."""

from __future__ import annotations

from mindspore.nn import _checks as check
from mindspore.nn._arguments import DTYPE, LENGTHS
from mindspore.nn._description import Argument, takes
from mindspore.nn.layer._convolution import VOLUME_FORMAT, _Conv, convolution_arguments, same_pad
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


def _arguments(axes: int, before: str, text: str) -> list[Argument]:
    """Those of convolutions, and `output_padding` before another one."""
    found = convolution_arguments(axes)
    place = next(i for i, one in enumerate(found) if one.name == before)
    behind = Argument("output_padding", LENGTHS, f'With ``"pad"``: {text}.', 0, check.lengths(axes, 0))
    return [*found[:place], behind, *found[place:]]


@takes(*_arguments(2, "dilation", "rows and columns of zeros behind the output"), DTYPE, transposed=True)
class Conv2dTranspose(_Transposed):
    """Transposed convolution: the gradient of a convolution with respect to its input."""

    _axes = 2

    def _set_up(self) -> None:
        if any(self.output_padding) and self.pad_mode != "pad":
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


@takes(*convolution_arguments(1), DTYPE, transposed=True)
class Conv1dTranspose(_Transposed):
    """Transposed convolution of sequences (N, C, L); the weight is kept with a height of one.

    Inputs:
        - **x** (Tensor) - (N, C, L).

    Outputs:
        Tensor, (N, out_channels, L').
    """

    _axes, _axes_shown = 1, "L"

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


@takes(*_arguments(3, "has_bias", "added to the output"), VOLUME_FORMAT, DTYPE, transposed=True)
class Conv3dTranspose(_Conv):
    """Transposed convolution of volumes.

    Inputs:
        - **x** (Tensor) - (N, C, D, H, W).

    Outputs:
        Tensor, (N, out_channels, D', H', W').
    """

    _axes, _formats, _axes_shown = 3, ("NCDHW",), "DHW"

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
