# SPDX-License-Identifier: Apache-2.0
"""Parts of transformers: masks, tables, dense layers, attention with a memory of earlier steps."""

from __future__ import annotations

import math

import numpy as np

from mindspore import _checkparam as validator
from mindspore import nn
from mindspore.common import dtype as mstype
from mindspore.common.initializer import initializer
from mindspore.common.parameter import Parameter
from mindspore.common.tensor import Tensor
from mindspore.nn.cell import Cell
from mindspore.ops import operations as P
from mindspore.ops._registry import op
from mindspore.parallel._transformer.layers import (
    _check_input_dtype,
    _check_past_none_input_none,
    _Linear,
)
from mindspore.parallel._transformer.op_parallel_config import default_dpmp_config

_FLOATS = [mstype.float32, mstype.float16]
_HIDDEN = -10000.0  # what is added to the score of a place that must not be looked at


def _check_rate(rate: float, name: str, owner: str) -> None:
    validator.check_non_negative_float(rate, name, owner)
    if rate >= 1:
        raise ValueError(f"For '{owner}', the '{name}' must be in range [0, 1.0), but got {rate}.")


def _check_divisible(value: int, divisor: int, what: str, owner: str) -> None:
    if value % divisor:
        raise ValueError(f"For '{owner}', {what}, but got {value} and {divisor}.")


class AttentionMask(Cell):
    """Which places a place of a sequence may look at: earlier ones that are no padding.

    Args:
        seq_length (int): Length of the sequences.
        parallel_config (OpParallelConfig): How it is cut. Default: not at all.

    Inputs:
        - **input_mask** (Tensor) - (batch, seq_length), float32 or float16; zero where there is padding.

    Outputs:
        Tensor, (batch, seq_length, seq_length), float32; ones and zeros.

    Examples:
        >>> from mindspore import Tensor
        >>> from mindspore.parallel._transformer.transformer import AttentionMask
        >>> print(AttentionMask(2)(Tensor([[1.0, 1.0], [1.0, 0.0]])))
        [[[1. 0.]
          [1. 1.]]
         [[1. 0.]
          [0. 0.]]]
    """

    def __init__(self, seq_length, parallel_config=default_dpmp_config):
        super().__init__()
        self.seq_length = validator.check_positive_int(seq_length, "seq_length", "AttentionMask")
        self.lower_triangle_mask = Tensor(np.tril(np.ones((seq_length, seq_length))), mstype.float32)

    def construct(self, input_mask):
        _check_input_dtype(input_mask.dtype, "input_mask", _FLOATS, self.cls_name)
        kept = op.cast(op.not_equal(input_mask, 0), mstype.float32)
        both = op.mul(op.expand_dims(kept, 2), op.expand_dims(kept, 1))
        return op.mul(both, self.lower_triangle_mask)


class VocabEmbedding(Cell):
    """Rows of a table of words.

    Args:
        vocab_size (int): Rows of the table.
        embedding_size (int): Length of a row.
        parallel_config (EmbeddingOpParallelConfig): How it is cut. Default: ``None``, not at all.
        param_init (Union[Tensor, str, Initializer, numbers.Number]): Initial table. Default: ``"normal"``.

    Inputs:
        - **input_ids** (Tensor) - int32.

    Outputs:
        tuple, the rows and the table.
    """

    def __init__(self, vocab_size, embedding_size, parallel_config=None, param_init="normal"):
        super().__init__()
        self.vocab_size = validator.check_positive_int(vocab_size, "vocab_size", "VocabEmbedding")
        self.embedding_size = validator.check_positive_int(embedding_size, "embedding_size", "VocabEmbedding")
        self.embedding_table = Parameter(
            initializer(param_init, [vocab_size, embedding_size]),
            name="embedding_table",
            parallel_optimizer=False,
        )
        self.gather = P.Gather()

    def construct(self, input_ids):
        _check_input_dtype(input_ids.dtype, "input_ids", [mstype.int32], self.cls_name)
        return self.gather(self.embedding_table, input_ids, 0), self.embedding_table.value()


