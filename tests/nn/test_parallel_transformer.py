# SPDX-License-Identifier: Apache-2.0
"""Encoders of `mindspore.parallel._transformer`; values are those of the reference with the same weights."""

from __future__ import annotations

import types

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor
from mindspore.parallel._transformer import TransformerOpParallelConfig
from mindspore.parallel._transformer.loss import CrossEntropyLoss
from mindspore.parallel._transformer.transformer import (
    AttentionMask,
    FeedForward,
    MultiHeadAttention,
    TransformerEncoder,
    VocabEmbedding,
)

_HALF = 4e-3  # products of halves, summed in another order
_WORDS = Tensor(np.cos(np.arange(64)).reshape(2, 4, 8).astype(np.float32))
_PADDING = Tensor([[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.0]])


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["eager", "graph"], autouse=True)
def mode(request):
    """Runs every test in both modes."""
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=before)


def _encoder(**settings) -> TransformerEncoder:
    """Two small layers with weights that every machine computes alike."""
    net = TransformerEncoder(2, 2, 8, 16, 4, 2, hidden_act="relu", **settings)
    for index, parameter in enumerate(net.get_parameters()):
        if "past" not in parameter.name:
            values = np.sin(np.arange(parameter.size) * 1.7 + index) * 0.5
            parameter.set_data(Tensor(values.reshape(parameter.shape).astype(np.float32)))
    return net.set_train(False)


def test_mask_shows_earlier_places_that_are_no_padding():
    mask = AttentionMask(4)(_PADDING)
    assert mask.dtype == ms.float32
    np.testing.assert_array_equal(mask[0].asnumpy(), np.tril(np.ones((4, 4))))
    np.testing.assert_array_equal(mask[1].asnumpy(), [[1, 0, 0, 0], [1, 1, 0, 0], [0] * 4, [0] * 4])
    with pytest.raises(TypeError, match="input_mask"):
        AttentionMask(4)(Tensor([[1, 1, 1, 1]]))


@pytest.mark.parametrize(
    ("after", "first", "last"),
    [
        (
            False,
            [1.3632, 1.4541, -1.0148, -1.7493, 0.1420, 0.8374, 0.0217, 0.4414],
            [1.3555, 1.8798, -0.6358, -1.5575, 0.0041, 0.2810, -0.4231, 0.7295],
        ),
        (
            True,
            [-0.4339, -0.8343, 0.4501, -0.5549, -0.7752, -0.1331, 0.1989, -0.5067],
            [-0.4288, -0.8392, 0.4442, -0.5391, -0.7632, -0.1461, 0.1921, -0.5046],
        ),
    ],
)
def test_encoder(after, first, last):
    net = _encoder(post_layernorm_residual=after)
    result, presents = net(_WORDS, AttentionMask(4)(_PADDING))
    assert result.shape == (2, 4, 8) and result.dtype == ms.float32
    assert len(presents) == 2 and [part.shape for part in presents[0]] == [(2, 2, 4, 4)] * 2
    assert presents[0][0].dtype == ms.float16
    np.testing.assert_allclose(result[0, 0].asnumpy(), first, _HALF, _HALF)
    np.testing.assert_allclose(result[1, 3].asnumpy(), last, _HALF, _HALF)
    flat, _ = net(_WORDS.reshape(8, 8), AttentionMask(4)(_PADDING))
    np.testing.assert_array_equal(flat.asnumpy(), result.asnumpy().reshape(8, 8))


def test_a_step_looks_at_what_earlier_steps_left():
    net = _encoder(use_past=True).add_flags_recursive(is_first_iteration=True)
    lengths = Tensor([2, 3], ms.int32)
    net(_WORDS, AttentionMask(4)(_PADDING), Tensor([False]), lengths)
    net.add_flags_recursive(is_first_iteration=False)
    word = Tensor(np.cos(np.arange(16) + 100).reshape(2, 1, 8).astype(np.float32))
    result, presents = net(word, Tensor(np.ones((2, 1, 4), np.float32)), Tensor([True]), lengths)
    expected = [
        [1.6829, -2.9510, 0.2715, 3.0159, -2.0960, -3.7428, 2.7373, 3.9552],
        [1.1507, -4.2997, -0.8142, 3.1734, -0.6754, -2.3878, 2.6228, 2.5424],
    ]
    np.testing.assert_allclose(result[:, 0].asnumpy(), expected, _HALF, _HALF)
    keys = presents[0][0][0, 0, 0].asnumpy()
    np.testing.assert_allclose(keys, [0.09277, 0.08789, 0.13379, 0.0], _HALF, 1e-4)
    np.testing.assert_array_equal(net.blocks[0].key_past[0, 0, 0].asnumpy(), keys)


