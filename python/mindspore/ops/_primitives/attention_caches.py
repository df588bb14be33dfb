# SPDX-License-Identifier: Apache-2.0
"""Keys and values that are kept from step to step, and attention over them."""

from __future__ import annotations

import math

from mindspore._argument_checks.numbers import check_positive_int
from mindspore._argument_checks.types import check_value_type
from mindspore._c_expression import Tensor
from mindspore._later import defined_classes
from mindspore.common import dtype as mstype
from mindspore.common._type_classes import Int, UInt
from mindspore.ops._primitives.composition import composed
from mindspore.ops._registry import op
from mindspore.ops.function.fused_attention import Masks, attend
from mindspore.ops.primitive import Primitive, prim_attr_register


def _check_numbers(owner: str, name: str, numbers, count: int, of: str) -> None:
    """Raises if something is not a whole number for each of `count` things."""
    if not isinstance(numbers, Tensor):
        raise TypeError(f"For '{owner}', '{name}' must be a Tensor, but got {type(numbers).__name__}.")
    if not isinstance(numbers.dtype, (Int, UInt)):
        raise TypeError(f"For '{owner}', '{name}' must be of whole numbers, but got {numbers.dtype}.")
    if numbers.size != count:
        raise ValueError(
            f"For '{owner}', '{name}' must have a number for each of the {count} {of}, but got shape "
            f"{numbers.shape}."
        )


def _write_rows(cache, rows: int, places, update) -> Tensor:
    """Writes rows of `update` into a cache seen as `rows` rows; a place that is not there is passed over."""
    width = cache.size // rows
    places = op.cast(op.reshape(places, (-1,)), mstype.int64)
    there = op.logical_and(op.greater_equal(places, 0), op.less(places, rows))
    # One row more takes what goes nowhere.
    table = op.pad_constant(op.reshape(cache, (rows, width)), (0, 1, 0, 0), 0)
    places = op.reshape(op.where(there, places, op.full_like(places, rows)), (-1, 1))
    update = op.cast(op.reshape(update, (places.shape[0], width)), cache.dtype)
    written = op.tensor_scatter_update(table, places, update)[:rows]
    op.assign(cache, op.reshape(written, cache.shape))
    return cache


def _by_step(x) -> Tensor:
    """(batch, heads, steps, features) or (batch, steps, features) with the steps behind the batch."""
    return op.transpose(x, (0, 2, 1, 3)) if x.ndim == 4 else x


class _StepCache(Primitive):
    """A cache of (batch, heads, steps, features) or (batch, steps, features), written in place."""

    def _check(self, cache, update) -> None:
        """Raises if what is written does not have the shape of a part of the cache."""
        of_cache, of_update = (tuple(_by_step(x).shape) for x in (cache, update))
        fits = len(of_cache) in (3, 4) and of_update[2:] == of_cache[2:]
        if not fits or len(of_update) != len(of_cache) or any(map(int.__gt__, of_update, of_cache)):
            raise ValueError(
                f"For '{self.name}', 'update' must be (rows, heads, steps, features) or (rows, steps, "
                f"features) of a 'cache' with as many rows and steps at least, but got {update.shape} and "
                f"{cache.shape}."
            )

    def _write(self, cache, update, batches, steps) -> Tensor:
        """Writes every step of `update`; `steps` (rows of update, steps) says where."""
        ordered = _by_step(cache)
        batch, length = ordered.shape[:2]
        there = op.logical_and(op.greater_equal(steps, 0), op.less(steps, length))
        places = op.add(op.mul(op.reshape(batches, (-1, 1)), length), steps)
        places = op.where(there, places, op.full_like(places, -1))
        table = op.copy(ordered)
        _write_rows(table, batch * length, places, _by_step(update))
        op.assign(cache, _by_step(table))
        return cache


