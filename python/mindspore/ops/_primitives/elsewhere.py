# SPDX-License-Identifier: Apache-2.0
"""Primitives that only other devices, or several processes, compute.

They are made with their arguments, so that networks which hold them can be built, looked at and given
strategies; a call says what is missing and what to use instead.
"""

from __future__ import annotations

from mindspore.ops._primitives.composition import REQUIRED, primitive_class

_WORLD = "hccl_world_group"
_PROCESSES = "it passes tensors between processes, and one process trains here"
_SERVER = "there is no parameter server; call the optimizer's primitive itself"
_BLOCKS = (
    "it computes on blocks of sparse attention in the layout of another device; use flash_attention_score"
)


def _not_here(name: str, reason: str, **attributes) -> type:
    """A primitive that takes its attributes and refuses to be called."""

    def refuse(self, *inputs):
        raise NotImplementedError(f"For '{name}', this device has no implementation: {reason}.")

    return primitive_class(name, f"Not computed here: {reason}.", refuse, attributes)


Send = _not_here("Send", _PROCESSES, sr_tag=REQUIRED, dest_rank=REQUIRED, group=_WORLD, group_back=_WORLD)
Receive = _not_here(
    "Receive",
    _PROCESSES,
    sr_tag=REQUIRED,
    src_rank=REQUIRED,
    shape=REQUIRED,
    dtype=REQUIRED,
    group=_WORLD,
    group_back=_WORLD,
)
InnerCommIsend = _not_here("InnerCommIsend", _PROCESSES)
InnerCommIrecv = _not_here("InnerCommIrecv", _PROCESSES)
Push = _not_here("Push", _SERVER, optim_type="ApplyMomentum", only_shape_indices=None)
Pull = _not_here("Pull", _SERVER)
MatmulDDS = _not_here("MatmulDDS", _BLOCKS, bs=REQUIRED, heads=REQUIRED)
DSDMatmul = _not_here("DSDMatmul", _BLOCKS)
TopKRouter = _not_here("TopKRouter", "it gives tokens to experts; use ops.topk and ops.cumsum")
CudnnGRU = _not_here(
    "CudnnGRU",
    "its weights have the layout of another library; use nn.GRU",
    input_size=REQUIRED,
    hidden_size=REQUIRED,
    num_layers=REQUIRED,
    has_bias=REQUIRED,
    bidirectional=REQUIRED,
    dropout=REQUIRED,
)
FusedAdaFactor = _not_here(
    "FusedAdaFactor",
    "use nn.AdaFactor",
    enable_scale_parameter=False,
    enable_first_moment=False,
    enable_weight_decay=False,
)
FlashAttentionScoreGrad = _not_here(
    "FlashAttentionScoreGrad",
    "mindspore.grad of FlashAttentionScore gives it",
    head_num=REQUIRED,
    keep_prob=1.0,
    scale_value=1.0,
    pre_tokens=65536,
    next_tokens=65536,
    inner_precise=1,
    input_layout="BSH",
    sparse_mode=0,
)
PsROIPooling = _not_here(
    "PsROIPooling",
    "use ops.ROIAlign for each group of channels",
    pooled_height=REQUIRED,
    pooled_width=REQUIRED,
    num_rois=REQUIRED,
    spatial_scale=REQUIRED,
    out_dim=REQUIRED,
    group_size=REQUIRED,
)

# Generated code has them made already.
inner_comm_isend_op, inner_comm_irecv_op = InnerCommIsend(), InnerCommIrecv()

__all__ = [
    name for name, value in list(globals().items()) if not name.startswith("_") and name != "annotations"
]
