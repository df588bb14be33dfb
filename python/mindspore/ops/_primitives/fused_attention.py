# SPDX-License-Identifier: Apache-2.0
"""Attention primitives: computed here by operators, for sequences in several layouts."""

from __future__ import annotations

from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.ops.function.fused_attention import (
    UNLIMITED,
    Masks,
    attend,
    attend_packed,
    check_layout,
    from_heads,
    to_heads,
)
from mindspore.ops.primitive import Primitive, prim_attr_register

__all__ = ["FlashAttentionScore", "PromptFlashAttention"]


def _eightfold(x):
    """A number of every query, as often as devices keep it."""
    return op.broadcast_to(op.cast(x, mstype.float32), (*x.shape[:-1], 8))


class FlashAttentionScore(Primitive):
    """Attention with masks and dropout; see `mindspore.ops.flash_attention_score`.

    Args:
        head_num (int): Heads of the queries.
        keep_prob (float): Probability of a weight to be kept, in (0, 1]. Default: ``1.0``.
        scale_value (float): Factor of the scores. Default: ``1.0``.
        pre_tokens (int): How many keys before itself a query sees.
        next_tokens (int): How many keys behind itself a query sees.
        inner_precise (int): Not used. Default: ``0``.
        input_layout (str): "BSH", "BNSD", "SBH", "BSND" or "TND". Default: ``"BSH"``.
        sparse_mode (int): Which queries see which keys. Default: ``0``.

    Inputs:
        - **query**, **key**, **value** (Tensor) - In the layout.
        - **real_shift** (Tensor) - Added to the products.
        - **drop_mask** (Tensor) - Bits of the weights that are kept.
        - **padding_mask** (None) - Not used.
        - **attn_mask** (Tensor) - 1 where a query must not look.
        - **prefix**, **actual_seq_qlen**, **actual_seq_kvlen** (Union[Tensor, tuple[int]]) - See the
          function.

    Outputs:
        Tuple of the largest score and the sum of exponentials of every query, each eight times in a last
        axis,
        an empty tensor, and the attention in the layout of the query.

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(
        self,
        head_num,
        keep_prob=1.0,
        scale_value=1.0,
        pre_tokens=UNLIMITED,
        next_tokens=UNLIMITED,
        inner_precise=0,
        input_layout="BSH",
        sparse_mode=0,
    ):
        check_layout(self.name, input_layout)
        if isinstance(head_num, bool) or not isinstance(head_num, int) or head_num <= 0:
            raise ValueError(
                f"For 'FlashAttentionScore', 'head_num' must be a positive int, but got {head_num!r}."
            )
        if not 0 < keep_prob <= 1:
            raise ValueError(
                f"For 'FlashAttentionScore', 'keep_prob' must be in (0, 1], but got {keep_prob}."
            )

    def __call__(
        self,
        query,
        key,
        value,
        real_shift=None,
        drop_mask=None,
        padding_mask=None,
        attn_mask=None,
        prefix=None,
        actual_seq_qlen=None,
        actual_seq_kvlen=None,
    ) -> tuple:
        if padding_mask is not None:
            raise NotImplementedError(
                "For 'FlashAttentionScore', 'padding_mask' must be None; use 'attn_mask'."
            )
        masks = Masks(
            attn_mask, real_shift, drop_mask, prefix, self.sparse_mode, self.pre_tokens, self.next_tokens,
            self.keep_prob,
        )  # fmt: skip
        axis = {"BNSD": 1, "BSND": 2, "TND": 1}.get(self.input_layout)
        if axis is not None and query.shape[axis] != self.head_num:
            raise ValueError(
                f"For 'FlashAttentionScore', 'query' of the layout '{self.input_layout}' must have "
                f"'head_num' {self.head_num} heads, but got shape {query.shape}."
            )
        if self.input_layout == "TND":
            ends = (actual_seq_qlen, actual_seq_kvlen)
            answer, highest, total = attend_packed(
                self.name, query, key, value, self.scale_value, masks, ends
            )
        else:
            q, k, v = self._heads(query, key, value)
            answer, highest, total = attend(self.name, q, k, v, self.scale_value, masks)
            answer = from_heads(answer, self.input_layout)
        return _eightfold(highest), _eightfold(total), op.zeros((0,), query.dtype), answer

    def _heads(self, query, key, value) -> tuple:
        layout, heads = self.input_layout, self.head_num
        shared = heads
        if layout in ("BSH", "SBH"):
            if query.shape[-1] % heads:
                raise ValueError(
                    f"For 'FlashAttentionScore', the last length of 'query' must be a multiple of 'head_num' "
                    f"{heads}, but got shape {query.shape}."
                )
            shared = key.shape[-1] // (query.shape[-1] // heads)
        return to_heads(query, layout, heads), to_heads(key, layout, shared), to_heads(value, layout, shared)


class PromptFlashAttention(Primitive):
    """Attention without gradients in mind: whole prompts.

    Args:
        num_heads (int): Heads of the queries.
        scale_value (float): Factor of the scores. Default: ``1.0``.
        pre_tokens (int): How many keys before itself a query sees.
        next_tokens (int): How many keys behind itself a query sees. Default: ``0``.
        input_layout (str): "BSH" or "BNSD". Default: ``"BSH"``.
        num_key_value_heads (int): Heads of the keys; 0: those of the queries. Default: ``0``.
        sparse_mode (int): Which queries see which keys. Default: ``0``.
        inner_precise (int): Not used. Default: ``1``.

    Inputs:
        - **query**, **key**, **value** (Tensor) - In the layout.
        - **attn_mask** (Tensor) - 1 where a query must not look.
        - **actual_seq_lengths**, **actual_seq_lengths_kv** (None) - Must be None: `attn_mask` says lengths.
        - **pse_shift** (Tensor) - Added to the products.
        - **deq_scale1** and the others (None) - Quantized products are not there.

    Outputs:
        Tensor, shape and type of the query.

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(
        self,
        num_heads,
        scale_value=1.0,
        pre_tokens=214748647,
        next_tokens=0,
        input_layout="BSH",
        num_key_value_heads=0,
        sparse_mode=0,
        inner_precise=1,
    ):
        check_layout(self.name, input_layout, ("BSH", "BNSD"))

    def __call__(
        self,
        query,
        key,
        value,
        attn_mask=None,
        actual_seq_lengths=None,
        actual_seq_lengths_kv=None,
        pse_shift=None,
        *quantization,
    ):
        lengths = (actual_seq_lengths, actual_seq_lengths_kv)
        if any(x is not None for x in (*lengths, *quantization)):
            raise NotImplementedError(
                "For 'PromptFlashAttention', lengths and quantization must be None; use 'attn_mask' for "
                "lengths."
            )
        layout, shared = self.input_layout, self.num_key_value_heads or self.num_heads
        heads = (to_heads(query, layout, self.num_heads),)
        heads += tuple(to_heads(x, layout, shared) for x in (key, value))
        masks = Masks(attn_mask, pse_shift, None, None, self.sparse_mode, self.pre_tokens, self.next_tokens)
        return from_heads(attend(self.name, *heads, self.scale_value, masks)[0], layout)
