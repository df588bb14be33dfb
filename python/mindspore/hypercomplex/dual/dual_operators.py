# SPDX-License-Identifier: Apache-2.0
"""Layers over dual numbers."""

from __future__ import annotations

from mindspore._spelling import explains_missing_names
from mindspore.common.initializer import initializer
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.hypercomplex.utils import get_x_and_y, to_2channel
from mindspore.nn import _checks as check
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op

__all__ = ["Dense"]


def _both(value: object) -> tuple:
    """How each part is initialised."""
    return get_x_and_y(value) if isinstance(value, Tensor) else (value, value)


class _Product(Cell):
    """The product with a dual matrix: ``x Wx`` and ``x Wy + y Wx``."""

    def __init__(self, weight_init, shape: list):
        super().__init__()
        x, y = _both(weight_init)
        self.weight_x = Parameter(initializer(x, shape), name="weight_x")
        self.weight_y = Parameter(initializer(y, shape), name="weight_y")

    def construct(self, x, y) -> tuple:
        real = op.dense(x, self.weight_x, None)
        return real, op.add(op.dense(x, self.weight_y, None), op.dense(y, self.weight_x, None))


class _Affine(Cell):
    """Product and biases; parameters have the names that checkpoints know."""

    def __init__(self, in_channels, out_channels, weight_init, bias_init, has_bias):
        super().__init__()
        self.in_channels = check.positive_int(in_channels, "in_channels", "Dense")
        self.out_channels = check.positive_int(out_channels, "out_channels", "Dense")
        self.has_bias = check.boolean(has_bias, "has_bias", "Dense")
        self.dense_impl = _Product(weight_init, [out_channels, in_channels])
        self.bias_x = self.bias_y = None
        if has_bias:
            x, y = _both(bias_init)
            self.bias_x = Parameter(initializer(x, [out_channels]), name="bias_x")
            self.bias_y = Parameter(initializer(y, [out_channels]), name="bias_y")

    def construct(self, u):
        x, y = self.dense_impl(*get_x_and_y(u))
        if self.has_bias:
            x, y = op.add(x, self.bias_x), op.add(y, self.bias_y)
        return to_2channel(x, y, u.dtype)


class Dense(Cell):
    """A dense layer over dual numbers.

    Args:
        in_channels (int): Features of the input.
        out_channels (int): Features of the output.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): Initial weight; a tensor holds both
            parts.
            Default: ``"normal"``.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): Initial bias. Default: ``"zeros"``.
        has_bias (bool): Whether there is a bias. Default: ``True``.

    Inputs:
        - **u** (Tensor) - (2, *, in_channels), or complex64 (*, in_channels).

    Outputs:
        Tensor of the same form.

    Examples:
        >>> from mindspore import ops
        >>> from mindspore.hypercomplex.dual.dual_operators import Dense
        >>> Dense(3, 4)(ops.ones((2, 5, 3))).shape
        (2, 5, 4)
    """

    def __init__(self, in_channels, out_channels, weight_init="normal", bias_init="zeros", has_bias=True):
        super().__init__()
        self.op = _Affine(in_channels, out_channels, weight_init, bias_init, has_bias)

    def construct(self, u):
        return self.op(u)


__getattr__ = explains_missing_names(globals())
