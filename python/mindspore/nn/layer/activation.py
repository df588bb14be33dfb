# SPDX-License-Identifier: Apache-2.0
"""Activation functions as layers."""

from __future__ import annotations

import numpy as np

from mindspore.common.initializer import initializer
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op
from mindspore.ops.function.neural import glu


def _simple(name: str, operator: str, formula: str) -> type[Cell]:
    """A layer that applies one operator without options."""

    def construct(self, x):
        return getattr(op, operator)(x)

    doc = f"{formula}\n\nSupported Platforms:\n    ``CPU``"
    return type(name, (Cell,), {"construct": construct, "__doc__": doc, "__module__": __name__})


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


class GELU(Cell):
    """Applies ``x * Phi(x)`` with the normal distribution's Phi.

    Args:
        approximate (bool): By the hyperbolic tangent instead of the error function. Default: ``True``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, approximate=True):
        super().__init__()
        self.approximate = check.boolean(approximate, "approximate", "GELU")

    def construct(self, x):
        return op.gelu_tanh(x) if self.approximate else op.gelu_erf(x)


class LeakyReLU(Cell):
    """Applies ``x`` above zero and ``alpha * x`` below.

    Args:
        alpha (Union[int, float]): Slope below zero. Default: ``0.2``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, alpha=0.2):
        super().__init__()
        self.alpha = check.number(alpha, "alpha", "LeakyReLU")

    def construct(self, x):
        return op.leaky_relu(x, self.alpha)


class ELU(Cell):
    """Applies ``x`` above zero and ``alpha * (exp(x) - 1)`` below.

    Args:
        alpha (float): Factor below zero. Default: ``1.0``.
    """

    def __init__(self, alpha=1.0):
        super().__init__()
        self.alpha = check.number(alpha, "alpha", "ELU")

    def construct(self, x):
        return op.elu(x, self.alpha)


class CELU(Cell):
    """Applies ``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``.

    Args:
        alpha (float): Scale of the exponential. Default: ``1.0``.
    """

    def __init__(self, alpha=1.0):
        super().__init__()
        self.alpha = check.number(alpha, "alpha", "CELU")

    def construct(self, x):
        return op.celu(x, self.alpha)


class HShrink(Cell):
    """Applies ``x`` where ``|x| > lambd`` and zero elsewhere.

    Args:
        lambd (float): The bound. Default: ``0.5``.
    """

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def construct(self, input_x):
        return op.hard_shrink(input_x, self.lambd)


class SoftShrink(Cell):
    """Moves values towards zero by `lambd`, those nearer become zero.

    Args:
        lambd (float): The distance. Default: ``0.5``.
    """

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def construct(self, input_x):
        return op.soft_shrink(input_x, self.lambd)


class Hardtanh(Cell):
    """Limits values to a range.

    Args:
        min_val (Union[int, float]): Smallest result. Default: ``-1.0``.
        max_val (Union[int, float]): Largest result. Default: ``1.0``.
    """

    def __init__(self, min_val=-1.0, max_val=1.0):
        super().__init__()
        self.min_val, self.max_val = min_val, max_val

    def construct(self, x):
        return op.hardtanh(x, self.min_val, self.max_val)


class Threshold(Cell):
    """Applies ``x`` above a threshold and a constant below.

    Args:
        threshold (Union[int, float]): The threshold.
        value (Union[int, float]): The constant.
    """

    def __init__(self, threshold, value):
        super().__init__()
        self.threshold = check.number(threshold, "threshold", "Threshold")
        self.value = check.number(value, "value", "Threshold")

    def construct(self, input_x):
        return op.threshold(input_x, self.threshold, self.value)


class Softmax(Cell):
    """Exponentials divided by their sum along an axis.

    Args:
        axis (Union[int, tuple[int]]): The axis. Default: ``-1``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, axis=-1):
        super().__init__()
        self.axis = axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis

    def construct(self, input):
        return op.softmax(input, self.axis)


class LogSoftmax(Cell):
    """Logarithm of the softmax.

    Args:
        axis (int): The axis. Default: ``-1``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, axis=-1):
        super().__init__()
        self.axis = axis

    def construct(self, x):
        return op.log_softmax(x, self.axis)


class Softmin(Cell):
    """Softmax of the negated input.

    Args:
        axis (int): The axis. Default: ``-1``.
    """

    def __init__(self, axis=-1):
        super().__init__()
        self.axis = axis

    def construct(self, x):
        return op.softmax(-x, self.axis)


class Softmax2d(Cell):
    """Softmax over the channels of (N, C, H, W) or (C, H, W)."""

    def construct(self, x):
        if x.ndim not in (3, 4):
            raise ValueError(f"For 'Softmax2d', the input must have 3 or 4 axes, but got {x.ndim}.")
        return op.softmax(x, -3)


class PReLU(Cell):
    """Applies ``x`` above zero and ``w * x`` below, with a learned slope.

    Args:
        channel (int): Number of slopes: 1 or that of the channels. Default: ``1``.
        w (Union[float, list, Tensor]): Initial slope. Default: ``0.25``.

    Supported Platforms:
        ``CPU``
    """

    def __init__(self, channel=1, w=0.25):
        super().__init__()
        check.positive_int(channel, "channel", "PReLU")
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


class RReLU(Cell):
    """Applies ``x`` above zero and a random slope below.

    Args:
        lower (float): Smallest slope. Default: ``1 / 8``.
        upper (float): Largest slope. Default: ``1 / 3``.
    """

    def __init__(self, lower=1 / 8, upper=1 / 3):
        super().__init__()
        check.number(lower, "lower", "RReLU")
        check.number(upper, "upper", "RReLU")
        if lower > upper:
            raise ValueError(
                f"For 'RReLU', 'lower' must not be greater than 'upper', but got {lower} and {upper}."
            )
        self.lower, self.upper = lower, upper

    def construct(self, x):
        slope = op.cast(op.random_uniform(x.shape, self.lower, self.upper), x.dtype)
        return op.where(x > 0, x, x * slope)


class GLU(Cell):
    """Splits the input in two halves and gates the first by the sigmoid of the second.

    Args:
        axis (int): Axis to split. Default: ``-1``.
    """

    def __init__(self, axis=-1):
        super().__init__()
        self.axis = axis

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


__all__ = [
    "CELU",
    "ELU",
    "FastGelu",
    "GELU",
    "GLU",
    "HShrink",
    "HSigmoid",
    "HSwish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SeLU",
    "SiLU",
    "Sigmoid",
    "SoftShrink",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "get_activation",
]
