# SPDX-License-Identifier: Apache-2.0
"""Shapes."""

from __future__ import annotations

from mindspore._c_expression import Tensor
from mindspore.common._tensor.methods._named import named_methods
from mindspore.ops._registry import op
from mindspore.ops.function import arrangement


def _packed(values: tuple):
    """reshape(2, 3) and reshape((2, 3)) mean the same."""
    if len(values) == 1 and isinstance(values[0], (tuple, list, Tensor)):
        return values[0]
    return values


def reshape(self, *shape) -> Tensor:
    """The elements in another shape, given as ints or one tuple; -1 stands for what is left."""
    return op.reshape(self, _packed(shape))


def view(self, *shape) -> Tensor:
    """The elements in another shape, given as ints or one tuple; -1 stands for what is left."""
    if len(shape) > 1 and isinstance(shape[0], tuple):
        raise ValueError(f"For 'view', Only one tuple is needed, but got {shape}.")
    wanted = _packed(shape)
    if not wanted and self.size != 1:
        raise ValueError("For 'view', The shape variable should not be empty.")
    return op.reshape(self, wanted)


def view_as(self, other) -> Tensor:
    """The elements in the shape of another tensor."""
    return op.reshape(self, other.shape)


def reshape_as(self, other) -> Tensor:
    """The elements in the shape of another tensor."""
    return op.reshape(self, other.shape)


def transpose(self, *axes) -> Tensor:
    """Axes in another order, backwards when none is given."""
    order = _packed(axes)
    if len(order) == 0 or order == (None,):
        order = tuple(range(self.ndim))[::-1]
    return op.transpose(self, order)


def permute(self, *axis) -> Tensor:
    """Axes in another order."""
    return op.transpose(self, _packed(axis))


def flatten(self, order="C", *, start_dim=0, end_dim=-1) -> Tensor:
    """Neighbouring axes made one, by default all of them."""
    if self.ndim == 0:
        return op.reshape(self, (1,))
    return arrangement.flatten(self, order, start_dim=start_dim, end_dim=end_dim)


def _reversed_axes(self) -> Tensor:
    """Axes backwards."""
    return self if self.ndim <= 1 else op.transpose(self, tuple(range(self.ndim))[::-1])


def _matrix_transpose(self) -> Tensor:
    """The last two axes exchanged."""
    if self.ndim < 2:
        raise ValueError(f"For 'mT', the Tensor must have at least 2 axes, but got {self.ndim}.")
    return op.swapaxes(self, -1, -2)


def _conjugate_transpose(self) -> Tensor:
    """A matrix conjugated, with rows and columns exchanged."""
    if self.ndim not in (0, 2):
        raise ValueError(f"For 'H', the Tensor must have 0 or 2 axes, but got {self.ndim}.")
    return op.conj(_reversed_axes(self))


def _matrix_adjoint(self) -> Tensor:
    """The last two axes exchanged and the elements conjugated."""
    return op.conj(_matrix_transpose(self))


def expand_as(self, x) -> Tensor:
    """The tensor stretched to the shape of another one."""
    return op.broadcast_to(self, x.shape)


def tile(self, reps) -> Tensor:
    """The tensor repeated along its axes."""
    return op.tile(self, reps)


def repeat(self, repeats, axis=None) -> Tensor:
    """Every element repeated; without an axis in the flattened tensor."""
    return op.repeat_interleave(self, repeats, axis)


def repeat_interleave(self, repeats, dim=None) -> Tensor:
    """Every element repeated; without an axis in the flattened tensor."""
    return op.repeat_interleave(self, repeats, dim)


def resize(self, *new_shape) -> Tensor:
    """A new tensor of another size: cut, or filled up with zeros."""
    wanted = tuple(_packed(new_shape))
    count = 1
    for length in wanted:
        if length < 0:
            raise ValueError(f"For 'resize', the shape must not be negative, but got {wanted}.")
        count *= length
    flat = op.reshape(self, (-1,))
    kept = op.narrow(flat, 0, 0, min(count, self.size))
    if count > self.size:
        kept = op.pad_constant(kept, (0, count - self.size), 0)
    return op.reshape(kept, wanted)


def sum_to_size(self, *size) -> Tensor:
    """Sums along axes that had been stretched, so that the result has the given shape.

    Small integer types and bool are added as int64, as in `sum`.
    """
    wanted = tuple(_packed(size))
    extra = self.ndim - len(wanted)
    if extra < 0:
        raise ValueError(f"For 'sum_to_size', {wanted} has more axes than {self.shape}.")
    axes = list(range(extra))
    for i, length in enumerate(wanted):
        if length != self.shape[i + extra]:
            if length != 1:
                raise ValueError(f"For 'sum_to_size', {self.shape} cannot be summed to {wanted}.")
            axes.append(i + extra)
    result = op.sum(self, tuple(axes), True) if axes else self
    return op.reshape(result, wanted)


def diagonal(self, offset=0, axis1=0, axis2=1) -> Tensor:
    """Diagonals of the planes of two axes."""
    return op.diagonal(self, offset, axis1, axis2)


def trace(self, offset=0, axis1=0, axis2=1, dtype=None) -> Tensor:
    """Sums of diagonals."""
    return op.sum(op.diagonal(self, offset, axis1, axis2), -1, False, dtype)


def roll(self, shifts, dims) -> Tensor:
    """Elements moved along axes; what leaves at one end enters at the other."""
    return op.roll(self, shifts, dims)


def new_zeros(self, size, dtype=None) -> Tensor:
    """Zeros of another shape, in the type of this tensor unless another one is given."""
    return op.zeros(size, dtype or self.dtype)


def new_ones(self, size, dtype=None) -> Tensor:
    """Ones of another shape, in the type of this tensor unless another one is given."""
    return op.ones(size, dtype or self.dtype)


def fill(self, value) -> Tensor:
    """A tensor of this shape and type with all elements equal to `value`."""
    if value is None:
        raise TypeError("For 'Tensor.fill', the 'value' must not be None.")
    return op.full_like(self, value)


def fill_diagonal(self, fill_value, wrap=False) -> Tensor:
    """A copy with one value on the main diagonal."""
    if self.ndim < 2:
        raise ValueError(f"For 'fill_diagonal', the Tensor must have at least 2 axes, but got {self.ndim}.")
    step = sum(_row_strides(self.shape))
    rows, columns = self.shape[0], self.shape[1]
    end = self.size if wrap or self.ndim > 2 else min(self.size, columns * columns)
    if self.ndim == 2 and not wrap:
        end = min(rows, columns) * step
    places = op.arange(0, min(end, self.size), step)
    flat = op.index_put(op.reshape(self, (-1,)), Tensor(fill_value, self.dtype), [places], axes=(0,))
    return op.reshape(flat, self.shape)


def _row_strides(shape: tuple) -> list:
    strides = [1]
    for length in reversed(shape[1:]):
        strides.insert(0, strides[0] * length)
    return strides


METHODS = {
    **named_methods(globals()),
    "H": property(_conjugate_transpose),
    "T": property(_reversed_axes),
    "fills": fill,
    "mH": property(_matrix_adjoint),
    "mT": property(_matrix_transpose),
}
