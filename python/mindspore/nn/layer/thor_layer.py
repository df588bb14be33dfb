# SPDX-License-Identifier: Apache-2.0
"""Layers that keep the second moments of their inputs and gradients, which the optimizer THOR reads."""

from __future__ import annotations

from mindspore import ops
from mindspore.common import dtype as mstype
from mindspore.common.initializer import initializer
from mindspore.common.parameter import Parameter
from mindspore.nn.cell import Cell
from mindspore.nn.layer.basic import Dense
from mindspore.nn.layer.conv import Conv2d
from mindspore.nn.layer.embedding import Embedding, EmbeddingLookup
from mindspore.ops._registry import op


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


class DenseThor(Dense, _SecondMoments):
    """A dense layer for THOR.

    Args:
        in_channels (int): Features of the input.
        out_channels (int): Features of the output.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): Initial weight. Default: ``"normal"``.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): Initial bias. Default: ``"zeros"``.
        has_bias (bool): Whether there is a bias. Default: ``True``.
        activation (str): Applied to the result. Default: ``None``.

    Inputs:
        - **x** (Tensor) - (..., in_channels).

    Outputs:
        Tensor, (..., out_channels).

    Raises:
        ValueError: A given initial value has another shape.

    Supported Platforms:
        ``CPU``
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        weight_init="normal",
        bias_init="zeros",
        has_bias=True,
        activation=None,
    ):
        super().__init__(in_channels, out_channels, weight_init, bias_init, has_bias, activation)
        self._keep((in_channels, in_channels), out_channels)

    def construct(self, x):
        if self.thor:
            self._save_input(op.reshape(x, (-1, x.shape[-1])))
        x = op.dense(x, self.weight, self.bias)
        if self.thor:
            x = self._watch(x)
        return self.activation(x) if self.activation_flag else x


class Conv2dThor(Conv2d, _SecondMoments):
    """A convolution for THOR.

    Args:
        in_channels (int): Channels of the input.
        out_channels (int): Channels of the output.
        kernel_size (Union[int, tuple[int]]): Size of the window.
        stride (Union[int, tuple[int]]): Step of the window. Default: ``1``.
        pad_mode (str): ``"same"``, ``"valid"`` or ``"pad"``. Default: ``"same"``.
        padding (Union[int, tuple[int]]): Border for ``"pad"``. Default: ``0``.
        dilation (Union[int, tuple[int]]): Distance of the window's elements. Default: ``1``.
        group (int): Groups of channels. Default: ``1``.
        has_bias (bool): Whether there is a bias. Default: ``False``.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): Initial weight. Default: ``"normal"``.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): Initial bias. Default: ``"zeros"``.

    Inputs:
        - **x** (Tensor) - (N, in_channels, H, W).

    Outputs:
        Tensor, (N, out_channels, H', W').

    Supported Platforms:
        ``CPU``
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        pad_mode="same",
        padding=0,
        dilation=1,
        group=1,
        has_bias=False,
        weight_init="normal",
        bias_init="zeros",
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
        )
        window = self.kernel_size if isinstance(self.kernel_size, tuple) else (self.kernel_size,) * 2
        self._window = window
        size = in_channels * window[0] * window[1]
        self._keep((size, size), out_channels)

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


class EmbeddingThor(Embedding, _TableMoments):
    """A vector for every number, for THOR.

    Args:
        vocab_size (int): How many numbers.
        embedding_size (int): Length of the vectors.
        use_one_hot (bool): Look up by a product with one-hot vectors. Default: ``False``.
        embedding_table (Union[Tensor, str, Initializer, numbers.Number]): Initial table. Default:
            ``"normal"``.
        dtype (:class:`mindspore.dtype`): Type of the table. Default: ``mindspore.float32``.
        padding_idx (Union[int, None]): Number whose vector starts at zero. Default: ``None``.

    Inputs:
        - **ids** (Tensor) - Numbers.

    Outputs:
        Tensor, their vectors along a new last axis.

    Supported Platforms:
        ``CPU``
    """

    def __init__(
        self,
        vocab_size,
        embedding_size,
        use_one_hot=False,
        embedding_table="normal",
        dtype=mstype.float32,
        padding_idx=None,
    ):
        super().__init__(vocab_size, embedding_size, use_one_hot, embedding_table, dtype, padding_idx)
        self._keep((vocab_size,), embedding_size)

    def construct(self, ids):
        if self.thor:
            self._save_numbers(ids)
        found = super().construct(ids)
        return self._watch(found) if self.thor else found


class EmbeddingLookupThor(EmbeddingLookup, _TableMoments):
    """A vector for every number, for THOR; vectors may be limited in length.

    Args:
        vocab_size (int): How many numbers.
        embedding_size (int): Length of the vectors.
        param_init (Union[Tensor, str, Initializer, numbers.Number]): Initial table. Default: ``"normal"``.
        target (str): ``"CPU"`` or ``"DEVICE"``. Default: ``"CPU"``.
        slice_mode (str): How the table is split in parallel training. Default: ``"batch_slice"``.
        manual_shapes (tuple): Sizes of manual parts. Default: ``None``.
        max_norm (Union[float, None]): Longest vector. Default: ``None``.
        sparse (bool): Whether gradients are sparse. Default: ``True``.
        vocab_cache_size (int): Vectors kept on the device. Default: ``0``.

    Inputs:
        - **indices** (Tensor) - Numbers.

    Outputs:
        Tensor, their vectors along a new last axis.

    Supported Platforms:
        ``CPU``
    """

    def __init__(
        self,
        vocab_size,
        embedding_size,
        param_init="normal",
        target="CPU",
        slice_mode="batch_slice",
        manual_shapes=None,
        max_norm=None,
        sparse=True,
        vocab_cache_size=0,
    ):
        super().__init__(
            vocab_size,
            embedding_size,
            param_init,
            target,
            slice_mode,
            manual_shapes,
            max_norm,
            sparse,
            vocab_cache_size,
        )
        self._keep((vocab_size,), embedding_size)

    def construct(self, indices):
        if self.thor:
            self._save_numbers(indices)
        found = super().construct(indices)
        return self._watch(found) if self.thor else found


__all__ = ["Conv2dThor", "DenseThor", "EmbeddingLookupThor", "EmbeddingThor"]
