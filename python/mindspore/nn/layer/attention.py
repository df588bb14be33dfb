# SPDX-License-Identifier: Apache-2.0
"""Attention of several heads."""

from __future__ import annotations

from mindspore.common.initializer import XavierNormal, XavierUniform, initializer
from mindspore.common.parameter import Parameter
from mindspore.nn._arguments import DTYPE, positive_int
from mindspore.nn._description import Argument, takes
from mindspore.nn.cell import Cell
from mindspore.nn.layer.basic import Dense
from mindspore.ops._registry import op
from mindspore.ops.function.attention import multi_head_attention_forward


@takes(
    positive_int("embed_dim", "Features of the query and the output."),
    positive_int("num_heads", "Number of heads; divides `embed_dim`."),
    Argument("dropout", "float", "Share of attention weights that is dropped.", 0.0),
    Argument("has_bias", "bool", "Whether the projections have a bias.", True),
    Argument("add_bias_kv", "bool", "Whether a learned key and value are added.", False),
    Argument("add_zero_attn", "bool", "Whether a key and value of zeros are added.", False),
    Argument("kdim", "int", "Features of the keys; None: `embed_dim`.", None),
    Argument("vdim", "int", "Features of the values; None: `embed_dim`.", None),
    Argument("batch_first", "bool", "(N, L, E) instead of (L, N, E).", False),
    DTYPE,
)
class MultiheadAttention(Cell):
    """Attention of several heads.

    Inputs:
        - **query** (Tensor) - (L, E) or (L, N, E).
        - **key** (Tensor) - (S, kdim) or (S, N, kdim).
        - **value** (Tensor) - (S, vdim) or (S, N, vdim).
        - **key_padding_mask** (Tensor, optional) - (N, S) or (S,): what does not count.
        - **need_weights** (bool) - Whether the weights are returned. Default: ``True``.
        - **attn_mask** (Tensor, optional) - (L, S) or (N * num_heads, L, S): what does not count, or numbers
          to add.
        - **average_attn_weights** (bool) - Return the mean over heads. Default: ``True``.

    Outputs:
        Tuple of the output and, if asked, the weights.

    Raises:
        ValueError: `embed_dim` is not divisible by `num_heads`, or shapes do not fit.

    Examples:
        >>> import mindspore as ms
        >>> from mindspore import nn, ops
        >>> x = ops.ones((4, 2, 8), ms.float32)
        >>> nn.MultiheadAttention(8, 2)(x, x, x)[0].shape
        (4, 2, 8)
    """

    def _set_up(self, kdim, vdim, has_bias, add_bias_kv) -> None:
        embed_dim, num_heads = self.embed_dim, self.num_heads
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise ValueError("The init argument 'embed_dim' must be divisible by 'num_heads'.")
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self._add_projections(has_bias, add_bias_kv)

    def _add_projections(self, has_bias: bool, add_bias_kv: bool) -> None:
        size = self.embed_dim

        def weight(name: str, shape: tuple, init) -> Parameter:
            return Parameter(initializer(init, shape, self.dtype), name=name)

        self.in_proj_weight = self.q_proj_weight = self.k_proj_weight = self.v_proj_weight = None
        if self._qkv_same_embed_dim:
            self.in_proj_weight = weight("in_proj_weight", (3 * size, size), XavierUniform())
        else:
            self.q_proj_weight = weight("q_proj_weight", (size, size), XavierUniform())
            self.k_proj_weight = weight("k_proj_weight", (size, self.kdim), XavierUniform())
            self.v_proj_weight = weight("v_proj_weight", (size, self.vdim), XavierUniform())
        self.in_proj_bias = weight("in_proj_bias", (3 * size,), "zeros") if has_bias else None
        self.out_proj = Dense(size, size, has_bias=has_bias, dtype=self.dtype)
        self.bias_k = self.bias_v = None
        if add_bias_kv:
            self.bias_k = weight("bias_k", (1, 1, size), XavierNormal())
            self.bias_v = weight("bias_v", (1, 1, size), XavierNormal())

    def construct(
        self,
        query,
        key,
        value,
        key_padding_mask=None,
        need_weights=True,
        attn_mask=None,
        average_attn_weights=True,
    ) -> tuple:
        q_is_k, k_is_v = query is key, key is value
        if self.batch_first and query.ndim == 3:
            query = op.transpose(query, (1, 0, 2))
            key = query if q_is_k else op.transpose(key, (1, 0, 2))
            value = key if k_is_v else op.transpose(value, (1, 0, 2))
        output, weights = multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            q_is_k=q_is_k,
            k_is_v=k_is_v,
        )
        if self.batch_first and output.ndim == 3:
            output = op.transpose(output, (1, 0, 2))
        return (output, weights) if need_weights else (output,)
