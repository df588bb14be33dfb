# SPDX-License-Identifier: Apache-2.0
"""Tables of vectors."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.common.initializer import initializer
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn import _checks as check
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op


class Embedding(Cell):
    """A vector for every number.

    Args:
        vocab_size (int): How many numbers.
        embedding_size (int): Length of the vectors.
        use_one_hot (bool): Look up by a product with one-hot vectors. Default: ``False``.
        embedding_table (Union[Tensor, str, Initializer, numbers.Number]): Initial table.
            Default: ``"normal"``.
        dtype (:class:`mindspore.dtype`): Type of the table. Default: ``mindspore.float32``.
        padding_idx (Union[int, None]): Number whose vector starts at zero. Default: ``None``.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `padding_idx` is not in [0, vocab_size).

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
        super().__init__()
        self.vocab_size = check.positive_int(vocab_size, "vocab_size", "Embedding")
        self.embedding_size = check.positive_int(embedding_size, "embedding_size", "Embedding")
        self.use_one_hot = check.boolean(use_one_hot, "use_one_hot", "Embedding")
        self.dtype, self.padding_idx = dtype, padding_idx
        table = initializer(embedding_table, (vocab_size, embedding_size), dtype)
        if padding_idx is not None:
            if isinstance(padding_idx, bool) or not isinstance(padding_idx, int):
                raise TypeError(
                    f"For 'Embedding', the 'padding_idx' must be int, but got {type(padding_idx)}."
                )
            if not 0 <= padding_idx < vocab_size:
                raise ValueError(
                    f"For 'Embedding', the 'padding_idx' must be in range [0, {vocab_size}), but got "
                    f"{padding_idx}."
                )
        self.embedding_table = Parameter(table, name="embedding_table")
        if padding_idx is not None:
            self.embedding_table.asnumpy()[padding_idx] = 0

    def construct(self, ids):
        if ids.dtype not in (mstype.int32, mstype.int64):
            if ids.dtype in mstype.float_type:
                raise TypeError(f"For 'Embedding', the 'ids' must be integers, but got {ids.dtype}.")
            ids = op.cast(ids, mstype.int32)
        if self.use_one_hot:
            one_hot = op.one_hot(ids, self.vocab_size, Tensor(1, self.dtype), Tensor(0, self.dtype), -1)
            return op.matmul(one_hot, self.embedding_table)
        return op.gather(self.embedding_table, ids, 0)

    def extend_repr(self) -> str:
        return (
            f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, "
            f"use_one_hot={self.use_one_hot}, "
            f"embedding_table={self.embedding_table}, dtype={self.dtype}, padding_idx={self.padding_idx}"
        )


class EmbeddingLookup(Cell):
    """A vector for every number; vectors may be limited in length.

    Args:
        vocab_size (int): How many numbers.
        embedding_size (int): Length of the vectors.
        param_init (Union[Tensor, str, Initializer, numbers.Number]): Initial table. Default: ``"normal"``.
        target (str): ``"CPU"`` or ``"DEVICE"``. Default: ``"CPU"``.
        slice_mode (str): How the table is split in parallel training. Default: ``"batch_slice"``.
        manual_shapes (tuple): Sizes of manual parts. Default: ``None``.
        max_norm (Union[float, None]): Longest vector. Default: ``None``.
        sparse (bool): Accepted for compatibility. Default: ``True``.
        vocab_cache_size (int): Accepted for compatibility. Default: ``0``.
        dtype (:class:`mindspore.dtype`): Type of the table. Default: ``mindspore.float32``.
    """

    BATCH_SLICE = "batch_slice"
    FIELD_SLICE = "field_slice"
    TABLE_ROW_SLICE = "table_row_slice"
    TABLE_COLUMN_SLICE = "table_column_slice"

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
        dtype=mstype.float32,
    ):
        super().__init__()
        self.vocab_size = check.positive_int(vocab_size, "vocab_size", "EmbeddingLookup")
        self.embedding_size = check.positive_int(embedding_size, "embedding_size", "EmbeddingLookup")
        if target not in ("CPU", "DEVICE"):
            raise ValueError(
                f"For 'EmbeddingLookup', the 'target' must be one of 'CPU', 'DEVICE', but got {target}."
            )
        self.target, self.slice_mode, self.max_norm = target, slice_mode, max_norm
        self.embedding_table = Parameter(
            initializer(param_init, [vocab_size, embedding_size], dtype), name="embedding_table"
        )

    def construct(self, indices):
        found = op.gather(self.embedding_table, indices, 0)
        if self.max_norm is not None:
            norm = op.sqrt(op.reduce_sum(op.square(found), (-1,), True))
            found = found * self.max_norm / op.maximum(norm, self.max_norm)
        return found
