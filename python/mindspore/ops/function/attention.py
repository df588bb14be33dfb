# SPDX-License-Identifier: Apache-2.0
"""Attention of several heads."""

from __future__ import annotations

import math

from mindspore import _c_expression as _c
from mindspore._c_expression import Tensor
from mindspore.ops._registry import op

__all__ = ["multi_head_attention_forward"]


def _check(query, key, value, embed_dim: int, num_heads: int) -> None:
    name = "multi_head_attention_forward"
    ranks = {query.ndim, key.ndim, value.ndim}
    if ranks not in ({2}, {3}):
        raise ValueError(
            f"For '{name}', 'query', 'key' and 'value' must all have 3 axes (or 2 without a batch), but got "
            f"shapes {query.shape}, {key.shape}, {value.shape}."
        )
    if query.shape[-1] != embed_dim:
        raise ValueError(
            f"For '{name}', the 'query' must have {embed_dim} features (embed_dim), but got {query.shape}."
        )
    if embed_dim % num_heads:
        raise ValueError(
            f"For '{name}', the 'embed_dim' {embed_dim} must be divisible by 'num_heads' {num_heads}."
        )
    if key.shape[:-1] != value.shape[:-1]:
        raise ValueError(
            f"For '{name}', 'key' and 'value' must agree in all but the last length, but got {key.shape} and "
            f"{value.shape}."
        )


def _project(query, key, value, weights, biases) -> tuple:
    """Queries, keys and values of all heads."""
    q, k, v = weights
    q_bias, k_bias, v_bias = biases
    return op.dense(query, q, q_bias), op.dense(key, k, k_bias), op.dense(value, v, v_bias)


def _together(x, weight, bias) -> tuple:
    """The same for three equal inputs: one product."""
    width = weight.shape[1]
    return op.split_sizes(op.dense(x, weight, bias), (width,) * 3, x.ndim - 1)