class FeedForward(Cell):
    """Two dense layers, the inner one wider, computed in float16.

    Args:
        hidden_size (int): Features of input and output.
        ffn_hidden_size (int): Features between.
        dropout_rate (float): Share of the output that is dropped in training.
        hidden_act (Union[str, type]): Activation between. Default: ``"gelu"``.
        expert_num (int): ``1``: there are no experts.
        expert_group_size (int): Not used. Default: ``None``.
        param_init_type (:class:`mindspore.dtype`): float32 or float16. Default: ``mindspore.float32``.
        parallel_config (OpParallelConfig): How it is cut. Default: not at all.

    Inputs:
        - **x** (Tensor) - (..., hidden_size), float32 or float16.

    Outputs:
        Tensor, shape of `x`, float16.
    """

    def __init__(
        self,
        hidden_size,
        ffn_hidden_size,
        dropout_rate,
        hidden_act="gelu",
        expert_num=1,
        expert_group_size=None,
        param_init_type=mstype.float32,
        parallel_config=default_dpmp_config,
    ):
        super().__init__()
        if not (
            isinstance(hidden_act, str) or (isinstance(hidden_act, type) and issubclass(hidden_act, Cell))
        ):
            raise TypeError(
                f"For 'FeedForward', the 'hidden_act' must be str or a class of cells, but got {hidden_act}."
            )
        _check_rate(dropout_rate, "dropout_rate", self.cls_name)
        parts = parallel_config.model_parallel
        for name, size in (("hidden_size", hidden_size), ("ffn_hidden_size", ffn_hidden_size)):
            validator.check_positive_int(size, name, self.cls_name)
            _check_divisible(
                size, parts, f"the '{name}' must be a multiple of 'model_parallel'", self.cls_name
            )
        self.mapping = _Linear(
            hidden_size,
            ffn_hidden_size,
            activation=hidden_act,
            transpose_b=False,
            expert_num=expert_num,
            param_init_type=param_init_type,
        )
        self.projection = _Linear(
            ffn_hidden_size,
            hidden_size,
            transpose_b=False,
            expert_num=expert_num,
            param_init_type=param_init_type,
        )
        self.dropout = nn.Dropout(p=dropout_rate)

    def construct(self, x):
        _check_input_dtype(x.dtype, "x", _FLOATS, self.cls_name)
        return self.dropout(self.projection(self.mapping(op.cast(x, mstype.float16))))


