# SPDX-License-Identifier: Apache-2.0
"""A convolution or dense layer with normalisation and activation behind it."""

from __future__ import annotations

from mindspore.nn._arguments import flag
from mindspore.nn._description import Argument, takes, with_defaults
from mindspore.nn.cell import Cell
from mindspore.nn.layer._convolution import convolution_arguments
from mindspore.nn.layer.activation import LeakyReLU, get_activation
from mindspore.nn.layer.basic import DENSE_ARGUMENTS, Dense
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


_BEHIND = [
    flag("has_bn", "Whether the result is normalised."),
    Argument("momentum", "float", "Of the normalisation.", 0.9),
    Argument("eps", "float", "Of the normalisation.", 1e-5),
    Argument("activation", "Union[str, Cell, Primitive]", "Applied last.", None),
    Argument("alpha", "float", 'Slope of ``"leakyrelu"``.', 0.2),
    flag("after_fake", "Accepted for compatibility.", True),
]
_INITIAL = {"weight_init": "normal", "bias_init": "zeros"}


class _Combined(Cell):
    """Normalisation and activation behind a layer.

    Outputs:
        Tensor.
    """

    def _add(self, norm, out_channels, has_bn, momentum, eps, activation, alpha, after_fake) -> None:
        self.has_bn, self.after_fake = has_bn, after_fake
        self.batchnorm = norm(out_channels, eps, momentum) if has_bn else None
        self.has_act = activation is not None
        self.activation = _activation(activation, alpha, self.cls_name)

    def _finish(self, x):
        if self.has_bn:
            x = self.batchnorm(x)
        return self.activation(x) if self.has_act else x


@takes(*with_defaults([*convolution_arguments(2), *_BEHIND], **_INITIAL, momentum=0.997))
class Conv2dBnAct(_Combined):
    """Convolution, then normalisation and activation if asked.

    Inputs:
        - **x** (Tensor) - (N, C, H, W).
    """

    def _set_up(self, has_bn, momentum, eps, activation, alpha, after_fake, **convolution) -> None:
        self.conv = Conv2d(**convolution)
        channels = self.conv.out_channels
        self._add(BatchNorm2d, channels, has_bn, momentum, eps, activation, alpha, after_fake)

    def construct(self, x):
        return self._finish(self.conv(x))


@takes(*with_defaults([*DENSE_ARGUMENTS, *_BEHIND], **_INITIAL))
class DenseBnAct(_Combined):
    """A dense layer, then normalisation and activation if asked.

    Inputs:
        - **x** (Tensor) - (N, in_channels).
    """

    def _set_up(self, has_bn, momentum, eps, activation, alpha, after_fake, **dense) -> None:
        self.dense = Dense(**dense)
        channels = self.dense.out_channels
        self._add(BatchNorm1d, channels, has_bn, momentum, eps, activation, alpha, after_fake)

    def construct(self, x):
        return self._finish(self.dense(x))


__all__ = ["Conv2dBnAct", "DenseBnAct"]
