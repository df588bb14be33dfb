# SPDX-License-Identifier: Apache-2.0
"""Attention as one call: products, masks, softmax and dropout over tensors in several layouts."""

from __future__ import annotations

from dataclasses import dataclass

from mindspore._c_expression import Tensor
from mindspore.common import dtype as mstype
from mindspore.ops._registry import op
from mindspore.ops.function.packed_bits import unpack_bits
from mindspore.ops.function.values import stop_gradient

__all__ = ["flash_attention_score"]

LAYOUTS = ("BSH", "BNSD", "SBH", "BSND", "TND")
UNLIMITED = 2147483647


@dataclass
class Masks:
    """What keeps queries from keys, and what is dropped.

    `shift` is added to the products before they are scaled; `dropped` are the bits of what is kept.
    """

    blocked: Tensor | None = None
    shift: Tensor | None = None
    dropped: Tensor | None = None
    prefix: Tensor | None = None
    sparse_mode: int = 0
    pre_tokens: int = UNLIMITED
    next_tokens: int = UNLIMITED
    keep_prob: float = 1.0


def check_layout(owner: str, layout: str, known: tuple = LAYOUTS) -> None:
    """ValueError for a layout that nobody knows."""
    if layout not in known:
        raise ValueError(f"For '{owner}', the 'input_layout' must be one of {known}, but got {layout!r}.")