class MultiHeadAttention(Cell):
    """Every place looks at all that its mask lets it see, in several ways at once.

    With `use_past` keys and values of earlier steps are given back, so that a step computes one place only.

    Args:
        batch_size (int): Sequences in a batch; needed with `use_past`.
        src_seq_length (int): Places that look.
        tgt_seq_length (int): Places that are looked at.
        hidden_size (int): Features of a place.
        num_heads (int): Ways to look; divides `hidden_size`.
        hidden_dropout_rate (float): Share of the output that is dropped in training. Default: ``0.1``.
        attention_dropout_rate (float): Share of the looks that are dropped. Default: ``0.1``.
        compute_dtype (:class:`mindspore.dtype`): Type of products. Default: ``mindspore.float16``.
        softmax_compute_type (:class:`mindspore.dtype`): Type of the softmax. Default: ``mindspore.float32``.
        param_init_type (:class:`mindspore.dtype`): Type of the parameters. Default: ``mindspore.float32``.
        use_past (bool): Whether earlier steps are used. Default: ``False``.
        parallel_config (OpParallelConfig): How it is cut. Default: not at all.

    Inputs:
        - **query_tensor**, **key_tensor**, **value_tensor** (Tensor) - (batch, length, hidden_size) or
          (batch * length, hidden_size), float32 or float16.
        - **attention_mask** (Tensor) - (batch, src_seq_length, tgt_seq_length), or None.
        - **key_past** (Tensor) - (batch, num_heads, hidden_size / num_heads, tgt_seq_length), float16.
        - **value_past** (Tensor) - (batch, num_heads, tgt_seq_length, hidden_size / num_heads), float16.
        - **batch_valid_length** (Tensor) - (batch,), int32; places that are no padding.

    Outputs:
        tuple, the result like `query_tensor`, and (keys, values) for the next step.
    """

    def __init__(
        self,
        batch_size,
        src_seq_length,
        tgt_seq_length,
        hidden_size,
        num_heads,
        hidden_dropout_rate=0.1,
        attention_dropout_rate=0.1,
        compute_dtype=mstype.float16,
        softmax_compute_type=mstype.float32,
        param_init_type=mstype.float32,
        use_past=False,
        parallel_config=default_dpmp_config,
    ):
        super().__init__()
        for name, size in (
            ("src_seq_length", src_seq_length),
            ("tgt_seq_length", tgt_seq_length),
            ("hidden_size", hidden_size),
            ("num_heads", num_heads),
        ):
            validator.check_positive_int(size, name, self.cls_name)
        for name, kind in (
            ("compute_dtype", compute_dtype),
            ("softmax_compute_type", softmax_compute_type),
            ("param_init_type", param_init_type),
        ):
            _check_input_dtype(kind, name, _FLOATS, self.cls_name)
        validator.check_bool(use_past, "use_past", self.cls_name)
        _check_rate(hidden_dropout_rate, "hidden_dropout_rate", self.cls_name)
        _check_rate(attention_dropout_rate, "attention_dropout_rate", self.cls_name)
        _check_divisible(
            hidden_size, num_heads, "'hidden_size' must be a multiple of 'num_heads'", self.cls_name
        )
        parts = parallel_config.model_parallel
        _check_divisible(
            num_heads, parts, "'num_heads' must be a multiple of 'model_parallel'", self.cls_name
        )
        self.batch_size, self.hidden_size = batch_size, hidden_size
        self.src_seq_length, self.tgt_seq_length = src_seq_length, tgt_seq_length
        self.n_head, self.size_per_head = num_heads, hidden_size // num_heads
        self.dtype, self.softmax_dtype = compute_dtype, softmax_compute_type
        self.use_past, self.is_first_iteration = use_past, True
        types = {"param_init_type": param_init_type, "compute_dtype": compute_dtype}
        self.projection = _Linear(hidden_size, hidden_size, transpose_b=False, **types)
        self.dropout = nn.Dropout(p=hidden_dropout_rate)
        self.prob_dropout = nn.Dropout(p=attention_dropout_rate)
        self.softmax = nn.Softmax().to_float(softmax_compute_type)
        self.dense1 = _Linear(hidden_size, hidden_size, **types)
        self.dense2 = _Linear(hidden_size, hidden_size, **types)
        self.dense3 = _Linear(hidden_size, hidden_size, **types)
        if use_past:
            validator.check_positive_int(batch_size, "batch_size", self.cls_name)
            self.range = Tensor(np.arange(src_seq_length).reshape(1, 1, -1), mstype.int32)

    def _check_inputs(self, tensors: dict, past: dict) -> None:
        for name, tensor in tensors.items():
            if tensor is None and name != "attention_mask":
                raise TypeError(f"For '{self.cls_name}', '{name}' must be a Tensor, but got None.")
            if tensor is not None:
                _check_input_dtype(tensor.dtype, name, _FLOATS, self.cls_name)
        for name, tensor in past.items():
            _check_past_none_input_none(
                self.use_past, name, self.cls_name, None, isinstance(tensor, Tensor), tensor is None
            )
            if self.use_past:
                kind = mstype.int32 if name == "batch_valid_length" else mstype.float16
                _check_input_dtype(tensor.dtype, name, [kind], self.cls_name)

    def _heads(self, x, length: int):
        """(batch, heads, length, features of a head)."""
        length = 1 if self.use_past and not self.is_first_iteration else length
        if x.ndim == 3 and x.shape[1] != length:
            raise ValueError(
                f"For '{self.cls_name}', the sequences must have the length {length}, but got the shape "
                f"{x.shape}."
            )
        return op.transpose(op.reshape(x, (-1, length, self.n_head, self.size_per_head)), (0, 2, 1, 3))

    def _filled(self, keys):
        """Number of places that keys are known of, as (batch, 1, 1)."""
        known = op.cast(op.not_equal(keys[:, 0, 0, :], 0), mstype.float32)
        return op.reshape(op.cast(op.reduce_sum(known, (1,)), mstype.int32), (-1, 1, 1))

    def _with_past(self, key, value, key_past, value_past, batch_valid_length):
        """Keys and values of this and earlier steps."""
        if self.is_first_iteration:
            valid = op.cast(op.less(self.range, op.reshape(batch_valid_length, (-1, 1, 1))), self.dtype)
            return op.mul(key, op.expand_dims(valid, 2)), op.mul(value, op.expand_dims(valid, 3))
        here = op.cast(op.equal(self._filled(key_past), self.range), self.dtype)
        key = op.add(key_past, op.mul(key, op.expand_dims(here, 2)))
        return key, op.add(value_past, op.mul(value, op.expand_dims(here, 3)))

    def _attend(self, query, key, value, mask):
        scale = Tensor(math.sqrt(math.sqrt(self.size_per_head)), query.dtype)
        scores = op.matmul(op.div(query, scale), op.div(key, scale))
        kind = scores.dtype
        scores = op.cast(scores, self.softmax_dtype)
        if mask is not None:
            if self.use_past and not self.is_first_iteration:
                mask = op.expand_dims(op.less_equal(self.range, self._filled(key) - 1), 2)
            hidden = op.mul(1.0 - op.cast(mask, self.softmax_dtype), _HIDDEN)
            scores = op.add(scores, op.cast(hidden, self.softmax_dtype))
        looks = self.prob_dropout(op.cast(self.softmax(scores), kind))
        seen = op.transpose(op.matmul(looks, value), (0, 2, 1, 3))
        return op.reshape(seen, (-1, self.hidden_size))

    def construct(
        self,
        query_tensor,
        key_tensor,
        value_tensor,
        attention_mask,
        key_past=None,
        value_past=None,
        batch_valid_length=None,
    ):
        self._check_inputs(
            {
                "query_tensor": query_tensor,
                "key_tensor": key_tensor,
                "value_tensor": value_tensor,
                "attention_mask": attention_mask,
            },
            {"key_past": key_past, "value_past": value_past, "batch_valid_length": batch_valid_length},
        )
        shape, kind = query_tensor.shape, query_tensor.dtype
        query = self._heads(self.dense1(op.cast(query_tensor, self.dtype)), self.src_seq_length)
        key = self._heads(self.dense2(op.cast(key_tensor, self.dtype)), self.tgt_seq_length)
        value = self._heads(self.dense3(op.cast(value_tensor, self.dtype)), self.tgt_seq_length)
        key = op.transpose(key, (0, 1, 3, 2))
        if attention_mask is not None and attention_mask.ndim == 3:
            attention_mask = op.expand_dims(attention_mask, 1)
        present = (key, value)
        if self.use_past:
            present = self._with_past(key, value, key_past, value_past, batch_valid_length)
            if not self.is_first_iteration:
                key, value = present
        output = self.dropout(self.projection(self._attend(query, key, value, attention_mask)))
        return op.cast(op.reshape(output, shape), kind), present
