# SPDX-License-Identifier: Apache-2.0
"""Borders around sequences, planes and volumes."""

from __future__ import annotations

from mindspore._later import defined_names as _defined_names
from mindspore.nn._arguments import LENGTHS
from mindspore.nn._description import Argument, takes
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op

_SIDES = ("left and right", "left, right, top, bottom", "left, right, top, bottom, front, back")


def _sides(padding, axes: int, owner: str, negative_allowed: bool, whole: bool) -> tuple[int, ...]:
    """Before and after each axis, from the last one on; one number stands for all."""
    if isinstance(padding, int) and not isinstance(padding, bool):
        padding = (padding,) * (2 * axes)
    if not isinstance(padding, tuple) or any(isinstance(p, bool) or not isinstance(p, int) for p in padding):
        raise TypeError(
            f"For '{owner}', the type of parameter 'padding' must be in [int, tuple of ints], but got "
            f"{padding!r}."
        )
    fits = len(padding) == 2 * axes if whole else len(padding) % 2 == 0 and 0 < len(padding) <= 2 * axes
    if not fits:
        raise ValueError(
            f"For '{owner}', the length of parameter 'padding' with tuple type must equal to {2 * axes}, but "
            f"got {len(padding)}."
        )
    if not negative_allowed and min(padding) < 0:
        raise ValueError(f"For '{owner}', the value of parameter 'padding' must be >= 0, but got {padding}.")
    return padding


def _number(value, name: str, owner: str):
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
        raise TypeError(
            f"For '{owner}', the type of parameter '{name}' must be int or float, but got {type(value)}."
        )
    return value


def _border(axes: int, cuts: bool = False) -> Argument:
    """The width of a border around the last axes."""
    cut = "; a negative width cuts" if cuts else ""
    return Argument("padding", LENGTHS, f"Width, or {_SIDES[axes - 1]}{cut}.")


_VALUE = Argument("value", "Union[int, float]", "The number.", check=_number)


@takes(Argument("padding", LENGTHS, "Width."), _VALUE.but(default=None))
class _Border(Cell):
    """Adds a border to the last axes."""

    _axes, _mode, _whole = 1, "constant", True

    def _set_up(self, padding) -> None:
        self.padding = _sides(padding, self._axes, self.cls_name, self._mode == "constant", self._whole)

    def construct(self, x):
        return self._bordered(x)

    def _bordered(self, x):
        axes = len(self.padding) // 2
        least = axes if self._mode == "constant" else axes + 1
        if x.ndim < least or (self._mode == "replicate" and x.ndim > axes + 2):
            raise ValueError(
                f"For '{self.cls_name}', the input must have at least {least} axes to pad the last {axes} of "
                f"them, but got shape {x.shape}."
            )
        if any(p < 0 for p in self.padding):
            for i in range(axes):
                left = x.shape[x.ndim - 1 - i] + self.padding[2 * i] + self.padding[2 * i + 1]
                if left <= 0:
                    raise ValueError(
                        f"For '{self.cls_name}', the padded length must be positive, but got {left} on axis "
                        f"{x.ndim - 1 - i} of shape {x.shape} with padding {self.padding}."
                    )
        if self._mode == "constant":
            return op.pad(x, self.padding, "constant", 0 if self.value is None else self.value)
        return op.pad(x, self.padding, self._mode)

    def extend_repr(self) -> str:
        shown = f"padding={self.padding}"
        return shown if self.value is None else f"{shown}, value={self.value}"


@takes(_border(1, cuts=True), _VALUE)
class ConstantPad1d(_Border):
    """Adds a border of one number to the last axis.

    Inputs:
        - **x** (Tensor) - At least one axis.

    Outputs:
        Tensor.

    Raises:
        TypeError: `padding` is neither int nor tuple of ints, or `value` is not a number.
        ValueError: `padding` has another length, or nothing would be left.

    Examples:
        >>> import mindspore as ms
        >>> from mindspore import nn, ops
        >>> nn.ConstantPad1d((0, 1), 0.5)(ops.ones((1, 2, 3), ms.float32)).shape
        (1, 2, 4)
    """


@takes(_border(2, cuts=True), _VALUE)
class ConstantPad2d(_Border):
    """Adds a border of one number to the last two axes."""

    _axes, _whole = 2, False


@takes(_border(3, cuts=True), _VALUE)
class ConstantPad3d(_Border):
    """Adds a border of one number to the last three axes."""

    _axes, _whole = 3, False


@takes(_border(2, cuts=True))
class ZeroPad2d(_Border):
    """Adds a border of zeros to the last two axes."""

    _axes, _whole = 2, False


@takes(_border(1))
class ReflectionPad1d(_Border):
    """Adds a border that mirrors the elements at the ends of the last axis, without the last ones."""

    _mode = "reflect"


@takes(_border(2))
class ReflectionPad2d(_Border):
    """Adds a border that mirrors planes at their edges."""

    _axes, _mode = 2, "reflect"


@takes(_border(3))
class ReflectionPad3d(_Border):
    """Adds a border that mirrors volumes at their faces."""

    _axes, _mode = 3, "reflect"


@takes(_border(1))
class ReplicationPad1d(_Border):
    """Adds a border that repeats the elements at the ends of the last axis."""

    _mode = "replicate"


@takes(_border(2))
class ReplicationPad2d(_Border):
    """Adds a border that repeats the edges of planes."""

    _axes, _mode = 2, "replicate"


@takes(_border(3))
class ReplicationPad3d(_Border):
    """Adds a border that repeats the faces of volumes."""

    _axes, _mode = 3, "replicate"


__all__ = _defined_names(globals())
