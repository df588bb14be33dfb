# SPDX-License-Identifier: Apache-2.0
"""Pooling and patches as primitives: windows whose places are computed."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._primitives.composition import REQUIRED, primitive_class
from mindspore.ops._primitives.functions import _f, _integers
from mindspore.ops._registry import op
from mindspore.ops.function.windows import fractional_maxima, unpooled


def _adaptive_volumes(self, x, output_size):
    return _f().adaptive_max_pool3d(x, _integers(output_size), True)


def _fractional(order: tuple):
    def call(self, x, random_samples):
        return fractional_maxima(self.name, x, self.ksize, self.output_shape, None, random_samples, order)

    return call


def _pooled_volumes(self, x):
    values, where = _f().max_pool3d(
        x, self.ksize, self.strides, self.pads, self.dilation, self.ceil_mode, True
    )
    return values, op.cast(where, self.argmax_type)


def _unpool(axes: int):
    def call(self, x, argmax):
        sizes = [
            value[-axes:] if isinstance(value, (tuple, list)) and len(value) > axes else value
            for value in (self.ksize, self.strides, self.pads)
        ]
        return unpooled(self.name, x, argmax, *sizes, tuple(self.output_shape), axes)

    return call


def patches(name: str, x, kernel, strides, rates, padding: str) -> Tensor:
    """Windows of (N, C, H, W) as channels: (N, height * width * C, H', W')."""
    if x.ndim != 4:
        raise ValueError(f"For '{name}', the input must have 4 axes (N, C, H, W), but got shape {x.shape}.")
    sides, counts = [], []
    for length, size, step, rate in zip(x.shape[2:], kernel, strides, rates, strict=True):
        reach = rate * (size - 1) + 1
        if padding.upper() == "SAME":
            counts.append(-(-length // step))
            missing = max((counts[-1] - 1) * step + reach - length, 0)
            sides += [missing // 2, missing - missing // 2]
        else:
            counts.append((length - reach) // step + 1)
            sides += [0, 0]
    padded = op.pad_constant(x, (0, 0, 0, 0, *sides), 0) if any(sides) else x
    columns = _f().unfold(padded, tuple(kernel), tuple(rates), 0, tuple(strides))
    n, c = x.shape[:2]
    cells = kernel[0] * kernel[1]
    apart = op.transpose(op.reshape(columns, (n, c, cells, -1)), (0, 2, 1, 3))
    return op.reshape(apart, (n, cells * c, *counts))


def _extract(self, input_x):
    sizes = [tuple(value)[2:] for value in (self.ksizes, self.strides, self.rates)]
    return patches(self.name, input_x, *sizes, self.padding)


def _im2col(self, x):
    n, c = x.shape[:2]
    columns = _f().unfold(x, self.ksizes, self.dilations, self.pads, self.strides)
    return op.reshape(columns, (n, c, columns.shape[1] // c, -1))


def _col2im(self, x, output_size):
    n, c, cells, count = x.shape
    columns = op.reshape(x, (n, c * cells, count))
    return _f().fold(columns, output_size, self.kernel_size, self.dilation, self.padding, self.stride)


_UNPOOL = {"ksize": REQUIRED, "strides": 0, "pads": 0, "output_shape": ()}
_FRACTIONAL = {"ksize": REQUIRED, "output_shape": REQUIRED}

_TABLE = (
    ("AdaptiveMaxPool3D", "Largest elements of even parts of volumes.", _adaptive_volumes, {}),
    (
        "FractionalMaxPoolWithFixedKsize",
        "Largest elements of windows spread at random over planes.",
        _fractional((1, 0)),
        {**_FRACTIONAL, "data_format": "NCHW"},
    ),
    (
        "FractionalMaxPool3DWithFixedKsize",
        "Largest elements of windows spread at random over volumes.",
        _fractional((0, 1, 2)),
        {**_FRACTIONAL, "data_format": "NCDHW"},
    ),
    (
        "MaxPool3DWithArgmax",
        "Largest elements of windows of volumes, and their places.",
        _pooled_volumes,
        {
            "ksize": REQUIRED,
            "strides": REQUIRED,
            "pads": REQUIRED,
            "dilation": (1, 1, 1),
            "ceil_mode": False,
            "data_format": "NCDHW",
            "argmax_type": mstype.int64,
        },
    ),
    ("MaxUnpool2D", "Pooled values back in their planes.", _unpool(2), {**_UNPOOL, "data_format": "NCHW"}),
    ("MaxUnpool3D", "Pooled values back in their volumes.", _unpool(3), {**_UNPOOL, "data_format": "NCDHW"}),
    (
        "ExtractImagePatches",
        "Windows of images as channels.",
        _extract,
        {"ksizes": REQUIRED, "strides": REQUIRED, "rates": REQUIRED, "padding": "VALID"},
    ),
    (
        "Im2Col",
        "Windows of images as columns.",
        _im2col,
        {"ksizes": REQUIRED, "strides": 1, "dilations": 1, "pads": 0},
    ),
    (
        "Col2Im",
        "Images from the sum of columns.",
        _col2im,
        {"kernel_size": REQUIRED, "dilation": 1, "padding": 0, "stride": 1},
    ),
)

_classes = {name: primitive_class(name, doc, call, attributes) for name, doc, call, attributes in _TABLE}
globals().update(_classes)

__all__ = list(_classes)  # noqa: PLE0604
