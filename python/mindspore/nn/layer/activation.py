# SPDX-License-Identifier: Apache-2.0
"""Activation functions as layers."""

from __future__ import annotations

import numpy as np

from mindspore._later import defined_names as _defined_names
from mindspore.common.initializer import initializer
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn._arguments import LENGTHS, flag, positive_int
from mindspore.nn._description import Argument, documented, takes
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op
from mindspore.ops.function.neural import glu


def _simple(name: str, operator: str, formula: str) -> type[Cell]:
    """A layer that applies one operator without options."""

    def construct(self, x):
        return getattr(op, operator)(x)

    body = {"construct": construct, "__doc__": formula, "__module__": __name__}
    return documented(type(name, (Cell,), body))


ReLU = _simple("ReLU", "relu", "Applies ``max(x, 0)``.")
ReLU6 = _simple("ReLU6", "relu6", "Applies ``min(max(x, 0), 6)``.")
Sigmoid = _simple("Sigmoid", "sigmoid", "Applies ``1 / (1 + exp(-x))``.")
Tanh = _simple("Tanh", "tanh", "Applies the hyperbolic tangent.")
SiLU = _simple("SiLU", "silu", "Applies ``x * sigmoid(x)``.")
Mish = _simple("Mish", "mish", "Applies ``x * tanh(log(1 + exp(x)))``.")
HSwish = _simple("HSwish", "hswish", "Applies ``x * relu6(x + 3) / 6``.")
HSigmoid = _simple("HSigmoid", "hsigmoid", "Applies ``relu6(x + 3) / 6``.")
LogSigmoid = _simple("LogSigmoid", "log_sigmoid", "Applies ``log(sigmoid(x))``.")
Softsign = _simple("Softsign", "softsign", "Applies ``x / (1 + |x|)``.")
Tanhshrink = _simple("Tanhshrink", "tanhshrink", "Applies ``x - tanh(x)``.")
FastGelu = _simple("FastGelu", "fast_gelu", "Applies a fast approximation of GELU.")
SeLU = _simple("SeLU", "selu", "Applies the scaled exponential linear unit.")


@takes(flag("approximate", "By the hyperbolic tangent instead of the error function.", True))
class GELU(Cell):
    """Applies ``x * Phi(x)`` with the normal distribution's Phi."""

    def construct(self, x):
        return op.gelu_tanh(x) if self.approximate else op.gelu_erf(x)


@takes(Argument("alpha", "Union[int, float]", "Slope below zero.", 0.2, check.number))
class LeakyReLU(Cell):
    """Applies ``x`` above zero and ``alpha * x`` below."""

    def construct(self, x):
        return op.leaky_relu(x, self.alpha)


@takes(Argument("alpha", "float", "Factor below zero.", 1.0, check.number))
class ELU(Cell):
    """Applies ``x`` above zero and ``alpha * (exp(x) - 1)`` below."""

    def construct(self, x):
        return op.elu(x, self.alpha)


@takes(Argument("alpha", "float", "Scale of the exponential.", 1.0, check.number))
class CELU(Cell):
    """Applies ``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``."""

    def construct(self, x):
        return op.celu(x, self.alpha)


@takes(Argument("lambd", "float", "The bound.", 0.5))
class HShrink(Cell):
    """Applies ``x`` where ``|x| > lambd`` and zero elsewhere."""

    def construct(self, input_x):
        return op.hard_shrink(input_x, self.lambd)


@takes(Argument("lambd", "float", "The distance.", 0.5))
class SoftShrink(Cell):
    """Moves values towards zero by `lambd`, those nearer become zero."""

    def construct(self, input_x):
        return op.soft_shrink(input_x, self.lambd)


@takes(
    Argument("min_val", "Union[int, float]", "Smallest result.", -1.0),
    Argument("max_val", "Union[int, float]", "Largest result.", 1.0),
)
class Hardtanh(Cell):
    """Limits values to a range."""

    def construct(self, x):
        return op.hardtanh(x, self.min_val, self.max_val)


@takes(
    Argument("threshold", "Union[int, float]", "The threshold.", check=check.number),
    Argument("value", "Union[int, float]", "The constant.", check=check.number),
)
class Threshold(Cell):
    """Applies ``x`` above a threshold and a constant below."""

    def construct(self, input_x):
        return op.threshold(input_x, self.threshold, self.value)


