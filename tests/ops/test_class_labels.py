# SPDX-License-Identifier: Apache-2.0
"""Losses by class number refuse what is no class, and pass over what they are told to."""

from __future__ import annotations

import numpy as np
import pytest

import mindspore as ms
from mindspore import Tensor, nn, ops

SCORES = Tensor(np.log(np.array([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]], np.float32)))
WEIGHT = Tensor([1.0, 2.0, 3.0])

LOSSES = {
    "cross_entropy": ops.cross_entropy,
    "cross_entropy, smoothed": lambda x, t: ops.cross_entropy(x, t, label_smoothing=0.1),
    "cross_entropy, weighted": lambda x, t: ops.cross_entropy(x, t, WEIGHT, reduction="sum"),
    "nll_loss": ops.nll_loss,
    "nll_loss, none": lambda x, t: ops.nll_loss(x, t, WEIGHT, reduction="none"),
    "nn.CrossEntropyLoss": nn.CrossEntropyLoss(),
    "nn.NLLLoss": nn.NLLLoss(),
    "NLLLoss": lambda x, t: ops.NLLLoss()(x, t, WEIGHT),
    "nn.SoftmaxCrossEntropyWithLogits": nn.SoftmaxCrossEntropyWithLogits(sparse=True),
    "nn.SoftmaxCrossEntropyWithLogits, mean": nn.SoftmaxCrossEntropyWithLogits(True, "mean"),
    "SparseSoftmaxCrossEntropyWithLogits": ops.SparseSoftmaxCrossEntropyWithLogits(),
    "SparseSoftmaxCrossEntropyWithLogits, gradient": ops.SparseSoftmaxCrossEntropyWithLogits(is_grad=True),
    "multi_margin_loss": ops.multi_margin_loss,
    "multi_margin_loss, weighted": lambda x, t: ops.multi_margin_loss(x, t, weight=WEIGHT),
    "nn.MultiMarginLoss": nn.MultiMarginLoss(),
    "nn.FocalLoss": lambda x, t: nn.FocalLoss()(x, t.reshape(2, 1)),
    "nn.FocalLoss, weighted": lambda x, t: nn.FocalLoss(WEIGHT)(x, t.reshape(2, 1)),
}
KNOW_IGNORED = tuple(
    name
    for name in LOSSES
    if name.split(",")[0] in ("cross_entropy", "nll_loss", "nn.CrossEntropyLoss", "nn.NLLLoss", "NLLLoss")
)


@pytest.mark.parametrize("label", [-1, 3, -3, -4, 2**31 - 1])
@pytest.mark.parametrize("name", LOSSES)
def test_a_label_that_is_no_class_is_named(both_modes, name, label):
    labels = Tensor([0, label], ms.int32)
    both_modes.refuse(
        IndexError, LOSSES[name], SCORES, labels, match=rf"3 classes.*label {label} at position 1"
    )


@pytest.mark.parametrize("name", LOSSES)
def test_the_usual_ignored_label_counts_only_where_it_is_known(both_modes, name):
    labels = Tensor([0, -100], ms.int32)
    if name not in KNOW_IGNORED:
        both_modes.refuse(IndexError, LOSSES[name], SCORES, labels, match="label -100")
        return
    found = both_modes(LOSSES[name], SCORES, labels)
    assert all(
        np.isfinite(part.asnumpy()).all() for part in (found if isinstance(found, tuple) else (found,))
    )


@pytest.mark.parametrize("loss", [ops.cross_entropy, ops.nll_loss])
def test_an_ignored_label_may_be_negative(both_modes, loss):
    alone = both_modes(loss, SCORES[:1], Tensor([0], ms.int32))
    beside = both_modes(lambda x, t: loss(x, t, ignore_index=-1), SCORES, Tensor([0, -1], ms.int32))
    np.testing.assert_allclose(beside.asnumpy(), alone.asnumpy(), rtol=1e-6)


def test_a_gradient_refuses_as_well(both_modes):
    labels = Tensor([0, -1], ms.int32)
    both_modes.refuse(IndexError, lambda x: ms.grad(lambda s: ops.cross_entropy(s, labels))(x), SCORES)


def test_planes_name_the_position(both_modes):
    scores, labels = Tensor(np.zeros((1, 3, 2, 2), np.float32)), Tensor([[[0, 1], [-1, 2]]], ms.int32)
    both_modes.refuse(IndexError, ops.cross_entropy, scores, labels, match="label -1 at position 2")


@pytest.mark.parametrize("label", [-2, 3])
def test_lists_of_classes_end_with_minus_one(both_modes, label):
    scores = Tensor([[0.1, 0.2, 0.4]])
    good = both_modes(ops.multilabel_margin_loss, scores, Tensor([[2, -1, 0]], ms.int32))
    np.testing.assert_allclose(good.asnumpy(), (1 - 0.3 + 1 - 0.2) / 3, rtol=1e-6)
    bad = Tensor([[2, label, 0]], ms.int32)
    for loss in (ops.multilabel_margin_loss, nn.MultilabelMarginLoss(), ops.MultilabelMarginLoss()):
        both_modes.refuse(IndexError, loss, scores, bad, match=f"3 classes.*label {label}")


def test_hinge_embedding_with_other_labels(both_modes):
    x, labels = Tensor([0.2, 0.3, 2.0, 0.4]), Tensor([0.0, 2.0, -1.0, 1.0])
    wanted = [0.8 + 0.2, 0.7 + 0.3, 0.0, 0.4]
    for loss in (
        lambda x, t: ops.hinge_embedding_loss(x, t, 1.0, "none"),
        nn.HingeEmbeddingLoss(reduction="none"),
    ):
        np.testing.assert_allclose(both_modes(loss, x, labels).asnumpy(), wanted, rtol=1e-6)