def _split_heads(x, batch: int, num_heads: int) -> Tensor:
    """(length, batch, features) as (batch * heads, length, features of a head)."""
    length, features = x.shape[0], x.shape[-1]
    return op.transpose(op.reshape(x, (length, batch * num_heads, features // num_heads)), (1, 0, 2))


def _additive(name: str, mask, dtype) -> Tensor:
    """A mask as numbers to add: what is True counts no longer."""
    if mask.dtype is _c.bool_ or mask.dtype is _c.uint8:
        zeros = op.fill(dtype, mask.shape, 0)
        return op.masked_fill(zeros, op.cast(mask, _c.bool_), -math.inf)
    if mask.dtype not in (_c.float16, _c.float32, _c.float64, _c.bfloat16):
        raise TypeError(
            f"For 'multi_head_attention_forward', '{name}' must be float or bool, got {mask.dtype}."
        )
    return op.cast(mask, dtype)


def _merged_mask(attn_mask, key_padding_mask, batch, num_heads, lengths, dtype):
    """One mask to add to the scores (batch * heads, queries, keys), or None."""
    queries, keys = lengths
    merged = None
    if attn_mask is not None:
        merged = _additive("attn_mask", attn_mask, dtype)
        fitting = (queries, keys) if merged.ndim == 2 else (batch * num_heads, queries, keys)
        if merged.ndim not in (2, 3) or merged.shape != fitting:
            raise ValueError(
                "For 'multi_head_attention_forward', the 'attn_mask' must have shape "
                f"{(queries, keys)} or {(batch * num_heads, queries, keys)}, but got {attn_mask.shape}."
            )
    if key_padding_mask is not None:
        if key_padding_mask.shape != (batch, keys):
            raise ValueError(
                "For 'multi_head_attention_forward', the 'key_padding_mask' must have shape "
                f"{(batch, keys)}, but got {key_padding_mask.shape}."
            )
        padding = op.reshape(_additive("key_padding_mask", key_padding_mask, dtype), (batch, 1, 1, keys))
        padding = op.broadcast_to(padding, (batch, num_heads, 1, keys))
        padding = op.reshape(padding, (batch * num_heads, 1, keys))
        merged = padding if merged is None else op.add(merged, padding)
    return merged


def _wider(mask, by: int):
    """A mask for `by` more keys, which all count."""
    if mask is None:
        return None
    pads = (0,) * (2 * mask.ndim - 1)
    return op.pad_constant(mask, (*pads, by), 0)


def multi_head_attention_forward(
    query,
    key,
    value,
    embed_dim_to_check,
    num_heads,
    in_proj_weight,
    in_proj_bias,
    bias_k,
    bias_v,
    add_zero_attn,
    dropout_p,
    out_proj_weight,
    out_proj_bias,
    training=True,
    key_padding_mask=None,
    attn_mask=None,
    use_separate_proj_weight=False,
    q_proj_weight=None,
    k_proj_weight=None,
    v_proj_weight=None,
    static_k=None,
    static_v=None,
    average_attn_weights=True,
    is_causal=False,
    k_is_v=False,
    q_is_k=False,
    dtype=None,
) -> tuple:
    """Attention of several heads over (length, batch, features) or (length, features).

    Args:
        query (Tensor): What asks.
        key (Tensor): What is asked.
        value (Tensor): What answers.
        embed_dim_to_check (int): Features of `query`.
        num_heads (int): Number of heads.
        in_proj_weight (Tensor): Weights of queries, keys and values on top of each other.
        in_proj_bias (Tensor): Their biases, or None.
        bias_k (Tensor): A key added to all, or None.
        bias_v (Tensor): Its value, or None.
        add_zero_attn (bool): Whether a key and value of zeros are added.
        dropout_p (float): Share of attention weights that is dropped.
        out_proj_weight (Tensor): Weight of the output.
        out_proj_bias (Tensor): Bias of the output, or None.
        training (bool): Whether anything is dropped. Default: ``True``.
        key_padding_mask (Tensor): (batch, keys), what does not count. Default: ``None``.
        attn_mask (Tensor): (queries, keys) or (batch * heads, queries, keys). Default: ``None``.
        use_separate_proj_weight (bool): Whether the next three are used. Default: ``False``.
        q_proj_weight (Tensor): Weight of queries. Default: ``None``.
        k_proj_weight (Tensor): Weight of keys. Default: ``None``.
        v_proj_weight (Tensor): Weight of values. Default: ``None``.
        static_k (Tensor): Keys of the heads instead of computed ones. Default: ``None``.
        static_v (Tensor): Values of the heads instead of computed ones. Default: ``None``.
        average_attn_weights (bool): Return the mean over heads. Default: ``True``.
        is_causal (bool): No query looks at later keys. Default: ``False``.
        k_is_v (bool): `key` and `value` are one tensor. Default: ``False``.
        q_is_k (bool): `query` and `key` are one tensor. Default: ``False``.
        dtype (:class:`mindspore.dtype`): Accepted for compatibility.

    Returns:
        Tuple of the attention's output and its weights.
    """
    _check(query, key, value, embed_dim_to_check, num_heads)
    is_alone = query.ndim == 2
    if is_alone:
        query, key, value = (op.expand_dims(x, 1) for x in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else op.expand_dims(key_padding_mask, 0)
    if q_is_k and k_is_v and not use_separate_proj_weight:
        q, k, v = _together(query, in_proj_weight, in_proj_bias)
    else:
        parts = (embed_dim_to_check,) * 3
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)
        if not use_separate_proj_weight:
            weights = op.split_sizes(in_proj_weight, parts, 0)
        biases = (None,) * 3 if in_proj_bias is None else op.split_sizes(in_proj_bias, parts, 0)
        q, k, v = _project(query, key, value, weights, biases)
    output, scores = _attend(
        q, k, v, num_heads, (bias_k, bias_v, static_k, static_v, add_zero_attn),
        (attn_mask, key_padding_mask, is_causal), dropout_p if training else 0.0,
    )  # fmt: skip
    output = op.dense(output, out_proj_weight, out_proj_bias)
    scores = op.reduce_mean(scores, (1,), False) if average_attn_weights else scores
    return (op.squeeze(output, 1), op.squeeze(scores, 0)) if is_alone else (output, scores)


def _attend(q, k, v, num_heads: int, extras: tuple, masks: tuple, dropout: float) -> tuple:
    """Output (queries, batch, features) and weights (batch, heads, queries, keys)."""
    bias_k, bias_v, static_k, static_v, add_zero_attn = extras
    queries, batch, features = q.shape
    lengths = (queries, k.shape[0])
    mask = _merged_mask(*masks[:2], batch, num_heads, lengths, q.dtype)
    if masks[2] and masks[0] is None:
        later = _additive("is_causal", op.triu(op.fill(_c.uint8, lengths, 1), 1), q.dtype)
        mask = later if mask is None else op.add(mask, later)
    if bias_k is not None and bias_v is not None:
        k = op.concat((k, op.broadcast_to(bias_k, (1, batch, features))), 0)
        v = op.concat((v, op.broadcast_to(bias_v, (1, batch, features))), 0)
        mask = _wider(mask, 1)
    q, k, v = (_split_heads(x, batch, num_heads) for x in (q, k, v))
    k, v = (k if static_k is None else static_k), (v if static_v is None else static_v)
    if add_zero_attn:
        k, v = (op.pad_constant(x, (0, 0, 0, 1, 0, 0), 0) for x in (k, v))
        mask = _wider(mask, 1)
    scores = op.batch_matmul(op.mul(q, 1.0 / math.sqrt(q.shape[-1])), k, False, True)
    weights = op.softmax(scores if mask is None else op.add(scores, mask), -1)
    if dropout > 0.0:
        from mindspore.ops import dropout as drop

        weights = drop(weights, dropout)
    answers = op.transpose(op.batch_matmul(weights, v, False, False), (1, 0, 2))
    shape = (batch, num_heads, *weights.shape[1:])
    return op.reshape(answers, (queries, batch, features)), op.reshape(weights, shape)
