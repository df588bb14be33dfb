# SPDX-License-Identifier: Apache-2.0
"""Layers that keep the second moments of their inputs and gradients, which the optimizer THOR reads."""

from __future__ import annotations

from mindspore import ops
from mindspore.common import dtype as mstype
from mindspore.common.initializer import initializer
from mindspore.common.parameter import Parameter
from mindspore.nn._description import Argument, takes, with_defaults
from mindspore.nn.cell import Cell
from mindspore.nn.layer._convolution import convolution_arguments
from mindspore.nn.layer.basic import DENSE_ARGUMENTS, Dense
from mindspore.nn.layer.conv import Conv2d
from mindspore.nn.layer.embedding import EMBEDDING_ARGUMENTS, LOOKUP_ARGUMENTS, Embedding, EmbeddingLookup
from mindspore.ops._registry import op

_INITIAL = {"weight_init": "normal", "bias_init": "zeros"}


def _moment(name: str, *shape: int) -> Parameter:
    return Parameter(initializer("zeros", shape, mstype.float32), name=name, requires_grad=False)


class _SecondMoments(Cell):
    """`matrix_a` of the inputs and `matrix_g` of the gradients; off when `thor` is false."""

    def _keep(self, inputs: tuple[int, ...], outputs: int) -> None:
        self.thor = True
        self.matrix_a = _moment("matrix_a", *inputs)
        self.matrix_g = _moment("matrix_g", outputs, outputs)
        self._watch = ops.InsertGradientOf(self.save_gradient)

    def _rows(self, dout):
        """The gradient as one row per sample."""
        return op.reshape(dout, (-1, dout.shape[-1]))

    def save_gradient(self, dout):
        """Keeps the second moment of a gradient.

        Args:
            dout (Tensor): Gradient of a mean over samples by the layer's output.

        Returns:
            Tensor, `dout`.
        """
        rows = op.cast(self._rows(dout), mstype.float32)
        ops.assign(self.matrix_g, op.matmul(rows, rows, True, False) * rows.shape[0])
        return dout

    def _save_input(self, rows) -> None:
        rows = op.cast(rows, mstype.float32)
        ops.assign(self.matrix_a, op.matmul(rows, rows, True, False) / rows.shape[0])


@takes(
    *with_defaults(DENSE_ARGUMENTS, **_INITIAL),
    Argument("activation", "str", "Applied to the result.", None),
)
class DenseThor(Dense, _SecondMoments):
    """A dense layer for THOR.

    Inputs:
        - **x** (Tensor) - (..., in_channels).

    Outputs:
        Tensor, (..., out_channels).

    Raises:
        ValueError: A given initial value has another shape.
    """

    def _set_up(self) -> None:
        self._keep((self.in_channels, self.in_channels), self.out_channels)

    def construct(self, x):
        if self.thor:
            self._save_input(op.reshape(x, (-1, x.shape[-1])))
        x = op.dense(x, self.weight, self.bias)
        if self.thor:
            x = self._watch(x)
        return self.activation(x) if self.activation_flag else x


@takes(*with_defaults(convolution_arguments(2), **_INITIAL))
class Conv2dThor(Conv2d, _SecondMoments):
    """A convolution for THOR.

    Inputs:
        - **x** (Tensor) - (N, in_channels, H, W).

    Outputs:
        Tensor, (N, out_channels, H', W').
    """

    def _set_up(self) -> None:
        window = self.kernel_size if isinstance(self.kernel_size, tuple) else (self.kernel_size,) * 2
        self._window = window
        size = self.in_channels * window[0] * window[1]
        self._keep((size, size), self.out_channels)

    def _rows(self, dout):
        return op.reshape(op.transpose(dout, (0, 2, 3, 1)), (-1, dout.shape[1]))

    def _patches(self, x):
        """Windows of the input as rows; a border of zeros makes up for `pad_mode`."""
        high, wide = self._window
        if self.pad_mode != "valid":
            x = ops.pad(x, ((wide - 1) // 2, wide // 2, (high - 1) // 2, high // 2))
        stride = self.stride if isinstance(self.stride, int) else self.stride[-1]
        columns = ops.unfold(x, self._window, 1, 0, stride)
        return op.reshape(op.transpose(columns, (0, 2, 1)), (-1, columns.shape[1]))

    def construct(self, x):
        if self.thor:
            self._save_input(self._patches(x))
        x = super().construct(x)
        return self._watch(x) if self.thor else x


class _TableMoments(_SecondMoments):
    def _save_numbers(self, ids) -> None:
        flat = op.reshape(ids, (-1,))
        counts = op.reduce_sum(ops.one_hot(flat, self.vocab_size, 1.0, 0.0), (0,))
        ops.assign(self.matrix_a, op.cast(counts, mstype.float32) / flat.shape[0])


@takes(*EMBEDDING_ARGUMENTS)
class EmbeddingThor(Embedding, _TableMoments):
    """A vector for every number, for THOR."""

    def _set_up(self) -> None:
        self._keep((self.vocab_size,), self.embedding_size)

    def construct(self, ids):
        if self.thor:
            self._save_numbers(ids)
        found = super().construct(ids)
        return self._watch(found) if self.thor else found


@takes(*LOOKUP_ARGUMENTS)
class EmbeddingLookupThor(EmbeddingLookup, _TableMoments):
    """A vector for every number, for THOR; vectors may be limited in length."""

    def _set_up(self) -> None:
        self._keep((self.vocab_size,), self.embedding_size)

    def construct(self, indices):
        if self.thor:
            self._save_numbers(indices)
        found = super().construct(indices)
        return self._watch(found) if self.thor else found


__all__ = ["Conv2dThor", "DenseThor", "EmbeddingLookupThor", "EmbeddingThor"]