def to_heads(x, layout: str, heads: int) -> Tensor:
    """Any layout but "TND" as (batch, heads, length, features of a head)."""
    if layout == "BNSD":
        return x
    if layout == "BSND":
        return op.transpose(x, (0, 2, 1, 3))
    first, second, features = x.shape
    split = op.reshape(x, (first, second, heads, features // heads))
    return op.transpose(split, (0, 2, 1, 3) if layout == "BSH" else (1, 2, 0, 3))


def from_heads(x, layout: str) -> Tensor:
    """The way back."""
    batch, heads, length, features = x.shape
    if layout == "BNSD":
        return x
    if layout == "BSND":
        return op.transpose(x, (0, 2, 1, 3))
    if layout == "BSH":
        return op.reshape(op.transpose(x, (0, 2, 1, 3)), (batch, length, heads * features))
    return op.reshape(op.transpose(x, (2, 0, 1, 3)), (length, batch, heads * features))


def _distances(queries: int, keys: int, from_the_end: bool) -> Tensor:
    """How far every key lies behind every query; first ones stand together, or last ones."""
    rows = op.reshape(op.arange(0, queries, 1, mstype.int64), (queries, 1))
    columns = op.reshape(op.arange(0, keys, 1, mstype.int64), (1, keys))
    distance = op.sub(columns, rows)
    return op.sub(distance, keys - queries) if from_the_end else distance


def _blocked(owner: str, masks: Masks, queries: int, keys: int) -> Tensor | None:
    """True where a query must not look at a key; fits (batch, heads, queries, keys)."""
    if not isinstance(masks.blocked, (Tensor, type(None))):
        raise TypeError(
            f"For '{owner}', 'attn_mask' must be a Tensor, but got {type(masks.blocked).__name__}."
        )
    given = None if masks.blocked is None else op.cast(masks.blocked, mstype.bool_)
    mode = masks.sparse_mode
    if mode == 1 or (mode == 0 and given is None):
        return given
    if mode == 0:
        distance = _distances(queries, keys, False)
        outside = op.logical_or(op.greater(distance, masks.next_tokens), op.less(distance, -masks.pre_tokens))
        return op.logical_or(given, outside)
    if mode in (2, 3):  # the mask is one of the causal patterns whatever its size
        return op.greater(_distances(queries, keys, mode == 3), 0)
    if mode == 4:
        distance = _distances(queries, keys, True)
        return op.logical_or(op.greater(distance, masks.next_tokens), op.less(distance, -masks.pre_tokens))
    if mode == 5 and masks.prefix is not None:
        columns = op.reshape(op.arange(0, keys, 1, mstype.int64), (1, 1, 1, keys))
        prefix = (
            masks.prefix if isinstance(masks.prefix, Tensor) else Tensor(list(masks.prefix), mstype.int64)
        )
        seen = op.less(columns, op.reshape(op.cast(prefix, mstype.int64), (-1, 1, 1, 1)))
        return op.logical_and(op.greater(_distances(queries, keys, True), 0), op.logical_not(seen))
    raise NotImplementedError(
        f"For '{owner}', 'sparse_mode' must be 0 to 4, or 5 with 'prefix', but got {mode}."
    )


def _shift(shift, queries: int) -> Tensor:
    """The shift of every query; only the last rows of long sequences are not enough here."""
    if shift.ndim == 4 and shift.shape[2] not in (1, queries):
        raise NotImplementedError(
            "For 'FlashAttentionScore', 'real_shift' must have a row for each of the "
            f"{queries} queries, but got shape {shift.shape}."
        )
    return shift


def _drop(weights, masks: Masks) -> Tensor:
    if masks.keep_prob >= 1.0:
        return weights
    if masks.dropped is None:
        from mindspore.ops import dropout

        return dropout(weights, 1.0 - masks.keep_prob)
    kept = op.reshape(unpack_bits(masks.dropped), weights.shape)
    return op.mul(weights, op.cast(op.div(op.cast(kept, mstype.float32), masks.keep_prob), weights.dtype))


def _check_inputs(owner: str, q, k, v) -> None:
    """Raises unless they are (batch, heads, length, features) of one batch, in floating point."""
    for name, x in (("query", q), ("key", k), ("value", v)):
        if not x.is_floating_point():
            raise TypeError(f"For '{owner}', '{name}' must be of floating point numbers, but got {x.dtype}.")
    if q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3] or k.shape[:3] != v.shape[:3]:
        raise ValueError(
            f"For '{owner}', 'query', 'key' and 'value' must have one batch, 'query' and 'key' as many "
            "features of a head, 'key' and 'value' one length and as many heads, but got (batch, heads, "
            f"length, features) {q.shape}, {k.shape} and {v.shape}."
        )


def _check_fits(owner: str, what: str, mask, scores) -> None:
    """ValueError unless a mask has a number for every score, or one for several of them."""
    missing = scores.ndim - mask.ndim
    sizes = zip(mask.shape, scores.shape[max(missing, 0) :], strict=False)
    if missing < 0 or any(size not in (1, wanted) for size, wanted in sizes):
        raise ValueError(
            f"For '{owner}', the shape of {what} must fit (batch, heads, queries, keys) {scores.shape}, but "
            f"got {mask.shape}."
        )


def attend(owner: str, q, k, v, scale: float, masks: Masks) -> tuple:
    """Attention of (batch, heads, length, features).

    Returns:
        Tuple of the answers, and the largest score and the sum of the exponentials of every query, float32.
    """
    _check_inputs(owner, q, k, v)
    if q.shape[1] % k.shape[1]:
        raise ValueError(
            f"For '{owner}', the heads of 'query' must be a multiple of those of 'key', but got {q.shape[1]} "
            f"and {k.shape[1]}."
        )
    shared = q.shape[1] // k.shape[1]
    if shared > 1:
        k, v = (op.repeat_elements(x, shared, 1) for x in (k, v))
    kind = q.dtype
    wide = kind if kind is mstype.float64 else mstype.float32
    scores = op.batch_matmul(op.cast(q, wide), op.cast(k, wide), False, True)
    if masks.shift is not None:
        _check_fits(owner, "what is added to the products", masks.shift, scores)
        scores = op.add(scores, op.cast(_shift(masks.shift, q.shape[2]), wide))
    scores = op.mul(scores, scale)
    blocked = _blocked(owner, masks, q.shape[2], k.shape[2])
    if blocked is not None:
        _check_fits(owner, "the mask", blocked, scores)
        scores = op.masked_fill(scores, blocked, float("-inf"))
    # A query that may look at nothing gets nothing: without this it would be NaN.
    highest = stop_gradient(op.reduce_max(scores, (-1,), True))
    highest = op.where(op.isfinite(highest), highest, op.zeros_like(highest))
    raised = op.exp(op.sub(scores, highest))
    total = op.reduce_sum(raised, (-1,), True)
    weights = op.div(raised, op.where(op.equal(total, 0), op.ones_like(total), total))
    weights = _drop(weights, masks)
    return op.cast(op.batch_matmul(weights, op.cast(v, wide), False, False), kind), highest, total


def _lengths(owner: str, name: str, ends, total: int) -> list[int]:
    """Lengths of sequences from where each ends."""
    if ends is None:
        raise ValueError(f"For '{owner}', the '{name}' must be given with the layout 'TND', but got None.")
    numbers = ends.tolist() if isinstance(ends, Tensor) else ends
    if not isinstance(numbers, (list, tuple)) or not all(isinstance(end, int) for end in numbers):
        raise TypeError(f"For '{owner}', the '{name}' must be whole numbers, but got {ends}.")
    lengths = [end - start for start, end in zip([0, *numbers], numbers, strict=False)]
    if sum(lengths) != total or min(lengths, default=0) < 0:
        raise ValueError(
            f"For '{owner}', the '{name}' must grow and end with {total}, the sum of all lengths, but got "
            f"{tuple(numbers)}."
        )
    return lengths


def attend_packed(owner: str, q, k, v, scale: float, masks: Masks, ends: tuple) -> tuple:
    """The same for sequences one behind the other, (all lengths, heads, features)."""
    queries = _lengths(owner, "actual_seq_qlen", ends[0], q.shape[0])
    keys = _lengths(owner, "actual_seq_kvlen", ends[1], k.shape[0])
    if len(queries) != len(keys):
        raise ValueError(
            f"For '{owner}', 'actual_seq_qlen' and 'actual_seq_kvlen' must tell of as many sequences, but "
            f"got {len(queries)} and {len(keys)}."
        )
    if masks.shift is not None or masks.dropped is not None:
        raise NotImplementedError(
            f"For '{owner}', 'real_shift' and 'drop_mask' must be None with the layout 'TND'; use 'BNSD'."
        )
    parts = []
    for i, (rows, columns) in enumerate(zip(queries, keys, strict=True)):
        q_from, k_from = sum(queries[:i]), sum(keys[:i])
        one = op.transpose(q[q_from : q_from + rows], (1, 0, 2))
        others = (op.transpose(x[k_from : k_from + columns], (1, 0, 2)) for x in (k, v))
        parts.append(attend(owner, *(op.expand_dims(x, 0) for x in (one, *others)), scale, masks))
    return tuple(
        op.concat([op.transpose(op.squeeze(part[i], 0), (1, 0, 2)) for part in parts], 0) for i in range(3)
    )


def flash_attention_score(
    query,
    key,
    value,
    head_num,
    real_shift=None,
    drop_mask=None,
    padding_mask=None,
    attn_mask=None,
    prefix=None,
    actual_seq_qlen=None,
    actual_seq_kvlen=None,
    keep_prob=1.0,
    scalar_value=1.0,
    pre_tokens=UNLIMITED,
    next_tokens=UNLIMITED,
    inner_precise=0,
    input_layout="BSH",
    sparse_mode=0,
) -> Tensor:
    """Attention: ``dropout(softmax(mask(scalar_value * (query @ key^T + real_shift)))) @ value``.

    Args:
        query (Tensor): (B, S1, H1), (B, N1, S1, D), (S1, B, H1), (B, S1, N1, D) or (T1, N1, D).
        key (Tensor): The same with S2 and the heads N2, of which N1 is a multiple.
        value (Tensor): Shape of `key`.
        head_num (int): Heads N1 of `query`.
        real_shift (Tensor): Added to the products, (B, N1, S1, S2) or (1, N1, S1, S2). Default: ``None``.
        drop_mask (Tensor): A bit for every weight, 1 where it is kept, uint8 (B, N1, S1, S2 // 8); by default
            it is drawn. Default: ``None``.
        padding_mask (None): Not used. Default: ``None``.
        attn_mask (Tensor): 1 or True where a query must not look; (B, N1, S1, S2), (B, 1, S1, S2) or (S1,
            S2); with `sparse_mode` 2 to 5 what it holds follows from the mode. Default: ``None``.
        prefix (Union[Tensor, tuple[int], list[int]]): With `sparse_mode` 5: keys that all queries of a batch
            see. Default: ``None``.
        actual_seq_qlen (Union[Tensor, tuple[int], list[int]]): With "TND": where the queries of each sequence
            end. Default: ``None``.
        actual_seq_kvlen (Union[Tensor, tuple[int], list[int]]): The same of the keys. Default: ``None``.
        keep_prob (float): Probability of a weight to be kept, in (0, 1]. Default: ``1.0``.
        scalar_value (float): Factor of the scores. Default: ``1.0``.
        pre_tokens (int): With `sparse_mode` 0 or 4: how many keys before itself a query sees.
        next_tokens (int): With `sparse_mode` 0 or 4: how many keys behind itself a query sees.
        inner_precise (int): Not used. Default: ``0``.
        input_layout (str): "BSH", "BNSD", "SBH", "BSND" or "TND". Default: ``"BSH"``.
        sparse_mode (int): 0: the mask between `pre_tokens` and `next_tokens`; 1: the mask; 2: nothing later,
            first query beside first key; 3: nothing later, last query beside last key; 4: between
            `pre_tokens`
            and `next_tokens` of mode 3; 5: mode 3 with `prefix`. Default: ``0``.

    Returns:
        Tensor, shape and type of `query`.

    Raises:
        ValueError: An argument is out of range.
        NotImplementedError: `padding_mask` is given, or another `sparse_mode`.

    Supported Platforms:
        ``CPU``

    Examples:
        >>> import mindspore as ms
        >>> from mindspore import ops
        >>> x = ops.ones((1, 4, 8), ms.float32)
        >>> ops.flash_attention_score(x, x, x, head_num=2, input_layout="BSH").shape
        (1, 4, 8)
    """
    options = (keep_prob, scalar_value, pre_tokens, next_tokens, inner_precise, input_layout, sparse_mode)
    from mindspore.ops._primitives.fused_attention import FlashAttentionScore

    inputs = (real_shift, drop_mask, padding_mask, attn_mask, prefix, actual_seq_qlen, actual_seq_kvlen)
    return FlashAttentionScore(head_num, *options)(query, key, value, *inputs)[3]
