# SPDX-License-Identifier: Apache-2.0
"""Tables of vectors."""

from __future__ import annotations

from mindspore import _checkparam as validator
from mindspore import ops
from mindspore._world import require_one_process
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
            self.embedding_table[padding_idx] = 0

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


_SLICE_MODES = ("batch_slice", "field_slice", "table_row_slice", "table_column_slice")


def _limited(vectors, max_norm):
    """Vectors along the last axis, none longer than `max_norm`."""
    if max_norm is None:
        return vectors
    norm = op.sqrt(op.reduce_sum(op.square(vectors), (-1,), True))
    return vectors * max_norm / op.maximum(norm, max_norm)


class _Lookup(Cell):
    """A table of vectors, and the arguments that say where and how it lies."""

    BATCH_SLICE = "batch_slice"
    FIELD_SLICE = "field_slice"
    TABLE_ROW_SLICE = "table_row_slice"
    TABLE_COLUMN_SLICE = "table_column_slice"

    def _set_up(self, vocab_size, embedding_size, param_init, target, slice_mode, max_norm, sparse, dtype):
        owner = self.cls_name
        self.vocab_size = check.positive_int(vocab_size, "vocab_size", owner)
        self.embedding_size = check.positive_int(embedding_size, "embedding_size", owner)
        self.sparse = check.boolean(sparse, "sparse", owner)
        self.target = check.one_of(target, ("CPU", "DEVICE"), "target", owner)
        self.slice_mode = check.one_of(slice_mode, _SLICE_MODES, "slice_mode", owner)
        if slice_mode != self.BATCH_SLICE:
            require_one_process(f"{owner}(slice_mode='{slice_mode}')")
        if target == "CPU" and not sparse:
            raise ValueError(
                f"For '{owner}', 'sparse' must be True when 'target' is \"CPU\", but got 'sparse': "
                f"{sparse} and "
                f"'target': {target}."
            )
        if max_norm is not None:
            validator.check_positive_float(max_norm, "max_norm", owner)
        self.max_norm = max_norm
        self.embedding_table = Parameter(
            initializer(param_init, [vocab_size, embedding_size], dtype), name="embedding_table"
        )

    def _found(self, indices):
        return _limited(op.gather(self.embedding_table, indices, 0), self.max_norm)


