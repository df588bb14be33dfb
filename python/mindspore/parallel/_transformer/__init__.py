# SPDX-License-Identifier: Apache-2.0
"""Settings and small layers of transformers that are trained in parallel; one process trains here."""

from mindspore._spelling import explains_missing_names
from mindspore.parallel._transformer.op_parallel_config import MoEParallelConfig, OpParallelConfig
from mindspore.parallel._transformer.transformer import (
    EmbeddingOpParallelConfig,
    TransformerOpParallelConfig,
    TransformerRecomputeConfig,
)

__all__ = [
    "EmbeddingOpParallelConfig",
    "MoEParallelConfig",
    "OpParallelConfig",
    "TransformerOpParallelConfig",
    "TransformerRecomputeConfig",
]

__getattr__ = explains_missing_names(globals())
