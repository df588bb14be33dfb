# SPDX-License-Identifier: Apache-2.0
"""Layers of transformers, and settings of those that are trained in parallel."""

from __future__ import annotations

from mindspore._spelling import explains_missing_names
from mindspore.parallel._transformer.attention import (
    AttentionMask,
    FeedForward,
    MultiHeadAttention,
    VocabEmbedding,
)
from mindspore.parallel._transformer.encoder import (
    TransformerEncoder,
    TransformerEncoderLayer,
    _get_lambda_func,  # noqa: F401  (libraries derive their own from it)
)
from mindspore.parallel._transformer.op_parallel_config import (
    Checked,
    MoEParallelConfig,
    OpParallelConfig,
    _Config,
    _PipeLineConfig,
)

__all__ = [
    "AttentionMask",
    "EmbeddingOpParallelConfig",
    "FeedForward",
    "MultiHeadAttention",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TransformerOpParallelConfig",
    "TransformerRecomputeConfig",
    "VocabEmbedding",
]


class EmbeddingOpParallelConfig(OpParallelConfig):
    """How batches and embedding tables are cut.

    Args:
        data_parallel (int): Parts of a batch. Default: ``1``.
        model_parallel (int): Parts of a table. Default: ``1``.
        vocab_emb_dp (bool): Whether tables are whole in every process. Default: ``True``.
    """

    vocab_emb_dp = Checked(bool)

    def __init__(self, data_parallel=1, model_parallel=1, vocab_emb_dp=True):
        super().__init__(data_parallel, model_parallel)
        self.vocab_emb_dp = vocab_emb_dp

    @property
    def dp_mp_config(self) -> OpParallelConfig:
        """The settings without that of tables."""
        return OpParallelConfig(self.data_parallel, self.model_parallel)


class TransformerRecomputeConfig(_Config):
    """What is computed again in backward instead of being kept.

    Args:
        recompute (bool): Whether layers are. Default: ``False``.
        parallel_optimizer_comm_recompute (bool): Whether weights are gathered again. Default: ``False``.
        mp_comm_recompute (bool): Whether results are gathered again. Default: ``True``.
        recompute_slice_activation (bool): Whether what is kept is cut. Default: ``False``.
    """

    recompute = Checked(bool)
    parallel_optimizer_comm_recompute = Checked(bool)
    mp_comm_recompute = Checked(bool)
    recompute_slice_activation = Checked(bool)

    def __init__(
        self,
        recompute=False,
        parallel_optimizer_comm_recompute=False,
        mp_comm_recompute=True,
        recompute_slice_activation=False,
    ):
        self.recompute = recompute
        self.parallel_optimizer_comm_recompute = parallel_optimizer_comm_recompute
        self.mp_comm_recompute = mp_comm_recompute
        self.recompute_slice_activation = recompute_slice_activation


class TransformerOpParallelConfig(_Config):
    """How a transformer is cut: batches, weights, experts, stages.

    Args:
        data_parallel (int): Parts of a batch. Default: ``1``.
        model_parallel (int): Parts of a weight. Default: ``1``.
        expert_parallel (int): Parts of the experts. Default: ``1``.
        pipeline_stage (int): Stages. Default: ``1``.
        pipeline_segment (int): Segments of a stage. Default: ``1``.
        micro_batch_num (int): Parts of a batch in a pipeline. Default: ``1``.
        recompute (Union[TransformerRecomputeConfig, bool]): What is computed again. Default: nothing.
        optimizer_shard (bool): Whether optimizers are cut. Default: ``False``.
        gradient_aggregation_group (int): Groups of gradients that are sent together. Default: ``4``.
        vocab_emb_dp (bool): Whether tables are whole in every process. Default: ``True``.

    Examples:
        >>> from mindspore.parallel._transformer import TransformerOpParallelConfig
        >>> TransformerOpParallelConfig(data_parallel=2).dp_mp_config.data_parallel
        2
    """

    data_parallel = Checked(int)
    model_parallel = Checked(int)
    expert_parallel = Checked(int)
    optimizer_shard = Checked(bool)
    gradient_aggregation_group = Checked(int)
    vocab_emb_dp = Checked(bool)

    def __init__(
        self,
        data_parallel=1,
        model_parallel=1,
        expert_parallel=1,
        pipeline_stage=1,
        pipeline_segment=1,
        micro_batch_num=1,
        recompute=None,
        optimizer_shard=False,
        gradient_aggregation_group=4,
        vocab_emb_dp=True,
    ):
        self.data_parallel, self.model_parallel = data_parallel, model_parallel
        self.expert_parallel, self.vocab_emb_dp = expert_parallel, vocab_emb_dp
        self.optimizer_shard = optimizer_shard
        self.gradient_aggregation_group = gradient_aggregation_group
        self._pipeline = _PipeLineConfig(pipeline_stage, micro_batch_num, pipeline_segment)
        self.recompute = TransformerRecomputeConfig() if recompute is None else recompute

    @property
    def recompute(self) -> TransformerRecomputeConfig | bool:
        """What is computed again in backward."""
        return self._recompute

    @recompute.setter
    def recompute(self, value) -> None:
        if not isinstance(value, (TransformerRecomputeConfig, bool)):
            raise TypeError(
                "For 'TransformerOpParallelConfig', the 'recompute' must be a TransformerRecomputeConfig or "
                f"bool, but got {type(value).__name__}."
            )
        self._recompute = value

    @property
    def embedding_dp_mp_config(self) -> EmbeddingOpParallelConfig:
        """The settings of embedding tables."""
        return EmbeddingOpParallelConfig(self.data_parallel, self.model_parallel, self.vocab_emb_dp)

    @property
    def dp_mp_config(self) -> OpParallelConfig:
        """The settings of operators."""
        return OpParallelConfig(self.data_parallel, self.model_parallel)

    @property
    def moe_parallel_config(self) -> MoEParallelConfig:
        """The settings of experts."""
        return MoEParallelConfig(self.data_parallel, self.model_parallel, self.expert_parallel)


def _of_pipeline(name: str) -> property:
    def read(self):
        return getattr(self._pipeline, name)

    def write(self, value) -> None:
        setattr(self._pipeline, name, value)

    return property(read, write, doc=f"The '{name}' of the pipeline.")


for _name in ("pipeline_stage", "pipeline_segment", "micro_batch_num"):
    setattr(TransformerOpParallelConfig, _name, _of_pipeline(_name))

default_transformer_recompute_config = TransformerRecomputeConfig()
default_transformer_config = TransformerOpParallelConfig()
default_embedding_parallel_config = EmbeddingOpParallelConfig()

__getattr__ = explains_missing_names(globals())
