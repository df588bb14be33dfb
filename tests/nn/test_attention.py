# SPDX-License-Identifier: Apache-2.0
"""Attention and the networks made of it."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn

RANDOM = np.random.RandomState(3)


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["eager", "graph"], autouse=True)
def mode(request):
    """Runs every test in both modes."""
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=before)


def _numbers(*shape) -> np.ndarray:
    return RANDOM.standard_normal(shape).astype(np.float32)


def _softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _attention(net, q, k, v, add):
    """The formula, head by head; `add` (batch, heads, queries, keys) is added to the scores."""
    size, heads = net.embed_dim, net.num_heads
    if net.in_proj_weight is not None:
        weights = np.split(net.in_proj_weight.asnumpy(), 3)
    else:
        weights = [getattr(net, f"{n}_proj_weight").asnumpy() for n in "qkv"]
    biases = np.split(net.in_proj_bias.asnumpy(), 3)
    q, k, v = (x @ w.T + b for x, w, b in zip((q, k, v), weights, biases, strict=True))
    width = size // heads
    out, shown = (
        np.zeros((q.shape[0], q.shape[1], size)),
        np.zeros((q.shape[1], heads, q.shape[0], k.shape[0])),
    )
    for n in range(q.shape[1]):
        for h in range(heads):
            part = slice(h * width, (h + 1) * width)
            scores = q[:, n, part] @ k[:, n, part].T / np.sqrt(width) + add[n, h]
            shown[n, h] = _softmax(scores)
            out[:, n, part] = shown[n, h] @ v[:, n, part]
    return out @ net.out_proj.weight.asnumpy().T + net.out_proj.bias.asnumpy(), shown


@pytest.mark.parametrize("sizes", [(None, None), (5, 7)])
def test_attention_follows_the_formula(sizes):
    net = nn.MultiheadAttention(8, 2, kdim=sizes[0], vdim=sizes[1])
    q, k, v = _numbers(4, 3, 8), _numbers(6, 3, sizes[0] or 8), _numbers(6, 3, sizes[1] or 8)
    hidden = RANDOM.rand(3, 6) < 0.3
    hidden[:, 0] = False
    numbers = _numbers(4, 6)
    add = np.where(hidden, -np.inf, 0)[:, None, None, :] + numbers
    out, weights = net(
        Tensor(q), Tensor(k), Tensor(v), key_padding_mask=Tensor(hidden), attn_mask=Tensor(numbers)
    )
    expected, shown = _attention(net, q, k, v, np.broadcast_to(add, (3, 2, 4, 6)))
    np.testing.assert_allclose(out.asnumpy(), expected, 1e-4, 1e-5)
    np.testing.assert_allclose(weights.asnumpy(), shown.mean(1), 1e-4, 1e-5)
    only = net(Tensor(q), Tensor(k), Tensor(v), need_weights=False)
    assert isinstance(only, tuple) and len(only) == 1
    apart = net(Tensor(q), Tensor(k), Tensor(v), average_attn_weights=False)[1]
    assert apart.shape == (3, 2, 4, 6)


def test_batch_first_and_single_sequences():
    net = nn.MultiheadAttention(8, 2)
    first = nn.MultiheadAttention(8, 2, batch_first=True)
    for mine, other in zip(first.get_parameters(), net.get_parameters(), strict=True):
        mine.set_data(other)
    x = _numbers(4, 3, 8)
    out = net(Tensor(x), Tensor(x), Tensor(x))[0].asnumpy()
    turned = Tensor(x.transpose(1, 0, 2))
    np.testing.assert_allclose(first(turned, turned, turned)[0].asnumpy(), out.transpose(1, 0, 2), 1e-4, 1e-5)
    one = Tensor(x[:, 0])
    alone, weights = net(one, one, one)
    np.testing.assert_allclose(alone.asnumpy(), out[:, 0], 1e-4, 1e-5)
    assert weights.shape == (4, 4)


def test_added_keys():
    net = nn.MultiheadAttention(8, 2, add_bias_kv=True, add_zero_attn=True)
    x = Tensor(_numbers(4, 3, 8))
    out, weights = net(x, x, x, attn_mask=Tensor(np.triu(np.ones((4, 4)), 1) > 0))
    assert out.shape == (4, 3, 8) and weights.shape == (3, 4, 6)
    np.testing.assert_allclose(weights.asnumpy().sum(-1), 1, 1e-5)
    assert weights.asnumpy()[0, 0, 1] == 0 and weights.asnumpy()[0, 0, 4] > 0


def _norm(layer, y):
    centred = y - y.mean(-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + layer.epsilon)


def _dense(layer, y):
    return y @ layer.weight.asnumpy().T + layer.bias.asnumpy()


@pytest.mark.parametrize("first", [False, True])
def test_encoder_layer_follows_the_formula(first):
    x = _numbers(4, 3, 8)
    net = nn.TransformerEncoderLayer(8, 2, 16, 0.0, norm_first=first)

    def attend(y):
        return _attention(net.self_attn, y, y, y, np.zeros((3, 2, 4, 4)))[0]

    def feed(y):
        return _dense(net.dense2, np.maximum(_dense(net.dense1, y), 0))

    if first:
        expected = x + attend(_norm(net.norm1, x))
        expected = expected + feed(_norm(net.norm2, expected))
    else:
        expected = _norm(net.norm1, x + attend(x))
        expected = _norm(net.norm2, expected + feed(expected))
    np.testing.assert_allclose(net(Tensor(x)).asnumpy(), expected, 1e-3, 1e-4)


def test_transformer_parameters_and_training():
    net = nn.Transformer(8, 2, 2, 2, 16, 0.1)
    names = [p.name for p in net.get_parameters()]
    assert len(names) == len(set(names)) == 2 * 12 + 2 + 2 * 18 + 2
    assert names[0] == "encoder.layers.0.self_attn.in_proj_weight" and names[-1] == "decoder.norm.beta"
    assert (
        "decoder.layers.1.multihead_attn.out_proj.bias" in names and "encoder.layers.1.dense2.weight" in names
    )
    src, tgt = Tensor(_numbers(5, 3, 8)), Tensor(_numbers(4, 3, 8))
    net.set_train()
    loss, gradients = ms.value_and_grad(lambda a, b: (net(a, b) ** 2).mean(), None, net.trainable_params())(
        src, tgt
    )
    assert np.isfinite(loss.asnumpy())
    assert all(np.isfinite(g.asnumpy()).all() for g in gradients)
    assert np.abs(gradients[0].asnumpy()).max() > 0
    with pytest.raises(ValueError, match="d_model"):
        net(Tensor(_numbers(5, 3, 6)), tgt)
    with pytest.raises(ValueError, match="divisible"):
        nn.MultiheadAttention(8, 3)
