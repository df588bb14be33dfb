# SPDX-License-Identifier: Apache-2.0
"""Encoders of transformers, and settings of those that are trained in parallel; one process trains here."""

from mindspore._later import imported_names as _imported_names
from mindspore._spelling import explains_missing_names as _explains_missing_names
from mindspore.parallel._transformer.loss import CrossEntropyLoss
from mindspore.parallel._transformer.op_parallel_config import MoEParallelConfig, OpParallelConfig
from mindspore.parallel._transformer.transformer import (
    AttentionMask,
    EmbeddingOpParallelConfig,
    FeedForward,
    MultiHeadAttention,
    TransformerEncoder,
    TransformerEncoderLayer,
    TransformerOpParallelConfig,
    TransformerRecomputeConfig,
    VocabEmbedding,
)

__all__ = _imported_names(globals())

__getattr__ = _explains_missing_names(globals())