class EmbeddingLookup(_Lookup):
    """A vector for every number; vectors may be limited in length.

    Args:
        vocab_size (int): How many numbers.
        embedding_size (int): Length of the vectors.
        param_init (Union[Tensor, str, Initializer, numbers.Number]): Initial table. Default: ``"normal"``.
        target (str): ``"CPU"`` or ``"DEVICE"``. Default: ``"CPU"``.
        slice_mode (str): How the table is split in parallel training. Default: ``"batch_slice"``.
        manual_shapes (tuple): Sizes of manual parts. Default: ``None``.
        max_norm (Union[float, None]): Longest vector. Default: ``None``.
        sparse (bool): Whether gradients are sparse; must be true on ``"CPU"``. Default: ``True``.
        vocab_cache_size (int): Vectors kept on the device; all of them are. Default: ``0``.
        dtype (:class:`mindspore.dtype`): Type of the table. Default: ``mindspore.float32``.

    Inputs:
        - **indices** (Tensor) - Numbers.

    Outputs:
        Tensor, their vectors along a new last axis.

    Raises:
        TypeError: An argument has another type.
        ValueError: An argument is out of range.

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
        dtype=mstype.float32,
    ):
        super().__init__()
        self._set_up(vocab_size, embedding_size, param_init, target, slice_mode, max_norm, sparse, dtype)
        self.vocab_cache_size = validator.check_non_negative_int(
            vocab_cache_size, "vocab_cache_size", self.cls_name
        )
        if slice_mode == self.FIELD_SLICE and not manual_shapes:
            raise ValueError(
                f"For '{self.cls_name}', the 'manual_shapes' must be given when 'slice_mode' is "
                f"'field_slice'."
            )
        self.manual_shapes = manual_shapes

    def construct(self, indices):
        return self._found(indices)


class MultiFieldEmbeddingLookup(_Lookup):
    """Vectors of numbers, weighted and combined per field.

    Args:
        vocab_size (int): How many numbers.
        embedding_size (int): Length of the vectors.
        field_size (int): How many fields.
        param_init (Union[Tensor, str, Initializer, numbers.Number]): Initial table. Default: ``"normal"``.
        target (str): ``"CPU"`` or ``"DEVICE"``. Default: ``"CPU"``.
        slice_mode (str): How the table is split in parallel training. Default: ``"batch_slice"``.
        feature_num_list (tuple): Sizes of manual parts. Default: ``None``.
        max_norm (Union[float, None]): Longest vector. Default: ``None``.
        sparse (bool): Whether gradients are sparse; must be true on ``"CPU"``. Default: ``True``.
        operator (str): ``"SUM"``, ``"MAX"`` or ``"MEAN"``. Default: ``"SUM"``.
        dtype (:class:`mindspore.dtype`): Type of the table. Default: ``mindspore.float32``.

    Inputs:
        - **input_indices** (Tensor) - Numbers (N, L).
        - **input_values** (Tensor) - Their weights (N, L); 0 leaves a number out.
        - **field_ids** (Tensor) - Their fields (N, L).

    Outputs:
        Tensor, (N, field_size, embedding_size); zeros for a field without weight.

    Raises:
        TypeError: An argument has another type.
        ValueError: An argument is out of range, or shapes do not fit.

    Supported Platforms:
        ``CPU``
    """

    OPERATOR_SUM = "SUM"
    OPERATOR_MEAN = "MEAN"
    OPERATOR_MAX = "MAX"

    def __init__(
        self,
        vocab_size,
        embedding_size,
        field_size,
        param_init="normal",
        target="CPU",
        slice_mode="batch_slice",
        feature_num_list=None,
        max_norm=None,
        sparse=True,
        operator="SUM",
        dtype=mstype.float32,
    ):
        super().__init__()
        self._set_up(vocab_size, embedding_size, param_init, target, slice_mode, max_norm, sparse, dtype)
        self.field_size = check.positive_int(field_size, "field_size", self.cls_name)
        self.operator = check.one_of(operator, ("SUM", "MAX", "MEAN"), "operator", self.cls_name)
        self.feature_num_list = feature_num_list

    def construct(self, input_indices, input_values, field_ids):
        if input_indices.ndim != 2 or not input_indices.shape == input_values.shape == field_ids.shape:
            raise ValueError(
                f"For '{self.cls_name}', the inputs must have one shape (N, L), but got "
                f"{input_indices.shape}, "
                f"{input_values.shape} and {field_ids.shape}."
            )
        for name, value, kinds in (
            ("input_indices", input_indices, (mstype.int32, mstype.int64)),
            ("input_values", input_values, mstype.float_type),
            ("field_ids", field_ids, (mstype.int32, mstype.int64)),
        ):
            if value.dtype not in kinds:
                raise TypeError(
                    f"For '{self.cls_name}', the '{name}' must be one of {list(kinds)}, but got "
                    f"{value.dtype}."
                )
        rows = input_indices.shape[0]
        vectors = self._found(input_indices)
        weights = op.expand_dims(op.cast(input_values, vectors.dtype), -1)
        fields = ops.arange(self.field_size).reshape(1, -1, 1)
        member = op.equal(op.expand_dims(field_ids, 1), op.cast(fields, field_ids.dtype))
        sizes = op.matmul(op.cast(member, vectors.dtype), op.abs(weights))
        vectors = vectors * weights
        if self.operator == "MAX":
            counted = op.logical_and(op.expand_dims(member, -1), op.not_equal(op.expand_dims(weights, 1), 0))
            lowest = Tensor(-6.0e4 if vectors.dtype == mstype.float16 else -3.0e38, vectors.dtype)
            merged = op.reduce_max(op.where(counted, op.expand_dims(vectors, 1), lowest), (2,))
        else:
            merged = op.matmul(op.cast(member, vectors.dtype), vectors)
        if self.operator == "MEAN":
            merged = merged / op.where(op.greater(sizes, 0), sizes, op.ones_like(sizes))
        merged = op.where(op.greater(sizes, 0), merged, op.zeros_like(merged))
        return op.reshape(merged, (rows, self.field_size, self.embedding_size))


__all__ = ["Embedding", "EmbeddingLookup", "MultiFieldEmbeddingLookup"]