class PromptKVCache(_StepCache):
    """Writes the keys or values of whole prompts to the beginning of rows of a cache.

    Args:
        align_mode (str): ``"LEFT"``: prompts begin at the first step. Default: ``"LEFT"``.

    Inputs:
        - **cache** (Tensor) - (batch, heads, steps, features) or (batch, steps, features); written.
        - **update** (Tensor) - The same with as many rows and steps as there are.
        - **valid_seq_len** (Tensor) - Not used: all steps are written.
        - **batch_index** (Tensor) - Row of the cache for every row of `update`; none for another number.
        - **seq_len_axis**, **new_max_seq_len**, **cur_max_seq_len** (Tensor) - Not used.

    Outputs:
        Tensor, the cache.

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(self, align_mode="LEFT"):
        if align_mode not in ("LEFT", 0):
            raise NotImplementedError(
                f"For 'PromptKVCache', 'align_mode' must be 'LEFT', but got {align_mode!r}."
            )

    def __call__(
        self, cache, update, valid_seq_len, batch_index, seq_len_axis=None, new_max_seq_len=None,
        cur_max_seq_len=None,
    ):  # fmt: skip
        self._check(cache, update)
        rows, length = _by_step(update).shape[:2]
        _check_numbers(self.name, "batch_index", batch_index, rows, "rows of 'update'")
        steps = op.broadcast_to(
            op.reshape(op.arange(0, length, 1, mstype.int64), (1, length)), (rows, length)
        )
        batches = op.cast(batch_index, mstype.int64)
        is_row = op.logical_and(op.greater_equal(batches, 0), op.less(batches, cache.shape[0]))
        steps = op.where(op.reshape(is_row, (-1, 1)), steps, op.full_like(steps, -1))
        return self._write(cache, update, batches, steps)


class DecoderKVCache(_StepCache):
    """Writes the keys or values of the next step of every row into a cache.

    Inputs:
        - **cache** (Tensor) - (batch, heads, steps, features) or (batch, steps, features); written.
        - **update** (Tensor) - The same with one step.
        - **valid_seq_len** (Tensor) - The step of every row that is written; none for a number out of range.
        - **batch_index**, **seq_len_axis**, **new_max_seq_len**, **cur_max_seq_len** (Tensor) - Not used.

    Outputs:
        Tensor, the cache.

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(self):
        pass

    def __call__(
        self, cache, update, valid_seq_len, batch_index=None, seq_len_axis=None, new_max_seq_len=None,
        cur_max_seq_len=None,
    ):  # fmt: skip
        self._check(cache, update)
        rows = update.shape[0]
        _check_numbers(self.name, "valid_seq_len", valid_seq_len, rows, "rows of 'update'")
        batches = op.arange(0, rows, 1, mstype.int64)
        return self._write(
            cache, update, batches, op.reshape(op.cast(valid_seq_len, mstype.int64), (rows, 1))
        )


@composed()
def ReshapeAndCache(self, key, value=None, key_cache=None, value_cache=None, slot_mapping=None):
    """Writes the keys and values of tokens into slots of caches made of blocks.

    Inputs:
        - **key** (Tensor) - (tokens, heads, features), or with the last two in one.
        - **value** (Tensor) - Shape of `key`. Default: ``None``.
        - **key_cache** (Tensor) - (blocks, slots of a block, heads, features); written.
        - **value_cache** (Tensor) - Shape of `key_cache`; written.
        - **slot_mapping** (Tensor) - Slot of every token; none for a negative number.

    Outputs:
        Tensor, the key.

    Supported Platforms:
        ``CPU``
    """
    for given, cache in ((key, key_cache), (value, value_cache)):
        if given is not None and cache is not None:
            if cache.ndim < 3:
                raise ValueError(
                    f"For '{self.name}', a cache must have the shape (blocks, slots of a block, heads, "
                    f"features), but got {cache.shape}."
                )
            tokens = given.size // math.prod(cache.shape[2:])
            _check_numbers(self.name, "slot_mapping", slot_mapping, tokens, "tokens")
            _write_rows(cache, cache.shape[0] * cache.shape[1], slot_mapping, given)
    return key


def _check_heads(primitive: Primitive) -> None:
    """Raises for numbers of heads that are none."""
    for name in ("head_num", "kv_head_num"):
        check_positive_int(getattr(primitive, name), name, primitive.name)
    check_value_type("scale_value", primitive.scale_value, [float, int], primitive.name)