_AXIS = Argument("axis", "int", "The axis.", -1)


@takes(_AXIS.but(kind=LENGTHS))
class Softmax(Cell):
    """Exponentials divided by their sum along an axis."""

    def _set_up(self, axis) -> None:
        self.axis = axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis

    def construct(self, input):
        return op.softmax(input, self.axis)


@takes(_AXIS)
class LogSoftmax(Cell):
    """Logarithm of the softmax."""

    def construct(self, x):
        return op.log_softmax(x, self.axis)


@takes(_AXIS)
class Softmin(Cell):
    """Softmax of the negated input."""

    def construct(self, x):
        return op.softmax(-x, self.axis)


class Softmax2d(Cell):
    """Softmax over the channels of (N, C, H, W) or (C, H, W)."""

    def construct(self, x):
        if x.ndim not in (3, 4):
            raise ValueError(f"For 'Softmax2d', the input must have 3 or 4 axes, but got {x.ndim}.")
        return op.softmax(x, -3)


@takes(
    positive_int("channel", "Number of slopes: 1 or that of the channels.", 1),
    Argument("w", "Union[float, list, Tensor]", "Initial slope.", 0.25),
)
class PReLU(Cell):
    """Applies ``x`` above zero and ``w * x`` below, with a learned slope."""

    def _set_up(self, channel, w) -> None:
        if isinstance(w, (float, np.floating)):
            value = initializer(float(w), (channel,))
        elif isinstance(w, (list, Tensor)):
            value = Tensor(w) if isinstance(w, list) else w
            if value.shape != (channel,):
                raise ValueError(f"For 'PReLU', the 'w' must have shape ({channel},), but got {value.shape}.")
        else:
            raise TypeError(
                f"For 'PReLU', the 'w' only supported float, list and tensor, but got {type(w).__name__}."
            )
        self.w = Parameter(value, name="a")

    def construct(self, x):
        return op.prelu(x, self.w)


@takes(
    Argument("lower", "float", "Smallest slope.", 1 / 8, check.number),
    Argument("upper", "float", "Largest slope.", 1 / 3, check.number),
)
class RReLU(Cell):
    """Applies ``x`` above zero and a random slope below."""

    def _set_up(self) -> None:
        if self.lower > self.upper:
            raise ValueError(
                f"For 'RReLU', 'lower' must not be greater than 'upper', but got {self.lower} and "
                f"{self.upper}."
            )

    def construct(self, x):
        slope = op.cast(op.random_uniform(x.shape, self.lower, self.upper), x.dtype)
        return op.where(x > 0, x, x * slope)


@takes(_AXIS.but(text="Axis to split."))
class GLU(Cell):
    """Splits the input in two halves and gates the first by the sigmoid of the second."""

    def construct(self, x):
        return glu(x, self.axis)


_BY_NAME = {
    "softmin": Softmin,
    "softmax": Softmax,
    "softmax2d": Softmax2d,
    "logsoftmax": LogSoftmax,
    "relu": ReLU,
    "relu6": ReLU6,
    "rrelu": RReLU,
    "silu": SiLU,
    "tanh": Tanh,
    "tanhshrink": Tanhshrink,
    "hardtanh": Hardtanh,
    "gelu": GELU,
    "fast_gelu": FastGelu,
    "elu": ELU,
    "sigmoid": Sigmoid,
    "softsign": Softsign,
    "prelu": PReLU,
    "leakyrelu": LeakyReLU,
    "hswish": HSwish,
    "hsigmoid": HSigmoid,
    "logsigmoid": LogSigmoid,
    "softshrink": SoftShrink,
    "hshrink": HShrink,
    "threshold": Threshold,
    "mish": Mish,
}


def get_activation(name, prim_name=None):
    """An activation layer by its name.

    Args:
        name (str): For example ``"relu"``; None gives None.
        prim_name (str): Who asks, for the message. Default: ``None``.

    Returns:
        Cell, or None.

    Raises:
        KeyError: There is no activation of this name.

    Examples:
        >>> from mindspore import nn
        >>> nn.get_activation("relu")
        ReLU<>
    """
    if name is None:
        return None
    if name not in _BY_NAME:
        owner = f"For '{prim_name}', the" if prim_name else "The"
        raise KeyError(f"{owner} 'name' must be in {list(_BY_NAME)}, but got {name}.")
    return _BY_NAME[name]()


__all__ = _defined_names(globals())
