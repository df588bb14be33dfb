# SPDX-License-Identifier: Apache-2.0
"""Attention, caches, experts and recurrent layers as single primitives."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Parameter, Tensor, nn, ops
from mindspore.ops import operations as P
from mindspore.ops.operations import _inner_ops
from mindspore.ops.operations.nn_ops import FlashAttentionScore, PromptFlashAttention

BATCH, HEADS, QUERIES, KEYS, WIDTH = 2, 4, 5, 8, 3


def _numbers(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def _attention(q, k, v, scale, blocked=None, shift=0.0, kept=None):
    """Attention of (batch, heads, length, features), by its definition."""
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = (np.einsum("bnqd,bnkd->bnqk", q, k) + shift) * scale
    if blocked is not None:
        scores = np.where(blocked, -np.inf, scores)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return np.einsum("bnqk,bnkd->bnqd", weights if kept is None else weights * kept, v)


def _layout(x, layout):
    """(batch, heads, length, features) in a layout."""
    if layout == "BNSD":
        return x
    moved = x.transpose(0, 2, 1, 3)
    if layout == "BSND":
        return moved
    flat = moved.reshape(*moved.shape[:2], -1)
    return flat if layout == "BSH" else flat.transpose(1, 0, 2)


@pytest.fixture
def heads():
    """Queries, and keys and values with half as many heads."""
    shape = (BATCH, HEADS // 2, KEYS, WIDTH)
    return _numbers(BATCH, HEADS, QUERIES, WIDTH), _numbers(*shape, seed=1), _numbers(*shape, seed=2)


@pytest.mark.parametrize("layout", ["BSH", "BNSD", "SBH", "BSND"])
def test_attention_in_every_layout(heads, layout, both_modes):
    given = [Tensor(_layout(x, layout)) for x in heads]
    wanted = _layout(_attention(*heads, 0.5), layout)

    def attention(q, k, v):
        return ops.flash_attention_score(q, k, v, HEADS, scalar_value=0.5, input_layout=layout)

    np.testing.assert_allclose(both_modes(attention, *given).asnumpy(), wanted, rtol=1e-5, atol=1e-6)


def test_attention_of_sequences_in_a_row(heads):
    q, k, v = (x.transpose(0, 2, 1, 3) for x in heads)
    q_ends, k_ends = (3, 8), (4, 12)
    packed = [np.concatenate((x[0][:n], x[1])) for x, n in ((q, 3), (k, 4), (v, 4))]
    options = {"input_layout": "TND", "actual_seq_qlen": q_ends, "actual_seq_kvlen": k_ends, "sparse_mode": 3}
    found = ops.flash_attention_score(*(Tensor(x) for x in packed), HEADS, **options).asnumpy()
    first = _attention(heads[0][:1, :, :3], heads[1][:1, :, :4], heads[2][:1, :, :4], 1.0, _later(3, 4, 1))
    second = _attention(*(x[1:] for x in heads), 1.0, _later(QUERIES, KEYS, 3))
    wanted = np.concatenate([x[0].transpose(1, 0, 2) for x in (first, second)])
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="actual_seq_qlen"):
        ops.flash_attention_score(*(Tensor(x) for x in packed), HEADS, input_layout="TND")


def _later(queries, keys, offset=0):
    return np.arange(keys)[None, :] > np.arange(queries)[:, None] + offset


@pytest.mark.parametrize(
    ("options", "blocked"),
    [
        ({"sparse_mode": 1, "attn_mask": _later(QUERIES, KEYS)}, _later(QUERIES, KEYS)),
        ({"attn_mask": np.zeros((QUERIES, KEYS), bool), "next_tokens": 1}, _later(QUERIES, KEYS, 1)),
        ({"sparse_mode": 2, "attn_mask": np.ones((2048, 2048), bool)}, _later(QUERIES, KEYS)),
        ({"sparse_mode": 3, "attn_mask": np.ones((2048, 2048), bool)}, _later(QUERIES, KEYS, KEYS - QUERIES)),
        (
            {"sparse_mode": 4, "pre_tokens": 1, "next_tokens": 0},
            _later(QUERIES, KEYS, KEYS - QUERIES) | ~_later(QUERIES, KEYS, KEYS - QUERIES - 2),
        ),
        ({"sparse_mode": 5, "prefix": (7, 7)}, _later(QUERIES, KEYS, 3) & (np.arange(KEYS) >= 7)),
    ],
)
def test_which_keys_a_query_sees(heads, options, blocked):
    options = {key: Tensor(v) if isinstance(v, np.ndarray) else v for key, v in options.items()}
    given = [Tensor(x) for x in heads]
    found = ops.flash_attention_score(*given, HEADS, input_layout="BNSD", **options).asnumpy()
    np.testing.assert_allclose(found, _attention(*heads, 1.0, blocked), rtol=1e-5, atol=1e-6)


def test_shift_and_all_results_of_attention(heads):
    shift = _numbers(1, HEADS, QUERIES, KEYS, seed=4)
    attention = FlashAttentionScore(HEADS, scale_value=0.5, input_layout="BNSD")
    highest, total, empty, found = attention(*(Tensor(x) for x in heads), Tensor(shift))
    np.testing.assert_allclose(found.asnumpy(), _attention(*heads, 0.5, shift=shift), rtol=1e-5, atol=1e-6)
    assert highest.shape == total.shape == (BATCH, HEADS, QUERIES, 8)
    assert (highest.dtype, empty.size) == (ms.float32, 0)
    assert found.dtype is ms.float32
    assert attention(*(Tensor(x, ms.float16) for x in heads))[3].dtype is ms.float16


def test_dropped_weights_of_attention(heads):
    kept = np.random.default_rng(5).integers(0, 2, (BATCH, HEADS, QUERIES, KEYS))
    packed = np.packbits(kept, axis=-1, bitorder="little")
    given = [Tensor(x) for x in heads]
    found = FlashAttentionScore(HEADS, keep_prob=0.5, input_layout="BNSD")(*given, None, Tensor(packed))[3]
    np.testing.assert_allclose(
        found.asnumpy(), _attention(*heads, 1.0, kept=kept / 0.5), rtol=1e-5, atol=1e-6
    )
    drawn = FlashAttentionScore(HEADS, keep_prob=0.5, input_layout="BNSD")(*given)[3].asnumpy()
    assert not np.allclose(drawn, _attention(*heads, 1.0))


def test_query_without_keys_gets_nothing(heads):
    mask = Tensor(np.ones((QUERIES, KEYS), bool))
    given = [Tensor(x) for x in heads]

    def attention(q, k, v):
        return ops.flash_attention_score(q, k, v, HEADS, attn_mask=mask, input_layout="BNSD", sparse_mode=1)

    assert not attention(*given).asnumpy().any()
    assert not ms.grad(attention)(*given).asnumpy().any()


def test_gradients_of_attention(heads):
    given = [Tensor(x) for x in heads]
    mask = _later(QUERIES, KEYS)

    def plain(q, k, v):
        k, v = (ops.repeat_interleave(x, 2, 1) for x in (k, v))
        scores = ops.bmm(q, k.swapaxes(2, 3)).masked_fill(Tensor(mask), -1e9)
        return (ops.bmm(ops.softmax(scores), v) ** 2).sum()

    def fused(q, k, v):
        return (ops.flash_attention_score(q, k, v, HEADS, input_layout="BNSD", sparse_mode=2) ** 2).sum()

    for found, wanted in zip(
        ms.grad(fused, (0, 1, 2))(*given), ms.grad(plain, (0, 1, 2))(*given), strict=True
    ):
        np.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-4, atol=1e-5)


def test_attention_refuses():
    x = ops.ones((1, 4, 6))
    with pytest.raises(ValueError, match="input_layout"):
        FlashAttentionScore(2, input_layout="HSB")
    with pytest.raises(ValueError, match="keep_prob"):
        FlashAttentionScore(2, keep_prob=0.0)
    with pytest.raises(ValueError, match="head_num"):
        FlashAttentionScore(4)(x, x, x)
    with pytest.raises(NotImplementedError, match="sparse_mode"):
        FlashAttentionScore(2, sparse_mode=8)(x, x, x)
    with pytest.raises(NotImplementedError, match="padding_mask"):
        FlashAttentionScore(2)(x, x, x, None, None, x)


def test_attention_of_prompts(heads):
    attention = PromptFlashAttention(HEADS, 0.5, input_layout="BSH", num_key_value_heads=HEADS // 2)
    mask = _later(QUERIES, KEYS)[None, None]
    given = [Tensor(_layout(x, "BSH")) for x in heads]
    found = attention(*given, Tensor(np.broadcast_to(mask, (BATCH, 1, QUERIES, KEYS)).copy()), *(None,) * 8)
    np.testing.assert_allclose(
        found.asnumpy(), _layout(_attention(*heads, 0.5, mask), "BSH"), rtol=1e-5, atol=1e-6
    )


def test_caches_of_prompts_and_steps(both_modes):
    cache, prompt, step = np.zeros((3, 2, 4, 2), np.float32), _numbers(2, 2, 3, 2), _numbers(3, 2, 1, 2)
    kept = Parameter(Tensor(cache))
    lengths, rows = Tensor([3, 3]), Tensor([2, -1])
    written = _inner_ops.PromptKVCache()(kept, Tensor(prompt), lengths, rows, Tensor(2), None, None)
    cache[2, :, :3] = prompt[0]
    assert np.array_equal(written.asnumpy(), cache)
    _inner_ops.DecoderKVCache()(kept, Tensor(step), Tensor([0, 7, 3]), None, None, None, None)
    cache[0, :, 0], cache[2, :, 3] = step[0, :, 0], step[2, :, 0]
    assert np.array_equal(kept.asnumpy(), cache)


def test_attention_over_blocks():
    blocks, size, features = 5, 4, 3
    key_cache, value_cache = (
        Parameter(Tensor(np.zeros((blocks, size, 2, features), np.float32))) for _ in "kv"
    )
    keys, values = _numbers(6, 2, features), _numbers(6, 2, features, seed=1)
    slots = np.array([8, 9, 10, 11, 4, -1], np.int32)  # block 2, then block 1; the last goes nowhere
    ops.auto_generate.ReshapeAndCache()(Tensor(keys), Tensor(values), key_cache, value_cache, Tensor(slots))
    assert np.array_equal(key_cache.asnumpy().reshape(-1, 2, features)[slots[:5]], keys[:5])
    assert not key_cache.asnumpy()[[0, 3, 4]].any()
    query = _numbers(1, 4, features, seed=3)
    attention = ops.auto_generate.PagedAttention(4, 0.5, 2)
    tables, lengths = Tensor(np.array([[2, 1, -1]], np.int32)), Tensor(np.array([5], np.int32))
    found = attention(Tensor(query), key_cache, value_cache, tables, lengths).asnumpy()
    seen = [x[:5].transpose(1, 0, 2)[None] for x in (keys, values)]
    wanted = _attention(query.transpose(1, 0, 2).reshape(1, 4, 1, features), *seen, 0.5)
    np.testing.assert_allclose(found, wanted.reshape(1, 4, features), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("mode", [0, 1])
def test_turning_by_positions(mode):
    x, angle = _numbers(2, 4), 0.3
    pairs = x.reshape(2, 2, 2) if mode else x.reshape(2, 2, 2).transpose(0, 2, 1)
    turned = pairs @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]], np.float32)
    wanted = (turned if mode else turned.transpose(0, 2, 1)).reshape(2, 4)
    cos, sin = (Tensor(np.full((1, 4), f(angle), np.float32)) for f in (np.cos, np.sin))
    found = ops.rotary_position_embedding(Tensor(x), cos, sin, mode)
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5, atol=1e-6)


def test_turning_queries_and_keys_of_tokens():
    table = np.arange(12, dtype=np.float32).reshape(3, 4)
    query = _numbers(1, 2, 8)
    found = ops.ApplyRotaryPosEmb()(*(Tensor(x) for x in (query, query, table, table * 0)), Tensor([1]))
    wanted = (query.reshape(1, 2, 2, 4) * table[None, 1:, None]).reshape(1, 2, 8)
    np.testing.assert_allclose(found[1].asnumpy(), wanted, rtol=1e-6)


def test_gated_halves():
    x = _numbers(2, 6)
    gate, value = np.split(x, 2, -1)
    np.testing.assert_allclose(ops.swiglu(Tensor(x)).asnumpy(), gate / (1 + np.exp(-gate)) * value, rtol=1e-5)
    with pytest.raises(ValueError, match="even"):
        ops.swiglu(ops.ones((2, 3)))


def test_products_in_groups():
    x, weight, bias = _numbers(5, 3), _numbers(2, 3, 4, seed=1), _numbers(2, 4, seed=2)
    grouped = ops.auto_generate.GroupedMatmul(split_item=3, group_type=0)
    found = grouped([Tensor(x)], [Tensor(weight)], [Tensor(bias)], group_list=Tensor([2, 5]))[0]
    wanted = np.concatenate((x[:2] @ weight[0] + bias[0], x[2:] @ weight[1] + bias[1]))
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5, atol=1e-6)
    several = ops.auto_generate.GroupedMatmul()([Tensor(x), Tensor(x[:1])], [Tensor(w) for w in weight])
    np.testing.assert_allclose(several[1].asnumpy(), x[:1] @ weight[1], rtol=1e-5, atol=1e-6)


def test_sums_of_experts():
    tokens, experts, width = 3, 2, 4
    results, bias, x1 = _numbers(6, width), _numbers(5, width, seed=1), _numbers(tokens, width, seed=2)
    scales = _numbers(tokens, experts, seed=3)
    rows = np.array([4, 0, 3, 1, 5, 2], np.int32)
    chosen = np.array([[0, 1], [4, 2], [3, 3]], np.int32)
    found = ops.auto_generate.MoeFinalizeRouting()(
        *(Tensor(x) for x in (results, x1, x1, bias, scales, rows, chosen))
    )
    wanted = 2 * x1
    for i in range(tokens):
        for k in range(experts):
            wanted[i] += scales[i, k] * (results[rows[i + k * tokens]] + bias[chosen[i, k]])
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5, atol=1e-6)


# What the reference gives for weights that run evenly from -1 to 1 (40, 56 and 112 numbers), of which not all
# are used.
LSTM_OUTPUTS = [
    ((False, False), 40, 40, [0.346478, 0.247022, 0.114597, 0.167071]),
    ((True, False), 56, 48, [0.603305, 0.57165, 0.184847, 0.287229]),
    (
        (True, True), 112, 96,
        [0.663832, 0.652044, 0.53041, 0.530932, 0.046266, 0.063908, 0.087778, 0.129558],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("options", "of", "used", "wanted"), LSTM_OUTPUTS)
def test_lstm_with_all_weights_in_one(options, of, used, wanted):
    has_bias, both = options
    count = 2 if both else 1
    x = Tensor(np.linspace(-1, 1, 6).reshape(2, 1, 3).astype(np.float32))
    h, c = (Tensor(np.full((count, 1, 2), v, np.float32)) for v in (0.1, 0.2))
    weights = Tensor(np.linspace(-1, 1, of)[:used].reshape(-1, 1, 1).astype(np.float32))
    output, last_h, last_c, *_ = P.LSTM(3, 2, 1, has_bias, both, 0.0)(x, h, c, weights)
    np.testing.assert_allclose(output.asnumpy().ravel(), wanted, rtol=1e-5, atol=1e-6)
    assert last_h.shape == last_c.shape == (count, 1, 2)
    with pytest.raises(ValueError, match=f"must have {used} elements"):
        P.LSTM(3, 2, 1, has_bias, both, 0.0)(x, h, c, weights[:-1])
    with pytest.raises(ValueError, match=r"'c' must be .* but got \(3, 1, 2\)"):
        P.LSTM(3, 2, 1, has_bias, both, 0.0)(x, h, ops.zeros((3, 1, 2)), weights)


def test_lstm_with_a_second_set_of_biases():
    x, states = ops.ones((5, 2, 10)), (ops.ones((1, 2, 2)), ops.ones((1, 2, 2)))
    output = P.LSTM(10, 2, 1, True, False, 0.0)(x, *states, ops.ones((112, 1, 1)))[0]
    wanted = [0.9640251, 0.99505216, 0.999327, 0.99990696, 0.9999854]
    np.testing.assert_allclose(output.asnumpy()[:, 0, 0], wanted, rtol=1e-6)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: P.LSTM("3", 2, 1, True, False, 0.0), TypeError, "'input_size'.*'int'.*'str'"),
        (lambda: P.LSTM(3, 2, 1, 1, False, 0.0), TypeError, "'has_bias'.*'bool'"),
        (lambda: P.LSTM(3, 2, 1, True, "x", 0.0), TypeError, "'bidirectional'.*'bool'"),
        (lambda: P.LSTM(3, 0, 1, True, False, 0.0), ValueError, "'hidden_size' must be positive"),
        (lambda: P.DynamicRNN(cell_type="GRU"), ValueError, "'cell_type' must be 'LSTM'"),
        (lambda: P.DynamicRNN(cell_clip=None), TypeError, "'cell_clip'.*'float'"),
        (lambda: P.DynamicRNN(forget_bias=1), TypeError, "'forget_bias'.*'float'"),
        (lambda: P.DynamicRNN(cell_depth=2), NotImplementedError, "'cell_depth' must be 1, but got 2"),
        (lambda: P.DynamicGRUV2(cell_clip="x"), TypeError, "'cell_clip'.*'float'"),
        (lambda: P.DynamicGRUV2(cell_clip=2.0), NotImplementedError, "'cell_clip'.*2.0"),
        (lambda: P.DynamicGRUV2(reset_after="x"), TypeError, "'reset_after'.*'bool'"),
        (lambda: P.DropoutGenMask("a"), TypeError, "'Seed0'.*'int'.*'str'"),
        (lambda: P.DropoutGenMask(0, None), TypeError, "'Seed1'.*'int'.*'NoneType'"),
        (lambda: P.Dropout2D(2.0), ValueError, "'keep_prob'.*2.0"),
        (lambda: P.Dropout3D("a"), TypeError, "'keep_prob'.*'float'.*'str'"),
        (lambda: P.Dropout2D()(3), TypeError, "'Dropout2D', the arguments do not fit: x = 3"),
        (lambda: P.Assert("a"), TypeError, "'summarize'.*'int'.*'str'"),
        (lambda: P.SparseApplyRMSProp("a", 0.1, 0.1), TypeError, "'rho'.*'str'"),
        (lambda: P.Randperm(5, dtype="a"), TypeError, "'dtype'.*'a'"),
        (lambda: P.Randperm(5, pad="a"), TypeError, "'pad'.*'int'.*'str'"),
    ],
)
def test_arguments_of_constructors_are_checked(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_masks_of_dropout_at_the_edges():
    x = ops.ones((3, 5))
    for zero in (0.0, Tensor(0.0)):
        assert not P.DropoutDoMask()(x, P.DropoutGenMask()((3, 5), zero), zero).asnumpy().any()
    assert P.DropoutDoMask()(x, P.DropoutGenMask()((3, 5), 1.0), 1.0).asnumpy().all()
    with pytest.raises(TypeError, match="'mask' must be a Tensor of uint8, but got Float32"):
        P.DropoutDoMask()(x, ops.ones(16), 0.5)
    with pytest.raises(
        ValueError, match=r"'Dropout2D', the input must have 4 axes, but got the shape \(3, 5\)"
    ):
        P.Dropout2D()(x)
    with pytest.raises(ValueError, match="'Dropout3D', the input must have 5 axes"):
        P.Dropout3D()(ops.ones((1, 2, 3, 4)))


_CACHE, _BLOCKS = (2, 2, 6, 4), (6, 4, 2, 8)


@pytest.mark.parametrize(
    ("primitive", "arguments", "error", "words"),
    [
        ("PromptKVCache", (_CACHE, (2, 4, 8), (2,), [0, 1]), ValueError, r"\(2, 4, 8\) and \(2, 2, 6, 4\)"),
        ("PromptKVCache", (_CACHE, (2, 2, 9, 4), (2,), [0, 1]), ValueError, "'update' must be"),
        ("PromptKVCache", (_CACHE, (2, 3, 4, 4), (2,), [0, 1]), ValueError, "'update' must be"),
        ("PromptKVCache", (_CACHE, (2, 2, 4, 4), (2,), [0]), ValueError, "'batch_index'.*each of the 2 rows"),
        ("DecoderKVCache", (_CACHE, (3, 2, 1, 4), [0, 0, 5]), ValueError, "'update' must be"),
        ("DecoderKVCache", (_CACHE, (2, 2, 1, 4), (2,)), TypeError, "'valid_seq_len'.*Float32"),
        ("ReshapeAndCache", ((4, 2, 8), None, _BLOCKS, None, (4,)), TypeError, "'slot_mapping'.*Float32"),
        ("ReshapeAndCache", ((4, 2, 8), None, _BLOCKS, None, [1, 2]), ValueError, "each of the 4 tokens"),
        ("ReshapeAndCache", ((4, 2, 8), None, (64,), None, [1, 2]), ValueError, r"but got \(64,\)"),
    ],
)
def test_caches_refuse_what_does_not_fit(primitive, arguments, error, words):
    # Tuples are shapes, lists are whole numbers.
    given = [ops.ones(x) if isinstance(x, tuple) else x and Tensor(x, ms.int32) for x in arguments]
    with pytest.raises(error, match=words):
        getattr(_inner_ops, primitive)()(*given)


def test_paged_attention_refuses_what_does_not_fit():
    query, cache, tables, lengths = ops.ones((2, 32)), ops.ones(_BLOCKS), [[0, 1], [2, -1]], [8, 4]
    attention = ops.auto_generate.PagedAttention(4, 1.0, 2)
    assert attention(query, cache, cache, Tensor(tables), Tensor(lengths)).shape == (2, 32)
    with pytest.raises(ValueError, match="'block_tables' a row for each of the 2 tokens"):
        attention(query, cache, cache, Tensor(tables[:1]), Tensor(lengths))
    with pytest.raises(ValueError, match="must have one shape"):
        attention(query, cache, cache[:3], Tensor(tables), Tensor(lengths))
    with pytest.raises(ValueError, match="'context_lens' must have a number for each of the 2 tokens"):
        attention(query, cache, cache, Tensor(tables), Tensor(lengths[:1]))
    with pytest.raises(TypeError, match="'head_num'"):
        ops.auto_generate.PagedAttention("4", 1.0, 2)
    with pytest.raises(TypeError, match="'scale_value'"):
        ops.auto_generate.PagedAttention(4, None, 2)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"key": (2, 4, 8), "value": (2, 4, 8)}, ValueError, "must have one batch"),
        ({"value": (1, 6, 8)}, ValueError, "one length"),
        ({"real_shift": (2, 2, 4, 4)}, ValueError, r"must fit .* \(1, 2, 4, 4\), but got \(2, 2, 4, 4\)"),
        ({"attn_mask": (2, 1, 4, 4)}, ValueError, r"the mask must fit"),
        ({"attn_mask": 3}, TypeError, "'attn_mask' must be a Tensor, but got int"),
        ({"input_layout": "BNSD", "query": (1, 4, 3, 8)}, ValueError, "'head_num' 2 heads"),
    ],
)
def test_attention_refuses_what_does_not_fit(settings, error, words):
    given = {"query": (1, 4, 8), "key": (1, 4, 8), "value": (1, 4, 8), "head_num": 2} | settings
    given = {name: ops.ones(x) if isinstance(x, tuple) else x for name, x in given.items()}
    with pytest.raises(error, match=words):
        ops.flash_attention_score(**given)


def test_attention_needs_floating_point_numbers():
    x = ops.ones((1, 4, 8), ms.int32)
    with pytest.raises(TypeError, match="'query' must be of floating point numbers, but got Int32"):
        ops.flash_attention_score(x, x, x, 2)


@pytest.mark.parametrize(
    ("ends", "error"),
    [
        ((2, 5), ValueError),
        ((6, 2), ValueError),
        ((2, 9), ValueError),
        ((2.5, 6), TypeError),
        ("6", TypeError),
    ],
)
def test_ends_of_packed_sequences_are_checked(ends, error):
    x = ops.ones((6, 2, 4))
    options = {"input_layout": "TND", "actual_seq_kvlen": (2, 6)}
    with pytest.raises(error, match="'actual_seq_qlen'"):
        ops.flash_attention_score(x, x, x, 2, actual_seq_qlen=ends, **options)
    with pytest.raises(ValueError, match="as many sequences, but got 1 and 2"):
        ops.flash_attention_score(x, x, x, 2, actual_seq_qlen=(6,), **options)


def test_recurrent_layers_need_a_step():
    x, weight = ops.zeros((0, 2, 3)), ops.ones((7, 16))
    with pytest.raises(ValueError, match=r"'DynamicRNN'.*one step at least, but got \(0, 2, 3\)"):
        P.DynamicRNN()(x, weight, ops.ones(16))
    with pytest.raises(ValueError, match=r"'DynamicGRUV2'.*one step at least, but got \(0, 2, 3\)"):
        P.DynamicGRUV2()(x, ops.ones((3, 12)), ops.ones((4, 12)))
    with pytest.raises(TypeError, match="'x' must be a Tensor, but got NoneType"):
        P.DynamicRNN()(None, weight, ops.ones(16))


def test_recurrent_layers_that_give_their_gates():
    x, layer, gates = _numbers(3, 2, 4), nn.LSTM(4, 5), nn.GRU(4, 5)
    wanted = layer(Tensor(x))[0].asnumpy()
    parts = [p.asnumpy().T for p in layer.get_parameters()]
    # Input gate, forget gate, new content, output gate become input, new, forget, output.
    order = np.concatenate([np.arange(5) + 5 * i for i in (0, 2, 1, 3)])
    weight = np.concatenate(parts[:2])[:, order]
    results = P.DynamicRNN()(Tensor(x), Tensor(weight), Tensor((parts[2] + parts[3])[order]))
    np.testing.assert_allclose(results[0].asnumpy(), wanted, rtol=1e-4, atol=1e-5)
    assert [r.shape for r in results] == [(3, 2, 5)] * 8
    wanted = gates(Tensor(x))[0].asnumpy()
    parts = [Tensor(p.asnumpy().T.copy()) for p in gates.get_parameters()]
    results = P.DynamicGRUV2()(Tensor(x), *parts, None, ops.zeros((2, 5)))
    np.testing.assert_allclose(results[1].asnumpy(), wanted, rtol=1e-4, atol=1e-5)
    with pytest.raises(NotImplementedError, match="use_peephole"):
        P.DynamicRNN(use_peephole=True)


def test_masks_of_dropout():
    mask = P.DropoutGenMask(1, 2)((40, 25), Tensor(0.75))
    assert (mask.dtype, mask.shape) == (ms.uint8, (128,))
    kept = P.DropoutDoMask()(ops.ones((40, 25)), mask, Tensor(0.75)).asnumpy()
    np.testing.assert_allclose(np.unique(kept), [0, 4 / 3], rtol=1e-6)
    assert abs(kept.mean() - 1) < 0.11  # 6 sigma
    with pytest.raises(ValueError, match="a bit for each"):
        P.DropoutDoMask()(ops.ones((2000,)), mask, 0.75)


@pytest.mark.parametrize(
    ("nesterov", "wanted"),
    [
        (False, [[-0.00010004436, -0.00011003228], [-0.00014853229, -0.00015557800]]),
        (True, [[-0.00010004436, -0.00011903493], [-0.00015489795, -0.00016830713]]),
    ],
)
def test_step_of_adam_that_leaves_the_parameter(nesterov, wanted):
    m, v = (Parameter(Tensor([[0.1, 0.1], [0.2, 0.2]], ms.float32)) for _ in "mv")
    numbers = (Tensor(x, ms.float32) for x in (0.9, 0.999, 0.001, 0.9, 0.999, 1e-8))
    found = P.AdamNoUpdateParam(False, nesterov)(m, v, *numbers, Tensor([[0.1, 0.2], [0.3, 0.4]], ms.float32))
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-6)
    np.testing.assert_allclose(m.asnumpy(), [[0.1, 0.11], [0.21, 0.22]], rtol=1e-6)


def test_steps_on_one_parameter():
    weight, momentum = Parameter(Tensor([1.0])), Parameter(Tensor([0.5]))
    P.FusedWeightScaleApplyMomentum()(Tensor(0.1), Tensor(0.5), weight, momentum, 0.1, Tensor([0.3]), 0.9)
    np.testing.assert_allclose(momentum.asnumpy(), [0.65], rtol=1e-6)  # 0.9 * 0.5 + (0.1 * 1 + 0.3) * 0.5
    np.testing.assert_allclose(weight.asnumpy(), [0.935], rtol=1e-6)
    state = [Parameter(Tensor([x])) for x in (1.0, 0.0, 0.0, 0.0)]
    ops.auto_generate.AdamW()(*state, Tensor([0.5]), Tensor(1.0), 0.1, 0.9, 0.999, 0.01, 1e-8)
    np.testing.assert_allclose(state[0].asnumpy(), [1 - 0.001 - 0.1], rtol=1e-5)  # the first step is the rate


def test_deformed_convolution(both_modes):
    x = Tensor((np.arange(32).reshape(1, 2, 4, 4) / 10).astype(np.float32))
    weight = Tensor(np.linspace(-1, 1, 54).reshape(3, 2, 3, 3).astype(np.float32))
    offsets = Tensor(np.linspace(-1, 1, 108).reshape(1, 27, 2, 2).astype(np.float32))
    wanted = [
        -6.5819,
        -9.0658,
        -8.2747,
        -11.3019,
        2.1014,
        2.5276,
        1.9018,
        2.189,
        10.7847,
        14.121,
        12.0782,
        15.68,
    ]
    found = both_modes(
        lambda *given: ops.deformable_conv2d(*given, (3, 3), (1, 1, 1, 1), (0, 0, 0, 0)), x, weight, offsets
    )
    np.testing.assert_allclose(found.asnumpy().ravel(), wanted, atol=1e-4)
    gradient = ms.grad(
        lambda o: ops.deformable_conv2d(x, weight, o, (3, 3), (1, 1, 1, 1), (0, 0, 0, 0)).sum()
    )(offsets)
    assert np.abs(gradient.asnumpy()).max() > 0


def test_arrangements():
    a, b = ops.auto_generate.SplitWithSize()(Tensor([1, 2, 3, 4]), (1, 3))
    assert (a.tolist(), b.tolist()) == ([1], [2, 3, 4])
    with pytest.raises(ValueError, match="sum of 'split_size'"):
        ops.auto_generate.SplitWithSize()(Tensor([1, 2, 3, 4]), (1, 2))
    scatter = ops.auto_generate.Scatter()
    given = (Tensor([[1.0, 2.0], [3.0, 4.0]]), 1, Tensor([[1, 1]]), Tensor([[8.0, 9.0]]))
    assert scatter(*given, "add").tolist() == [[1.0, 19.0], [3.0, 4.0]]
    assert ops.operations._sequence_ops.TensorToScalar()(Tensor(3)) == 3
    order = ops.Randperm(max_length=6, pad=-1)(Tensor([4], ms.int32))
    assert (sorted(order.tolist()), order.tolist()[4:]) == ([-1, -1, 0, 1, 2, 3], [-1, -1])
    assert ops.pows(Tensor([1.0, 2.0]), 2).tolist() == [1.0, 4.0]
    x = Tensor([1.0])
    assert ops.operations.comm_ops._VirtualDataset()(x, x) == (x, x)
