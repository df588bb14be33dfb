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
from mindspore.nn._arguments import DTYPE, INITIAL, flag, positive_int
from mindspore.nn._description import Argument, shows, takes
from mindspore.nn.cell import Cell
from mindspore.ops._registry import op

_VOCABULARY = [
    positive_int("vocab_size", "How many numbers."),
    positive_int("embedding_size", "Length of the vectors."),
]
_TYPE_OF_TABLE = DTYPE.but(text="Type of the table.")
EMBEDDING_ARGUMENTS = [
    *_VOCABULARY,
    flag("use_one_hot", "Look up by a product with one-hot vectors."),
    Argument("embedding_table", INITIAL, "Initial table.", "normal"),
    _TYPE_OF_TABLE,
    Argument("padding_idx", "Union[int, None]", "Number whose vector starts at zero.", None),
]


@takes(*EMBEDDING_ARGUMENTS)
class Embedding(Cell):
    """A vector for every number.

    Inputs:
        - **ids** (Tensor) - Numbers.

    Outputs:
        Tensor, their vectors along a new last axis.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `padding_idx` is not in [0, vocab_size).
    """

    def _set_up(self, embedding_table, padding_idx) -> None:
        self.padding_idx, vocab_size = padding_idx, self.vocab_size
        table = initializer(embedding_table, (vocab_size, self.embedding_size), self.dtype)
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

    extend_repr = shows("vocab_size embedding_size use_one_hot embedding_table dtype padding_idx")


def _limited(vectors, max_norm):
    """Vectors along the last axis, none longer than `max_norm`."""
    if max_norm is None:
        return vectors
    norm = op.sqrt(op.reduce_sum(op.square(vectors), (-1,), True))
    return vectors * max_norm / op.maximum(norm, max_norm)


def _longest(value, name: str, owner: str) -> float | None:
    return None if value is None else validator.check_positive_float(value, name, owner)


def _positive_or_zero(value, name: str, owner: str) -> int:
    return validator.check_non_negative_int(value, name, owner)


_PARAM_INIT = Argument("param_init", INITIAL, "Initial table.", "normal")
_TARGET = Argument("target", "str", '``"CPU"`` or ``"DEVICE"``.', "CPU", check.choice("CPU", "DEVICE"))
_SLICE_MODE = Argument(
    "slice_mode",
    "str",
    "How the table is split in parallel training.",
    "batch_slice",
    check.choice("batch_slice", "field_slice", "table_row_slice", "table_column_slice"),
)
_MAX_NORM = Argument("max_norm", "Union[float, None]", "Longest vector.", None, _longest)
_SPARSE = flag("sparse", 'Whether gradients are sparse; must be true on ``"CPU"``.', True)
_PARTS = Argument("manual_shapes", "tuple", "Sizes of manual parts.", None)
LOOKUP_ARGUMENTS = [
    *_VOCABULARY,
    _PARAM_INIT,
    _TARGET,
    _SLICE_MODE,
    _PARTS,
    _MAX_NORM,
    _SPARSE,
    Argument("vocab_cache_size", "int", "Vectors kept on the device; all of them are.", 0, _positive_or_zero),
]


@takes(*_VOCABULARY, _PARAM_INIT, _TARGET, _SLICE_MODE, _MAX_NORM, _SPARSE, _TYPE_OF_TABLE)
class _Lookup(Cell):
    """A table of vectors, and the arguments that say where and how it lies.

    Raises:
        TypeError: An argument has another type.
        ValueError: An argument is out of range, or shapes do not fit.
    """

    BATCH_SLICE = "batch_slice"
    FIELD_SLICE = "field_slice"
    TABLE_ROW_SLICE = "table_row_slice"
    TABLE_COLUMN_SLICE = "table_column_slice"

    def _set_up(self, param_init, dtype) -> None:
        owner, slice_mode = self.cls_name, self.slice_mode
        if slice_mode != self.BATCH_SLICE:
            require_one_process(f"{owner}(slice_mode='{slice_mode}')")
        if self.target == "CPU" and not self.sparse:
            raise ValueError(
                f"For '{owner}', 'sparse' must be True when 'target' is \"CPU\", but got 'sparse': "
                f"{self.sparse} and 'target': {self.target}."
            )
        table = initializer(param_init, [self.vocab_size, self.embedding_size], dtype)
        self.embedding_table = Parameter(table, name="embedding_table")

    def _found(self, indices):
        return _limited(op.gather(self.embedding_table, indices, 0), self.max_norm)


@takes(*LOOKUP_ARGUMENTS, _TYPE_OF_TABLE)
class EmbeddingLookup(_Lookup):
    """A vector for every number; vectors may be limited in length.

    Inputs:
        - **indices** (Tensor) - Numbers.

    Outputs:
        Tensor, their vectors along a new last axis.
    """

    def _set_up(self) -> None:
        if self.slice_mode == self.FIELD_SLICE and not self.manual_shapes:
            raise ValueError(
                f"For '{self.cls_name}', the 'manual_shapes' must be given when 'slice_mode' is "
                f"'field_slice'."
            )

    def construct(self, indices):
        return self._found(indices)


@takes(
    *_VOCABULARY,
    positive_int("field_size", "How many fields."),
    _PARAM_INIT,
    _TARGET,
    _SLICE_MODE,
    _PARTS.but(name="feature_num_list"),
    _MAX_NORM,
    _SPARSE,
    Argument(
        "operator", "str", '``"SUM"``, ``"MAX"`` or ``"MEAN"``.', "SUM", check.choice("SUM", "MAX", "MEAN")
    ),
    _TYPE_OF_TABLE,
)
class MultiFieldEmbeddingLookup(_Lookup):
    """Vectors of numbers, weighted and combined per field.

    Inputs:
        - **input_indices** (Tensor) - Numbers (N, L).
        - **input_values** (Tensor) - Their weights (N, L); 0 leaves a number out.
        - **field_ids** (Tensor) - Their fields (N, L).

    Outputs:
        Tensor, (N, field_size, embedding_size); zeros for a field without weight.
    """

    OPERATOR_SUM = "SUM"
    OPERATOR_MEAN = "MEAN"
    OPERATOR_MAX = "MAX"

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