def test_weights_have_the_names_of_checkpoints():
    names = [parameter.name for parameter in _encoder().get_parameters()]
    assert names[:6] == [
        "0.layernorm1.gamma",
        "0.layernorm1.beta",
        "0.layernorm2.gamma",
        "0.layernorm2.beta",
        "0.attention.projection.weight",
        "0.attention.projection.bias",
    ]
    assert names[12:16] == [
        f"0.output.{layer}.{part}" for layer in ("mapping", "projection") for part in ("weight", "bias")
    ]


def test_rows_of_a_table():
    table = VocabEmbedding(5, 3)
    rows, whole = table(Tensor([[1, 2]], ms.int32))
    np.testing.assert_array_equal(rows.asnumpy()[0], whole.asnumpy()[1:3])


def test_loss_counts_what_the_mask_shows():
    logits = Tensor(np.sin(np.arange(12)).reshape(3, 4).astype(np.float32))
    loss = CrossEntropyLoss()(logits, Tensor([1, 2, 3], ms.int32), Tensor([1.0, 0.0, 1.0]))
    assert loss.shape == (1,)
    np.testing.assert_allclose(loss.asnumpy(), [1.8681886], 1e-5)


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="'hidden_size' must be a multiple of 'num_heads'"):
        MultiHeadAttention(1, 4, 4, 9, 2)
    with pytest.raises(ValueError, match="'dropout_rate' must be in range"):
        FeedForward(4, 8, 1.0)
    with pytest.raises(TypeError, match="'hidden_act'"):
        FeedForward(4, 8, 0.1, hidden_act=None)
    with pytest.raises(NotImplementedError, match="experts"):
        TransformerEncoder(1, 1, 8, 8, 4, 2, moe_config=types.SimpleNamespace(expert_num=2))
    with pytest.raises(ValueError, match="must be larger than pipeline stage"):
        TransformerEncoder(1, 1, 8, 8, 4, 2, parallel_config=TransformerOpParallelConfig(pipeline_stage=2))
    with pytest.raises(TypeError, match="init_reset must be True, if use_past is False"):
        _encoder()(_WORDS, None, Tensor([True]))


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"num_heads": 0}, ValueError),
        ({"num_heads": "2"}, TypeError),
        ({"src_seq_length": 0}, ValueError),
        ({"tgt_seq_length": 1.5}, TypeError),
        ({"use_past": 1}, TypeError),
        ({"compute_dtype": ms.int32}, TypeError),
        ({"softmax_compute_type": ms.int8}, TypeError),
        ({"param_init_type": ms.float64}, TypeError),
    ],
)
def test_settings_of_attention_are_checked(settings, error):
    known = {
        "batch_size": 2,
        "src_seq_length": 4,
        "tgt_seq_length": 4,
        "hidden_size": 8,
        "num_heads": 2,
    }
    with pytest.raises(error, match=f"'MultiHeadAttention'.*'{next(iter(settings))}'"):
        MultiHeadAttention(**known | settings)


def test_sequences_of_another_length_are_refused():
    attention = MultiHeadAttention(2, 4, 4, 8, 2).set_train(False)
    for length in (2, 6):
        words = Tensor(np.ones((2, length, 8), np.float32))
        with pytest.raises(
            ValueError, match=rf"must have the length 4, but got the shape \(2, {length}, 8\)"
        ):
            attention(words, words, words, None)
        with pytest.raises(
            ValueError, match=rf"must have the length 4, but got the shape \(2, {length}, 8\)"
        ):
            _encoder()(words, None)
    with pytest.raises(TypeError, match="'query_tensor' must be a Tensor, but got None"):
        attention(None, _WORDS, _WORDS, None)
    with pytest.raises(TypeError, match="'lambda_func' must be a function, but got 3"):
        TransformerEncoder(2, 1, 8, 16, 4, 2, lambda_func=3)
    with pytest.raises(TypeError, match="'offset'"):
        TransformerEncoder(2, 1, 8, 16, 4, 2, offset="a")
