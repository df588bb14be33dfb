# SPDX-License-Identifier: Apache-2.0
"""Encoders of transformers, and settings of those that are trained in parallel; one process trains here."""

from mindspore._spelling import explains_missing_names
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

__all__ = [
    "AttentionMask",
    "CrossEntropyLoss",
    "EmbeddingOpParallelConfig",
    "FeedForward",
    "MoEParallelConfig",
    "MultiHeadAttention",
    "OpParallelConfig",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TransformerOpParallelConfig",
    "TransformerRecomputeConfig",
    "VocabEmbedding",
]

__getattr__ = explains_missing_names(globals())
