# SPDX-License-Identifier: Apache-2.0
"""What the convolution layers share."""

from __future__ import annotations

import math

from mindspore.common.initializer import HeUniform, Uniform, initializer
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn._arguments import BIAS_INIT, DTYPE, HAS_BIAS, LENGTHS, WEIGHT_INIT, positive_int
from mindspore.nn._description import REQUIRED, Argument, shows, takes
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op

PAD_MODES = ("same", "valid", "pad")

_is_mode = check.choice(*PAD_MODES)


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


_LENGTHS = ("Lengths", "Length", "Height and width", "Depth, height and width")
_SIDES = (
    "before and after every axis",
    "left, right",
    "top, bottom, left, right",
    "head, tail, top, bottom, left, right",
)
_EVENLY = "; None: evenly distributed with bound ``1 / sqrt(fan_in)``."
SHOWN = (
    "input_channels=in_channels output_channels=out_channels kernel_size stride pad_mode padding dilation "
    "group has_bias"
)
DATA_FORMAT = Argument("data_format", "str", '``"NCHW"`` or ``"NHWC"``.', "NCHW")
VOLUME_FORMAT = Argument("data_format", "str", 'Only ``"NCDHW"``.', "NCDHW")


def convolution_arguments(axes: int) -> list[Argument]:
    """What convolutions over so many axes take; 0: over any number of them."""
    kind = ("tuple[int]", "int", LENGTHS, LENGTHS)[axes]
    return [
        positive_int("in_channels", "Channels of the input."),
        positive_int("out_channels", "Channels of the output."),
        Argument("kernel_size", kind, f"{_LENGTHS[axes]} of the kernels."),
        Argument("stride", kind, f"{'Step' if axes == 1 else 'Steps'} of the kernels.", 1),
        Argument("pad_mode", "str", '``"same"``, ``"valid"`` or ``"pad"``.', "same", _is_mode),
        Argument("padding", LENGTHS, f'With ``"pad"``: {_SIDES[axes]}.', 0),
        Argument("dilation", kind, "Distance of the kernel's elements.", 1),
        positive_int("group", "Groups of channels that do not mix.", 1),
        HAS_BIAS.but(default=False),
        WEIGHT_INIT.but(text=f"Initial weight{_EVENLY}"),
        BIAS_INIT.but(text=f"Initial bias{_EVENLY}"),
    ]


@takes(
    *(one.but(default=REQUIRED) for one in convolution_arguments(0)),
    DATA_FORMAT.but(text="Order of the axes."),
    Argument("transposed", "bool", "Whether input and output change their places.", False),
    DTYPE,
)
class _Conv(Cell):
    """What convolution layers share: options, weight and bias. A derived class says what is computed.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range, or they contradict each other.
    """

    _axes = 0  # how many axes kernels have; 0: as many as are given
    _formats: tuple[str, ...] = ("NCHW", "NHWC", "NCDHW")
    _axes_shown = "HW"

    def _set_up(
        self, kernel_size, stride, dilation, padding, weight_init, bias_init, data_format, transposed
    ):
        axes = self._axes or (len(kernel_size) if isinstance(kernel_size, (tuple, list)) else 1)
        owner = self.cls_name
        in_channels, out_channels, group = self.in_channels, self.out_channels, self.group
        self.kernel_size = check.ints(kernel_size, axes, "kernel_size", owner)
        self.stride = check.ints(stride, axes, "stride", owner)
        self.dilation = check.ints(dilation, axes, "dilation", owner)
        self.padding = padding if isinstance(padding, int) else tuple(padding)
        self._pads = _padding(padding, axes, self.pad_mode, owner)
        if in_channels % group or out_channels % group:
            raise ValueError(
                "The argument 'group' should be divisible by 'in_channels' and 'out_channels', but got "
                f"group: {group}, "
                f"in_channels: {in_channels}, out_channels: {out_channels}."
            )
        self.data_format = check.one_of(data_format, self._formats, "format", owner)
        rows, inner = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        inner //= group
        # Sequences are images of height one.
        window = (1, *self.kernel_size) if self._axes == 1 else self.kernel_size
        if self._axes == 1:
            weight_init = flat_init(weight_init, owner)
        shape = (rows, *window, inner) if data_format == "NHWC" else (rows, inner, *window)
        self._add_parameters(shape, inner * math.prod(window), weight_init, bias_init)

    def construct(self, *inputs):
        raise NotImplementedError(f"For '{self.cls_name}', 'construct' has to be defined by the class.")

    def _add_parameters(self, weight_shape: tuple, fan_in: int, weight_init, bias_init) -> None:
        self.weight_init, self.bias_init = weight_init, bias_init
        weight_init = HeUniform(math.sqrt(5)) if weight_init is None else weight_init
        self.weight = Parameter(initializer(weight_init, weight_shape, self.dtype), name="weight")
        self.bias = None
        if self.has_bias:
            bias_init = Uniform(1 / math.sqrt(fan_in)) if bias_init is None else bias_init
            self.bias = Parameter(initializer(bias_init, (self.out_channels,), self.dtype), name="bias")

    def _expects(self) -> str:
        if self.data_format == "NHWC":
            return f"(N, H, W, {self.in_channels})"
        return f"(N, {self.in_channels}, {', '.join(self._axes_shown)})"

    def _require_rank(self, x, primitive: str) -> None:
        """ValueError unless the input has a batch axis, channels and all others."""
        rank = len(self._axes_shown) + 2
        if x.ndim != rank:
            raise ValueError(
                f"For primitive[{primitive}], the x shape size must be equal to {rank}, but got {x.ndim}."
            )

    extend_repr = shows(SHOWN)