class PagedAttention(Primitive):
    """Attention of tokens over the keys and values in their blocks.

    Args:
        head_num (int): Heads of the queries.
        scale_value (float): Factor of the scores.
        kv_head_num (int): Heads of the keys.
        kv_cache_quant_mode (str): ``"DEFAULT"``: not quantized.
        mask_mode (str): ``"MASK_DEFAULT"``.
        mla_v_dim (int): ``0``.

    Inputs:
        - **query** (Tensor) - (tokens, heads, features), or with the last two in one.
        - **key_cache**, **value_cache** (Tensor) - (blocks, slots of a block, heads, features).
        - **block_tables** (Tensor) - Blocks of every token, (tokens, blocks); negative where there is none.
        - **context_lens** (Tensor) - How many keys each token sees.

    Outputs:
        Tensor, shape and type of the query.

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(
        self,
        head_num,
        scale_value,
        kv_head_num,
        kv_cache_quant_mode="DEFAULT",
        mask_mode="MASK_DEFAULT",
        mla_v_dim=0,
    ):
        if kv_cache_quant_mode != "DEFAULT" or mask_mode != "MASK_DEFAULT" or mla_v_dim:
            raise NotImplementedError(
                "For 'PagedAttention', 'kv_cache_quant_mode', 'mask_mode' and 'mla_v_dim' must have their "
                "defaults."
            )
        _check_heads(self)

    def __call__(
        self, query, key_cache, value_cache, block_tables, context_lens, antiquant_scale=None,
        antiquant_offset=None, attn_mask=None, q_seq_lens=None, alibi_mask=None,
    ):  # fmt: skip
        if any(x is not None for x in (antiquant_scale, antiquant_offset, attn_mask, q_seq_lens)):
            raise NotImplementedError(
                "For 'PagedAttention', quantization, 'attn_mask' and 'q_seq_lens' must be None."
            )
        features = key_cache.shape[-1]
        q = op.reshape(query, (-1, self.head_num, 1, features))
        _check_numbers(self.name, "context_lens", context_lens, q.shape[0], "tokens")
        if key_cache.shape != value_cache.shape or block_tables.shape[:-1] != q.shape[:1]:
            raise ValueError(
                f"For '{self.name}', 'key_cache' and 'value_cache' must have one shape and 'block_tables' a "
                f"row for each of the {q.shape[0]} tokens, but got {key_cache.shape}, {value_cache.shape} "
                f"and {block_tables.shape}."
            )
        k, v = (self._of_tokens(cache, block_tables) for cache in (key_cache, value_cache))
        order = op.reshape(op.arange(0, k.shape[2], 1, mstype.int64), (1, 1, 1, -1))
        beyond = op.greater_equal(order, op.reshape(op.cast(context_lens, mstype.int64), (-1, 1, 1, 1)))
        shift = None
        if alibi_mask is not None:  # added after the scores are scaled
            shift = op.div(alibi_mask[..., : k.shape[2]], self.scale_value)
        answers = attend(self.name, q, k, v, self.scale_value, Masks(beyond, shift, sparse_mode=1))[0]
        return op.reshape(answers, query.shape)

    def _of_tokens(self, cache, block_tables) -> Tensor:
        """(tokens, heads, slots of all blocks, features)."""
        tokens, blocks = block_tables.shape
        tables = op.maximum(block_tables, 0)
        found = op.gather(cache, op.reshape(tables, (-1,)), 0)
        shape = (tokens, blocks * cache.shape[1], self.kv_head_num, cache.shape[-1])
        return op.transpose(op.reshape(found, shape), (0, 2, 1, 3))


class PagedAttentionMask(PagedAttention):
    """`PagedAttention` with a mask that is added to the scores."""

    @prim_attr_register
    def __init__(self, head_num, scale_value, kv_head_num, kv_cache_quant_mode="DEFAULT"):
        if kv_cache_quant_mode != "DEFAULT":
            raise NotImplementedError("For 'PagedAttentionMask', 'kv_cache_quant_mode' must be 'DEFAULT'.")
        _check_heads(self)

    def __call__(
        self, query, key_cache, value_cache, block_tables, context_lens, antiquant_scale=None,
        antiquant_offset=None, alibi_mask=None,
    ):  # fmt: skip
        given = (query, key_cache, value_cache, block_tables, context_lens, antiquant_scale, antiquant_offset)
        return super().__call__(*given, alibi_mask=alibi_mask)


class ApplyRotaryPosEmb(Primitive):
    """Turns queries and keys by their positions, the two halves of their features against each other.

    Args:
        cos_format (int): 0: `cos` and `sin` have a row for every position; 1: one for every token.
            Default: ``0``.

    Inputs:
        - **query**, **key** (Tensor) - (batch, steps, heads * features).
        - **cos**, **sin** (Tensor) - (positions, features).
        - **position_ids** (Tensor) - The first position of every row of the batch, (batch,).

    Outputs:
        Tuple of the turned query and key.

    Supported Platforms:
        ``CPU``
    """

    @prim_attr_register
    def __init__(self, cos_format=0):
        if cos_format not in (0, 1):
            raise NotImplementedError(
                f"For 'ApplyRotaryPosEmb', 'cos_format' must be 0 or 1, but got {cos_format}."
            )

    def __call__(self, query, key, cos, sin, position_ids) -> tuple:
        batch, steps = query.shape[:2]
        if self.cos_format == 0:
            first = op.reshape(op.cast(position_ids, mstype.int64), (batch, 1))
            places = op.add(first, op.reshape(op.arange(0, steps, 1, mstype.int64), (1, steps)))
            cos, sin = (op.gather(x, places, 0) for x in (cos, sin))
        return tuple(self._turned(x, cos, sin) for x in (query, key))

    @staticmethod
    def _turned(x, cos, sin) -> Tensor:
        from mindspore.ops.function.fused_layers import rotary_position_embedding

        features = cos.shape[-1]
        heads = op.reshape(x, (*x.shape[:2], x.shape[2] // features, features))
        cos, sin = (op.cast(op.reshape(t, (*x.shape[:2], 1, features)), x.dtype) for t in (cos, sin))
        return op.reshape(rotary_position_embedding(heads, cos, sin), x.shape)


__all__ = defined_classes(globals())
